//! HIR units: parameters, metadata and code.

use cranelift_entity::PrimaryMap;

use super::walk;
use super::{Block, Code, Const, Function, FunctionId, LocalId, Op};
use crate::builtins::{Builtin, Global};
use crate::ty::{Length, Type};
use shading_syntax::ast::UnitKind;
use shading_syntax::source::Span;

/// Metadata of a unit or a parameter: an entry of `[[ … ]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    /// Name.
    pub name: String,
    /// Value.
    pub value: Const,
    /// Declared type.
    pub ty: Type,
}

/// Returns the value of a metadata entry of type int.
pub fn int_metadata(metadata: &[Metadata], name: &str) -> Option<i32> {
    let entry = metadata.iter().find(|entry| entry.name == name)?;
    match entry.value {
        Const::Int(value) => Some(value),
        _ => None,
    }
}

/// Returns the value of a metadata entry of type string.
pub fn text_metadata<'m>(metadata: &'m [Metadata], name: &str) -> Option<&'m str> {
    let entry = metadata.iter().find(|entry| entry.name == name)?;
    match &entry.value {
        Const::String(text) => Some(text),
        _ => None,
    }
}

/// A parameter of a unit. It is not a structure: a structure parameter `s` becomes adjacent parameters `s.a`, `s.b` …
#[derive(Clone, Debug)]
pub struct Param {
    /// Name, with the path of fields.
    pub name: String,
    /// Type; an unsized array has the length of its default.
    pub ty: Type,
    /// True if declared unsized. The length is then that of the connected array.
    pub is_unsized: bool,
    /// True if declared `any`. The type is then that of the connected value.
    pub is_any: bool,
    /// True if the unit queries the connection of the parameter.
    pub queries_connection: bool,
    /// True if the unit queries whether the parameter has a value.
    pub queries_given: bool,
    /// True for an output.
    pub output: bool,
    /// Variable in the unit's code that holds it.
    pub local: LocalId,
    /// Code that assigns the default to `local`; executed if no value is given or connected. May read earlier
    /// parameters.
    pub init: Block,
    /// Location of the default in the unit's sources, if there is one.
    pub default: Option<Span>,
    /// Type name of the structure, if it is a field of one.
    pub struct_name: Option<String>,
    /// Metadata.
    pub metadata: Vec<Metadata>,
    /// Location of the declaration.
    pub span: Span,
}

impl Param {
    /// Returns the geometry attributes that take precedence over the default and over a constant value, but not over a
    /// connection; highest precedence first. The metadata `primvar` lists them; if the parameter is `interpolated` (or has
    /// `lockgeom = 0`, the older spelling), the attribute of its own name is used. The argument `interpolated` overrides the
    /// metadata.
    pub fn attributes(&self, interpolated: Option<bool>) -> Vec<&str> {
        if interpolated == Some(false) {
            return vec![];
        }
        let listed = self.metadata.iter().find(|entry| entry.name == "primvar");
        if let Some(Metadata { value: Const::String(list), .. }) = listed {
            return list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        }
        let said = || {
            let interpolated = int_metadata(&self.metadata, "interpolated").map(|value| value != 0);
            interpolated.or(int_metadata(&self.metadata, "lockgeom").map(|value| value == 0))
        };
        let is_interpolated = interpolated.or_else(said).unwrap_or(false);
        is_interpolated.then_some(self.name.as_str()).into_iter().collect()
    }

    /// Creates an output without metadata and default.
    pub fn output(name: &str, ty: Type, local: LocalId, span: Span) -> Param {
        Param {
            name: name.to_owned(),
            ty,
            is_unsized: false,
            is_any: false,
            queries_connection: false,
            queries_given: false,
            output: true,
            local,
            init: vec![],
            default: None,
            struct_name: None,
            metadata: vec![],
            span,
        }
    }
}

/// A variable of a unit that holds a global.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalVariable {
    /// The global; `None` for `Ci`.
    pub global: Option<Global>,
    /// The variable, initialised with a copy of the shading point's value, or null.
    pub local: LocalId,
    /// True if the unit's body assigns to it.
    pub is_written: bool,
}

impl Unit {
    /// Returns whether the body assigns to a global.
    pub fn writes_globals(&self) -> bool {
        self.globals.iter().any(|variable| variable.is_written)
    }

    /// Returns whether the unit calls a built-in function.
    pub fn calls(&self, builtin: Builtin) -> bool {
        let functions = self.functions.values().map(|function| &function.code.body);
        let inits = self.params.iter().map(|param| &param.init);
        let mut calls = false;
        for block in functions.chain(inits).chain([&self.code.body]) {
            walk::ops(block, &mut |op, _| calls |= op == Op::Builtin(builtin));
        }
        calls
    }

    /// Returns the size of the unit: number of statements, variables and constants of its code and its functions. Each
    /// element of an array counts.
    pub fn weight(&self) -> u64 {
        let codes = || {
            let functions = self.functions.values().map(|function| &function.code);
            functions.chain([&self.code])
        };
        let mut statements = 0u64;
        let mut count = |block: &Block| walk::statements(block, &mut |_| statements += 1);
        codes().for_each(|code| count(&code.body));
        self.params.iter().for_each(|param| count(&param.init));
        let elements = |ty: Type| match ty.length {
            Length::Array(n) => u64::from(n),
            Length::Single | Length::Unsized => 1,
        };
        let locals = codes().flat_map(|code| code.locals.values()).map(|local| elements(local.ty));
        let consts = codes().flat_map(|code| code.consts.values()).map(|value| match value {
            Const::Array(list) => list.len() as u64,
            _ => 1,
        });
        statements + locals.sum::<u64>() + consts.sum::<u64>()
    }
}

/// A checked unit, or a group linked into a single unit.
///
/// If a unit writes `Ci`, it has an output parameter `Ci` of type closure; a displacement shader that uses `P` has an output
/// parameter `P`. Other globals that a unit writes are copies. Default
/// values are evaluated first, in order of `params`, then `code.body`.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Name in source.
    pub name: String,
    /// Shader kind.
    pub kind: UnitKind,
    /// Parameters in order of declaration.
    pub params: Vec<Param>,
    /// Metadata.
    pub metadata: Vec<Metadata>,
    /// Variables that hold globals, each global at most once; empty after linking.
    pub globals: Vec<GlobalVariable>,
    /// Code; the parameters are among its locals.
    pub code: Code,
    /// Recursive functions that it calls.
    pub functions: PrimaryMap<FunctionId, Function>,
    /// Location of its name.
    pub span: Span,
}
