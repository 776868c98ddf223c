//! Derivatives of the built-in functions.
//!
//! The formulas use total functions and need no branches: `inversesqrt` is 0 for arguments that are not positive, and a
//! quotient by 0 is 0. Therefore derivatives are zero outside the domain of a function.

use std::f32::consts::{FRAC_2_SQRT_PI, LN_2, LOG2_E, LOG10_E};

use super::change::{Change, Writer};
use super::formula::{Formula, Rule};
use crate::builtins::Builtin as B;
use crate::hir::{Kind, Op, Operand};

/// Returns the differentiation rule of a built-in function.
pub(super) fn rule(builtin: B) -> Rule {
    let formula: Formula = match builtin {
        B::Sin => |w, a, d| w.times(d[0], |w| w.call(B::Cos, a)),
        B::Cos => |w, a, d| {
            let change = w.times(d[0], |w| w.call(B::Sin, a));
            w.difference(None, change)
        },
        // 1 + tan²
        B::Tan => |w, a, d| {
            w.times(d[0], |w| {
                let tan = w.call(B::Tan, a);
                one_plus_square(w, tan)
            })
        },
        B::Asin => |w, a, d| w.times(d[0], |w| arc(w, a[0])),
        B::Acos => |w, a, d| {
            let change = w.times(d[0], |w| arc(w, a[0]));
            w.difference(None, change)
        },
        B::Atan => |w, a, d| w.over(d[0], |w| one_plus_square(w, a[0])),
        B::Sinh => |w, a, d| w.times(d[0], |w| w.call(B::Cosh, a)),
        B::Cosh => |w, a, d| w.times(d[0], |w| w.call(B::Sinh, a)),
        // 1 − tanh²
        B::Tanh => |w, a, d| {
            w.times(d[0], |w| {
                let tanh = w.call(B::Tanh, a);
                one_minus_square(w, tanh)
            })
        },
        B::Exp | B::Expm1 => |w, a, d| w.times(d[0], |w| w.call(B::Exp, a)),
        B::Exp2 => |w, a, d| {
            w.times(d[0], |w| {
                let power = w.call(B::Exp2, a);
                scaled(w, power, LN_2)
            })
        },
        B::Log => |w, a, d| w.times(d[0], |w| reciprocal(w, a[0])),
        B::Log2 => |w, a, d| {
            w.times(d[0], |w| {
                let reciprocal = reciprocal(w, a[0]);
                scaled(w, reciprocal, LOG2_E)
            })
        },
        B::Log10 => |w, a, d| {
            w.times(d[0], |w| {
                let reciprocal = reciprocal(w, a[0]);
                scaled(w, reciprocal, LOG10_E)
            })
        },
        // 1 / (2·√x)
        B::Sqrt => |w, a, d| {
            w.times(d[0], |w| {
                let inverse = w.call(B::InverseSqrt, a);
                scaled(w, inverse, 0.5)
            })
        },
        // −(1/√x)³ / 2
        B::InverseSqrt => |w, a, d| {
            w.times(d[0], |w| {
                let inverse = w.call(B::InverseSqrt, a);
                let square = w.mul(inverse, inverse);
                let cube = w.mul(square, inverse);
                scaled(w, cube, -0.5)
            })
        },
        // 1 / (3·∛x²)
        B::Cbrt => |w, a, d| {
            w.over(d[0], |w| {
                let root = w.call(B::Cbrt, a);
                let square = w.mul(root, root);
                scaled(w, square, 3.0)
            })
        },
        // The sign; positive for zero.
        B::Abs => |w, a, d| {
            w.times(d[0], |w| {
                let sign = w.call(B::Sign, a);
                let half = w.number(w.kind(sign), 0.5);
                let shifted = w.add(sign, half);
                w.call(B::Sign, &[shifted])
            })
        },
        B::Erf => |w, a, d| w.times(d[0], |w| bell(w, a[0], FRAC_2_SQRT_PI)),
        B::Erfc => |w, a, d| w.times(d[0], |w| bell(w, a[0], -FRAC_2_SQRT_PI)),
        B::Pow => pow,
        B::Atan2 => atan2,
        // a − b·trunc(a/b)
        B::Fmod => |w, a, d| {
            let second = w.times(d[1], |w| {
                let quotient = w.div(a[0], a[1]);
                w.call(B::Trunc, &[quotient])
            });
            w.difference(d[0], second)
        },
        // The second operand if it is smaller, else the first.
        B::Min => |w, a, d| {
            let above = w.sub(a[0], a[1]);
            choose(w, above, d[1], d[0])
        },
        // The first operand if it is larger, else the second.
        B::Max => |w, a, d| {
            let above = w.sub(a[0], a[1]);
            choose(w, above, d[0], d[1])
        },
        B::Dot => |w, a, d| {
            let first = d[0].map(|d| w.dot(d, a[1]));
            let second = d[1].map(|d| w.dot(a[0], d));
            w.sum(first, second)
        },
        B::Cross => |w, a, d| {
            let mut cross = |a, b| w.op(Op::Builtin(B::Cross), &[a, b], Kind::TRIPLE);
            let first = d[0].map(|d| cross(d, a[1]));
            let second = d[1].map(|d| cross(a[0], d));
            w.sum(first, second)
        },
        // a·da / |a|
        B::Length => |w, a, d| {
            let along = d[0].map(|d| w.dot(a[0], d));
            w.over(along, |w| length(w, a[0]))
        },
        // (da − n·(n·da)) / |a|
        B::Normalize => |w, a, d| {
            let d = d[0]?;
            let unit = w.op(Op::Builtin(B::Normalize), a, Kind::TRIPLE);
            let along = w.dot(unit, d);
            let along = w.mul(unit, along);
            let across = w.sub(d, along);
            w.over(Some(across), |w| length(w, a[0]))
        },
        B::TransformPoint => transform_point,
        B::TransformVector | B::TransformNormal => return Rule::Linear,
        B::Perlin | B::UPerlin | B::Noise | B::PNoise | B::Spline | B::SplineInverse => {
            return Rule::Dual(Op::BuiltinDual(builtin));
        }
        // Step functions.
        B::Logb | B::Sign | B::Floor | B::Ceil | B::Round | B::Trunc | B::Cell | B::HashNoise => {
            return Rule::Zero;
        }
        // The first values come from the cloud and have no derivatives; the others keep theirs.
        B::CloudValues => {
            |w, a, d| d[0].map(|d| w.array_op(Op::Builtin(B::CloudZeros), &[d, a[2], a[3]], a[0]))
        }
        B::CloudDistances => |w, a, d| {
            let before = w.or_zero(d[0], w.kind(a[0]));
            let Some(center) = d[4] else {
                return Some(w.array_op(Op::Builtin(B::CloudZeros), &[before, a[2], a[3]], a[0]));
            };
            let args = [before, a[1], a[2], a[3], a[4], center];
            Some(w.array_op(Op::Builtin(B::CloudDistanceChanges), &args, a[0]))
        },
        // Results without derivatives: not a float or triple, or independent of the screen position.
        B::IsNan
        | B::IsInf
        | B::IsFinite
        | B::Determinant
        | B::Transpose
        | B::SpaceMatrix
        | B::Concat
        | B::Strlen
        | B::Startswith
        | B::Endswith
        | B::Substr
        | B::Format
        | B::Printf
        | B::Warning
        | B::Error
        | B::RayType
        | B::Backfacing
        | B::SurfaceArea
        | B::HasAttribute
        | B::IsConstant
        | B::HasAnyAttribute
        | B::AnyAttribute
        | B::Hash
        | B::Blackbody
        | B::WavelengthColor
        | B::GetChar
        | B::Stoi
        | B::Stof
        | B::Split
        | B::SplitCount
        | B::RegexMatch
        | B::RegexSearch
        | B::RegexMatchPlaces
        | B::RegexSearchPlaces
        | B::Fprintf
        | B::SetMessage
        | B::HasMessage
        | B::MessageValue
        | B::DictFind
        | B::DictFindBelow
        | B::DictNext
        | B::HasDictValue
        | B::DictValue
        | B::Trace
        | B::IsSpace
        | B::CloudSearch
        | B::HasCloudValues
        | B::CloudDistanceChanges
        | B::CloudZeros
        | B::CloudWrite => return Rule::Zero,
    };
    Rule::Formula(formula)
}

