//! Differential test of compiled code against the interpreter: random units give equal bits and equal error
//! reports interpreted, compiled, and compiled after optimisation, at all levels of code generation.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use language_support::compiled::{batch_difference, difference};
use language_support::generate::{self, TestHost};
use rayon::prelude::*;
use shading::hir::Unit;
use shading::hir::verify::verify;
use shading::interp::{self, Closures, Listing, Outcome, RunOptions, Value};
use shading::opt::{self, OptOptions, optimize};
use shading::{
    ClosureRegistry, CompileOptions, HostFunctions, OptLevel, ReportKind, ShaderGlobals, ShaderInstance,
    ShadingContext,
};

/// Number of units tried, unless `KILN_FUZZ_UNITS` sets it.
const UNITS: u64 = 300;
/// Fuel of endless units: more than the maximum depth of calls.
const FUEL: u32 = 300;

fn units() -> u64 {
    std::env::var("KILN_FUZZ_UNITS").map_or(UNITS, |n| n.parse().expect("a number of units"))
}

/// Seeds tried: from 0 or `KILN_FUZZ_SEED`.
fn seeds() -> Range<u64> {
    let first = std::env::var("KILN_FUZZ_SEED").map_or(0, |n| n.parse().expect("a seed"));
    first..first + units()
}

/// A shading point at which a unit runs, and the fuel.
struct Case {
    seed: u64,
    registry: ClosureRegistry,
    globals: ShaderGlobals,
    fuel: u32,
}

impl Case {
    fn new(seed: u64, fuel: u32) -> Case {
        let mut globals = generate::globals(seed);
        if seed.is_multiple_of(4) {
            globals.p = [f32::NAN, f32::NEG_INFINITY, 1e-40].into();
            globals.n = [0.0, f32::MAX, -0.0].into();
            globals.v = -0.0;
        }
        Case { seed, registry: generate::registry(), globals, fuel }
    }

    fn interpret(&self, unit: &Unit) -> Outcome {
        let options = RunOptions {
            host: &TestHost,
            fuel: self.fuel,
            closures: Some(&self.registry),
            ..RunOptions::new(&self.globals)
        };
        interp::run(unit, &options)
    }

    /// Compiles and runs a unit at the given levels; returns the first difference from `expected`, and from the reports if
    /// they are given.
    fn compare(
        &self,
        unit: &Unit,
        levels: &[OptLevel],
        expected: &Outcome,
        reports: Option<&[interp::Report]>,
    ) {
        let host = Arc::new(TestHost);
        for &level in levels {
            let options = CompileOptions { level, ..CompileOptions::default() };
            let functions = HostFunctions::of(host.clone());
            let instance = ShaderInstance::compile(unit, &self.registry, &functions, &options)
                .unwrap_or_else(|error| panic!("seed {}: {error}\n{unit}", self.seed));
            let mut context = ShadingContext::new(host.clone());
            context.set_fuel(self.fuel);
            instance.run(&self.globals, &mut context).unwrap();
            let found = context.take_reports();
            // Strings can double until compiled code exceeds the memory of a run; the interpreter has no such limit.
            if found.iter().any(|report| report.kind == ReportKind::OutOfMemory) {
                continue;
            }
            if let Some(difference) = difference(&instance, &mut context, &self.registry, expected) {
                panic!("seed {}, {level:?}: {difference}\n{unit}", self.seed);
            }
            if let Some(reports) = reports {
                let mut found = names(found.iter().map(|report| report.kind));
                let mut expected = names(reports.iter().map(|report| report.kind));
                // A texture named by a constant is known to be missing before the run.
                if !instance.statistics().missing_textures.is_empty() {
                    found.remove("MissingTexture");
                    expected.remove("MissingTexture");
                }
                assert_eq!(found, expected, "seed {}, {level:?}\n{unit}", self.seed);
            }
        }
    }
}

/// Levels of code generation, distributed over a raw unit and the same unit optimised, because each compilation is slow.
fn levels(seed: u64) -> (OptLevel, [OptLevel; 2]) {
    use OptLevel::{Fast, Full, Plain};
    match seed % 3 {
        0 => (Fast, [Plain, Full]),
        1 => (Plain, [Full, Fast]),
        _ => (Full, [Fast, Plain]),
    }
}

/// Names of the reported kinds, which compiled code and the interpreter share.
fn names(kinds: impl Iterator<Item = impl Debug>) -> BTreeSet<String> {
    kinds.map(|kind| format!("{kind:?}")).collect()
}

fn optimized(raw: &Unit) -> Unit {
    let mut unit = raw.clone();
    let exact = OptOptions { level: opt::OptLevel::Exact, ..OptOptions::default() };
    optimize(&mut unit, &exact);
    unit
}

