//! State of the writer, operands and diagnostics.

use cranelift_entity::{EntityRef, SecondaryMap};
use shading_compiler::hir::kind::Element;
use shading_compiler::hir::{
    ClosureRegistry, Code, Const, FunctionId, Kind, LocalId, Operand, ScopeId, Unit,
};
use shading_syntax::diagnostic::{Diagnostic, Diagnostics};
use shading_syntax::source::{SourceMap, Span};

use super::frame::{LoopFrame, mark};
use super::literal;
use super::string_table::StringTable;
use crate::error::RasterError;
use crate::inputs::Inputs;
use crate::names::{contains_word, type_name, variable};
use crate::part::Parts;

/// Data that the functions of a program share.
pub(crate) struct Program<'a> {
    pub(crate) unit: &'a Unit,
    pub(crate) sources: &'a SourceMap,
    pub(crate) closures: &'a ClosureRegistry,
    /// Parts that the pass needs.
    pub(crate) parts: Parts,
}

pub(super) struct FunctionWriter<'a, 'p> {
    pub(super) program: &'a Program<'p>,
    pub(super) code: &'a Code,
    pub(super) inputs: &'a mut Inputs,
    pub(super) strings: StringTable,
    pub(super) text: String,
    pub(super) depth: usize,
    pub(super) frames: Vec<LoopFrame>,
    /// Scopes that are left through an inner loop.
    pub(super) marked: Vec<ScopeId>,
    /// Variables that are declared at their only assignment.
    pub(super) single: SecondaryMap<LocalId, bool>,
    pub(super) uses_fuel: bool,
    pub(super) temporaries: usize,
    pub(super) diagnostics: Diagnostics,
}

impl FunctionWriter<'_, '_> {
    /// Returns the declarations of variables, initialised with zero as in HIR, and of constant arrays.
    pub(super) fn declarations(&mut self) -> String {
        let code = self.code;
        let mut text = String::new();
        let mut declare = |line: String| text += &format!("    {line}\n");
        for scope in &self.marked {
            declare(format!("var {} = false;", mark(*scope)));
        }
        for (id, value) in &code.consts {
            if let Const::Array(list) = value {
                let name = array_name(id.index());
                if !list.is_empty() && contains_word(&self.text, &name) {
                    let value = literal::constant(value, &mut self.strings);
                    declare(format!("var {name} = {value};"));
                }
            }
        }
        for (id, local) in &code.locals {
            let name = variable(code, id);
            let is_output = self.program.unit.params.iter().any(|param| param.local == id);
            let Some(kind) = Kind::of(local.ty) else { continue };
            if is_output || !self.single[id] && contains_word(&self.text, &name) {
                declare(format!("var {name}: {};", type_name(kind)));
            }
        }
        text
    }

    pub(super) fn indentation(&self) -> String {
        "    ".repeat(self.depth)
    }

    pub(super) fn line(&mut self, line: &str) {
        self.text += &self.indentation();
        self.text += line;
        self.text.push('\n');
    }

    pub(super) fn nested(&mut self, write: impl FnOnce(&mut Self)) {
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }

    /// Returns an unused name.
    pub(super) fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("t{}", self.temporaries)
    }

    /// Returns an operand as an expression without side effects and of highest precedence.
    pub(super) fn operand(&mut self, operand: Operand) -> String {
        match operand {
            Operand::Local(local) => variable(self.code, local),
            Operand::Const(id) => match &self.code.consts[id] {
                Const::Array(_) => array_name(id.index()),
                value => literal::constant(value, &mut self.strings),
            },
        }
    }

    /// Returns an operand as an expression that compilers do not fold, because WGSL rejects constant expressions that
    /// overflow.
    pub(super) fn opaque(&mut self, operand: Operand) -> String {
        let text = self.operand(operand);
        let letter = match (operand, self.kind(operand)) {
            (Operand::Local(_), _) => return text,
            (_, Kind::One(Element::Int | Element::String)) => "i",
            (_, Kind::One(Element::Float)) => "f",
            (_, Kind::One(Element::Triple)) => "v",
            (_, Kind::One(Element::Matrix)) => "m",
            (_, Kind::One(Element::Closure) | Kind::Array(..)) => return text,
        };
        format!("kiln_opaque_{letter}({text})")
    }

    pub(super) fn kind(&self, operand: Operand) -> Kind {
        let kind = match operand {
            Operand::Local(local) => Kind::of(self.code.locals[local].ty),
            Operand::Const(id) => Kind::of_const(&self.code.consts[id]),
        };
        kind.unwrap_or(Kind::INT)
    }

    pub(super) fn constant(&self, operand: Operand) -> Option<&Const> {
        match operand {
            Operand::Local(_) => None,
            Operand::Const(id) => Some(&self.code.consts[id]),
        }
    }

    pub(super) fn constant_text(&self, operand: Operand) -> Option<&str> {
        match self.constant(operand)? {
            Const::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns whether the code contains a string, so that a variable may hold it.
    pub(super) fn names_text(&self, text: &str) -> bool {
        let is_it = |value: &Const| matches!(value, Const::String(known) if **known == *text);
        self.code.consts.values().any(|value| match value {
            Const::Array(list) => list.iter().any(is_it),
            value => is_it(value),
        })
    }

    pub(super) fn report(&mut self, error: RasterError, span: Span) {
        let diagnostic = Diagnostic::from(error);
        // Code of links has no source location.
        let diagnostic = if span.end > span.start {
            diagnostic.at(self.program.sources, span, "")
        } else {
            diagnostic
        };
        self.diagnostics.add_new(vec![diagnostic]);
    }

    pub(super) fn call(&mut self, function: FunctionId, span: Span) {
        let name = self.program.unit.functions[function].name.clone();
        self.report(RasterError::Recursion(name), span);
    }
}

fn array_name(index: usize) -> String {
    format!("list_c{index}")
}
