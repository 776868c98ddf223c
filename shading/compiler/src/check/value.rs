//! Values during lowering: one operand per leaf of a type.

use crate::hir;
use crate::ty::Type;

/// A value: one operand for each leaf of its type.
#[derive(Clone, Debug)]
pub(super) struct TypedValue {
    pub(super) ty: Type,
    pub(super) leaves: Vec<hir::Operand>,
}

impl TypedValue {
    pub(super) fn new(ty: Type, leaf: hir::Operand) -> TypedValue {
        TypedValue { ty, leaves: vec![leaf] }
    }

    pub(super) fn void() -> TypedValue {
        TypedValue { ty: Type::VOID, leaves: vec![] }
    }

    pub(super) fn leaf(&self) -> hir::Operand {
        self.leaves[0]
    }
}
