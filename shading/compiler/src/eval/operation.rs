//! Evaluation of operations that depend on their operands only.

use std::sync::Arc;

use crate::builtins::Builtin;
use crate::eval::dual::Dual;
use crate::eval::text::{self, Arg, FormatError};
use crate::eval::{self, lanes, lanes2, library, math, matrix, noise};
use crate::hir::{Const, Kind, Op};

/// An error that an operation reports besides its value.
#[derive(Clone, Debug, PartialEq)]
pub enum OperationError {
    /// The index was clamped.
    Index {
        /// Original index.
        index: i32,
        /// Length of the array.
        length: usize,
    },
    /// A format string does not match the arguments, or a string was truncated.
    Format(FormatError),
    /// Message about an invalid argument of a function.
    Argument(String),
}

/// Evaluates an operation on constants; `dst` is the kind of its destination. `None` if the operation depends on more than
/// its operands, does not fit them, or reports an error, which is left to run time.
pub fn eval_op(op: Op, dst: Kind, args: &[&Const]) -> Option<Const> {
    let mut error = None;
    let value = evaluate(op, dst, args, &mut error)?;
    error.is_none().then_some(value)
}

/// Evaluates an operation on constants like [`eval_op`], and returns errors in addition to the result.
pub fn evaluate(op: Op, dst: Kind, args: &[&Const], error: &mut Option<OperationError>) -> Option<Const> {
    use Const::{Array, Float, Int, Matrix, NullClosure, Triple};
    let mut index = |i: &i32, length: usize| clamped(*i, length, error);
    Some(match (op, args) {
        (Op::Copy, [a]) => (*a).clone(),
        (Op::IntToFloat, [Int(a)]) => Float(*a as f32),
        (Op::FloatToInt, [Float(a)]) => Int(eval::float_to_int(*a)),
        (Op::Splat, [Float(a)]) => Triple([*a; 3]),
        (Op::Diagonal, [Float(a)]) => Matrix(matrix::diagonal(*a)),
        (Op::Truth, [a]) => Int(i32::from(truth(a)?)),
        (Op::Add | Op::Sub | Op::Mul | Op::Div, [a, b]) => arithmetic(op, a, b)?,
        (Op::Mod, [Int(a), Int(b)]) => Int(eval::rem_int(*a, *b)),
        (Op::Neg, [Int(a)]) => Int(a.wrapping_neg()),
        (Op::Neg, [Float(a)]) => Float(-a),
        (Op::Neg, [Triple(a)]) => Triple(a.map(|x| -x)),
        (Op::Neg, [Matrix(a)]) => Matrix(a.map(|x| -x)),
        (Op::BitAnd, [Int(a), Int(b)]) => Int(a & b),
        (Op::BitOr, [Int(a), Int(b)]) => Int(a | b),
        (Op::BitXor, [Int(a), Int(b)]) => Int(a ^ b),
        (Op::Shl, [Int(a), Int(b)]) => Int(a.wrapping_shl(*b as u32)),
        (Op::Shr, [Int(a), Int(b)]) => Int(a.wrapping_shr(*b as u32)),
        (Op::BitNot, [Int(a)]) => Int(!a),
        (Op::Not, [Int(a)]) => Int(i32::from(*a == 0)),
        (Op::Eq, [a, b]) => Int(i32::from(equal(a, b)?)),
        (Op::Ne, [a, b]) => Int(i32::from(!equal(a, b)?)),
        (Op::Lt | Op::Le | Op::Gt | Op::Ge, [Int(a), Int(b)]) => Int(i32::from(ordered(op, a, b))),
        (Op::Lt | Op::Le | Op::Gt | Op::Ge, [Float(a), Float(b)]) => Int(i32::from(ordered(op, a, b))),
        (Op::MakeTriple, [Float(x), Float(y), Float(z)]) => Triple([*x, *y, *z]),
        (Op::TripleGet, [Triple(a), Int(i)]) => Float(a[index(i, 3)]),
        (Op::TripleSet, [Triple(a), Int(i), Float(x)]) => {
            let mut a = *a;
            a[index(i, 3)] = *x;
            Triple(a)
        }
        (Op::MakeMatrix, args) => {
            let mut m = [0.0; 16];
            if args.len() != m.len() {
                return None;
            }
            for (slot, arg) in m.iter_mut().zip(args) {
                let Float(x) = arg else { return None };
                *slot = *x;
            }
            Matrix(m)
        }
        (Op::MatrixGet, [Matrix(a), Int(i), Int(j)]) => Float(a[index(i, 4) * 4 + index(j, 4)]),
        (Op::MatrixSet, [Matrix(a), Int(i), Int(j), Float(x)]) => {
            let mut a = *a;
            a[index(i, 4) * 4 + index(j, 4)] = *x;
            Matrix(a)
        }
        (Op::MakeArray, args) => Array(args.iter().map(|a| (*a).clone()).collect()),
        (Op::ArrayGet, [Array(a), Int(i)]) => a.get(index(i, a.len()))?.clone(),
        (Op::ArraySet, [Array(a), Int(i), x]) => {
            let mut a = a.clone();
            let i = index(i, a.len());
            *a.get_mut(i)? = (*x).clone();
            Array(a)
        }
        (Op::ClosureAdd, [NullClosure, NullClosure]) | (Op::ClosureMul, [NullClosure, _]) => NullClosure,
        (Op::Builtin(builtin), args) => call(builtin, dst, args, error)?,
        (Op::BuiltinDual(builtin), args) => dual(builtin, dst, args, error)?,
        _ => return None,
    })
}

