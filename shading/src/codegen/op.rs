//! Code of operations: the same arithmetic, in the same order, as [`shading_compiler::eval`].

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self, InstBuilder, types};

use super::emitter::{Address, Emitter, trusted};
use super::layout::{self, Shape};
use shading_compiler::builtins::Global;
use shading_compiler::eval::INT_LIMIT;
use shading_compiler::hir::{Axis, Block, Const, LocalId, Op, Operand};

impl Emitter<'_, '_> {
    /// Emits the operation at `block[at]`.
    pub(super) fn op(&mut self, dst: Option<LocalId>, op: Op, args: &[Operand], block: &Block, at: usize) {
        let Some(dst) = dst else {
            if let Op::Builtin(builtin) = op {
                self.effect(builtin, args);
            }
            return;
        };
        if layout::register(self.ty(dst)).is_none() {
            self.memory_op(dst, op, args);
        } else {
            let value = self.register_op(dst, op, args, block, at);
            self.write(dst, value);
        }
    }

    /// Same semantics as `eval::float_to_int`.
    pub(super) fn float_to_int(&mut self, a: ir::Value) -> ir::Value {
        let limit = self.float(INT_LIMIT);
        let least = self.int(i32::MIN);
        let fits = self.b.ins().fcmp(FloatCC::LessThan, a, limit);
        let int = self.b.ins().fcvt_to_sint_sat(types::I32, a);
        self.b.ins().select(fits, int, least)
    }

    /// Emits an operation whose result is in a register.
    fn register_op(&mut self, dst: LocalId, op: Op, args: &[Operand], block: &Block, at: usize) -> ir::Value {
        match op {
            Op::Copy => self.read(args[0]),
            Op::IntToFloat => {
                let a = self.read(args[0]);
                self.b.ins().fcvt_from_sint(types::F32, a)
            }
            Op::FloatToInt => {
                let a = self.read(args[0]);
                self.float_to_int(a)
            }
            Op::Splat => {
                let a = self.read(args[0]);
                self.b.ins().splat(types::F32X4, a)
            }
            Op::MakeTriple => {
                let lanes = self.read_all(args);
                self.make_triple(lanes)
            }
            Op::Truth => self.truth(args[0]),
            Op::Add | Op::Sub | Op::Mul | Op::Div => self.arithmetic(op, args),
            Op::Neg => {
                let a = self.read(args[0]);
                if self.shape(args[0]) == Shape::Int {
                    self.b.ins().ineg(a)
                } else {
                    self.b.ins().fneg(a)
                }
            }
            Op::Mod | Op::BitAnd | Op::BitOr | Op::BitXor | Op::Shl | Op::Shr | Op::BitNot | Op::Not => {
                self.int_op(op, args)
            }
            Op::Eq => self.equal(args),
            Op::Ne => {
                let equal = self.equal(args);
                self.not(equal)
            }
            Op::Lt | Op::Le | Op::Gt | Op::Ge => self.order(op, args),
            Op::TripleGet => self.triple_get(args),
            Op::TripleSet => self.triple_set(args),
            Op::MatrixGet => {
                let at = self.matrix_element(args);
                self.load(types::F32, at)
            }
            Op::ArrayGet => {
                let at = self.array_element(args[0], args[1]);
                let ty = layout::register(self.ty(dst)).expect("the element is in a register");
                self.load(ty, at)
            }
            Op::Global(global) => self.global(global),
            Op::GlobalDerivative(global, axis) => self.global_derivative(global, axis),
            Op::Derivative(_) => self.zero(Shape::of(self.ty(dst).base)),
            Op::Builtin(builtin) => self.builtin(dst, builtin, args),
            Op::MakeClosure(id) => self.make_closure(id, args),
            Op::ClosureAdd => self.closure_add(args),
            Op::ClosureMul => self.closure_mul(args, block, at),
            Op::TextureError(options) => self.texture_error(options, args),
            Op::TextureInfo => self.texture_info(dst, args),
            Op::HasTextureInfo(kind) => self.has_texture_info(kind, args),
            Op::AttributeValue => self.attribute_value(dst, args),
            Op::AttributeDerivative(axis) => self.attribute_derivative(dst, axis, args),
            Op::Diagonal
            | Op::MakeMatrix
            | Op::MatrixSet
            | Op::MakeArray
            | Op::ArraySet
            | Op::Texture(_)
            | Op::BuiltinDual(_) => {
                unreachable!("the result of {op:?} is in memory")
            }
        }
    }

