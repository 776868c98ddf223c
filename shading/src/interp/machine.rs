//! Execution of statements and calls, and operations on constants and closures.

use super::closure::{Closures, Value};
use super::frame::CallFrame;
use super::{Outcome, Report, ReportKind, RunOptions};
use crate::runtime::last_trace::LastTrace;
use crate::runtime::messages::Messages;
use crate::runtime::{PrintOutput, WrittenClouds};
use shading_compiler::builtins::Builtin;
use shading_compiler::eval;
use shading_compiler::eval::dictionary::Dictionaries;
use shading_compiler::eval::operation::{self, OperationError};
use shading_compiler::hir::kind::Element;
use shading_compiler::hir::{Block, Const, Function, Kind, LocalId, Op, Operand, ScopeId, Stmt, Unit, fuel};
use shading_syntax::source::Span;

pub(super) fn run(unit: &Unit, options: &RunOptions<'_>) -> Outcome {
    let mut machine = Machine {
        unit,
        options,
        fuel: options.fuel,
        depth: 0,
        closures: Closures::default(),
        printed: PrintOutput::default(),
        written: WrittenClouds::default(),
        messages: Messages::default(),
        last_trace: LastTrace::default(),
        dictionaries: Dictionaries::default(),
        unknown_spaces: vec![],
        reports: vec![],
        finite: true,
    };
    let mut frame = CallFrame::new(&unit.code);
    let flow = machine.unit(&mut frame);
    let finished = !matches!(flow, Flow::Stop);
    let outputs = unit.params.iter().filter(|p| p.output).map(|p| {
        let value = match std::mem::replace(&mut frame.locals[p.local], Value::Closure(None)) {
            // An aborted run returns no closures.
            Value::Closure(_) if !finished => Value::Closure(None),
            Value::Closures(list) if !finished => Value::Closures(vec![None; list.len()]),
            value => value,
        };
        (p.name.clone(), value)
    });
    Outcome {
        outputs: outputs.collect(),
        closures: machine.closures,
        printed: machine.printed,
        written: machine.written,
        reports: machine.reports,
        finished,
        finite: machine.finite,
    }
}

/// Outcome of a statement.
enum Flow {
    /// Continue with the next statement.
    Next,
    /// Continue after a scope.
    Leave(ScopeId),
    /// The run is over.
    Stop,
}

/// State of a run.
pub(super) struct Machine<'a> {
    unit: &'a Unit,
    pub(super) options: &'a RunOptions<'a>,
    fuel: u32,
    depth: u32,
    pub(super) closures: Closures,
    pub(super) printed: PrintOutput,
    pub(super) written: WrittenClouds,
    pub(super) messages: Messages<Value>,
    pub(super) last_trace: LastTrace,
    pub(super) dictionaries: Dictionaries,
    /// Locations at which unknown spaces were reported.
    pub(super) unknown_spaces: Vec<Span>,
    reports: Vec<Report>,
    finite: bool,
}

impl<'a> Machine<'a> {
    pub(super) fn report(&mut self, kind: ReportKind, span: Span, message: impl Into<String>) {
        if self.reports.iter().all(|r| r.kind != kind || r.span != span) {
            let message = message.into();
            self.reports.push(Report { kind, span, message });
        }
    }

    pub(super) fn problem(&mut self, problem: Option<OperationError>, span: Span) {
        match problem {
            None => {}
            Some(OperationError::Index { index, length }) => {
                let message = eval::index_message(index, "array", length as u32);
                self.report(ReportKind::IndexOutOfRange, span, message);
            }
            Some(OperationError::Format(error)) => {
                self.report(ReportKind::BadFormat, span, error.to_string());
            }
            Some(OperationError::Argument(wrong)) => self.report(ReportKind::BadArgument, span, wrong),
        }
    }

    /// Consumes fuel; returns whether enough was left.
    fn burn(&mut self, amount: u32, span: Span) -> bool {
        if self.fuel < amount {
            self.report(ReportKind::OutOfFuel, span, "the shader takes too long, and was ended");
            return false;
        }
        self.fuel -= amount;
        true
    }

