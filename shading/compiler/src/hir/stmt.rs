//! HIR statements and function bodies.

use cranelift_entity::PrimaryMap;

use super::{Const, ConstId, FunctionId, LocalId, Op, ScopeId};
use crate::builtins::Global;
use crate::ty::Type;
use shading_syntax::source::Span;

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// Name in source, for messages; empty for a temporary.
    pub name: String,
    /// Type.
    pub ty: Type,
}

/// Operand of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// Current value of a variable.
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
        /// Destination.
        dst: Option<LocalId>,
        /// Operation.
        op: Op,
        /// Operands.
        args: Vec<Operand>,
        /// Source location, for run-time reports.
        span: Span,
    },
    /// Calls a function that is not inlined. Arguments are copied in; after the call the parameters listed in
    /// [`Function::outputs`] are copied to `results`. Costs fuel ([`super::fuel`]) and one level of depth.
    Call {
        /// Function.
        function: FunctionId,
        /// Arguments, one for each parameter.
        args: Vec<Operand>,
        /// Destinations, one for each output.
        results: Vec<LocalId>,
        /// Source location.
        span: Span,
    },
    /// Executes `then` if `condition` (an int) is nonzero, else `otherwise`.
    If {
        /// Condition.
        condition: Operand,
        /// Executed if the condition is nonzero.
        then: Block,
        /// Executed if the condition is zero.
        otherwise: Block,
    },
    /// Repeats until a `Leave` jumps out of it.
    Loop {
        /// Loop body.
        body: Block,
        /// Fuel of an iteration ([`super::fuel`]).
        fuel: u32,
        /// Source location, for the report of exhausted fuel.
        span: Span,
    },
    /// Executes the block; a `Leave` of this scope jumps to its end.
    Scope {
        /// Id of the scope.
        scope: ScopeId,
        /// Body.
        body: Block,
    },
    /// Jumps to the end of the given enclosing scope.
    Leave(ScopeId),
}

impl Stmt {
    /// Creates `dst = op(args)`.
    pub fn op(dst: Option<LocalId>, op: Op, args: Vec<Operand>, span: Span) -> Stmt {
        Stmt::Op { dst, op, args, span }
    }
}

/// Variables, constants and statements of one function.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// Variables.
    pub locals: PrimaryMap<LocalId, Local>,
    /// Constants.
    pub consts: PrimaryMap<ConstId, Const>,
    /// Scopes with their names, for messages.
    pub scopes: PrimaryMap<ScopeId, &'static str>,
    /// Statements.
    pub body: Block,
}

/// A function that is called rather than inlined, because it is recursive.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name in source.
    pub name: String,
    /// Variables that hold the arguments, in order.
    pub params: Vec<LocalId>,
    /// Variables whose final values are returned to the caller: the return value first, if any, then `output`
    /// parameters.
    pub outputs: Vec<LocalId>,
    /// Code.
    pub code: Code,
    /// Fuel of a call, besides that of its arguments and loops ([`super::fuel`]).
    pub fuel: u32,
    /// For a sample of an input, the sampled input. Linking replaces each call by the code of the input.
    pub sample: Option<InputSample>,
}

/// Sample of an input: its connection is evaluated again with other values of some globals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputSample {
    /// Name of the parameter, with the path of fields.
    pub param: String,
    /// The globals, one for each argument of the call.
    pub globals: Vec<Global>,
}
