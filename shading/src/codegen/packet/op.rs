//! Packet operations: the same arithmetic as [`shading_compiler::eval`] at every point.

use std::mem::size_of;

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self, InstBuilder, types};

use super::Packet;
use crate::codegen::emitter::Address;
use crate::codegen::layout::{self, Shape};
use crate::runtime::ShaderGlobals;
use crate::runtime::shims::MatrixFunction;
use shading_compiler::eval::INT_LIMIT;
use shading_compiler::hir::{LocalId, Op, Operand};

impl Packet<'_, '_, '_> {
    /// Emits an operation with a varying result.
    pub(super) fn operation(&mut self, dst: LocalId, op: Op, args: &[Operand]) {
        let shape = Shape::of(self.e.ty(dst).base);
        match op {
            Op::Copy => self.copy(dst, args[0]),
            Op::MakeTriple | Op::MakeMatrix => {
                let rows: Vec<ir::Value> = args.iter().map(|&arg| self.row(arg, 0)).collect();
                self.assign(dst, &rows);
            }
            Op::MakeArray => {
                let rows: Vec<ir::Value> = args.iter().flat_map(|&arg| self.rows(arg)).collect();
                self.assign(dst, &rows);
            }
            Op::ArrayGet => self.array_get(dst, args),
            Op::ArraySet => self.array_set(dst, args),
            Op::MatrixSet => self.matrix_set(dst, args),
            Op::TripleSet => {
                let rows = self.triple_set(args);
                self.assign(dst, &rows);
            }
            Op::Splat => {
                let row = self.row(args[0], 0);
                self.assign(dst, &[row; 3]);
            }
            Op::Diagonal => {
                let (x, zero) = (self.row(args[0], 0), self.float_row(0.0));
                let rows: Vec<ir::Value> = (0..16).map(|i| if i % 5 == 0 { x } else { zero }).collect();
                self.assign(dst, &rows);
            }
            Op::Mul if shape == Shape::Matrix => self.matrix_call(dst, MatrixFunction::Mul, args),
            Op::Div if shape == Shape::Matrix => self.matrix_call(dst, MatrixFunction::Div, args),
            Op::Add | Op::Sub | Op::Mul | Op::Div => self.arithmetic(dst, op, args),
            Op::Neg => {
                for (i, row) in self.rows(args[0]).into_iter().enumerate() {
                    let negated = if shape == Shape::Int {
                        self.e.b.ins().ineg(row)
                    } else {
                        self.e.b.ins().fneg(row)
                    };
                    self.assign_row(dst, i as u64, negated);
                }
            }
            Op::Global(global) => {
                let rows = self.global(layout::global_offset(global), shape);
                self.assign(dst, &rows);
            }
            Op::GlobalDerivative(global, axis) => {
                let rows = match layout::derivative_offset(global, axis) {
                    Some(offset) => self.global(offset, shape),
                    None => self.zeros(dst),
                };
                self.assign(dst, &rows);
            }
            Op::Derivative(_) => {
                let rows = self.zeros(dst);
                self.assign(dst, &rows);
            }
            Op::Builtin(builtin) => self.builtin(dst, builtin, args),
            Op::BuiltinDual(builtin) => self.noise(dst, builtin, args, true),
            _ => {
                let row = self.number(op, args);
                self.assign_row(dst, 0, row);
            }
        }
    }

    /// Returns the row of an operation whose result is an int or a float.
    fn number(&mut self, op: Op, args: &[Operand]) -> ir::Value {
        match op {
            Op::IntToFloat => {
                let a = self.row(args[0], 0);
                self.e.b.ins().fcvt_from_sint(types::F32X4, a)
            }
            Op::FloatToInt => {
                let a = self.row(args[0], 0);
                let limit = self.float_row(INT_LIMIT);
                let least = self.constant_row(types::I32X4, i32::MIN.cast_unsigned());
                let fits = self.e.b.ins().fcmp(FloatCC::LessThan, a, limit);
                let int = self.e.b.ins().fcvt_to_sint_sat(types::I32X4, a);
                self.select(fits, int, least)
            }
            Op::Truth => {
                let zero = self.constant_row(self.operand_row_type(args[0]), 0);
                let rows = self.rows(args[0]);
                let equal = rows.into_iter().map(|row| self.equal_rows(row, zero)).collect();
                let equal = self.all_of(equal);
                self.truth_unless(equal)
            }
            Op::Eq => {
                let equal = self.equal(args);
                self.truth_of(equal)
            }
            Op::Ne => {
                let equal = self.equal(args);
                self.truth_unless(equal)
            }
            Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                let test = self.order(op, args);
                self.truth_of(test)
            }
            Op::Mod | Op::BitAnd | Op::BitOr | Op::BitXor | Op::Shl | Op::Shr | Op::BitNot | Op::Not => {
                self.int_op(op, args)
            }
            Op::TripleGet => self.triple_get(args),
            Op::MatrixGet => self.matrix_get(args),
            _ => unreachable!("{op:?} has no code for packets"),
        }
    }

    // ---- Numbers ----

    /// `+ - * /` of ints, floats and triples, and matrix operations that work element by element.
    fn arithmetic(&mut self, dst: LocalId, op: Op, args: &[Operand]) {
        let (a, b) = (self.rows(args[0]), self.rows(args[1]));
        for (i, (a, b)) in a.into_iter().zip(b).enumerate() {
            let row = match (self.e.shape(args[0]), op) {
                (Shape::Int, Op::Add) => self.e.b.ins().iadd(a, b),
                (Shape::Int, Op::Sub) => self.e.b.ins().isub(a, b),
                (Shape::Int, Op::Mul) => self.e.b.ins().imul(a, b),
                (Shape::Int, _) => self.by_point(&[a, b], |p, n| p.e.int_div(args, n[0], n[1])),
                (_, Op::Add) => self.e.b.ins().fadd(a, b),
                (_, Op::Sub) => self.e.b.ins().fsub(a, b),
                (_, Op::Mul) => self.e.b.ins().fmul(a, b),
                _ => {
                    let quotient = self.e.b.ins().fdiv(a, b);
                    if self.e.never_zero(args[1]) {
                        quotient
                    } else {
                        self.e.zero_unless(FloatCC::NotEqual, b, quotient)
                    }
                }
            };
            self.assign_row(dst, i as u64, row);
        }
    }

    fn int_op(&mut self, op: Op, args: &[Operand]) -> ir::Value {
        let a = self.row(args[0], 0);
        match op {
            Op::BitNot => return self.e.b.ins().bnot(a),
            Op::Not => {
                let zero = self.int_row(0);
                let equal = self.equal_rows(a, zero);
                return self.truth_of(equal);
            }
            Op::Shl | Op::Shr if !self.plan.operand_varies(args[1]) => {
                let count = self.e.read(args[1]);
                return self.shift(op, a, count);
            }
            _ => {}
        }
        let b = self.row(args[1], 0);
        match op {
            Op::BitAnd => self.e.b.ins().band(a, b),
            Op::BitOr => self.e.b.ins().bor(a, b),
            Op::BitXor => self.e.b.ins().bxor(a, b),
            Op::Shl | Op::Shr => self.by_point(&[a, b], |p, n| p.shift(op, n[0], n[1])),
            _ => self.by_point(&[a, b], |p, n| p.e.int_rem(args, n[0], n[1])),
        }
    }

    /// Cranelift uses shift counts modulo the width.
    fn shift(&mut self, op: Op, a: ir::Value, count: ir::Value) -> ir::Value {
        match op {
            Op::Shl => self.e.b.ins().ishl(a, count),
            _ => self.e.b.ins().sshr(a, count),
        }
    }

    // ---- Comparisons: all bits of a lane are set where they hold ----

    fn equal_rows(&mut self, a: ir::Value, b: ir::Value) -> ir::Value {
        if self.e.b.func.dfg.value_type(a) == types::I32X4 {
            self.e.b.ins().icmp(IntCC::Equal, a, b)
        } else {
            self.e.b.ins().fcmp(FloatCC::Equal, a, b)
        }
    }

    fn equal(&mut self, args: &[Operand]) -> ir::Value {
        let (a, b) = (self.rows(args[0]), self.rows(args[1]));
        let pairs = a.into_iter().zip(b);
        let tests = pairs.map(|(a, b)| self.equal_rows(a, b)).collect();
        self.all_of(tests)
    }

    fn all_of(&mut self, tests: Vec<ir::Value>) -> ir::Value {
        let all = tests.into_iter().reduce(|a, b| self.e.b.ins().band(a, b));
        all.expect("every value has a row")
    }

    fn truth_unless(&mut self, test: ir::Value) -> ir::Value {
        let one = self.int_row(1);
        self.e.b.ins().band_not(one, test)
    }

    fn order(&mut self, op: Op, args: &[Operand]) -> ir::Value {
        let (int, float) = match op {
            Op::Lt => (IntCC::SignedLessThan, FloatCC::LessThan),
            Op::Le => (IntCC::SignedLessThanOrEqual, FloatCC::LessThanOrEqual),
            Op::Gt => (IntCC::SignedGreaterThan, FloatCC::GreaterThan),
            _ => (IntCC::SignedGreaterThanOrEqual, FloatCC::GreaterThanOrEqual),
        };
        let (a, b) = (self.row(args[0], 0), self.row(args[1], 0));
        if self.e.shape(args[0]) == Shape::Int {
            self.e.b.ins().icmp(int, a, b)
        } else {
            self.e.b.ins().fcmp(float, a, b)
        }
    }

    // ---- The shading points ----

    fn zeros(&mut self, dst: LocalId) -> Vec<ir::Value> {
        let zero = self.float_row(0.0);
        vec![zero; self.row_count(Operand::Local(dst)) as usize]
    }

    /// Loads a field of the shading points, as rows.
    fn global(&mut self, offset: usize, shape: Shape) -> Vec<ir::Value> {
        let rows = 0..shape.numbers();
        rows.map(|row| {
            let at = [0, 1, 2, 3].map(|point| {
                let points = Address::new(self.e.globals, 0);
                points.plus((point * size_of::<ShaderGlobals>() + offset) as u64 + 4 * row)
            });
            self.load_points(types::F32X4, at)
        })
        .collect()
    }
}
