//! Loop-invariant code motion.
//!
//! A statement moves before the loop if every iteration that does not leave the loop earlier reaches the statement, it has
//! no side effects and reports no errors, the loop assigns none of its operands, and its destination is assigned nowhere
//! else and read only after it in the same block. The statement then runs even if the loop has no complete iteration, which
//! costs little.

use cranelift_entity::SecondaryMap;

use crate::builtins::Builtin;
use crate::hir::walk;
use crate::hir::{Block, Code, LocalId, Op, Operand, Stmt};

/// Hoists from all loops of a function, inner loops first.
pub(super) fn run(code: &mut Code, outputs: &[LocalId]) {
    let mut body = std::mem::take(&mut code.body);
    let mut pass = Hoist { uses: SecondaryMap::new(), loops: 0 };
    for &output in outputs {
        pass.uses[output].reads += 1;
    }
    walk::statements(&body, &mut |stmt| {
        pass.loops += usize::from(matches!(stmt, Stmt::Loop { .. }));
        walk::reads(stmt).for_each(|l| pass.uses[l].reads += 1);
        walk::writes(stmt).iter().for_each(|&l| pass.uses[l].writes += 1);
    });
    if pass.loops > 0 {
        pass.block(&mut body);
    }
    code.body = body;
}

#[derive(Clone, Copy, Default)]
struct Uses {
    /// Number of reads in the whole function.
    reads: u32,
    writes: u32,
    /// Number of writes in the current loop.
    writes_in_loop: u32,
    /// Number of reads in the part of the current block seen so far.
    reads_in_block: u32,
}

struct Hoist {
    uses: SecondaryMap<LocalId, Uses>,
    loops: usize,
}

impl Hoist {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.len());
        for mut stmt in std::mem::take(block) {
            for inner in walk::blocks_mut(&mut stmt) {
                self.block(inner);
            }
            if let Stmt::Loop { body, .. } = &mut stmt {
                self.count_writes(body, 1);
                self.take(body, &mut out);
                self.count_writes(body, -1);
            }
            out.push(stmt);
        }
        *block = out;
    }

    fn count_writes(&mut self, body: &Block, change: i32) {
        walk::statements(body, &mut |stmt| {
            for &local in walk::writes(stmt) {
                let count = &mut self.uses[local].writes_in_loop;
                *count = count.wrapping_add_signed(change);
            }
        });
    }

    /// Moves invariant statements out of a block of a loop, and out of the scopes in it.
    fn take(&mut self, block: &mut Block, out: &mut Block) {
        let local_only = self.read_only_here(block);
        let mut kept = Vec::with_capacity(block.len());
        for (mut stmt, local_only) in std::mem::take(block).into_iter().zip(local_only) {
            if let Stmt::Scope { body, .. } = &mut stmt {
                self.take(body, out);
            }
            let moves = local_only && self.is_invariant(&stmt);
            if moves {
                for &local in walk::writes(&stmt) {
                    self.uses[local].writes_in_loop = 0;
                }
                out.push(stmt);
            } else {
                kept.push(stmt);
            }
        }
        *block = kept;
    }

    /// For each statement of a block, whether its destination is read only after it in the block.
    fn read_only_here(&mut self, block: &Block) -> Vec<bool> {
        let mut only = vec![false; block.len()];
        let mut seen = vec![];
        for (stmt, only) in block.iter().zip(&mut only).rev() {
            if let Stmt::Op { dst: Some(dst), .. } = stmt {
                *only = self.uses[*dst].reads_in_block == self.uses[*dst].reads;
            }
            walk::statements(std::slice::from_ref(stmt), &mut |stmt| {
                for local in walk::reads(stmt) {
                    self.uses[local].reads_in_block += 1;
                    seen.push(local);
                }
            });
        }
        for local in seen {
            self.uses[local].reads_in_block = 0;
        }
        only
    }

    fn is_invariant(&self, stmt: &Stmt) -> bool {
        let Stmt::Op { dst: Some(dst), op, args, .. } = stmt else {
            return false;
        };
        self.uses[*dst].writes == 1
            && !may_report(*op, args)
            && args.iter().all(|arg| match arg {
                Operand::Local(id) => self.uses[*id].writes_in_loop == 0,
                Operand::Const(_) => true,
            })
    }
}

/// Returns whether an operation may report an error, which must not happen if the original is not executed. Also returns
/// true for copies, since moving them has no benefit.
fn may_report(op: Op, args: &[Operand]) -> bool {
    let indexed = matches!(op, Op::ArrayGet | Op::TripleGet | Op::TripleSet | Op::MatrixGet | Op::MatrixSet);
    let variable = args[1.min(args.len())..].iter().any(|arg| matches!(arg, Operand::Local(_)));
    (indexed && variable)
        || matches!(
            op,
            Op::Copy
                | Op::ArraySet
                | Op::Texture(_)
                | Op::TextureError(_)
                | Op::TextureInfo
                | Op::Builtin(Builtin::SpaceMatrix | Builtin::Format)
        )
        || matches!(op, Op::Builtin(builtin) | Op::BuiltinDual(builtin) if builtin.in_library())
        || walk::is_effect(op)
}
