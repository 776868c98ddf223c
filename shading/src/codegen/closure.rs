//! Closure construction: nodes allocated inline from the arena.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};

use super::emitter::{Emitter, trusted, unaligned};
use super::layout::length;
use super::layout::{ARENA_CURSOR, ARENA_END, POINTER, Shape};
use crate::hir::{Block, ClosureId, Const, Op, Operand, Stmt};
use crate::runtime::closure::{HEADER_BYTES, TAG_ADD, TAG_MUL};
use crate::runtime::shims;

/// How far to look back for the component that a product scales.
const LOOK_BACK: usize = 64;

impl Emitter<'_, '_> {
    /// A component of weight 1 with the operands as parameters.
    pub(super) fn make_closure(&mut self, id: ClosureId, args: &[Operand]) -> ir::Value {
        self.shared.closures.insert(id);
        let (offsets, size) = self.shared.registry.get(id).layout();
        // Operands are read first: the constants among them are the same on all ways through the blocks below.
        let done = self.done();
        let node = self.node(HEADER_BYTES + size, done);
        let header = self.header(id.0, [1.0; 3]);
        self.b.ins().store(trusted(), header, node.at, 0);
        // A triple is stored with all four lanes. That spills over the following parameter, which is stored later, or
        // over the end of the node, where nothing is yet: the arena keeps room for it.
        for (arg, offset) in args.iter().zip(offsets) {
            let offset = (HEADER_BYTES + offset) as i32;
            let shape = self.shape(*arg);
            if self.is_in_memory(*arg) {
                let from = self.address(*arg);
                // Triples lie closer together than in variables.
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
                    let at = offset + step * i as i32;
                    self.b.ins().store(unaligned(), value, node.at, at);
                }
            } else {
                let value = self.read(*arg);
                self.b.ins().store(unaligned(), value, node.at, offset);
            }
        }
        self.finish_node(node)
    }

    /// A sum; one operand alone when the other is null.
    pub(super) fn closure_add(&mut self, args: &[Operand]) -> ir::Value {
        let [a, b] = self.read_all(args);
        if self.constant(args[0]) == Some(&Const::NullClosure) {
            return b;
        }
        if self.constant(args[1]) == Some(&Const::NullClosure) {
            return a;
        }
        let done = self.done();
        self.unless_null(a, done, b);
        self.unless_null(b, done, a);
        let node = self.node(2 * HEADER_BYTES, done);
        let header = self.header(TAG_ADD, [1.0; 3]);
        self.b.ins().store(trusted(), header, node.at, 0);
        let children = HEADER_BYTES as i32;
        self.b.ins().store(trusted(), a, node.at, children);
        self.b.ins().store(trusted(), b, node.at, children + 8);
        self.finish_node(node)
    }

    /// A product, null when the closure is. When it scales a component that was made for it alone, the weight goes into
    /// that.
    pub(super) fn closure_mul(&mut self, args: &[Operand], block: &Block, at: usize) -> ir::Value {
        let mut weight = self.read(args[1]);
        if self.shape(args[1]) == Shape::Float {
            weight = self.b.ins().splat(types::F32X4, weight);
        }
        let closure = self.read(args[0]);
        let done = self.done();
        self.unless_null(closure, done, closure);
        if let Some(id) = self.fresh_component(args[0], &block[..at]) {
            self.store_weight(id.0, weight, closure);
            let at = closure;
            return self.finish_node(Node { at, done });
        }
        let node = self.node(2 * HEADER_BYTES, done);
        self.store_weight(TAG_MUL, weight, node.at);
        self.b
            .ins()
            .store(trusted(), closure, node.at, HEADER_BYTES as i32);
        self.finish_node(node)
    }

    /// A block that goes on with a closure.
    fn done(&mut self) -> ir::Block {
        let done = self.b.create_block();
        self.b.append_block_param(done, POINTER);
        done
    }

    /// Goes on here unless `closure` is null: then in `done` with `result`.
    fn unless_null(&mut self, closure: ir::Value, done: ir::Block, result: ir::Value) {
        let go = self.b.create_block();
        self.b.ins().brif(closure, go, &[], done, &[result.into()]);
        self.b.seal_block(go);
        self.b.switch_to_block(go);
    }

    /// The component that an operand is, if it is used here only and was made in the statements before.
    fn fresh_component(&self, closure: Operand, before: &[Stmt]) -> Option<ClosureId> {
        let Operand::Local(local) = closure else {
            return None;
        };
        if !self.temporaries.contains(&local) {
            return None;
        }
        before.iter().rev().take(LOOK_BACK).find_map(|stmt| match stmt {
            Stmt::Op {
                dst: Some(dst),
                op: Op::MakeClosure(id),
                ..
            } if *dst == local => Some(*id),
            _ => None,
        })
    }

    /// Stores a header. All 16 bytes at once, since whoever reads it soon may read it so.
    fn store_weight(&mut self, tag: u32, weight: ir::Value, node: ir::Value) {
        let tag = self.float(f32::from_bits(tag));
        let header = self.shuffle(weight, [0, 0, 1, 2]);
        let header = self.b.ins().insertlane(header, tag, 0u8);
        self.b.ins().store(trusted(), header, node, 0);
    }

    /// A header of constant weight, as 16 bytes.
    fn header(&mut self, tag: u32, [r, g, b]: [f32; 3]) -> ir::Value {
        let bytes: Vec<u8> = [tag, r.to_bits(), g.to_bits(), b.to_bits()]
            .into_iter()
            .flat_map(u32::to_le_bytes)
            .collect();
        let constant = self.b.func.dfg.constants.insert(bytes.into());
        self.b.ins().vconst(types::I32X4, constant)
    }

    /// Takes memory for a node, a multiple of 16 bytes, and goes on in a block where there is some; else in `done` with
    /// null.
    fn node(&mut self, size: usize, done: ir::Block) -> Node {
        debug_assert!(size.is_multiple_of(16));
        let [fast, slow, fill] = [(); 3].map(|()| self.b.create_block());
        self.b.set_cold_block(slow);
        let at = self.b.append_block_param(fill, POINTER);

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
        self.b
            .ins()
            .brif(memory, fill, &[memory.into()], done, &[null.into()]);
        self.b.seal_block(fill);
        self.b.switch_to_block(fill);
        Node { at, done }
    }

    /// Goes on in the node's `done`; gives what came there: the node, or what was found instead.
    fn finish_node(&mut self, node: Node) -> ir::Value {
        self.b.ins().jump(node.done, &[node.at.into()]);
        self.b.seal_block(node.done);
        self.b.switch_to_block(node.done);
        self.b.block_params(node.done)[0]
    }
}

/// A node that is being filled.
#[derive(Clone, Copy, Debug)]
struct Node {
    at: ir::Value,
    done: ir::Block,
}
