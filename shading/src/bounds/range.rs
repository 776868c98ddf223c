//! Ranges of floats: an interval of numbers, and whether the value may be NaN.
//!
//! The bounds are those of the results of the `f32` operations, not of real arithmetic: rounding to nearest is monotonic, so
//! the rounded result of a bound is a bound of the rounded results, and basic operations need no outward rounding.

use std::cmp::Ordering;

/// A set of floats: the numbers from `min` to `max` (none if `min > max`), and NaN if `may_be_nan`. Negative zero is less
/// than zero.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// Least number; may be −∞.
    pub min: f32,
    /// Largest number; may be ∞.
    pub max: f32,
    /// True if the value may be NaN.
    pub may_be_nan: bool,
}

/// Limits that a growing bound of a loop stops at before it becomes infinite.
const LANDMARKS: [f32; 4] = [0.0, 1.0, 1e3, 1e6];

impl PartialEq for Range {
    fn eq(&self, other: &Range) -> bool {
        let key = |range: &Range| (range.min.to_bits(), range.max.to_bits(), range.may_be_nan);
        key(self) == key(other)
    }
}

impl Range {
    /// Any float.
    pub const UNKNOWN: Range = Range { min: f32::NEG_INFINITY, max: f32::INFINITY, may_be_nan: true };

    /// NaN only.
    pub const NAN: Range = Range { may_be_nan: true, ..Range::EMPTY };

    /// No value.
    pub(super) const EMPTY: Range = Range {
        min: f32::INFINITY,
        max: f32::NEG_INFINITY,
        may_be_nan: false,
    };

    /// Returns the range of the numbers from `min` to `max`; both zeros if one of them is a bound. A bound that is NaN is
    /// unknown.
    pub fn new(min: f32, max: f32) -> Range {
        let min = if min.is_nan() { f32::NEG_INFINITY } else { min };
        let max = if max.is_nan() { f32::INFINITY } else { max };
        Range {
            min: if min == 0.0 { -0.0 } else { min },
            max: if max == 0.0 { 0.0 } else { max },
            may_be_nan: false,
        }
    }

    /// Returns the range of one value.
    pub fn point(x: f32) -> Range {
        if x.is_nan() {
            return Range::NAN;
        }
        Range { min: x, max: x, may_be_nan: false }
    }

    /// Returns the only value of the range, if it has one; the sign of zero counts.
    pub fn value(&self) -> Option<f32> {
        if self.is_empty() {
            return self.may_be_nan.then_some(f32::NAN);
        }
        (self.min.to_bits() == self.max.to_bits() && !self.may_be_nan).then_some(self.min)
    }

    /// Returns whether no number is in the range.
    pub fn is_empty(&self) -> bool {
        self.min.total_cmp(&self.max) == Ordering::Greater
    }

    /// Returns whether all values are finite numbers.
    pub fn is_finite(&self) -> bool {
        !self.may_be_nan && self.min > f32::NEG_INFINITY && self.max < f32::INFINITY
    }

    /// Returns whether a value is in the range.
    pub fn contains(&self, x: f32) -> bool {
        if x.is_nan() {
            return self.may_be_nan;
        }
        self.min.total_cmp(&x) != Ordering::Greater && self.max.total_cmp(&x) != Ordering::Less
    }

    /// Returns whether zero, of either sign, is in the range.
    pub(super) fn contains_zero(&self) -> bool {
        self.min <= 0.0 && self.max >= 0.0
    }

    /// Returns whether an infinite number is in the range.
    pub(super) fn has_infinity(&self) -> bool {
        !self.is_empty() && (self.min == f32::NEG_INFINITY || self.max == f32::INFINITY)
    }

    /// Returns whether all values of another range are in this one.
    pub(super) fn includes(&self, other: &Range) -> bool {
        (self.may_be_nan || !other.may_be_nan)
            && (other.is_empty() || (self.contains(other.min) && self.contains(other.max)))
    }

    /// Largest magnitude of the numbers; 0 if there are none.
    pub(super) fn magnitude(&self) -> f32 {
        if self.is_empty() { 0.0 } else { self.min.abs().max(self.max.abs()) }
    }

    /// Difference of the bounds.
    pub fn width(&self) -> f32 {
        self.max - self.min
    }

    /// Adds the possibility of NaN, or not.
    #[must_use]
    pub(super) fn or_nan(self, may_be_nan: bool) -> Range {
        Range { may_be_nan: self.may_be_nan || may_be_nan, ..self }
    }

    /// Returns the numbers of the range.
    #[must_use]
    pub(super) fn numbers(self) -> Range {
        Range { may_be_nan: false, ..self }
    }

    /// Returns the smallest range with the values of both.
    #[must_use]
    pub fn join(self, other: Range) -> Range {
        let may_be_nan = self.may_be_nan || other.may_be_nan;
        match (self.is_empty(), other.is_empty()) {
            (true, _) => Range { may_be_nan, ..other },
            (_, true) => Range { may_be_nan, ..self },
            _ => Range {
                min: lesser(self.min, other.min),
                max: greater(self.max, other.max),
                may_be_nan,
            },
        }
    }

    /// Returns the values that are in both ranges, of which each bounds the same value.
    #[must_use]
    pub(super) fn meet(self, other: Range) -> Range {
        Range {
            min: greater(self.min, other.min),
            max: lesser(self.max, other.max),
            may_be_nan: self.may_be_nan && other.may_be_nan,
        }
    }

    /// Extends the bounds by at least a distance.
    #[must_use]
    pub fn widened(self, distance: f32) -> Range {
        if self.is_empty() {
            return self;
        }
        let range = Range::new((self.min - distance).next_down(), (self.max + distance).next_up());
        range.or_nan(self.may_be_nan)
    }

