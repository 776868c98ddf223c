//! Statements: structured control flow to basic blocks.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};
use cranelift_entity::SecondaryMap;
use cranelift_module::Module;

use super::emitter::Emitter;
use super::frame::CallLayout;
use super::layout::local_size;
use super::layout::{DEPTH, FUEL, POINTER, STACK_LIMIT, WORK, register};
use crate::runtime::shims::{self, Shim};
use shading_compiler::hir::{Block, FunctionId, LocalId, Op, Operand, ScopeId, Stmt, fuel, work};

/// The scopes around a statement.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    open: SecondaryMap<ScopeId, Option<OpenScope>>,
}

#[derive(Clone, Copy, Debug)]
struct OpenScope {
    /// Block after the scope.
    after: ir::Block,
    /// True if a `Leave` jumps there.
    left: bool,
}

/// Reachability of the end of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Flow {
    /// Reachable.
    On,
    /// Unreachable.
    Dead,
}

impl Emitter<'_, '_> {
    /// Emits a block of statements.
    pub(super) fn block(&mut self, block: &Block, scopes: &mut Scopes) -> Flow {
        for (at, stmt) in block.iter().enumerate() {
            if !matches!(stmt, Stmt::Op { .. }) {
                self.count_work();
            }
            let flow = match stmt {
                Stmt::Op { dst, op, args, span } => {
                    self.span = *span;
                    self.work += work::of_op(*op, args.len());
                    self.fuel_of_op(*dst, *op, args);
                    self.op(*dst, *op, args, block, at);
                    Flow::On
                }
                Stmt::Call { function, args, results, span } => {
                    self.span = *span;
                    self.call_function(*function, args, results);
                    Flow::On
                }
                Stmt::If { condition, then, otherwise } => self.if_stmt(*condition, then, otherwise, scopes),
                Stmt::Loop { body, fuel, span } => {
                    self.span = *span;
                    self.loop_stmt(body, *fuel, scopes)
                }
                Stmt::Scope { scope, body } => self.scope_stmt(*scope, body, scopes),
                Stmt::Leave(scope) => {
                    let open = scopes.open[*scope].as_mut().expect("`Leave` names an enclosing scope");
                    open.left = true;
                    self.b.ins().jump(open.after, &[]);
                    Flow::Dead
                }
            };
            if flow == Flow::Dead {
                return Flow::Dead;
            }
        }
        self.count_work();
        Flow::On
    }

    /// Adds the work of the operations since the last call to the work of the run, if the code counts it.
    fn count_work(&mut self) {
        let work = std::mem::take(&mut self.work);
        if self.shared.counts_work && work > 0 {
            let sum = self.load(types::I64, self.ctx_field(WORK));
            let sum = self.b.ins().iadd_imm_u(sum, i64::from(work));
            self.store(sum, self.ctx_field(WORK));
        }
    }

    fn if_stmt(&mut self, condition: Operand, then: &Block, otherwise: &Block, scopes: &mut Scopes) -> Flow {
        let condition = self.read(condition);
        let [yes, no, join] = [(); 3].map(|()| self.b.create_block());
        // Without an `else` the condition branches directly to the join.
        let no_target = if otherwise.is_empty() { join } else { no };
        self.b.ins().brif(condition, yes, &[], no_target, &[]);
        self.b.seal_block(yes);
        self.b.switch_to_block(yes);
        let mut flow = self.block(then, scopes);
        if flow == Flow::On {
            self.b.ins().jump(join, &[]);
        }
        if otherwise.is_empty() {
            flow = Flow::On;
        } else {
            self.b.seal_block(no);
            self.b.switch_to_block(no);
            if self.block(otherwise, scopes) == Flow::On {
                self.b.ins().jump(join, &[]);
                flow = Flow::On;
            }
        }
        self.continue_in(join, flow)
    }

    fn loop_stmt(&mut self, body: &Block, fuel: u32, scopes: &mut Scopes) -> Flow {
        let loop_block = self.b.create_block();
        self.b.ins().jump(loop_block, &[]);
        self.b.switch_to_block(loop_block);
        self.spend(FUEL, fuel, shims::out_of_fuel());
        self.nodes.loops += 1;
        if self.block(body, scopes) == Flow::On {
            self.b.ins().jump(loop_block, &[]);
        }
        self.nodes.loops -= 1;
        self.b.seal_block(loop_block);
        Flow::Dead
    }

