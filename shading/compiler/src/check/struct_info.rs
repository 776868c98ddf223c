//! Structure types: fields and leaves.

use crate::ty::Type;

/// A structure type.
#[derive(Clone, Debug)]
pub(super) struct StructInfo {
    pub(super) name: String,
    pub(super) fields: Vec<FieldInfo>,
    /// Paths and types of the leaves: the fields that are not structures.
    pub(super) leaves: Vec<(String, Type)>,
}

/// A field of a structure.
#[derive(Clone, Debug)]
pub(super) struct FieldInfo {
    pub(super) name: String,
    pub(super) ty: Type,
}
