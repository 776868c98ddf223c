//! Control flow: undecided branches are evaluated both, and undecided loops up to a fixed point.
//!
//! A loop whose condition is decided runs as in the interpreter. One that is left by some runs and continued by others is
//! unrolled a few times; then the variables that it assigns are extrapolated ("widening") until they no longer change.
//! Cousot & Cousot, "Abstract Interpretation", 1977.

use shading_compiler::check::deep_stack;
use shading_compiler::hir::{Block, Code, Function, LocalId, Op, Operand, ScopeId, Stmt, Unit, fuel, walk};

use super::frame::{Frame, State, kind, value, without_closures};
use super::host::BoundsOptions;
use super::logic::{self, Truth};
use super::narrow::Comparison;
use super::number::Symbols;
use super::operation::{self, Operation};
use super::point::Point;
use super::value::Value;

/// Number of undecided iterations of a loop before its variables are extrapolated.
const MAX_UNDECIDED: u32 = 8;

/// Number of extrapolations of a loop after which the variables that still change become unknown.
const MAX_EXTRAPOLATIONS: u32 = 8;

/// Maximum depth of calls; the results of deeper ones are unknown.
const MAX_DEPTH: u32 = 24;

/// Nesting of blocks from which the stack of a thread may not suffice.
const DEEP_NESTING: u32 = 48;

/// State of an evaluation.
pub(super) struct Machine<'a> {
    unit: &'a Unit,
    options: &'a BoundsOptions<'a>,
    point: Point<'a>,
    pub(super) symbols: Symbols,
    /// Largest fuel that a run has consumed up to here.
    fuel: u64,
    /// Number of evaluated statements.
    pub(super) statements: u32,
    /// Depth of calls, and of blocks.
    depth: u32,
    nesting: u32,
    /// True if a run may have been aborted since the flag was cleared.
    may_abort: bool,
    /// Values of the outputs where a run may be aborted.
    aborted: Option<State>,
}

/// Values of the outputs of a unit, in order of its parameters.
pub(super) struct Outputs {
    pub(super) values: Vec<Value>,
    pub(super) may_abort: bool,
}

