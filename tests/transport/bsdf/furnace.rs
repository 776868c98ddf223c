//! Shipped surfaces with random parameters in a white furnace: the albedo is at most one, and one for white surfaces.
//!
//! `KILN_FUZZ_SETS=10000` sets the number of parameter sets of each surface, `KILN_FUZZ_SEED` the seed, and
//! `KILN_FUZZ_SUBJECTS=0..20` limits the test to these indices of [`SUBJECTS`].

mod subjects;

use std::fmt::Write as _;

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use renderer::color::Rgb;
use renderer::material::{ShadingResult, library};

use super::units::Unit;
use super::{Moments, Rng, spherical};
use subjects::Values::{self, Between, Color, Fixed, Flag};
use subjects::{Balance, NO_MATERIALS, SUBJECTS, Subject};

/// Number of parameter sets of each subject.
const SETS: u64 = 3;

/// Tolerance of the albedo, the error of the tables.
const TOLERANCE: f64 = 0.01;

/// Angles of the viewer to the normal [degrees].
const ANGLES: [f32; 11] = [2.0, 88.0, 40.0, 150.0, 65.0, 110.0, 80.0, 91.0, 89.5, 75.0, 85.0];

/// Shader whose outputs are a subject's parameters as functions of u, the number of the set, and v, the seed.
fn parameter_shader(subject: &Subject) -> String {
    let (mut outputs, mut code) = (String::new(), String::new());
    for (index, (_, values)) in subject.parameters.iter().enumerate() {
        let random = format!("noise(\"cell\", u, {index}.5 + 100 * v)");
        let number = format!("clamp(1.2 * float({random}) - 0.1, 0.0, 1.0)");
        let (ty, value) = match values {
            Between(low, high) => ("float", format!("{low:.3} + {:.3} * {number}", high - low)),
            Color => ("color", format!("clamp(1.2 * color({random}) - 0.1, color(0), color(1))")),
            Flag => ("int", format!("{number} > 0.5")),
            Fixed(_) => continue,
        };
        write!(outputs, "output {ty} p{index} = 0, ").expect("writing to a string cannot fail");
        write!(code, "p{index} = {value}; ").expect("writing to a string cannot fail");
    }
    format!("shader chance({}) {{ {code} }}", outputs.trim_end_matches(", "))
}

/// Source of a subject's group.
fn group(subject: &Subject) -> String {
    let mut arguments = String::new();
    for (index, (name, values)) in subject.parameters.iter().enumerate() {
        match values {
            Fixed(value) => write!(arguments, "{name} = {value}, "),
            _ => write!(arguments, "{name} = r.p{index}, "),
        }
        .expect("writing to a string cannot fail");
    }
    let (parameter_shader, arguments) = (parameter_shader(subject), arguments.trim_end_matches(", "));
    let (before, unit) = (subject.before, subject.unit);
    format!(
        "{parameter_shader}
         group subject(output closure color surface) {{
             chance r(); {before} {unit} it({arguments}); surface = it.surface; }}"
    )
}

/// Call of the subject's unit with the parameters of a set.
fn call(subject: &Subject, at: Vec2) -> String {
    let parameter_shader = parameter_shader(subject);
    let argument = |(index, (name, values)): (usize, &(&str, Values))| {
        if let Fixed(value) = values {
            return format!("{name} = {value}");
        }
        let value = Unit::of_group(format!(
            "{parameter_shader}
             surface show(color value = 0, output closure color surface = 0) {{ surface = value * emission(); }}
             group subject(output closure color surface) {{
                 chance r(); show it(value = r.p{index}); surface = it.surface; }}"
        ))
        .shade_at(Vec3::Z, at)
        .emission;
        match values {
            Color => format!("{name} = ({:.3}, {:.3}, {:.3})", value.r, value.g, value.b),
            _ => format!("{name} = {:.4}", value.g),
        }
    };
    let arguments: Vec<_> = subject.parameters.iter().enumerate().map(argument).collect();
    format!("{}({})", subject.unit, arguments.join(", "))
}

/// Albedo relative to radiance over squared index, estimated by `samples` points of a randomly shifted lattice.
fn returned(surface: &ShadingResult, wo: Vec3, samples: usize, rng: &mut Rng) -> Rgb {
    // Powers of the inverse of the plastic number's analogue in three dimensions: Roberts 2018.
    const STEPS: [f64; 3] = [0.819_172_513_396_164_4, 0.671_043_606_703_789_2, 0.549_700_477_901_970_2];
    let shift = [(); 3].map(|()| f64::from(rng.next_1d()));
    let mut sum = Rgb::BLACK;
    for sample in 0..samples {
        let [u_lobe, x, y] = std::array::from_fn(|axis| {
            let place = (shift[axis] + STEPS[axis] * sample as f64).fract() as f32;
            place.min(renderer::math::ONE_MINUS_EPSILON)
        });
        if let Some(sample) = surface.bsdf.sample(wo, u_lobe, Vec2::new(x, y)) {
            sum += sample.weight * (sample.eta * sample.eta);
        }
    }
    sum / samples as f32
}

