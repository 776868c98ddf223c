//! Shipped units against values of Mitsuba 3.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use renderer::color::Rgb;
use renderer::geometry::{Footprint, Interaction, ShapeId};
use renderer::material::{
    Host, Material, RayKind, ShadingContext, ShadingResult, Sides, closure_registry, library,
};
use shading::{InstanceOptions, ShadingSystem, Source};

use super::agree;

/// Angles from the normal and azimuths in degrees, of the viewer and of the light, and f·cos θ in radiance mode.
type Value = ([f64; 2], [f64; 2], [f32; 3]);

/// Values of Mitsuba 3.9.1 (`scalar_rgb`, `bsdf.eval` at random directions) for the plugins that the units are named after:
/// `principled`, `principledthin`, and `plastic` or `roughplastic` for `coated_diffuse`, with the same parameters.
#[rustfmt::skip]
const MITSUBA: &[(&str, &[Value])] = &[
    ("principled(base_color = (0.8, 0.3, 0.1), roughness = 0.4)", &[
        ([51.3, 323.0], [53.3, 140.0], [0.42462, 0.32984, 0.29193]),
        ([87.2, 314.5], [89.7, 295.6], [0.0021092, 0.00082088, 0.00030555]),
        ([62.1, 109.1], [73.8, 91.8], [0.075967, 0.028622, 0.0096842]),
        ([63.6, 181.6], [56.4, 358.4], [0.52827, 0.44205, 0.40756]),
        ([37.6, 224.0], [8.5, 77.5], [0.26332, 0.1059, 0.042933]),
        ([80.8, 220.5], [87.5, 12.8], [0.0073561, 0.0037276, 0.0022763]),
    ]),
    ("principled(base_color = (0.8, 0.3, 0.1), roughness = 0.3, anisotropic = 0.6, metallic = 0.7, spec_tint = 0.5)", &[
        ([59.0, 167.8], [61.0, 344.8], [4.2419, 1.7667, 0.77658]),
        ([81.7, 178.9], [75.7, 4.2], [0.19619, 0.12607, 0.098029]),
        ([46.2, 72.2], [68.3, 1.3], [0.029645, 0.011128, 0.0037206]),
        ([33.9, 55.6], [74.5, 316.9], [0.026629, 0.010043, 0.003409]),
        ([59.4, 305.0], [50.2, 267.0], [0.04942, 0.018535, 0.0061813]),
        ([84.8, 194.8], [59.5, 313.7], [0.032602, 0.012267, 0.0041337]),
    ]),
    ("principled(base_color = (0.8, 0.3, 0.1), roughness = 0.7, specular = 0.8, sheen = 0.8, sheen_tint = 0.5, flatness = 0.6)", &[
        ([68.8, 215.3], [70.8, 32.3], [0.2549, 0.16651, 0.13116]),
        ([88.8, 54.1], [35.3, 136.6], [0.2394, 0.095787, 0.038341]),
        ([53.8, 217.8], [50.4, 243.5], [0.16834, 0.065319, 0.024111]),
        ([81.3, 158.5], [76.1, 144.9], [0.14182, 0.054713, 0.019871]),
        ([84.5, 348.4], [77.6, 241.8], [0.09689, 0.039134, 0.016032]),
        ([72.5, 314.7], [48.5, 47.4], [0.20228, 0.079764, 0.030758]),
    ]),
    ("principled(base_color = (0.8, 0.3, 0.1), roughness = 0.5, clearcoat = 1, clearcoat_gloss = 0.4)", &[
        ([32.3, 340.2], [34.3, 157.2], [0.3811, 0.24961, 0.19702]),
        ([81.6, 69.3], [21.9, 198.8], [0.23975, 0.095405, 0.037667]),
        ([27.9, 231.0], [55.3, 135.5], [0.14872, 0.057799, 0.021432]),
        ([65.7, 86.2], [87.8, 315.4], [0.0078269, 0.0032675, 0.0014437]),
        ([62.1, 197.1], [71.2, 270.5], [0.085867, 0.032709, 0.011446]),
        ([88.6, 134.0], [88.3, 44.2], [0.0079654, 0.0032265, 0.001331]),
    ]),
    ("principled(base_color = (0.8, 0.3, 0.1), roughness = 0.4, eta = 1.4, metallic = 0.2, spec_tint = 0.3, spec_trans = 0.7, anisotropic = 0.3, sheen = 0.5, clearcoat = 0.5, flatness = 0.3)", &[
        ([14.7, 236.8], [16.7, 53.8], [0.67659, 0.30399, 0.15495]),
        ([83.2, 123.9], [53.8, 246.1], [0.051949, 0.023343, 0.011901]),
        ([58.7, 275.5], [155.4, 54.4], [0.00033784, 0.00020688, 0.00011944]),
        ([69.8, 341.3], [125.0, 122.4], [0.00092454, 0.00056617, 0.00032688]),
        ([105.8, 342.7], [116.4, 352.9], [0.00023328, 0.00023328, 0.00023328]),
        ([157.3, 24.7], [64.5, 187.0], [0.00056517, 0.00034609, 0.00019982]),
        ([18.0, 90.4], [168.3, 268.4], [22.243, 13.621, 7.8641]),
    ]),
    ("principled_thin(base_color = (0.8, 0.3, 0.1), roughness = 0.4, anisotropic = 0.5, eta = 1.5, spec_trans = 0.6, diff_trans = 0.8, spec_tint = 0.4, sheen = 0.5, sheen_tint = 1, flatness = 0.3)", &[
        ([44.2, 226.7], [46.2, 43.7], [0.19751, 0.12182, 0.09154]),
        ([88.2, 73.0], [87.1, 76.6], [0.0076293, 0.0029015, 0.0010104]),
        ([32.8, 40.5], [127.1, 172.5], [0.029212, 0.010955, 0.0036516]),
        ([53.5, 237.3], [107.9, 346.1], [0.012523, 0.0046961, 0.0015654]),
        ([117.8, 226.1], [129.4, 66.2], [0.085023, 0.047943, 0.033111]),
        ([93.5, 148.1], [40.2, 293.5], [0.076286, 0.028607, 0.0095357]),
        ([43.1, 40.8], [136.9, 218.8], [10.766, 4.0373, 1.3458]),
    ]),
    ("principled_thin(base_color = (0.8, 0.3, 0.1), roughness = 0.8, diff_trans = 1.4, sheen = 1)", &[
        ([28.6, 188.4], [30.6, 5.4], [0.065769, 0.02467, 0.0082297]),
        ([81.7, 7.3], [75.4, 89.5], [0.025477, 0.0095887, 0.0032334]),
        ([55.5, 14.0], [126.2, 59.8], [0.10528, 0.039479, 0.01316]),
        ([47.3, 7.6], [108.1, 337.8], [0.055379, 0.020767, 0.0069224]),
        ([122.6, 292.2], [131.1, 219.9], [0.051176, 0.019194, 0.0064013]),
        ([101.0, 206.8], [87.7, 288.6], [0.0071536, 0.0026826, 0.0008942]),
        ([16.2, 307.4], [163.8, 125.4], [0.17118, 0.064191, 0.021397]),
    ]),
    ("principled_thin(base_color = (0.8, 0.3, 0.1), roughness = 1, spec_trans = 1, eta = 1.8)", &[
        ([71.5, 40.6], [73.5, 217.6], [0.01328, 0.01328, 0.01328]),
        ([86.9, 310.6], [37.1, 46.5], [0.012626, 0.012626, 0.012626]),
        ([28.0, 71.0], [125.0, 229.9], [0.09907, 0.037151, 0.012384]),
        ([52.5, 34.6], [131.4, 227.5], [0.15081, 0.056554, 0.018851]),
        ([145.5, 289.3], [109.1, 259.9], [0.0035306, 0.0035306, 0.0035306]),
        ([130.6, 77.3], [55.7, 340.1], [0.062847, 0.023567, 0.0078558]),
        ([67.7, 91.0], [112.3, 269.0], [0.14044, 0.052665, 0.017555]),
    ]),
    ("coated_diffuse(albedo = (0.8, 0.3, 0.1), alpha = 0, ior = 1.5, specular = (1, 0.5, 0.7), nonlinear = 0, distribution = \"ggx\")", &[
        ([84.2, 137.0], [86.2, 314.0], [0.0025125, 0.00094217, 0.00031406]),
        ([81.9, 135.7], [68.2, 194.2], [0.047873, 0.017952, 0.0059842]),
        ([75.7, 118.7], [62.8, 29.4], [0.08406, 0.031522, 0.010507]),
        ([41.2, 208.5], [72.6, 27.9], [0.063327, 0.023748, 0.0079159]),
        ([40.3, 47.2], [82.3, 47.0], [0.018775, 0.0070406, 0.0023469]),
        ([85.3, 326.3], [74.4, 110.3], [0.021172, 0.0079396, 0.0026465]),
    ]),
    ("coated_diffuse(albedo = (0.8, 0.3, 0.1), alpha = 0, ior = 1.9, specular = (1, 0.5, 0.7), nonlinear = 1, distribution = \"ggx\")", &[
        ([33.6, 223.2], [35.6, 40.2], [0.11946, 0.022608, 0.0062896]),
        ([86.5, 135.1], [44.7, 34.9], [0.032345, 0.0061211, 0.001703]),
        ([39.1, 297.3], [47.6, 133.5], [0.097468, 0.018446, 0.0051317]),
        ([86.3, 186.8], [40.8, 68.7], [0.036164, 0.0068439, 0.001904]),
        ([74.6, 193.0], [41.6, 322.8], [0.085729, 0.016224, 0.0045136]),
        ([82.8, 66.3], [36.9, 232.0], [0.061858, 0.011707, 0.0032569]),
    ]),
    ("coated_diffuse(albedo = (0.8, 0.3, 0.1), alpha = 0.01, ior = 1.3, specular = (1, 0.5, 0.7), nonlinear = 0, distribution = \"beckmann\")", &[
        ([43.9, 358.8], [45.9, 175.8], [0.17914, 0.067351, 0.023189]),
        ([86.8, 142.2], [50.1, 66.4], [0.050572, 0.018965, 0.0063215]),
        ([40.7, 259.7], [63.6, 136.1], [0.10841, 0.040655, 0.013552]),
        ([65.2, 12.0], [32.4, 195.3], [0.20417, 0.076566, 0.025522]),
        ([67.2, 197.3], [43.8, 137.3], [0.17082, 0.064057, 0.021352]),
        ([33.8, 331.0], [67.2, 49.6], [0.092113, 0.034543, 0.011514]),
    ]),
    ("coated_diffuse(albedo = (0.8, 0.3, 0.1), alpha = 0.05, ior = 1.2, specular = (1, 0.5, 0.7), nonlinear = 0, distribution = \"ggx\")", &[
        ([40.5, 357.5], [42.5, 174.5], [0.44576, 0.19951, 0.20453]),
        ([88.9, 331.4], [82.9, 33.1], [0.010062, 0.0037792, 0.0012851]),
        ([83.3, 63.7], [54.9, 160.7], [0.092294, 0.034615, 0.011558]),
        ([41.4, 68.6], [23.9, 78.2], [0.23259, 0.087225, 0.029089]),
        ([39.7, 24.3], [61.7, 11.7], [0.11674, 0.043778, 0.014596]),
        ([71.7, 112.4], [44.0, 163.8], [0.16431, 0.061617, 0.020545]),
    ]),
    ("coated_diffuse(albedo = (0.8, 0.3, 0.1), alpha = 0.1, ior = 1.49, specular = (1, 0.5, 0.7), nonlinear = 1, distribution = \"beckmann\")", &[
        ([86.7, 358.3], [88.0, 175.3], [0.0014202, 0.00034758, 0.00010173]),
        ([80.3, 141.9], [76.9, 45.0], [0.021909, 0.0053619, 0.0015692]),
        ([59.8, 44.3], [79.8, 309.8], [0.022226, 0.0054395, 0.001592]),
        ([61.0, 66.1], [47.9, 95.7], [0.12202, 0.029864, 0.0087402]),
        ([58.2, 101.9], [58.9, 226.3], [0.092319, 0.022594, 0.0066125]),
        ([57.6, 142.4], [37.7, 314.4], [0.16972, 0.047061, 0.025753]),
    ]),
    ("coated_diffuse(albedo = (0.8, 0.3, 0.1), alpha = 0.3, ior = 1.5, specular = (1, 0.5, 0.7), nonlinear = 0, distribution = \"ggx\")", &[
        ([79.7, 49.1], [81.7, 226.1], [0.54824, 0.27216, 0.37473]),
        ([84.6, 83.0], [14.1, 74.8], [0.13094, 0.049606, 0.018688]),
        ([60.2, 329.4], [87.7, 113.5], [0.0058467, 0.0023462, 0.0014376]),
        ([53.1, 23.9], [76.3, 167.4], [0.038106, 0.014941, 0.0077598]),
        ([28.3, 273.9], [34.0, 274.0], [0.14585, 0.055052, 0.019885]),
        ([45.0, 305.9], [47.0, 264.8], [0.11449, 0.043106, 0.015102]),
    ]),
    ("coated_diffuse(albedo = (0.8, 0.3, 0.1), alpha = 0.33, ior = 1.8, specular = (1, 0.5, 0.7), nonlinear = 1, distribution = \"ggx\")", &[
        ([72.4, 60.4], [74.4, 237.4], [0.3817, 0.18552, 0.25349]),
        ([81.4, 214.8], [70.8, 337.2], [0.030864, 0.0092745, 0.0057843]),
        ([59.0, 33.0], [15.1, 207.1], [0.1257, 0.038332, 0.024997]),
        ([36.5, 101.5], [36.7, 253.0], [0.13456, 0.046061, 0.039675]),
        ([49.9, 342.2], [64.3, 149.4], [0.10701, 0.043187, 0.048395]),
        ([46.2, 300.6], [70.4, 241.1], [0.033632, 0.0090709, 0.0036429]),
    ]),
    ("coated_diffuse(albedo = (0.8, 0.3, 0.1), alpha = 0.6, ior = 2.5, specular = (1, 0.5, 0.7), nonlinear = 0, distribution = \"beckmann\")", &[
        ([77.9, 198.6], [79.9, 15.6], [0.21056, 0.10361, 0.13973]),
        ([83.7, 5.6], [16.6, 168.7], [0.19186, 0.086136, 0.089249]),
        ([43.9, 188.4], [43.0, 30.5], [0.12081, 0.052403, 0.047763]),
        ([55.8, 200.9], [21.2, 14.3], [0.14863, 0.064109, 0.057086]),
        ([63.1, 227.2], [56.6, 26.7], [0.13672, 0.06263, 0.069339]),
        ([53.6, 80.0], [78.7, 316.3], [0.025274, 0.010666, 0.0086251]),
    ]),
    ("coated_diffuse(albedo = (0.8, 0.3, 0.1), alpha = 1, ior = 1.5, specular = (1, 0.5, 0.7), nonlinear = 1, distribution = \"ggx\")", &[
        ([78.6, 163.5], [80.6, 340.5], [0.017596, 0.0082421, 0.010116]),
        ([87.4, 290.5], [62.2, 223.3], [0.015573, 0.0060972, 0.0042112]),
        ([47.3, 231.1], [66.0, 201.0], [0.024784, 0.0090535, 0.0041275]),
        ([66.7, 267.9], [67.6, 168.0], [0.019268, 0.0072517, 0.0040534]),
        ([40.9, 181.3], [70.2, 297.7], [0.020576, 0.0075912, 0.0037233]),
        ([67.6, 304.1], [38.3, 161.0], [0.050992, 0.01881, 0.0092189]),
    ]),
    ("coated_diffuse(albedo = (0.8, 0.3, 0.1), alpha = 1, ior = 2, specular = (1, 0.5, 0.7), nonlinear = 0, distribution = \"beckmann\")", &[
        ([44.5, 12.4], [46.5, 189.4], [0.065758, 0.026293, 0.015736]),
        ([85.3, 200.8], [48.3, 244.0], [0.048975, 0.019334, 0.010577]),
        ([65.1, 66.1], [73.0, 105.5], [0.020356, 0.007799, 0.0033063]),
        ([64.5, 359.7], [69.4, 161.1], [0.047769, 0.020951, 0.019945]),
        ([68.2, 209.3], [18.6, 320.1], [0.094684, 0.038655, 0.026317]),
        ([67.8, 96.1], [27.8, 177.8], [0.091054, 0.037472, 0.026686]),
    ]),
];

