//! Compiled code is freed with its instance. The test is alone in its file, since it measures the memory of the process.
#![cfg(target_os = "linux")]

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use shading::hir::build::{CodeBuilder, unit};
use shading::hir::{ClosureId, Op};
use shading::ty::Type;
use shading::{
    ClosureParam, ClosureRegistry, ClosureSignature, CompileOptions, HostFunctions, NoHost, ShaderGlobals,
    ShaderInstance, ShadingContext,
};

#[test]
fn dropped_instances_leave_no_memory() {
    make(200);
    let before = resident();
    make(10_000);
    let grown = resident().saturating_sub(before);
    // A leak of one page each would be 40 MB.
    assert!(grown < 8 << 20, "{grown} bytes");
}

/// Compiles, runs and drops `count` instances.
fn make(count: usize) {
    let mut registry = ClosureRegistry::default();
    let emission = registry.register(ClosureSignature {
        name: "emission",
        params: vec![ClosureParam::new("label", Type::STRING)],
    });
    let emission = emission.expect("closures may have a string");
    let host = HostFunctions::of(Arc::new(NoHost));
    let mut ctx = ShadingContext::new(Arc::new(NoHost));
    for _ in 0..count {
        let instance = ShaderInstance::compile(&glow(emission), &registry, &host, &CompileOptions::default());
        let instance = instance.expect("compiles");
        assert!(instance.run(&ShaderGlobals::default(), &mut ctx).unwrap().root().is_some());
    }
}

fn glow(emission: ClosureId) -> shading::hir::Unit {
    let mut b = CodeBuilder::default();
    let ci = b.local(Type::CLOSURE);
    let (label, two) = (b.string("label"), b.float(2.0));
    let light = b.op(Type::CLOSURE, Op::MakeClosure(emission), &[label]);
    b.set(ci, Op::ClosureMul, &[light, two]);
    unit("glow", &[("Ci", ci)], b, PrimaryMap::new())
}

fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("Linux has it");
    let resident = pages.split_whitespace().nth(1).expect("the second number is the resident size");
    resident.parse::<usize>().expect("a number") * 4096
}
