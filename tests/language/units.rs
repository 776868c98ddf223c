//! Shipped units have the values of their formulas.

use std::fmt::Write as _;
use std::sync::Arc;

use language_support::shipped;
use language_support::wgsl::numbers;
use shading::hir::Const;
use shading::{InstanceOptions, NoHost, RayKind, ShaderGlobals, ShadingSystem, Source};

mod color;
mod math;
mod odd;
mod pattern;
mod surface;

/// An instance of a unit with its arguments, an output, and the expected numbers of the output.
type Value = (&'static str, &'static str, &'static [f32]);

/// A plane seen at 60° from its normal, on which x and y increase by 1 and 2 millimetres per pixel.
fn point() -> ShaderGlobals {
    let mut globals = ShaderGlobals {
        p: [0.3, 0.2, 0.1].into(),
        n: [0.0, 0.0, 1.0].into(),
        ng: [0.0, 0.0, 1.0].into(),
        i: [0.75f32.sqrt(), 0.0, -0.5].into(),
        dpdu: [1.0, 0.0, 0.0].into(),
        dpdv: [0.0, 1.0, 0.0].into(),
        dpdx: [0.001, 0.0, 0.0].into(),
        dpdy: [0.0, 0.002, 0.0].into(),
        ray_kind: RayKind::CAMERA,
        ..ShaderGlobals::default()
    };
    (globals.u, globals.v) = (0.3, 0.2);
    (globals.dudx, globals.dvdy) = (0.001, 0.002);
    globals
}

/// Returns the numbers of an output.
fn evaluate(system: &ShadingSystem, unit: &str, output: &str, count: usize) -> Result<Vec<f32>, String> {
    let (name, _) = unit.split_once('(').ok_or("no arguments")?;
    let instance = unit.replacen(name, &format!("{name} it"), 1);
    let ty = if count == 1 { "float" } else { "vector" };
    let text = format!("group tested(output {ty} result) {{ {instance}; result = {ty}(it.{output}); }}");
    let loaded = system.load(Source::new("tested.ksl", text));
    let loaded = loaded.map_err(|errors| errors.to_string())?;
    let template = loaded.templates.last().ok_or("no group")?;
    let instance = system.instantiate(template.clone(), &InstanceOptions::default());
    let instance = instance.map_err(|errors| errors.to_string())?;
    let mut context = system.context();
    instance.run(&point(), &mut context).unwrap();
    let result: Const = instance.output(0, &context).unwrap();
    Ok(numbers(&result))
}

/// Compares outputs with a table.
fn check(values: &[Value]) {
    let mut wrong = String::new();
    for &(unit, output, expected) in values {
        let system = shipped::system(Arc::new(NoHost));
        let result = evaluate(&system, unit, output, expected.len());
        let agrees = result.as_ref().is_ok_and(|found| {
            let close = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-3 * b.abs().max(1.0);
            found.len() == expected.len() && found.iter().zip(expected).all(close)
        });
        if !agrees {
            let _ = writeln!(wrong, "{unit}.{output}: {result:?} is not {expected:?}");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Each parameter has a help text, except a unit's only output, and its default is in its range. The parameters of the
/// glTF material are set by an importer.
#[test]
fn parameters_are_described() {
    let system = shipped::system(Arc::new(NoHost));
    let mut wrong = String::new();
    for name in shipped::names() {
        let template = system.template(name).expect("it compiles");
        for param in template.params().expect("they are known").iter() {
            let says_itself = param.output && ["result", "surface", "n", "Ci", "P"].contains(&&*param.name);
            if says_itself || name == "gltf_pbr" {
                continue;
            }
            let entry = |key: &str| param.metadata.iter().find(|entry| entry.name == key);
            let limit = |key: &str| entry(key).and_then(|entry| numbers(&entry.value).first().copied());
            let default = param.default.as_ref().map(numbers).unwrap_or_default();
            let is_inside = default.iter().all(|&x| {
                limit("min").is_none_or(|low| low <= x) && limit("max").is_none_or(|high| x <= high)
            });
            if entry("help").is_none() || !is_inside {
                let _ = writeln!(wrong, "{name}.{}: {default:?}", param.name);
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Masks, heights and random values are between −1 and 1, and all numbers are finite, at every point.
#[test]
fn outputs_keep_their_range() {
    let mut wrong = String::new();
    for name in shipped::names() {
        let system = shipped::system(Arc::new(NoHost));
        let template = system.template(name).expect("it compiles");
        let instance = system.instantiate(template, &InstanceOptions::default());
        let instance = instance.unwrap_or_else(|errors| panic!("{name}: {errors}"));
        let mut context = system.context();
        for i in 0..400_u16 {
            let mut globals = point();
            // Corners of cells, points within them, and far away.
            let x = f32::from(i / 2) * [0.1, 0.0317, -13.7, 811.3][usize::from(i % 4)];
            globals.p = [x, 0.7 * x, -0.3 * x].into();
            (globals.u, globals.v) = (x, 0.61 * x);
            instance.run(&globals, &mut context).unwrap();
            for (index, output) in instance.outputs().iter().enumerate() {
                let found = numbers(&instance.output(index, &context).unwrap());
                let is_share = ["mask", "id", "height"].contains(&&*output.name);
                let limit = if is_share { 1.000_01 } else { f32::MAX };
                if found.iter().any(|x| x.is_nan() || x.abs() > limit) {
                    let _ = writeln!(wrong, "{name}.{} at {x}: {found:?}", output.name);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