#[test]
fn compiled_units_run_as_interpreted() {
    seeds().into_par_iter().for_each(|seed| {
        let case = Case::new(seed, shading::eval::DEFAULT_FUEL);
        let raw = generate::unit(seed);
        let expected = case.interpret(&raw);
        let (level, levels) = levels(seed);
        case.compare(&raw, &[level], &expected, Some(&expected.reports));
        // An optimised unit does not report errors of removed operations.
        case.compare(&optimized(&raw), &levels, &expected, None);
    });
}

/// Number of points of a batch: two packets and one point.
const BATCH: u64 = 9;

/// Runs a unit at many points as a batch and one by one; returns whether it ran in packets.
fn compare_batch(seed: u64, unit: &Unit, fuel: u32) -> bool {
    let registry = generate::registry();
    // Some points occur twice, so that not all points of a packet diverge.
    let points: Vec<ShaderGlobals> = (0..BATCH).map(|i| Case::new(4 * seed + i / 2, fuel).globals).collect();
    let options = CompileOptions { packets: true, ..CompileOptions::default() };
    let host = Arc::new(TestHost);
    let functions = HostFunctions::of(host.clone());
    let instance = ShaderInstance::compile(unit, &registry, &functions, &options)
        .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{unit}"));
    let context = || {
        let mut context = ShadingContext::new(host.clone());
        context.set_fuel(fuel);
        context
    };
    if let Some(difference) = batch_difference(&instance, &points, context) {
        panic!("seed {seed}: {difference}\n{unit}");
    }
    instance.statistics().has_packets
}

#[test]
fn batches_run_as_points_one_by_one() {
    let in_packets = |seed: u64| {
        let fuel = if seed.is_multiple_of(3) {
            FUEL
        } else {
            shading::eval::DEFAULT_FUEL
        };
        let raw = generate::numeric_unit(seed, fuel == FUEL);
        let units = [optimized(&raw), raw].into_iter();
        units.map(|unit| u64::from(compare_batch(seed, &unit, fuel))).sum::<u64>()
    };
    let packets: u64 = seeds().into_par_iter().map(in_packets).sum();
    assert_eq!(packets, 2 * units(), "all of them can run in packets");
}

/// In batches, units that look up textures, search point clouds or write output run point by point.
#[test]
fn batches_of_any_unit_run_as_points_one_by_one() {
    let seeds: Vec<u64> = seeds().step_by(3).collect();
    seeds.into_par_iter().for_each(|seed| {
        let raw = generate::unit(seed);
        for unit in [optimized(&raw), raw] {
            compare_batch(seed, &unit, shading::eval::DEFAULT_FUEL);
        }
    });
}

#[test]
fn endless_units_stop_as_interpreted() {
    let check = |seed: u64| {
        let (mut ended, mut lit, mut reported) = (0, 0, BTreeSet::new());
        let case = Case::new(seed, FUEL);
        let raw = generate::endless_unit(seed);
        let violations = verify(&raw, Some(&case.registry));
        assert!(violations.is_empty(), "seed {seed}: {violations:?}\n{raw}");
        // An optimised unit uses less fuel, so it is compared with itself.
        let (level, levels) = levels(seed);
        for (unit, levels) in [(optimized(&raw), &levels[..]), (raw, &[level][..])] {
            let expected = case.interpret(&unit);
            case.compare(&unit, levels, &expected, Some(&expected.reports));
            let is_light = |value: &Value| match value {
                Value::Closure(root) => !expected.closures.list(*root).lists[0].is_empty(),
                Value::Plain(_) | Value::Closures(_) => false,
            };
            ended += u64::from(!expected.finished);
            lit += u64::from(expected.outputs.iter().any(|(_, value)| is_light(value)));
            reported.extend(names(expected.reports.iter().map(|report| report.kind)));
        }
        (ended, lit, reported)
    };
    let (ended, lit, reported) = seeds().into_par_iter().map(check).reduce(
        || (0, 0, BTreeSet::new()),
        |a, b| (a.0 + b.0, a.1 + b.1, a.2.into_iter().chain(b.2).collect()),
    );
    println!(
        "of {} runs {ended} were ended, {lit} made light; reported were {reported:?}",
        2 * units()
    );
    // The test is meaningful only if most units complete and have results.
    assert!((units() / 10..units()).contains(&ended), "{ended}");
    assert!(lit > units() / 2, "{lit}");
    for bound in ["OutOfFuel", "TooDeep"] {
        assert!(reported.contains(bound), "{reported:?}");
    }
}

#[test]
fn listings_distinguish_components() {
    let mut closures = Closures::default();
    let a = closures.component(shading::hir::ClosureId(0), vec![]);
    let scaled = closures.mul(a, [2.0, 3.0, 4.0]);
    let sum = closures.add(scaled, a);
    let Listing { lists, .. } = closures.list(sum);
    assert_eq!(lists.len(), 1);
    let weights: Vec<_> = lists[0].iter().map(|c| c.weight).collect();
    assert_eq!(weights, [[2.0, 3.0, 4.0], [1.0; 3]]);
    assert!(!closures.list(sum).same(&closures.list(scaled)));
}
