//! Rules of the elementary functions.
//!
//! Functions that are rounded exactly are evaluated at the bounds. Those of OSL's polynomials are not monotonic in the last
//! digits, so their bounds are widened by twice their maximum errors, which [`crate::eval::math`] states.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use shading_compiler::builtins::Builtin;
use shading_compiler::eval::math;

use super::range::{self, Range};

/// Largest angle whose sine has the stated error.
const MAX_ANGLE: f32 = 1e4;

/// Errors of a function: relative to the result, and absolute.
#[derive(Clone, Copy)]
struct Slack(f32, f32);

/// Bounds of a function of one float; `None` if it is another function.
pub(super) fn unary(builtin: Builtin, x: Range) -> Option<Range> {
    let f = math::unary(builtin)?;
    let mut found = match x.is_empty() {
        true => Range::EMPTY,
        false => of_numbers(builtin, f, x.numbers()),
    };
    if x.may_be_nan {
        found = found.join(Range::point(f(f32::NAN)));
    }
    Some(found)
}

fn of_numbers(builtin: Builtin, f: fn(f32) -> f32, x: Range) -> Range {
    use Builtin as B;
    if let Some(value) = x.value() {
        return Range::point(f(value));
    }
    match builtin {
        B::Floor | B::Ceil | B::Round | B::Trunc | B::Sqrt | B::Sign => Range::new(f(x.min), f(x.max)),
        B::Abs | B::Logb | B::Cosh => {
            let low = if x.contains_zero() { 0.0 } else { x.min.abs().min(x.max.abs()) };
            let high = x.magnitude();
            match builtin {
                B::Abs => Range::new(low, high),
                B::Logb => Range::new(f(low), f(high)),
                _ => rising(f, Range::new(low, high), Slack(2e-4, 0.0)),
            }
        }
        B::InverseSqrt => inverse_sqrt(f, x),
        B::Sin => wave(f, x, FRAC_PI_2),
        B::Cos => wave(f, x, 0.0),
        B::Tan => tangent(f, x),
        B::Acos => range::neg(rising(|x| -f(x), x, Slack(0.0, 2e-4))),
        B::Erfc => range::neg(rising(|x| -f(x), x, Slack(0.0, 1e-5))),
        B::Asin => rising(f, x, Slack(0.0, 2e-4)),
        B::Atan => rising(f, x, Slack(0.0, 4e-5)),
        B::Tanh => rising(f, x, Slack(0.0, 2e-4)),
        B::Sinh => rising(f, x, Slack(2e-4, 1e-6)),
        B::Exp | B::Exp2 => rising(f, x, Slack(5e-5, 0.0)),
        B::Expm1 => rising(f, x, Slack(5e-5, 5e-5)),
        B::Log | B::Log2 | B::Log10 => rising(f, x, Slack(1e-6, 4e-5)),
        B::Cbrt if x.is_finite() => rising(f, x, Slack(1e-5, 0.0)),
        B::Erf => rising(f, x, Slack(0.0, 1e-5)),
        _ => Range::UNKNOWN,
    }
}

/// Bounds of an increasing function.
fn rising(f: impl Fn(f32) -> f32, x: Range, slack: Slack) -> Range {
    let error = |y: f32| y.abs() * slack.0 + slack.1;
    let (low, high) = (f(x.min), f(x.max));
    Range::new(low - error(low), high + error(high))
}

fn inverse_sqrt(f: fn(f32) -> f32, x: Range) -> Range {
    let positive = x.meet(Range::new(f32::from_bits(1), f32::INFINITY));
    let mut found = Range::EMPTY;
    if !positive.is_empty() {
        found = Range::new(f(positive.max), f(positive.min));
    }
    if x.min <= 0.0 { found.join(Range::point(0.0)) } else { found }
}

/// Bounds of a wave of period 2π and amplitude 1 with its maximum at `crest`.
fn wave(f: fn(f32) -> f32, x: Range, crest: f64) -> Range {
    /// Error of the function.
    const ERROR: f32 = 2e-6;
    let all = Range::new(-1.0, 1.0);
    if x.magnitude() > MAX_ANGLE {
        return all;
    }
    let ends = Range::new(f(x.min).min(f(x.max)) - ERROR, f(x.min).max(f(x.max)) + ERROR);
    let reaches = |phase: f64| {
        let (low, high) = (f64::from(x.min) - phase - 1e-5, f64::from(x.max) - phase + 1e-5);
        (low / TAU).ceil() <= (high / TAU).floor()
    };
    let high = if reaches(crest) { 1.0 } else { ends.max };
    let low = if reaches(crest + PI) { -1.0 } else { ends.min };
    Range::new(low, high).meet(all)
}

