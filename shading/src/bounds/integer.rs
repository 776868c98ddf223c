//! Ranges of integers, and the rules of their operations, which wrap on overflow.

use shading_compiler::hir::Op;

/// The integers from `min` to `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntRange {
    /// Least integer.
    pub min: i32,
    /// Largest integer.
    pub max: i32,
}

impl IntRange {
    /// Any integer.
    pub const UNKNOWN: IntRange = IntRange { min: i32::MIN, max: i32::MAX };

    /// 0 or 1.
    pub const TRUTH: IntRange = IntRange { min: 0, max: 1 };

    /// Returns the range of one integer.
    pub fn point(value: i32) -> IntRange {
        IntRange { min: value, max: value }
    }

    /// Returns the only integer of the range, if it has one.
    pub fn value(self) -> Option<i32> {
        (self.min == self.max).then_some(self.min)
    }

    /// Returns whether an integer is in the range.
    pub fn contains(self, value: i32) -> bool {
        self.min <= value && value <= self.max
    }

    pub(super) fn includes(self, other: IntRange) -> bool {
        self.min <= other.min && other.max <= self.max
    }

    #[must_use]
    pub(super) fn join(self, other: IntRange) -> IntRange {
        IntRange { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Returns a range that contains both, whose bounds have few possible values.
    #[must_use]
    pub(super) fn extrapolated(self, next: IntRange) -> IntRange {
        let min = match next.min {
            least if least >= self.min => self.min,
            least if least >= 0 => 0,
            _ => i32::MIN,
        };
        let max = match next.max {
            largest if largest <= self.max => self.max,
            largest if largest <= 0 => 0,
            _ => i32::MAX,
        };
        IntRange { min, max }
    }

    /// The range from wide bounds; any integer if it may have wrapped.
    fn of_wide(ends: &[i64]) -> IntRange {
        let min = ends.iter().min().and_then(|&x| i32::try_from(x).ok());
        let max = ends.iter().max().and_then(|&x| i32::try_from(x).ok());
        match (min, max) {
            (Some(min), Some(max)) => IntRange { min, max },
            _ => IntRange::UNKNOWN,
        }
    }

    fn ends(self) -> [i64; 2] {
        [self.min.into(), self.max.into()]
    }
}

/// Bounds of an operation with two integers; `None` if it is another operation.
pub(super) fn binary(op: Op, a: IntRange, b: IntRange) -> Option<IntRange> {
    let [[a0, a1], [b0, b1]] = [a.ends(), b.ends()];
    Some(match op {
        Op::Add => IntRange::of_wide(&[a0 + b0, a1 + b1]),
        Op::Sub => IntRange::of_wide(&[a0 - b1, a1 - b0]),
        Op::Mul => IntRange::of_wide(&[a0 * b0, a0 * b1, a1 * b0, a1 * b1]),
        Op::Div => {
            // A quotient is between the dividend and its negation; one by a positive divisor also between the ends.
            let zero = b.contains(0).then_some(0);
            if b0 > 0 {
                IntRange::of_wide(&[a0 / b0, a0 / b1, a1 / b0, a1 / b1])
            } else {
                let ends: Vec<i64> = [a0, a1, -a0, -a1].into_iter().chain(zero).collect();
                IntRange::of_wide(&ends)
            }
        }
        Op::Mod => {
            let largest = b0.abs().max(b1.abs()) - 1;
            let least = if a0 < 0 { (-largest).max(a0) } else { 0 };
            let most = if a1 > 0 { largest.min(a1) } else { 0 };
            IntRange::of_wide(&[least.min(0), most.max(0)])
        }
        Op::BitAnd if a0 >= 0 || b0 >= 0 => {
            let most = match (a0 >= 0, b0 >= 0) {
                (true, true) => a1.min(b1),
                (true, false) => a1,
                _ => b1,
            };
            IntRange::of_wide(&[0, most])
        }
        Op::BitOr | Op::BitXor if a0 >= 0 && b0 >= 0 => {
            let bits = (a1 | b1) as u64;
            let most = (1i64 << (64 - bits.leading_zeros())) - 1;
            IntRange::of_wide(&[0, most])
        }
        Op::Shl if b.value().is_some_and(|count| (0..31).contains(&count)) => {
            IntRange::of_wide(&[a0 << b0, a1 << b0])
        }
        Op::Shr if b.value().is_some_and(|count| (0..32).contains(&count)) => {
            IntRange::of_wide(&[a0 >> b0, a1 >> b0])
        }
        Op::BitAnd | Op::BitOr | Op::BitXor | Op::Shl | Op::Shr => IntRange::UNKNOWN,
        _ => return None,
    })
}

/// Bounds of the negated integer.
pub(super) fn neg(a: IntRange) -> IntRange {
    let [min, max] = a.ends();
    IntRange::of_wide(&[-min, -max])
}

/// Bounds of the absolute value.
pub(super) fn abs(a: IntRange) -> IntRange {
    let [min, max] = a.ends();
    let least = if a.contains(0) { 0 } else { min.abs().min(max.abs()) };
    IntRange::of_wide(&[least, min.abs().max(max.abs())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use shading_compiler::eval;

    #[test]
    fn operations_are_within_their_bounds() {
        let ends = [i32::MIN, i32::MIN + 1, -7, -3, -1, 0, 1, 2, 5, 31, 32, i32::MAX - 1, i32::MAX];
        let ranges = || {
            let pairs = ends.iter().flat_map(|&min| ends.iter().map(move |&max| IntRange { min, max }));
            pairs.filter(|range| range.min <= range.max)
        };
        let inside = |range: IntRange| {
            let middle = ((i64::from(range.min) + i64::from(range.max)) / 2) as i32;
            ends.into_iter().chain([middle]).filter(move |&x| range.contains(x))
        };
        type Operation = (Op, fn(i32, i32) -> i32);
        let ops: [Operation; 10] = [
            (Op::Add, i32::wrapping_add),
            (Op::Sub, i32::wrapping_sub),
            (Op::Mul, i32::wrapping_mul),
            (Op::Div, eval::div_int),
            (Op::Mod, eval::rem_int),
            (Op::BitAnd, |a, b| a & b),
            (Op::BitOr, |a, b| a | b),
            (Op::BitXor, |a, b| a ^ b),
            (Op::Shl, |a, b| a.wrapping_shl(b as u32)),
            (Op::Shr, |a, b| a.wrapping_shr(b as u32)),
        ];
        for (op, f) in ops {
            for (a, b) in ranges().flat_map(|a| ranges().map(move |b| (a, b))) {
                let bounds = binary(op, a, b).expect("it is an operation of integers");
                for (x, y) in inside(a).flat_map(|x| inside(b).map(move |y| (x, y))) {
                    assert!(bounds.contains(f(x, y)), "{op} {a:?} {b:?}: {x} {y} not in {bounds:?}");
                }
            }
        }
    }
}
