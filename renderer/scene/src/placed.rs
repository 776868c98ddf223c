//! Values with their source location.

use shading::Span;

/// A value with its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Where it is written, or the place that made it the default.
    pub span: Span,
}
