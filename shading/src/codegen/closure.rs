//! Closure construction: nodes in the arena.
//!
//! Nodes that a run creates at most once (in the unit itself, outside of loops) have fixed offsets: the run allocates
//! all of them at its start. Nodes in loops and functions are allocated when they are created, and are null if memory
//! is exhausted.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};

use super::emitter::{Address, Emitter, unaligned};
use super::layout::length;
use super::layout::{ARENA_CURSOR, ARENA_END, POINTER, Shape};
use crate::runtime::arena::Arena;
use crate::runtime::closure::{HEADER_BYTES, TAG_ADD, TAG_MUL};
use crate::runtime::shims;
use shading_compiler::hir::{Block, ClosureId, Const, Op, Operand, Stmt};

/// Number of preceding statements searched for the component that a product scales.
const MAX_SEARCHED_STATEMENTS: usize = 64;
/// Maximum total size in bytes of nodes with fixed offsets. Any other node adds several blocks to the code.
const MAX_FIXED_NODE_BYTES: usize = 1 << 20;
const _: () = assert!(MAX_FIXED_NODE_BYTES + 16 <= Arena::MAX_RESERVED);

impl Emitter<'_, '_> {
    /// Creates a component of weight 1 with the operands as parameters.
    pub(super) fn make_closure(&mut self, id: ClosureId, args: &[Operand]) -> ir::Value {
        self.shared.closures.insert(id);
        let (offsets, size) = self.shared.registry[id].layout();
        let mut done = None;
        let node = self.node(HEADER_BYTES + size, &mut done);
        let header = self.header(id.0, [1.0; 3]);
        self.store(header, node);
        // A triple is stored with all four lanes. The fourth overwrites the next parameter, which is stored later, or
        // the space after the node, which is not yet in use: the arena and the nodes with fixed offsets have padding at
        // their end.
        for (arg, offset) in args.iter().zip(offsets) {
            let offset = (HEADER_BYTES + offset) as u64;
            let shape = self.shape(*arg);
            if self.is_in_memory(*arg) {
                let from = self.address(*arg);
                // Triples are packed more tightly than in variables.
                let (ty, step) = match shape {
                    Shape::Matrix => (types::F32X4, 16),
                    Shape::Triple => (types::F32X4, 12),
                    Shape::Int | Shape::Float => (types::I32, 4),
                    Shape::Text | Shape::Closure => (POINTER, 8),
                };
                let rows = if shape == Shape::Matrix { 4 } else { 1 };
                let stride = shape.stride() / rows;
                for i in 0..rows * u64::from(length(self.code, *arg)) {
                    let value = self.load(ty, from.plus(i * stride));
                    let at = offset + step * i;
                    self.store_parameter(value, node.plus(at));
                }
            } else {
                let value = self.read(*arg);
                self.store_parameter(value, node.plus(offset));
            }
        }
        self.finish_node(node, done)
    }

    /// Creates a sum; returns one operand if the other is null.
    pub(super) fn closure_add(&mut self, args: &[Operand]) -> ir::Value {
        let [a, b] = self.read_all(args);
        if self.constant(args[0]) == Some(&Const::NullClosure) {
            return b;
        }
        if self.constant(args[1]) == Some(&Const::NullClosure) {
            return a;
        }
        let mut done = None;
        self.unless_null(a, &mut done, b);
        self.unless_null(b, &mut done, a);
        let node = self.node(2 * HEADER_BYTES, &mut done);
        let header = self.header(TAG_ADD, [1.0; 3]);
        self.store(header, node);
        let children = node.plus(HEADER_BYTES as u64);
        self.store(a, children);
        self.store(b, children.plus(8));
        self.finish_node(node, done)
    }

    /// Creates a product; null if the closure is. If it scales a component that has no other use, the weight is folded
    /// into the component.
    pub(super) fn closure_mul(&mut self, args: &[Operand], block: &Block, at: usize) -> ir::Value {
        let mut weight = self.read(args[1]);
        if self.shape(args[1]) == Shape::Float {
            weight = self.b.ins().splat(types::F32X4, weight);
        }
        let closure = self.read(args[0]);
        let mut done = None;
        self.unless_null(closure, &mut done, closure);
        if let Some(id) = self.fresh_component(args[0], &block[..at]) {
            let base = closure;
            let node = self.nodes.known.get(&closure).copied();
            self.store_weight(id.0, weight, node.unwrap_or(Address::new(base, 0)));
            return self.finish(closure, done);
        }
        let node = self.node(2 * HEADER_BYTES, &mut done);
        self.store_weight(TAG_MUL, weight, node);
        self.store(closure, node.plus(HEADER_BYTES as u64));
        self.finish_node(node, done)
    }

    fn store_parameter(&mut self, value: ir::Value, at: Address) {
        self.b.ins().store(unaligned(), value, at.base, at.offset);
    }

