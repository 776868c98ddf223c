//! AST of parameters and metadata.

use super::{ArrayLength, Expr, Name, TypeName};
use crate::source::Span;

/// One entry of `[[ … ]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    /// Its declared type.
    pub ty: TypeName,
    /// Its name.
    pub name: Name,
    /// `[3]`, when it is an array.
    pub array: Option<ArrayLength>,
    /// Its value.
    pub value: Expr,
    /// All of it.
    pub span: Span,
}

/// How a parameter is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// Read only.
    In,
    /// `output` (and TSL's `out`): of a unit a result, of a function a reference.
    Output,
    /// `const`, TSL's read-only qualifier.
    Const,
}

/// A parameter of a unit, a group or a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// How it is passed.
    pub passing: Passing,
    /// Its type.
    pub ty: TypeName,
    /// Its name; empty in a prototype that gives none.
    pub name: Name,
    /// `[3]` or `[]`, when it is an array.
    pub array: Option<ArrayLength>,
    /// The value when none is given.
    pub default: Option<Expr>,
    /// What is said of it.
    pub metadata: Vec<Metadata>,
    /// All of it.
    pub span: Span,
}
