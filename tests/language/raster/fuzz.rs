//! Random units: naga validates their code, and it gives the numbers of the interpreter.

use std::sync::atomic::{AtomicU64, Ordering};

use language_support::generate::{self, TestHost};
use language_support::wgsl::{Program, numbers};
use rayon::prelude::*;
use shading::hir::Unit;
use shading::interp::{self, RunOptions, Value};
use shading::opt::OptLevel;
use shading::{ShaderGlobals, SourceMap};
use shading_raster::RasterOptions;

/// Units tried; more with `KILN_RASTER_UNITS`.
const UNITS: u64 = 200;

/// Share of the numbers that may differ: random units magnify differences of rounding.
const UNLIKE: f64 = 0.01;

/// Compares a unit's code with the interpreter; returns the numbers compared and those that differ.
fn compare(unit: &Unit, program: &Program, globals: &ShaderGlobals) -> (u64, u64, String) {
    let outcome = interp::run(
        unit,
        &RunOptions {
            host: &TestHost,
            checks_finite: true,
            ..RunOptions::new(globals)
        },
    );
    // Numbers that are not finite spread by rules that differ.
    if !outcome.finished || !outcome.finite {
        return (0, 0, String::new());
    }
    if program.raster.outputs.is_empty() {
        return (0, 0, String::new());
    }
    let found = program.call("evaluate", globals, &TestHost, &|_, _, _, _| [0.0; 4]);
    let (mut compared, mut unlike, mut text) = (0, 0, String::new());
    for (output, (_, found)) in program.raster.outputs.iter().zip(&found) {
        let Some(Value::Plain(expected)) = outcome.output(&output.name) else {
            continue;
        };
        for (expected, found) in numbers(expected).into_iter().zip(found.numbers()) {
            compared += 1;
            let is_same = expected.to_bits() == found.to_bits() || expected.is_nan() && found.is_nan();
            let is_like = is_same || (expected - found).abs() <= 1e-3 * expected.abs().max(1.0);
            if !is_like {
                unlike += 1;
                text = format!("{}: {found} is not {expected}", output.name);
            }
        }
    }
    (compared, unlike, text)
}

#[test]
fn random_units_are_valid_and_as_interpreted() {
    let units = language_support::number("KILN_RASTER_UNITS").unwrap_or(UNITS);
    let first = language_support::number("KILN_FUZZ_SEED").unwrap_or(0);
    let counts = [const { AtomicU64::new(0) }; 4];
    let add = |i: usize, n: u64| counts[i].fetch_add(n, Ordering::Relaxed);
    let registry = generate::registry();
    (first..first + units).into_par_iter().for_each(|seed| {
        let unit = generate::numeric_unit(seed, false);
        let options = RasterOptions {
            optimize: [OptLevel::None, OptLevel::Exact, OptLevel::Full][(seed % 3) as usize],
            attributes: vec!["wear".to_owned(), "tint".to_owned()],
            ..RasterOptions::default()
        };
        let program = match Program::new(&unit, &SourceMap::default(), &registry, &options) {
            Ok(program) => program,
            Err(errors) => {
                let text = errors.to_string();
                assert!(!text.contains("not valid"), "seed {seed}: {text}");
                if std::env::var_os("KILN_RASTER_VERBOSE").is_some() {
                    println!("seed {seed}: {}", text.lines().next().unwrap_or_default());
                }
                add(1, 1);
                return;
            }
        };
        add(0, 1);
        let globals = generate::globals(seed);
        let (compared, unlike, text) = compare(&unit, &program, &globals);
        if unlike > 0 && std::env::var_os("KILN_RASTER_VERBOSE").is_some() {
            println!("seed {seed}: {text}");
            if units == 1 {
                println!("{unit}\n{}", program.raster.wgsl);
            }
        }
        add(2, compared);
        add(3, unlike);
    });
    let [valid, refused, compared, unlike] = counts.map(AtomicU64::into_inner);
    println!("{valid} units are valid, {refused} refused; of {compared} numbers {unlike} differ");
    assert!(refused * 2 < units, "{refused} of {units} are refused");
    assert!(compared > units, "{compared}");
    assert!(unlike as f64 <= UNLIKE * compared as f64, "{unlike} of {compared}");
}

/// Units with strings, textures, closures and recursion: most are rejected, and naga accepts the others.
#[test]
fn random_units_of_all_kinds_are_valid_or_refused() {
    let units = language_support::number("KILN_RASTER_UNITS").unwrap_or(UNITS);
    let registry = generate::registry();
    let counts = [const { AtomicU64::new(0) }; 2];
    (0..units).into_par_iter().for_each(|seed| {
        let unit = generate::unit(seed);
        let options = RasterOptions::default();
        let is_valid = match Program::new(&unit, &SourceMap::default(), &registry, &options) {
            Ok(_) => 0,
            Err(errors) => {
                let text = errors.to_string();
                assert!(!text.contains("not valid"), "seed {seed}: {text}");
                1
            }
        };
        counts[is_valid].fetch_add(1, Ordering::Relaxed);
    });
    let [valid, refused] = counts.map(AtomicU64::into_inner);
    println!("{valid} units are valid, {refused} refused");
}
