//! Point clouds: a record of the operands on the stack, read by a host function.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir;

use super::emitter::{Address, Emitter};
use super::layout::length;
use crate::runtime::CloudHandle;
use crate::runtime::shims::{self, CloudRecord};
use shading_compiler::builtins::Builtin;
use shading_compiler::hir::{Const, Kind, LocalId, Operand};

impl Emitter<'_, '_> {
    /// Emits a point cloud function with an array result.
    pub(super) fn cloud_array(&mut self, dst: LocalId, builtin: Builtin, args: &[Operand]) {
        let Some(shim) = shims::cloud_array(builtin) else {
            unreachable!("{builtin:?} is not a function of point clouds")
        };
        let record = self.cloud_record();
        let kind = Kind::of(self.ty(dst)).map_or(0, Kind::code);
        let kind = self.int(kind);
        self.store(kind, field(record, offset_of!(CloudRecord, kind)));
        match (builtin, args) {
            (Builtin::CloudSearch, &[file, center, radius, most, sort]) => {
                self.put_file(record, file);
                self.put(record, offset_of!(CloudRecord, center), center);
                self.put(record, offset_of!(CloudRecord, radius), radius);
                self.put(record, offset_of!(CloudRecord, count), most);
                self.put(record, offset_of!(CloudRecord, sort), sort);
            }
            (Builtin::CloudZeros, &[before, indices, count]) => {
                self.put_array(record, offset_of!(CloudRecord, before), before);
                self.put_indices(record, indices, count);
            }
            (_, &[before, file, indices, count, ref rest @ ..]) => {
                self.put_array(record, offset_of!(CloudRecord, before), before);
                self.put_file(record, file);
                self.put_indices(record, indices, count);
                let fields = match builtin {
                    Builtin::CloudValues => &[offset_of!(CloudRecord, name)][..],
                    _ => &[offset_of!(CloudRecord, center), offset_of!(CloudRecord, change)],
                };
                for (&offset, &operand) in fields.iter().zip(rest) {
                    self.put(record, offset, operand);
                }
            }
            _ => unreachable!("{builtin:?} has other operands"),
        }
        let (place, out) = (self.place(), self.local_pointer(dst));
        self.call(shim, &[self.ctx, place, record.base, out]);
    }

    /// Tests whether a cloud has an attribute and the points.
    pub(super) fn has_cloud_values(&mut self, args: &[Operand]) -> ir::Value {
        let &[file, indices, count, name, kind] = args else {
            unreachable!("it has five operands")
        };
        let record = self.cloud_record();
        self.put_file(record, file);
        self.put_indices(record, indices, count);
        self.put(record, offset_of!(CloudRecord, name), name);
        self.put(record, offset_of!(CloudRecord, kind), kind);
        let place = self.place();
        self.call_value(shims::has_cloud_values(), &[self.ctx, place, record.base])
    }

    /// Writes a point; the result is whether it is recorded.
    pub(super) fn cloud_write(&mut self, args: &[Operand]) -> ir::Value {
        let [records, count] = self.records(&args[2..]);
        let [file, position] = self.read_all(&args[..2]);
        let position = self.spill(0, position);
        let place = self.place();
        let values = [self.ctx, place, file, position, records, count];
        self.call_value(shims::cloud_write(), &values)
    }

    /// Creates a record with null pointers and zero derivatives.
    fn cloud_record(&mut self) -> Address {
        let slot = self.new_slot(size_of::<CloudRecord>() as u64);
        let record = self.slot(slot);
        let none = self.pointer(0);
        for offset in [
            offset_of!(CloudRecord, file),
            offset_of!(CloudRecord, name),
            offset_of!(CloudRecord, indices),
            offset_of!(CloudRecord, before),
        ] {
            self.store(none, field(record, offset));
        }
        let zero = self.triple([0.0; 3]);
        for offset in [offset_of!(CloudRecord, center), offset_of!(CloudRecord, change)] {
            self.store(zero, field(record, offset));
        }
        let zero = self.int(0);
        for offset in [
            offset_of!(CloudRecord, handle),
            offset_of!(CloudRecord, radius),
            offset_of!(CloudRecord, count),
            offset_of!(CloudRecord, sort),
            offset_of!(CloudRecord, length),
        ] {
            self.store(zero, field(record, offset));
        }
        record
    }

    /// Stores an operand that is in a register.
    fn put(&mut self, record: Address, offset: usize, operand: Operand) {
        let value = self.read(operand);
        self.store(value, field(record, offset));
    }

    /// Stores the address of an array.
    fn put_array(&mut self, record: Address, offset: usize, array: Operand) {
        let at = self.address(array);
        let at = self.address_of(at);
        self.store(at, field(record, offset));
    }

    fn put_indices(&mut self, record: Address, indices: Operand, count: Operand) {
        self.put_array(record, offset_of!(CloudRecord, indices), indices);
        let length = self.int(length(self.code, indices) as i32);
        self.store(length, field(record, offset_of!(CloudRecord, length)));
        self.put(record, offset_of!(CloudRecord, count), count);
    }

    /// Stores a file name and the handle of its cloud. The handle of a constant name is looked up at compile time.
    fn put_file(&mut self, record: Address, file: Operand) {
        let text = self.read(file);
        self.store(text, field(record, offset_of!(CloudRecord, file)));
        let handle = match self.constant(file) {
            Some(Const::String(name)) => {
                let handle = self.shared.cloud_handle(name).unwrap_or(CloudHandle::NONE);
                self.int(handle.0.cast_signed())
            }
            _ => {
                self.shared.chooses_cloud_names = true;
                self.call_value(shims::cloud_named(), &[self.ctx, text])
            }
        };
        self.store(handle, field(record, offset_of!(CloudRecord, handle)));
    }
}

fn field(record: Address, offset: usize) -> Address {
    record.plus(offset as u64)
}
