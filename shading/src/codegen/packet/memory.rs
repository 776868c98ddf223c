//! Matrices, arrays and indexing of varying values.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};

use super::{Packet, ROW, RowStorage};
use crate::codegen::emitter::Address;
use crate::codegen::layout::POINTER;
use crate::codegen::layout::length;
use crate::codegen::memory::Index;
use shading_compiler::hir::{Const, LocalId, Operand};

/// A valid index of an element.
#[derive(Clone, Copy, Debug)]
enum ElementIndex {
    /// Constant.
    Known(u64),
    /// Uniform.
    Uniform(ir::Value),
    /// Varying.
    Varying(ir::Value),
}

/// An indexed array, matrix or triple: number of elements, rows per element, and stride in bytes of its uniform memory
/// layout.
#[derive(Clone, Copy, Debug)]
struct Series {
    count: u32,
    rows: u64,
    stride: u64,
}

impl Packet<'_, '_, '_> {
    // ---- Elements ----

    /// `a[index]` of an array; returns the rows of the element.
    pub(super) fn array_get(&mut self, dst: LocalId, args: &[Operand]) {
        let series = self.series(args[0]);
        let index = self.index(args[1], series.count);
        for part in 0..series.rows {
            let row = self.element(args[0], series, index, part);
            self.assign_row(dst, part, row);
        }
    }

    /// Replaces an element of an array; operand 0 is the destination, or is copied there first.
    pub(super) fn array_set(&mut self, dst: LocalId, args: &[Operand]) {
        self.copy_first(dst, args[0]);
        let series = self.series(Operand::Local(dst));
        let index = self.index(args[1], series.count);
        for (part, row) in self.rows(args[2]).into_iter().enumerate() {
            self.put(dst, series, index, part as u64, row);
        }
    }

    /// `m[row][column]`.
    pub(super) fn matrix_get(&mut self, args: &[Operand]) -> ir::Value {
        let index = self.matrix_index(args[1], args[2]);
        self.element(args[0], MATRIX, index, 0)
    }

    /// Replaces an element of a matrix.
    pub(super) fn matrix_set(&mut self, dst: LocalId, args: &[Operand]) {
        self.copy_first(dst, args[0]);
        let index = self.matrix_index(args[1], args[2]);
        let value = self.row(args[3], 0);
        self.put(dst, MATRIX, index, 0, value);
    }

    /// `t[lane]`.
    pub(super) fn triple_get(&mut self, args: &[Operand]) -> ir::Value {
        if let Some(Const::Int(lane @ 0..=2)) = self.e.constant(args[1]) {
            return self.row(args[0], *lane as u64);
        }
        let (record, index) = self.triple_in_memory(args);
        self.load_element(record, TRIPLE, index, 0)
    }

    /// Replaces a component of a triple.
    pub(super) fn triple_set(&mut self, args: &[Operand]) -> Vec<ir::Value> {
        let value = self.row(args[2], 0);
        if let Some(Const::Int(lane @ 0..=2)) = self.e.constant(args[1]) {
            let mut rows = self.rows(args[0]);
            rows[*lane as usize] = value;
            return rows;
        }
        let (record, index) = self.triple_in_memory(args);
        self.store_element(record, TRIPLE, index, 0, value, true);
        (0..3).map(|row| self.e.load(types::F32X4, record.plus(row * ROW))).collect()
    }

    fn triple_in_memory(&mut self, args: &[Operand]) -> (Address, ElementIndex) {
        let index = self.index(args[1], 3);
        let rows = self.rows(args[0]);
        (self.record(0, &rows), index)
    }

    /// Copies the first operand of an operation that modifies it in place.
    fn copy_first(&mut self, dst: LocalId, from: Operand) {
        if from != Operand::Local(dst) {
            self.copy(dst, from);
        }
    }

    /// Copies a value to a variable. A constant array may be shorter than the variable.
    pub(super) fn copy(&mut self, dst: LocalId, from: Operand) {
        for row in 0..self.row_count(from).min(self.row_count(Operand::Local(dst))) {
            let value = self.row(from, row);
            self.assign_row(dst, row, value);
        }
    }

    fn series(&self, array: Operand) -> Series {
        Series {
            count: length(self.e.code, array),
            rows: self.e.shape(array).numbers(),
            stride: self.e.shape(array).stride(),
        }
    }

    /// Returns a row of an element of a varying or uniform value.
    fn element(&mut self, of: Operand, series: Series, index: ElementIndex, part: u64) -> ir::Value {
        match (of, index) {
            (_, ElementIndex::Known(element)) => self.row(of, element * series.rows + part),
            (Operand::Local(local), _) if self.plan.varies(local) => {
                let base = self.base(local);
                self.load_element(base, series, index, part)
            }
            _ => self.load_uniform_element(of, series.stride, index, part),
        }
    }

    fn base(&mut self, local: LocalId) -> Address {
        match self.varying_rows(local) {
            RowStorage::Memory(slot) => self.e.slot(slot),
            RowStorage::Registers(_) => unreachable!("{local} is not in memory"),
        }
    }

    /// Replaces a row of an element at the active points.
    fn put(&mut self, dst: LocalId, series: Series, index: ElementIndex, part: u64, value: ir::Value) {
        if let ElementIndex::Known(element) = index {
            self.assign_row(dst, element * series.rows + part, value);
        } else {
            let base = self.base(dst);
            let ignores_mask = self.ignores_mask(dst);
            self.store_element(base, series, index, part, value, ignores_mask);
        }
    }

    /// Returns the addresses of an element's row, at each point that of its lane.
    fn addresses(&mut self, base: Address, series: Series, index: ir::Value, part: u64) -> [Address; 4] {
        [0u8, 1, 2, 3].map(|point| {
            let index = self.e.b.ins().extractlane(index, point);
            self.at_index(base, index, series.rows * ROW)
                .plus(part * ROW + 4 * u64::from(point))
        })
    }

    fn at_index(&mut self, base: Address, index: ir::Value, stride: u64) -> Address {
        let index = self.e.b.ins().uextend(POINTER, index);
        let stride = self.e.pointer(stride as usize);
        let bytes = self.e.b.ins().imul(index, stride);
        Address::new(self.e.b.ins().iadd(base.base, bytes), base.offset)
    }

    fn load_element(&mut self, base: Address, series: Series, index: ElementIndex, part: u64) -> ir::Value {
        match index {
            ElementIndex::Known(element) => {
                let at = base.plus((element * series.rows + part) * ROW);
                self.e.load(types::F32X4, at)
            }
            ElementIndex::Uniform(index) => {
                let at = self.at_index(base, index, series.rows * ROW);
                self.e.load(types::F32X4, at.plus(part * ROW))
            }
            ElementIndex::Varying(index) => {
                let at = self.addresses(base, series, index, part);
                self.load_points(types::F32X4, at)
            }
        }
    }

    fn load_uniform_element(
        &mut self,
        of: Operand,
        stride: u64,
        index: ElementIndex,
        part: u64,
    ) -> ir::Value {
        let base = self.e.address(of).plus(4 * part);
        match index {
            ElementIndex::Known(_) => unreachable!("known elements are read as rows"),
            ElementIndex::Uniform(index) => {
                let at = self.at_index(base, index, stride);
                let number = self.e.load(types::F32, at);
                self.e.b.ins().splat(types::F32X4, number)
            }
            ElementIndex::Varying(index) => {
                let at = [0u8, 1, 2, 3].map(|point| {
                    let index = self.e.b.ins().extractlane(index, point);
                    self.at_index(base, index, stride)
                });
                self.load_points(types::F32X4, at)
            }
        }
    }

    /// Stores a row of an element: at all points if `ignores_mask`, else at the active ones.
    fn store_element(
        &mut self,
        base: Address,
        series: Series,
        index: ElementIndex,
        part: u64,
        value: ir::Value,
        ignores_mask: bool,
    ) {
        let value = self.as_type(value, types::F32X4);
        let ElementIndex::Varying(index) = index else {
            let at = match index {
                ElementIndex::Known(element) => base.plus(element * series.rows * ROW),
                ElementIndex::Uniform(index) | ElementIndex::Varying(index) => {
                    self.at_index(base, index, series.rows * ROW)
                }
            };
            let at = at.plus(part * ROW);
            let value = if ignores_mask {
                value
            } else {
                let old = self.e.load(types::F32X4, at);
                let mask = self.e.b.use_var(self.mask);
                self.select(mask, value, old)
            };
            self.e.store(value, at);
            return;
        };
        let at = self.addresses(base, series, index, part);
        let value = if ignores_mask {
            value
        } else {
            let old = self.load_points(types::F32X4, at);
            let mask = self.e.b.use_var(self.mask);
            self.select(mask, value, old)
        };
        for (point, at) in (0u8..).zip(at) {
            let number = self.e.b.ins().extractlane(value, point);
            self.e.store(number, at);
        }
    }

    // ---- Indices ----

    fn matrix_index(&mut self, row: Operand, column: Operand) -> ElementIndex {
        let (row, column) = (self.index(row, 4), self.index(column, 4));
        match (row, column) {
            (ElementIndex::Known(row), ElementIndex::Known(column)) => ElementIndex::Known(4 * row + column),
            _ => {
                let (row, column) = (self.index_row(row), self.index_row(column));
                let two = self.e.int(2);
                let row = self.e.b.ins().ishl(row, two);
                ElementIndex::Varying(self.e.b.ins().iadd(row, column))
            }
        }
    }

    fn index_row(&mut self, index: ElementIndex) -> ir::Value {
        match index {
            ElementIndex::Known(index) => self.int_row(index as i32),
            ElementIndex::Uniform(index) => self.e.b.ins().splat(types::I32X4, index),
            ElementIndex::Varying(index) => index,
        }
    }

    /// Returns an index of one of `count` elements. Abandons the packet if it is out of range at an active point.
    fn index(&mut self, index: Operand, count: u32) -> ElementIndex {
        if !self.plan.operand_varies(index) {
            return match self.e.clamp(index, count) {
                Index::Known(element) => ElementIndex::Known(u64::from(element)),
                Index::Value(element) => ElementIndex::Uniform(element),
            };
        }
        let index = self.row(index, 0);
        let last = self.int_row(count as i32 - 1);
        let outside = self.e.b.ins().icmp(IntCC::UnsignedGreaterThan, index, last);
        let outside = if self.is_masked {
            let here = self.e.b.use_var(self.mask);
            self.e.b.ins().band(outside, here)
        } else {
            outside
        };
        let outside = self.e.b.ins().vany_true(outside);
        self.bail_if(outside);
        // Inactive points may have any index.
        ElementIndex::Varying(self.e.b.ins().umin(index, last))
    }

    // ---- Records ----

    /// Stores rows in a record; returns its address. Records with different numbers do not overlap.
    pub(super) fn record(&mut self, number: usize, rows: &[ir::Value]) -> Address {
        let at = self.room(number, rows.len() as u64);
        for (i, row) in rows.iter().enumerate() {
            self.e.store(*row, at.plus(i as u64 * ROW));
        }
        at
    }

    /// Returns a record with space for the given number of rows.
    pub(super) fn room(&mut self, number: usize, rows: u64) -> Address {
        while self.records.len() <= number {
            let slot = self.e.new_slot(rows * ROW);
            self.records.push((slot, rows));
        }
        if self.records[number].1 < rows {
            self.records[number] = (self.e.new_slot(rows * ROW), rows);
        }
        self.e.slot(self.records[number].0)
    }

    /// Returns the address of a value's rows: their storage if it varies, else a record.
    pub(super) fn in_memory(&mut self, number: usize, operand: Operand) -> Address {
        match operand {
            Operand::Local(local)
                if self.plan.varies(local) && matches!(self.varying_rows(local), RowStorage::Memory(_)) =>
            {
                self.base(local)
            }
            _ => {
                let rows = self.rows(operand);
                self.record(number, &rows)
            }
        }
    }

    /// Provides memory for the result of a call, and assigns it to the variable; directly if possible.
    pub(super) fn result_of(&mut self, dst: LocalId, number: usize, call: impl FnOnce(&mut Self, ir::Value)) {
        let count = self.row_count(Operand::Local(dst));
        if matches!(self.varying_rows(dst), RowStorage::Memory(_)) && self.ignores_mask(dst) {
            let address = self.base(dst);
            let at = self.e.address_of(address);
            call(self, at);
            return;
        }
        let room = self.room(number, count);
        let at = self.e.address_of(room);
        call(self, at);
        for row in 0..count {
            let value = self.e.load(types::F32X4, room.plus(row * ROW));
            self.assign_row(dst, row, value);
        }
    }
}

const MATRIX: Series = Series { count: 16, rows: 1, stride: 4 };
const TRIPLE: Series = Series { count: 3, rows: 1, stride: 4 };