    // ---- Numbers ----

    /// `+ - * /` of ints, floats and triples.
    fn arithmetic(&mut self, op: Op, args: &[Operand]) -> ir::Value {
        let shape = self.shape(args[0]);
        let [a, b] = self.read_all(args);
        if shape == Shape::Int {
            return match op {
                Op::Add => self.b.ins().iadd(a, b),
                Op::Sub => self.b.ins().isub(a, b),
                Op::Mul => self.b.ins().imul(a, b),
                _ => self.int_div(args, a, b),
            };
        }
        match op {
            Op::Add => self.b.ins().fadd(a, b),
            Op::Sub => self.b.ins().fsub(a, b),
            Op::Mul => self.b.ins().fmul(a, b),
            _ => {
                let quotient = self.b.ins().fdiv(a, b);
                if self.never_zero(args[1]) {
                    quotient
                } else {
                    self.zero_unless(FloatCC::NotEqual, b, quotient)
                }
            }
        }
    }

    /// Returns whether an operand is a constant without zero lanes.
    pub(super) fn never_zero(&self, operand: Operand) -> bool {
        match self.constant(operand) {
            Some(Const::Int(i)) => *i != 0,
            Some(Const::Float(x)) => *x != 0.0,
            Some(Const::Triple(t)) => t.iter().all(|x| *x != 0.0),
            _ => false,
        }
    }

    /// Lane by lane: `value` where `x cc 0`, else 0.
    pub(super) fn zero_unless(&mut self, cc: FloatCC, x: ir::Value, value: ir::Value) -> ir::Value {
        if self.b.func.dfg.value_type(x) == types::F32 {
            let zero = self.float(0.0);
            let keep = self.b.ins().fcmp(cc, x, zero);
            self.b.ins().select(keep, value, zero)
        } else {
            let zero = self.triple([0.0; 3]);
            let keep = self.lane_test(cc, x, zero);
            self.b.ins().band(value, keep)
        }
    }

    /// Compares lane by lane: all bits of a lane are set where `a cc b`, in the type of triples.
    pub(super) fn lane_test(&mut self, cc: FloatCC, a: ir::Value, b: ir::Value) -> ir::Value {
        let mask = self.b.ins().fcmp(cc, a, b);
        let lanes = ir::MemFlagsData::new().with_endianness(ir::Endianness::Little);
        self.b.ins().bitcast(types::F32X4, lanes, mask)
    }

    /// Truncating, wrapping division; 0 for a zero divisor. The machine's division traps in these cases.
    pub(super) fn int_div(&mut self, args: &[Operand], a: ir::Value, b: ir::Value) -> ir::Value {
        if let Some(Const::Int(divisor)) = self.constant(args[1]) {
            return match divisor {
                0 => self.int(0),
                -1 => self.b.ins().ineg(a),
                _ => self.b.ins().sdiv(a, b),
            };
        }
        let (zero, minus, safe) = self.safe_divisor(b);
        let quotient = self.b.ins().sdiv(a, safe);
        let negated = self.b.ins().ineg(a);
        let quotient = self.b.ins().select(minus, negated, quotient);
        let none = self.int(0);
        self.b.ins().select(zero, none, quotient)
    }