/// `a·x`
fn scaled(w: &mut Writer<'_>, x: Operand, a: f32) -> Operand {
    let a = w.number(w.kind(x), a);
    w.mul(x, a)
}

/// `1 + x²`
fn one_plus_square(w: &mut Writer<'_>, x: Operand) -> Operand {
    let (one, square) = (w.number(w.kind(x), 1.0), w.mul(x, x));
    w.add(one, square)
}

/// `1 − x²`
fn one_minus_square(w: &mut Writer<'_>, x: Operand) -> Operand {
    let (one, square) = (w.number(w.kind(x), 1.0), w.mul(x, x));
    w.sub(one, square)
}

/// `1 / √(1 − x²)`; 0 for |x| ≥ 1.
fn arc(w: &mut Writer<'_>, x: Operand) -> Operand {
    let square = one_minus_square(w, x);
    w.call(B::InverseSqrt, &[square])
}

/// `1 / x`; 0 for x ≤ 0.
fn reciprocal(w: &mut Writer<'_>, x: Operand) -> Operand {
    let root = w.call(B::InverseSqrt, &[x]);
    w.mul(root, root)
}

/// `scale·exp(−x²)`
fn bell(w: &mut Writer<'_>, x: Operand, scale: f32) -> Operand {
    let square = w.mul(x, x);
    let minus = w.neg(square);
    let bell = w.call(B::Exp, &[minus]);
    scaled(w, bell, scale)
}

