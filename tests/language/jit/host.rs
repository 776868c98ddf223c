//! The host, and what is printed and reported to it.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use shading::builtins::Builtin;
use shading::eval;
use shading::hir::build::{CodeBuilder, unit};
use shading::hir::{Const, LocalId, Op, Stmt, TextureOptions};
use shading::runtime::{ReportKind, RunError};
use shading::ty::{Base, Type};
use shading::{
    ClosureRegistry, CompileOptions, HostFunctions, NoHost, OptLevel, ShaderGlobals, ShaderHost,
    ShaderInstance, ShadingContext, Source, SourceMap, TextureHandle, TextureLookup, TextureRequest,
    TextureSample,
};

use super::geometry::MATRIX;
use super::{compile, globals};

/// A host with one texture, for `x.exr`.
struct TestHost;

impl ShaderHost for TestHost {
    fn texture_handle(&self, request: &TextureRequest) -> Option<TextureHandle> {
        (request.file == "x.exr").then_some(TextureHandle(7))
    }

    fn texture(&self, handle: TextureHandle, lookup: &TextureLookup) -> TextureSample {
        let [s, t, _] = lookup.position;
        TextureSample {
            value: [handle.0 as f32, s, t, lookup.dx[1]],
            ..TextureSample::default()
        }
    }

    fn matrix(&self, _: &ShaderGlobals, from: &str, to: &str) -> Option<[f32; 16]> {
        (from == "world" && to == "camera").then_some(MATRIX)
    }

    fn attribute(&self, globals: &ShaderGlobals, _: &str, name: &str) -> Option<[f32; 4]> {
        (name == "uv").then_some([globals.u, globals.v, 9.0, 0.0])
    }
}

#[test]
fn the_host_is_asked() {
    let mut b = CodeBuilder::default();
    let types = [
        Type::array(Base::Float, 4),
        Type::array(Base::Float, 4),
        Type::array(Base::Float, 4),
        Type::array(Base::Float, 4),
        Type::MATRIX,
        Type::MATRIX,
        Type::INT,
        Type::COLOR,
        Type::INT,
    ];
    let out = types.map(|ty| b.local(ty));
    let (s, t) = (b.float(0.25), b.float(0.5));
    let options = TextureOptions::default();
    let (known, unknown) = (b.string("x.exr"), b.string("y.exr"));
    let (known_var, unknown_var) =
        (b.op(Type::STRING, Op::Copy, &[known]), b.op(Type::STRING, Op::Copy, &[unknown]));
    let zero = b.float(0.0);
    for (out, file) in out.into_iter().zip([known, known_var, unknown, unknown_var]) {
        b.set(out, Op::Texture(options), &[file, s, t, zero, s, zero, zero]);
    }
    let (common, camera, nowhere) = (b.string("common"), b.string("camera"), b.string("nowhere"));
    let space = Op::Builtin(Builtin::SpaceMatrix);
    b.set(out[4], space, &[common, camera]);
    b.set(out[5], space, &[common, nowhere]);
    let (object, uv, none) = (b.string(""), b.string("uv"), b.string("none"));
    b.set(out[6], Op::Builtin(Builtin::HasAttribute), &[object, uv]);
    b.set(out[7], Op::AttributeValue, &[object, uv]);
    b.set(out[8], Op::Builtin(Builtin::HasAttribute), &[object, none]);
    let names: Vec<String> = (0..out.len()).map(|i| i.to_string()).collect();
    let outputs: Vec<(&str, LocalId)> = names.iter().map(String::as_str).zip(out).collect();
    let unit = unit("host", &outputs, b, PrimaryMap::new());

    let host = Arc::new(TestHost);
    let options = CompileOptions::default();
    let registry = ClosureRegistry::default();
    let instance = ShaderInstance::compile(&unit, &registry, &HostFunctions::of(host.clone()), &options)
        .expect("compiles");
    let missing = &instance.statistics().missing_textures;
    assert!(missing.iter().map(|texture| texture.name.as_str()).eq(["y.exr"]));
    let mut ctx = ShadingContext::new(host);
    instance.run(&globals(), &mut ctx).unwrap();
    let values: Vec<Const> = (0..out.len()).map(|i| instance.output(i, &ctx).unwrap()).collect();
    let floats = |values: [f32; 4]| Const::Array(values.map(Const::Float).to_vec());
    let expected = [
        floats([7.0, 0.25, 0.5, 0.25]),
        floats([7.0, 0.25, 0.5, 0.25]),
        floats([0.0; 4]),
        floats([0.0; 4]),
        Const::Matrix(MATRIX),
        Const::Matrix(eval::matrix::IDENTITY),
        Const::Int(1),
        Const::Triple([0.25, 0.75, 9.0]),
        Const::Int(0),
    ];
    assert_eq!(values, expected);
    let reports: Vec<ReportKind> = ctx.take_reports().iter().map(|r| r.kind).collect();
    assert_eq!(reports, [ReportKind::MissingTexture]);
    assert!(ctx.take_printed().contains("Unknown transformation"));
}

#[test]
fn a_context_of_another_host_is_refused() {
    let unit = unit("test", &[], CodeBuilder::default(), PrimaryMap::new());
    let instance = compile(&unit, &ClosureRegistry::default(), OptLevel::Fast);
    let mut context = ShadingContext::new(Arc::new(TestHost));
    assert_eq!(instance.run(&globals(), &mut context).err(), Some(RunError::OtherHost));
}

#[test]
fn output_is_printed() {
    let mut b = CodeBuilder::default();
    let format = b.string("%d\n");
    let three = b.int(3);
    b.count(three, |b, i| b.effect(Op::Builtin(Builtin::Printf), &[format, i]));
    let unit = unit("print", &[], b, PrimaryMap::new());
    let instance = compile(&unit, &ClosureRegistry::default(), OptLevel::Plain);
    let mut ctx = ShadingContext::new(Arc::new(NoHost));
    instance.run(&globals(), &mut ctx).unwrap();
    assert_eq!(ctx.take_printed(), "0\n1\n2\n");
    assert_eq!(ctx.take_printed(), "");
}

#[test]
fn reports_name_the_line() {
    let mut sources = SourceMap::default();
    sources.add(Source::new("a.ksl", "shader a()\n{ while (1); }\n"));
    let mut b = CodeBuilder::default();
    b.repeat(|_| {});
    let mut unit = unit("a", &[], b, PrimaryMap::new());
    if let Stmt::Loop { span, .. } = &mut unit.code.body[0] {
        (span.start, span.end) = (13, 23);
    }
    let options = CompileOptions { sources: Some(&sources), ..CompileOptions::default() };
    let host = HostFunctions::of(Arc::new(NoHost));
    let instance = ShaderInstance::compile(&unit, &ClosureRegistry::default(), &host, &options);
    let mut ctx = ShadingContext::new(Arc::new(NoHost));
    instance.expect("compiles").run(&globals(), &mut ctx).unwrap();
    let reports = ctx.take_reports();
    assert!(!ctx.finished());
    assert!(
        reports[0].to_string().starts_with("a.ksl:2:3: a: the shader takes"),
        "{}",
        reports[0]
    );
}
