//! The intermediate representation (HIR): typed three-address code in structured control flow, with its invariants.
//!
//! A [`Unit`] is one function body over *locals* (typed variables) and *constants*. A statement assigns the result of
//! one operation to one local; control flow has four constructs: [`Stmt::If`], [`Stmt::Loop`] (endless),
//! [`Stmt::Scope`] and [`Stmt::Leave`], which jumps behind the named enclosing scope and implements `break`, `continue`
//! and `return`. There is no SSA form: passes follow the structure, and Cranelift builds SSA from `def_var`/`use_var`.
//!
//! The checker has already resolved structures (a local of a structure type is one local per field, named `base.field`; an
//! array of structures is one array per field), overloads, conversions (all explicit), short-circuit operators (`If`), and
//! calls of non-recursive functions (inlined). Recursive functions remain as [`Function`]s.
//!
//! Invariants, checked by [`verify()`]:
//! - every id exists; no local has type void, structure or unsized array; a constant has the type that its use
//!   requires;
//! - an operation's operands and destination have the types that its documentation states;
//! - `Leave` names an enclosing scope of the same function;
//! - the array operand of [`Op::ArraySet`] is the destination itself, so that it happens in place;
//! - triples of different kinds (color, point, vector, normal) are the same to all operations: only `Type` differs.
//!
//! Every local is zero (empty string, null closure) before it is first assigned.

pub mod attributes;
pub mod build;
pub mod closures;
mod constant;
pub mod fuel;
mod id;
pub mod kind;
pub mod live;
pub mod numbers;
mod op;
pub mod print;
mod ray_kind;
pub mod registry;
mod shape;
mod stmt;
mod texture;
pub mod uniform;
mod unit;
pub mod verify;
pub mod walk;
pub mod work;

pub use constant::Const;
pub use id::{ClosureId, ConstId, FunctionId, LocalId, ScopeId};
pub use kind::Kind;
pub use live::UNIFORM_OBJECT;
pub use numbers::{NumberId, NumberIds, Numbers};
pub use op::{Axis, Op};
pub use ray_kind::RayKind;
pub use registry::{ClosureError, ClosureNote, ClosureParam, ClosureRegistry, ClosureSignature};
pub use shading_syntax::ast::UnitKind;
pub use stmt::{Block, Code, Function, InputSample, Local, Operand, Stmt};
pub use texture::{
    ColorSpace, Interpolation, TextureMapping, TextureOperand, TextureOperands, TextureOptions, Wrap,
};
pub use unit::{GlobalVariable, Metadata, Param, Unit, int_metadata, text_metadata};
pub use verify::verify;