    /// Returns a range that contains both, whose bounds have few possible values: a sequence of such ranges ends.
    #[must_use]
    pub(super) fn extrapolated(self, next: Range) -> Range {
        let joined = self.join(next);
        if self.is_empty() || joined.is_empty() {
            return joined;
        }
        let is_less = joined.min.total_cmp(&self.min) == Ordering::Less;
        let is_greater = joined.max.total_cmp(&self.max) == Ordering::Greater;
        Range {
            min: if is_less { -landmark(-joined.min) } else { self.min },
            max: if is_greater { landmark(joined.max) } else { self.max },
            may_be_nan: joined.may_be_nan,
        }
    }
}

/// Returns the least landmark, of either sign, that is not less than `x`.
fn landmark(x: f32) -> f32 {
    let negative = LANDMARKS.iter().rev().map(|&x| -x);
    let mut all = negative.chain(LANDMARKS).chain([f32::INFINITY]);
    all.find(|&limit| x <= limit)
        .map_or(f32::INFINITY, |limit| if limit == 0.0 { 0.0 } else { limit })
}

/// Minimum by the total order.
fn lesser(a: f32, b: f32) -> f32 {
    if a.total_cmp(&b) == Ordering::Less { a } else { b }
}

/// Maximum by the total order.
fn greater(a: f32, b: f32) -> f32 {
    if a.total_cmp(&b) == Ordering::Greater { a } else { b }
}

/// Bounds of the sum.
pub(super) fn add(a: Range, b: Range) -> Range {
    let cancels = |a: f32, b: f32| a == f32::INFINITY && b == f32::NEG_INFINITY;
    let nan = a.may_be_nan || b.may_be_nan || cancels(a.max, b.min) || cancels(b.max, a.min);
    if a.is_empty() || b.is_empty() {
        return Range::EMPTY.or_nan(nan);
    }
    Range::new(a.min + b.min, a.max + b.max).or_nan(nan)
}

/// Bounds of the negated value.
pub(super) fn neg(a: Range) -> Range {
    Range { min: -a.max, max: -a.min, ..a }
}

/// Bounds of the product.
pub(super) fn mul(a: Range, b: Range) -> Range {
    let vanishes = |a: Range, b: Range| a.contains_zero() && b.has_infinity();
    let nan = a.may_be_nan || b.may_be_nan || vanishes(a, b) || vanishes(b, a);
    if a.is_empty() || b.is_empty() {
        return Range::EMPTY.or_nan(nan);
    }
    // Zero times infinity is the limit of products of finite numbers with zero.
    let times = |x: f32, y: f32| if x == 0.0 || y == 0.0 { 0.0 } else { x * y };
    hull([times(a.min, b.min), times(a.min, b.max), times(a.max, b.min), times(a.max, b.max)]).or_nan(nan)
}

/// Bounds of the square of a value.
pub(super) fn square(a: Range) -> Range {
    if a.is_empty() {
        return a;
    }
    let (low, high) = (a.min * a.min, a.max * a.max);
    let min = if a.contains_zero() { 0.0 } else { low.min(high) };
    Range::new(min, low.max(high)).or_nan(a.may_be_nan)
}

/// Bounds of the quotient, which is 0 for a zero divisor.
pub(super) fn div(a: Range, b: Range) -> Range {
    let nan = a.may_be_nan || b.may_be_nan || (a.has_infinity() && b.has_infinity());
    if a.is_empty() || b.is_empty() {
        // A zero divisor gives 0 even for NaN.
        let zero = if b.contains_zero() { Range::new(0.0, 0.0) } else { Range::EMPTY };
        return zero.or_nan(nan);
    }
    let over = |x: f32, y: f32| match x / y {
        quotient if quotient.is_nan() => 0.0,
        quotient => quotient,
    };
    let mut found = Range::EMPTY;
    for part in [b.meet(Range::new(f32::NEG_INFINITY, -MIN)), b.meet(Range::new(MIN, f32::INFINITY))] {
        if !part.is_empty() {
            let [low, high] = [part.min, part.max];
            found =
                found.join(hull([over(a.min, low), over(a.min, high), over(a.max, low), over(a.max, high)]));
        }
    }
    if b.contains_zero() {
        found = found.join(Range::new(0.0, 0.0));
    }
    found.or_nan(nan)
}

/// Least positive float.
const MIN: f32 = f32::from_bits(1);

fn hull(values: [f32; 4]) -> Range {
    let [a, b, c, d] = values;
    Range::new(a.min(b).min(c.min(d)), a.max(b).max(c.max(d)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_and_infinities_are_counted() {
        let unit = Range::new(0.0, 1.0);
        let all = Range::new(f32::NEG_INFINITY, f32::INFINITY);
        assert!(unit.contains(-0.0) && !Range::point(0.0).contains(-0.0));
        assert!(mul(unit, all).may_be_nan && !add(unit, all).may_be_nan && add(all, all).may_be_nan);
        assert_eq!(div(Range::point(1.0), Range::new(0.0, 2.0)).max, f32::INFINITY);
        assert!(div(Range::NAN, Range::new(0.0, 0.0)).contains(0.0));
        assert_eq!(Range::point(0.0).join(Range::point(-0.0)), Range::new(0.0, 0.0));
        assert_eq!(square(Range::new(-2.0, 1.0)), Range::new(0.0, 4.0));
    }

    #[test]
    fn extrapolation_ends() {
        let mut range = Range::point(1.0);
        for i in 0..20 {
            range = range.extrapolated(Range::point(i as f32 * 1e5));
        }
        assert_eq!((range.min, range.max), (-0.0, f32::INFINITY));
        assert!(range.extrapolated(Range::point(-0.5)).min == -1.0);
    }
}
