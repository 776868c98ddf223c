//! Matrices, arrays and indexing.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};

use super::emitter::{Address, Emitter};
use super::layout::{self, POINTER, Shape};
use super::layout::{const_size, length, local_size};
use crate::runtime::shims::{self, MatrixFunction};
use shading_compiler::builtins::Builtin;
use shading_compiler::hir::{Const, LocalId, Op, Operand};
use shading_compiler::ty::{Base, Type};

impl Emitter<'_, '_> {
    /// Emits an operation whose result is in memory. Results are stored after all operands are read, so the destination
    /// may be one of them.
    pub(super) fn memory_op(&mut self, dst: LocalId, op: Op, args: &[Operand]) {
        match op {
            Op::Copy => self.copy_operand(dst, args[0]),
            Op::Diagonal => self.diagonal(dst, args[0]),
            Op::Add | Op::Sub | Op::Neg => self.matrix_by_rows(dst, op, args),
            Op::Mul => self.matrix_call(dst, MatrixFunction::Mul, args),
            Op::Div => self.matrix_call(dst, MatrixFunction::Div, args),
            Op::MakeMatrix | Op::MakeArray => self.make_elements(dst, args),
            Op::MatrixSet => {
                if args[0] != Operand::Local(dst) {
                    self.copy_operand(dst, args[0]);
                }
                let value = self.read(args[3]);
                let at = self.matrix_element(&[Operand::Local(dst), args[1], args[2]]);
                self.store(value, at);
            }
            Op::ArrayGet => {
                let from = self.array_element(args[0], args[1]);
                let to = self.local_address(dst);
                self.copy(to, from, local_size(self.code, dst));
            }
            Op::ArraySet => {
                if args[0] != Operand::Local(dst) {
                    self.copy_operand(dst, args[0]);
                }
                let at = self.array_element(Operand::Local(dst), args[1]);
                self.store_element(args[2], at);
            }
            Op::Builtin(Builtin::Transpose) => self.matrix_call(dst, MatrixFunction::Transpose, args),
            Op::Builtin(Builtin::SpaceMatrix) => self.space_matrix(dst, args),
            Op::BuiltinDual(builtin) if builtin.in_library() => {
                let out = self.local_pointer(dst);
                self.library_dual(dst, builtin, args, out);
            }
            Op::BuiltinDual(builtin) => self.noise_dual(dst, builtin, args),
            Op::Builtin(Builtin::DictValue) => {
                let out = self.local_pointer(dst);
                self.dict_value_into(args, out);
            }
            Op::Builtin(Builtin::AnyAttribute) => {
                let out = self.local_pointer(dst);
                self.any_attribute_into(args, out);
            }
            Op::Builtin(builtin) if builtin.is_cloud_array() => self.cloud_array(dst, builtin, args),
            Op::Builtin(Builtin::MessageValue) => {
                let out = self.local_pointer(dst);
                self.message_into(dst, args, out);
            }
            Op::Builtin(builtin) if builtin.in_library() => {
                let out = self.local_pointer(dst);
                self.library_call(dst, builtin, args, out);
            }
            Op::AttributeValue => self.attribute_in_memory(dst, args),
            Op::Texture(options) => self.texture(dst, options, args),
            Op::TextureInfo => self.texture_info_in_memory(dst, args),
            _ => unreachable!("the result of {op:?} is not in memory"),
        }
    }

    fn copy_operand(&mut self, dst: LocalId, from: Operand) {
        if from == Operand::Local(dst) {
            return;
        }
        let mut bytes = local_size(self.code, dst);
        if let Some(constant) = self.constant(from) {
            bytes = bytes.min(const_size(constant));
        }
        let (to, from) = (self.local_address(dst), self.address(from));
        self.copy(to, from, bytes);
    }

    // ---- Matrices ----

    /// Loads the rows of a matrix.
    pub(super) fn rows(&mut self, at: Address) -> [ir::Value; 4] {
        [0, 16, 32, 48].map(|offset| self.load(types::F32X4, at.plus(offset)))
    }

