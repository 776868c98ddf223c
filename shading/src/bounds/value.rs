//! Bounds of a value of any kind, and of closures: a sum of components with bounds of their weights and parameters.

use std::sync::Arc;

use shading_compiler::hir::kind::Element;
use shading_compiler::hir::{ClosureId, Const, Kind};

use super::integer::IntRange;
use super::number::{Number, Symbols};
use super::range::{self, Range};

/// Maximum number of components of a closure with known bounds.
const MAX_COMPONENTS: usize = 64;

/// Bounds of a value during a run.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Int(IntRange),
    Float(Number),
    Triple([Number; 3]),
    Matrix(Arc<[Range; 16]>),
    /// `None` if unknown.
    String(Option<Arc<str>>),
    Closure(Closure),
    Array(Arc<Vec<Value>>),
}

/// Bounds of a closure; `None` if it may have any components.
pub(super) type Closure = Option<Arc<Vec<Component>>>;

/// A component that a closure may have.
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub(super) id: ClosureId,
    /// Factors of the weight, the outermost last.
    pub(super) factors: Vec<[Range; 3]>,
    pub(super) params: Arc<Vec<Value>>,
    /// True if some runs do not create it.
    pub(super) is_optional: bool,
}

impl Component {
    /// Bounds of the product of the factors, which listings multiply from the outermost in.
    pub(super) fn weight(&self) -> [Range; 3] {
        let mut weight = [Range::point(1.0); 3];
        for factor in self.factors.iter().rev() {
            for (product, lane) in weight.iter_mut().zip(factor) {
                *product = range::mul(*product, *lane);
            }
        }
        weight
    }

    fn join(&self, other: &Component, symbols: &Symbols) -> Component {
        let count = self.factors.len().max(other.factors.len());
        let factor = |list: &[[Range; 3]], i: usize| list.get(i).copied().unwrap_or([Range::point(1.0); 3]);
        let factors = (0..count).map(|i| {
            let (a, b) = (factor(&self.factors, i), factor(&other.factors, i));
            [0, 1, 2].map(|lane| a[lane].join(b[lane]))
        });
        let params = self.params.iter().zip(&*other.params).map(|(a, b)| a.join(b, symbols));
        Component {
            id: self.id,
            factors: factors.collect(),
            params: Arc::new(params.collect()),
            is_optional: self.is_optional || other.is_optional,
        }
    }

    fn includes(&self, other: &Component) -> bool {
        let lanes = |a: &[Range; 3], b: &[Range; 3]| a.iter().zip(b).all(|(a, b)| a.includes(b));
        self.id == other.id
            && (self.is_optional || !other.is_optional)
            && self.factors.len() == other.factors.len()
            && self.factors.iter().zip(&other.factors).all(|(a, b)| lanes(a, b))
            && self.params.iter().zip(&*other.params).all(|(a, b)| a.includes(b))
    }
}

/// Makes all components optional.
pub(super) fn optional(closure: &Closure) -> Closure {
    let mut list = closure.clone()?;
    if list.iter().any(|component| !component.is_optional) {
        Arc::make_mut(&mut list)
            .iter_mut()
            .for_each(|component| component.is_optional = true);
    }
    Some(list)
}

/// Bounds of a sum.
pub(super) fn sum(a: &Closure, b: &Closure) -> Closure {
    let (a, b) = (a.as_ref()?, b.as_ref()?);
    let list: Vec<Component> = a.iter().chain(&**b).cloned().collect();
    (list.len() <= MAX_COMPONENTS).then(|| Arc::new(list))
}

/// Bounds of a scaled closure.
pub(super) fn scaled(closure: &Closure, factor: [Range; 3]) -> Closure {
    let mut list = closure.clone()?;
    let may_vanish = factor.iter().all(Range::contains_zero);
    for component in Arc::make_mut(&mut list) {
        component.factors.push(factor);
        component.is_optional |= may_vanish;
    }
    Some(list)
}

/// Joins lists of components: equal ids are matched in order, and unmatched components are optional.
fn join_closures(a: &Closure, b: &Closure, symbols: &Symbols) -> Closure {
    let (a, b) = (a.as_ref()?, b.as_ref()?);
    if Arc::ptr_eq(a, b) {
        return Some(a.clone());
    }
    let mut rest: Vec<&Component> = b.iter().collect();
    let mut list = vec![];
    for component in &**a {
        match rest.iter().position(|other| other.id == component.id) {
            Some(at) => list.push(component.join(rest.remove(at), symbols)),
            None => list.push(Component { is_optional: true, ..component.clone() }),
        }
    }
    let more = rest.into_iter().map(|other| Component { is_optional: true, ..other.clone() });
    list.extend(more);
    (list.len() <= MAX_COMPONENTS).then(|| Arc::new(list))
}

/// Ranges of floats and triples in order; `None` if there is another kind of value.
pub(super) fn ranges(values: &[Value]) -> Option<Vec<Range>> {
    let mut list = vec![];
    for value in values {
        match value {
            Value::Float(x) => list.push(x.range),
            Value::Triple(x) => list.extend(x.iter().map(|x| x.range)),
            _ => return None,
        }
    }
    Some(list)
}

impl Value {
    /// Returns a value of which only the kind is known.
    pub(super) fn unknown(kind: Kind, symbols: &Symbols) -> Value {
        let number = || Number::new(Range::UNKNOWN, symbols);
        match kind {
            Kind::One(Element::Int) => Value::Int(IntRange::UNKNOWN),
            Kind::One(Element::Float) => Value::Float(number()),
            Kind::One(Element::Triple) => Value::Triple([number(), number(), number()]),
            Kind::One(Element::Matrix) => Value::Matrix(Arc::new([Range::UNKNOWN; 16])),
            Kind::One(Element::String) => Value::String(None),
            Kind::One(Element::Closure) => Value::Closure(None),
            Kind::Array(element, n) => {
                let one = Kind::One(element);
                Value::Array(Arc::new((0..n).map(|_| Value::unknown(one, symbols)).collect()))
            }
        }
    }