fn tangent(f: fn(f32) -> f32, x: Range) -> Range {
    let branch = |x: f32, margin: f64| ((f64::from(x) + margin) / PI + 0.5).floor();
    if !x.is_finite() {
        return Range::UNKNOWN;
    }
    if x.magnitude() > MAX_ANGLE || branch(x.min, -1e-4) != branch(x.max, 1e-4) {
        return Range::new(f32::NEG_INFINITY, f32::INFINITY);
    }
    let error = |y: f32| 4e-5 * (1.0 + y * y);
    let (low, high) = (f(x.min), f(x.max));
    Range::new(low - error(low), high + error(high))
}

/// Bounds of a function of two floats; `None` if it is another function.
pub(super) fn binary(builtin: Builtin, a: Range, b: Range) -> Option<Range> {
    use Builtin as B;
    let f = math::binary(builtin)?;
    if let (Some(a), Some(b)) = (a.value(), b.value()) {
        return Some(Range::point(f(a, b)));
    }
    Some(match builtin {
        B::Min => extreme(a, b, f32::min),
        B::Max => extreme(a, b, f32::max),
        _ if !a.is_finite() || !b.is_finite() || a.is_empty() || b.is_empty() => Range::UNKNOWN,
        B::Pow => power(a, b),
        B::Atan2 => angle(a, b),
        B::Fmod => remainder(a, b),
        _ => Range::UNKNOWN,
    })
}

/// Minimum or maximum: a NaN in `a` stays, and one in `b` gives `a`.
fn extreme(a: Range, b: Range, f: fn(f32, f32) -> f32) -> Range {
    if a.is_empty() {
        return a;
    }
    if b.is_empty() {
        return Range::new(a.min, a.max).or_nan(a.may_be_nan);
    }
    let found = Range::new(f(a.min, b.min), f(a.max, b.max));
    let found = if b.may_be_nan { found.join(a.numbers()) } else { found };
    found.or_nan(a.may_be_nan)
}

fn power(x: Range, y: Range) -> Range {
    let magnitude = positive_power(x.meet(Range::new(0.0, f32::MAX)), y);
    let mut found = magnitude;
    if x.min < 0.0 {
        let negative = positive_power(Range::new((-x.max).max(0.0), -x.min), y);
        found = match y.value() {
            Some(y) if y != y.floor() => magnitude.join(Range::new(0.0, 0.0)),
            Some(y) if math::fmod(y, 2.0) == 0.0 => magnitude.join(negative),
            Some(_) => magnitude.join(range::neg(negative)),
            None => magnitude.join(negative).join(range::neg(negative)).join(Range::new(0.0, 0.0)),
        };
    }
    if x.contains_zero() {
        found = found.join(Range::new(0.0, 0.0));
    }
    if y.contains_zero() {
        found = found.join(Range::point(1.0));
    }
    found.meet(Range::new(-f32::MAX, f32::MAX))
}

/// Bounds of the power of numbers that are not negative: a product of the exponent and the logarithm.
fn positive_power(x: Range, y: Range) -> Range {
    if x.is_empty() {
        return Range::EMPTY;
    }
    let x = Range::new(x.min.max(f32::from_bits(1)), x.max.max(f32::from_bits(1)));
    // Denormal numbers count as the least normal one in logarithms, but not in squares.
    let least = if x.min < f32::MIN_POSITIVE { 0.0 } else { f32::MAX };
    let exponent = range::mul(Range::new(math::log2(x.min) - 2e-5, math::log2(x.max) + 2e-5), y);
    let error = 5e-5 + y.magnitude() * 4e-5;
    let [low, high] = [exponent.min, exponent.max].map(math::exp2);
    let mut found = Range::new((low * (1.0 - error)).max(0.0).min(least), high * (1.0 + error));
    // Powers to 1 and 2 are exact, without the limits of the exponential function.
    for (exponent, exact) in [(1.0, x), (2.0, range::square(x))] {
        match y.value() {
            Some(y) if y == exponent => return exact,
            None if y.contains(exponent) => found = found.join(exact),
            _ => {}
        }
    }
    found
}

fn angle(y: Range, x: Range) -> Range {
    const ERROR: f32 = 4e-5;
    let is_continuous = y.min > 0.0 || y.max < 0.0 || x.min > 0.0;
    if !is_continuous {
        let half_turn = PI as f32 + ERROR;
        return Range::new(-half_turn, half_turn);
    }
    let ends = [(y.min, x.min), (y.min, x.max), (y.max, x.min), (y.max, x.max)];
    let ends = ends.map(|(y, x)| Range::point(math::atan2(y, x)));
    ends.into_iter().fold(Range::EMPTY, Range::join).widened(ERROR)
}

