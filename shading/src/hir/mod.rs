//! The intermediate representation: typed three-address code in structured control flow.
//!
//! A [`Unit`] is one function body over *locals* (typed variables) and *constants*. Statements assign the result of one
//! operation to one local; control flow is four constructs: [`Stmt::If`], [`Stmt::Loop`] (for ever), [`Stmt::Scope`] and
//! [`Stmt::Leave`], which goes on after the named enclosing scope and so serves for `break`, `continue` and `return`.
//! There is no SSA form: passes follow the structure, and Cranelift builds SSA out of `def_var`/`use_var`.
//!
//! What the checker has already taken away: structures (a local of a structure type is one local per field, named
//! `base.field`; an array of structures is one array per field), overloads, conversions (all explicit), short-circuit
//! operators (made `If`), calls of non-recursive functions (inlined). Recursive functions stay as [`Function`]s.
//!
//! Invariants, checked by [`verify()`]:
//! - every id exists; no local has type void, structure or unsized array; a constant has the type that its use needs;
//! - an operation's operands and destination have the types that its documentation states;
//! - `Leave` names an enclosing scope of the same function;
//! - the array operand of [`Op::ArraySet`] is the destination itself, so that it happens in place;
//! - triples of different kinds (color, point, vector, normal) are the same to all operations: only `Type` differs.
//!
//! Every local is zero (empty string, null closure) before it is first assigned.

pub mod build;
pub mod kind;
pub mod print;
mod shape;
mod texture;
pub(crate) mod uniform;
pub mod verify;
pub(crate) mod walk;

use std::sync::Arc;

use cranelift_entity::{PrimaryMap, entity_impl};

use crate::builtins::{Builtin, Global};
use crate::source::Span;
use crate::ty::{Length, Type};

pub use kind::Kind;
pub use texture::{
    ColorSpace, Interpolation, TextureMapping, TextureOperand, TextureOperands, TextureOptions, Wrap,
};
pub use verify::verify;

/// A variable of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(u32);
entity_impl!(LocalId, "l");

/// A constant of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstId(u32);
entity_impl!(ConstId, "c");

/// A scope that can be left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(u32);
entity_impl!(ScopeId, "s");

/// A function that is not inlined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(u32);
entity_impl!(FunctionId, "f");

/// A closure of the registry, by its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClosureId(pub u32);

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// Name in source, for people; empty for a temporary.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

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
    /// The closure that is no light.
    NullClosure,
    /// An array; the elements are of one kind, none itself an array.
    Array(Vec<Const>),
}

/// What an operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A variable's present value.
    Local(LocalId),
    /// A constant.
    Const(ConstId),
}

/// What a statement computes. `a`, `b` … are its operands in order; "number" is int, float, triple or matrix, and all
/// numbers of one operation are of one kind unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `a`; a triple may become a triple of another kind.
    Copy,
    /// int → float.
    IntToFloat,
    /// float → int, toward zero, saturating, NaN to 0.
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

/// Statements in order.
pub type Block = Vec<Stmt>;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// `dst = op(args)`; `dst` is `None` for an operation without result.
    Op {
        /// Where the result goes.
        dst: Option<LocalId>,
        /// What is computed.
        op: Op,
        /// From what.
        args: Vec<Operand>,
        /// Where in source, for reports at run time.
        span: Span,
    },
    /// Calls a function that is not inlined. Arguments are copied in; after the call the parameters listed in
    /// [`Function::outputs`] are copied to `results`. Costs one unit of fuel and one level of depth.
    Call {
        /// Which.
        function: FunctionId,
        /// One for each of its parameters.
        args: Vec<Operand>,
        /// One for each of its outputs.
        results: Vec<LocalId>,
        /// Where in source.
        span: Span,
    },
    /// `then` when `condition` (an int) is not zero, else `otherwise`.
    If {
        /// What decides.
        condition: Operand,
        /// When not zero.
        then: Block,
        /// When zero.
        otherwise: Block,
    },
    /// Repeats until a `Leave` goes out of it. Each turn costs one unit of fuel.
    Loop {
        /// One turn.
        body: Block,
        /// Where in source, for the report when fuel runs out.
        span: Span,
    },
    /// Runs the block; a `Leave` of this scope goes on after it.
    Scope {
        /// Its name.
        scope: ScopeId,
        /// What runs.
        body: Block,
    },
    /// Goes on after the named enclosing scope.
    Leave(ScopeId),
}

/// The variables, constants and statements of one function.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// Variables.
    pub locals: PrimaryMap<LocalId, Local>,
    /// Constants.
    pub consts: PrimaryMap<ConstId, Const>,
    /// Scopes, with a name for people.
    pub scopes: PrimaryMap<ScopeId, &'static str>,
    /// What runs.
    pub body: Block,
}

/// A function that is called, not inlined, because it is recursive.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name in source.
    pub name: String,
    /// Variables that take the arguments, in order.
    pub params: Vec<LocalId>,
    /// Variables whose last values go back to the caller: the returned value first, if any, then `output` parameters.
    pub outputs: Vec<LocalId>,
    /// Its code.
    pub code: Code,
}

