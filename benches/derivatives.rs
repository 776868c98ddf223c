//! Cost of derivatives in the shipped library: nanoseconds per run of each unit and group, with and without them.
//!
//! `cargo bench -p benches --bench derivatives [-- UNIT…]`

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use renderer::material::{closure_registry, library};
use shading::{InstanceOptions, NoHost, ShaderGlobals, ShaderInstance, ShadingContext, ShadingSystem};

/// Side of the square of shading points of a run.
const SIDE: usize = 48;

/// Number of measurements, taken in turn; the fastest counts.
const REPEATS: usize = 60;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let system = ShadingSystem::new(closure_registry(), Arc::new(NoHost)).with_library(library::LIBRARY);
    let points = points();
    let (mut sum, mut count) = (0.0, 0);
    println!("ns for a run            with    without   share of symbols   ratio");
    for name in library::names() {
        if !wanted.is_empty() && !wanted.iter().any(|word| word == name) {
            continue;
        }
        let make = |without_derivatives| {
            let template = system.template(name).expect("the library has it");
            let options = InstanceOptions { without_derivatives, ..InstanceOptions::default() };
            system.instantiate(template, &options).expect("what ships is good")
        };
        let (with, without) = (make(false), make(true));
        let mut context = system.context();
        let (mut slow, mut fast) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..REPEATS {
            slow = slow.min(nanoseconds(&with, &points, &mut context));
            fast = fast.min(nanoseconds(&without, &points, &mut context));
        }
        let stats = with.compile_stats().derivatives;
        let share = stats.carrying as f64 / stats.symbols.max(1) as f64;
        println!("{name:20} {slow:8.1} {fast:8.1} {:12.0} % {:12.3}", 100.0 * share, slow / fast);
        sum += (slow / fast).ln();
        count += 1;
    }
    let mean = (sum / f64::from(count)).exp();
    println!("geometric mean of {count}: {:.1} % more", 100.0 * (mean - 1.0));
}

/// Mean time of one shader run over all points [ns].
fn nanoseconds(instance: &ShaderInstance, points: &[ShaderGlobals], context: &mut ShadingContext) -> f64 {
    let start = Instant::now();
    for globals in points {
        black_box(instance.run(black_box(globals), context).unwrap().root().is_some());
    }
    start.elapsed().as_secs_f64() * 1e9 / points.len() as f64
}

/// Shading points of a square of 1 m, seen at an angle.
fn points() -> Vec<ShaderGlobals> {
    let step = 1.0 / SIDE as f32;
    let point = |i: usize| {
        let (u, v) = ((i % SIDE) as f32 * step, (i / SIDE) as f32 * step);
        ShaderGlobals {
            p: [u, 0.3 * v, v].into(),
            i: [0.0, -0.8, 0.6].into(),
            n: [0.0, 1.0, 0.0].into(),
            ng: [0.0, 1.0, 0.0].into(),
            dpdu: [1.0, 0.0, 0.0].into(),
            dpdv: [0.0, 0.3, 1.0].into(),
            dpdx: [step, 0.0, 0.0].into(),
            dpdy: [0.0, 0.3 * step, step].into(),
            u,
            v,
            dudx: step,
            dvdy: step,
            ..ShaderGlobals::default()
        }
    };
    (0..SIDE * SIDE).map(point).collect()
}
