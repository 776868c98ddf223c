//! The shipped patterns give the numbers of the interpreter, and the shipped surfaces have code.

use language_support::shipped;
use language_support::wgsl::{Program, is_numeric};
use shading::hir::Kind;
use shading_raster::{Pass, RasterOptions};

use crate::point::{difference, linked, system};

/// Units that cannot have code: they trace rays.
const REFUSED: [&str; 4] = ["ambient_occlusion", "curvature", "edge_wear", "show_occlusion"];

/// The largest difference of a pattern from the interpreter; `None` without numeric outputs.
fn pattern(name: &str, points: u64) -> Result<Option<f32>, String> {
    let system = system();
    let template = system.template(name).ok_or("it does not compile")?;
    let params = template.params().ok_or("its parameters are not known")?;
    let outputs = params
        .iter()
        .filter(|param| param.output && Kind::of(param.ty).is_some_and(is_numeric));
    let outputs: Vec<&str> = outputs.map(|output| output.name.as_str()).collect();
    if outputs.is_empty() {
        return Ok(None);
    }
    let (unit, sources) = linked(&system, &template, &outputs);
    let program = Program::new(&unit, &sources, system.closures(), &RasterOptions::default());
    let program = program.map_err(|error| error.to_string())?;
    difference(&unit, &program, points, 1e-3).map(Some)
}

#[test]
fn shipped_patterns_are_as_interpreted() {
    let points = language_support::number("KILN_RASTER_POINTS").unwrap_or(24);
    let (mut agree, mut largest, mut wrong) = (0, 0.0f32, String::new());
    for name in shipped::names() {
        match pattern(name, points) {
            Ok(None) => {}
            Ok(Some(error)) => {
                agree += 1;
                largest = largest.max(error);
            }
            Err(_) if REFUSED.contains(&name) => {}
            Err(error) => wrong += &format!("{name}: {error}\n"),
        }
    }
    println!("{agree} patterns agree, to {largest:.1e}");
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn shipped_surfaces_have_code_for_each_pass() {
    let system = system();
    let (mut count, mut wrong) = (0, String::new());
    for name in shipped::names() {
        let template = system.template(name).expect("it compiles");
        let params = template.params().expect("its parameters are known");
        let closure = params
            .iter()
            .find(|param| param.output && Kind::of(param.ty) == Some(Kind::CLOSURE));
        let Some(closure) = closure else { continue };
        let (unit, sources) = linked(&system, &template, &[&closure.name]);
        for (_, pass) in Pass::NAMES {
            let options = RasterOptions { pass, ..RasterOptions::default() };
            let program = Program::new(&unit, &sources, system.closures(), &options);
            match program {
                Ok(program) => assert!(program.raster.has_surface, "{name}"),
                Err(_) if REFUSED.contains(&name) => {}
                Err(errors) => wrong += &format!("{name}: {errors}\n"),
            }
        }
        count += 1;
    }
    println!("{count} surfaces");
    assert!(wrong.is_empty(), "{wrong}");
}
