//! HIR operations.

use super::{ClosureId, Kind, TextureOptions};
use crate::builtins::{Builtin, Global};

/// What a statement computes. `a`, `b` … are its operands in order; "number" is int, float, triple or matrix, and all
/// numbers of one operation are of one kind unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `a`; a triple may become a triple of another kind.
    Copy,
    /// int → float.
    IntToFloat,
    /// float → int, toward zero; what no int holds is the least int.
    FloatToInt,
    /// float → triple with three equal lanes.
    Splat,
    /// float → matrix with the float on the diagonal.
    Diagonal,
    /// int, float, triple, matrix, string or closure → int: whether it is not zero (empty, null).
    Truth,
    /// number + number.
    Add,
    /// number − number.
    Sub,
    /// number × number, lane by lane; matrices multiply as matrices.
    Mul,
    /// number / number, lane by lane, x/0 = 0; int toward zero, wrapping on overflow; matrix: `a` × inverse of `b`
    /// (a singular `b` counts as identity).
    Div,
    /// int % int, sign of `a`, x%0 = 0.
    Mod,
    /// −number.
    Neg,
    /// int & int.
    BitAnd,
    /// int | int.
    BitOr,
    /// int ^ int.
    BitXor,
    /// int << int, count modulo 32.
    Shl,
    /// int >> int, arithmetic, count modulo 32.
    Shr,
    /// ~int.
    BitNot,
    /// int ? 0 : 1.
    Not,
    /// value == value → int; numbers or strings of one kind.
    Eq,
    /// value != value → int.
    Ne,
    /// int or float < → int.
    Lt,
    /// int or float <= → int.
    Le,
    /// int or float > → int.
    Gt,
    /// int or float >= → int.
    Ge,
    /// (float, float, float) → triple.
    MakeTriple,
    /// (triple, int lane) → float; the lane is clamped to 0..=2 and reported.
    TripleGet,
    /// (triple, int lane, float) → the triple with that lane replaced.
    TripleSet,
    /// 16 floats, row by row → matrix.
    MakeMatrix,
    /// (matrix, int row, int column) → float, clamped and reported.
    MatrixGet,
    /// (matrix, int row, int column, float) → the matrix with that element replaced.
    MatrixSet,
    /// n elements → array of n.
    MakeArray,
    /// (array, int index) → element; the index is clamped and reported.
    ArrayGet,
    /// (array, int index, element) → the array with that element replaced; operand 0 is the destination.
    ArraySet,
    /// () → the global's value.
    Global(Global),
    /// () → the change of the global to the next pixel along the axis.
    GlobalDerivative(Global, Axis),
    /// The built-in function; operands and result by its signature.
    Builtin(Builtin),
    /// The built-in function with derivatives: its operands, then their changes along x, then those along y → array of 3:
    /// the value, its change along x, and that along y. For those that [`Builtin::has_dual`].
    BuiltinDual(Builtin),
    /// float or triple → its change to the next pixel along the axis. [`crate::derivative`] puts other operations in its
    /// place; where that has not run, derivatives are zero.
    Derivative(Axis),
    /// The closure component with the registry's parameters as operands, in order.
    MakeClosure(ClosureId),
    /// closure + closure.
    ClosureAdd,
    /// (closure, float or triple) → the closure scaled.
    ClosureMul,
    /// (string file, the operands of [`TextureOptions`]) → float array of [`TextureOptions::results`] elements.
    Texture(TextureOptions),
    /// The same operands → string: why the lookup fails, empty where it does not.
    TextureError(TextureOptions),
    /// (string file, string name, float s, float t) → what the file says of itself under that name, as the destination's
    /// type; zero where it says nothing of that type. A coordinate that is no number asks of the file as a whole.
    TextureInfo,
    /// The same operands → int: whether it says so; the value is of this kind.
    HasTextureInfo(Kind),
    /// (string object, string name) → the attribute as the destination's type; zero when there is none. Goes with
    /// `Builtin::HasAttribute`.
    AttributeValue,
    /// (string object, string name) → the change of the attribute to the next pixel along the axis, float or triple.
    AttributeDerivative(Axis),
}

/// An axis of the screen, along which derivatives are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// To the next pixel on the right.
    X,
    /// To the next pixel below.
    Y,
}

impl Axis {
    /// Both.
    pub const ALL: [Axis; 2] = [Axis::X, Axis::Y];
}
