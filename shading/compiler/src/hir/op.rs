//! HIR operations.

use super::{ClosureId, Kind, TextureOptions};
use crate::builtins::{Builtin, Global};

/// Operation of a statement. `a`, `b` … are its operands in order; "number" is int, float, triple or matrix, and all
/// numbers of one operation are of one kind unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `a`; the kind of triple may change.
    Copy,
    /// int → float.
    IntToFloat,
    /// float → int, truncating; out-of-range values and NaN give the minimum int.
    FloatToInt,
    /// float → triple with three equal components.
    Splat,
    /// float → matrix with the float on the diagonal.
    Diagonal,
    /// int, float, triple, matrix, string or closure → int: whether it is nonzero (not empty, not null).
    Truth,
    /// number + number.
    Add,
    /// number − number.
    Sub,
    /// number × number, component by component; matrices multiply as matrices.
    Mul,
    /// number / number, component by component, x/0 = 0; int division truncates and wraps on overflow; matrix: `a` ×
    /// inverse of `b` (a singular `b` counts as identity).
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
    /// Logical negation: int ? 0 : 1.
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
    /// (triple, int component) → float; the index is clamped to 0..=2 and reported.
    TripleGet,
    /// (triple, int component, float) → the triple with that component replaced.
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
    /// () → the derivative of the global along the screen axis: its change to the next pixel.
    GlobalDerivative(Global, Axis),
    /// The built-in function; operands and result are given by its signature.
    Builtin(Builtin),
    /// The built-in function with derivatives: its operands, then their derivatives along x, then those along y →
    /// array of 3: the value, its derivatives along x and y. Only for functions with
    /// [`Builtin::has_dual`].
    BuiltinDual(Builtin),
    /// float or triple → its derivative along the screen axis. [`crate::derivative`] replaces it by other
    /// operations; without that pass, derivatives are zero.
    Derivative(Axis),
    /// The closure component; the operands are its parameters in the registry's order.
    MakeClosure(ClosureId),
    /// closure + closure.
    ClosureAdd,
    /// (closure, float or triple) → the closure scaled.
    ClosureMul,
    /// (string file, the operands of [`TextureOptions`]) → float array of [`TextureOptions::results`] elements.
    Texture(TextureOptions),
    /// Operands as for [`Op::Texture`] → string: the error of the lookup, empty if it succeeds.
    TextureError(TextureOptions),
    /// (string file, string name, float s, float t) → information about the texture file with the destination's type;
    /// zero if the file has none of that name and type. A NaN coordinate queries the file as a whole.
    TextureInfo,
    /// Operands as for [`Op::TextureInfo`] → int: whether the file has this information with a value of this kind.
    HasTextureInfo(Kind),
    /// (string object, string name) → the attribute with the destination's type; zero if it does not exist. Used with
    /// `Builtin::HasAttribute`.
    AttributeValue,
    /// (string object, string name) → the derivative of the attribute along the screen axis, float or
    /// triple.
    AttributeDerivative(Axis),
}

/// Screen axis along which derivatives are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// Towards the next pixel on the right.
    X,
    /// Towards the next pixel below.
    Y,
}

impl Axis {
    /// Both axes.
    pub const ALL: [Axis; 2] = [Axis::X, Axis::Y];
}