fn direction([theta, phi]: [f64; 2]) -> Vec3 {
    let (theta, phi) = (theta.to_radians(), phi.to_radians());
    glam::DVec3::new(theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos()).as_vec3()
}

/// A point of the plane z = 0 seen from `wo`.
fn point(wo: Vec3) -> Interaction {
    Interaction {
        p: Vec3::ZERO,
        p_error: 0.0,
        wo,
        ng: Vec3::Z,
        n: Vec3::Z,
        uv: Vec2::ZERO,
        dpdu: Vec3::X,
        dpdv: Vec3::Y,
        t: 1.0,
        time: 0.0,
        shape: ShapeId(0),
        primitive: 0,
    }
}

/// A material of shipped units.
pub(super) struct Unit {
    material: Material,
    context: ShadingContext,
}

impl Unit {
    /// A material from a call of a unit.
    pub(super) fn new(call: &str) -> Unit {
        let (unit, arguments) = call.split_once('(').expect("a call");
        Unit::of_group(format!(
            "group subject(output closure color surface) {{ {unit} it({arguments}; surface = it.surface; }}"
        ))
    }

    /// A material from the last group of a source.
    pub(super) fn of_group(text: String) -> Unit {
        let host = Arc::new(Host::default());
        let system = ShadingSystem::new(closure_registry(), host.clone()).with_library(library::LIBRARY);
        let instance = system
            .load(Source::new("test.ksl", text))
            .and_then(|loaded| {
                let group = loaded.templates.last().expect("a group").clone();
                system.instantiate(group, &InstanceOptions::default())
            })
            .unwrap_or_else(|errors| panic!("{errors}"));
        let mut context = ShadingContext::new(host.clone());
        Unit {
            material: Material::new(instance, Sides::default(), &host, &mut context),
            context,
        }
    }

