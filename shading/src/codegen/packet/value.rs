//! Reading and writing of varying values (rows).

use cranelift_codegen::ir::{self, InstBuilder, types};

use super::{Packet, ROW, RowStorage, row_type};
use crate::codegen::emitter::Address;
use crate::codegen::layout::Shape;
use crate::codegen::layout::{const_shape, length};
use shading_compiler::hir::{Const, LocalId, Operand};

/// Memory flags for bit casts. Byte order has no influence, because the elements of both vectors have the same size.
pub(super) fn bits() -> ir::MemFlagsData {
    ir::MemFlagsData::new().with_endianness(ir::Endianness::Little)
}

impl Packet<'_, '_, '_> {
    // ---- RowStorage ----

    /// Returns a row with the same number, given by its bits, at all points.
    pub(super) fn constant_row(&mut self, ty: ir::Type, word: u32) -> ir::Value {
        let bytes: Vec<u8> = [word; 4].into_iter().flat_map(u32::to_le_bytes).collect();
        let constant = self.e.b.func.dfg.constants.insert(bytes.into());
        self.e.b.ins().vconst(ty, constant)
    }

    pub(super) fn float_row(&mut self, x: f32) -> ir::Value {
        self.constant_row(types::F32X4, x.to_bits())
    }

    pub(super) fn int_row(&mut self, i: i32) -> ir::Value {
        self.constant_row(types::I32X4, i as u32)
    }

    pub(super) fn operand_row_type(&self, operand: Operand) -> ir::Type {
        match self.e.shape(operand) {
            Shape::Int => types::I32X4,
            _ => types::F32X4,
        }
    }

    pub(super) fn row_count(&self, operand: Operand) -> u64 {
        self.e.shape(operand).numbers() * u64::from(length(self.e.code, operand))
    }

    pub(super) fn row(&mut self, operand: Operand, row: u64) -> ir::Value {
        match operand {
            Operand::Local(local) => match self.rows[local] {
                Some(RowStorage::Registers(variables)) => self.e.b.use_var(variables[row as usize]),
                Some(RowStorage::Memory(slot)) => {
                    let at = self.e.slot(slot).plus(row * ROW);
                    self.e.load(row_type(self.e.ty(local)), at)
                }
                None => {
                    let number = self.uniform_number(operand, row);
                    let ty = self.operand_row_type(operand);
                    self.e.b.ins().splat(ty, number)
                }
            },
            Operand::Const(id) => {
                if let Some(at) = self.e.number_row(id, row) {
                    return self.e.load_number(types::F32X4, at);
                }
                let (ty, word) = number_of(&self.e.code.consts[id], row as usize);
                self.constant_row(ty, word)
            }
        }
    }

    pub(super) fn rows(&mut self, operand: Operand) -> Vec<ir::Value> {
        (0..self.row_count(operand)).map(|row| self.row(operand, row)).collect()
    }

    pub(super) fn triple(&mut self, operand: Operand) -> [ir::Value; 3] {
        [0, 1, 2].map(|row| self.row(operand, row))
    }

    fn uniform_number(&mut self, operand: Operand, number: u64) -> ir::Value {
        let shape = self.e.shape(operand);
        let in_memory = match operand {
            Operand::Local(local) => super::is_in_memory(self.e.ty(local)),
            Operand::Const(_) => true,
        };
        if !in_memory {
            let value = self.e.read(operand);
            return match shape {
                Shape::Triple => self.e.b.ins().extractlane(value, number as u8),
                _ => value,
            };
        }
        let (element, part) = (number / shape.numbers(), number % shape.numbers());
        let at = self.e.address(operand).plus(element * shape.stride() + 4 * part);
        let ty = if shape == Shape::Int { types::I32 } else { types::F32 };
        self.e.load(ty, at)
    }

    // ---- Assignments ----

    /// Assigns all rows of a variable at the active points.
    pub(super) fn assign(&mut self, local: LocalId, rows: &[ir::Value]) {
        for (row, value) in rows.iter().enumerate() {
            self.assign_row(local, row as u64, *value);
        }
    }

    /// Assigns a row of a variable at the active points.
    pub(super) fn assign_row(&mut self, local: LocalId, row: u64, value: ir::Value) {
        let value = self.as_type(value, row_type(self.e.ty(local)));
        let value = self.merged(local, row, value);
        match self.varying_rows(local) {
            RowStorage::Registers(variables) => self.e.b.def_var(variables[row as usize], value),
            RowStorage::Memory(slot) => {
                let at = self.e.slot(slot).plus(row * ROW);
                self.e.store(value, at);
            }
        }
    }

    pub(super) fn varying_rows(&self, local: LocalId) -> RowStorage {
        self.rows[local].expect("what is assigned here varies")
    }

    /// Returns whether an assignment can ignore the mask of active points.
    pub(super) fn ignores_mask(&self, local: LocalId) -> bool {
        !self.is_masked
            || self.plan.is_private(local, self.block)
            || self.left_body.is_some_and(|body| self.plan.is_used_only_in(local, body))
    }

    /// Merges a new value of a row at the active points with its current value at the others.
    fn merged(&mut self, local: LocalId, row: u64, value: ir::Value) -> ir::Value {
        if self.ignores_mask(local) {
            return value;
        }
        let old = self.row(Operand::Local(local), row);
        let mask = self.e.b.use_var(self.mask);
        self.select(mask, value, old)
    }

    // ---- Masks ----

    /// Selects point by point: `yes` where all bits of `mask` are set, else `no`.
    pub(super) fn select(&mut self, mask: ir::Value, yes: ir::Value, no: ir::Value) -> ir::Value {
        let mask = self.as_type(mask, self.e.b.func.dfg.value_type(yes));
        self.e.b.ins().bitselect(mask, yes, no)
    }

    /// Reinterprets the bits of a row as another type.
    pub(super) fn as_type(&mut self, row: ir::Value, ty: ir::Type) -> ir::Value {
        if self.e.b.func.dfg.value_type(row) == ty {
            row
        } else {
            self.e.b.ins().bitcast(ty, bits(), row)
        }
    }

    /// Converts the mask of a test to ints 0 and 1.
    pub(super) fn truth_of(&mut self, mask: ir::Value) -> ir::Value {
        let one = self.int_row(1);
        self.e.b.ins().band(mask, one)
    }

    // ---- Points ----

    /// Computes an operation without a vector instruction point by point.
    pub(super) fn by_point(
        &mut self,
        rows: &[ir::Value],
        f: impl Fn(&mut Self, &[ir::Value]) -> ir::Value,
    ) -> ir::Value {
        let mut result = None;
        for point in 0..4u8 {
            let numbers: Vec<ir::Value> =
                rows.iter().map(|&row| self.e.b.ins().extractlane(row, point)).collect();
            let number = f(self, &numbers);
            result = Some(match result {
                None => {
                    let row = self.e.b.func.dfg.value_type(number).by(4).expect("a vector type");
                    self.e.b.ins().scalar_to_vector(row, number)
                }
                Some(row) => self.e.b.ins().insertlane(row, number, point),
            });
        }
        result.expect("there are four points")
    }

    /// Loads a row of numbers, one at each point's address.
    pub(super) fn load_points(&mut self, ty: ir::Type, at: [Address; 4]) -> ir::Value {
        let numbers = at.map(|at| self.e.load(ty.lane_type(), at));
        let mut row = self.e.b.ins().scalar_to_vector(ty, numbers[0]);
        for (point, number) in (1u8..).zip(&numbers[1..]) {
            row = self.e.b.ins().insertlane(row, *number, point);
        }
        row
    }
}

/// Returns the row type and the bits of a number in a constant.
fn number_of(value: &Const, number: usize) -> (ir::Type, u32) {
    match value {
        Const::Int(i) => (types::I32X4, *i as u32),
        Const::Float(x) => (types::F32X4, x.to_bits()),
        Const::Triple(t) => (types::F32X4, t[number].to_bits()),
        Const::Matrix(m) => (types::F32X4, m[number].to_bits()),
        Const::Array(list) => {
            let numbers = list.first().map_or(1, |first| const_shape(first).numbers() as usize);
            number_of(&list[number / numbers], number % numbers)
        }
        Const::String(_) | Const::NullClosure => unreachable!("no packet has texts or closures"),
    }
}
