//! Built-in mathematics of varying values.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{self, InstBuilder};

use super::Packet;
use crate::codegen::layout::Shape;
use crate::runtime::shims::MatrixFunction;
use crate::runtime::shims::packet::{self as shims, NoiseResult};
use shading_compiler::builtins::Builtin;
use shading_compiler::hir::{LocalId, Operand};

impl Packet<'_, '_, '_> {
    /// Emits a built-in function with a varying result.
    pub(super) fn builtin(&mut self, dst: LocalId, builtin: Builtin, args: &[Operand]) {
        use Builtin as B;
        let rows = self.row_count(args[0]) as usize;
        if let Some(shim) = shims::unary(builtin, rows).or_else(|| shims::binary(builtin, rows)) {
            return self.call(dst, shim, args);
        }
        match builtin {
            B::Abs | B::Floor | B::Ceil | B::Trunc | B::Sqrt | B::InverseSqrt | B::Sign => {
                for (i, row) in self.rows(args[0]).into_iter().enumerate() {
                    let row = self.e.inline_unary(builtin, row);
                    self.assign_row(dst, i as u64, row);
                }
            }
            B::Fmod | B::Min | B::Max => {
                let (a, b) = (self.rows(args[0]), self.rows(args[1]));
                for (i, (a, b)) in a.into_iter().zip(b).enumerate() {
                    let row = self.e.inline_binary(builtin, a, b);
                    self.assign_row(dst, i as u64, row);
                }
            }
            B::IsNan | B::IsInf | B::IsFinite => {
                let test = self.classify(builtin, args[0]);
                let truth = self.truth_of(test);
                self.assign_row(dst, 0, truth);
            }
            B::Dot => {
                let (a, b) = (self.triple(args[0]), self.triple(args[1]));
                let dot = self.dot(a, b);
                self.assign_row(dst, 0, dot);
            }
            B::Length => {
                let a = self.triple(args[0]);
                let length = self.length(a);
                self.assign_row(dst, 0, length);
            }
            B::Normalize => {
                let a = self.triple(args[0]);
                let length = self.length(a);
                let one = self.float_row(1.0);
                let scale = self.e.b.ins().fdiv(one, length);
                for (i, row) in a.into_iter().enumerate() {
                    let unit = self.e.b.ins().fmul(row, scale);
                    let unit = self.e.zero_unless(FloatCC::NotEqual, length, unit);
                    self.assign_row(dst, i as u64, unit);
                }
            }
            B::Cross => {
                let (a, b) = (self.triple(args[0]), self.triple(args[1]));
                for (i, (j, k)) in [(1, 2), (2, 0), (0, 1)].into_iter().enumerate() {
                    let left = self.e.b.ins().fmul(a[j], b[k]);
                    let right = self.e.b.ins().fmul(a[k], b[j]);
                    let row = self.e.b.ins().fsub(left, right);
                    self.assign_row(dst, i as u64, row);
                }
            }
            B::Determinant => self.matrix_call(dst, MatrixFunction::Determinant, args),
            B::Transpose => self.matrix_call(dst, MatrixFunction::Transpose, args),
            B::TransformPoint => self.matrix_call(dst, MatrixFunction::Point, args),
            B::TransformVector => self.matrix_call(dst, MatrixFunction::Vector, args),
            B::TransformNormal => self.matrix_call(dst, MatrixFunction::Normal, args),
            B::Perlin | B::UPerlin | B::Cell | B::HashNoise => self.noise(dst, builtin, args, false),
            // The optimiser has resolved every query whose answer is true.
            B::IsConstant => {
                let no = self.int_row(0);
                self.assign_row(dst, 0, no);
            }
            _ => unreachable!("{builtin:?} has no code for packets"),
        }
    }

    fn classify(&mut self, builtin: Builtin, a: Operand) -> ir::Value {
        let a = self.row(a, 0);
        if builtin == Builtin::IsNan {
            return self.e.b.ins().fcmp(FloatCC::Unordered, a, a);
        }
        let cc = match builtin {
            Builtin::IsInf => FloatCC::Equal,
            _ => FloatCC::LessThan,
        };
        let magnitude = self.e.b.ins().fabs(a);
        let infinity = self.float_row(f32::INFINITY);
        self.e.b.ins().fcmp(cc, magnitude, infinity)
    }

    /// `(x·x' + y·y') + z·z'`.
    fn dot(&mut self, a: [ir::Value; 3], b: [ir::Value; 3]) -> ir::Value {
        let [x, y, z] = [0, 1, 2].map(|i| self.e.b.ins().fmul(a[i], b[i]));
        let sum = self.e.b.ins().fadd(x, y);
        self.e.b.ins().fadd(sum, z)
    }

    fn length(&mut self, a: [ir::Value; 3]) -> ir::Value {
        let dot = self.dot(a, a);
        self.e.b.ins().sqrt(dot)
    }

    /// Emits a noise, with or without derivatives.
    pub(super) fn noise(&mut self, dst: LocalId, builtin: Builtin, args: &[Operand], is_dual: bool) {
        let count = if is_dual { args.len() / 3 } else { args.len() };
        let numbers: u64 = args[..count].iter().map(|&arg| self.row_count(arg)).sum();
        let is_triple = Shape::of(self.e.ty(dst).base) == Shape::Triple;
        let shim = shims::noise(builtin, numbers as usize, NoiseResult { is_triple, is_dual });
        self.call(dst, shim.expect("a noise"), args);
    }

    /// Calls a function with a record of all operands.
    fn call(&mut self, dst: LocalId, shim: crate::runtime::shims::Shim, args: &[Operand]) {
        let rows: Vec<ir::Value> = args.iter().flat_map(|&arg| self.rows(arg)).collect();
        let record = self.record(0, &rows);
        self.result_of(dst, 1, |p, out| {
            p.e.call(shim, &[out, record.base]);
        });
    }

    /// Calls a function of matrices, or of a matrix and a triple.
    pub(super) fn matrix_call(&mut self, dst: LocalId, function: MatrixFunction, args: &[Operand]) {
        let mut operands = vec![];
        for (i, &arg) in args.iter().enumerate() {
            let at = self.in_memory(i, arg);
            operands.push(self.e.address_of(at));
        }
        self.result_of(dst, 2, |p, out| {
            operands.insert(0, out);
            p.e.call(shims::matrix_function(function), &operands);
        });
    }
}
