//! Shipped surfaces with random parameters in a white furnace.

use std::fmt::Write as _;

use glam::Vec2;
use rayon::prelude::*;
use renderer::material::ShadingResult;

use super::units::Unit;
use super::{Moments, Rng, direction};

/// Values that a parameter takes.
#[derive(Clone, Copy)]
enum Values {
    /// A number between two others, with the ends more often.
    Between(f32, f32),
    /// A colour, with black and white channels more often.
    Color,
    /// 0 or 1.
    Flag,
    /// Always this.
    Fixed(&'static str),
}
use Values::{Between, Color, Fixed, Flag};

const UNIT: Values = Between(0.0, 1.0);
const WHITE: Values = Fixed("1");

/// A surface, its parameters, and whether all light comes back.
type Subject = (&'static str, &'static [(&'static str, Values)], bool);

const SUBJECTS: &[Subject] = &[
    ("glass", &[("alpha", UNIT), ("ior", Between(0.4, 2.9))], true),
    (
        "glass",
        &[
            ("alpha", UNIT),
            ("ior", Between(0.4, 2.9)),
            ("distribution", Fixed("\"beckmann\"")),
        ],
        true,
    ),
    (
        "glass",
        &[
            ("alpha_u", UNIT),
            ("alpha_v", UNIT),
            ("ior", Between(0.4, 3.0)),
            ("reflection_tint", Color),
            ("transmission_tint", Color),
            ("film_thickness", Between(0.0, 600.0)),
        ],
        false,
    ),
    (
        "metal",
        &[("alpha", UNIT), ("eta", Fixed("0")), ("extinction", Fixed("3"))],
        true,
    ),
    (
        "metal",
        &[
            ("alpha_u", UNIT),
            ("alpha_v", UNIT),
            ("eta", Color),
            ("extinction", Color),
            ("tint", Color),
        ],
        false,
    ),
    (
        "coated_diffuse",
        &[
            ("albedo", WHITE),
            ("alpha", UNIT),
            ("ior", Between(1.0, 2.9)),
            ("nonlinear", Flag),
        ],
        true,
    ),
    (
        "coated_diffuse",
        &[
            ("albedo", Color),
            ("alpha", UNIT),
            ("ior", Between(1.0, 3.0)),
            ("nonlinear", Flag),
            ("energy_compensation", Flag),
        ],
        false,
    ),
    (
        "plastic",
        &[("albedo", WHITE), ("alpha", UNIT), ("ior", Between(1.0, 3.0))],
        true,
    ),
    (
        "rough_matte",
        &[("albedo", Color), ("sigma", Between(0.0, 1.57))],
        false,
    ),
    ("hair", &[], false),
    (
        "gltf_pbr",
        &[
            ("base_color", Color),
            ("metallic", UNIT),
            ("roughness", UNIT),
            ("sheen_color", Color),
            ("sheen_roughness", UNIT),
            ("clearcoat", UNIT),
            ("clearcoat_roughness", UNIT),
            ("transmission", UNIT),
        ],
        false,
    ),
    (
        "principled",
        &[
            ("base_color", Color),
            ("roughness", UNIT),
            ("anisotropic", UNIT),
            ("metallic", UNIT),
            ("specular", UNIT),
            ("spec_tint", UNIT),
            ("sheen", UNIT),
            ("sheen_tint", UNIT),
            ("flatness", UNIT),
            ("clearcoat", UNIT),
            ("clearcoat_gloss", UNIT),
        ],
        false,
    ),
    (
        "principled",
        &[
            ("base_color", WHITE),
            ("roughness", UNIT),
            ("sheen", UNIT),
            ("flatness", UNIT),
        ],
        false,
    ),
    (
        "principled",
        &[
            ("base_color", Color),
            ("roughness", UNIT),
            ("metallic", UNIT),
            ("eta", Between(1.0, 2.5)),
            ("spec_trans", UNIT),
            ("spec_tint", UNIT),
            ("sheen", UNIT),
            ("clearcoat", UNIT),
        ],
        false,
    ),
    (
        "principled_thin",
        &[
            ("base_color", Color),
            ("roughness", UNIT),
            ("anisotropic", UNIT),
            ("eta", Between(1.0, 2.5)),
            ("spec_trans", UNIT),
            ("diff_trans", Between(0.0, 2.0)),
            ("spec_tint", UNIT),
            ("sheen", UNIT),
            ("sheen_tint", UNIT),
            ("flatness", UNIT),
        ],
        false,
    ),
    ("colored_metal", &[("reflectance", WHITE), ("alpha", UNIT)], true),
    (
        "colored_metal",
        &[
            ("reflectance", Color),
            ("edge", Color),
            ("alpha", UNIT),
            ("anisotropy", UNIT),
        ],
        false,
    ),
    (
        "velvet",
        &[("albedo", Color), ("sheen", Color), ("roughness", UNIT)],
        false,
    ),
    (
        "fabric",
        &[
            ("warp_color", WHITE),
            ("weft_color", Color),
            ("sheen", WHITE),
            ("roughness", UNIT),
        ],
        false,
    ),
    (
        "car_paint",
        &[
            ("base_color", Color),
            ("flake_color", WHITE),
            ("flake_density", UNIT),
            ("flake_roughness", UNIT),
            ("base_roughness", UNIT),
            ("coat", UNIT),
            ("coat_roughness", UNIT),
        ],
        false,
    ),
    (
        "standard_surface",
        &[
            ("base_color", Color),
            ("diffuse_roughness", UNIT),
            ("metalness", UNIT),
            ("specular", UNIT),
            ("specular_color", Color),
            ("specular_roughness", UNIT),
            ("specular_IOR", Between(1.0, 2.9)),
            ("specular_anisotropy", UNIT),
            ("subsurface", UNIT),
            ("sheen", UNIT),
            ("sheen_roughness", UNIT),
        ],
        false,
    ),
    (
        "standard_surface",
        &[
            ("base_color", WHITE),
            ("metalness", UNIT),
            ("specular_roughness", UNIT),
            ("specular_rotation", UNIT),
            ("specular_anisotropy", UNIT),
            ("coat", UNIT),
            ("coat_color", Color),
            ("coat_roughness", UNIT),
            ("coat_IOR", Between(1.0, 2.9)),
            ("coat_anisotropy", UNIT),
            ("coat_affect_color", UNIT),
            ("coat_affect_roughness", UNIT),
            ("thin_film_thickness", Between(0.0, 600.0)),
        ],
        false,
    ),
    (
        "standard_surface",
        &[
            ("base_color", Color),
            ("metalness", UNIT),
            ("transmission", UNIT),
            ("transmission_color", Color),
            ("thin_walled", Flag),
            ("specular_roughness", UNIT),
            ("specular_IOR", Between(1.0, 2.5)),
            ("coat", UNIT),
            ("opacity", Color),
        ],
        false,
    ),
    (
        "usd_preview_surface",
        &[
            ("diffuseColor", Color),
            ("useSpecularWorkflow", Flag),
            ("specularColor", Color),
            ("metallic", UNIT),
            ("roughness", UNIT),
            ("clearcoat", UNIT),
            ("clearcoatRoughness", UNIT),
            ("opacity", UNIT),
            ("ior", Between(1.0, 2.9)),
        ],
        false,
    ),
    (
        "openpbr_surface",
        &[
            ("base_color", Color),
            ("base_diffuse_roughness", UNIT),
            ("base_metalness", UNIT),
            ("specular_weight", UNIT),
            ("specular_color", Color),
            ("specular_roughness", UNIT),
            ("specular_roughness_anisotropy", UNIT),
            ("specular_ior", Between(1.0, 2.9)),
            ("fuzz_weight", UNIT),
            ("fuzz_roughness", UNIT),
            ("thin_film_weight", UNIT),
            ("coat_weight", UNIT),
            ("coat_color", Color),
            ("coat_roughness", UNIT),
            ("coat_ior", Between(1.0, 2.9)),
        ],
        false,
    ),
    (
        "openpbr_surface",
        &[
            ("base_color", WHITE),
            ("base_metalness", UNIT),
            ("specular_weight", UNIT),
            ("specular_roughness", UNIT),
            ("transmission_weight", UNIT),
            ("geometry_thin_walled", Flag),
            ("subsurface_weight", UNIT),
            ("coat_darkening", UNIT),
            ("coat_weight", UNIT),
            ("geometry_opacity", UNIT),
        ],
        false,
    ),
];

/// Parameter sets of each subject: the n-th is that at u = n.
const SETS: usize = 700;

/// Light above what arrives that rounding and tables may make.
const EXCESS: f64 = 0.005;

/// The group of a subject, whose arguments depend on u.
fn group((unit, parameters, _): &Subject) -> String {
    let (mut outputs, mut code, mut arguments) = (String::new(), String::new(), String::new());
    for (index, (name, values)) in parameters.iter().enumerate() {
        let number = format!("clamp(1.2 * float(noise(\"cell\", u, {index}.5)) - 0.1, 0.0, 1.0)");
        let (ty, value) = match values {
            Between(low, high) => ("float", format!("{low:.3} + {:.3} * {number}", high - low)),
            Color => (
                "color",
                format!("clamp(1.2 * color(noise(\"cell\", u, {index}.5)) - 0.1, color(0), color(1))"),
            ),
            Flag => ("int", format!("{number} > 0.5")),
            Fixed(value) => {
                write!(arguments, "{name} = {value}, ").expect("a string takes it");
                continue;
            }
        };
        write!(outputs, "output {ty} p{index} = 0, ").expect("a string takes it");
        write!(code, "p{index} = {value}; ").expect("a string takes it");
        write!(arguments, "{name} = r.p{index}, ").expect("a string takes it");
    }
    let (outputs, arguments) = (outputs.trim_end_matches(", "), arguments.trim_end_matches(", "));
    format!(
        "shader chance({outputs}) {{ {code} }}
         group subject(output closure color surface) {{
             chance r(); {unit} it({arguments}); surface = it.surface; }}"
    )
}

/// Light that comes back in a furnace, in units of radiance over the square of the index.
fn returned(surface: &ShadingResult, wo: glam::Vec3, samples: usize, rng: &mut Rng) -> Moments {
    let mut moments = Moments::default();
    for _ in 0..samples {
        let sample = surface.bsdf.sample(wo, rng.next_1d(), rng.next_2d());
        moments.add(sample.map_or(0.0, |s| f64::from(s.weight.g * s.eta * s.eta)));
    }
    moments
}

#[test]
fn no_shipped_surface_makes_light() {
    let jobs = SUBJECTS.par_iter().enumerate();
    let failures: String = jobs
        .map(|(number, subject)| {
            let mut unit = Unit::of_group(group(subject));
            let mut rng = Rng::new(number as u64);
            let mut failures = String::new();
            for set in 0..SETS {
                let wo = direction([2.0, 40.0, 65.0, 80.0, 88.0, 110.0, 150.0][set % 7]);
                let surface = unit.shade_at(wo, Vec2::new(set as f32, 0.0));
                let off = |moments: &Moments| {
                    let slack = 4.0 * moments.variance_of_mean().sqrt();
                    let short = subject.2 && moments.mean() < 0.99 - slack;
                    short || moments.mean() > 1.0 + EXCESS + slack
                };
                let first = returned(&surface, wo, 250, &mut rng);
                if off(&first) {
                    let second = returned(&surface, wo, 50_000, &mut rng);
                    if off(&second) {
                        let mean = second.mean();
                        writeln!(failures, "{} {set} from {wo}: {mean:.4}", subject.0)
                            .expect("a string takes it");
                    }
                }
            }
            failures
        })
        .collect();
    assert!(failures.is_empty(), "\n{failures}");
}
