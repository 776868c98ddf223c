//! Closures: what they hold, how many there may be, and who may make them at once.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use shading::builtins::Global;
use shading::eval;
use shading::hir::build::{CodeBuilder, unit};
use shading::hir::{ClosureId, Const, Op, Operand};
use shading::runtime::ReportKind;
use shading::ty::Type;
use shading::{
    ClosureNode, ClosureParam, ClosureRegistry, ClosureSignature, NoHost, OptLevel, ShaderInstance,
    ShadingContext,
};

use super::geometry::MATRIX;
use super::{LEVELS, compile, globals};

fn registry() -> (ClosureRegistry, ClosureId, ClosureId) {
    let mut registry = ClosureRegistry::default();
    let diffuse = registry.register(ClosureSignature {
        name: "diffuse",
        params: vec![ClosureParam::new("n", Type::NORMAL)],
    });
    let coat = registry.register(ClosureSignature {
        name: "coat",
        params: vec![
            ClosureParam::new("ior", Type::FLOAT),
            ClosureParam::new("tint", Type::COLOR),
            ClosureParam::new("mode", Type::INT),
            ClosureParam::new("base", Type::CLOSURE),
            ClosureParam::new("label", Type::STRING),
            ClosureParam::new("frame", Type::MATRIX),
        ],
    });
    (registry, diffuse.unwrap(), coat.unwrap())
}

#[test]
fn closures_hold_their_parameters() {
    let (registry, diffuse, coat) = registry();
    let mut b = CodeBuilder::default();
    let ci = b.local(Type::CLOSURE);
    let n = b.triple([0.0, 1.0, 0.0]);
    let base = b.op(Type::CLOSURE, Op::MakeClosure(diffuse), &[n]);
    let red = b.triple([0.8, 0.1, 0.2]);
    let base = b.op(Type::CLOSURE, Op::ClosureMul, &[base, red]);
    let p = b.op(Type::POINT, Op::Global(Global::P), &[]);
    let args = [b.float(1.5), p, b.int(-7), base, b.string("label"), b.constant(Const::Matrix(MATRIX))];
    let coated = b.op(Type::CLOSURE, Op::MakeClosure(coat), &args);
    let again = b.op(Type::CLOSURE, Op::MakeClosure(diffuse), &[p]);
    let sum = b.op(Type::CLOSURE, Op::ClosureAdd, &[coated, again]);
    let half = b.float(0.5);
    b.set(ci, Op::ClosureMul, &[sum, half]);
    let unit = unit("closures", &[("Ci", ci)], b, PrimaryMap::new());
    let (offsets, _) = registry[coat].layout();

    for level in LEVELS {
        let instance = compile(&unit, &registry, level);
        assert_eq!(instance.statistics().closures.len(), 2);
        let mut ctx = ShadingContext::new(Arc::new(NoHost));
        let tree = instance.run(&globals(), &mut ctx).unwrap();
        let Some(ClosureNode::Mul { weight, closure }) = tree.root().map(|r| r.node()) else {
            panic!("a product");
        };
        assert_eq!(weight, [0.5; 3]);
        let Some(ClosureNode::Add { a: Some(a), b: Some(b) }) = closure.map(|c| c.node()) else {
            panic!("a sum");
        };
        let ClosureNode::Component { id, weight, params } = a.node() else {
            panic!("a component");
        };
        assert_eq!((id, weight), (coat, [1.0; 3]));
        assert_eq!(params.float(offsets[0]), 1.5);
        assert_eq!(params.triple(offsets[1]), [1.0, 2.0, 3.0]);
        assert_eq!(params.int(offsets[2]), -7);
        assert_eq!(params.string(offsets[4]), "label");
        assert_eq!(params.matrix(offsets[5]), MATRIX);
        let Some(ClosureNode::Component { id, weight, params }) =
            params.closure(offsets[3]).map(|c| c.node())
        else {
            panic!("a component with its weight folded in");
        };
        assert_eq!((id, weight), (diffuse, [0.8, 0.1, 0.2]));
        assert_eq!(params.triple(0), [0.0, 1.0, 0.0]);
        let ClosureNode::Component { params, .. } = b.node() else {
            panic!("a component");
        };
        assert_eq!(params.triple(0), [1.0, 2.0, 3.0]);
    }
}

/// The sum of many closures, made in a loop.
fn many_closures(registry: &ClosureRegistry, diffuse: ClosureId, count: i32) -> ShaderInstance {
    let mut b = CodeBuilder::default();
    let ci = b.local(Type::CLOSURE);
    let (n, count) = (b.triple([0.0, 1.0, 0.0]), b.int(count));
    b.count(count, |b, _| {
        let one = b.op(Type::CLOSURE, Op::MakeClosure(diffuse), &[n]);
        b.set(ci, Op::ClosureAdd, &[Operand::Local(ci), one]);
    });
    let unit = unit("many", &[("Ci", ci)], b, PrimaryMap::new());
    compile(&unit, registry, OptLevel::Plain)
}

#[test]
fn huge_trees_are_bounded() {
    let (registry, diffuse, _) = registry();
    let mut ctx = ShadingContext::new(Arc::new(NoHost));
    let some = many_closures(&registry, diffuse, 50_000);
    for _ in 0..3 {
        let tree = some.run(&globals(), &mut ctx).unwrap();
        // Each turn makes a component and a sum, but for the first, which adds to null.
        assert_eq!(format!("{tree:?}"), "ClosureTree(99999 nodes)");
    }
    assert_eq!(ctx.take_reports(), []);
    ctx.set_fuel(i32::MAX as u32);
    let many = many_closures(&registry, diffuse, 1_000_000);
    many.run(&globals(), &mut ctx).unwrap();
    assert!(ctx.take_reports().iter().all(|r| r.kind == ReportKind::OutOfMemory));
    ctx.set_fuel(eval::DEFAULT_FUEL);
    let endless = many_closures(&registry, diffuse, i32::MAX);
    assert!(endless.run(&globals(), &mut ctx).unwrap().root().is_none());
}

#[test]
#[should_panic(expected = "no closure parameter of that type at offset 0")]
fn numbers_are_not_read_as_text() {
    let (registry, diffuse, _) = registry();
    let instance = many_closures(&registry, diffuse, 1);
    let mut ctx = ShadingContext::new(Arc::new(NoHost));
    let tree = instance.run(&globals(), &mut ctx).unwrap();
    if let Some(ClosureNode::Component { params, .. }) = tree.root().map(|r| r.node()) {
        params.string(0);
    }
}

#[test]
fn threads_compile_and_run_at_once() {
    let (registry, diffuse, _) = registry();
    let shared = many_closures(&registry, diffuse, 10);
    std::thread::scope(|scope| {
        for thread in 0..64 {
            let (registry, shared) = (&registry, &shared);
            scope.spawn(move || {
                let mut ctx = ShadingContext::new(Arc::new(NoHost));
                for turn in 0..8 {
                    let own = many_closures(registry, diffuse, thread + turn);
                    let tree = own.run(&globals(), &mut ctx).unwrap();
                    assert_eq!(
                        format!("{tree:?}"),
                        format!("ClosureTree({} nodes)", (2 * (thread + turn) - 1).max(0))
                    );
                    let tree = shared.run(&globals(), &mut ctx).unwrap();
                    assert_eq!(format!("{tree:?}"), "ClosureTree(19 nodes)");
                }
            });
        }
    });
}
