//! Differential test of the optimiser: random units give the same bits before and after.

use std::collections::BTreeMap;

use cranelift_entity::PrimaryMap;
use language_support::generate;
use rayon::prelude::*;
use shading::builtins::{Builtin, Global};
use shading::hir::build::CodeBuilder;
use shading::hir::{Block, ClosureId, Const, LocalId, Op, Operand, Stmt, Unit, build, verify};
use shading::interp::{RunOptions, run};
use shading::opt::{Facts, OptLevel, OptOptions, optimize};
use shading::ty::{Base, Type};

/// Number of units tried, unless `KILN_FUZZ_UNITS` sets it.
const UNITS: u64 = 3000;

/// Seeds of units that revealed errors in the past, for example an angle that had the sign of a NaN.
const FOUND: [u64; 1] = [3520];

fn units() -> u64 {
    std::env::var("KILN_FUZZ_UNITS").map_or(UNITS, |n| n.parse().expect("KILN_FUZZ_UNITS is a number"))
}

/// Runs a unit raw and optimised at a shading point and compares; `None` if the raw run does not end.
fn check(seed: u64, raw: &Unit, optimized: &Unit) -> Option<()> {
    let globals = generate::globals(seed);
    let options = RunOptions { host: &generate::TestHost, ..RunOptions::new(&globals) };
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

/// Exact optimisation preserves all bits.
const EXACT: OptOptions<'_> = OptOptions {
    outputs: None,
    level: OptLevel::Exact,
    facts: &Facts { ray_kind: None, attributes: None },
    closures: None,
};

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
    let check_unit = |seed: u64| {
        let raw = generate::unit(seed);
        let violations = verify(&raw, Some(&registry));
        assert!(violations.is_empty(), "seed {seed}: {violations:?}\n{raw}");
        let mut optimized = raw.clone();
        let stats = optimize(&mut optimized, &EXACT);
        let violations = verify(&optimized, Some(&registry));
        assert!(
            violations.is_empty(),
            "seed {seed}: {violations:?}\n--- raw\n{raw}\n--- optimised\n{optimized}"
        );
        let ended = (0..3).filter(|point| check(seed + point, &raw, &optimized).is_some());
        let mut counts = BTreeMap::new();
        count(&raw.code.body, &mut counts);
        ([ended.count(), stats.ops_before, stats.ops_after], counts)
    };
    let seeds: Vec<u64> = (0..units()).chain(FOUND).collect();
    let ([ended, ops_before, ops_after], counts) = seeds.into_par_iter().map(check_unit).reduce(
        || ([0; 3], BTreeMap::new()),
        |(mut sums, mut counts), (more, more_counts)| {
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
            for (name, count) in more_counts {
                *counts.entry(name).or_default() += count;
            }
            (sums, counts)
        },
    );
    println!("{ended} runs of {} ended; operations {ops_before} -> {ops_after}", 3 * units());
    for (name, count) in &counts {
        println!("{count:7} {name}");
    }
    assert!(ended as u64 > units() * 5 / 2, "too few runs ended: {ended}");
    assert!(counts.len() > 90, "only {} kinds of statement", counts.len());
}

/// For units in which all numbers are finite, full optimisation preserves all bits as well, including the signs of zeros.
#[test]
fn units_of_finite_numbers_run_the_same() {
    let check_unit = |seed: u64| {
        let raw = generate::unit(seed);
        let (mut exact, mut full) = (raw.clone(), raw.clone());
        let exact_ops = optimize(&mut exact, &EXACT).ops_after;
        let full_ops = optimize(&mut full, &OptOptions::default()).ops_after;
        let mut finite = 0;
        for point in 0..3 {
            let globals = generate::globals(seed + point);
            let options = RunOptions {
                host: &generate::TestHost,
                checks_finite: true,
                ..RunOptions::new(&globals)
            };
            let before = run(&raw, &options);
            if !before.finished || !before.finite {
                continue;
            }
            finite += 1;
            let after = run(&full, &options);
            // Zeros in closures have no sign.
            let outputs = full.params.iter().filter(|p| p.ty.base != Base::Closure);
            if let Some(difference) = before.difference(&after, outputs.map(|p| p.name.as_str())) {
                panic!("seed {seed}: {difference}\n--- raw\n{raw}\n--- optimised\n{full}");
            }
        }
        [finite, exact_ops, full_ops]
    };
    let sums = (0..units()).into_par_iter().map(check_unit);
    let [finite, exact_ops, full_ops] = sums.reduce(|| [0; 3], |a, b| std::array::from_fn(|i| a[i] + b[i]));
    println!("{finite} runs of finite numbers; operations left {exact_ops}, {full_ops}");
    assert!(finite as u64 > units() / 2, "too few runs are finite: {finite}");
    assert!(full_ops < exact_ops);
}

