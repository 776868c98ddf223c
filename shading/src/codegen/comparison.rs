//! Comparisons and conversion to truth values.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self, InstBuilder, types};

use super::emitter::{Emitter, trusted};
use super::layout::Shape;
use crate::runtime::shims;
use crate::runtime::text::TextHeader;
use shading_compiler::hir::{Op, Operand};

impl Emitter<'_, '_> {
    /// Extends an 8-bit truth value to int.
    pub(super) fn extend(&mut self, truth: ir::Value) -> ir::Value {
        self.b.ins().uextend(types::I32, truth)
    }

    pub(super) fn not(&mut self, truth: ir::Value) -> ir::Value {
        let one = self.int(1);
        self.b.ins().bxor(truth, one)
    }

    pub(super) fn truth(&mut self, a: Operand) -> ir::Value {
        match self.shape(a) {
            Shape::Int => {
                let a = self.read(a);
                let truth = self.int_test(IntCC::NotEqual, a, 0);
                self.extend(truth)
            }
            Shape::Float => {
                let a = self.read(a);
                let zero = self.float(0.0);
                let truth = self.b.ins().fcmp(FloatCC::NotEqual, a, zero);
                self.extend(truth)
            }
            Shape::Triple => {
                let a = self.read(a);
                let zero = self.triple([0.0; 3]);
                let equal = self.b.ins().fcmp(FloatCC::Equal, a, zero);
                let equal = self.all_lanes(equal, 0b111);
                self.not(equal)
            }
            Shape::Matrix => {
                let a = self.address(a);
                let zero = self.triple([0.0; 3]);
                let rows = self.rows(a).map(|row| self.b.ins().fcmp(FloatCC::Equal, row, zero));
                let equal = self.all_rows(rows);
                self.not(equal)
            }
            Shape::Text => {
                let a = self.read(a);
                let len = offset_of!(TextHeader, len);
                let len = self.b.ins().load(types::I64, trusted(), a, len as i32);
                self.is_not_null(len)
            }
            Shape::Closure => {
                let a = self.read(a);
                self.is_not_null(a)
            }
        }
    }

    fn is_not_null(&mut self, a: ir::Value) -> ir::Value {
        let null = self.pointer(0);
        let truth = self.b.ins().icmp(IntCC::NotEqual, a, null);
        self.extend(truth)
    }

    pub(super) fn equal(&mut self, args: &[Operand]) -> ir::Value {
        match self.shape(args[0]) {
            Shape::Int => {
                let [a, b] = self.read_all(args);
                let equal = self.b.ins().icmp(IntCC::Equal, a, b);
                self.extend(equal)
            }
            Shape::Float => {
                let [a, b] = self.read_all(args);
                let equal = self.b.ins().fcmp(FloatCC::Equal, a, b);
                self.extend(equal)
            }
            Shape::Triple => {
                let [a, b] = self.read_all(args);
                let equal = self.b.ins().fcmp(FloatCC::Equal, a, b);
                self.all_lanes(equal, 0b111)
            }
            Shape::Matrix => {
                let (a, b) = (self.address(args[0]), self.address(args[1]));
                let (a, b) = (self.rows(a), self.rows(b));
                let rows = [0, 1, 2, 3].map(|i| self.b.ins().fcmp(FloatCC::Equal, a[i], b[i]));
                self.all_rows(rows)
            }
            Shape::Text => self.equal_texts(args),
            Shape::Closure => {
                let [a, b] = self.read_all(args);
                let equal = self.b.ins().icmp(IntCC::Equal, a, b);
                self.extend(equal)
            }
        }
    }

    /// Tests whether a comparison holds for all lanes in `mask`.
    fn all_lanes(&mut self, test: ir::Value, mask: i32) -> ir::Value {
        let bits = self.b.ins().vhigh_bits(types::I32, test);
        let wanted = self.int(mask);
        let bits = self.b.ins().band(bits, wanted);
        let all = self.b.ins().icmp(IntCC::Equal, bits, wanted);
        self.extend(all)
    }

    fn all_rows(&mut self, [a, b, c, d]: [ir::Value; 4]) -> ir::Value {
        let upper = self.b.ins().band(a, b);
        let lower = self.b.ins().band(c, d);
        let all = self.b.ins().band(upper, lower);
        self.all_lanes(all, 0b1111)
    }

    /// Compares strings: equal addresses are equal, others are compared by content.
    fn equal_texts(&mut self, args: &[Operand]) -> ir::Value {
        let [a, b] = self.read_all(args);
        let same = self.b.ins().icmp(IntCC::Equal, a, b);
        let (compare, done) = (self.b.create_block(), self.b.create_block());
        let result = self.b.append_block_param(done, types::I32);
        let one = self.int(1);
        self.b.ins().brif(same, done, &[one.into()], compare, &[]);
        self.b.seal_block(compare);
        self.b.switch_to_block(compare);
        let equal = self.call_value(shims::equal(), &[a, b]);
        self.b.ins().jump(done, &[equal.into()]);
        self.b.seal_block(done);
        self.b.switch_to_block(done);
        result
    }

    pub(super) fn order(&mut self, op: Op, args: &[Operand]) -> ir::Value {
        let (int, float) = match op {
            Op::Lt => (IntCC::SignedLessThan, FloatCC::LessThan),
            Op::Le => (IntCC::SignedLessThanOrEqual, FloatCC::LessThanOrEqual),
            Op::Gt => (IntCC::SignedGreaterThan, FloatCC::GreaterThan),
            _ => (IntCC::SignedGreaterThanOrEqual, FloatCC::GreaterThanOrEqual),
        };
        let shape = self.shape(args[0]);
        let [a, b] = self.read_all(args);
        let truth = if shape == Shape::Int {
            self.b.ins().icmp(int, a, b)
        } else {
            self.b.ins().fcmp(float, a, b)
        };
        self.extend(truth)
    }
}
