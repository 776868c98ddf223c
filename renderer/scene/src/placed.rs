//! Values with their source location.

use shading::Span;

/// Value with its source location.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Source location of the value, or of the declaration that implies the default.
    pub span: Span,
}
