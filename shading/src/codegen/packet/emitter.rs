//! The emitter of packet code.

use cranelift_codegen::ir;
use cranelift_entity::SecondaryMap;
use cranelift_frontend::Variable;

use super::plan::{BlockKey, Plan};
use crate::codegen::emitter::Emitter;
use shading_compiler::hir::{LocalId, ScopeId};

/// A scope around a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum OpenScope {
    /// All points leave it alike: what comes after it, and whether it is left.
    Together { after: ir::Block, is_left: bool },
    /// Some points may leave it while others go on: the mask of those that have left.
    Apart { left: Variable },
}

/// Where the rows of a variable live.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rows {
    /// In registers; a float or an int has the first alone.
    Registers([Variable; 3]),
    /// In a stack slot, one after the other.
    Memory(ir::StackSlot),
}

/// Emits the code for packets. `e` emits what is the same at all points.
pub(super) struct Packet<'a, 'u, 'p> {
    pub(super) e: Emitter<'a, 'u>,
    pub(super) plan: &'p Plan,
    /// Of variables that vary.
    pub(super) rows: SecondaryMap<LocalId, Option<Rows>>,
    /// Which points are here, where that is not all of them.
    pub(super) mask: Variable,
    pub(super) is_masked: bool,
    /// The block of statements that is being emitted.
    pub(super) block: BlockKey,
    /// Loops around it.
    pub(super) loops: usize,
    /// The body of a divergent scope that is in no loop, if points that are not here have left it.
    pub(super) left_body: Option<BlockKey>,
    pub(super) scopes: SecondaryMap<ScopeId, Option<OpenScope>>,
    /// Where control goes when no point is left: the end of the innermost branch, scope or loop.
    pub(super) exits: Vec<ir::Block>,
    /// Gives up.
    pub(super) bail: ir::Block,
    /// Arguments and results of functions: slots and the rows that they have.
    pub(super) records: Vec<(ir::StackSlot, u64)>,
}
