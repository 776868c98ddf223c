//! Compile-time constants.

use std::sync::Arc;

/// A value known at compile time.
#[derive(Clone, Debug, PartialEq)]
pub enum Const {
    /// `int`.
    Int(i32),
    /// `float`.
    Float(f32),
    /// Any of the four triples.
    Triple([f32; 3]),
    /// `matrix`, row-major.
    Matrix([f32; 16]),
    /// `string`.
    String(Arc<str>),
    /// The null closure.
    NullClosure,
    /// An array; its elements are of one kind, and not arrays themselves.
    Array(Vec<Const>),
}

impl Const {
    /// Returns the value with every −0 replaced by 0.
    #[must_use]
    pub fn without_sign_of_zero(self) -> Const {
        // −0 + 0 is 0; other numbers are unchanged.
        match self {
            Const::Float(a) => Const::Float(a + 0.0),
            Const::Triple(a) => Const::Triple(a.map(|x| x + 0.0)),
            Const::Matrix(a) => Const::Matrix(a.map(|x| x + 0.0)),
            Const::Array(a) => Const::Array(a.into_iter().map(Const::without_sign_of_zero).collect()),
            Const::Int(_) | Const::String(_) | Const::NullClosure => self,
        }
    }

    /// Returns whether all its numbers are finite.
    pub fn is_finite(&self) -> bool {
        match self {
            Const::Float(a) => a.is_finite(),
            Const::Triple(a) => a.iter().all(|x| x.is_finite()),
            Const::Matrix(a) => a.iter().all(|x| x.is_finite()),
            Const::Array(a) => a.iter().all(Const::is_finite),
            Const::Int(_) | Const::String(_) | Const::NullClosure => true,
        }
    }

    /// Returns whether two constants are equal: numbers bit by bit, except that all NaNs are equal.
    pub fn same(&self, other: &Const) -> bool {
        let float = |a: f32, b: f32| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        let floats = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(&a, &b)| float(a, b));
        match (self, other) {
            (Const::Float(a), Const::Float(b)) => float(*a, *b),
            (Const::Triple(a), Const::Triple(b)) => floats(a, b),
            (Const::Matrix(a), Const::Matrix(b)) => floats(a, b),
            (Const::Array(a), Const::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
            }
            (Const::Int(a), Const::Int(b)) => a == b,
            (Const::String(a), Const::String(b)) => a == b,
            (Const::NullClosure, Const::NullClosure) => true,
            _ => false,
        }
    }
}
