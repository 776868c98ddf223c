//! Hair against another renderer, against its symmetries, and in frames other than that of the surface.

use glam::Vec3;
use renderer::bsdf::{Bsdf, Hair, HairParameters, Lobe, TransportMode};
use renderer::color::Rgb;
use renderer::math::Frame;
use support::chi2::Chi2;
use support::stats::{Moments, Rng, normal_limit, sidak};

use super::{Case, Lossless, Lossy, SIGNIFICANCE, agree, case, direction, spherical};

/// Hair with roughness along and around the fibre, tilt in degrees, index of refraction and absorption.
fn hair(along: f32, about: f32, tilt: f32, ior: f32, absorption: [f32; 3]) -> Lobe {
    Lobe::Hair(Hair::new(&HairParameters {
        tilt: tilt.to_radians(),
        absorption: absorption.into(),
        ..HairParameters::of_roughness(along, about, ior)
    }))
}

fn named(name: &str) -> Lobe {
    match name {
        "brown" => hair(0.3, 0.3, 2.0, 1.55, [0.2, 0.5, 1.0]),
        "white" => hair(0.15, 0.2, 0.0, 1.55, [0.0; 3]),
        "fur" => hair(0.7, 0.6, 3.0, 1.4, [1.0, 2.0, 4.0]),
        "rough" => hair(0.9, 1.0, -4.0, 1.6, [0.05, 0.1, 0.2]),
        "sleek" => hair(0.05, 0.4, 5.0, 1.33, [0.1, 0.3, 0.2]),
        _ => unreachable!("no hair {name}"),
    }
}

/// Hair for the table of all lobes.
pub(super) fn cases() -> Vec<Case> {
    let tinted = HairParameters {
        tints: [Rgb::new(1.0, 0.9, 0.8), Rgb::new(0.2, 0.5, 0.7), Rgb::new(0.9, 0.1, 0.0)],
        ..HairParameters::of_roughness(0.4, 0.5, 1.5)
    };
    vec![
        case("white hair", named("white"), Lossless),
        case("tilted white hair", hair(0.3, 0.3, 4.0, 1.55, [0.0; 3]), Lossless),
        case("rough white hair", hair(1.0, 1.0, -3.0, 1.3, [0.0; 3]), Lossless),
        case("brown hair", named("brown"), Lossy),
        case("fur", named("fur"), Lossy),
        case("tinted hair", Lobe::Hair(Hair::new(&tinted)), Lossy),
    ]
}