fn remainder(a: Range, b: Range) -> Range {
    /// Largest quotient for which rounding is bounded by that of the dividend.
    const MAX_QUOTIENT: f32 = 1e6;
    let least = if b.contains_zero() { 0.0 } else { b.min.abs().min(b.max.abs()) };
    if a.magnitude() >= MAX_QUOTIENT * least {
        return Range::UNKNOWN;
    }
    if let Some(divisor) = b.value() {
        let [low, high] = [a.min, a.max].map(|a| (a / divisor).trunc());
        if low == high {
            return Range::new(a.min - low * divisor, a.max - high * divisor);
        }
    }
    let error = a.magnitude() * 4e-7 + f32::MIN_POSITIVE;
    let largest = b.magnitude().min(a.magnitude()) + error;
    let low = if a.min < 0.0 { -largest } else { -error };
    let high = if a.max > 0.0 { largest } else { error };
    Range::new(low, high)
}

/// Bounds of a normalised vector with the given length.
pub(super) fn normalized(v: [Range; 3], length: Range) -> [Range; 3] {
    let scale = range::div(Range::point(1.0), length);
    // The squares of short vectors lose digits.
    let largest = if length.min > 1e-15 && length.max < 1e15 { 1.000_001 } else { 1.5 };
    let unit = Range::new(-largest, largest);
    v.map(|x| {
        let product = range::mul(x, scale);
        match product.is_empty() || !x.is_finite() {
            true => product,
            false => product.numbers().meet(unit),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random floats: of moderate size, of any exponent, and special ones.
    struct Random(u64);

    impl Random {
        fn bits(&mut self) -> u64 {
            self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            self.0 >> 20
        }

        fn float(&mut self) -> f32 {
            let unit = (self.bits() % 65_536) as f32 / 32_768.0 - 1.0;
            match self.bits() % 8 {
                0 => f32::from_bits(self.bits() as u32),
                1 => *[0.0, -0.0, 1.0, -1.0, 2.0, 0.5].get(self.bits() as usize % 6).unwrap_or(&0.0),
                2 | 3 => unit * 100.0,
                _ => unit * 4.0,
            }
        }

        fn range(&mut self) -> Range {
            let first = self.float();
            let second = match self.bits() % 4 {
                0 => self.float(),
                1 => first,
                _ => first + self.float() * 0.1,
            };
            Range::point(first).join(Range::point(second))
        }

        fn inside(&mut self, range: Range) -> f32 {
            let share = (self.bits() % 1025) as f32 / 1024.0;
            match self.bits() % 6 {
                0 => range.min,
                1 => range.max,
                _ => match range.min + (range.max - range.min) * share {
                    x if range.contains(x) => x,
                    _ => range.min,
                },
            }
        }
    }

    #[test]
    fn functions_are_within_their_bounds() {
        use Builtin as B;
        let mut random = Random(1);
        let all = [
            B::Sin,
            B::Cos,
            B::Tan,
            B::Asin,
            B::Acos,
            B::Atan,
            B::Sinh,
            B::Cosh,
            B::Tanh,
            B::Exp,
            B::Exp2,
            B::Expm1,
            B::Log,
            B::Log2,
            B::Log10,
            B::Logb,
            B::Sqrt,
            B::InverseSqrt,
            B::Cbrt,
            B::Abs,
            B::Sign,
            B::Floor,
            B::Ceil,
            B::Round,
            B::Trunc,
            B::Erf,
            B::Erfc,
        ];
        for _ in 0..20_000 {
            let x = random.range();
            if x.is_empty() {
                continue;
            }
            for builtin in all {
                let f = math::unary(builtin).expect("it is a function");
                let bounds = unary(builtin, x).expect("it has a rule");
                for _ in 0..3 {
                    let at = random.inside(x);
                    assert!(
                        bounds.contains(f(at)),
                        "{builtin:?} of {x:?}: {} at {at} not in {bounds:?}",
                        f(at)
                    );
                }
            }
        }
    }

    #[test]
    fn functions_of_two_numbers_are_within_their_bounds() {
        use Builtin as B;
        let mut random = Random(2);
        for _ in 0..60_000 {
            let (a, b) = (random.range(), random.range());
            if a.is_empty() || b.is_empty() {
                continue;
            }
            for builtin in [B::Pow, B::Atan2, B::Fmod, B::Min, B::Max] {
                let f = math::binary(builtin).expect("it is a function");
                let bounds = binary(builtin, a, b).expect("it has a rule");
                for _ in 0..4 {
                    let (x, y) = (random.inside(a), random.inside(b));
                    let found = f(x, y);
                    assert!(
                        bounds.contains(found),
                        "{builtin:?} {a:?} {b:?}: {found} at {x} {y} not in {bounds:?}"
                    );
                }
            }
        }
    }
}
