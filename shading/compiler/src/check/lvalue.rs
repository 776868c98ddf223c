//! Lvalues: variables and parts of them that can be assigned.

use crate::hir::{LocalId, Operand};
use crate::ty::Type;

/// A variable or a part of one.
#[derive(Clone, Debug)]
pub(super) struct Lvalue {
    /// Type of the part.
    pub(super) ty: Type,
    /// Variables that hold its leaves.
    pub(super) leaves: Vec<LocalId>,
    /// Element, of an array.
    pub(super) element: Option<Operand>,
    /// Component, of a triple or matrix.
    pub(super) component: Option<Component>,
    pub(super) access: Access,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Component {
    /// Component of a triple.
    Lane(Operand),
    /// Row of a matrix, before the second index is applied.
    Row(Operand),
    /// Entry of a matrix.
    Entry(Operand, Operand),
}

/// Access rights of an lvalue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Writable.
    Writable,
    /// Writable, but an input parameter.
    Param(String),
    /// Writable, but a global that shaders normally only read.
    Global(&'static str),
    /// Read-only: declared `const`, or a constant of the language.
    Constant(String),
    /// Read-only: a temporary value.
    Value,
}

impl Lvalue {
    /// Creates an lvalue of a whole variable.
    pub(super) fn whole(ty: Type, leaves: Vec<LocalId>, access: Access) -> Lvalue {
        Lvalue { ty, leaves, element: None, component: None, access }
    }

    pub(super) fn is_whole(&self) -> bool {
        self.element.is_none() && self.component.is_none()
    }
}