#[test]
fn needed_outputs_and_facts_are_respected() {
    (0..units() / 4).into_par_iter().for_each(|seed| {
        let raw = generate::unit(seed);
        let globals = generate::globals(seed);
        let names: Vec<_> = raw.params.iter().filter(|p| p.output).map(|p| p.name.as_str()).collect();
        let Some(&first) = names.first() else { return };
        let mut optimized = raw.clone();
        let facts = Facts { ray_kind: Some(globals.ray_kind), ..Facts::default() };
        let wanted = [first];
        let options = OptOptions { outputs: Some(&wanted), facts: &facts, ..EXACT };
        optimize(&mut optimized, &options);
        assert_eq!(optimized.params.len(), 1);
        check(seed, &raw, &optimized);
    });
}

#[test]
fn optimising_twice_preserves_results() {
    (0..units() / 4).into_par_iter().for_each(|seed| {
        let raw = generate::unit(seed);
        let mut once = raw.clone();
        optimize(&mut once, &EXACT);
        let mut twice = once.clone();
        let stats = optimize(&mut twice, &EXACT);
        // Unrolling a loop that has become short enough may increase the number of operations.
        let loops = |unit: &Unit| unit.to_string().matches("loop {").count();
        let unrolled = loops(&twice) < loops(&once);
        assert!(unrolled || stats.ops_after <= stats.ops_before, "seed {seed}");
        check(seed, &raw, &twice);
    });
}

/// Builds code whose first variable, of type `ty`, is the output, and compares the fully optimised code with `expected`.
fn expect(ty: Type, code: impl FnOnce(&mut CodeBuilder, LocalId), expected: &str) {
    expect_with(&OptOptions::default(), ty, code, expected);
}

fn expect_with(
    options: &OptOptions<'_>,
    ty: Type,
    code: impl FnOnce(&mut CodeBuilder, LocalId),
    expected: &str,
) {
    let mut builder = CodeBuilder::default();
    let out = builder.local(ty);
    code(&mut builder, out);
    let mut unit = build::unit("u", &[("out", out)], builder, PrimaryMap::new());
    optimize(&mut unit, options);
    let text = unit.to_string();
    let body: Vec<_> = text.lines().skip(2).map(str::trim).filter(|l| *l != "}").collect();
    assert_eq!(body.join("; "), expected, "{unit}");
}

fn global(b: &mut CodeBuilder, global: Global) -> Operand {
    b.op(global.ty(), Op::Global(global), &[])
}

#[test]
fn constants_fold() {
    expect(
        Type::FLOAT,
        |b, out| {
            let (two, three) = (b.float(2.0), b.float(3.0));
            let six = b.op(Type::FLOAT, Op::Mul, &[two, three]);
            let root = b.op(Type::FLOAT, Op::Builtin(Builtin::Sqrt), &[six]);
            let less = b.op(Type::INT, Op::Lt, &[root, three]);
            b.branch(less, |b| b.set(out, Op::Copy, &[root]), |b| b.set(out, Op::Copy, &[two]));
        },
        "l0 = copy 2.4494898",
    );
}

#[test]
fn exact_algebra_keeps_the_sign_of_zero() {
    expect_with(
        &EXACT,
        Type::FLOAT,
        |b, out| {
            let u = global(b, Global::U);
            let (zero, one, two) = (b.float(0.0), b.float(1.0), b.float(2.0));
            let u = b.op(Type::FLOAT, Op::Mul, &[u, one]);
            let u = b.op(Type::FLOAT, Op::Sub, &[u, zero]);
            let u = b.op(Type::FLOAT, Op::Div, &[u, two]);
            // Changes −0 into 0.
            b.set(out, Op::Add, &[u, zero]);
        },
        "l1 = global<u>; l2 = mul l1, 0.5; l0 = add l2, 0.0",
    );
}

/// `mix(u, noise(P), 0)`, clamped twice.
#[test]
fn disabled_features_are_removed() {
    expect(
        Type::INT,
        |b, out| {
            let (u, v, p) = (global(b, Global::U), global(b, Global::V), global(b, Global::P));
            let (zero, one) = (b.float(0.0), b.float(1.0));
            let noise = b.op(Type::FLOAT, Op::Builtin(Builtin::Perlin), &[p]);
            let share = b.op(Type::FLOAT, Op::Sub, &[one, zero]);
            let first = b.op(Type::FLOAT, Op::Mul, &[u, share]);
            let second = b.op(Type::FLOAT, Op::Mul, &[noise, zero]);
            let mixed = b.op(Type::FLOAT, Op::Add, &[first, second]);
            let mut clamp = |x| {
                let high = b.op(Type::FLOAT, Op::Builtin(Builtin::Min), &[x, one]);
                b.op(Type::FLOAT, Op::Builtin(Builtin::Max), &[high, zero])
            };
            let once = clamp(mixed);
            let twice = clamp(once);
            b.set(out, Op::Lt, &[twice, v]);
        },
        "l1 = global<u>; l2 = global<v>; l3 = min l1, 1.0; l4 = max l3, 0.0; l0 = lt l4, l2",
    );
}

