//! Rules of the operations that depend on their operands only.

use std::sync::Arc;

use shading_compiler::builtins::Builtin;
use shading_compiler::eval::noise::NoiseKind;
use shading_compiler::eval::{self, operation};
use shading_compiler::hir::kind::Element;
use shading_compiler::hir::{Const, Kind, Op};

use super::function;
use super::integer::{self, IntRange};
use super::logic;
use super::matrix;
use super::noise::NoiseBox;
use super::number::{self, Number, Symbols};
use super::pattern;
use super::range::{self, Range};
use super::value::{self, Component, Value, ranges};

/// An operation with its operands.
#[derive(Clone, Copy)]
pub(super) struct Operation<'a> {
    pub(super) op: Op,
    /// Kind of the result.
    pub(super) kind: Kind,
    pub(super) args: &'a [Value],
}

/// Bounds of the result of an operation; a value of the kind if there is no rule for it.
pub(super) fn evaluate(operation: Operation<'_>, symbols: &Symbols) -> Value {
    operation
        .constant(symbols)
        .or_else(|| operation.number(symbols))
        .or_else(|| operation.element(symbols))
        .or_else(|| operation.closure())
        .or_else(|| operation.call(symbols))
        .unwrap_or_else(|| Value::unknown(operation.kind, symbols))
}

