//! Rough lobes against values of Mitsuba 3.

use glam::Vec3;
use renderer::bsdf::{Bsdf, Dielectric, Distribution, Lobe, Microfacets};
use renderer::color::Rgb;
use renderer::math::Frame;

use super::{agree, gold, spherical};

/// Values and densities of Mitsuba 3.9.1 (`scalar_rgb`: `roughconductor`, `roughdielectric`): angles from the normal and
/// around it in degrees, of the viewer and of the light, f·cos θ in radiance mode, and density.
type Reference = (&'static str, [f32; 2], [f32; 2], [f32; 3], f32);

#[rustfmt::skip]
const MITSUBA: &[Reference] = &[
        ("gold", [30.0, 0.0], [40.0, 170.0], [1.77586, 1.47329, 0.602681], 1.84522),
        ("gold", [75.0, 20.0], [80.0, 190.0], [0.223493, 0.197958, 0.121284], 0.269263),
        ("gold", [60.0, 0.0], [10.0, 90.0], [0.0440423, 0.0365409, 0.0148642], 0.0455808),
        ("brushed", [30.0, 10.0], [40.0, 170.0], [0.277815, 0.230483, 0.094222], 0.299328),
        ("brushed", [70.0, 80.0], [75.0, 250.0], [2.30478, 1.98765, 1.09162], 2.68794),
        ("sharp", [45.0, 0.0], [45.3, 180.2], [2225.61, 1847.05, 774.791], 2305.67),
        ("sharp", [80.0, 5.0], [80.1, 185.0], [16622.7, 15118.0, 10231.5], 17259.7),
        ("glass", [30.0, 0.0], [35.0, 170.0], [0.0767036, 0.0767036, 0.0767036], 0.0770778),
        ("glass", [30.0, 0.0], [160.0, 180.0], [24.0106, 24.0106, 24.0106], 54.0953),
        ("glass", [75.0, 10.0], [140.0, 200.0], [1.28421, 1.28421, 1.28421], 2.90968),
        ("glass", [150.0, 0.0], [20.0, 180.0], [0.263536, 0.263536, 0.263536], 0.117282),
        ("glass", [160.0, 30.0], [155.0, 200.0], [0.0783109, 0.0783109, 0.0783109], 0.0784808),
        ("glass", [85.0, 0.0], [84.0, 175.0], [0.178067, 0.178067, 0.178067], 0.280423),
        ("diamond", [40.0, 20.0], [165.0, 200.0], [1.98805, 1.98805, 1.98805], 11.459),
        ("diamond", [140.0, 20.0], [30.0, 220.0], [0.00559721, 0.00559721, 0.00559721], 0.000980498),
        ("diamond", [50.0, 70.0], [60.0, 240.0], [0.0395183, 0.0395183, 0.0395183], 0.0445173),
        ("beckmann gold", [30.0, 0.0], [40.0, 170.0], [2.44015, 2.0244, 0.828125], 2.5255),
        ("beckmann gold", [75.0, 20.0], [80.0, 190.0], [0.0166073, 0.0147098, 0.00901238], 0.0174639),
        ("beckmann gold", [85.0, 0.0], [60.0, 170.0], [0.165322, 0.142595, 0.0783667], 0.172375),
        ("beckmann brushed", [30.0, 10.0], [40.0, 170.0], [0.410665, 0.340698, 0.139278], 0.425018),
        ("beckmann brushed", [70.0, 80.0], [75.0, 250.0], [3.48224, 3.00309, 1.64931], 3.63804),
        ("beckmann glass", [30.0, 0.0], [35.0, 170.0], [0.0863326, 0.0863326, 0.0863326], 0.0863326),
        ("beckmann glass", [30.0, 0.0], [160.0, 180.0], [24.4663, 24.4663, 24.4663], 55.0493),
        ("beckmann glass", [75.0, 10.0], [140.0, 200.0], [2.12649, 2.12649, 2.12649], 4.7846),
        ("beckmann glass", [160.0, 30.0], [155.0, 200.0], [0.084605, 0.084605, 0.084605], 0.084605),
        ("beckmann glass", [85.0, 0.0], [84.0, 175.0], [0.0726218, 0.0726218, 0.0726218], 0.0858393),
        ("beckmann diamond", [40.0, 20.0], [165.0, 200.0], [2.03685, 2.03685, 2.03685], 11.7323),
        ("beckmann diamond", [50.0, 70.0], [60.0, 240.0], [0.0531905, 0.0531905, 0.0531905], 0.0533602),
];

#[test]
fn values_match_mitsuba() {
    for &(name, viewer, light, f, pdf) in MITSUBA {
        let (distribution, name) = match name.strip_prefix("beckmann ") {
            Some(name) => (Distribution::Beckmann, name),
            None => (Distribution::Ggx, name),
        };
        let rough = |x, y| Microfacets::new(x, y).with(distribution);
        let lobe = match name {
            "gold" => gold(rough(0.15, 0.15)),
            "brushed" => gold(rough(0.5, 0.1)),
            "sharp" => gold(rough(0.005, 0.005)),
            "glass" => Lobe::Dielectric(Dielectric::new(1.5, rough(0.2, 0.2))),
            "diamond" => Lobe::Dielectric(Dielectric::new(2.4, rough(0.1, 0.5))),
            _ => unreachable!("no lobe {name}"),
        };
        let (wo, wi) = (spherical(viewer), spherical(light));
        let mut bsdf = Bsdf::new(Vec3::Z, wo);
        bsdf.push(Rgb::WHITE, Frame { s: Vec3::X, t: Vec3::Y, n: Vec3::Z }, lobe);
        let (value, density) = bsdf.eval_pdf(wo, wi);
        let case = format!("{distribution:?} {name} from {viewer:?} to {light:?}");
        assert!(agree(value, f.into(), 2e-4), "{case}: {value:?} is not {f:?}");
        // Mitsuba's density of Beckmann facets uses Walter's fit of the masking function, Kiln's the exact one.
        let tolerance = match distribution {
            Distribution::Ggx => 2e-4,
            Distribution::Beckmann => 4e-3,
        };
        assert!(
            (density / pdf - 1.0).abs() < tolerance,
            "{case}: density {density} is not {pdf}"
        );
    }
}
