//! The shipped shaders with the closures of the renderer, without the renderer: closures are only compiled and listed
//! here, not interpreted.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use shading::hir::Const;
use shading::hir::verify::verify_all;
use shading::ty::{Base, Type};
use shading::{ClosureParam, ClosureRegistry, ClosureSignature, Library, ShaderHost, ShadingSystem, Source};

use crate::data;

/// The renderer's closures, one a line: `diffuse(normal N, string label = "")`. The test `closures_are_those_of_the_renderer`
/// of the program `transport` compares and, with `UPDATE=1`, writes it.
const SIGNATURES: &str = include_str!("../closures.txt");

/// File name without extension and text of the shipped shaders.
static FILES: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let paths = fs::read_dir(data("../shaders")).expect("the shaders are there");
    let paths = paths.map(|entry| entry.expect("it can be listed").path());
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "ksl"))
        .map(|path| {
            let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("it is text"))
        })
        .collect()
});

/// Returns the list of the renderer's closures.
pub fn signature_file() -> PathBuf {
    data("language/closures.txt")
}

/// Returns a shading system with the shipped shaders and the closures of the renderer.
pub fn system<H: ShaderHost + 'static>(host: Arc<H>) -> ShadingSystem {
    ShadingSystem::new(closures(), host).with_library(Library { find, names })
}

/// As [`system`], but without verification of compiled code: for measurements.
pub fn unverified_system<H: ShaderHost + 'static>(host: Arc<H>) -> ShadingSystem {
    ShadingSystem::new(registry(), host).with_library(Library { find, names })
}

/// Returns the closures of the renderer, and turns on verification of compiled code.
pub fn closures() -> ClosureRegistry {
    verify_all();
    registry()
}

fn registry() -> ClosureRegistry {
    let mut registry = ClosureRegistry::default();
    for line in SIGNATURES.lines() {
        registry.register(signature(line)).unwrap();
    }
    registry
}

/// Returns the source of a shipped unit or group.
pub fn find(name: &str) -> Option<Arc<Source>> {
    let text = FILES.get(name)?;
    Some(Source::new(format!("shaders/{name}.ksl"), text.as_str()))
}

/// Returns the names of all shipped units and groups.
pub fn names() -> Vec<&'static str> {
    FILES.keys().map(String::as_str).collect()
}

/// Returns the texts of all shipped shaders.
pub fn texts() -> impl Iterator<Item = String> {
    FILES.values().cloned()
}

fn signature(line: &'static str) -> ClosureSignature {
    let (name, params) = line.strip_suffix(')').and_then(|line| line.split_once('(')).expect("name(…)");
    let params = params.split(", ").filter(|param| !param.is_empty());
    ClosureSignature { name, params: params.map(param).collect() }
}

fn param(text: &'static str) -> ClosureParam {
    let (declared, default) = match text.split_once(" = ") {
        Some((declared, default)) => (declared, Some(default)),
        None => (text, None),
    };
    let (ty, name) = declared.rsplit_once(' ').expect("a type and a name");
    let ty = type_of(ty);
    let number = |text: &str| text.parse::<f32>().expect("a number");
    let default = default.map(|text| match ty.base {
        Base::Int => Const::Int(text.parse().expect("a whole number")),
        Base::Float => Const::Float(number(text)),
        Base::String => Const::String(text.trim_matches('"').into()),
        _ => Const::Triple([number(text); 3]),
    });
    ClosureParam { name, ty, default }
}

fn type_of(text: &str) -> Type {
    let (base, length) = match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
        Some((base, length)) => (base, Some(length.parse().expect("a length"))),
        None => (text, None),
    };
    let one = [
        Type::INT,
        Type::FLOAT,
        Type::COLOR,
        Type::POINT,
        Type::VECTOR,
        Type::NORMAL,
        Type::MATRIX,
        Type::STRING,
        Type::CLOSURE,
    ];
    let one = one.into_iter().find(|ty| ty.to_string() == base).expect("a type");
    length.map_or(one, |length| Type::array(one.base, length))
}

/// Returns a signature as a line of the list.
pub fn line(signature: &ClosureSignature) -> String {
    let param = |param: &ClosureParam| {
        let default = match &param.default {
            None => String::new(),
            Some(Const::Int(value)) => format!(" = {value}"),
            Some(Const::Float(value)) => format!(" = {value}"),
            Some(Const::Triple([value, ..])) => format!(" = {value}"),
            Some(Const::String(text)) => format!(" = \"{text}\""),
            Some(other) => panic!("a default of another type: {other:?}"),
        };
        format!("{} {}{default}", param.ty, param.name)
    };
    let params: Vec<String> = signature.params.iter().map(param).collect();
    format!("{}({})", signature.name, params.join(", "))
}