    /// Returns the bounds of a known value.
    pub(super) fn of(value: &Const, symbols: &Symbols) -> Value {
        let number = |x: f32| Number::new(Range::point(x), symbols);
        match value {
            Const::Int(x) => Value::Int(IntRange::point(*x)),
            Const::Float(x) => Value::Float(number(*x)),
            Const::Triple(x) => Value::Triple(x.map(number)),
            Const::Matrix(x) => Value::Matrix(Arc::new(x.map(Range::point))),
            Const::String(x) => Value::String(Some(x.clone())),
            Const::NullClosure => Value::Closure(Some(Arc::default())),
            Const::Array(list) => {
                Value::Array(Arc::new(list.iter().map(|x| Value::of(x, symbols)).collect()))
            }
        }
    }

    /// Returns bounds that are known as ranges.
    pub(super) fn triple(ranges: [Range; 3], symbols: &Symbols) -> Value {
        Value::Triple(ranges.map(|range| Number::new(range, symbols)))
    }

    /// Returns the value if there is only one; closures are not compared.
    pub(super) fn constant(&self) -> Option<Const> {
        Some(match self {
            Value::Int(x) => Const::Int(x.value()?),
            Value::Float(x) => Const::Float(x.range.value()?),
            Value::Triple([x, y, z]) => Const::Triple([x.range.value()?, y.range.value()?, z.range.value()?]),
            Value::Matrix(m) => {
                let mut values = [0.0; 16];
                for (value, range) in values.iter_mut().zip(&**m) {
                    *value = range.value()?;
                }
                Const::Matrix(values)
            }
            Value::String(text) => Const::String(text.clone()?),
            Value::Closure(_) => return None,
            Value::Array(list) => Const::Array(list.iter().map(Value::constant).collect::<Option<_>>()?),
        })
    }

    /// Bounds of both.
    pub(super) fn join(&self, other: &Value, symbols: &Symbols) -> Value {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => Value::Int(a.join(*b)),
            (Value::Float(a), Value::Float(b)) => Value::Float(a.join(b, symbols)),
            (Value::Triple(a), Value::Triple(b)) => {
                Value::Triple([0, 1, 2].map(|lane| a[lane].join(&b[lane], symbols)))
            }
            (Value::Matrix(a), Value::Matrix(b)) if Arc::ptr_eq(a, b) => self.clone(),
            (Value::Matrix(a), Value::Matrix(b)) => {
                Value::Matrix(Arc::new(std::array::from_fn(|i| a[i].join(b[i]))))
            }
            (Value::String(a), Value::String(b)) => {
                Value::String(a.as_ref().filter(|a| b.as_ref() == Some(a)).cloned())
            }
            (Value::Closure(a), Value::Closure(b)) => Value::Closure(join_closures(a, b, symbols)),
            (Value::Array(a), Value::Array(b)) if Arc::ptr_eq(a, b) => self.clone(),
            (Value::Array(a), Value::Array(b)) => {
                Value::Array(Arc::new(a.iter().zip(&**b).map(|(a, b)| a.join(b, symbols)).collect()))
            }
            // A variable has one kind.
            _ => self.clone(),
        }
    }

    /// Bounds of both in which nothing depends on other values, for the head of a loop.
    pub(super) fn extrapolated(&self, next: &Value, symbols: &Symbols) -> Value {
        let number = |a: &Number, b: &Number| Number::new(a.range.extrapolated(b.range), symbols);
        match (self, next) {
            (Value::Int(a), Value::Int(b)) => Value::Int(a.extrapolated(*b)),
            (Value::Float(a), Value::Float(b)) => Value::Float(number(a, b)),
            (Value::Triple(a), Value::Triple(b)) => {
                Value::Triple([0, 1, 2].map(|lane| number(&a[lane], &b[lane])))
            }
            (Value::Matrix(a), Value::Matrix(b)) => {
                Value::Matrix(Arc::new(std::array::from_fn(|i| a[i].extrapolated(b[i]))))
            }
            (Value::Array(a), Value::Array(b)) => {
                let list = a.iter().zip(&**b).map(|(a, b)| a.extrapolated(b, symbols));
                Value::Array(Arc::new(list.collect()))
            }
            (Value::Closure(_), Value::Closure(_)) if !self.includes(next) => Value::Closure(None),
            _ => self.join(next, symbols),
        }
    }

    /// Returns whether all values of `other` are within these bounds.
    pub(super) fn includes(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a.includes(*b),
            (Value::Float(a), Value::Float(b)) => a.range.includes(&b.range),
            (Value::Triple(a), Value::Triple(b)) => a.iter().zip(b).all(|(a, b)| a.range.includes(&b.range)),
            (Value::Matrix(a), Value::Matrix(b)) => a.iter().zip(&**b).all(|(a, b)| a.includes(b)),
            (Value::String(a), Value::String(b)) => a.is_none() || a == b,
            (Value::Closure(None), Value::Closure(_)) => true,
            (Value::Closure(Some(a)), Value::Closure(Some(b))) => {
                a.len() == b.len() && a.iter().zip(&**b).all(|(a, b)| a.includes(b))
            }
            (Value::Array(a), Value::Array(b)) => a.iter().zip(&**b).all(|(a, b)| a.includes(b)),
            _ => false,
        }
    }
}
