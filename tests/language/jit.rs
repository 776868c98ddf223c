//! Compiled code against expected values: each family of operations, control flow, closures, bounds and threads.

mod arithmetic;
mod check;
mod closure;
mod flow;
mod geometry;
mod host;
mod value;

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use shading::hir::build::{CodeBuilder, unit};
use shading::hir::verify::verify_all;
use shading::hir::{Const, LocalId, Unit};
use shading::runtime::ReportKind;
use shading::{
    ClosureRegistry, CompileOptions, HostFunctions, NoHost, OptLevel, ShaderGlobals, ShaderInstance,
    ShadingContext,
};

const LEVELS: [OptLevel; 3] = [OptLevel::Fast, OptLevel::Plain, OptLevel::Full];

fn compile(unit: &Unit, registry: &ClosureRegistry, level: OptLevel) -> ShaderInstance {
    verify_all();
    let options = CompileOptions { level, ..CompileOptions::default() };
    ShaderInstance::compile(unit, registry, &HostFunctions::of(Arc::new(NoHost)), &options).expect("compiles")
}

/// Runs code at each level, and calls `check` with the outputs and reports.
fn run(outputs: &[LocalId], code: impl Fn() -> CodeBuilder, check: impl Fn(&[Const], &[ReportKind])) {
    for level in LEVELS {
        let names: Vec<String> = (0..outputs.len()).map(|i| format!("o{i}")).collect();
        let outputs: Vec<(&str, LocalId)> =
            names.iter().zip(outputs).map(|(n, l)| (n.as_str(), *l)).collect();
        let unit = unit("test", &outputs, code(), PrimaryMap::new());
        let instance = compile(&unit, &ClosureRegistry::default(), level);
        let mut ctx = ShadingContext::new(Arc::new(NoHost));
        instance.run(&globals(), &mut ctx).unwrap();
        let values: Vec<Const> = (0..outputs.len()).map(|i| instance.output(i, &ctx).unwrap()).collect();
        let reports: Vec<ReportKind> = ctx.take_reports().iter().map(|r| r.kind).collect();
        check(&values, &reports);
    }
}

fn globals() -> ShaderGlobals {
    ShaderGlobals {
        p: [1.0, 2.0, 3.0].into(),
        u: 0.25,
        v: 0.75,
        backfacing: 1,
        ..ShaderGlobals::default()
    }
}
