//! Values: one operand for each leaf of a type.

use crate::hir;
use crate::ty::Type;

/// A value: one operand for each leaf of its type.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) ty: Type,
    pub(super) leaves: Vec<hir::Operand>,
}

impl Value {
    pub(super) fn new(ty: Type, leaf: hir::Operand) -> Value {
        Value {
            ty,
            leaves: vec![leaf],
        }
    }

    pub(super) fn void() -> Value {
        Value {
            ty: Type::VOID,
            leaves: vec![],
        }
    }

    /// The one operand of a value that is no structure.
    pub(super) fn leaf(&self) -> hir::Operand {
        self.leaves[0]
    }
}
