//! Lvalues: variables and parts of them that can be assigned.

use crate::hir::{LocalId, Operand};
use crate::ty::Type;

/// Part of a variable.
#[derive(Clone, Debug)]
pub(super) struct Lvalue {
    /// The type of the part.
    pub(super) ty: Type,
    /// The variables that hold its leaves.
    pub(super) leaves: Vec<LocalId>,
    /// Which element of them.
    pub(super) element: Option<Operand>,
    /// Which component of that.
    pub(super) component: Option<Component>,
    /// Whether it can be written.
    pub(super) access: Access,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Component {
    /// Of a triple.
    Lane(Operand),
    /// Of a matrix, waiting for the second index.
    Row(Operand),
    /// Of a matrix.
    Entry(Operand, Operand),
}

/// Whether something can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// It can.
    Writable,
    /// It can, though it is a parameter that is no output.
    Param(String),
    /// It can, though it is a global that shaders only read.
    Global(&'static str),
    /// It is declared `const`, or a constant of the language.
    Constant(String),
    /// It is a passing value.
    Value,
}

impl Lvalue {
    /// A whole variable.
    pub(super) fn whole(ty: Type, leaves: Vec<LocalId>, access: Access) -> Lvalue {
        Lvalue {
            ty,
            leaves,
            element: None,
            component: None,
            access,
        }
    }

    /// Whether it is a whole variable, not a part of one.
    pub(super) fn is_whole(&self) -> bool {
        self.element.is_none() && self.component.is_none()
    }
}