    fn unit(&mut self, frame: &mut CallFrame<'a>) -> Flow {
        let unit = self.unit;
        for param in &unit.params {
            let given = self.options.given.iter().find(|(name, _)| *name == param.name);
            if let Some((_, value)) = given {
                frame.locals[param.local] = Value::of(value);
            } else if let Flow::Stop = self.block(frame, &param.init) {
                return Flow::Stop;
            }
        }
        self.block(frame, &unit.code.body)
    }

    fn block(&mut self, frame: &mut CallFrame<'a>, block: &'a Block) -> Flow {
        for stmt in block {
            match self.stmt(frame, stmt) {
                Flow::Next => {}
                flow => return flow,
            }
        }
        Flow::Next
    }

    fn stmt(&mut self, frame: &mut CallFrame<'a>, stmt: &'a Stmt) -> Flow {
        match stmt {
            Stmt::Op { dst, op, args, span } => {
                if !self.burn(fuel::of_op(frame.code, *dst, *op, args), *span) {
                    return Flow::Stop;
                }
                self.op(frame, *dst, *op, args, *span);
                Flow::Next
            }
            Stmt::Call { function, args, results, span } => {
                self.call(frame, &self.unit.functions[*function], args, results, *span)
            }
            Stmt::If { condition, then, otherwise } => {
                let taken = if frame.int(*condition) != 0 { then } else { otherwise };
                self.block(frame, taken)
            }
            Stmt::Loop { body, fuel, span } => loop {
                if !self.burn(*fuel, *span) {
                    break Flow::Stop;
                }
                match self.block(frame, body) {
                    Flow::Next => {}
                    flow => break flow,
                }
            },
            Stmt::Scope { scope, body } => match self.block(frame, body) {
                Flow::Leave(left) if left == *scope => Flow::Next,
                flow => flow,
            },
            Stmt::Leave(scope) => Flow::Leave(*scope),
        }
    }

    fn call(
        &mut self,
        frame: &mut CallFrame<'a>,
        function: &'a Function,
        args: &[Operand],
        results: &[LocalId],
        span: Span,
    ) -> Flow {
        if !self.burn(fuel::of_call(frame.code, function, args, results), span) {
            return Flow::Stop;
        }
        if self.depth == eval::MAX_DEPTH {
            self.report(ReportKind::TooDeep, span, "recursive calls nest too deep");
            return Flow::Stop;
        }
        let mut inner = Box::new(CallFrame::new(&function.code));
        for (&param, &arg) in function.params.iter().zip(args) {
            inner.locals[param] = frame.get(arg);
        }
        self.depth += 1;
        let flow = self.block(&mut inner, &function.code.body);
        self.depth -= 1;
        if let Flow::Stop = flow {
            return Flow::Stop;
        }
        for (&result, &output) in results.iter().zip(&function.outputs) {
            frame.locals[result] = inner.locals[output].clone();
        }
        Flow::Next
    }

    // Separate from the recursion over blocks, whose stack frames must be small.
    #[inline(never)]
    fn op(&mut self, frame: &mut CallFrame<'a>, dst: Option<LocalId>, op: Op, args: &[Operand], span: Span) {
        if let Op::Builtin(builtin) = op
            && self.effect(frame, builtin, args, span)
        {
            return;
        }
        let Some(dst) = dst else { return };
        if op == Op::ArraySet {
            return self.array_set(frame, dst, args, span);
        }
        let kind = frame.kind(dst);
        let value = match self.eval_point(frame, kind, op, args, span) {
            Some(value) => value,
            None => match self.eval_messages(frame, kind, op, args) {
                Some(value) => value,
                None => match self.eval_closures(frame, kind, op, args, span) {
                    Some(value) => value,
                    None => self.eval_constants(frame, kind, op, args, span),
                },
            },
        };
        if self.options.reports_not_finite {
            self.check_finite(frame, dst, &value, op, span);
        }
        if self.options.checks_finite
            && let Value::Plain(value) = &value
        {
            self.finite &= value.is_finite();
        }
        frame.locals[dst] = value;
    }

