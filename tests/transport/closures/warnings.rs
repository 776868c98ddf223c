//! Every closure of the table has its documented behaviour, or causes a warning about the actual one.

use std::sync::Arc;

use glam::Vec3;
use renderer::material::{Host, ShadingResult, Sides, closure_registry};
use shading::source::Source;
use shading::ty::Base;
use shading::{ClosureParam, ClosureSignature, ShadingSystem};
use support::stats::Rng;

use super::{Subject, point};

/// Parameters that may lack an effect although their closure is implemented: films have no thickness here.
const IDLE: [&str; 3] = ["label", "energy_compensation", "thinfilm_ior"];

/// The text of an argument; two values of each type, so that an effect is visible.
fn argument(param: &ClosureParam, index: usize, other: bool) -> String {
    let scalar = 0.2 + 0.03 * index as f32 + if other { 0.25 } else { 0.0 };
    let single = match (param.name, param.ty.base) {
        ("thinfilm_thickness", _) => if other { "300" } else { "0" }.to_owned(),
        ("distribution", _) => format!("\"{}\"", if other { "beckmann" } else { "ggx" }),
        (_, Base::Int) => i32::from(other).to_string(),
        (_, Base::Float) => scalar.to_string(),
        (_, Base::Color) => format!("color({scalar}, 0.5, {})", 0.9 - scalar),
        (_, Base::Normal) if other => "normalize(N + vector(0.2, 0.1, 0))".to_owned(),
        (_, Base::Normal) => "N".to_owned(),
        (_, Base::Vector | Base::Point) if other => "vector(dPdu + dPdv)".to_owned(),
        (_, Base::Vector | Base::Point) => "dPdu".to_owned(),
        (_, Base::String) => format!("\"{}\"", if other { "one" } else { "two" }),
        (_, Base::Closure) => format!("{} * oren_nayar(N, 0.3)", if other { 0.6 } else { 0.3 }),
        (_, Base::Matrix | Base::Void | Base::Struct(_)) => unreachable!("no closure has it"),
    };
    match param.ty.is_array() {
        true => format!("{{{}}}", vec![single; param.ty.count() as usize].join(", ")),
        false => single,
    }
}

/// A call of a closure with all arguments, with the other value for the argument `other`.
fn call(signature: &ClosureSignature, other: Option<usize>) -> String {
    let required = signature.required();
    let argument = |(i, param): (usize, &ClosureParam)| {
        let text = argument(param, i, other == Some(i));
        match i < required {
            true => text,
            false => format!("\"{}\", {text}", param.name),
        }
    };
    let arguments: Vec<String> = signature.params.iter().enumerate().map(argument).collect();
    format!("{}({})", signature.name, arguments.join(", "))
}

/// The effects of a surface on light and camera, from both sides; a quarter of the surface is transparent.
fn effects(closure: &str) -> Vec<u32> {
    let mut subject = Subject::new(&format!("0.25 * transparent() + {closure}"), Sides::default());
    let mut surface = ShadingResult::new();
    let mut effects = vec![];
    for degrees in [10.0, 40.0, 70.0, 130.0] {
        let it = point(degrees, Vec3::Z, &mut Rng::new(1));
        subject.shade(&it, &mut surface);
        let mut note = |color: renderer::color::Rgb| effects.extend(color.to_bits());
        note(surface.emission);
        note(surface.transparency);
        note(surface.held_out());
        note(surface.bsdf.shading_normal().unwrap_or_default().into());
        let mut rng = Rng::new(2);
        for _ in 0..8 {
            note(surface.bsdf.eval(it.wo, rng.direction()));
            if let Some(sample) = surface.bsdf.sample(it.wo, rng.next_1d(), rng.next_2d()) {
                note(sample.weight);
                note(sample.wi.into());
                if let Some(below) = surface.bsdf.subsurface_lobe(sample.index) {
                    note(below.lobe.single_albedo());
                    note(below.lobe.extinction());
                }
            }
        }
    }
    let interior = subject.material.interior();
    effects.extend([interior.ior.unwrap_or(0.0).to_bits(), interior.priority.0 as u32]);
    let medium = subject.medium();
    for color in [medium.absorption, medium.scattering(), medium.emission] {
        effects.extend(color.to_bits());
    }
    for cos in [-0.8f32, 0.1, 0.9] {
        let wi = Vec3::new((1.0 - cos * cos).sqrt(), 0.0, cos);
        effects.extend(medium.phase(Vec3::Z, wi).0.to_bits());
    }
    effects
}

/// The warnings of a surface that creates a closure.
fn warnings(closure: &str) -> Vec<String> {
    let system = ShadingSystem::new(closure_registry(), Arc::new(Host::default()));
    let text = format!("surface test() {{ Ci = {closure}; }}");
    let loaded = system.load(Source::new("test.ksl", text));
    let loaded = loaded.unwrap_or_else(|errors| panic!("{errors}"));
    loaded.warnings.list.iter().map(|warning| warning.message.clone()).collect()
}

#[test]
fn closures_use_their_parameters_or_warn() {
    let registry = closure_registry();
    let mut failures = vec![];
    for (id, signature) in registry.iter() {
        let base = call(signature, None);
        let found_warnings = warnings(&base);
        if registry.note_of(id).is_some() {
            let whole =
                found_warnings.len() == 1 && found_warnings[0].contains(&format!("`{}`", signature.name));
            failures.extend((!whole).then(|| format!("{base} warns {found_warnings:?}")));
            continue;
        }
        failures.extend((!found_warnings.is_empty()).then(|| format!("{base} warns {found_warnings:?}")));
        let found = effects(&base);
        failures.extend((found == effects("0")).then(|| format!("{base} does nothing")));
        for (i, param) in signature.params.iter().enumerate() {
            let idle = IDLE.contains(&param.name) || effects(&call(signature, Some(i))) != found;
            failures.extend((!idle).then(|| format!("{base}: `{}` has no effect", param.name)));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
