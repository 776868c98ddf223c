//! The emitter of packet code.

use cranelift_codegen::ir;
use cranelift_entity::SecondaryMap;
use cranelift_frontend::Variable;

use super::plan::{BlockKey, Plan};
use crate::codegen::emitter::Emitter;
use shading_compiler::hir::{LocalId, ScopeId};

/// A scope around the current statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum OpenScope {
    /// Uniform: the block after it, and whether it is left.
    Uniform { after: ir::Block, is_left: bool },
    /// Divergent: the mask of the points that have left.
    Divergent { left: Variable },
}

/// Storage of a varying variable's rows.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowStorage {
    /// In registers; a float or an int uses only the first.
    Registers([Variable; 3]),
    /// In a stack slot, consecutively.
    Memory(ir::StackSlot),
}

/// Emitter of packet code. `e` emits the uniform code.
pub(super) struct Packet<'a, 'u, 'p> {
    pub(super) e: Emitter<'a, 'u>,
    pub(super) plan: &'p Plan,
    /// RowStorage of varying variables.
    pub(super) rows: SecondaryMap<LocalId, Option<RowStorage>>,
    /// Mask of active points, in code where not all points are active.
    pub(super) mask: Variable,
    pub(super) is_masked: bool,
    /// Block of statements being emitted.
    pub(super) block: BlockKey,
    /// Number of loops around it.
    pub(super) loops: usize,
    /// Body of a divergent scope outside of loops, if the inactive points have left it.
    pub(super) left_body: Option<BlockKey>,
    pub(super) scopes: SecondaryMap<ScopeId, Option<OpenScope>>,
    /// Targets of jumps when no point is active: the end of the innermost branch, scope or loop.
    pub(super) exits: Vec<ir::Block>,
    /// Exit block that abandons the packet.
    pub(super) bail: ir::Block,
    /// Arguments and results of function calls: slots with their numbers of rows.
    pub(super) records: Vec<(ir::StackSlot, u64)>,
}