/// Clamps an index, and stores an error if it was out of range.
pub fn clamped(index: i32, length: usize, error: &mut Option<OperationError>) -> usize {
    let (clamped, outside) = eval::clamp_index(index, length);
    if outside {
        error.get_or_insert(OperationError::Index { index, length });
    }
    clamped
}

fn truth(a: &Const) -> Option<bool> {
    Some(match a {
        Const::Int(a) => *a != 0,
        Const::Float(a) => *a != 0.0,
        Const::Triple(a) => a.iter().any(|x| *x != 0.0),
        Const::Matrix(a) => a.iter().any(|x| *x != 0.0),
        Const::String(a) => !a.is_empty(),
        Const::NullClosure => false,
        Const::Array(_) => return None,
    })
}

fn equal(a: &Const, b: &Const) -> Option<bool> {
    Some(match (a, b) {
        (Const::Int(a), Const::Int(b)) => a == b,
        (Const::Float(a), Const::Float(b)) => a == b,
        (Const::Triple(a), Const::Triple(b)) => a == b,
        (Const::Matrix(a), Const::Matrix(b)) => a == b,
        (Const::String(a), Const::String(b)) => a == b,
        _ => return None,
    })
}

fn ordered<T: PartialOrd>(op: Op, a: &T, b: &T) -> bool {
    match op {
        Op::Lt => a < b,
        Op::Le => a <= b,
        Op::Gt => a > b,
        _ => a >= b,
    }
}

fn arithmetic(op: Op, a: &Const, b: &Const) -> Option<Const> {
    let float = match op {
        Op::Add => |a: f32, b: f32| a + b,
        Op::Sub => |a: f32, b: f32| a - b,
        Op::Mul => |a: f32, b: f32| a * b,
        _ => eval::div_float,
    };
    Some(match (a, b) {
        (Const::Int(a), Const::Int(b)) => Const::Int(match op {
            Op::Add => a.wrapping_add(*b),
            Op::Sub => a.wrapping_sub(*b),
            Op::Mul => a.wrapping_mul(*b),
            _ => eval::div_int(*a, *b),
        }),
        (Const::Float(a), Const::Float(b)) => Const::Float(float(*a, *b)),
        (Const::Triple(a), Const::Triple(b)) => Const::Triple(lanes2(float, *a, *b)),
        (Const::Matrix(a), Const::Matrix(b)) => Const::Matrix(match op {
            Op::Mul => matrix::mul(a, b),
            Op::Div => matrix::div(a, b),
            _ => std::array::from_fn(|i| float(a[i], b[i])),
        }),
        _ => return None,
    })
}