    fn store_rows(&mut self, dst: LocalId, rows: [ir::Value; 4]) {
        let to = self.local_address(dst);
        for (row, offset) in rows.into_iter().zip([0, 16, 32, 48]) {
            self.store(row, to.plus(offset));
        }
    }

    fn matrix_by_rows(&mut self, dst: LocalId, op: Op, args: &[Operand]) {
        let a = self.address(args[0]);
        let a = self.rows(a);
        let rows = if op == Op::Neg {
            a.map(|row| self.b.ins().fneg(row))
        } else {
            let b = self.address(args[1]);
            let b = self.rows(b);
            [0, 1, 2, 3].map(|i| match op {
                Op::Add => self.b.ins().fadd(a[i], b[i]),
                _ => self.b.ins().fsub(a[i], b[i]),
            })
        };
        self.store_rows(dst, rows);
    }

    fn diagonal(&mut self, dst: LocalId, x: Operand) {
        let x = self.read(x);
        let zero = self.triple([0.0; 3]);
        let rows = [0u8, 1, 2, 3].map(|i| self.b.ins().insertlane(zero, x, i));
        self.store_rows(dst, rows);
    }

    /// Calls a function `(out, matrix…)`.
    fn matrix_call(&mut self, dst: LocalId, function: MatrixFunction, args: &[Operand]) {
        let mut values = vec![self.local_pointer(dst)];
        for arg in args {
            let at = self.address(*arg);
            values.push(self.address_of(at));
        }
        self.call(shims::matrix_function(function), &values);
    }

    pub(super) fn local_pointer(&mut self, local: LocalId) -> ir::Value {
        let address = self.local_address(local);
        self.address_of(address)
    }

    /// Returns the address of element `(args[1], args[2])` of a matrix.
    pub(super) fn matrix_element(&mut self, args: &[Operand]) -> Address {
        let (row, column) = (self.clamp(args[1], 4), self.clamp(args[2], 4));
        let matrix = self.address(args[0]);
        let row = self.element(matrix, row, 16);
        self.element(row, column, 4)
    }

    // ---- Arrays ----

    /// Stores the elements of an array or a matrix in order.
    fn make_elements(&mut self, dst: LocalId, args: &[Operand]) {
        // The elements have one kind, and none of them is the array itself.
        let stride = args.first().map_or(0, |&a| self.shape(a).stride());
        let to = self.local_address(dst);
        for (i, arg) in args.iter().enumerate() {
            self.store_element(*arg, to.plus(i as u64 * stride));
        }
    }

    fn store_element(&mut self, value: Operand, at: Address) {
        if self.shape(value) == Shape::Matrix {
            let from = self.address(value);
            self.copy(at, from, Shape::Matrix.stride());
        } else {
            let value = self.read(value);
            self.store(value, at);
        }
    }

    pub(super) fn array_element(&mut self, array: Operand, index: Operand) -> Address {
        let length = length(self.code, array);
        let stride = self.shape(array).stride();
        let index = self.clamp(index, length);
        let base = self.address(array);
        self.element(base, index, stride)
    }

    /// Returns the address of an element at a valid index.
    pub(super) fn element(&mut self, base: Address, index: Index, stride: u64) -> Address {
        match index {
            Index::Known(i) => base.plus(u64::from(i) * stride),
            Index::Value(i) => {
                let i = self.b.ins().uextend(POINTER, i);
                let shift = self.int(stride.trailing_zeros() as i32);
                let bytes = self.b.ins().ishl(i, shift);
                Address::new(self.b.ins().iadd(base.base, bytes), base.offset)
            }
        }
    }

