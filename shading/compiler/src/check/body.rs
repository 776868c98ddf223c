//! HIR code of a function or unit under construction.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::builtins::Global;
use crate::hir::{Block, Code, ColorSpace, Const, ConstId, Local, LocalId, Operand};
use crate::ty::{Base, Length, Type};

/// The code being made, and what is found again in it.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// Tells bodies apart, since a variable of one is nothing in another.
    pub(super) id: u32,
    pub(super) code: Code,
    /// The block being filled.
    pub(super) block: Block,
    /// How many blocks enclose it.
    pub(super) blocks: usize,
    pub(super) constants: FxHashMap<Key, ConstId>,
    /// The copies of globals.
    pub(super) globals: FxHashMap<Global, LocalId>,
    /// Fills the copies; runs before all else.
    pub(super) prologue: Block,
    /// Runs after all else, even where that is left early.
    pub(super) epilogue: Block,
    /// Whether a parameter's default is being made, which runs before the prologue.
    pub(super) in_default: bool,
    /// Whether `exit` in a default has ended the unit; there where one calls it.
    pub(super) exited: Option<LocalId>,
    /// `Ci`, and whether it is written.
    pub(super) ci: Option<LocalId>,
    pub(super) ci_written: bool,
    /// What the metadata `colorspace` of parameters says that name files.
    pub(super) color_spaces: FxHashMap<LocalId, ColorSpace>,
}

/// A constant by its bits.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Int(i32),
    Float(u32),
    Triple([u32; 3]),
    String(Arc<str>),
    Closure,
}

impl Body {
    /// No code yet.
    pub(super) fn new(id: u32) -> Body {
        Body {
            id,
            ..Body::default()
        }
    }

    /// A new variable.
    pub(super) fn local(&mut self, name: impl Into<String>, ty: Type) -> LocalId {
        let name = name.into();
        self.code.locals.push(Local { name, ty })
    }

    /// A constant, equal ones once.
    pub(super) fn constant(&mut self, value: Const) -> Operand {
        let key = match &value {
            Const::Int(i) => Key::Int(*i),
            Const::Float(f) => Key::Float(f.to_bits()),
            Const::Triple(t) => Key::Triple(t.map(f32::to_bits)),
            Const::String(s) => Key::String(s.clone()),
            Const::NullClosure => Key::Closure,
            Const::Matrix(_) | Const::Array(_) => return Operand::Const(self.code.consts.push(value)),
        };
        let consts = &mut self.code.consts;
        Operand::Const(*self.constants.entry(key).or_insert_with(|| consts.push(value)))
    }

    /// The value of an operand known now.
    pub(super) fn known(&self, operand: Operand) -> Option<&Const> {
        match operand {
            Operand::Const(id) => self.code.consts.get(id),
            Operand::Local(_) => None,
        }
    }

    /// The text of an operand known now.
    pub(super) fn known_string(&self, operand: Operand) -> Option<Arc<str>> {
        match self.known(operand)? {
            Const::String(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// The int of an operand known now.
    pub(super) fn known_int(&self, operand: Operand) -> Option<i32> {
        match self.known(operand)? {
            Const::Int(value) => Some(*value),
            _ => None,
        }
    }
}

/// The zero of a leaf's type.
pub(super) fn zero_const(ty: Type) -> Const {
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
