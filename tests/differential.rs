//! Compiled code must do what the interpreter does: random units run the same interpreted raw, compiled raw, and compiled
//! optimised, at every level of code generation, bit for bit.

use std::sync::Arc;

use shading::hir::{Kind, Unit};
use shading::interp::{self, Closures, Listing, NodeId, Outcome, RunOptions, Value};
use shading::opt::{OptOptions, optimize};
use shading::ty::Base;
use shading::{
    ClosureNode, ClosureRef, ClosureRegistry, CompileOptions, HostFunctions, OptLevel, ShaderGlobals,
    ShaderInstance, ShadingContext,
};
use support::generate::{self, TestHost};

/// Units tried; more with `KILN_FUZZ_UNITS`.
const UNITS: u64 = 300;

/// Runs compiled code and puts what it gives into the interpreter's form.
fn run_compiled(
    unit: &Unit,
    registry: &ClosureRegistry,
    globals: &ShaderGlobals,
    level: OptLevel,
) -> Outcome {
    let host = Arc::new(TestHost);
    let options = CompileOptions {
        level,
        ..CompileOptions::default()
    };
    let instance = ShaderInstance::compile(unit, registry, &HostFunctions::of(host.clone()), &options)
        .unwrap_or_else(|error| panic!("{error}\n{unit}"));
    let mut ctx = ShadingContext::new(host);
    instance.run(globals, &mut ctx);
    let mut closures = Closures::default();
    let outputs = instance.outputs().iter().enumerate().map(|(i, output)| {
        let value = match Kind::of(output.ty) {
            Some(Kind::CLOSURE) => {
                Value::Closure(import(instance.closure(i, &ctx).root(), registry, &mut closures))
            }
            _ => Value::Plain(instance.output(i, &ctx)),
        };
        (output.name.clone(), value)
    });
    let outputs = outputs.collect();
    Outcome {
        outputs,
        closures,
        printed: ctx.take_printed(),
        reports: vec![],
        finished: ctx.finished(),
    }
}

/// Copies a closure into the interpreter's table. Generated closures are not so deep that recursion matters.
fn import(root: Option<ClosureRef<'_>>, registry: &ClosureRegistry, to: &mut Closures) -> NodeId {
    match root?.node() {
        ClosureNode::Component { id, weight, params } => {
            let signature = registry.get(id);
            let (offsets, _) = signature.layout();
            let params = signature.params.iter().zip(offsets).map(|(param, offset)| {
                use shading::hir::Const;
                Value::Plain(match param.ty.base {
                    Base::Int => Const::Int(params.int(offset)),
                    Base::Float => Const::Float(params.float(offset)),
                    Base::Matrix => Const::Matrix(params.matrix(offset)),
                    Base::String => Const::String(params.string(offset).into()),
                    Base::Closure => {
                        return Value::Closure(import(params.closure(offset), registry, to));
                    }
                    _ => Const::Triple(params.triple(offset)),
                })
            });
            let params = params.collect();
            let component = to.component(id, params);
            to.mul(component, weight)
        }
        ClosureNode::Mul { weight, closure } => {
            let closure = import(closure, registry, to);
            to.mul(closure, weight)
        }
        ClosureNode::Add { a, b } => {
            let (a, b) = (import(a, registry, to), import(b, registry, to));
            to.add(a, b)
        }
    }
}

#[test]
fn compiled_units_run_as_interpreted() {
    let units = std::env::var("KILN_FUZZ_UNITS").map_or(UNITS, |n| n.parse().expect("a number of units"));
    let registry = generate::registry();
    for seed in 0..units {
        let raw = generate::unit(seed);
        let globals = generate::globals(seed);
        let options = RunOptions {
            host: &TestHost,
            ..RunOptions::new(&globals)
        };
        let expected = interp::run(&raw, &options);
        let mut optimized = raw.clone();
        optimize(&mut optimized, &OptOptions::default());
        for level in [OptLevel::Fast, OptLevel::Plain, OptLevel::Full] {
            for (what, unit) in [("raw", &raw), ("optimised", &optimized)] {
                let found = run_compiled(unit, &registry, &globals, level);
                // Arrays of closures cannot be read back.
                let names = unit
                    .params
                    .iter()
                    .filter(|p| p.output && !(p.ty.base == Base::Closure && p.ty.is_array()));
                let difference = expected.difference(&found, names.map(|p| p.name.as_str()));
                if let Some(difference) = difference {
                    panic!(
                        "seed {seed}, {what}, {level:?}: {difference}\n--- raw\n{raw}\n--- {what}\n{unit}"
                    );
                }
            }
        }
    }
}

#[test]
fn listings_tell_components_apart() {
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