impl<'a> Machine<'a> {
    pub(super) fn new(unit: &'a Unit, options: &'a BoundsOptions<'a>) -> Machine<'a> {
        let symbols = Symbols::default();
        Machine {
            unit,
            options,
            point: Point::new(options, &symbols),
            symbols,
            fuel: 0,
            statements: 0,
            depth: 0,
            nesting: 0,
            may_abort: false,
            aborted: None,
        }
    }

    /// Evaluates the unit.
    pub(super) fn run(&mut self) -> Outputs {
        let unit = self.unit;
        let mut frame = self.frame(&unit.code, true);
        for param in &unit.params {
            self.block(&mut frame, &param.init);
            self.leave_all(&mut frame);
        }
        self.block(&mut frame, &unit.code.body);
        self.leave_all(&mut frame);
        let locals = || unit.params.iter().filter(|param| param.output).map(|param| param.local);
        let finished = frame
            .state
            .map(|state| -> State { locals().map(|local| state[local.as_u32() as usize].clone()).collect() });
        let may_abort = self.aborted.is_some();
        let values = match (finished, self.aborted.take()) {
            (Some(a), Some(b)) => self.join(&a, &b),
            (a, b) => a.or(b).unwrap_or_else(|| {
                let kinds = locals().map(|local| kind(&unit.code, local));
                kinds.map(|kind| Value::unknown(kind, &self.symbols)).collect()
            }),
        };
        Outputs { values, may_abort }
    }

    fn frame<'f>(&self, code: &'f Code, is_outer: bool) -> Frame<'f> {
        let locals = code
            .locals
            .keys()
            .map(|local| Value::of(&kind(code, local).zero(), &self.symbols));
        Frame { code, state: Some(locals.collect()), exits: vec![], is_outer }
    }

    fn join(&self, a: &[Value], b: &[Value]) -> State {
        a.iter().zip(b).map(|(a, b)| a.join(b, &self.symbols)).collect()
    }

    fn join_states(&self, a: Option<State>, b: Option<State>) -> Option<State> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.join(&a, &b)),
            (a, b) => a.or(b),
        }
    }

    /// Continues the runs that jumped out of the code.
    fn leave_all(&self, frame: &mut Frame<'_>) {
        for (_, state) in std::mem::take(&mut frame.exits) {
            frame.state = self.join_states(frame.state.take(), Some(state));
        }
    }

    fn is_within_budget(&self) -> bool {
        self.statements < self.options.budget
    }

    /// Consumes fuel; if runs may have too little, they may be aborted here.
    fn burn(&mut self, frame: &Frame<'_>, amount: u32) {
        self.fuel = self.fuel.saturating_add(amount.into());
        if self.fuel > u64::from(self.options.fuel) {
            self.abort(frame);
        }
    }

    /// Records the outputs of runs that are aborted here: they have no closures.
    fn abort(&mut self, frame: &Frame<'_>) {
        self.may_abort = true;
        let (true, Some(state)) = (frame.is_outer, &frame.state) else {
            return;
        };
        let outputs = self.unit.params.iter().filter(|param| param.output);
        let values = outputs.map(|param| without_closures(&state[param.local.as_u32() as usize]));
        let values: State = values.collect();
        let earlier = self.aborted.take();
        self.aborted = self.join_states(earlier, Some(values));
    }

    fn block(&mut self, frame: &mut Frame<'a>, block: &'a [Stmt]) {
        self.nesting += 1;
        match self.nesting == DEEP_NESTING {
            true => deep_stack(|| self.statements(frame, block)),
            false => self.statements(frame, block),
        }
        self.nesting -= 1;
    }

    fn statements(&mut self, frame: &mut Frame<'a>, block: &'a [Stmt]) {
        let mut previous = None;
        for stmt in block {
            if frame.state.is_none() {
                return;
            }
            self.stmt(frame, stmt, previous);
            previous = Some(stmt);
        }
    }

    fn stmt(&mut self, frame: &mut Frame<'a>, stmt: &'a Stmt, previous: Option<&'a Stmt>) {
        self.statements = self.statements.saturating_add(1);
        match stmt {
            Stmt::Op { dst, op, args, .. } => {
                let fuel = fuel::of_op(frame.code, *dst, *op, args);
                if fuel > 0 {
                    self.burn(frame, fuel);
                }
                if let Some(dst) = dst {
                    self.op(frame, *dst, *op, args);
                }
            }
            Stmt::Call { function, args, results, .. } => {
                self.call(frame, &self.unit.functions[*function], args, results);
            }
            Stmt::If { condition, then, otherwise } => {
                let comparison = Comparison::of(previous, *condition);
                self.branch(frame, (*condition, comparison), then, otherwise);
            }
            Stmt::Loop { body, fuel, .. } => self.repeat(frame, body, *fuel),
            Stmt::Scope { scope, body } => {
                self.block(frame, body);
                for at in (0..frame.exits.len()).rev() {
                    if frame.exits[at].0 == *scope {
                        let (_, state) = frame.exits.swap_remove(at);
                        frame.state = self.join_states(frame.state.take(), Some(state));
                    }
                }
            }
            Stmt::Leave(scope) => {
                let state = frame.state.take();
                let known = frame.exits.iter().position(|(known, _)| known == scope);
                match (known, state) {
                    (Some(at), Some(state)) => frame.exits[at].1 = self.join(&frame.exits[at].1, &state),
                    (None, Some(state)) => frame.exits.push((*scope, state)),
                    (_, None) => {}
                }
            }
        }
    }

    // Separate from the recursion over blocks, whose stack frames must be small.
    #[inline(never)]
    fn op(&mut self, frame: &mut Frame<'a>, dst: LocalId, op: Op, args: &[Operand]) {
        let Some(state) = &mut frame.state else { return };
        let args: Vec<Value> = args.iter().map(|&arg| value(frame.code, state, arg, &self.symbols)).collect();
        let operation = Operation { op, kind: kind(frame.code, dst), args: &args };
        let result = match self.point.evaluate(operation, &self.symbols) {
            Some(result) => result,
            None => operation::evaluate(operation, &self.symbols),
        };
        state[dst.as_u32() as usize] = result;
    }

    fn branch(
        &mut self,
        frame: &mut Frame<'a>,
        (condition, comparison): (Operand, Option<Comparison>),
        then: &'a Block,
        otherwise: &'a Block,
    ) {
        let Some(state) = &frame.state else { return };
        let truth = match value(frame.code, state, condition, &self.symbols) {
            Value::Int(x) => Truth::of_int(x),
            other => logic::truth(&other),
        };
        match (truth.may_be_true, truth.may_be_false) {
            (true, false) => self.block(frame, then),
            (false, true) => self.block(frame, otherwise),
            _ => {
                let (before, fuel) = (frame.state.clone(), self.fuel);
                self.assume(frame, comparison, true);
                self.block(frame, then);
                let (after, after_fuel) = (std::mem::replace(&mut frame.state, before), self.fuel);
                self.fuel = fuel;
                self.assume(frame, comparison, false);
                self.block(frame, otherwise);
                self.fuel = self.fuel.max(after_fuel);
                frame.state = self.join_states(after, frame.state.take());
            }
        }
    }

    /// Narrows the operands of a comparison with the result `holds`.
    fn assume(&self, frame: &mut Frame<'a>, comparison: Option<Comparison>, holds: bool) {
        if let (Some(comparison), Some(state)) = (comparison, &mut frame.state) {
            comparison.narrow(holds, frame.code, state, &self.symbols);
        }
    }

    fn repeat(&mut self, frame: &mut Frame<'a>, body: &'a Block, fuel: u32) {
        let mut undecided = 0;
        while self.is_within_budget()
            && undecided < MAX_UNDECIDED
            && self.fuel <= u64::from(self.options.fuel)
        {
            let exits = std::mem::take(&mut frame.exits);
            self.burn(frame, fuel);
            self.block(frame, body);
            undecided += u32::from(!frame.exits.is_empty());
            self.add_exits(frame, exits);
            if frame.state.is_none() {
                return;
            }
        }
        self.extrapolate(frame, body);
    }

    fn add_exits(&self, frame: &mut Frame<'_>, earlier: Vec<(ScopeId, State)>) {
        for (scope, state) in earlier {
            match frame.exits.iter().position(|(known, _)| *known == scope) {
                Some(at) => frame.exits[at].1 = self.join(&state, &frame.exits[at].1),
                None => frame.exits.push((scope, state)),
            }
        }
    }

    /// Evaluates all further iterations of a loop at once.
    fn extrapolate(&mut self, frame: &mut Frame<'a>, body: &'a Block) {
        // The number of iterations is unknown, so a run may consume all fuel.
        self.fuel = u64::MAX;
        let mut written: Vec<LocalId> = vec![];
        walk::statements(body, &mut |stmt| written.extend(walk::writes(stmt)));
        written.sort_unstable_by_key(|local| local.as_u32());
        written.dedup();
        let Some(mut head) = frame.state.take() else { return };
        // The values at the head are those of any iteration: their dependence on others does not hold.
        for local in &written {
            let value = &mut head[local.as_u32() as usize];
            *value = value.extrapolated(value, &self.symbols);
        }
        for pass in 0.. {
            frame.state = Some(head.clone());
            self.burn(frame, 0);
            self.block(frame, body);
            let Some(state) = frame.state.take() else { return };
            let mut is_stable = true;
            for local in &written {
                let index = local.as_u32() as usize;
                if !head[index].includes(&state[index]) {
                    is_stable = false;
                    head[index] = match pass < MAX_EXTRAPOLATIONS {
                        true => head[index].extrapolated(&state[index], &self.symbols),
                        false => Value::unknown(kind(frame.code, *local), &self.symbols),
                    };
                }
            }
            if is_stable {
                return;
            }
        }
    }

    fn call(&mut self, frame: &mut Frame<'a>, function: &'a Function, args: &[Operand], results: &[LocalId]) {
        self.burn(frame, fuel::of_call(frame.code, function, args, results));
        let outer = std::mem::replace(&mut self.may_abort, false);
        let found = match self.depth < MAX_DEPTH && self.is_within_budget() {
            true => self.called(frame, function, args),
            false => {
                self.may_abort = true;
                self.fuel = u64::MAX;
                let kinds = function.outputs.iter().map(|&output| kind(&function.code, output));
                Some(kinds.map(|kind| Value::unknown(kind, &self.symbols)).collect())
            }
        };
        if self.may_abort {
            self.abort(frame);
        }
        self.may_abort |= outer;
        match (found, &mut frame.state) {
            (Some(found), Some(state)) => {
                for (result, value) in results.iter().zip(found) {
                    state[result.as_u32() as usize] = value;
                }
            }
            _ => frame.state = None,
        }
    }

    /// Results of a call; `None` if no run returns.
    fn called(&mut self, frame: &Frame<'a>, function: &'a Function, args: &[Operand]) -> Option<State> {
        let mut inner = self.frame(&function.code, false);
        let (outer, state) = (frame.state.as_ref()?, inner.state.as_mut()?);
        for (param, &arg) in function.params.iter().zip(args) {
            state[param.as_u32() as usize] = value(frame.code, outer, arg, &self.symbols);
        }
        self.depth += 1;
        self.block(&mut inner, &function.code.body);
        self.depth -= 1;
        self.leave_all(&mut inner);
        let state = inner.state?;
        let outputs = function.outputs.iter();
        Some(outputs.map(|output| state[output.as_u32() as usize].clone()).collect())
    }
}