fn call(builtin: Builtin, dst: Kind, args: &[&Const], error: &mut Option<OperationError>) -> Option<Const> {
    use Builtin as B;
    use Const::{Float, Int, Matrix, String, Triple};
    let text = |text: &str| String(Arc::from(text));
    if let (Some(f), [a]) = (math::unary(builtin), args) {
        return Some(match a {
            Float(a) => Float(f(*a)),
            Triple(a) => Triple(lanes(f, *a)),
            Int(a) if builtin == B::Abs => Int(math::abs_int(*a)),
            _ => return None,
        });
    }
    if let (Some(f), [a, b]) = (math::binary(builtin), args) {
        return Some(match (a, b) {
            (Float(a), Float(b)) => Float(f(*a, *b)),
            (Triple(a), Triple(b)) => Triple(lanes2(f, *a, *b)),
            (Int(a), Int(b)) if builtin == B::Min => Int(math::min_int(*a, *b)),
            (Int(a), Int(b)) if builtin == B::Max => Int(math::max_int(*a, *b)),
            _ => return None,
        });
    }
    if builtin.in_library() {
        return Some(call_library(builtin, dst, false, args, error));
    }
    Some(match (builtin, args) {
        (B::IsNan, [Float(a)]) => Int(i32::from(a.is_nan())),
        (B::IsInf, [Float(a)]) => Int(i32::from(a.is_infinite())),
        (B::IsFinite, [Float(a)]) => Int(i32::from(a.is_finite())),
        (B::Dot, [Triple(a), Triple(b)]) => Float(math::dot(*a, *b)),
        (B::Cross, [Triple(a), Triple(b)]) => Triple(math::cross(*a, *b)),
        (B::Length, [Triple(a)]) => Float(math::length(*a)),
        (B::Normalize, [Triple(a)]) => Triple(math::normalize(*a)),
        (B::Determinant, [Matrix(a)]) => Float(matrix::determinant(a)),
        (B::Transpose, [Matrix(a)]) => Matrix(matrix::transpose(a)),
        (B::TransformPoint, [Matrix(m), Triple(a)]) => Triple(matrix::transform_point(m, *a)),
        (B::TransformVector, [Matrix(m), Triple(a)]) => Triple(matrix::transform_vector(m, *a)),
        (B::TransformNormal, [Matrix(m), Triple(a)]) => Triple(matrix::transform_normal(m, *a)),
        (B::Perlin | B::UPerlin | B::Cell | B::HashNoise, args) => pattern(builtin, dst, args)?,
        (B::Concat, [String(a), String(b)]) => {
            let (joined, too_long) = text::concat(a, b);
            if let Some(too_long) = too_long {
                error.get_or_insert(OperationError::Format(too_long));
            }
            text(&joined)
        }
        (B::Strlen, [String(a)]) => Int(text::strlen(a)),
        (B::Startswith, [String(a), String(b)]) => Int(i32::from(a.starts_with(&**b))),
        (B::Endswith, [String(a), String(b)]) => Int(i32::from(a.ends_with(&**b))),
        (B::Substr, [String(a), Int(start), Int(length)]) => text(text::substr(a, *start, *length)),
        (B::Format, [String(f), values @ ..]) => {
            let values: Vec<_> = values.iter().map(|v| Printable::of(v)).collect();
            text(&format(f, &values, error))
        }
        _ => return None,
    })
}

fn pattern(builtin: Builtin, dst: Kind, args: &[&Const]) -> Option<Const> {
    use Const::{Float, Triple};
    let triple = dst == Kind::TRIPLE;
    macro_rules! noises {
        ($noise:ident $triple:ident) => {
            match (args, triple) {
                ([Float(x)], false) => Float(noise::$noise([*x])),
                ([Float(x), Float(y)], false) => Float(noise::$noise([*x, *y])),
                ([Triple(p)], false) => Float(noise::$noise(*p)),
                ([Triple([x, y, z]), Float(w)], false) => Float(noise::$noise([*x, *y, *z, *w])),
                ([Float(x)], true) => Triple(noise::$triple([*x])),
                ([Float(x), Float(y)], true) => Triple(noise::$triple([*x, *y])),
                ([Triple(p)], true) => Triple(noise::$triple(*p)),
                ([Triple([x, y, z]), Float(w)], true) => Triple(noise::$triple([*x, *y, *z, *w])),
                _ => return None,
            }
        };
    }
    Some(match builtin {
        Builtin::Perlin => noises!(perlin perlin_triple),
        Builtin::UPerlin => noises!(uperlin uperlin_triple),
        Builtin::HashNoise => noises!(hash_noise hash_triple),
        _ => noises!(cell_noise cell_triple),
    })
}

/// Calls a library function, with or without derivatives.
fn call_library(
    builtin: Builtin,
    dst: Kind,
    dual: bool,
    args: &[&Const],
    error: &mut Option<OperationError>,
) -> Const {
    let known: Vec<Option<&Const>> = args.iter().map(|&a| Some(a)).collect();
    let values: Vec<_> = args.iter().map(|v| Printable::of(v)).collect();
    let values: Vec<_> = values.iter().map(Printable::arg).collect();
    let function = library::Function::new(builtin, dst, &known);
    let function = if dual { function.with_derivatives() } else { function };
    let (value, wrong) = function.call(&values);
    if let Some(wrong) = wrong {
        error.get_or_insert(OperationError::Argument(wrong));
    }
    value
}

