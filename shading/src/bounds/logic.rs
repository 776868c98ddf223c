//! Comparisons and conditions, which may be true, false or undecided.

use shading_compiler::hir::Op;

use super::integer::IntRange;
use super::range::Range;
use super::value::Value;

/// Values that a condition may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Truth {
    pub(super) may_be_true: bool,
    pub(super) may_be_false: bool,
}

impl Truth {
    pub(super) const UNKNOWN: Truth = Truth { may_be_true: true, may_be_false: true };

    fn known(value: bool) -> Truth {
        Truth { may_be_true: value, may_be_false: !value }
    }

    /// As an integer.
    pub(super) fn range(self) -> IntRange {
        IntRange {
            min: i32::from(!self.may_be_false),
            max: i32::from(self.may_be_true),
        }
    }

    fn negated(self) -> Truth {
        Truth {
            may_be_true: self.may_be_false,
            may_be_false: self.may_be_true,
        }
    }

    fn and(self, other: Truth) -> Truth {
        Truth {
            may_be_true: self.may_be_true && other.may_be_true,
            may_be_false: self.may_be_false || other.may_be_false,
        }
    }

    /// Whether an integer is nonzero.
    pub(super) fn of_int(x: IntRange) -> Truth {
        Truth {
            may_be_true: x != IntRange::point(0),
            may_be_false: x.contains(0),
        }
    }

    /// Whether a float is nonzero; NaN is.
    fn of_range(x: &Range) -> Truth {
        Truth {
            may_be_true: x.may_be_nan || (!x.is_empty() && (x.min != 0.0 || x.max != 0.0)),
            may_be_false: x.contains_zero(),
        }
    }
}

/// Whether a value is nonzero, not empty or not null.
pub(super) fn truth(value: &Value) -> Truth {
    let any = |list: &[Truth]| list.iter().fold(Truth::known(true), |all, x| all.and(x.negated())).negated();
    match value {
        Value::Int(x) => Truth::of_int(*x),
        Value::Float(x) => Truth::of_range(&x.range),
        Value::Triple(x) => any(&[0, 1, 2].map(|lane| Truth::of_range(&x[lane].range))),
        Value::Matrix(x) => any(&x.map(|range| Truth::of_range(&range))),
        Value::String(Some(text)) => Truth::known(!text.is_empty()),
        // A component scaled by zero is null in some runs.
        Value::Closure(Some(list)) if list.is_empty() => Truth::known(false),
        Value::String(None) | Value::Closure(_) | Value::Array(_) => Truth::UNKNOWN,
    }
}

/// Result of `==`.
pub(super) fn equal(a: &Value, b: &Value) -> Truth {
    let floats = |a: &Range, b: &Range| {
        let is_apart = a.is_empty() || b.is_empty() || a.max < b.min || b.max < a.min;
        let is_one = a.min == a.max && b.min == b.max && a.min == b.min;
        Truth {
            may_be_true: !is_apart,
            may_be_false: !is_one || a.may_be_nan || b.may_be_nan,
        }
    };
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Truth {
            may_be_true: a.min <= b.max && b.min <= a.max,
            may_be_false: a.value().is_none() || a != b,
        },
        (Value::Float(a), Value::Float(b)) => floats(&a.range, &b.range),
        (Value::Triple(a), Value::Triple(b)) => {
            let lanes = a.iter().zip(b).map(|(a, b)| floats(&a.range, &b.range));
            lanes.fold(Truth::known(true), Truth::and)
        }
        (Value::Matrix(a), Value::Matrix(b)) => {
            let lanes = a.iter().zip(&**b).map(|(a, b)| floats(a, b));
            lanes.fold(Truth::known(true), Truth::and)
        }
        (Value::String(Some(a)), Value::String(Some(b))) => Truth::known(a == b),
        _ => Truth::UNKNOWN,
    }
}

/// Result of a comparison; `None` if it is another operation.
pub(super) fn compare(op: Op, a: &Value, b: &Value) -> Option<Truth> {
    let truth = match op {
        Op::Eq => return Some(equal(a, b)),
        Op::Ne => return Some(equal(a, b).negated()),
        Op::Lt => less(a, b, false),
        Op::Le => less(a, b, true),
        Op::Gt => less(b, a, false),
        Op::Ge => less(b, a, true),
        _ => return None,
    };
    Some(truth)
}

/// Result of `a < b`, or of `a <= b`; false for a NaN.
fn less(a: &Value, b: &Value, or_equal: bool) -> Truth {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => ordered(
            (f64::from(a.min), f64::from(a.max)),
            (f64::from(b.min), f64::from(b.max)),
            or_equal,
        ),
        (Value::Float(a), Value::Float(b)) => {
            let (a, b) = (a.range, b.range);
            if a.is_empty() || b.is_empty() {
                return Truth::known(false);
            }
            let wide = |range: Range| (f64::from(range.min), f64::from(range.max));
            let numbers = ordered(wide(a), wide(b), or_equal);
            Truth {
                may_be_false: numbers.may_be_false || a.may_be_nan || b.may_be_nan,
                ..numbers
            }
        }
        _ => Truth::UNKNOWN,
    }
}

fn ordered(a: (f64, f64), b: (f64, f64), or_equal: bool) -> Truth {
    let holds = |x: f64, y: f64| if or_equal { x <= y } else { x < y };
    Truth { may_be_true: holds(a.0, b.1), may_be_false: !holds(a.1, b.0) }
}