/// What is said of a unit or a parameter in `[[ … ]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Const,
    /// Its type as declared.
    pub ty: Type,
}

/// What metadata of type int says.
pub fn said_int(metadata: &[Metadata], name: &str) -> Option<i32> {
    let entry = metadata.iter().find(|entry| entry.name == name)?;
    match entry.value {
        Const::Int(value) => Some(value),
        _ => None,
    }
}

/// A parameter of a unit, not a structure: a structure parameter `s` is parameters `s.a`, `s.b` … side by side.
#[derive(Clone, Debug)]
pub struct Param {
    /// Name, with the path of fields.
    pub name: String,
    /// Its type; an unsized array has the default's length.
    pub ty: Type,
    /// Whether it was declared unsized, and so takes the length of what is connected.
    pub is_unsized: bool,
    /// Whether it was declared `any`, and so takes the type of what is connected.
    pub is_any: bool,
    /// Whether the unit asks how it is connected.
    pub is_asked: bool,
    /// Whether it is an output.
    pub output: bool,
    /// The variable in the unit's code that holds it.
    pub local: LocalId,
    /// Assigns the default to `local`; runs where nothing is connected or given. May read earlier parameters.
    pub init: Block,
    /// The structure's type name, when it is a field of one.
    pub struct_name: Option<String>,
    /// What is said of it.
    pub metadata: Vec<Metadata>,
    /// Where it is declared.
    pub span: Span,
}

impl Param {
    /// The attributes of the geometry that go before its default, the first first: those that `primvar` lists, or the
    /// one of its own name where it is `interpolated`, `lockgeom` being the older word for the opposite.
    ///
    /// `given` says that a constant is given: then only an `interpolated` parameter asks for its attribute.
    pub fn attributes(&self, interpolated: Option<bool>, given: bool) -> Vec<&str> {
        let listed = self.metadata.iter().find(|entry| entry.name == "primvar");
        if let Some(Metadata {
            value: Const::String(list),
            ..
        }) = listed
        {
            if given {
                return vec![];
            }
            return list
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .collect();
        }
        let said = || {
            let interpolated = said_int(&self.metadata, "interpolated").map(|value| value != 0);
            interpolated.or(said_int(&self.metadata, "lockgeom").map(|value| value == 0))
        };
        let is_interpolated = interpolated.or_else(said).unwrap_or(false);
        is_interpolated
            .then_some(self.name.as_str())
            .into_iter()
            .collect()
    }

    /// An output that nothing is said of and that no default is assigned to.
    pub fn output(name: &str, ty: Type, local: LocalId, span: Span) -> Param {
        Param {
            name: name.to_owned(),
            ty,
            is_unsized: false,
            is_any: false,
            is_asked: false,
            output: true,
            local,
            init: vec![],
            struct_name: None,
            metadata: vec![],
            span,
        }
    }
}

/// What a unit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    missing_docs,
    reason = "each is the shader kind of that name in the OSL specification"
)]
pub enum UnitKind {
    Shader,
    Surface,
    Displacement,
    Volume,
}

impl Unit {
    /// Whether a built-in function is called anywhere in it.
    pub fn calls(&self, builtin: Builtin) -> bool {
        let functions = self.functions.values().map(|function| &function.code.body);
        let inits = self.params.iter().map(|param| &param.init);
        let mut calls = false;
        for block in functions.chain(inits).chain([&self.code.body]) {
            walk::ops(block, &mut |op, _| calls |= op == Op::Builtin(builtin));
        }
        calls
    }

    /// How much there is of it: statements, variables and constants of its code and its functions, with all elements of
    /// arrays.
    pub fn weight(&self) -> u64 {
        let codes = || {
            let functions = self.functions.values().map(|function| &function.code);
            functions.chain([&self.code])
        };
        let mut statements = 0u64;
        let mut count = |block: &Block| walk::statements(block, &mut |_| statements += 1);
        codes().for_each(|code| count(&code.body));
        self.params.iter().for_each(|param| count(&param.init));
        let elements = |ty: Type| match ty.length {
            Length::Array(n) => u64::from(n),
            Length::Single | Length::Unsized => 1,
        };
        let locals = codes()
            .flat_map(|code| code.locals.values())
            .map(|local| elements(local.ty));
        let consts = codes()
            .flat_map(|code| code.consts.values())
            .map(|value| match value {
                Const::Array(list) => list.len() as u64,
                _ => 1,
            });
        statements + locals.sum::<u64>() + consts.sum::<u64>()
    }
}

/// A checked unit, or a whole group linked into one.
///
/// `Ci`, when a unit writes it, is an output parameter `Ci` of type closure. Other globals that it writes are its own
/// copies. Default values run first, in order of `params`, then `code.body`.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Name in source.
    pub name: String,
    /// What it is for.
    pub kind: UnitKind,
    /// Parameters in order of declaration.
    pub params: Vec<Param>,
    /// What is said of it.
    pub metadata: Vec<Metadata>,
    /// Its code; parameters are among its locals.
    pub code: Code,
    /// Recursive functions that it calls.
    pub functions: PrimaryMap<FunctionId, Function>,
    /// Where its name stands.
    pub span: Span,
}
