//! HIR code of a function or unit under construction.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::lvalue::Lvalue;
use crate::builtins::Global;
use crate::hir::{Block, Code, ColorSpace, Const, ConstId, Local, LocalId, Operand};
use crate::ty::{Base, Length, Type};

/// Code under construction, with tables that share its constants and reuse its variables.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// Identifies the body: its variables are invalid in other bodies.
    pub(super) id: u32,
    pub(super) code: Code,
    /// Block under construction.
    pub(super) block: Block,
    pub(super) blocks: usize,
    pub(super) constants: FxHashMap<ConstantKey, ConstId>,
    /// Local copies of globals.
    pub(super) globals: FxHashMap<Global, LocalId>,
    /// Initialises the copies of globals; runs first.
    pub(super) prologue: Block,
    /// Runs last, even if the body is left early.
    pub(super) epilogue: Block,
    /// True while the default of a parameter is lowered, which runs before the prologue.
    pub(super) in_default: bool,
    /// Flag that is set if `exit` in a default ends the unit; `None` if no default calls `exit`.
    pub(super) exited: Option<LocalId>,
    /// Variable of `Ci`, and whether it is written.
    pub(super) ci: Option<LocalId>,
    pub(super) ci_written: bool,
    /// Copies of variables at file scope; `None` after an error.
    pub(super) file_variables: FxHashMap<usize, Option<Lvalue>>,
    /// Texture handles at file scope that the code uses.
    pub(super) texture_handles: Vec<(usize, Lvalue)>,
    /// Colour spaces of the texture files named by parameters, from their metadata `colorspace`.
    pub(super) color_spaces: FxHashMap<LocalId, ColorSpace>,
}

/// Key of a constant: its bits.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum ConstantKey {
    Int(i32),
    Float(u32),
    Triple([u32; 3]),
    String(Arc<str>),
    Closure,
}

impl Body {
    /// Creates an empty body.
    pub(super) fn new(id: u32) -> Body {
        Body { id, ..Body::default() }
    }

    /// Adds a variable.
    pub(super) fn local(&mut self, name: impl Into<String>, ty: Type) -> LocalId {
        let name = name.into();
        self.code.locals.push(Local { name, ty })
    }

    /// Adds a constant, sharing equal ones.
    pub(super) fn constant(&mut self, value: Const) -> Operand {
        let key = match &value {
            Const::Int(i) => ConstantKey::Int(*i),
            Const::Float(f) => ConstantKey::Float(f.to_bits()),
            Const::Triple(t) => ConstantKey::Triple(t.map(f32::to_bits)),
            Const::String(s) => ConstantKey::String(s.clone()),
            Const::NullClosure => ConstantKey::Closure,
            Const::Matrix(_) | Const::Array(_) => return Operand::Const(self.code.consts.push(value)),
        };
        let consts = &mut self.code.consts;
        Operand::Const(*self.constants.entry(key).or_insert_with(|| consts.push(value)))
    }

    pub(super) fn known(&self, operand: Operand) -> Option<&Const> {
        match operand {
            Operand::Const(id) => self.code.consts.get(id),
            Operand::Local(_) => None,
        }
    }

    /// Returns the text of an operand that is a constant string.
    pub(super) fn known_string(&self, operand: Operand) -> Option<Arc<str>> {
        match self.known(operand)? {
            Const::String(text) => Some(text.clone()),
            _ => None,
        }
    }

    pub(super) fn known_int(&self, operand: Operand) -> Option<i32> {
        match self.known(operand)? {
            Const::Int(value) => Some(*value),
            _ => None,
        }
    }
}

/// Returns the zero of a leaf's type.
pub(crate) fn zero_const(ty: Type) -> Const {
    let element = match ty.base {
        Base::Int | Base::Void | Base::Struct(_) => Const::Int(0),
        Base::Float => Const::Float(0.0),
        Base::Color | Base::Point | Base::Vector | Base::Normal => Const::Triple([0.0; 3]),
        Base::Matrix => Const::Matrix([0.0; 16]),
        Base::String => Const::String("".into()),
        Base::Closure => Const::NullClosure,
    };
    match ty.length {
        Length::Single => element,
        Length::Array(n) => Const::Array(vec![element; n as usize]),
        Length::Unsized => Const::Array(vec![element]),
    }
}