    /// Returns whether a divisor is 0, whether it is −1, and the divisor replaced by 1 in these cases.
    fn safe_divisor(&mut self, b: ir::Value) -> (ir::Value, ir::Value, ir::Value) {
        let zero = self.int_test(IntCC::Equal, b, 0);
        let minus = self.int_test(IntCC::Equal, b, -1);
        let either = self.b.ins().bor(zero, minus);
        let one = self.int(1);
        let safe = self.b.ins().select(either, one, b);
        (zero, minus, safe)
    }

    pub(super) fn int_test(&mut self, cc: IntCC, a: ir::Value, b: i32) -> ir::Value {
        let b = self.int(b);
        self.b.ins().icmp(cc, a, b)
    }

    fn int_op(&mut self, op: Op, args: &[Operand]) -> ir::Value {
        let a = self.read(args[0]);
        match op {
            Op::BitNot => return self.b.ins().bnot(a),
            Op::Not => {
                let zero = self.int_test(IntCC::Equal, a, 0);
                return self.extend(zero);
            }
            _ => {}
        }
        let b = self.read(args[1]);
        match op {
            Op::BitAnd => self.b.ins().band(a, b),
            Op::BitOr => self.b.ins().bor(a, b),
            Op::BitXor => self.b.ins().bxor(a, b),
            // Cranelift uses shift counts modulo the width.
            Op::Shl => self.b.ins().ishl(a, b),
            Op::Shr => self.b.ins().sshr(a, b),
            _ => self.int_rem(args, a, b),
        }
    }

    pub(super) fn int_rem(&mut self, args: &[Operand], a: ir::Value, b: ir::Value) -> ir::Value {
        if let Some(Const::Int(divisor)) = self.constant(args[1]) {
            return match divisor {
                0 | -1 => self.int(0),
                _ => self.b.ins().srem(a, b),
            };
        }
        // Division by 1 leaves remainder 0, which is also the result for 0 and −1.
        let (_, _, safe) = self.safe_divisor(b);
        self.b.ins().srem(a, safe)
    }

    // ---- Triples ----

    fn triple_get(&mut self, args: &[Operand]) -> ir::Value {
        let triple = self.read(args[0]);
        if let Some(Const::Int(lane @ 0..=2)) = self.constant(args[1]) {
            return self.b.ins().extractlane(triple, *lane as u8);
        }
        let at = self.triple_lane(triple, args[1]);
        self.load(types::F32, at)
    }

    fn triple_set(&mut self, args: &[Operand]) -> ir::Value {
        let [triple, _, value] = self.read_all(args);
        if let Some(Const::Int(lane @ 0..=2)) = self.constant(args[1]) {
            return self.b.ins().insertlane(triple, value, *lane as u8);
        }
        let at = self.triple_lane(triple, args[1]);
        self.store(value, at);
        let temp = self.temp(0);
        self.load(types::F32X4, temp)
    }

    /// Spills a triple to the first temporary; returns the address of a lane.
    fn triple_lane(&mut self, triple: ir::Value, lane: Operand) -> Address {
        let lane = self.clamp(lane, 3);
        let temp = self.spill(0, triple);
        self.element(Address::new(temp, 0), lane, 4)
    }

    // ---- The shading point ----

    fn global(&mut self, global: Global) -> ir::Value {
        self.shared.reads.insert(global);
        let offset = layout::global_offset(global);
        let ty = layout::register(global.ty()).expect("globals are floats and triples");
        self.load_global(ty, offset)
    }

    fn global_derivative(&mut self, global: Global, axis: Axis) -> ir::Value {
        let Some(offset) = layout::derivative_offset(global, axis) else {
            return self.zero(Shape::of(global.ty().base));
        };
        self.shared.reads_derivatives = true;
        let ty = layout::register(global.ty()).expect("globals are floats and triples");
        self.load_global(ty, offset)
    }

    /// Loads a field of the shading point, which does not change during a run.
    pub(super) fn load_global(&mut self, ty: ir::Type, offset: usize) -> ir::Value {
        self.b.ins().load(ty, trusted().with_readonly(), self.globals, offset as i32)
    }
}
