//! Layout of values in registers and memory.
//!
//! - int, float and triples are in registers; a triple has four lanes, of which the last is undefined; strings and
//!   closures are pointers in registers.
//! - Matrices and arrays are in memory, aligned to 16, their sizes rounded up to 16 so that copies move 16 bytes at a
//!   time. The stride of an array is the size of its elements: 4, 8, 16 or 64 bytes.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::{self, types};

use crate::runtime::ShaderGlobals;
use crate::runtime::arena::Window;
use crate::runtime::context::ContextHeader;
use shading_compiler::builtins::Global;
use shading_compiler::hir::{Axis, Code, Const, LocalId, Operand};
use shading_compiler::ty::{Base, Type};

/// Pointer type of all machines that the JIT supports.
pub(super) const POINTER: ir::Type = types::I64;
const _: () = assert!(size_of::<usize>() == 8, "compiled code takes pointers to have 8 bytes");

/// Representation of an element in generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Int,
    Float,
    Triple,
    Matrix,
    Text,
    Closure,
}

impl Shape {
    /// Returns the shape of an element type.
    pub(super) fn of(base: Base) -> Shape {
        match base {
            Base::Int => Shape::Int,
            Base::Float => Shape::Float,
            Base::Color | Base::Point | Base::Vector | Base::Normal => Shape::Triple,
            Base::Matrix => Shape::Matrix,
            Base::String => Shape::Text,
            Base::Closure => Shape::Closure,
            Base::Void | Base::Struct(_) => unreachable!("no local of HIR has type {base:?}"),
        }
    }

    /// The register type; `None` for a matrix.
    pub(super) fn register(self) -> Option<ir::Type> {
        match self {
            Shape::Int => Some(types::I32),
            Shape::Float => Some(types::F32),
            Shape::Triple => Some(types::F32X4),
            Shape::Matrix => None,
            Shape::Text | Shape::Closure => Some(POINTER),
        }
    }

    /// Number of numbers in an element.
    pub(super) fn numbers(self) -> u64 {
        match self {
            Shape::Int | Shape::Float | Shape::Text | Shape::Closure => 1,
            Shape::Triple => 3,
            Shape::Matrix => 16,
        }
    }

    /// Stride in bytes of an array of these elements.
    pub(super) fn stride(self) -> u64 {
        match self {
            Shape::Int | Shape::Float => 4,
            Shape::Text | Shape::Closure => 8,
            Shape::Triple => 16,
            Shape::Matrix => 64,
        }
    }
}

/// Returns the register type of a type; `None` if values are in memory.
pub(super) fn register(ty: Type) -> Option<ir::Type> {
    if ty.is_array() { None } else { Shape::of(ty.base).register() }
}

/// Size in bytes of a value in memory; a multiple of 16 for types that are always in memory.
pub(super) fn size(ty: Type) -> u64 {
    let bytes = Shape::of(ty.base).stride() * u64::from(ty.count());
    if register(ty).is_some() {
        bytes
    } else {
        bytes.next_multiple_of(16)
    }
}

/// Layout of a sequence of values in memory, such as the outputs or the arguments of a call.
#[derive(Debug, Default)]
pub(super) struct RecordLayout {
    /// Current size in bytes.
    pub(super) size: u64,
}

impl RecordLayout {
    /// Appends a value; returns its offset, aligned for its type.
    pub(super) fn add(&mut self, ty: Type) -> u64 {
        let align = if register(ty).is_some() { Shape::of(ty.base).stride() } else { 16 };
        let offset = self.size.next_multiple_of(align);
        self.size = offset + size(ty);
        offset
    }
}

/// Offset of a global in [`ShaderGlobals`].
pub(super) fn global_offset(global: Global) -> usize {
    match global {
        Global::P => offset_of!(ShaderGlobals, p),
        Global::I => offset_of!(ShaderGlobals, i),
        Global::N => offset_of!(ShaderGlobals, n),
        Global::Ng => offset_of!(ShaderGlobals, ng),
        Global::U => offset_of!(ShaderGlobals, u),
        Global::V => offset_of!(ShaderGlobals, v),
        Global::DPdu => offset_of!(ShaderGlobals, dpdu),
        Global::DPdv => offset_of!(ShaderGlobals, dpdv),
        Global::Ps => offset_of!(ShaderGlobals, ps),
        Global::Time => offset_of!(ShaderGlobals, time),
        Global::DTime => offset_of!(ShaderGlobals, dtime),
        Global::DPdtime => offset_of!(ShaderGlobals, dpdtime),
    }
}

