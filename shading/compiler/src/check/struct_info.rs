//! Structure types: fields and leaves.

use crate::ty::Type;

#[derive(Clone, Debug)]
pub(super) struct StructInfo {
    pub(super) name: String,
    pub(super) fields: Vec<FieldInfo>,
    /// Paths and types of the leaves: the fields that are not structures.
    pub(super) leaves: Vec<(String, Type)>,
}

#[derive(Clone, Debug)]
pub(super) struct FieldInfo {
    pub(super) name: String,
    pub(super) ty: Type,
}
