//! Packet statements: uniform branches and loops as jumps, divergent ones as masks.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};

use super::Packet;
use super::emitter::OpenScope;
use super::plan::{BlockKey, leaves_outer_scope};
use crate::codegen::layout::FUEL;
use crate::codegen::stmt::Flow;
use crate::runtime::shims;
use shading_compiler::hir::{Block, Const, Op, Operand, ScopeId, Stmt, fuel, walk};

/// Maximum number of statements in a branch that is executed without a test for active points, because the test would cost
/// more.
const MAX_UNTESTED_STATEMENTS: usize = 8;

impl Packet<'_, '_, '_> {
    /// Emits the body of a unit.
    pub(super) fn body(&mut self, block: &Block) {
        if self.statements(block) == Flow::Dead {
            // An endless loop: the code after it is unreachable.
            let rest = self.e.b.create_block();
            self.e.b.seal_block(rest);
            self.e.b.switch_to_block(rest);
        }
    }

    /// Emits a block of statements. In divergent code the end of the block is always reachable, possibly with no active
    /// point.
    fn statements(&mut self, block: &Block) -> Flow {
        let outer = std::mem::replace(&mut self.block, BlockKey::of(block));
        let mut flow = Flow::On;
        for (at, stmt) in block.iter().enumerate() {
            flow = match stmt {
                Stmt::Op { dst, op, args, span } => {
                    self.e.span = *span;
                    let amount = fuel::of_op(self.e.code, *dst, *op, args);
                    if amount > 0 {
                        self.spend(amount);
                    }
                    match dst {
                        Some(dst) if self.plan.varies(*dst) => self.operation(*dst, *op, args),
                        _ => self.e.op(*dst, *op, args, block, at),
                    }
                    Flow::On
                }
                Stmt::Call { .. } => unreachable!("a unit that calls runs at single points"),
                Stmt::If { condition, then, otherwise } => {
                    if self.plan.operand_varies(*condition) {
                        self.divergent_branch(*condition, then, otherwise)
                    } else {
                        self.branch(*condition, then, otherwise)
                    }
                }
                Stmt::Loop { body, fuel, span } => {
                    self.e.span = *span;
                    self.loop_body(body, *fuel)
                }
                Stmt::Scope { scope, body } if self.plan.is_divergent(*scope) => {
                    self.divergent_scope(*scope, body)
                }
                Stmt::Scope { scope, body } => self.scope(*scope, body),
                Stmt::Leave(scope) => self.leave(*scope),
            };
            if flow == Flow::Dead {
                break;
            }
        }
        self.block = outer;
        flow
    }

    // ---- Uniform control flow ----

    /// Returns whether the end of the code just emitted is reachable, possibly with no active point.
    fn is_end_reachable(&self, flow: Flow) -> bool {
        self.is_masked || flow == Flow::On
    }

    /// Emits a uniform branch.
    fn branch(&mut self, condition: Operand, then: &Block, otherwise: &Block) -> Flow {
        let condition = self.e.read(condition);
        let [yes, no, join] = [(); 3].map(|()| self.e.b.create_block());
        self.e.b.ins().brif(condition, yes, &[], no, &[]);
        let mut ends = [Flow::Dead; 2];
        let mut is_joined = false;
        for (i, (block, start)) in [(then, yes), (otherwise, no)].into_iter().enumerate() {
            self.e.b.seal_block(start);
            self.e.b.switch_to_block(start);
            ends[i] = self.statements(block);
            if self.is_end_reachable(ends[i]) {
                self.e.b.ins().jump(join, &[]);
                is_joined = true;
            }
        }
        if is_joined {
            self.e.b.seal_block(join);
            self.e.b.switch_to_block(join);
        }
        if ends.contains(&Flow::On) { Flow::On } else { Flow::Dead }
    }

    /// Emits a uniform scope.
    fn scope(&mut self, scope: ScopeId, body: &Block) -> Flow {
        let after = self.e.b.create_block();
        self.scopes[scope] = Some(OpenScope::Uniform { after, is_left: false });
        let flow = self.statements(body);
        let is_left = matches!(self.scopes[scope].take(), Some(OpenScope::Uniform { is_left: true, .. }));
        if self.is_end_reachable(flow) {
            self.e.b.ins().jump(after, &[]);
        } else if !is_left {
            return Flow::Dead;
        }
        self.e.b.seal_block(after);
        self.e.b.switch_to_block(after);
        if is_left { Flow::On } else { flow }
    }

    fn leave(&mut self, scope: ScopeId) -> Flow {
        match self.scopes[scope].as_mut() {
            Some(OpenScope::Uniform { after, is_left }) => {
                *is_left = true;
                self.e.b.ins().jump(*after, &[]);
            }
            Some(&mut OpenScope::Divergent { left }) => {
                let (gone, here) = (self.e.b.use_var(left), self.e.b.use_var(self.mask));
                let gone = self.e.b.ins().bor(gone, here);
                self.e.b.def_var(left, gone);
                let no_points = self.int_row(0);
                self.e.b.def_var(self.mask, no_points);
            }
            None => unreachable!("`Leave` names an enclosing scope"),
        }
        Flow::Dead
    }

    /// Emits the iterations of a loop until the last point has left it.
    fn loop_body(&mut self, body: &Block, fuel: u32) -> Flow {
        let (loop_block, done) = (self.e.b.create_block(), self.e.b.create_block());
        self.e.b.ins().jump(loop_block, &[]);
        self.e.b.switch_to_block(loop_block);
        self.spend(fuel);
        self.exits.push(done);
        self.loops += 1;
        let flow = self.statements(body);
        self.loops -= 1;
        self.exits.pop();
        match flow {
            Flow::On => {
                self.e.b.ins().jump(loop_block, &[]);
            }
            Flow::Dead if self.is_masked => {
                self.e.b.ins().jump(done, &[]);
            }
            Flow::Dead => {}
        }
        self.e.b.seal_block(loop_block);
        if self.is_masked {
            self.e.b.seal_block(done);
            self.e.b.switch_to_block(done);
        }
        Flow::Dead
    }

    /// Consumes fuel. The packet consumes the fuel of the point with the most iterations, and more in divergent branches.
    fn spend(&mut self, amount: u32) {
        let fuel = self.e.ctx_field(FUEL);
        let left = self.e.load(types::I32, fuel);
        let amount = self.e.int(amount as i32);
        let left = self.e.b.ins().isub(left, amount);
        self.e.store(left, fuel);
        let zero = self.e.int(0);
        let empty = self.e.b.ins().icmp(IntCC::SignedLessThan, left, zero);
        self.bail_if(empty);
    }

    /// Abandons the packet if a condition holds.
    pub(super) fn bail_if(&mut self, condition: ir::Value) {
        let go = self.e.b.create_block();
        self.e.b.ins().brif(condition, self.bail, &[], go, &[]);
        self.e.b.seal_block(go);
        self.e.b.switch_to_block(go);
    }

    // ---- Divergent control flow ----

    /// Returns the mask of the points at which an int is nonzero.
    fn test(&mut self, condition: Operand) -> ir::Value {
        let condition = self.row(condition, 0);
        let zero = self.int_row(0);
        self.e.b.ins().icmp(IntCC::NotEqual, condition, zero)
    }

    fn divergent_branch(&mut self, condition: Operand, then: &Block, otherwise: &Block) -> Flow {
        let test = self.test(condition);
        let was_masked = self.is_masked;
        let here = was_masked.then(|| self.e.b.use_var(self.mask));
        let (yes, no) = match here {
            Some(here) => (self.e.b.ins().band(here, test), self.e.b.ins().band_not(here, test)),
            None => (test, self.e.b.ins().bnot(test)),
        };
        self.is_masked = true;
        let left_body = self.left_body.take();
        let is_left = leaves_outer_scope(then, None) || leaves_outer_scope(otherwise, None);
        let mut flows = vec![];
        let mut stayed = None;
        for (block, mask) in [(then, yes), (otherwise, no)] {
            if block.is_empty() && !is_left {
                flows.push(Flow::On);
                continue;
            }
            self.e.b.def_var(self.mask, mask);
            flows.push(self.side(block, mask));
            if is_left {
                let end = self.e.b.use_var(self.mask);
                stayed = Some(match stayed {
                    None => end,
                    Some(other) => self.e.b.ins().bor(other, end),
                });
            }
        }
        if let Some(stayed) = stayed {
            self.e.b.def_var(self.mask, stayed);
            if flows.contains(&Flow::On) {
                self.exit_if_none_active(stayed);
            }
        } else if let Some(here) = here {
            self.e.b.def_var(self.mask, here);
        }
        self.is_masked = was_masked;
        self.left_body = left_body;
        if flows.contains(&Flow::On) { Flow::On } else { Flow::Dead }
    }

    /// Emits one side of a branch, which is executed if it is active for any point.
    fn side(&mut self, block: &Block, mask: ir::Value) -> Flow {
        if self.is_cheap(block) {
            return self.statements(block);
        }
        let (run, end) = (self.e.b.create_block(), self.e.b.create_block());
        let any = self.e.b.ins().vany_true(mask);
        self.e.b.ins().brif(any, run, &[], end, &[]);
        self.e.b.seal_block(run);
        self.e.b.switch_to_block(run);
        self.exits.push(end);
        let flow = self.statements(block);
        self.exits.pop();
        self.e.b.ins().jump(end, &[]);
        self.e.b.seal_block(end);
        self.e.b.switch_to_block(end);
        flow
    }

    /// Returns whether a block is cheap and may be executed without active points: it leaves no scope, and no index can
    /// be out of range.
    fn is_cheap(&self, block: &[Stmt]) -> bool {
        walk::count_statements(block) <= MAX_UNTESTED_STATEMENTS && self.is_tame(block)
    }

    fn is_tame(&self, block: &[Stmt]) -> bool {
        block.iter().all(|stmt| match stmt {
            Stmt::Op { dst, op, args, .. } => {
                let in_registers = dst.is_some_and(|dst| !super::is_in_memory(self.e.ty(dst)));
                let is_known = |arg: &Operand| matches!(self.e.constant(*arg), Some(Const::Int(0..=2)));
                in_registers
                    && match op {
                        Op::TripleGet | Op::TripleSet => is_known(&args[1]),
                        Op::MatrixGet | Op::ArrayGet => false,
                        Op::Builtin(builtin) => {
                            !(shims::unary(*builtin).is_some()
                                || shims::binary(*builtin).is_some()
                                || super::plan::is_costly(*builtin))
                        }
                        _ => true,
                    }
            }
            Stmt::If { then, otherwise, .. } => self.is_tame(then) && self.is_tame(otherwise),
            Stmt::Call { .. } | Stmt::Loop { .. } | Stmt::Scope { .. } | Stmt::Leave(_) => false,
        })
    }

    /// Emits a scope that some points may leave while others continue.
    fn divergent_scope(&mut self, scope: ScopeId, body: &Block) -> Flow {
        let was_masked = self.is_masked;
        let here = if was_masked {
            self.e.b.use_var(self.mask)
        } else {
            let all = self.int_row(-1);
            self.e.b.def_var(self.mask, all);
            all
        };
        self.is_masked = true;
        let left = self.e.b.declare_var(types::I32X4);
        let no_points = self.int_row(0);
        self.e.b.def_var(left, no_points);
        self.scopes[scope] = Some(OpenScope::Divergent { left });
        let after = self.e.b.create_block();
        // In a loop, or in another scope that points have left, they become active again.
        let is_left_for_good = !was_masked && self.loops == 0;
        let left_body = std::mem::replace(&mut self.left_body, is_left_for_good.then(|| BlockKey::of(body)));
        self.exits.push(after);
        // If the end is unreachable, all points have left, at least this scope.
        let _ = self.statements(body);
        self.exits.pop();
        self.left_body = left_body;
        self.e.b.ins().jump(after, &[]);
        self.e.b.seal_block(after);
        self.e.b.switch_to_block(after);
        self.scopes[scope] = None;
        if leaves_outer_scope(body, Some(scope)) {
            let (end, gone) = (self.e.b.use_var(self.mask), self.e.b.use_var(left));
            let stayed = self.e.b.ins().bor(end, gone);
            self.e.b.def_var(self.mask, stayed);
            self.exit_if_none_active(stayed);
        } else if was_masked {
            self.e.b.def_var(self.mask, here);
        }
        self.is_masked = was_masked;
        Flow::On
    }

    /// Jumps to the end of the enclosing construct if no point is active.
    fn exit_if_none_active(&mut self, mask: ir::Value) {
        let exit = *self.exits.last().expect("what can be left is around");
        let go = self.e.b.create_block();
        let any = self.e.b.ins().vany_true(mask);
        self.e.b.ins().brif(any, go, &[], exit, &[]);
        self.e.b.seal_block(go);
        self.e.b.switch_to_block(go);
    }
}
