//! Results of an evaluation: bounds of the outputs of a unit.

use std::sync::Arc;

use shading_compiler::hir::{ClosureId, Const};

use super::integer::IntRange;
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
}