/// Lowest and highest albedo of the channels, and its standard deviation.
fn extremes(surface: &ShadingResult, wo: Vec3, rng: &mut Rng) -> ([f64; 2], f64) {
    const SHIFTS: usize = 12;
    let mut channels = [Moments::default(); 3];
    for _ in 0..SHIFTS {
        let mean = returned(surface, wo, 4_096, rng).to_array();
        channels
            .iter_mut()
            .zip(mean)
            .for_each(|(moments, value)| moments.add(value.into()));
    }
    let means = channels.map(|moments| moments.mean());
    let deviation = channels.map(|moments| moments.variance_of_mean().sqrt());
    let [least, most] = [f64::min, f64::max].map(|best| means.into_iter().reduce(best).unwrap_or(0.0));
    ([least, most], deviation.into_iter().fold(0.0, f64::max))
}

/// Failures of a subject.
fn check(number: usize, subject: &Subject, sets: std::ops::Range<u64>, seed: u64) -> String {
    let mut unit = Unit::of_group(group(subject));
    let mut rng = Rng::new(number as u64);
    let mut failures = String::new();
    for set in sets {
        let angle = ANGLES[(set as usize + number) % ANGLES.len()];
        let wo = spherical([angle, (set * 137 % 360) as f32]);
        let at = Vec2::new(set as f32, seed as f32);
        let surface = unit.shade_at(wo, at);
        let is_off = |[least, most]: [f64; 2], tolerance: f64| {
            most > 1.0 + tolerance || subject.balance == Balance::Lossless && least < 1.0 - tolerance
        };
        let quick = returned(&surface, wo, 2_048, &mut rng);
        let least = -(quick * -1.0).max_component();
        if !is_off([least, quick.max_component()].map(f64::from), 0.7 * TOLERANCE) {
            continue;
        }
        let (albedo, deviation) = extremes(&surface, wo, &mut rng);
        if is_off(albedo, TOLERANCE + 4.0 * deviation) {
            let [least, most] = albedo;
            writeln!(
                failures,
                "{number}: {} from {angle}°: {least:.4} to {most:.4}",
                call(subject, at)
            )
            .expect("writing to a string cannot fail");
        }
    }
    failures
}

fn environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

/// Indices of the tested subjects.
fn chosen_subjects() -> std::ops::Range<usize> {
    let Ok(text) = std::env::var("KILN_FUZZ_SUBJECTS") else {
        return 0..SUBJECTS.len();
    };
    let (first, end) = text.split_once("..").expect("a range");
    first.parse().expect("a number")..end.parse().expect("a number")
}

#[test]
fn shipped_surfaces_conserve_energy_and_white_ones_are_lossless() {
    let (sets, seed) = (
        environment("KILN_FUZZ_SETS").unwrap_or(SETS),
        environment("KILN_FUZZ_SEED").unwrap_or(0),
    );
    let chosen = chosen_subjects();
    let jobs = SUBJECTS.par_iter().enumerate().filter(|(number, _)| chosen.contains(number));
    let failures: String = jobs.map(|(number, subject)| check(number, subject, 0..sets, seed)).collect();
    assert!(failures.is_empty(), "\n{failures}");
}

#[test]
fn every_shipped_surface_has_a_furnace_test() {
    let is_tried =
        |name: &str| SUBJECTS.iter().any(|subject| subject.unit == name) || NO_MATERIALS.contains(&name);
    let is_surface = |name: &str| {
        library::find(name).is_some_and(|source| source.text.contains("output closure color surface"))
    };
    let missing: Vec<_> = library::names()
        .into_iter()
        .filter(|name| is_surface(name) && !is_tried(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Units with energy defects in the past: energy gain; films, anisotropic facets and F82 metals without compensation;
/// coarse tables for indices near one, narrow sheens and nearly smooth coats; black parts of partially refracting
/// objects.
#[test]
fn surfaces_with_past_defects_are_lossless() {
    let calls = [
        "principled(base_color = 1, roughness = 0.72, sheen = 1, clearcoat = 1, spec_trans = 1)",
        "glass(ior = 1.5, alpha = 0.4, film_thickness = 1)",
        "metal(alpha = 0.4, eta = 0.01, extinction = 100, anisotropy = 0.6)",
        "openpbr_surface(base_color = 1, base_metalness = 1, specular_roughness = 0.7)",
        "glass(ior = 0.975, alpha = 0.43, distribution = \"beckmann\")",
        "gltf_pbr(base_color = 1, metallic = 0.3, roughness = 0.8, sheen_color = 1, sheen_roughness = 0.1)",
        "gltf_pbr(base_color = 1, metallic = 0.9, roughness = 0.2, clearcoat = 1, clearcoat_roughness = 0.06)",
        "principled(base_color = 1, roughness = 0.1, eta = 1, metallic = 0.1, spec_trans = 0.04)",
        "principled(base_color = 1, roughness = 0.5, eta = 1.5, spec_trans = 0.4)",
        "standard_surface(base = 1, base_color = 1, specular_roughness = 0.5, transmission = 0.4)",
        "openpbr_surface(base_color = 1, specular_roughness = 0.5, transmission_weight = 0.4)",
    ];
    let mut failures = String::new();
    for call in calls {
        let mut unit = Unit::new(call);
        for angle in ANGLES {
            let wo = spherical([angle, 30.0]);
            let surface = unit.shade_at(wo, Vec2::ZERO);
            let ([least, most], deviation) = extremes(&surface, wo, &mut Rng::new(3));
            let tolerance = TOLERANCE + 4.0 * deviation;
            if most > 1.0 + tolerance || least < 1.0 - tolerance {
                writeln!(failures, "{call} from {angle}°: {least:.4} to {most:.4}")
                    .expect("writing to a string cannot fail");
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}
