//! HIR units: parameters, metadata and code.

use cranelift_entity::PrimaryMap;

use super::walk;
use super::{Block, Code, Const, Function, FunctionId, LocalId, Op};
use crate::builtins::{Builtin, Global};
use crate::ty::{Length, Type};
use shading_syntax::ast::UnitKind;
use shading_syntax::source::Span;

/// What is said of a unit or a parameter in `[[ … ]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Const,
    /// Its type as declared.
    pub ty: Type,
}

/// What metadata of type int says.
pub fn said_int(metadata: &[Metadata], name: &str) -> Option<i32> {
    let entry = metadata.iter().find(|entry| entry.name == name)?;
    match entry.value {
        Const::Int(value) => Some(value),
        _ => None,
    }
}

/// A parameter of a unit, not a structure: a structure parameter `s` is parameters `s.a`, `s.b` … side by side.
#[derive(Clone, Debug)]
pub struct Param {
    /// Name, with the path of fields.
    pub name: String,
    /// Its type; an unsized array has the default's length.
    pub ty: Type,
    /// Whether it was declared unsized, and so takes the length of what is connected.
    pub is_unsized: bool,
    /// Whether it was declared `any`, and so takes the type of what is connected.
    pub is_any: bool,
    /// Whether the unit asks how it is connected.
    pub is_asked: bool,
    /// Whether it is an output.
    pub output: bool,
    /// The variable in the unit's code that holds it.
    pub local: LocalId,
    /// Assigns the default to `local`; runs where nothing is connected or given. May read earlier parameters.
    pub init: Block,
    /// The structure's type name, when it is a field of one.
    pub struct_name: Option<String>,
    /// What is said of it.
    pub metadata: Vec<Metadata>,
    /// Where it is declared.
    pub span: Span,
}

impl Param {
    /// The attributes of the geometry that go before its default, the first first: those that `primvar` lists, or the
    /// one of its own name where it is `interpolated`, `lockgeom` being the older word for the opposite.
    ///
    /// `given` says that a constant is given: then only an `interpolated` parameter asks for its attribute.
    pub fn attributes(&self, interpolated: Option<bool>, given: bool) -> Vec<&str> {
        let listed = self.metadata.iter().find(|entry| entry.name == "primvar");
        if let Some(Metadata {
            value: Const::String(list),
            ..
        }) = listed
        {
            if given {
                return vec![];
            }
            return list
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .collect();
        }
        let said = || {
            let interpolated = said_int(&self.metadata, "interpolated").map(|value| value != 0);
            interpolated.or(said_int(&self.metadata, "lockgeom").map(|value| value == 0))
        };
        let is_interpolated = interpolated.or_else(said).unwrap_or(false);
        is_interpolated
            .then_some(self.name.as_str())
            .into_iter()
            .collect()
    }

    /// An output that nothing is said of and that no default is assigned to.
    pub fn output(name: &str, ty: Type, local: LocalId, span: Span) -> Param {
        Param {
            name: name.to_owned(),
            ty,
            is_unsized: false,
            is_any: false,
            is_asked: false,
            output: true,
            local,
            init: vec![],
            struct_name: None,
            metadata: vec![],
            span,
        }
    }
}

/// A variable of a unit that holds a global.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalVariable {
    /// Which global; `None` for `Ci`.
    pub global: Option<Global>,
    /// The variable: a copy of the shading point's value, or null at first.
    pub local: LocalId,
    /// Whether the unit's body assigns to it.
    pub is_written: bool,
}

impl Unit {
    /// Whether its body assigns to a global.
    pub fn writes_globals(&self) -> bool {
        self.globals.iter().any(|variable| variable.is_written)
    }

    /// Whether a built-in function is called anywhere in it.
    pub fn calls(&self, builtin: Builtin) -> bool {
        let functions = self.functions.values().map(|function| &function.code.body);
        let inits = self.params.iter().map(|param| &param.init);
        let mut calls = false;
        for block in functions.chain(inits).chain([&self.code.body]) {
            walk::ops(block, &mut |op, _| calls |= op == Op::Builtin(builtin));
        }
        calls
    }

    /// How much there is of it: statements, variables and constants of its code and its functions, with all elements of
    /// arrays.
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
        let locals = codes()
            .flat_map(|code| code.locals.values())
            .map(|local| elements(local.ty));
        let consts = codes()
            .flat_map(|code| code.consts.values())
            .map(|value| match value {
                Const::Array(list) => list.len() as u64,
                _ => 1,
            });
        statements + locals.sum::<u64>() + consts.sum::<u64>()
    }
}

/// A checked unit, or a whole group linked into one.
///
/// `Ci`, when a unit writes it, is an output parameter `Ci` of type closure. Other globals that it writes are its own
/// copies. Default values run first, in order of `params`, then `code.body`.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Name in source.
    pub name: String,
    /// What it is for.
    pub kind: UnitKind,
    /// Parameters in order of declaration.
    pub params: Vec<Param>,
    /// What is said of it.
    pub metadata: Vec<Metadata>,
    /// Its variables for globals, each global at most once; none after linking.
    pub globals: Vec<GlobalVariable>,
    /// Its code; parameters are among its locals.
    pub code: Code,
    /// Recursive functions that it calls.
    pub functions: PrimaryMap<FunctionId, Function>,
    /// Where its name stands.
    pub span: Span,
}