    /// Reports a named variable that is assigned a non-finite number.
    #[cold]
    fn check_finite(&mut self, frame: &CallFrame<'a>, dst: LocalId, value: &Value, op: Op, span: Span) {
        let name = &frame.code.locals[dst].name;
        let Value::Plain(value) = value else { return };
        if name.is_empty() || value.is_finite() {
            return;
        }
        let op = format!("{op:?}").to_lowercase();
        let op = op.strip_prefix("builtin(").unwrap_or(&op).trim_end_matches(')');
        let op = op.split(['(', ' ', '{']).next().unwrap_or_default();
        let message = format!("{name} is not a finite number (operation {op})");
        self.report(ReportKind::NotFinite, span, message);
    }

    fn array_set(&mut self, frame: &mut CallFrame<'a>, dst: LocalId, args: &[Operand], span: Span) {
        let &[_, index, element] = args else { return };
        let (index, element) = (frame.int(index), frame.get(element));
        let mut problem = None;
        match (&mut frame.locals[dst], element) {
            (Value::Plain(Const::Array(array)), Value::Plain(element)) => {
                let index = operation::clamped(index, array.len(), &mut problem);
                array[index] = element;
            }
            (Value::Closures(array), Value::Closure(element)) => {
                let index = operation::clamped(index, array.len(), &mut problem);
                array[index] = element;
            }
            _ => {}
        }
        self.problem(problem, span);
    }

    /// Evaluates operations that depend on their operands only.
    fn eval_constants(
        &mut self,
        frame: &CallFrame<'a>,
        kind: Kind,
        op: Op,
        args: &[Operand],
        span: Span,
    ) -> Value {
        let args: Option<Vec<&Const>> = args.iter().map(|&a| frame.plain(a)).collect();
        let mut problem = None;
        let value = args.and_then(|args| operation::evaluate(op, kind, &args, &mut problem));
        self.problem(problem, span);
        debug_assert!(value.is_some(), "{op} is not evaluated");
        value.map_or_else(|| Value::zero(kind), |v| Value::of(&v))
    }

    fn eval_closures(
        &mut self,
        frame: &CallFrame<'a>,
        kind: Kind,
        op: Op,
        args: &[Operand],
        span: Span,
    ) -> Option<Value> {
        let first = args.first().map(|&a| frame.get(a));
        Some(match (op, first) {
            (Op::MakeClosure(id), _) => {
                let params = args.iter().map(|&a| frame.get(a)).collect();
                Value::Closure(self.closures.component(id, params))
            }
            (Op::ClosureAdd, Some(Value::Closure(a))) => {
                Value::Closure(self.closures.add(a, frame.closure(args[1])))
            }
            (Op::ClosureMul, Some(Value::Closure(a))) => {
                let weight = match frame.plain(args[1]) {
                    Some(Const::Triple(w)) => *w,
                    Some(Const::Float(w)) => [*w; 3],
                    _ => [0.0; 3],
                };
                Value::Closure(self.closures.mul(a, weight))
            }
            (Op::Truth, Some(Value::Closure(a))) => Value::Plain(Const::Int(i32::from(a.is_some()))),
            (Op::Copy, Some(value @ (Value::Closure(_) | Value::Closures(_)))) => value,
            (Op::MakeArray, _) if matches!(kind, Kind::Array(Element::Closure, _)) => {
                Value::Closures(args.iter().map(|&a| frame.closure(a)).collect())
            }
            (Op::ArrayGet, Some(Value::Closures(array))) => {
                let mut problem = None;
                let index = operation::clamped(frame.int(args[1]), array.len(), &mut problem);
                self.problem(problem, span);
                Value::Closure(array[index])
            }
            (Op::Builtin(Builtin::Format), _) => {
                Value::Plain(Const::String(self.format(frame, args, span).into()))
            }
            _ => return None,
        })
    }
}
