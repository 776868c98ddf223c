//! Linear compile time: compiling a text eight times as long needs at most 3 × 8 times the time, for every shape of
//! program.
//!
//! A shape is a family of texts of any size. Each is compiled as a whole (preprocessor, parser, checker, linker,
//! derivatives, optimiser, machine code) at two sizes. Quadratic growth would give a factor of 64, and exponential
//! growth would not terminate.

use std::sync::Arc;

use language_support::clock::thread_seconds;
use language_support::generate::TestHost;
use language_support::shapes::{SHAPES, Shape};
use language_support::shipped;
use rayon::prelude::*;
use shading::{InstanceOptions, ShadingSystem, Source};

/// Size of the large text relative to the small one.
const GROWTH: usize = 8;

/// Divisor of the sizes of the shapes, so that the test runs for seconds.
const SIZE_DIVISOR: usize = 2;

/// Factor by which the time may exceed proportionality: logarithms, caches, and timer noise.
const FACTOR: f64 = 3.0;

/// Time below which a measurement is meaningless [s]: the clock has a resolution of a few milliseconds.
const MIN_TIME: f64 = 8e-3;

/// Compiles the last unit or group of a text.
fn compile(name: &str, text: &str) -> Result<(), String> {
    let system: ShadingSystem = shipped::system(Arc::new(TestHost));
    let loaded = system
        .load(Source::new(format!("{name}.ksl"), text))
        .map_err(|errors| errors.to_string())?;
    let last = loaded.templates.last().ok_or("no template")?;
    let instance = system
        .instantiate(last.clone(), &InstanceOptions::default())
        .map_err(|errors| errors.to_string())?;
    if std::env::var_os("KILN_VERBOSE").is_some() {
        let stats = instance.compile_stats();
        eprintln!(
            "{name}, {} bytes: link {:?}, optimise {:?} ({} to {} operations), code {} ms",
            text.len(),
            stats.link,
            stats.optimize,
            stats.optimizer.ops_before,
            stats.optimizer.ops_after,
            instance.statistics().jit_ms,
        );
    }
    Ok(())
}

/// Minimum time of several compilations of a text [s].
fn seconds(name: &str, text: &str, tries: usize) -> Result<f64, String> {
    let mut least = f64::INFINITY;
    for _ in 0..tries {
        let start = thread_seconds();
        compile(name, text).map_err(|errors| {
            let first: String = errors.chars().take(600).collect();
            format!("{name}, {} bytes: {first}", text.len())
        })?;
        least = least.min(thread_seconds() - start);
    }
    Ok(least)
}

/// A description of the excessive growth of a shape, if any.
fn growth((name, size, text): &Shape) -> Result<(), String> {
    let size = size.div_ceil(SIZE_DIVISOR);
    let (small, large) = (text(size), text(size * GROWTH));
    let ratio = large.len() as f64 / small.len() as f64;
    let few = seconds(name, &small, 3)?;
    let bound = FACTOR * ratio * few.max(MIN_TIME);
    let mut many = seconds(name, &large, 1)?;
    if many > bound {
        many = seconds(name, &large, 2)?;
    }
    if std::env::var_os("KILN_VERBOSE").is_some() {
        let (few, many) = (few * 1e3, many * 1e3);
        eprintln!(
            "{few:8.2} ms {many:8.2} ms for {:6} and {:7} bytes: {name}",
            small.len(),
            large.len()
        );
    }
    if many > bound {
        return Err(format!(
            "{name}: {few} s for {} bytes, {many} s for {}",
            small.len(),
            large.len()
        ));
    }
    Ok(())
}

#[test]
fn compile_time_is_linear_in_the_text() {
    let only = std::env::var("KILN_SHAPE").unwrap_or_default();
    let wrong: Vec<String> = SHAPES
        .par_iter()
        .filter(|(name, ..)| name.contains(&only))
        .filter_map(|shape| growth(shape).err())
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