/// Offset of a global's derivative in [`ShaderGlobals`]; `None` if it is zero.
pub(super) fn derivative_offset(global: Global, axis: Axis) -> Option<usize> {
    Some(match (global, axis) {
        (Global::P, Axis::X) => offset_of!(ShaderGlobals, dpdx),
        (Global::P, Axis::Y) => offset_of!(ShaderGlobals, dpdy),
        (Global::I, Axis::X) => offset_of!(ShaderGlobals, didx),
        (Global::I, Axis::Y) => offset_of!(ShaderGlobals, didy),
        (Global::U, Axis::X) => offset_of!(ShaderGlobals, dudx),
        (Global::U, Axis::Y) => offset_of!(ShaderGlobals, dudy),
        (Global::V, Axis::X) => offset_of!(ShaderGlobals, dvdx),
        (Global::V, Axis::Y) => offset_of!(ShaderGlobals, dvdy),
        _ => return None,
    })
}

/// Offsets in [`ContextHeader`].
pub(super) const FUEL: i32 = offset_of!(ContextHeader, fuel) as i32;
pub(super) const WORK: i32 = offset_of!(ContextHeader, work) as i32;
pub(super) const DEPTH: i32 = offset_of!(ContextHeader, depth) as i32;
pub(super) const NODES: i32 = offset_of!(ContextHeader, nodes) as i32;
pub(super) const NUMBERS: i32 = offset_of!(ContextHeader, numbers) as i32;
/// Size of a number of the instance: four lanes.
pub(super) const NUMBER_BYTES: u32 = 16;
pub(super) const ARENA_CURSOR: i32 = (offset_of!(ContextHeader, arena) + offset_of!(Window, cursor)) as i32;
pub(super) const ARENA_END: i32 = (offset_of!(ContextHeader, arena) + offset_of!(Window, end)) as i32;
pub(super) const FRAMES_CURSOR: i32 = (offset_of!(ContextHeader, frames) + offset_of!(Window, cursor)) as i32;
pub(super) const FRAMES_END: i32 = (offset_of!(ContextHeader, frames) + offset_of!(Window, end)) as i32;
pub(super) const STACK_LIMIT: i32 = offset_of!(ContextHeader, stack_limit) as i32;

/// Shape of a constant, or of an array's elements.
pub(super) fn const_shape(value: &Const) -> Shape {
    match value {
        Const::Int(_) => Shape::Int,
        Const::Float(_) => Shape::Float,
        Const::Triple(_) => Shape::Triple,
        Const::Matrix(_) => Shape::Matrix,
        Const::String(_) => Shape::Text,
        Const::NullClosure => Shape::Closure,
        Const::Array(elements) => elements.first().map_or(Shape::Int, const_shape),
    }
}

/// Size in bytes of a constant in memory, as for [`size`].
pub(super) fn const_size(value: &Const) -> u64 {
    let count = match value {
        Const::Array(elements) => elements.len() as u64,
        _ => 1,
    };
    (const_shape(value).stride() * count).next_multiple_of(16)
}

/// Number of elements of an array operand.
pub(super) fn length(code: &Code, operand: Operand) -> u32 {
    match operand {
        Operand::Local(local) => code.locals[local].ty.count(),
        Operand::Const(id) => match &code.consts[id] {
            Const::Array(elements) => elements.len() as u32,
            _ => 1,
        },
    }
}

/// Size in bytes of a local, for copies.
pub(super) fn local_size(code: &Code, local: LocalId) -> u64 {
    size(code.locals[local].ty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_align() {
        let mut record = RecordLayout::default();
        assert_eq!(record.add(Type::INT), 0);
        assert_eq!(record.add(Type::COLOR), 16);
        assert_eq!(record.add(Type::FLOAT), 32);
        assert_eq!(record.add(Type::CLOSURE), 40);
        assert_eq!(record.add(Type::array(Base::Float, 3)), 48);
        assert_eq!(record.add(Type::MATRIX), 64);
        assert_eq!(record.size, 128);
    }

    #[test]
    fn sizes_do_not_overflow() {
        assert_eq!(size(Type::array(Base::Matrix, u32::MAX)), 64 * u64::from(u32::MAX));
    }
}