impl Operation<'_> {
    /// The result for constant operands.
    fn constant(&self, symbols: &Symbols) -> Option<Value> {
        match self.op {
            Op::Copy | Op::MakeArray | Op::ArrayGet | Op::ArraySet => return None,
            Op::Builtin(builtin) | Op::BuiltinDual(builtin) if !builtin.is_foldable() => return None,
            _ => {}
        }
        let args: Vec<Const> = self.args.iter().map(Value::constant).collect::<Option<_>>()?;
        let args: Vec<&Const> = args.iter().collect();
        let found = operation::evaluate(self.op, self.kind, &args, &mut None)?;
        Some(Value::of(&found, symbols))
    }

    /// Arithmetic, comparisons and conversions.
    fn number(&self, symbols: &Symbols) -> Option<Value> {
        Some(match (self.op, self.args) {
            (Op::Copy, [a]) => a.clone(),
            (Op::IntToFloat, [Value::Int(a)]) => {
                Value::Float(Number::new(Range::new(a.min as f32, a.max as f32), symbols))
            }
            (Op::FloatToInt, [Value::Float(a)]) => Value::Int(truncated(a.range)),
            (Op::Splat, [Value::Float(a)]) => Value::Triple([a.clone(), a.clone(), a.clone()]),
            (Op::Diagonal, [Value::Float(a)]) => {
                let mut m = [Range::point(0.0); 16];
                [0, 5, 10, 15].into_iter().for_each(|i| m[i] = a.range);
                Value::Matrix(Arc::new(m))
            }
            (Op::Truth, [a]) => Value::Int(logic::truth(a).range()),
            (Op::Not, [Value::Int(a)]) => {
                let truth = logic::Truth::of_int(*a).range();
                Value::Int(IntRange { min: 1 - truth.max, max: 1 - truth.min })
            }
            (Op::BitNot, [Value::Int(a)]) => Value::Int(IntRange { min: !a.max, max: !a.min }),
            (Op::Neg, [a]) => negated(a, symbols)?,
            (op, [Value::Int(a), Value::Int(b)]) if let Some(found) = integer::binary(op, *a, *b) => {
                Value::Int(found)
            }
            (Op::Add | Op::Sub | Op::Mul | Op::Div, [a, b]) => self.arithmetic(a, b, symbols)?,
            (op, [a, b]) => Value::Int(logic::compare(op, a, b)?.range()),
            _ => return None,
        })
    }

    fn arithmetic(&self, a: &Value, b: &Value, symbols: &Symbols) -> Option<Value> {
        type OfNumbers = fn(&Number, &Number, &Symbols) -> Number;
        type OfRanges = fn(Range, Range) -> Range;
        let (float, plain): (OfNumbers, OfRanges) = match self.op {
            Op::Add => (number::add, range::add),
            Op::Sub => (number::sub, |a, b| range::add(a, range::neg(b))),
            Op::Mul => (number::mul, range::mul),
            _ => (number::div, range::div),
        };
        Some(match (a, b) {
            (Value::Float(a), Value::Float(b)) => Value::Float(float(a, b, symbols)),
            (Value::Triple(a), Value::Triple(b)) => {
                Value::Triple([0, 1, 2].map(|lane| float(&a[lane], &b[lane], symbols)))
            }
            (Value::Matrix(a), Value::Matrix(b)) => Value::Matrix(Arc::new(match self.op {
                Op::Mul => matrix::mul(a, b),
                // The inverse of a matrix that is not constant is unknown.
                Op::Div => [Range::UNKNOWN; 16],
                _ => std::array::from_fn(|i| plain(a[i], b[i])),
            })),
            _ => return None,
        })
    }

    /// Construction and components of triples, matrices and arrays.
    fn element(&self, symbols: &Symbols) -> Option<Value> {
        Some(match (self.op, self.args) {
            (Op::MakeTriple, [Value::Float(x), Value::Float(y), Value::Float(z)]) => {
                Value::Triple([x.clone(), y.clone(), z.clone()])
            }
            (Op::TripleGet, [Value::Triple(a), Value::Int(i)]) => {
                let all = indices(*i, 3).map(|i| a[i].clone());
                Value::Float(all.reduce(|a, b| a.join(&b, symbols))?)
            }
            (Op::TripleSet, [Value::Triple(a), Value::Int(i), Value::Float(x)]) => {
                let mut a = a.clone();
                let is_certain = indices(*i, 3).count() == 1;
                for i in indices(*i, 3) {
                    a[i] = if is_certain { x.clone() } else { a[i].join(x, symbols) };
                }
                Value::Triple(a)
            }
            (Op::MakeMatrix, args) => {
                let mut m = [Range::UNKNOWN; 16];
                for (place, arg) in m.iter_mut().zip(args) {
                    let Value::Float(x) = arg else { return None };
                    *place = x.range;
                }
                Value::Matrix(Arc::new(m))
            }
            (Op::MatrixGet, [Value::Matrix(m), Value::Int(i), Value::Int(j)]) => {
                let all = indices(*i, 4).flat_map(|i| indices(*j, 4).map(move |j| 4 * i + j));
                Value::Float(Number::new(all.map(|at| m[at]).reduce(Range::join)?, symbols))
            }
            (Op::MatrixSet, [Value::Matrix(m), Value::Int(i), Value::Int(j), Value::Float(x)]) => {
                let mut m = m.clone();
                let all: Vec<usize> =
                    indices(*i, 4).flat_map(|i| indices(*j, 4).map(move |j| 4 * i + j)).collect();
                for &at in &all {
                    let place = &mut Arc::make_mut(&mut m)[at];
                    *place = if all.len() == 1 { x.range } else { place.join(x.range) };
                }
                Value::Matrix(m)
            }
            (Op::MakeArray, args) => Value::Array(Arc::new(args.to_vec())),
            (Op::ArrayGet, [Value::Array(list), Value::Int(i)]) => {
                let all = indices(*i, list.len()).map(|i| list[i].clone());
                all.reduce(|a, b| a.join(&b, symbols))?
            }
            (Op::ArraySet, [Value::Array(list), Value::Int(i), x]) => {
                let mut list = list.clone();
                let is_certain = indices(*i, list.len()).count() == 1;
                for i in indices(*i, list.len()) {
                    let place = &mut Arc::make_mut(&mut list)[i];
                    *place = if is_certain { x.clone() } else { place.join(x, symbols) };
                }
                Value::Array(list)
            }
            _ => return None,
        })
    }

    fn closure(&self) -> Option<Value> {
        Some(match (self.op, self.args) {
            (Op::MakeClosure(id), params) => {
                let component = Component {
                    id,
                    factors: vec![],
                    params: Arc::new(params.to_vec()),
                    is_optional: false,
                };
                Value::Closure(Some(Arc::new(vec![component])))
            }
            (Op::ClosureAdd, [Value::Closure(a), Value::Closure(b)]) => Value::Closure(value::sum(a, b)),
            (Op::ClosureMul, [Value::Closure(a), Value::Float(w)]) => {
                Value::Closure(value::scaled(a, [w.range; 3]))
            }
            (Op::ClosureMul, [Value::Closure(a), Value::Triple([r, g, b])]) => {
                Value::Closure(value::scaled(a, [r.range, g.range, b.range]))
            }
            _ => return None,
        })
    }

    /// Built-in functions.
    fn call(&self, symbols: &Symbols) -> Option<Value> {
        use Builtin as B;
        let builtin = match self.op {
            Op::Builtin(builtin) => builtin,
            Op::BuiltinDual(builtin) => return self.call_with_derivatives(builtin, symbols),
            _ => return None,
        };
        let float = |range: Range| Value::Float(Number::new(range, symbols));
        let lanes = |v: &[Number; 3]| [v[0].range, v[1].range, v[2].range];
        let triple = |ranges: [Range; 3]| Value::triple(ranges, symbols);
        Some(match (builtin, self.args) {
            (_, [Value::Float(a)]) if let Some(found) = function::unary(builtin, a.range) => float(found),
            (_, [Value::Triple(a)]) if let Some(first) = function::unary(builtin, a[0].range) => {
                let lane = |i: usize| function::unary(builtin, a[i].range).unwrap_or(Range::UNKNOWN);
                triple([first, lane(1), lane(2)])
            }
            (_, [Value::Float(a), Value::Float(b)])
                if let Some(found) = function::binary(builtin, a.range, b.range) =>
            {
                float(found)
            }
            (_, [Value::Triple(a), Value::Triple(b)])
                if let Some(first) = function::binary(builtin, a[0].range, b[0].range) =>
            {
                let lane =
                    |i: usize| function::binary(builtin, a[i].range, b[i].range).unwrap_or(Range::UNKNOWN);
                triple([first, lane(1), lane(2)])
            }
            (B::Abs, [Value::Int(a)]) => Value::Int(integer::abs(*a)),
            (B::Min, [Value::Int(a), Value::Int(b)]) => {
                Value::Int(IntRange { min: a.min.min(b.min), max: a.max.min(b.max) })
            }
            (B::Max, [Value::Int(a), Value::Int(b)]) => {
                Value::Int(IntRange { min: a.min.max(b.min), max: a.max.max(b.max) })
            }
            (B::IsNan | B::IsInf | B::IsFinite, [Value::Float(a)]) => {
                let excludes = match builtin {
                    B::IsNan => !a.range.may_be_nan,
                    B::IsInf => !a.range.has_infinity(),
                    _ => false,
                };
                let is_certain = builtin == B::IsFinite && a.range.is_finite();
                Value::Int(IntRange { min: i32::from(is_certain), max: i32::from(!excludes) })
            }
            (B::Dot, [Value::Triple(a), Value::Triple(b)]) => Value::Float(dot(a, b, symbols)),
            (B::Cross, [Value::Triple(a), Value::Triple(b)]) => {
                let part = |i: usize, j: usize| {
                    let (x, y) = (number::mul(&a[i], &b[j], symbols), number::mul(&a[j], &b[i], symbols));
                    number::sub(&x, &y, symbols)
                };
                Value::Triple([part(1, 2), part(2, 0), part(0, 1)])
            }
            (B::Length, [Value::Triple(a)]) => float(length(a, symbols)),
            (B::Normalize, [Value::Triple(a)]) => triple(function::normalized(lanes(a), length(a, symbols))),
            (B::Transpose, [Value::Matrix(m)]) => Value::Matrix(Arc::new(eval::matrix::transpose(m))),
            (B::TransformPoint, [Value::Matrix(m), Value::Triple(p)]) => {
                triple(matrix::transform_point(m, lanes(p)))
            }
            (B::TransformVector, [Value::Matrix(m), Value::Triple(v)]) => {
                triple(matrix::transform_vector(m, lanes(v)))
            }
            (B::TransformNormal, [Value::Matrix(m), Value::Triple(n)]) => {
                triple(matrix::transform_normal(m, lanes(n))?)
            }
            (B::Perlin | B::UPerlin | B::Cell | B::HashNoise, coordinates) => {
                let kind = match builtin {
                    B::Perlin => NoiseKind::Perlin,
                    B::UPerlin => NoiseKind::UPerlin,
                    B::Cell => NoiseKind::Cell,
                    _ => NoiseKind::Hash,
                };
                self.noise(kind, coordinates, symbols)?
            }
            (B::Noise | B::PNoise | B::Spline | B::SplineInverse | B::Blackbody, args) => {
                pattern::evaluate(builtin, self.kind, args, symbols)?
            }
            (
                B::Startswith
                | B::Endswith
                | B::RegexMatch
                | B::RegexSearch
                | B::HasMessage
                | B::HasDictValue
                | B::HasCloudValues
                | B::Trace
                | B::CloudWrite,
                _,
            ) => Value::Int(IntRange::TRUTH),
            (B::Strlen | B::SplitCount, _) => Value::Int(IntRange { min: 0, max: i32::MAX }),
            _ => return None,
        })
    }

    fn noise(&self, kind: NoiseKind, coordinates: &[Value], symbols: &Symbols) -> Option<Value> {
        let at = ranges(coordinates)?;
        let lanes = if self.kind.element() == Kind::TRIPLE { 3 } else { 1 };
        let found = NoiseBox { at: &at, period: None }.bounds(kind, lanes);
        Some(match lanes {
            3 => Value::triple(found, symbols),
            _ => Value::Float(Number::new(found[0], symbols)),
        })
    }

    /// A function with derivatives: those of the result are unknown.
    fn call_with_derivatives(&self, builtin: Builtin, symbols: &Symbols) -> Option<Value> {
        let kind = self.kind.element();
        let args = &self.args[..self.args.len() / 3];
        let value = Operation { op: Op::Builtin(builtin), kind, args }.call(symbols)?;
        let unknown = Value::unknown(kind, symbols);
        let count = matches!(self.kind, Kind::Array(Element::Float | Element::Triple, 3));
        count.then(|| Value::Array(Arc::new(vec![value, unknown.clone(), unknown])))
    }
}

