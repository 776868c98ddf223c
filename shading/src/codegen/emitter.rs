//! The emitter of a function: variables, memory, current block.

use cranelift_codegen::ir;
use cranelift_codegen::ir::MemFlagsData;
use cranelift_entity::SecondaryMap;
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_jit::JITModule;
use rustc_hash::{FxHashMap, FxHashSet};

use super::unit_context::UnitContext;
use shading_compiler::hir::{Code, LocalId, NumberIds};
use shading_syntax::source::Span;

#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub(super) base: ir::Value,
    pub(super) offset: i32,
}

impl Address {
    pub(super) fn new(base: ir::Value, offset: i32) -> Address {
        Address { base, offset }
    }

    /// Returns the address advanced by a number of bytes.
    pub(super) fn plus(self, bytes: u64) -> Address {
        // The layout bounds frames far below 2 GiB.
        Address::new(self.base, self.offset + bytes as i32)
    }
}

/// Storage of a local.
#[derive(Clone, Copy, Debug)]
pub(super) enum LocalStorage {
    /// A Cranelift variable.
    Register(Variable),
    /// An SSA value, set at the local's only assignment. Most locals are of this kind; as variables, each would cost
    /// Cranelift a table over all blocks.
    Value(Option<ir::Value>),
    /// In a stack slot.
    Slot(ir::StackSlot),
    /// At an offset of the large frame.
    Large(i32),
}

/// Memory flags of aligned accesses that cannot trap.
pub(super) fn trusted() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// Memory flags of accesses that cannot trap, but may be unaligned.
pub(super) fn unaligned() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// Memory of a call outside of individual stack slots.
#[derive(Debug, Default)]
pub(super) struct MemoryFrame {
    /// Address of the large frame, if there is one.
    pub(super) base: Option<ir::Value>,
    /// Size of the large frame in bytes.
    pub(super) size: u64,
    /// Remaining bytes for stack slots.
    pub(super) slots: u64,
    /// Storage of arguments and results of calls.
    pub(super) call_area: Option<LocalStorage>,
}

/// Closure nodes with fixed offsets in one function. Their total size is [`UnitContext::node_bytes`].
#[derive(Debug, Default)]
pub(super) struct NodeMemory {
    /// Address of the nodes, in a function that a run calls only once.
    pub(super) base: Option<ir::Value>,
    /// Number of loops around the current operation.
    pub(super) loops: u32,
    /// Nodes created so far, which are never null.
    pub(super) known: FxHashMap<ir::Value, Address>,
}

pub(super) struct Emitter<'a, 'u> {
    pub(super) b: FunctionBuilder<'a>,
    pub(super) shared: &'a mut UnitContext<'u>,
    pub(super) module: &'a mut JITModule,
    pub(super) code: &'u Code,
    /// Indices of the constants that are numbers of the instance.
    pub(super) number_ids: &'u NumberIds,
    /// Address of the instance's numbers, if the code reads any.
    pub(super) numbers: Option<ir::Value>,
    pub(super) storage: SecondaryMap<LocalId, Option<LocalStorage>>,
    pub(super) frame: MemoryFrame,
    pub(super) nodes: NodeMemory,
    /// Parameters of all functions: the shading point, the context, and the outputs or arguments.
    pub(super) globals: ir::Value,
    pub(super) ctx: ir::Value,
    pub(super) memory: ir::Value,
    /// Exit block: stores the outputs and returns. Aborted runs jump here.
    pub(super) finish: ir::Block,
    /// Temporary triples for arguments of shims.
    pub(super) temps: Vec<ir::StackSlot>,
    /// Stack slot for the arguments of shims that compute derivatives, with its capacity.
    pub(super) records: Option<(ir::StackSlot, usize)>,
    /// Locals that are assigned once and read once.
    pub(super) temporaries: FxHashSet<LocalId>,
    /// Signatures of the shims called so far.
    pub(super) signatures: Vec<(ir::Signature, ir::SigRef)>,
    /// Source location of the current operation.
    pub(super) span: Span,
    /// Work of the operations since work was last counted.
    pub(super) work: u32,
}
