//! Shading points and a host with smooth textures, shared by the tests of code for rasterisers.

use std::sync::Arc;

use language_support::wgsl::{Program, numbers};
use language_support::{generate, shipped};
use shading::hir::{Axis, Unit};
use shading::interp::{self, RunOptions, Value};
use shading::opt::OptLevel;
use shading::{
    InstanceOptions, RayKind, ShaderGlobals, ShaderHost, ShadingSystem, Source, SourceMap, Template,
    TextureHandle, TextureLookup, TextureRequest, TextureSample,
};

/// A host with smooth textures, one space and one attribute.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SmoothHost;

/// The value of every texture.
pub(crate) fn texel([s, t]: [f32; 2]) -> [f32; 4] {
    [0.5 + 0.3 * s, 0.5 - 0.2 * t, 0.25 + 0.1 * s * t, 0.75]
}

impl ShaderHost for SmoothHost {
    fn texture_handle(&self, request: &TextureRequest) -> Option<TextureHandle> {
        (!request.file.is_empty()).then_some(TextureHandle(0))
    }

    fn texture(&self, _: TextureHandle, lookup: &TextureLookup) -> TextureSample {
        let [s, t, _] = lookup.position;
        let channels = texel([s, t]);
        let channel = |i: usize| channels.get(lookup.first_channel as usize + i);
        TextureSample {
            value: std::array::from_fn(|i| channel(i).copied().unwrap_or(lookup.fill)),
            ..TextureSample::default()
        }
    }

    fn attribute(&self, globals: &ShaderGlobals, object: &str, name: &str) -> Option<[f32; 4]> {
        (object.is_empty() && name == "wear").then_some([globals.u, 0.25, globals.v, 1.0])
    }

    fn attribute_derivative(&self, _: &ShaderGlobals, _: &str, _: &str, axis: Axis) -> [f32; 4] {
        match axis {
            Axis::X => [0.5, 0.25, 0.0, 0.0],
            Axis::Y => [0.0, 1.0, 0.5, 0.0],
        }
    }

    fn matrix(&self, _: &ShaderGlobals, from: &str, to: &str) -> Option<[f32; 16]> {
        let mut m = shading::eval::matrix::diagonal(1.0);
        (m[0], m[1], m[12], m[13]) = (2.0, 0.5, 1.0, -3.0);
        (from == "object" || to == "object").then_some(m)
    }
}

/// A shading point of a plane, in the middle of things.
pub(crate) fn point(i: u64) -> ShaderGlobals {
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
    g.ray_kind = RayKind::CAMERA;
    g
}

/// The system of the shipped shaders.
pub(crate) fn system() -> ShadingSystem {
    shipped::system(Arc::new(SmoothHost))
}

/// The last unit or group of a source.
pub(crate) fn template(system: &ShadingSystem, source: &str) -> Template {
    let loaded = system.load(Source::new("test.ksl", source));
    let loaded = loaded.unwrap_or_else(|errors| panic!("{errors}"));
    loaded.templates.last().expect("it has a unit").clone()
}

/// A template linked with the given outputs, all if there are none.
pub(crate) fn linked(system: &ShadingSystem, template: &Template, outputs: &[&str]) -> (Unit, SourceMap) {
    let options = InstanceOptions {
        outputs: outputs.iter().map(|&name| name.to_owned()).collect(),
        optimize: OptLevel::None,
        ..InstanceOptions::default()
    };
    let (unit, sources, _) = system.optimized(template, &options).unwrap_or_else(|errors| panic!("{errors}"));
    (unit, sources)
}

/// The largest difference between a program and the interpreter over points, relative to the larger of 1 and the value;
/// an error describes the first one above `limit`.
pub(crate) fn difference(unit: &Unit, program: &Program, points: u64, limit: f32) -> Result<f32, String> {
    let mut largest = 0.0f32;
    for i in 0..points {
        let globals = point(i);
        let outcome = interp::run(unit, &RunOptions { host: &SmoothHost, ..RunOptions::new(&globals) });
        let found = program.call("evaluate", &globals, &SmoothHost, &|_, at, _, _| texel(at));
        for (output, (_, found)) in program.raster.outputs.iter().zip(&found) {
            let Some(Value::Plain(expected)) = outcome.output(&output.name) else {
                return Err(format!("there is no output {}", output.name));
            };
            for (expected, found) in numbers(expected).into_iter().zip(found.numbers()) {
                let error = (expected - found).abs() / expected.abs().max(1.0);
                if error.is_nan() || error > limit {
                    return Err(format!("point {i}, {}: {found} is not {expected}", output.name));
                }
                largest = largest.max(error);
            }
        }
    }
    Ok(largest)
}