/// `u + 0` is 0 if `u` is −0: observable in an output, but not in a comparison.
#[test]
fn the_sign_of_zero_is_kept_where_it_is_seen() {
    let sum = |b: &mut CodeBuilder| {
        let (u, zero) = (global(b, Global::U), b.float(0.0));
        b.op(Type::FLOAT, Op::Add, &[u, zero])
    };
    expect(
        Type::FLOAT,
        |b, out| {
            let sum = sum(b);
            b.set(out, Op::Neg, &[sum]);
        },
        "l1 = global<u>; l2 = add l1, 0.0; l0 = neg l2",
    );
    expect(
        Type::INT,
        |b, out| {
            let (sum, v) = (sum(b), global(b, Global::V));
            b.set(out, Op::Gt, &[sum, v]);
        },
        "l1 = global<u>; l2 = global<v>; l0 = gt l1, l2",
    );
}

/// A loop over constants is evaluated, however long it is; one that reads the shading point is not.
#[test]
fn loops_over_constants_are_evaluated() {
    let sum = |b: &mut CodeBuilder, out: LocalId, step: Operand| {
        let turns = b.int(1000);
        b.count(turns, |b, _| b.set(out, Op::Add, &[Operand::Local(out), step]));
    };
    expect(
        Type::FLOAT,
        |b, out| {
            let half = b.float(0.5);
            sum(b, out, half);
        },
        "l0 = copy 500.0",
    );
    expect(
        Type::FLOAT,
        |b, out| {
            let u = global(b, Global::U);
            sum(b, out, u);
        },
        "l1 = global<u>; scope s0 scope {; loop {; l3 = lt l2, 1000; if l3 {; } else {; leave s0; \
         l0 = add l0, l1; l2 = add l2, 1",
    );
}

#[test]
fn equal_expressions_are_computed_once() {
    expect(
        Type::FLOAT,
        |b, out| {
            let (u, v) = (global(b, Global::U), global(b, Global::V));
            let again = global(b, Global::U);
            let first = b.op(Type::FLOAT, Op::Add, &[u, v]);
            let second = b.op(Type::FLOAT, Op::Add, &[v, again]);
            b.set(out, Op::Mul, &[first, second]);
        },
        "l1 = global<u>; l2 = global<v>; l3 = add l1, l2; l0 = mul l3, l3",
    );
}

#[test]
fn short_loops_are_unrolled() {
    expect(
        Type::FLOAT,
        |b, out| {
            let u = global(b, Global::U);
            let turns = b.int(3);
            b.set(out, Op::Copy, &[u]);
            b.count(turns, |b, _| b.set(out, Op::Mul, &[Operand::Local(out), u]));
        },
        "l1 = global<u>; l0 = mul l1, l1; l0 = mul l0, l1; l0 = mul l0, l1",
    );
}

/// Multiplication by one leaves the factor unchanged, so it is constant in the loop.
#[test]
fn variables_that_loops_leave_unchanged_are_known() {
    expect(
        Type::FLOAT,
        |b, out| {
            let (u, v) = (global(b, Global::U), global(b, Global::V));
            let (one, two) = (b.float(1.0), b.float(2.0));
            let turns = b.op(Type::INT, Op::FloatToInt, &[u]);
            let factor = b.local(Type::FLOAT);
            b.set(factor, Op::Copy, &[two]);
            b.count(turns, |b, _| {
                let scaled = b.op(Type::FLOAT, Op::Mul, &[Operand::Local(factor), one]);
                b.set(factor, Op::Copy, &[scaled]);
                let term = b.op(Type::FLOAT, Op::Mul, &[Operand::Local(factor), two]);
                b.set(out, Op::Add, &[Operand::Local(out), term]);
                b.set(out, Op::Mul, &[Operand::Local(out), v]);
            });
        },
        "l1 = global<u>; l2 = global<v>; l3 = floattoint l1; scope s0 scope {; loop {; l5 = lt l4, l3; \
         if l5 {; } else {; leave s0; l0 = add l0, 4.0; l0 = mul l0, l2; l4 = add l4, 1",
    );
}

