//! The shipped patterns give the numbers of the interpreter.

use std::sync::Arc;

use language_support::generate;
use language_support::shipped;
use language_support::wgsl::{Program, is_numeric, numbers};
use shading::hir::Kind;
use shading::interp::{self, RunOptions, Value};
use shading::opt::OptLevel;
use shading::{
    InstanceOptions, ShaderGlobals, ShaderHost, TextureHandle, TextureLookup, TextureRequest, TextureSample,
};
use shading_raster::RasterOptions;

/// A host with smooth textures.
#[derive(Clone, Copy, Debug, Default)]
struct SmoothHost;

/// The value of every texture.
fn texel([s, t]: [f32; 2]) -> [f32; 4] {
    [0.5 + 0.3 * s, 0.5 - 0.2 * t, 0.25 + 0.1 * s * t, 0.75]
}

impl ShaderHost for SmoothHost {
    fn texture_handle(&self, request: &TextureRequest) -> Option<TextureHandle> {
        (!request.file.is_empty()).then_some(TextureHandle(0))
    }

    fn texture(&self, _: TextureHandle, lookup: &TextureLookup) -> TextureSample {
        let [s, t, _] = lookup.position;
        TextureSample {
            value: texel([s, t]),
            ..TextureSample::default()
        }
    }
}

/// A shading point of a plane, in the middle of things.
fn point(i: u64) -> ShaderGlobals {
    let mut random = generate::Random::new(i);
    let mut number = |low: f32, high: f32| low + (high - low) * (random.float() + 4.0) / 8.0;
    let mut g = ShaderGlobals {
        p: [number(-2.0, 2.0), number(-2.0, 2.0), number(-2.0, 2.0)].into(),
        n: [0.0, 0.6, 0.8].into(),
        ng: [0.0, 0.6, 0.8].into(),
        i: [0.36, -0.48, -0.8].into(),
        dpdu: [1.0, 0.0, 0.0].into(),
        dpdv: [0.0, 0.8, -0.6].into(),
        dpdx: [0.01, 0.0, 0.001].into(),
        dpdy: [0.0, 0.008, -0.006].into(),
        ..ShaderGlobals::default()
    };
    (g.u, g.v) = (number(0.05, 0.95), number(0.05, 0.95));
    (g.dudx, g.dvdy) = (0.01, 0.01);
    g.time = number(0.0, 1.0);
    g.ray_kind = shading::RayKind::CAMERA;
    g
}

/// The largest difference of a pattern from the interpreter over a grid of points, relative to the larger of 1 and the
/// value; or why there is no code.
fn difference(name: &str, points: u64) -> Result<Option<f32>, String> {
    let system = shipped::system(Arc::new(SmoothHost));
    let template = system.template(name).ok_or("it does not compile")?;
    let params = template.params().ok_or("its parameters are not known")?;
    let outputs: Vec<String> = params
        .iter()
        .filter(|param| param.output && Kind::of(param.ty).is_some_and(is_numeric))
        .map(|output| output.name.clone())
        .collect();
    if outputs.is_empty() {
        return Ok(None);
    }
    let options = InstanceOptions {
        outputs,
        optimize: OptLevel::None,
        ..InstanceOptions::default()
    };
    let (unit, sources, _) = system
        .optimized(&template, &options)
        .map_err(|error| error.to_string())?;
    let program = Program::new(&unit, &sources, system.closures(), &RasterOptions::default());
    let program = program.map_err(|error| error.to_string())?;
    let mut largest = 0.0f32;
    for i in 0..points {
        let globals = point(i);
        let outcome = interp::run(
            &unit,
            &RunOptions {
                host: &SmoothHost,
                ..RunOptions::new(&globals)
            },
        );
        let found = program.call("evaluate", &globals, &SmoothHost, &|_, at, _, _| texel(at));
        for ((name, expected), (_, found)) in outcome.outputs.iter().zip(&found) {
            let Value::Plain(expected) = expected else {
                continue;
            };
            for (expected, found) in numbers(expected).into_iter().zip(found.numbers()) {
                let error = (expected - found).abs() / expected.abs().max(1.0);
                if error > 1e-3 {
                    return Err(format!("point {i}, {name}: {found} is not {expected}"));
                }
                largest = largest.max(error);
            }
        }
    }
    Ok(Some(largest))
}

#[test]
fn shipped_patterns_are_as_interpreted() {
    let points = language_support::number("KILN_RASTER_POINTS").unwrap_or(24);
    let (mut agree, mut wrong) = (0, String::new());
    for name in shipped::names() {
        match difference(name, points) {
            Ok(None) => {}
            Ok(Some(error)) => {
                agree += 1;
                println!("{name}: {error:.1e}");
            }
            Err(error) => wrong += &format!("{name}: {error}\n"),
        }
    }
    println!("{agree} agree");
    assert!(wrong.is_empty(), "{wrong}");
}