    fn shade(&mut self, wo: Vec3) -> ShadingResult {
        self.shade_at(wo, Vec2::ZERO)
    }

    /// The surface at these texture coordinates.
    pub(super) fn shade_at(&mut self, wo: Vec3, uv: Vec2) -> ShadingResult {
        let mut surface = ShadingResult::new();
        self.material.shade(
            &Interaction { uv, ..point(wo) },
            RayKind::CAMERA,
            &Footprint::POINT,
            &mut self.context,
            &mut surface,
        );
        surface
    }
}

#[test]
fn values_match_mitsuba() {
    let mut failures = String::new();
    for &(call, values) in MITSUBA {
        // Mitsuba creates and loses energy where the units do not.
        let as_published = match call.starts_with("coated") {
            true => "energy_compensation = 0)",
            false => "published = 1)",
        };
        let call = format!("{}, {as_published}", call.trim_end_matches(')'));
        let mut unit = Unit::new(&call);
        for &(viewer, light, expected) in values {
            let wo = direction(viewer);
            let value = unit.shade(wo).bsdf.eval(wo, direction(light));
            if !agree(value, expected.into(), 0.006) {
                failures += &format!("{call} from {viewer:?} to {light:?}: {value:?} is not {expected:?}\n");
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// General units equal simpler ones for certain parameters.
#[test]
fn general_units_match_simpler_units() {
    let pairs = [
        (
            "standard_surface(base_color = (0.8, 0.3, 0.1), specular = 0)",
            "matte(albedo = (0.8, 0.3, 0.1))",
        ),
        (
            "standard_surface(transmission = 1, transmission_color = (0.8, 0.3, 0.1), specular_roughness = 0.5, specular_IOR = 1.4)",
            "glass(alpha = 0.25, ior = 1.4, transmission_tint = (0.8, 0.3, 0.1))",
        ),
        (
            // Gulbrandsen's index of refraction of the reflectance 0.25 with the edge 0: (1 + √r) / (1 − √r), and no
            // extinction.
            "standard_surface(metalness = 1, base_color = 0.25, specular_color = 0, specular_roughness = 0.6)",
            "metal(alpha = 0.36, eta = 3, extinction = 0)",
        ),
        (
            "standard_surface(metalness = 1, base_color = 0.25, specular_color = 1, specular_roughness = 0.6)",
            "metal(alpha = 0.36, eta = 0.6, extinction = 0.8)",
        ),
        (
            "standard_surface(base_color = 0, specular_roughness = 0.5, specular_anisotropy = 0.75)",
            "glass(alpha_u = 0.5, alpha_v = 0.125, transmission_tint = 0)",
        ),
        (
            "openpbr_surface(base_color = (0.8, 0.3, 0.1), specular_weight = 0)",
            "matte(albedo = (0.8, 0.3, 0.1))",
        ),
        (
            // A quarter of the reflectance 0.04 has the index 11 / 9.
            "openpbr_surface(transmission_weight = 1, transmission_color = (0.8, 0.3, 0.1), specular_weight = 0.25, specular_roughness = 0.5)",
            "glass(alpha = 0.25, ior = 1.22222, transmission_tint = (0.8, 0.3, 0.1))",
        ),
        (
            "usd_preview_surface(useSpecularWorkflow = 1, specularColor = (0.8, 0.3, 0.1), diffuseColor = 0, roughness = 0.5)",
            "colored_metal(reflectance = (0.8, 0.3, 0.1), alpha = 0.25)",
        ),
    ];
    let mut failures = String::new();
    for (call, other) in pairs {
        let (mut unit, mut expected) = (Unit::new(call), Unit::new(other));
        for viewer in [[20.0, 50.0], [60.0, 120.0], [85.0, 250.0]] {
            for light in [[5.0, 20.0], [50.0, 240.0], [62.0, 300.0], [80.0, 70.0], [150.0, 230.0]] {
                let (wo, wi) = (direction(viewer), direction(light));
                let value = unit.shade(wo).bsdf.eval(wo, wi);
                let wanted = expected.shade(wo).bsdf.eval(wo, wi);
                if !agree(value, wanted, 1e-3) {
                    failures +=
                        &format!("{call} from {viewer:?} to {light:?}: {value:?} is not {wanted:?}\n");
                }
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// A pane reflects r + (1 − r)²·r/(1 − r²) of the light, with the reflectance r of one face, and transmits the rest
/// undeviated.
#[test]
fn thin_glass_reflects_at_both_faces() {
    let mut unit = Unit::new(
        "thin_glass(ior = 1.5, reflection_tint = (1, 0.5, 0.2), transmission_tint = (0.9, 0.8, 0.1))",
    );
    // Reflectances of one face are 0.04 at normal incidence and 0.089186 at 60°.
    for (degrees, r) in [(0.0, 0.04), (60.0, 0.089_186_4), (120.0, 0.089_186_4)] {
        let wo = direction([degrees, 20.0]);
        let surface = unit.shade(wo);
        let mirrored = 2.0 * r / (1.0 + r);
        let through = Rgb::new(0.9, 0.8, 0.1) * (1.0 - mirrored);
        assert!(
            agree(surface.transparency, through, 1e-4),
            "{degrees}°: {:?}",
            surface.transparency
        );
        let mirror = (0..100)
            .filter_map(|i| surface.bsdf.sample(wo, (i as f32 + 0.5) / 100.0, Vec2::splat(0.5)))
            .find(|sample| !sample.is_null_interface())
            .expect("it mirrors");
        let expected = Rgb::new(1.0, 0.5, 0.2) * (mirrored / mirror.pdf);
        assert!(agree(mirror.weight, expected, 1e-4), "{degrees}°: {:?}", mirror.weight);
        assert!((mirror.wi - wo * Vec3::new(-1.0, -1.0, 1.0)).length() < 1e-5);
    }
}

/// An interface without transmission is a coat on an opaque surface, with two equal sides; together with a refracting
/// one, it bounds an object with total internal reflection.
#[test]
fn interfaces_that_only_reflect_are_coats_unless_others_refract() {
    let mut plastic = Unit::new("plastic(alpha = 0.3)");
    let light = direction([40.0, 200.0]);
    for degrees in [0.0, 30.0, 60.0, 85.0] {
        let wo = direction([degrees, 20.0]);
        let front = plastic.shade(wo).bsdf.eval(wo, light);
        let back = plastic.shade(-wo).bsdf.eval(-wo, -light);
        assert!(agree(back, front, 1e-4), "{degrees}°: {back:?} is not {front:?}");
    }

    let tints = |reflection, transmission| {
        format!(r#"dielectric_bsdf(N, dPdu, {reflection}, {transmission}, 0, 0, 1.5, "ggx")"#)
    };
    let (mirror, glass) = (tints(1, 0), tints(0, 1));
    for body in [format!("{mirror} + {glass}"), format!("layer({mirror}, {glass})")] {
        let mut unit = Unit::of_group(format!(
            "surface split(output closure color surface = 0) {{ surface = {body}; }}\n\
             group subject(output closure color surface) {{ split it(); surface = it.surface; }}"
        ));
        let wo = direction([120.0, 20.0]);
        let surface = unit.shade(wo);
        let sample = surface.bsdf.sample(wo, 0.1, Vec2::splat(0.5)).expect("it mirrors");
        assert!(agree(sample.weight * sample.pdf, Rgb::WHITE, 1e-4), "{body}: {sample:?}");
    }
}
