//! The emitter of a function: variables, memory, current block.

use cranelift_codegen::ir;
use cranelift_codegen::ir::MemFlagsData;
use cranelift_entity::SecondaryMap;
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_jit::JITModule;
use rustc_hash::{FxHashMap, FxHashSet};

use super::shared::Shared;
use shading_compiler::hir::{Code, LocalId};
use shading_syntax::source::Span;

/// An address in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub(super) base: ir::Value,
    pub(super) offset: i32,
}

impl Address {
    /// So many bytes further.
    pub(super) fn plus(self, bytes: u64) -> Address {
        // Frames are bounded far below 2 GiB when they are laid out.
        Address {
            base: self.base,
            offset: self.offset + bytes as i32,
        }
    }
}

/// Where a local lives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Home {
    /// In registers, as Cranelift sees fit.
    Register(Variable),
    /// It is a value, once that is assigned. Most locals are; as variables they would cost Cranelift a table each of all
    /// blocks.
    Value(Option<ir::Value>),
    /// In a stack slot.
    Slot(ir::StackSlot),
    /// In the large frame, at an offset.
    Large(i32),
}

/// Memory that is aligned and there.
pub(super) fn trusted() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// Memory that is there, but need not be aligned.
pub(super) fn unaligned() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// The memory of one call, beside its stack slots.
#[derive(Debug, Default)]
pub(super) struct MemoryFrame {
    /// The large frame, if there is one.
    pub(super) base: Option<ir::Value>,
    /// Bytes of the large frame.
    pub(super) size: u64,
    /// Bytes that stack slots may still take.
    pub(super) slots: u64,
    /// Where arguments and results of calls go.
    pub(super) call_area: Option<Home>,
}

/// The nodes of closures of one function that have fixed places. How many bytes they take is in [`Shared::node_bytes`].
#[derive(Debug, Default)]
pub(super) struct NodeMemory {
    /// Where they begin, in a function that a run calls once.
    pub(super) base: Option<ir::Value>,
    /// Open loops around the present operation.
    pub(super) loops: u32,
    /// Those that have been made, which are never null.
    pub(super) known: FxHashMap<ir::Value, Address>,
}

/// Emits the code of one function.
pub(super) struct Emitter<'a, 'u> {
    pub(super) b: FunctionBuilder<'a>,
    pub(super) shared: &'a mut Shared<'u>,
    pub(super) module: &'a mut JITModule,
    pub(super) code: &'u Code,
    pub(super) homes: SecondaryMap<LocalId, Option<Home>>,
    pub(super) frame: MemoryFrame,
    pub(super) nodes: NodeMemory,
    /// Arguments of all functions: the shading point, the context, and the outputs or arguments.
    pub(super) globals: ir::Value,
    pub(super) ctx: ir::Value,
    pub(super) memory: ir::Value,
    /// Stores the outputs and returns; where a run that must end goes.
    pub(super) finish: ir::Block,
    /// Temporary triples for arguments of shims.
    pub(super) temps: Vec<ir::StackSlot>,
    /// Arguments of shims that compute derivatives, and room for how many.
    pub(super) records: Option<(ir::StackSlot, usize)>,
    /// Locals that are assigned once and read once.
    pub(super) temporaries: FxHashSet<LocalId>,
    /// Signatures of shims that were called.
    pub(super) signatures: Vec<(ir::Signature, ir::SigRef)>,
    /// Where the present operation stands.
    pub(super) span: Span,
}