fn negated(a: &Value, symbols: &Symbols) -> Option<Value> {
    Some(match a {
        Value::Int(a) => Value::Int(integer::neg(*a)),
        Value::Float(a) => Value::Float(number::neg(a, symbols)),
        Value::Triple([x, y, z]) => Value::Triple([x, y, z].map(|x| number::neg(x, symbols))),
        Value::Matrix(m) => Value::Matrix(Arc::new(m.map(range::neg))),
        _ => return None,
    })
}

fn truncated(x: Range) -> IntRange {
    let is_small = |x: f32| x > -eval::INT_LIMIT && x < eval::INT_LIMIT;
    match !x.may_be_nan && !x.is_empty() && is_small(x.min) && is_small(x.max) {
        true => IntRange { min: x.min as i32, max: x.max as i32 },
        false => IntRange::UNKNOWN,
    }
}

/// Elements that an index may select, which is clamped.
fn indices(index: IntRange, length: usize) -> std::ops::RangeInclusive<usize> {
    let [first, last] = [index.min, index.max].map(|i| eval::clamp_index(i, length).0);
    first..=last
}

fn dot(a: &[Number; 3], b: &[Number; 3], symbols: &Symbols) -> Number {
    let [x, y, z] = [0, 1, 2].map(|lane| number::mul(&a[lane], &b[lane], symbols));
    number::add(&number::add(&x, &y, symbols), &z, symbols)
}

fn length(a: &[Number; 3], symbols: &Symbols) -> Range {
    let square = dot(a, a, symbols).range;
    if square.is_empty() {
        return square;
    }
    // The square is not negative.
    Range::new(square.min.max(0.0).sqrt(), square.max.max(0.0).sqrt()).or_nan(square.may_be_nan)
}