#[test]
fn work_for_one_branch_moves_into_it() {
    expect(
        Type::FLOAT,
        |b, out| {
            let (p, u) = (global(b, Global::P), global(b, Global::U));
            let noise = b.op(Type::FLOAT, Op::Builtin(Builtin::Perlin), &[p]);
            let half = b.float(0.5);
            let low = b.op(Type::INT, Op::Lt, &[u, half]);
            b.branch(low, |b| b.set(out, Op::Copy, &[noise]), |_| {});
        },
        "l1 = global<u>; l2 = lt l1, 0.5; if l2 {; l3 = global<P>; l0 = perlin l3",
    );
}

#[test]
fn whole_loops_move_into_the_branch_that_needs_them() {
    expect(
        Type::FLOAT,
        |b, out| {
            let (u, v) = (global(b, Global::U), global(b, Global::V));
            let turns = b.op(Type::INT, Op::FloatToInt, &[v]);
            let sum = b.local(Type::FLOAT);
            b.set(sum, Op::Copy, &[v]);
            b.count(turns, |b, _| b.set(sum, Op::Mul, &[Operand::Local(sum), v]));
            let half = b.float(0.5);
            let low = b.op(Type::INT, Op::Lt, &[u, half]);
            b.branch(low, |b| b.set(out, Op::Neg, &[Operand::Local(sum)]), |_| {});
        },
        "l1 = global<u>; l2 = lt l1, 0.5; if l2 {; l3 = global<v>; l4 = floattoint l3; l5 = copy l3; \
         scope s0 scope {; loop {; l7 = lt l6, l4; if l7 {; } else {; leave s0; l5 = mul l5, l3; \
         l6 = add l6, 1; l0 = neg l5",
    );
}

#[test]
fn invariant_code_leaves_the_loop() {
    expect(
        Type::FLOAT,
        |b, out| {
            let (u, v) = (global(b, Global::U), global(b, Global::V));
            let turns = b.op(Type::INT, Op::FloatToInt, &[u]);
            b.count(turns, |b, _| {
                let sine = b.op(Type::FLOAT, Op::Builtin(Builtin::Sin), &[v]);
                b.set(out, Op::Add, &[Operand::Local(out), sine]);
            });
        },
        "l1 = global<u>; l2 = global<v>; l3 = floattoint l1; scope s0 scope {; l4 = sin l2; loop {; \
         l6 = lt l5, l3; if l6 {; } else {; leave s0; l0 = add l0, l4; l5 = add l5, 1",
    );
}

#[test]
fn closures_scaled_by_zero_are_removed() {
    expect(
        Type::CLOSURE,
        |b, out| {
            let normal = global(b, Global::N);
            let (zero, one) = (b.float(0.0), b.triple([1.0; 3]));
            let lobe = ClosureId(0);
            let a = b.op(Type::CLOSURE, Op::MakeClosure(lobe), &[normal]);
            let rough = b.op(Type::FLOAT, Op::Builtin(Builtin::Length), &[normal]);
            let lobe = ClosureId(1);
            let b2 = b.op(Type::CLOSURE, Op::MakeClosure(lobe), &[normal, rough]);
            let a = b.op(Type::CLOSURE, Op::ClosureMul, &[a, one]);
            let b2 = b.op(Type::CLOSURE, Op::ClosureMul, &[b2, zero]);
            b.set(out, Op::ClosureAdd, &[a, b2]);
        },
        "l1 = global<N>; l0 = closure<0> l1",
    );
}

#[test]
fn dead_loops_are_removed_but_endless_ones_stay() {
    expect(
        Type::INT,
        |b, out| {
            let u = global(b, Global::U);
            let turns = b.op(Type::INT, Op::FloatToInt, &[u]);
            let sum = b.local(Type::FLOAT);
            b.count(turns, |b, _| b.set(sum, Op::Add, &[Operand::Local(sum), u]));
            let seven = b.int(7);
            b.set(out, Op::Copy, &[seven]);
        },
        "l0 = copy 7",
    );
    expect(
        Type::INT,
        |b, out| {
            b.repeat(|_| {});
            let seven = b.int(7);
            b.set(out, Op::Copy, &[seven]);
        },
        "loop {",
    );
}

#[test]
fn known_ray_kinds_are_folded() {
    let mut b = CodeBuilder::default();
    let out = b.local(Type::INT);
    let name = b.string("shadow");
    b.set(out, Op::Builtin(Builtin::RayType), &[name]);
    let mut unit = build::unit("u", &[("out", out)], b, PrimaryMap::new());
    let facts = Facts { ray_kind: Some(shading::RayKind::SHADOW), ..Facts::default() };
    let options = OptOptions { facts: &facts, ..OptOptions::default() };
    optimize(&mut unit, &options);
    assert_eq!(unit.code.consts.values().collect::<Vec<_>>(), [&Const::Int(1)]);
}
