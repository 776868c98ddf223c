//! Results of an evaluation: bounds of the outputs of a unit.

use std::sync::Arc;

use shading_compiler::hir::{ClosureId, Const};

use super::integer::IntRange;
use super::number::{Number, Symbols};
use super::range::Range;
use super::value::{Component, Value};

/// Bounds of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// `int`.
    Int(IntRange),
    /// `float`.
    Float(Range),
    /// Any of the four triples.
    Triple([Range; 3]),
    /// `matrix`, row-major.
    Matrix([Range; 16]),
    /// `string`; `None` if it is unknown.
    String(Option<Arc<str>>),
    /// A closure.
    Closure(ClosureBound),
    /// An array.
    Array(Vec<Bound>),
}

/// Bounds of a closure.
#[derive(Clone, Debug, PartialEq)]
pub enum ClosureBound {
    /// Any closure.
    Unknown,
    /// The sum of the components, or of some of them, as far as they are optional.
    Sum(Vec<ComponentBound>),
}

/// A component that a closure may have.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentBound {
    /// Id in the registry.
    pub id: ClosureId,
    /// Product of its weights, linear RGB.
    pub weight: [Range; 3],
    /// Parameters.
    pub params: Vec<Bound>,
    /// False if it is in the closure at every point, unless its weight is zero.
    pub is_optional: bool,
}

impl Bound {
    /// Returns whether a value is within the bounds. Closures are compared as lists of components: see
    /// [`ClosureBound::components`].
    pub fn contains(&self, value: &Const) -> bool {
        match (self, value) {
            (Bound::Int(range), Const::Int(x)) => range.contains(*x),
            (Bound::Float(range), Const::Float(x)) => range.contains(*x),
            (Bound::Triple(ranges), Const::Triple(x)) => {
                ranges.iter().zip(x).all(|(range, x)| range.contains(*x))
            }
            (Bound::Matrix(ranges), Const::Matrix(x)) => {
                ranges.iter().zip(x).all(|(range, x)| range.contains(*x))
            }
            (Bound::String(known), Const::String(x)) => known.as_ref().is_none_or(|known| known == x),
            (Bound::Array(list), Const::Array(x)) => {
                list.len() == x.len() && list.iter().zip(x).all(|(bound, x)| bound.contains(x))
            }
            (Bound::Closure(closure), Const::NullClosure) => {
                closure.components().is_none_or(|list| list.iter().all(|c| c.is_optional))
            }
            _ => false,
        }
    }

    /// Bounds of both; `None` if they have different kinds.
    pub fn join(&self, other: &Bound) -> Option<Bound> {
        let lanes =
            |a: &[Range], b: &[Range]| -> Vec<Range> { a.iter().zip(b).map(|(a, b)| a.join(*b)).collect() };
        Some(match (self, other) {
            (Bound::Int(a), Bound::Int(b)) => Bound::Int(a.join(*b)),
            (Bound::Float(a), Bound::Float(b)) => Bound::Float(a.join(*b)),
            (Bound::Triple(a), Bound::Triple(b)) => Bound::Triple(lanes(a, b).try_into().ok()?),
            (Bound::Matrix(a), Bound::Matrix(b)) => Bound::Matrix(lanes(a, b).try_into().ok()?),
            (Bound::String(a), Bound::String(b)) => {
                Bound::String(a.as_ref().filter(|a| b.as_ref() == Some(a)).cloned())
            }
            (Bound::Array(a), Bound::Array(b)) if a.len() == b.len() => {
                Bound::Array(a.iter().zip(b).map(|(a, b)| a.join(b)).collect::<Option<_>>()?)
            }
            (Bound::Closure(a), Bound::Closure(b)) => Bound::Closure(a.join(b)),
            _ => return None,
        })
    }

    /// The bounds during a run; closures become unknown.
    pub(super) fn value(&self, symbols: &Symbols) -> Value {
        match self {
            Bound::Int(range) => Value::Int(*range),
            Bound::Float(range) => Value::Float(Number::new(*range, symbols)),
            Bound::Triple(ranges) => Value::triple(*ranges, symbols),
            Bound::Matrix(ranges) => Value::Matrix(Arc::new(*ranges)),
            Bound::String(text) => Value::String(text.clone()),
            Bound::Closure(ClosureBound::Sum(list)) if list.is_empty() => {
                Value::Closure(Some(Arc::default()))
            }
            Bound::Closure(_) => Value::Closure(None),
            Bound::Array(list) => {
                Value::Array(Arc::new(list.iter().map(|bound| bound.value(symbols)).collect()))
            }
        }
    }

    pub(super) fn of(value: &Value) -> Bound {
        match value {
            Value::Int(range) => Bound::Int(*range),
            Value::Float(number) => Bound::Float(number.range),
            Value::Triple([x, y, z]) => Bound::Triple([x.range, y.range, z.range]),
            Value::Matrix(ranges) => Bound::Matrix(**ranges),
            Value::String(text) => Bound::String(text.clone()),
            Value::Closure(None) => Bound::Closure(ClosureBound::Unknown),
            Value::Closure(Some(list)) => {
                Bound::Closure(ClosureBound::Sum(list.iter().map(ComponentBound::of).collect()))
            }
            Value::Array(list) => Bound::Array(list.iter().map(Bound::of).collect()),
        }
    }
}

impl ClosureBound {
    /// Components that the closure may have; `None` if they are unknown.
    pub fn components(&self) -> Option<&[ComponentBound]> {
        match self {
            ClosureBound::Unknown => None,
            ClosureBound::Sum(list) => Some(list),
        }
    }

    /// Bounds of both: the components are matched by their ids, in order.
    fn join(&self, other: &ClosureBound) -> ClosureBound {
        let (ClosureBound::Sum(a), ClosureBound::Sum(b)) = (self, other) else {
            return ClosureBound::Unknown;
        };
        let mut rest: Vec<&ComponentBound> = b.iter().collect();
        let mut list = vec![];
        for component in a {
            let found = rest.iter().position(|other| other.id == component.id);
            let joined = found.and_then(|at| component.join(rest.remove(at)));
            match (found, joined) {
                (Some(_), Some(joined)) => list.push(joined),
                (None, _) => list.push(ComponentBound { is_optional: true, ..component.clone() }),
                (Some(_), None) => return ClosureBound::Unknown,
            }
        }
        list.extend(
            rest.into_iter()
                .map(|other| ComponentBound { is_optional: true, ..other.clone() }),
        );
        ClosureBound::Sum(list)
    }
}

impl ComponentBound {
    fn of(component: &Component) -> ComponentBound {
        let weight = component.weight();
        ComponentBound {
            id: component.id,
            weight,
            params: component.params.iter().map(Bound::of).collect(),
            is_optional: component.is_optional || weight.iter().all(Range::contains_zero),
        }
    }

    fn join(&self, other: &ComponentBound) -> Option<ComponentBound> {
        let params = self.params.iter().zip(&other.params).map(|(a, b)| a.join(b));
        Some(ComponentBound {
            id: self.id,
            weight: [0, 1, 2].map(|lane| self.weight[lane].join(other.weight[lane])),
            params: params.collect::<Option<_>>()?,
            is_optional: self.is_optional || other.is_optional,
        })
    }
}