    fn scope_stmt(&mut self, scope: ScopeId, body: &Block, scopes: &mut Scopes) -> Flow {
        let after = self.b.create_block();
        scopes.open[scope] = Some(OpenScope { after, left: false });
        let flow = self.block(body, scopes);
        if flow == Flow::On {
            self.b.ins().jump(after, &[]);
        }
        let left = scopes.open[scope].take().is_some_and(|open| open.left);
        self.continue_in(after, if left { Flow::On } else { flow })
    }

    /// Continues in a block whose predecessors are all known.
    fn continue_in(&mut self, block: ir::Block, flow: Flow) -> Flow {
        if flow == Flow::On {
            self.b.seal_block(block);
            self.b.switch_to_block(block);
        }
        flow
    }

    fn fuel_of_op(&mut self, dst: Option<LocalId>, op: Op, args: &[Operand]) {
        let amount = fuel::of_op(self.code, dst, op, args);
        if amount > 0 {
            self.spend(FUEL, amount, shims::out_of_fuel());
        }
    }

    /// Subtracts from a counter of the context. If the counter is too low, calls `exhausted` and jumps to the exit.
    fn spend(&mut self, counter: i32, amount: u32, exhausted: Shim) {
        let left = self.load(types::I32, self.ctx_field(counter));
        let amount = self.int(amount as i32);
        let left = self.b.ins().isub(left, amount);
        self.store(left, self.ctx_field(counter));
        let zero = self.int(0);
        let empty = self.b.ins().icmp(IntCC::SignedLessThan, left, zero);
        self.stop_if(empty, exhausted);
    }

    /// If a condition holds, calls a shim that aborts the run, and jumps to the exit.
    fn stop_if(&mut self, condition: ir::Value, shim: Shim) {
        let (stop, go) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(stop);
        self.b.ins().brif(condition, stop, &[], go, &[]);
        self.b.seal_block(stop);
        self.b.seal_block(go);
        self.b.switch_to_block(stop);
        let place = self.place();
        self.call(shim, &[self.ctx, place]);
        self.b.ins().jump(self.finish, &[]);
        self.b.switch_to_block(go);
    }

    /// Calls a function. Arguments and results are passed in the call area; results are loaded after a test whether the
    /// run was aborted.
    fn call_function(&mut self, function: FunctionId, args: &[Operand], results: &[LocalId]) {
        let callee = &self.shared.unit.functions[function];
        let amount = fuel::of_call(self.code, callee, args, results);
        self.spend(FUEL, amount, shims::out_of_fuel());
        self.spend(DEPTH, 1, shims::too_deep());
        let sp = self.b.ins().get_stack_pointer(POINTER);
        let limit = self.load(POINTER, self.ctx_field(STACK_LIMIT));
        let low = self.b.ins().icmp(IntCC::UnsignedLessThan, sp, limit);
        self.stop_if(low, shims::too_deep());

        let layout = CallLayout::of(callee);
        let area = self.call_area();
        for ((arg, param), offset) in args.iter().zip(&callee.params).zip(&layout.params) {
            let to = area.plus(*offset);
            if register(callee.code.locals[*param].ty).is_some() {
                let value = self.read(*arg);
                self.store(value, to);
            } else {
                let from = self.address(*arg);
                self.copy(to, from, local_size(&callee.code, *param));
            }
        }
        let id = self.shared.functions[function].expect("all functions are declared");
        let callee = self.module.declare_func_in_func(id, self.b.func);
        let area_address = self.address_of(area);
        self.b.ins().call(callee, &[self.globals, self.ctx, area_address]);

        let depth = self.load(types::I32, self.ctx_field(DEPTH));
        let one = self.int(1);
        let depth = self.b.ins().iadd(depth, one);
        self.store(depth, self.ctx_field(DEPTH));
        let fuel = self.load(types::I32, self.ctx_field(FUEL));
        let zero = self.int(0);
        let ended = self.b.ins().icmp(IntCC::SignedLessThan, fuel, zero);
        let go = self.b.create_block();
        self.b.ins().brif(ended, self.finish, &[], go, &[]);
        self.b.seal_block(go);
        self.b.switch_to_block(go);
        for (result, offset) in results.iter().zip(&layout.outputs) {
            self.restore(*result, area.plus(*offset));
        }
    }
}