/// Values and densities of Mitsuba 3.9.1 (`scalar_rgb`, `hair`, whose tilt has the other sign): the hair, angles from the
/// normal and around it in degrees, of the viewer and of the light, f·cos θ, and density.
type Reference = (&'static str, [f32; 2], [f32; 2], [f32; 3], f32);

#[rustfmt::skip]
const MITSUBA: &[Reference] = &[
    ("brown", [41.0, 201.5], [32.0, 167.6], [0.000374751, 0.000193478, 0.000134859], 0.000551643),
    ("brown", [55.9, 285.5], [144.3, 109.2], [0.27003, 0.160805, 0.0678309], 0.361455),
    ("brown", [10.6, 291.5], [67.2, 15.1], [6.96019e-05, 2.5921e-05, 1.25263e-05], 7.8857e-05),
    ("brown", [85.5, 347.3], [84.1, 139.8], [0.693828, 0.689743, 0.68939], 0.979641),
    ("brown", [8.0, 68.5], [173.2, 316.9], [2.69694, 1.48272, 0.547074], 3.85998),
    ("brown", [46.6, 230.5], [137.1, 2.3], [1.16662, 0.652019, 0.24728], 1.63747),
    ("brown", [86.6, 302.5], [93.3, 102.0], [0.62549, 0.622808, 0.622371], 0.801883),
    ("white", [83.5, 305.0], [177.3, 75.5], [0.00211923, 0.00211923, 0.00211923], 0.00211923),
    ("white", [9.1, 226.6], [56.1, 97.1], [0.000369276, 0.000369276, 0.000369276], 0.000369276),
    ("white", [10.3, 119.7], [21.9, 272.9], [0.0538364, 0.0538364, 0.0538364], 0.0538364),
    ("white", [12.9, 88.7], [173.1, 163.5], [2.89479, 2.89479, 2.89479], 2.89479),
    ("white", [40.6, 68.6], [158.9, 194.8], [4.01064, 4.01064, 4.01064], 4.01064),
    ("white", [20.9, 97.1], [170.5, 288.3], [18.2014, 18.2014, 18.2014], 18.2014),
    ("white", [36.1, 307.6], [50.7, 243.5], [0.180586, 0.180586, 0.180586], 0.180586),
    ("fur", [67.9, 118.4], [114.0, 26.4], [0.0208969, 0.00397713, 0.000249126], 0.0410623),
    ("fur", [10.6, 209.8], [120.9, 216.5], [0.00401149, 0.000576397, 5.39732e-05], 0.0189284),
    ("fur", [34.2, 163.2], [23.3, 174.1], [0.00755534, 0.00744598, 0.00744382], 0.119211),
    ("fur", [51.3, 311.9], [131.9, 127.7], [0.0569753, 0.00902589, 0.00103426], 0.212616),
    ("fur", [18.9, 266.2], [120.3, 97.2], [0.0228884, 0.00356007, 0.000405515], 0.105448),
    ("fur", [38.4, 37.4], [37.6, 221.7], [0.0144788, 0.0141482, 0.0141033], 0.206481),
    ("fur", [72.2, 214.7], [34.1, 124.8], [0.0258792, 0.0258265, 0.0258252], 0.126084),
    ("rough", [50.0, 306.9], [76.8, 100.9], [0.0817925, 0.0745054, 0.0620575], 0.0899632),
    ("rough", [80.1, 73.4], [165.2, 96.9], [0.0772952, 0.0720684, 0.0638096], 0.0834303),
    ("rough", [40.4, 21.8], [130.4, 132.8], [0.10073, 0.0906968, 0.073757], 0.111905),
    ("rough", [51.1, 47.4], [36.1, 214.4], [0.0904086, 0.0821604, 0.0681187], 0.09964),
    ("rough", [52.1, 50.5], [18.1, 68.6], [0.0639938, 0.0582576, 0.0485338], 0.0704423),
    ("rough", [4.8, 229.0], [106.1, 270.7], [0.0814605, 0.0738193, 0.0607998], 0.0899587),
    ("rough", [48.9, 265.3], [95.7, 62.1], [0.0764836, 0.0701863, 0.059302], 0.0835488),
    ("sleek", [32.6, 246.7], [36.7, 313.6], [0.00477318, 0.00225232, 0.00327877], 0.00449848),
    ("sleek", [9.7, 230.2], [9.4, 316.7], [0.000185239, 5.75041e-05, 0.000102827], 0.000142145),
    ("sleek", [40.0, 301.8], [146.3, 270.1], [0.000216967, 0.000102595, 0.000149197], 0.00020441),
    ("sleek", [5.5, 216.5], [166.5, 50.9], [12.8922, 8.63926, 10.5536], 15.6659),
    ("sleek", [80.3, 92.1], [163.9, 300.2], [6.99506, 5.34043, 6.1114], 7.56603),
    ("sleek", [79.1, 237.6], [67.7, 65.7], [3.49562, 3.49312, 3.49404], 4.84266),
    ("sleek", [39.2, 290.2], [166.8, 127.9], [19.1023, 13.3047, 15.9421], 22.7712),
];

#[test]
fn values_match_mitsuba() {
    for &(name, viewer, light, f, pdf) in MITSUBA {
        let (value, density) = named(name).eval_pdf(spherical(viewer), spherical(light));
        let case = format!("{name} from {viewer:?} to {light:?}");
        // Mitsuba's I₀ has this error for small variances: its logarithm contains only half of the term 1/(8x).
        let tolerance = match name {
            "fur" | "rough" => 1e-4,
            _ => 6e-3,
        };
        assert!(agree(value, f.into(), tolerance), "{case}: {value:?} is not {f:?}");
        // Mitsuba selects paths by luminance, Kiln by the mean of the channels.
        if name == "white" {
            assert!(
                (density / pdf - 1.0).abs() < tolerance,
                "{case}: density {density} is not {pdf}"
            );
        }
    }
}

/// The albedo is one from any direction, and all samples have the same weight.
#[test]
fn white_hair_is_invisible_in_a_white_furnace() {
    let mut rng = Rng::new(1);
    for roughness in [0.05, 0.1, 0.25, 0.5, 0.8, 1.0] {
        for ior in [1.1, 1.55, 2.5] {
            let lobe = hair(roughness, 1.05 - roughness, 40.0 * (roughness - 0.5), ior, [0.0; 3]);
            for _ in 0..20 {
                let wo = rng.direction();
                assert!(agree(lobe.albedo(wo), Rgb::WHITE, 1e-5), "{lobe:?} from {wo}");
                for _ in 0..50 {
                    let Some(s) = lobe.sample(wo, rng.next_1d(), rng.next_2d()) else {
                        panic!("{lobe:?} from {wo} lost a sample");
                    };
                    assert!(agree(s.weight, Rgb::WHITE, 1e-5), "{lobe:?} from {wo}: {:?}", s.weight);
                }
                // Also with uniform directions, if the lobes are wide enough.
                if roughness >= 0.25 {
                    let even: Moments = (0..20_000)
                        .map(|_| f64::from(lobe.eval(wo, rng.direction()).g) * 4.0 * std::f64::consts::PI)
                        .collect();
                    let limit = 6.0 * even.variance_of_mean().sqrt();
                    assert!(
                        (even.mean() - 1.0).abs() < limit,
                        "{lobe:?} from {wo}: {} ± {limit}",
                        even.mean()
                    );
                }
            }
        }
    }
}

/// A fibre has two planes of symmetry; tilted scales leave one of them.
#[test]
fn hair_is_symmetric() {
    let mut rng = Rng::new(2);
    let tilted = |tilt| hair(0.4, 0.3, tilt, 1.5, [0.1, 0.4, 0.9]);
    for _ in 0..2000 {
        let (wo, wi) = (rng.direction(), rng.direction());
        let value = tilted(3.0).eval(wo, wi);
        let same = |lobe: Lobe, sign: Vec3| {
            let mirrored = lobe.eval(wo * sign, wi * sign);
            assert!(
                agree(value, mirrored, 1e-3),
                "{wo} to {wi}: {value:?}, mirrored by {sign}: {mirrored:?}"
            );
        };
        same(tilted(3.0), Vec3::new(1.0, -1.0, 1.0));
        same(tilted(-3.0), Vec3::new(-1.0, 1.0, 1.0));
        // Seen from behind, front and back are exchanged.
        same(tilted(3.0), Vec3::new(1.0, 1.0, -1.0));
    }
}

/// The mean over the width of a fibre is reciprocal if both directions have equal inclinations, since only then is
/// absorption equal.
#[test]
fn fibres_are_reciprocal_on_average() {
    let mut rng = Rng::new(3);
    let lobe = hair(0.3, 0.4, 0.0, 1.55, [0.2, 0.5, 1.0]);
    let mean = |sin_o: f32, sin_i: f32, phi: f32| -> Rgb {
        const STEPS: usize = 400;
        let direction = |sin: f32, phi: f32| {
            let cos = (1.0 - sin * sin).sqrt();
            Vec3::new(sin, cos * phi.cos(), cos * phi.sin())
        };
        (0..STEPS)
            .map(|k| {
                // The azimuth from the normal at an offset that is uniform over the width.
                let h = (k as f32 + 0.5) / STEPS as f32 * 2.0 - 1.0;
                let at = std::f32::consts::FRAC_PI_2 + h.asin();
                lobe.eval(direction(sin_o, at), direction(sin_i, at + phi)) * (1.0 / STEPS as f32)
            })
            .sum()
    };
    for _ in 0..50 {
        let sin = 2.0 * rng.next_1d() - 1.0;
        let sin_i = if rng.next_1d() < 0.5 { sin } else { -sin };
        let phi = std::f32::consts::TAU * rng.next_1d();
        let (forth, back) = (mean(sin, sin_i, phi), mean(sin_i, sin, -phi));
        assert!(agree(forth, back, 1e-3), "{sin} to {sin_i} by {phi}: {forth:?}, back {back:?}");
    }
}

/// No energy is lost if the shading and the geometric normal disagree about sides, for radiance and for importance.
#[test]
fn bent_normals_lose_no_energy() {
    let modes = [TransportMode::Radiance, TransportMode::Importance];
    let normals = [Vec3::Z, Vec3::new(0.0, 0.8, 1.0), Vec3::new(0.2, -1.5, 1.0)];
    let alpha = sidak(SIGNIFICANCE, modes.len() * normals.len() * 5);
    for mode in modes {
        for n in normals {
            for (seed, degrees) in [0.0, 40.0, 80.0, 120.0, 170.0].into_iter().enumerate() {
                let wo = direction(degrees);
                let mut bsdf = Bsdf::new(Vec3::Z, wo);
                bsdf.set_mode(mode);
                let frame = Frame::from_normal_tangent(n.normalize(), Vec3::new(1.0, 0.1, 0.0));
                bsdf.push(Rgb::WHITE, frame, hair(0.4, 0.4, 2.0, 1.55, [0.0; 3]));
                let mut rng = Rng::new(seed as u64);
                let draw = || {
                    let s = bsdf.sample(wo, rng.next_1d(), rng.next_2d())?;
                    let (f, pdf) = bsdf.eval_pdf(wo, s.wi);
                    assert!(
                        agree(s.weight, Rgb::WHITE, 1e-4),
                        "{mode:?} about {n} from {wo}: {:?}",
                        s.weight
                    );
                    assert!(agree(f * (1.0 / pdf), Rgb::WHITE, 1e-4) && (pdf / s.pdf - 1.0).abs() < 0.01);
                    Some(s.wi)
                };
                let result = Chi2::of(50_000, |wi| bsdf.pdf(wo, wi), draw);
                result
                    .verdict(alpha, normal_limit(alpha))
                    .unwrap_or_else(|e| panic!("{mode:?} about {n} from {wo}: {e}"));
                assert_eq!(result.lost, 0.0);
            }
        }
    }
}

/// If the normal would face away from the viewer, the fibre is rotated about its own axis, and its direction is
/// preserved.
#[test]
fn bent_normals_rotate_fibres_about_their_axis() {
    let fibre = Vec3::new(1.0, 0.0, 0.3).normalize();
    let n = Vec3::new(-0.3, 1.0, 1.0).reject_from(fibre).normalize();
    let frame = Frame::from_normal_tangent(n, fibre);
    let wo = Vec3::new(0.5, -0.9, 0.3).normalize();
    assert!(wo.dot(n) < 0.0 && wo.z > 0.0);
    let bsdf = Bsdf::new(Vec3::Z, wo);
    let seen = bsdf.seen_frame(frame, &hair(0.3, 0.3, 0.0, 1.55, [0.0; 3]));
    assert!(seen.s.dot(fibre) > 1.0 - 1e-6, "{seen:?}");
    assert!(wo.dot(seen.n) > 0.0 && wo.dot(seen.n) < 0.01, "{seen:?}");
}

/// Hair must not enlarge the lobes of other materials.
#[test]
fn hair_does_not_enlarge_lobes() {
    assert_eq!(size_of::<Hair>(), 60);
    assert_eq!(size_of::<Lobe>(), 64);
}