    /// Clamps an index to `0..length`, and reports it if it is out of range.
    pub(super) fn clamp(&mut self, index: Operand, length: u32) -> Index {
        if let Some(Const::Int(i)) = self.constant(index)
            && (0..i64::from(length)).contains(&i64::from(*i))
        {
            return Index::Known(*i as u32);
        }
        let index = self.read(index);
        let count = self.int(length as i32);
        let inside = self.b.ins().icmp(IntCC::UnsignedLessThan, index, count);
        let (outside, done) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(outside);
        let clamped = self.b.append_block_param(done, types::I32);
        self.b.ins().brif(inside, done, &[index.into()], outside, &[]);
        self.b.seal_block(outside);
        self.b.switch_to_block(outside);
        let place = self.place();
        let nearest = self.call_value(shims::index_out_of_range(), &[self.ctx, place, index, count]);
        self.b.ins().jump(done, &[nearest.into()]);
        self.b.seal_block(done);
        self.b.switch_to_block(done);
        Index::Value(clamped)
    }

    // ---- Blocks of memory ----

    /// Copies `bytes`, a multiple of 16, between addresses that do not overlap or are equal.
    pub(super) fn copy(&mut self, to: Address, from: Address, bytes: u64) {
        self.blocks_of_16(bytes, |e, at| {
            let (from, to) = (at(e, from), at(e, to));
            let value = e.load(types::I64X2, from);
            e.store(value, to);
        });
    }

    /// Fills an array or matrix with zeros (empty texts, null closures).
    pub(super) fn clear(&mut self, to: Address, shape: Shape, bytes: u64) {
        let zero = if shape == Shape::Text {
            let empty = self.zero(Shape::Text);
            self.b.ins().splat(types::I64X2, empty)
        } else {
            let constant = self.b.func.dfg.constants.insert(vec![0; 16].into());
            self.b.ins().vconst(types::I64X2, constant)
        };
        self.blocks_of_16(bytes, |e, at| {
            let to = at(e, to);
            e.store(zero, to);
        });
    }

    /// Emits code for each 16 bytes of `bytes`: unrolled if there are few, else in a loop.
    fn blocks_of_16(&mut self, bytes: u64, each: impl Fn(&mut Self, &dyn Fn(&mut Self, Address) -> Address)) {
        const MAX_UNROLLED_BYTES: u64 = 256;
        if bytes <= MAX_UNROLLED_BYTES {
            for offset in (0..bytes).step_by(16) {
                each(self, &|_, a| a.plus(offset));
            }
            return;
        }
        let (loop_block, done) = (self.b.create_block(), self.b.create_block());
        let offset = self.b.append_block_param(loop_block, POINTER);
        let start = self.pointer(0);
        self.b.ins().jump(loop_block, &[start.into()]);
        self.b.switch_to_block(loop_block);
        each(self, &|e, a| Address::new(e.b.ins().iadd(a.base, offset), a.offset));
        let step = self.pointer(16);
        let next = self.b.ins().iadd(offset, step);
        let end = self.pointer(bytes as usize);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, next, end);
        self.b.ins().brif(more, loop_block, &[next.into()], done, &[]);
        self.b.seal_block(loop_block);
        self.b.seal_block(done);
        self.b.switch_to_block(done);
    }

    // ---- The host ----

    fn space_matrix(&mut self, dst: LocalId, args: &[Operand]) {
        self.shared.queries_host = true;
        let [from, to] = self.read_all(args);
        let (place, out) = (self.place(), self.local_pointer(dst));
        self.call(self.shared.host.matrix, &[self.ctx, place, from, to, out]);
    }

    /// An attribute has at most four floats; larger values receive none.
    fn attribute_in_memory(&mut self, dst: LocalId, args: &[Operand]) {
        if self.ty(dst) == Type::array(Base::Float, 4) {
            let (to, (_, lanes)) = (self.local_address(dst), self.attribute(args));
            self.copy(to, lanes, 16);
            return;
        }
        let shape = Shape::of(self.ty(dst).base);
        let address = self.local_address(dst);
        self.clear(address, shape, layout::size(self.ty(dst)));
    }
}

/// A valid index.
#[derive(Clone, Copy, Debug)]
pub(super) enum Index {
    Known(u32),
    Value(ir::Value),
}