fn length(w: &mut Writer<'_>, a: Operand) -> Operand {
    w.op(Op::Builtin(B::Length), &[a], Kind::FLOAT)
}

/// `y·x^(y−1)·dx + log(x)·x^y·dy`; the logarithm counts as 0 for x ≤ 0.
fn pow(w: &mut Writer<'_>, a: &[Operand], d: &[Change]) -> Change {
    let (x, y) = (a[0], a[1]);
    let one = w.number(w.kind(x), 1.0);
    let first = w.times(d[0], |w| {
        let less = w.sub(y, one);
        let power = w.call(B::Pow, &[x, less]);
        w.mul(y, power)
    });
    let second = w.times(d[1], |w| {
        let zero = w.zero(w.kind(x));
        let positive = w.call(B::Max, &[x, zero]);
        let is_positive = w.call(B::Sign, &[positive]);
        let is_not = w.sub(one, is_positive);
        let safe = w.add(positive, is_not);
        let log = w.call(B::Log, &[safe]);
        let power = w.call(B::Pow, a);
        w.mul(log, power)
    });
    w.sum(first, second)
}

/// `(x·dy − y·dx) / (x² + y²)`, of `atan2(y, x)`; 0 at the origin.
fn atan2(w: &mut Writer<'_>, a: &[Operand], d: &[Change]) -> Change {
    let (y, x) = (a[0], a[1]);
    let first = w.times(d[0], |_| x);
    let second = w.times(d[1], |_| y);
    let change = w.difference(first, second);
    w.over(change, |w| {
        let (xx, yy) = (w.mul(x, x), w.mul(y, y));
        w.add(xx, yy)
    })
}

/// Selects one derivative if `test` is positive, else the other.
fn choose(w: &mut Writer<'_>, test: Operand, positive: Change, other: Change) -> Change {
    let kind = w.kind(test);
    let zero = w.zero(kind);
    let above = w.call(B::Max, &[test, zero]);
    let is_positive = w.call(B::Sign, &[above]);
    let first = w.times(positive, |_| is_positive);
    let second = w.times(other, |w| {
        let one = w.number(kind, 1.0);
        w.sub(one, is_positive)
    });
    w.sum(first, second)
}

/// `(dp·M − p'·dw) / w`, where the transformed point `p'` was divided by `w`.
fn transform_point(w: &mut Writer<'_>, a: &[Operand], d: &[Change]) -> Change {
    let (m, p, dp) = (a[0], a[1], d[1]?);
    let rows = [0, 1, 2, 3].map(|i| w.int(i));
    let [x, y, z, shift] = rows.map(|row| w.op(Op::MatrixGet, &[m, row, rows[3]], Kind::FLOAT));
    let column = w.op(Op::MakeTriple, &[x, y, z], Kind::TRIPLE);
    let along = w.dot(p, column);
    let divisor = w.add(along, shift);
    let moved = w.op(Op::Builtin(B::TransformVector), &[m, dp], Kind::TRIPLE);
    let image = w.op(Op::Builtin(B::TransformPoint), a, Kind::TRIPLE);
    let along = w.dot(dp, column);
    let second = w.mul(image, along);
    let change = w.sub(moved, second);
    Some(w.div(change, divisor))
}
