//! HIR statements and function bodies.

use cranelift_entity::PrimaryMap;

use super::{Const, ConstId, FunctionId, LocalId, Op, ScopeId};
use crate::ty::Type;
use shading_syntax::source::Span;

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// Name in source, for people; empty for a temporary.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// What an operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A variable's present value.
    Local(LocalId),
    /// A constant.
    Const(ConstId),
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
