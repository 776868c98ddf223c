//! Implicit and explicit type conversions, with their ranks.

use crate::ty::{Base, Length, Type};

/// How an implicit conversion ranks: the numbers of OSL's compiler, since sums of them decide between overloads.
pub(super) mod rank {
    /// The same type.
    pub(in super::super) const EXACT: u32 = 100;
    /// int to float.
    pub(in super::super) const PROMOTION: u32 = 77;
    /// An array of unknown length takes one of known length.
    pub(in super::super) const LENGTH: u32 = 44;
    /// Between point, vector and normal.
    pub(in super::super) const SPATIAL: u32 = 32;
    /// Between these and color.
    pub(in super::super) const TRIPLE: u32 = 27;
    /// A number to a triple or a matrix.
    pub(in super::super) const SPREAD: u32 = 23;
}

/// The types with a keyword, for hints.
pub(super) const TYPE_NAMES: [&str; 10] = [
    "int", "float", "color", "point", "vector", "normal", "matrix", "string", "void", "closure",
];

/// The known name nearest to a wrong one.
pub(super) fn near(wrong: &str, known: &[&str]) -> Option<String> {
    shading_syntax::diagnostic::nearest(wrong, known.iter().copied().filter(|n| !n.starts_with("__")))
        .map(str::to_owned)
}

/// How well a value of one type does where another is wanted; `None` when it needs a cast or cannot be.
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
        // The elements that are missing stay as they are.
        (Length::Array(n), Length::Array(m)) if n < m && (triples || from.base == to.base) => {
            Some(rank::SPREAD)
        }
        _ => None,
    }
}

/// Whether a cast can turn one type into another.
pub(super) fn can_cast(from: Type, to: Type) -> bool {
    let is_number = |base| matches!(base, Base::Int | Base::Float);
    conversion_rank(from, to).is_some()
        || (!from.is_array() && !to.is_array() && is_number(from.base) && is_number(to.base))
}

/// The type that two values meet in, for comparisons and `?:`.
pub(super) fn common_type(a: Type, b: Type) -> Option<Type> {
    if conversion_rank(a, b).is_some() {
        Some(b)
    } else {
        conversion_rank(b, a).map(|_| a)
    }
}
