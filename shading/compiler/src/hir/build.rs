//! Builder of HIR for tests and benchmarks.

use super::{
    Block, Code, Const, Function, FunctionId, Local, LocalId, Op, Operand, Param, ScopeId, Stmt, Unit,
    UnitKind,
};
use crate::ty::Type;
use cranelift_entity::PrimaryMap;
use shading_syntax::source::Span;

/// Code of a function under construction. Statements are added to the innermost open block.
#[derive(Debug)]
pub struct CodeBuilder {
    code: Code,
    blocks: Vec<Block>,
    span: Span,
}

impl Default for CodeBuilder {
    fn default() -> CodeBuilder {
        CodeBuilder {
            code: Code::default(),
            blocks: vec![vec![]],
            span: Span::default(),
        }
    }
}

impl CodeBuilder {
    /// Adds a variable.
    pub fn local(&mut self, ty: Type) -> LocalId {
        self.code.locals.push(Local { name: String::new(), ty })
    }

    /// Adds a constant.
    pub fn constant(&mut self, value: Const) -> Operand {
        Operand::Const(self.code.consts.push(value))
    }

    /// An int constant.
    pub fn int(&mut self, i: i32) -> Operand {
        self.constant(Const::Int(i))
    }

    /// A float constant.
    pub fn float(&mut self, x: f32) -> Operand {
        self.constant(Const::Float(x))
    }

    /// A triple constant.
    pub fn triple(&mut self, t: [f32; 3]) -> Operand {
        self.constant(Const::Triple(t))
    }

    /// A string constant.
    pub fn string(&mut self, text: &str) -> Operand {
        self.constant(Const::String(text.into()))
    }

    /// `dst = op(args)`. Each statement has a source location of its own.
    pub fn set(&mut self, dst: LocalId, op: Op, args: &[Operand]) {
        self.push_op(Some(dst), op, args);
    }

    /// An operation without a result.
    pub fn effect(&mut self, op: Op, args: &[Operand]) {
        self.push_op(None, op, args);
    }

    /// Emits an operation with a new variable as destination; returns the variable.
    pub fn op(&mut self, ty: Type, op: Op, args: &[Operand]) -> Operand {
        let dst = self.local(ty);
        self.set(dst, op, args);
        Operand::Local(dst)
    }

    /// Emits a call of a recursive function.
    pub fn call(&mut self, function: FunctionId, args: &[Operand], results: &[LocalId]) {
        let span = self.next_span();
        self.push(Stmt::Call {
            function,
            args: args.to_vec(),
            results: results.to_vec(),
            span,
        });
    }

    /// Emits a branch.
    pub fn branch(
        &mut self,
        condition: Operand,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let (then, otherwise) = (self.inside(then), self.inside(otherwise));
        self.push(Stmt::If { condition, then, otherwise });
    }

    /// Emits an endless loop.
    pub fn repeat(&mut self, body: impl FnOnce(&mut Self)) {
        let span = self.next_span();
        let body = self.inside(body);
        self.push(Stmt::Loop { body, fuel: 1, span });
    }

    /// Emits a scope that can be left.
    pub fn scope(&mut self, body: impl FnOnce(&mut Self, ScopeId)) {
        let scope = self.code.scopes.push("scope");
        let body = self.inside(|b| body(b, scope));
        self.push(Stmt::Scope { scope, body });
    }

    /// Emits a jump to the end of an enclosing scope.
    pub fn leave(&mut self, scope: ScopeId) {
        self.push(Stmt::Leave(scope));
    }

    /// Emits a loop of `iterations` iterations; `body` receives the counter.
    pub fn count(&mut self, iterations: Operand, body: impl FnOnce(&mut Self, Operand)) {
        let counter = self.local(Type::INT);
        let (zero, one) = (self.int(0), self.int(1));
        self.set(counter, Op::Copy, &[zero]);
        let counter_value = Operand::Local(counter);
        self.scope(|b, scope| {
            b.repeat(|b| {
                let go = b.op(Type::INT, Op::Lt, &[counter_value, iterations]);
                b.branch(go, |_| {}, |b| b.leave(scope));
                body(b, counter_value);
                b.set(counter, Op::Add, &[counter_value, one]);
            });
        });
    }

    /// Returns the finished code.
    pub fn finish(mut self) -> Code {
        self.code.body = self.blocks.pop().expect("the body is the outermost block");
        self.code
    }

    fn push_op(&mut self, dst: Option<LocalId>, op: Op, args: &[Operand]) {
        let span = self.next_span();
        self.push(Stmt::op(dst, op, args.to_vec(), span));
    }

    fn push(&mut self, stmt: Stmt) {
        self.blocks.last_mut().expect("the body is the outermost block").push(stmt);
    }

    fn inside(&mut self, body: impl FnOnce(&mut Self)) -> Block {
        self.blocks.push(vec![]);
        body(self);
        self.blocks.pop().expect("pushed above")
    }

    fn next_span(&mut self) -> Span {
        self.span.start += 1;
        self.span.end = self.span.start + 1;
        self.span
    }
}

/// Builds a function with the given parameters and outputs.
pub fn function(name: &str, params: Vec<LocalId>, outputs: Vec<LocalId>, code: CodeBuilder) -> Function {
    Function {
        name: name.to_owned(),
        params,
        outputs,
        code: code.finish(),
        fuel: 1,
        sample: None,
    }
}

/// Builds a linked unit; the named variables are its outputs.
pub fn unit(
    name: &str,
    outputs: &[(&str, LocalId)],
    code: CodeBuilder,
    functions: PrimaryMap<FunctionId, Function>,
) -> Unit {
    let code = code.finish();
    let param =
        |&(name, local): &(&str, LocalId)| Param::output(name, code.locals[local].ty, local, Span::default());
    Unit {
        name: name.to_owned(),
        kind: UnitKind::Surface,
        params: outputs.iter().map(param).collect(),
        metadata: vec![],
        globals: vec![],
        code,
        functions,
        span: Span::default(),
    }
}
