//! AST of parameters and metadata.

use super::{ArrayLength, Expr, Name, TypeName};
use crate::source::Span;

/// One entry of `[[ … ]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    /// Declared type.
    pub ty: TypeName,
    /// Name.
    pub name: Name,
    /// `[3]`, if it is an array.
    pub array: Option<ArrayLength>,
    /// Value.
    pub value: Expr,
    /// Span of the whole entry.
    pub span: Span,
}

/// Passing modes of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// Read only.
    In,
    /// `output` (and TSL's `out`): a result of a unit, a reference parameter of a function.
    Output,
    /// `const`: TSL's read-only qualifier.
    Const,
}

/// A parameter of a unit, a group or a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Passing mode.
    pub passing: Passing,
    /// Type.
    pub ty: TypeName,
    /// Name; empty for an unnamed parameter of a prototype.
    pub name: Name,
    /// `[3]` or `[]`, if it is an array.
    pub array: Option<ArrayLength>,
    /// Default value.
    pub default: Option<Expr>,
    /// Metadata.
    pub metadata: Vec<Metadata>,
    /// Span of the whole parameter.
    pub span: Span,
}
