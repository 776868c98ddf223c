//! Implicit and explicit type conversions, with their ranks.

use crate::ty::{Base, Length, Type};

/// Ranks of implicit conversions. The numbers are those of OSL's compiler, since their sums decide between overloads.
pub(super) mod rank {
    /// Equal types.
    pub(in super::super) const EXACT: u32 = 100;
    /// int to float.
    pub(in super::super) const PROMOTION: u32 = 77;
    /// Array of known length to one of unknown length.
    pub(in super::super) const LENGTH: u32 = 44;
    /// Between point, vector and normal.
    pub(in super::super) const SPATIAL: u32 = 32;
    /// Between point, vector or normal and color.
    pub(in super::super) const TRIPLE: u32 = 27;
    /// Number to triple or matrix.
    pub(in super::super) const SPREAD: u32 = 23;
    /// To a parameter of type `any`, which is Kiln's own.
    pub(in super::super) const ANY: u32 = 1;
}

/// Names of the built-in types, for hints.
pub(super) const TYPE_NAMES: [&str; 10] = [
    "int", "float", "color", "point", "vector", "normal", "matrix", "string", "void", "closure",
];

/// Returns the known name that is nearest to a wrong one.
pub(super) fn near(wrong: &str, known: &[&str]) -> Option<String> {
    shading_syntax::diagnostic::nearest(wrong, known.iter().copied().filter(|n| !n.starts_with("__")))
        .map(str::to_owned)
}

/// Returns the rank of the implicit conversion from one type to another; `None` if there is none.
pub(super) fn conversion_rank(from: Type, to: Type) -> Option<u32> {
    if from == to {
        return Some(rank::EXACT);
    }
    let triples = from.base.is_triple() && to.base.is_triple();
    let is_color = from.base == Base::Color || to.base == Base::Color;
    let triple = if is_color { rank::TRIPLE } else { rank::SPATIAL };
    match (from.length, to.length) {
        (Length::Single, Length::Single) => match (from.base, to.base) {
            (Base::Int, Base::Float) => Some(rank::PROMOTION),
            _ if triples => Some(triple),
            (Base::Int | Base::Float, b) if b.is_triple() || b == Base::Matrix => Some(rank::SPREAD),
            _ => None,
        },
        (Length::Array(_), Length::Unsized) if from.base == to.base => Some(rank::LENGTH),
        (Length::Array(_), Length::Unsized) if triples => Some(triple),
        (Length::Array(n), Length::Array(m)) if n == m && triples => Some(triple),
        // The remaining elements keep their values.
        (Length::Array(n), Length::Array(m)) if n < m && (triples || from.base == to.base) => {
            Some(rank::SPREAD)
        }
        _ => None,
    }
}

/// Returns whether an explicit cast converts one type into another.
pub(super) fn can_cast(from: Type, to: Type) -> bool {
    let is_number = |base| matches!(base, Base::Int | Base::Float);
    conversion_rank(from, to).is_some()
        || (!from.is_array() && !to.is_array() && is_number(from.base) && is_number(to.base))
}

/// Returns the common type of the operands of a comparison or `?:`.
pub(super) fn common_type(a: Type, b: Type) -> Option<Type> {
    if conversion_rank(a, b).is_some() {
        Some(b)
    } else {
        conversion_rank(b, a).map(|_| a)
    }
}
