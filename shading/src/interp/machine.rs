//! Execution of statements, calls, and operations that depend on the shading point or the host.

use cranelift_entity::SecondaryMap;

use super::closure::{Closures, NodeId, Value};
use super::cloud;
use super::operation::{self, Printable, Problem};
use super::{Outcome, Report, ReportKind, RunOptions};
use crate::builtins::{Builtin, Global};
use crate::eval;
use crate::eval::dictionary::Dictionaries;
use crate::hir::kind::Element;
use crate::hir::{
    Axis, Block, Code, Const, Function, Kind, LocalId, Op, Operand, ScopeId, Stmt, TextureMapping,
    TextureOperand, TextureOptions, Unit,
};
use crate::runtime::closure_text::closure_text;
use crate::runtime::host::matrix_between;
use crate::runtime::last_trace::{LastTrace, of_lanes};
use crate::runtime::messages::{Asked, Messages};
use crate::runtime::{
    Printed, RayKind, Sink, Subimage, TextureInfo, TextureLookup, TextureRequest, TraceRay, WrittenClouds,
};
use crate::source::Span;

pub(super) fn run(unit: &Unit, options: &RunOptions<'_>) -> Outcome {
    let mut machine = Machine {
        unit,
        options,
        fuel: options.fuel,
        depth: 0,
        closures: Closures::default(),
        printed: Printed::default(),
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
            // A run that was ended gives no closure.
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

/// How a statement ended.
enum Flow {
    /// On to the next.
    Next,
    /// On after a scope.
    Leave(ScopeId),
    /// The run is over.
    Stop,
}

/// The variables of a function under way.
struct CallFrame<'a> {
    code: &'a Code,
    locals: SecondaryMap<LocalId, Value>,
}

impl<'a> CallFrame<'a> {
    fn new(code: &'a Code) -> CallFrame<'a> {
        let mut locals = SecondaryMap::with_default(Value::Closure(None));
        for (id, local) in &code.locals {
            locals[id] = Kind::of(local.ty).map_or(Value::Closure(None), Value::zero);
        }
        CallFrame { code, locals }
    }

    fn get(&self, operand: Operand) -> Value {
        match operand {
            Operand::Local(id) => self.locals[id].clone(),
            Operand::Const(id) => Value::of(&self.code.consts[id]),
        }
    }

    fn closure(&self, operand: Operand) -> Option<u32> {
        match self.get(operand) {
            Value::Closure(closure) => closure,
            Value::Plain(_) | Value::Closures(_) => None,
        }
    }

    /// A constant or a variable that holds no closure.
    fn plain(&self, operand: Operand) -> Option<&Const> {
        match operand {
            Operand::Const(id) => Some(&self.code.consts[id]),
            Operand::Local(id) => match &self.locals[id] {
                Value::Plain(value) => Some(value),
                Value::Closure(_) | Value::Closures(_) => None,
            },
        }
    }

    fn int(&self, operand: Operand) -> i32 {
        match self.plain(operand) {
            Some(Const::Int(a)) => *a,
            _ => 0,
        }
    }

    fn float(&self, operand: Operand) -> f32 {
        match self.plain(operand) {
            Some(Const::Float(a)) => *a,
            _ => 0.0,
        }
    }

    fn triple(&self, operand: Operand) -> [f32; 3] {
        match self.plain(operand) {
            Some(Const::Triple(t)) => *t,
            _ => [0.0; 3],
        }
    }

    fn text(&self, operand: Operand) -> &str {
        match self.plain(operand) {
            Some(Const::String(a)) => a,
            _ => "",
        }
    }

    fn kind(&self, dst: LocalId) -> Kind {
        Kind::of(self.code.locals[dst].ty).unwrap_or(Kind::INT)
    }
}

struct Machine<'a> {
    unit: &'a Unit,
    options: &'a RunOptions<'a>,
    fuel: u32,
    depth: u32,
    closures: Closures,
    printed: Printed,
    written: WrittenClouds,
    messages: Messages<Value>,
    last_trace: LastTrace,
    dictionaries: Dictionaries,
    /// Where spaces are named that are not known.
    unknown_spaces: Vec<Span>,
    reports: Vec<Report>,
    finite: bool,
}

impl<'a> Machine<'a> {
    fn report(&mut self, kind: ReportKind, span: Span, message: impl Into<String>) {
        if self.reports.iter().all(|r| r.kind != kind || r.span != span) {
            let message = message.into();
            self.reports.push(Report { kind, span, message });
        }
    }

    fn problem(&mut self, problem: Option<Problem>, span: Span) {
        match problem {
            None => {}
            Some(Problem::Index { index, length }) => {
                let message = eval::index_message(index, "array", length as u32);
                self.report(ReportKind::IndexOutOfRange, span, message);
            }
            Some(Problem::Format(error)) => self.report(ReportKind::BadFormat, span, error.to_string()),
            Some(Problem::Argument(wrong)) => self.report(ReportKind::BadArgument, span, wrong),
        }
    }

    /// Takes a unit of fuel; whether there was one.
    fn burn(&mut self, span: Span) -> bool {
        if self.fuel == 0 {
            self.report(
                ReportKind::OutOfFuel,
                span,
                "the shader takes too long, and was ended",
            );
            return false;
        }
        self.fuel -= 1;
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
                self.op(frame, *dst, *op, args, *span);
                Flow::Next
            }
            Stmt::Call {
                function,
                args,
                results,
                span,
            } => self.call(frame, &self.unit.functions[*function], args, results, *span),
            Stmt::If {
                condition,
                then,
                otherwise,
            } => {
                let taken = if frame.int(*condition) != 0 {
                    then
                } else {
                    otherwise
                };
                self.block(frame, taken)
            }
            Stmt::Loop { body, span } => loop {
                if !self.burn(*span) {
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
        if !self.burn(span) {
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

    // Kept out of the recursion of blocks, whose frames must be small.
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
        let value = match self.of_point(frame, kind, op, args, span) {
            Some(value) => value,
            None => match self.of_messages(frame, kind, op, args) {
                Some(value) => value,
                None => match self.of_closures(frame, kind, op, args, span) {
                    Some(value) => value,
                    None => self.of_constants(frame, kind, op, args, span),
                },
            },
        };
        if self.options.reports_not_finite {
            self.watch_finite(frame, dst, &value, op, span);
        }
        frame.locals[dst] = self.watched(value);
    }

    /// Reports a named variable that is set to what is no finite number.
    #[cold]
    fn watch_finite(&mut self, frame: &CallFrame<'a>, dst: LocalId, value: &Value, op: Op, span: Span) {
        let name = &frame.code.locals[dst].name;
        let Value::Plain(value) = value else { return };
        if name.is_empty() || value.is_finite() {
            return;
        }
        let op = format!("{op:?}").to_lowercase();
        let op = op.strip_prefix("builtin(").unwrap_or(&op).trim_end_matches(')');
        let op = op.split(['(', ' ', '{']).next().unwrap_or_default();
        let message = format!("{name} is no finite number (operation {op})");
        self.report(ReportKind::NotFinite, span, message);
    }

    /// A value as [`RunOptions::unsigned_zeros`] asks for it.
    fn watched(&mut self, value: Value) -> Value {
        match value {
            Value::Plain(value) if self.options.unsigned_zeros => {
                self.finite &= value.is_finite();
                Value::Plain(value.without_sign_of_zero())
            }
            value => value,
        }
    }

    /// Does what a function without result does; whether it is one.
    fn effect(&mut self, frame: &CallFrame<'a>, builtin: Builtin, args: &[Operand], span: Span) -> bool {
        let (sink, skip) = match builtin {
            Builtin::Printf => (Sink::Output, 0),
            Builtin::Warning => (Sink::Warning, 0),
            Builtin::Error => (Sink::Error, 0),
            Builtin::Fprintf => (Sink::File(frame.text(args[0]).to_owned()), 1),
            Builtin::SetMessage => {
                let asked = asked(frame, &args[..3]);
                let value = frame.get(args[3]);
                if let Err(error) = self.messages.set(asked, value) {
                    self.printed.push(Sink::Error, &error);
                }
                return true;
            }
            _ => return false,
        };
        let text = self.format(frame, &args[skip..], span);
        self.printed.push(sink, &text);
        true
    }

    /// What the parts of a shader told each other.
    fn of_messages(&mut self, frame: &CallFrame<'a>, kind: Kind, op: Op, args: &[Operand]) -> Option<Value> {
        match op {
            Op::Builtin(Builtin::HasMessage) => {
                let found = match frame.text(args[0]) {
                    "trace" => Ok(self.traced(frame, args[1], args[4]).is_some()),
                    _ => self.messages.ask(asked(frame, &args[1..])),
                };
                let found = found.unwrap_or_else(|error| {
                    self.printed.push(Sink::Error, &error);
                    false
                });
                Some(Value::Plain(Const::Int(i32::from(found))))
            }
            Op::Builtin(Builtin::MessageValue) => {
                let value = match frame.text(args[0]) {
                    "trace" => self
                        .traced(frame, args[1], args[2])
                        .map(|value| Value::of(&value)),
                    _ => self.messages.value(frame.text(args[1])).cloned(),
                };
                Some(value.unwrap_or_else(|| Value::zero(kind)))
            }
            Op::Builtin(builtin) => {
                let value = self.of_dictionaries(frame, kind, builtin, args)?;
                Some(Value::Plain(value))
            }
            _ => None,
        }
    }

    /// What the last traced ray tells under a name, as a value of a kind.
    fn traced(&self, frame: &CallFrame<'a>, name: Operand, kind: Operand) -> Option<Const> {
        let kind = Kind::of_code(frame.int(kind));
        self.last_trace.message(self.options.host, frame.text(name), kind)
    }

    fn of_dictionaries(
        &mut self,
        frame: &CallFrame<'a>,
        kind: Kind,
        builtin: Builtin,
        args: &[Operand],
    ) -> Option<Const> {
        let all = &mut self.dictionaries;
        let host = self.options.host;
        let found = match builtin {
            Builtin::DictFind => all.find(frame.text(args[0]), frame.text(args[1]), |name| {
                host.read_text(name)
            }),
            Builtin::DictFindBelow => all.find_below(frame.int(args[0]), frame.text(args[1])),
            Builtin::DictNext => Ok(all.next(frame.int(args[0]))),
            Builtin::HasDictValue | Builtin::DictValue => {
                let wanted = Kind::of_code(frame.int(args[2]));
                let value = all.value(frame.int(args[0]), frame.text(args[1]), wanted);
                if builtin == Builtin::DictValue {
                    return Some(value.unwrap_or_else(|| kind.zero()));
                }
                Ok(i32::from(value.is_some()))
            }
            _ => return None,
        };
        let found = found.unwrap_or_else(|mistake| {
            self.printed.push(Sink::Error, &mistake.message);
            mistake.answer
        });
        Some(Const::Int(found))
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

    /// What depends on operands alone.
    fn of_constants(
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

    /// What is done with closures.
    fn of_closures(
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

    /// A value with text in place of closures.
    fn shown(&self, value: Value) -> Const {
        let text = |closure: NodeId| {
            let listing = self.closures.list(closure);
            let text = match self.options.closures {
                Some(registry) => closure_text(&listing, registry),
                None => "closure".repeat(usize::from(closure.is_some())),
            };
            Const::String(text.into())
        };
        match value {
            Value::Plain(value) => value,
            Value::Closure(closure) => text(closure),
            Value::Closures(list) => Const::Array(list.into_iter().map(text).collect()),
        }
    }

    fn format(&mut self, frame: &CallFrame<'a>, args: &[Operand], span: Span) -> String {
        let Some((&format, values)) = args.split_first() else {
            return String::new();
        };
        let values: Vec<Const> = values.iter().map(|&a| self.shown(frame.get(a))).collect();
        let values: Vec<Printable<'_>> = values.iter().map(Printable::of).collect();
        let mut problem = None;
        let text = operation::format(frame.text(format), &values, &mut problem);
        self.problem(problem, span);
        text
    }

    /// What depends on the shading point or the host.
    fn of_point(
        &mut self,
        frame: &CallFrame<'a>,
        kind: Kind,
        op: Op,
        args: &[Operand],
        span: Span,
    ) -> Option<Value> {
        let globals = self.options.globals;
        let text = |i: usize| args.get(i).map_or("", |&a| frame.text(a));
        Some(Value::of(&match op {
            Op::Global(global) => self.global(global),
            Op::GlobalDerivative(global, axis) => self.global_derivative(global, axis),
            Op::Derivative(_) => kind.zero(),
            Op::Texture(options) => self.texture(frame, options, args, span),
            Op::TextureError(options) => {
                let lookup = lookup(frame, options, args);
                let request = request(frame, &lookup, args);
                let error = lookup.failure(self.options.host, &request);
                Const::String(eval::text::of_host(error).into())
            }
            Op::TextureInfo => {
                let value = self.texture_info(frame, args).and_then(|info| info.of_kind(kind));
                value.unwrap_or_else(|| kind.zero())
            }
            Op::HasTextureInfo(kind) => {
                let value = self.texture_info(frame, args).and_then(|info| info.of_kind(kind));
                Const::Int(i32::from(value.is_some()))
            }
            Op::AttributeDerivative(axis) => {
                let value = self
                    .options
                    .host
                    .attribute_derivative(globals, text(0), text(1), axis);
                of_lanes(kind, value)
            }
            Op::AttributeValue => {
                let value = self.options.host.attribute(globals, text(0), text(1));
                of_lanes(kind, value.unwrap_or_default())
            }
            Op::Builtin(Builtin::HasAttribute) => {
                let value = self.options.host.attribute(globals, text(0), text(1));
                Const::Int(i32::from(value.is_some()))
            }
            Op::Builtin(builtin @ (Builtin::HasAnyAttribute | Builtin::AnyAttribute)) => {
                let index = u32::try_from(frame.int(args[2])).ok();
                let wanted = Kind::of_code(frame.int(args[3]));
                let host = self.options.host;
                let value = host
                    .any_attribute(globals, text(0), text(1), index, wanted)
                    .filter(|value| Kind::of_const(value) == Some(wanted));
                match builtin {
                    Builtin::HasAnyAttribute => Const::Int(i32::from(value.is_some())),
                    _ => value.unwrap_or_else(|| kind.zero()),
                }
            }
            Op::Builtin(Builtin::Trace) => {
                let ray = TraceRay {
                    origin: frame.triple(args[0]),
                    direction: frame.triple(args[1]),
                    min_distance: frame.float(args[2]),
                    max_distance: frame.float(args[3]),
                    shade: frame.int(args[4]) != 0,
                    set: text(5),
                };
                let hit = self.options.host.trace(globals, &ray);
                Const::Int(i32::from(self.last_trace.note(hit)))
            }
            Op::Builtin(Builtin::IsSpace) => {
                let known = self.options.host.knows_space(globals, text(0));
                Const::Int(i32::from(known))
            }
            Op::Builtin(Builtin::RayType) => {
                let kind = RayKind::NAMES.iter().find(|(name, _)| *name == text(0));
                let bits = kind.map_or(0, |(_, kind)| kind.0);
                Const::Int(i32::from(bits & globals.ray_kind.0 != 0))
            }
            Op::Builtin(builtin) if builtin.is_cloud_array() || builtin == Builtin::HasCloudValues => {
                self.of_clouds(frame, kind, builtin, args, span)?
            }
            Op::Builtin(Builtin::CloudWrite) => self.write_point(frame, args, span)?,
            // What the optimiser has not decided is not constant.
            Op::Builtin(Builtin::IsConstant) => Const::Int(0),
            Op::Builtin(Builtin::Backfacing) => Const::Int(globals.backfacing),
            Op::Builtin(Builtin::SurfaceArea) => Const::Float(globals.surface_area),
            Op::Builtin(Builtin::SpaceMatrix) => {
                let (from, to) = (text(0).to_owned(), text(1).to_owned());
                Const::Matrix(self.space(&from, &to, span))
            }
            _ => return None,
        }))
    }

    fn of_clouds(
        &mut self,
        frame: &CallFrame<'a>,
        kind: Kind,
        builtin: Builtin,
        args: &[Operand],
        span: Span,
    ) -> Option<Const> {
        let args: Option<Vec<&Const>> = args.iter().map(|&a| frame.plain(a)).collect();
        let (value, problem) = cloud::evaluate(self.options.host, builtin, kind, &args?)?;
        if let Some((kind, message)) = problem {
            self.report(kind, span, message);
        }
        Some(value)
    }

    fn write_point(&mut self, frame: &CallFrame<'a>, args: &[Operand], span: Span) -> Option<Const> {
        let args: Option<Vec<&Const>> = args.iter().map(|&a| frame.plain(a)).collect();
        let refusal = cloud::write(self.options.host, &mut self.written, &args?)?;
        let is_kept = refusal.is_none();
        if let Some(message) = refusal {
            self.report(ReportKind::CloudNotWritten, span, message);
        }
        Some(Const::Int(i32::from(is_kept)))
    }

    fn texture(
        &mut self,
        frame: &CallFrame<'a>,
        options: TextureOptions,
        args: &[Operand],
        span: Span,
    ) -> Const {
        let lookup = lookup(frame, options, args);
        let request = request(frame, &lookup, args);
        let sample = match lookup.handle(self.options.host, &request) {
            Ok(handle) => self.options.host.texture(handle, &lookup),
            Err(problem) => {
                if !options.optional {
                    self.report(ReportKind::MissingTexture, span, problem.report(&request.file));
                }
                lookup.absent()
            }
        };
        let all = [sample.value, sample.ds, sample.dt];
        let values = all.as_flattened()[..options.results() as usize].iter();
        Const::Array(values.map(|&v| Const::Float(v)).collect())
    }

    fn texture_info(&self, frame: &CallFrame<'a>, args: &[Operand]) -> Option<TextureInfo> {
        let [s, t] = [2, 3].map(|i| frame.float(args[i]));
        let st = (!s.is_nan() && !t.is_nan()).then_some([s, t]);
        let request = TextureRequest {
            file: frame.text(args[0]).to_owned(),
            ..TextureRequest::default()
        };
        self.options.host.texture_info(&request, frame.text(args[1]), st)
    }

    fn space(&mut self, from: &str, to: &str, span: Span) -> [f32; 16] {
        let (found, unknown) = matrix_between(self.options.host, self.options.globals, from, to);
        if !unknown.is_empty() && !self.unknown_spaces.contains(&span) {
            self.unknown_spaces.push(span);
            for error in unknown {
                self.printed.push(Sink::Mistake, &error);
            }
        }
        found
    }

    fn global(&self, global: Global) -> Const {
        self.options.globals.value(global)
    }

    fn global_derivative(&self, global: Global, axis: Axis) -> Const {
        let g = self.options.globals;
        let triple = |t: &crate::runtime::globals::Triple| Const::Triple([t.0[0], t.0[1], t.0[2]]);
        match (global, axis) {
            (Global::P, Axis::X) => triple(&g.dpdx),
            (Global::P, Axis::Y) => triple(&g.dpdy),
            (Global::I, Axis::X) => triple(&g.didx),
            (Global::I, Axis::Y) => triple(&g.didy),
            (Global::U, Axis::X) => Const::Float(g.dudx),
            (Global::U, Axis::Y) => Const::Float(g.dudy),
            (Global::V, Axis::X) => Const::Float(g.dvdx),
            (Global::V, Axis::Y) => Const::Float(g.dvdy),
            _ => Kind::of(global.ty()).unwrap_or(Kind::FLOAT).zero(),
        }
    }
}

/// Name, type and place of a message.
fn asked<'f>(frame: &'f CallFrame<'_>, args: &[Operand]) -> Asked<'f> {
    let text = |i: usize| frame.text(args[i]);
    Asked {
        name: text(0),
        ty: text(1),
        place: text(2),
    }
}

/// A texture lookup with the values of its operands.
fn lookup(frame: &CallFrame<'_>, mut options: TextureOptions, args: &[Operand]) -> TextureLookup {
    let mut lookup = TextureLookup::default();
    match options.mapping {
        TextureMapping::Plane => {
            let [s, t, dsdx, dtdx, dsdy, dtdy] = std::array::from_fn(|i| frame.float(args[1 + i]));
            (lookup.position, lookup.dx, lookup.dy) = ([s, t, 0.0], [dsdx, dtdx, 0.0], [dsdy, dtdy, 0.0]);
        }
        TextureMapping::Environment | TextureMapping::Volume => {
            [lookup.position, lookup.dx, lookup.dy] = std::array::from_fn(|i| frame.triple(args[1 + i]));
        }
    }
    for option in options.operands.iter() {
        let Some(&arg) = options.position(option).and_then(|i| args.get(i)) else {
            continue;
        };
        let number = || frame.float(arg);
        match option {
            TextureOperand::WrapS
            | TextureOperand::WrapT
            | TextureOperand::Interpolation
            | TextureOperand::ColorSpace => options.set_by_name(option, frame.text(arg)),
            TextureOperand::FirstChannel => lookup.first_channel = frame.int(arg),
            TextureOperand::WidthS => lookup.width[0] = number(),
            TextureOperand::WidthT => lookup.width[1] = number(),
            TextureOperand::BlurS => lookup.blur[0] = number(),
            TextureOperand::BlurT => lookup.blur[1] = number(),
            TextureOperand::Fill => lookup.fill = number(),
            TextureOperand::MissingColor => {
                let [r, g, b] = frame.triple(arg);
                lookup.missing = Some([r, g, b, 0.0]);
            }
            TextureOperand::MissingAlpha => {
                lookup.missing.get_or_insert_default()[usize::from(options.channels)] = number();
            }
            TextureOperand::Subimage | TextureOperand::SubimageName => {}
        }
    }
    lookup.options = options;
    lookup
}

/// The picture that a lookup wants.
fn request(frame: &CallFrame<'_>, lookup: &TextureLookup, args: &[Operand]) -> TextureRequest {
    let operand = |option| lookup.options.position(option).and_then(|i| args.get(i));
    let subimage = if let Some(&name) = operand(TextureOperand::SubimageName) {
        Subimage::named(frame.text(name))
    } else if let Some(&index) = operand(TextureOperand::Subimage) {
        Subimage::numbered(frame.int(index))
    } else {
        Subimage::First
    };
    TextureRequest {
        file: args.first().map_or("", |&file| frame.text(file)).to_owned(),
        color_space: lookup.options.color_space,
        subimage,
    }
}
