//! Kinds: types without the distinction of triples, as operations need them.

use std::fmt;

use crate::hir::Const;
use crate::ty::{Base, Length, Type};

/// Kind of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// `int`.
    Int,
    /// `float`.
    Float,
    /// Any of the four triples.
    Triple,
    /// `matrix`.
    Matrix,
    /// `string`.
    String,
    /// A closure.
    Closure,
}

/// Kind of a single value, or of an array with its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A single value.
    One(Element),
    /// An array.
    Array(Element, u32),
}

impl Kind {
    /// `int`.
    pub const INT: Kind = Kind::One(Element::Int);
    /// `float`.
    pub const FLOAT: Kind = Kind::One(Element::Float);
    /// Any of the four triples.
    pub const TRIPLE: Kind = Kind::One(Element::Triple);
    /// `matrix`.
    pub const MATRIX: Kind = Kind::One(Element::Matrix);
    /// `string`.
    pub const STRING: Kind = Kind::One(Element::String);
    /// A closure.
    pub const CLOSURE: Kind = Kind::One(Element::Closure);

    /// Returns the kind of a type; `None` for a type that variables of HIR cannot have.
    pub fn of(ty: Type) -> Option<Kind> {
        let element = match ty.base {
            Base::Int => Element::Int,
            Base::Float => Element::Float,
            Base::Color | Base::Point | Base::Vector | Base::Normal => Element::Triple,
            Base::Matrix => Element::Matrix,
            Base::String => Element::String,
            Base::Closure => Element::Closure,
            Base::Void | Base::Struct(_) => return None,
        };
        match ty.length {
            Length::Single => Some(Kind::One(element)),
            Length::Array(n) => Some(Kind::Array(element, n)),
            Length::Unsized => None,
        }
    }

    /// Returns the kind of a constant; `None` for an array that is empty, mixed or nested.
    pub fn of_const(value: &Const) -> Option<Kind> {
        let element = |value: &Const| {
            Some(match value {
                Const::Int(_) => Element::Int,
                Const::Float(_) => Element::Float,
                Const::Triple(_) => Element::Triple,
                Const::Matrix(_) => Element::Matrix,
                Const::String(_) => Element::String,
                Const::NullClosure => Element::Closure,
                Const::Array(_) => return None,
            })
        };
        let Const::Array(values) = value else {
            return element(value).map(Kind::One);
        };
        let first = element(values.first()?)?;
        let uniform = values.iter().all(|v| element(v) == Some(first));
        uniform.then_some(Kind::Array(first, values.len() as u32))
    }

    /// Returns the numeric code of the kind, by which compiled code requests values.
    pub fn code(self) -> i32 {
        match self {
            Kind::One(element) => element as i32,
            Kind::Array(element, n) => element as i32 | (n.min(1 << 24) as i32 + 1) << 3,
        }
    }

    /// Returns the kind with a numeric code.
    pub fn of_code(code: i32) -> Kind {
        let element = match code & 7 {
            0 => Element::Int,
            1 => Element::Float,
            2 => Element::Triple,
            3 => Element::Matrix,
            4 => Element::String,
            _ => Element::Closure,
        };
        match (code >> 3) as u32 {
            0 => Kind::One(element),
            n => Kind::Array(element, n - 1),
        }
    }

    /// Returns whether it is int, float, triple or matrix.
    pub fn is_number(self) -> bool {
        matches!(
            self,
            Kind::One(Element::Int | Element::Float | Element::Triple | Element::Matrix)
        )
    }

    /// Number of elements: the array length, or 1.
    pub fn count(self) -> u32 {
        match self {
            Kind::One(_) => 1,
            Kind::Array(_, n) => n,
        }
    }

    /// Kind of one element; the kind itself if it is not an array.
    pub fn element(self) -> Kind {
        match self {
            Kind::One(element) | Kind::Array(element, _) => Kind::One(element),
        }
    }

    /// Initial value of a variable of this kind.
    pub fn zero(self) -> Const {
        match self {
            Kind::One(Element::Int) => Const::Int(0),
            Kind::One(Element::Float) => Const::Float(0.0),
            Kind::One(Element::Triple) => Const::Triple([0.0; 3]),
            Kind::One(Element::Matrix) => Const::Matrix([0.0; 16]),
            Kind::One(Element::String) => Const::String("".into()),
            Kind::One(Element::Closure) => Const::NullClosure,
            Kind::Array(element, n) => Const::Array(vec![Kind::One(element).zero(); n as usize]),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Kind::One(element) | Kind::Array(element, _)) = self;
        f.write_str(match element {
            Element::Int => "int",
            Element::Float => "float",
            Element::Triple => "triple",
            Element::Matrix => "matrix",
            Element::String => "string",
            Element::Closure => "closure",
        })?;
        match self {
            Kind::One(_) => Ok(()),
            Kind::Array(_, n) => write!(f, "[{n}]"),
        }
    }
}