    /// Returns the join block that receives a closure from several predecessors.
    fn done(&mut self, done: &mut Option<ir::Block>) -> ir::Block {
        *done.get_or_insert_with(|| {
            let done = self.b.create_block();
            self.b.append_block_param(done, POINTER);
            done
        })
    }

    /// Branches to `done` with `result` if `closure` is null, and continues here otherwise.
    fn unless_null(&mut self, closure: ir::Value, done: &mut Option<ir::Block>, result: ir::Value) {
        if self.nodes.known.contains_key(&closure) {
            return;
        }
        let done = self.done(done);
        let go = self.b.create_block();
        self.b.ins().brif(closure, go, &[], done, &[result.into()]);
        self.b.seal_block(go);
        self.b.switch_to_block(go);
    }

    /// Returns the component that an operand holds, if this is its only use and one of the preceding statements created it.
    fn fresh_component(&self, closure: Operand, before: &[Stmt]) -> Option<ClosureId> {
        let Operand::Local(local) = closure else {
            return None;
        };
        if !self.temporaries.contains(&local) {
            return None;
        }
        before.iter().rev().take(MAX_SEARCHED_STATEMENTS).find_map(|stmt| match stmt {
            Stmt::Op { dst: Some(dst), op: Op::MakeClosure(id), .. } if *dst == local => Some(*id),
            _ => None,
        })
    }

    /// Stores a header with a single 16-byte store, so that a load of the whole header can be forwarded from it.
    fn store_weight(&mut self, tag: u32, weight: ir::Value, node: Address) {
        let tag = self.float(f32::from_bits(tag));
        let header = self.shuffle(weight, [0, 0, 1, 2]);
        let header = self.b.ins().insertlane(header, tag, 0u8);
        self.store(header, node);
    }

    /// Returns a header of constant weight as 16 bytes.
    fn header(&mut self, tag: u32, [r, g, b]: [f32; 3]) -> ir::Value {
        let bytes: Vec<u8> = [tag, r.to_bits(), g.to_bits(), b.to_bits()]
            .into_iter()
            .flat_map(u32::to_le_bytes)
            .collect();
        let constant = self.b.func.dfg.constants.insert(bytes.into());
        self.b.ins().vconst(types::I32X4, constant)
    }

    /// Allocates a node; its size must be a multiple of 16 bytes. If the allocation may fail, continues in a block
    /// where it succeeded, and branches to `done` with null otherwise.
    fn node(&mut self, size: usize, done: &mut Option<ir::Block>) -> Address {
        debug_assert!(size.is_multiple_of(16));
        match self.nodes.base {
            Some(base) if self.nodes.loops == 0 && self.shared.node_bytes + size <= MAX_FIXED_NODE_BYTES => {
                let offset = self.shared.node_bytes as i32;
                self.shared.node_bytes += size;
                Address::new(base, offset)
            }
            _ => {
                let done = self.done(done);
                self.take_node(size, done)
            }
        }
    }

    /// Allocates a node from the arena and continues in a block where this succeeded; branches to `done` with null
    /// otherwise.
    fn take_node(&mut self, size: usize, done: ir::Block) -> Address {
        let [fast, slow, fill] = [(); 3].map(|()| self.b.create_block());
        self.b.set_cold_block(slow);
        let base = self.b.append_block_param(fill, POINTER);

        let cursor = self.load(POINTER, self.ctx_field(ARENA_CURSOR));
        let bytes = self.pointer(size);
        let next = self.b.ins().iadd(cursor, bytes);
        let end = self.load(POINTER, self.ctx_field(ARENA_END));
        let fits = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, next, end);
        self.b.ins().brif(fits, fast, &[], slow, &[]);
        self.b.seal_block(fast);
        self.b.seal_block(slow);

        self.b.switch_to_block(fast);
        self.store(next, self.ctx_field(ARENA_CURSOR));
        self.b.ins().jump(fill, &[cursor.into()]);

        self.b.switch_to_block(slow);
        let (place, bytes) = (self.place(), self.int(size as i32));
        let memory = self.call_value(shims::grow_arena(), &[self.ctx, place, bytes]);
        let null = self.pointer(0);
        self.b.ins().brif(memory, fill, &[memory.into()], done, &[null.into()]);
        self.b.seal_block(fill);
        self.b.switch_to_block(fill);
        Address::new(base, 0)
    }

    /// Returns the closure of a node, or the value passed to `done` instead.
    fn finish_node(&mut self, node: Address, done: Option<ir::Block>) -> ir::Value {
        let closure = self.address_of(node);
        if done.is_none() {
            self.nodes.known.insert(closure, node);
        }
        self.finish(closure, done)
    }

    fn finish(&mut self, closure: ir::Value, done: Option<ir::Block>) -> ir::Value {
        let Some(done) = done else {
            return closure;
        };
        self.b.ins().jump(done, &[closure.into()]);
        self.b.seal_block(done);
        self.b.switch_to_block(done);
        self.b.block_params(done)[0]
    }
}
