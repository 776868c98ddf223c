//! The optimiser must not change what a unit means: random units run the same before and after, bit for bit.

use std::collections::BTreeMap;

use shading::hir::{Block, Stmt, Unit, verify};
use shading::interp::{RunOptions, run};
use shading::opt::{Facts, OptOptions, optimize};
use support::generate;

/// Units tried; more with `KILN_FUZZ_UNITS`.
const UNITS: u64 = 3000;

fn units() -> u64 {
    std::env::var("KILN_FUZZ_UNITS").map_or(UNITS, |n| n.parse().expect("KILN_FUZZ_UNITS is a number"))
}

/// Runs a unit raw and optimised at a shading point and compares; `None` when the raw run does not end.
fn check(seed: u64, raw: &Unit, optimized: &Unit) -> Option<()> {
    let globals = generate::globals(seed);
    let options = RunOptions {
        host: &generate::TestHost,
        ..RunOptions::new(&globals)
    };
    let before = run(raw, &options);
    if !before.finished {
        return None;
    }
    let after = run(optimized, &options);
    let outputs = optimized.params.iter().map(|p| p.name.as_str());
    if let Some(difference) = before.difference(&after, outputs) {
        panic!("seed {seed}: {difference}\n--- raw\n{raw}\n--- optimised\n{optimized}");
    }
    Some(())
}

fn count(block: &Block, counts: &mut BTreeMap<String, usize>) {
    for stmt in block {
        let name = match stmt {
            Stmt::Op { op, .. } => format!("{op}"),
            Stmt::Call { .. } => "(call)".to_owned(),
            Stmt::If { then, otherwise, .. } => {
                count(then, counts);
                count(otherwise, counts);
                "(if)".to_owned()
            }
            Stmt::Loop { body, .. } => {
                count(body, counts);
                "(loop)".to_owned()
            }
            Stmt::Scope { body, .. } => {
                count(body, counts);
                "(scope)".to_owned()
            }
            Stmt::Leave(_) => "(leave)".to_owned(),
        };
        *counts.entry(name).or_default() += 1;
    }
}

#[test]
fn optimised_units_run_the_same() {
    let registry = generate::registry();
    let mut counts = BTreeMap::new();
    let (mut ended, mut ops_before, mut ops_after) = (0, 0, 0);
    for seed in 0..units() {
        let raw = generate::unit(seed);
        let violations = verify(&raw, Some(&registry));
        assert!(violations.is_empty(), "seed {seed}: {violations:?}\n{raw}");
        count(&raw.code.body, &mut counts);
        let mut optimized = raw.clone();
        let stats = optimize(&mut optimized, &OptOptions::default());
        ops_before += stats.ops_before;
        ops_after += stats.ops_after;
        let violations = verify(&optimized, Some(&registry));
        assert!(
            violations.is_empty(),
            "seed {seed}: {violations:?}\n--- raw\n{raw}\n--- optimised\n{optimized}"
        );
        for point in 0..3 {
            ended += usize::from(check(seed + point, &raw, &optimized).is_some());
        }
    }
    println!(
        "{ended} runs of {} ended; operations {ops_before} -> {ops_after}",
        3 * units()
    );
    for (name, count) in &counts {
        println!("{count:7} {name}");
    }
    assert!(ended as u64 > units() * 5 / 2, "too few runs ended: {ended}");
    assert!(counts.len() > 90, "only {} kinds of statement", counts.len());
}

#[test]
fn needed_outputs_and_facts_are_respected() {
    for seed in 0..units() / 4 {
        let raw = generate::unit(seed);
        let globals = generate::globals(seed);
        let names: Vec<_> = raw
            .params
            .iter()
            .filter(|p| p.output)
            .map(|p| p.name.as_str())
            .collect();
        let Some(&first) = names.first() else { continue };
        let mut optimized = raw.clone();
        let facts = Facts {
            ray_kind: Some(globals.ray_kind),
        };
        let wanted = [first];
        let options = OptOptions {
            outputs: Some(&wanted),
            facts: &facts,
            ..OptOptions::default()
        };
        optimize(&mut optimized, &options);
        assert_eq!(optimized.params.len(), 1);
        check(seed, &raw, &optimized);
    }
}

#[test]
fn optimising_twice_gains_nothing_wrong() {
    for seed in 0..units() / 4 {
        let raw = generate::unit(seed);
        let mut once = raw.clone();
        optimize(&mut once, &OptOptions::default());
        let mut twice = once.clone();
        let stats = optimize(&mut twice, &OptOptions::default());
        assert!(stats.ops_after <= stats.ops_before, "seed {seed}");
        check(seed, &raw, &twice);
    }
}