/// Evaluates a built-in function with derivatives: the arguments are the operands, their derivatives along x, and those
/// along y.
fn dual(builtin: Builtin, dst: Kind, args: &[&Const], error: &mut Option<OperationError>) -> Option<Const> {
    if builtin.in_library() {
        return Some(call_library(builtin, dst, true, args, error));
    }
    use Const::{Array, Float, Triple};
    let count = args.len() / 3;
    let float = |i: usize| match [args.get(i)?, args.get(i + count)?, args.get(i + 2 * count)?] {
        [Float(value), Float(dx), Float(dy)] => Some(Dual::new(*value, *dx, *dy)),
        _ => None,
    };
    let triple = |i: usize| match [args.get(i)?, args.get(i + count)?, args.get(i + 2 * count)?] {
        [Triple(value), Triple(dx), Triple(dy)] => Some(Dual::triple([*value, *dx, *dy])),
        _ => None,
    };
    let floats = |d: Dual| Array([d.value, d.dx, d.dy].map(Float).to_vec());
    let triples = |d: [Dual; 3]| Array(Dual::parts(d).map(Triple).to_vec());
    let is_triple = dst.element() == Kind::TRIPLE;
    let space_time = || {
        let [x, y, z] = triple(0)?;
        Some([x, y, z, float(1)?])
    };
    macro_rules! noises {
        ($noise:ident $triple:ident) => {
            match (args.first()?, count, is_triple) {
                (Float(_), 1, false) => floats(noise::$noise([float(0)?])),
                (Float(_), 1, true) => triples(noise::$triple([float(0)?])),
                (Float(_), _, false) => floats(noise::$noise([float(0)?, float(1)?])),
                (Float(_), _, true) => triples(noise::$triple([float(0)?, float(1)?])),
                (_, 1, false) => floats(noise::$noise(triple(0)?)),
                (_, 1, true) => triples(noise::$triple(triple(0)?)),
                (_, _, false) => floats(noise::$noise(space_time()?)),
                (_, _, true) => triples(noise::$triple(space_time()?)),
            }
        };
    }
    Some(match builtin {
        Builtin::Perlin => noises!(perlin perlin_triple),
        Builtin::UPerlin => noises!(uperlin uperlin_triple),
        _ => return None,
    })
}

/// A value decomposed for printing.
pub enum Printable<'a> {
    /// Integers.
    Ints(Vec<i32>),
    /// Floats, also of triples and matrices.
    Floats(Vec<f32>),
    /// Strings; a closure counts as an empty string.
    Strings(Vec<&'a str>),
}

impl<'a> Printable<'a> {
    /// Decomposes a value.
    pub fn of(value: &'a Const) -> Printable<'a> {
        match value {
            Const::Int(a) => Printable::Ints(vec![*a]),
            Const::Float(a) => Printable::Floats(vec![*a]),
            Const::Triple(a) => Printable::Floats(a.to_vec()),
            Const::Matrix(a) => Printable::Floats(a.to_vec()),
            Const::String(a) => Printable::Strings(vec![a]),
            Const::NullClosure => Printable::Strings(vec![""]),
            Const::Array(values) => values
                .iter()
                .map(Printable::of)
                .reduce(Printable::join)
                .unwrap_or(Printable::Ints(vec![])),
        }
    }

    fn arg(&self) -> Arg<'_> {
        match self {
            Printable::Ints(v) => Arg::Ints(v),
            Printable::Floats(v) => Arg::Floats(v),
            Printable::Strings(v) => Arg::Strings(v),
        }
    }

    fn join(mut self, other: Printable<'a>) -> Printable<'a> {
        match (&mut self, other) {
            (Printable::Ints(a), Printable::Ints(b)) => a.extend(b),
            (Printable::Floats(a), Printable::Floats(b)) => a.extend(b),
            (Printable::Strings(a), Printable::Strings(b)) => a.extend(b),
            // The elements of an array have one kind.
            _ => {}
        }
        self
    }
}

/// Formats a text, and stores an error if the format does not match.
pub fn format(format: &str, values: &[Printable<'_>], error: &mut Option<OperationError>) -> String {
    let args: Vec<Arg<'_>> = values.iter().map(Printable::arg).collect();
    let (text, mismatch) = text::format(format, &args);
    if let Some(mismatch) = mismatch {
        error.get_or_insert(OperationError::Format(mismatch));
    }
    text
}
