//! Stack frames: memory of variables during a call, zeroed where needed.
//!
//! - Small matrices and arrays are in stack slots. Large arrays are in a frame provided by the context, so that they cannot
//!   overflow the native stack, not even in recursion.
//! - If a function has too many variables to track their live ranges, variables that are read far from their assignment are
//!   in that frame too: [`LocalUses::exceed_registers`].
//! - The arguments and results of calls are in an area shared by all calls of a function.
//! - Memory is zeroed only if it may be read before it is assigned.

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use rustc_hash::FxHashSet;

use super::emitter::{Address, Emitter, LocalStorage, trusted};
use super::layout::local_size;
use super::layout::{self, FRAMES_CURSOR, FRAMES_END, POINTER, RecordLayout, Shape};
use super::local_uses::LocalUses;
use crate::runtime::shims;
use shading_compiler::hir::{Block, Code, Function, FunctionId, LocalId, Operand, Stmt, Unit, walk};

/// Maximum size in bytes of the variables on the native stack of the entry function.
const MAX_ENTRY_STACK_BYTES: u64 = 8 << 10;
/// Maximum size in bytes of the variables on the native stack of a recursive function: small enough that the maximum
/// recursion depth cannot exhaust the stack.
const MAX_RECURSIVE_STACK_BYTES: u64 = 512;

/// Size of a number, triple, text or closure in memory, in bytes, padded for alignment.
const REGISTER_BYTES: u64 = 16;

/// Offsets of a function's arguments and outputs in the memory provided by its caller.
#[derive(Debug)]
pub(super) struct CallLayout {
    pub(super) params: Vec<u64>,
    pub(super) outputs: Vec<u64>,
    pub(super) size: u64,
}

impl CallLayout {
    pub(super) fn of(function: &Function) -> CallLayout {
        let mut record = RecordLayout::default();
        let mut place = |locals: &[LocalId]| -> Vec<u64> {
            locals.iter().map(|&l| record.add(function.code.locals[l].ty)).collect()
        };
        let (params, outputs) = (place(&function.params), place(&function.outputs));
        CallLayout { params, outputs, size: record.size.next_multiple_of(16) }
    }
}

/// Size in bytes of the variables of a function and its call area, to reject functions that are too large.
pub(super) fn memory(unit: &Unit, code: &Code, inits: &[&Block]) -> u64 {
    let locals: u64 = code
        .locals
        .keys()
        .filter(|&l| layout::register(code.locals[l].ty).is_none())
        .map(|l| local_size(code, l))
        .fold(0, u64::saturating_add);
    locals.saturating_add(call_area_size(unit, code, inits))
}

fn call_area_size(unit: &Unit, code: &Code, inits: &[&Block]) -> u64 {
    let mut called = vec![];
    for block in inits.iter().copied().chain([&code.body]) {
        calls(block, &mut called);
    }
    called
        .into_iter()
        .map(|f| CallLayout::of(&unit.functions[f]).size)
        .max()
        .unwrap_or(0)
}

fn calls(block: &Block, out: &mut Vec<FunctionId>) {
    walk::statements(block, &mut |stmt| {
        if let Stmt::Call { function, .. } = stmt {
            out.push(*function);
        }
    });
}

impl Emitter<'_, '_> {
    /// Assigns storage to every local. The caller has already assigned the `assigned` locals, `outputs` are read whenever
    /// the function returns, and `inits` is the code that runs before the body.
    pub(super) fn open_frame(&mut self, assigned: &[LocalId], outputs: &[LocalId], inits: &[&Block]) {
        let code = self.code;
        let is_entry = std::ptr::eq(code, &raw const self.shared.unit.code);
        self.frame.slots = if is_entry {
            MAX_ENTRY_STACK_BYTES
        } else {
            MAX_RECURSIVE_STACK_BYTES
        };
        let assigned: FxHashSet<LocalId> = assigned.iter().copied().collect();
        let uses = LocalUses::of(code, outputs, inits);
        let keeps_in_memory = uses.exceed_registers();
        for local in code.locals.keys() {
            let is_value = uses.is_value(local) && !assigned.contains(&local);
            let storage = match layout::register(code.locals[local].ty) {
                Some(_) if keeps_in_memory && !(is_value && uses.is_local(local)) => {
                    self.place_large(REGISTER_BYTES)
                }
                Some(_) if is_value => LocalStorage::Value(None),
                Some(ty) => LocalStorage::Register(self.b.declare_var(ty)),
                None => self.place_memory(local_size(code, local)),
            };
            self.storage[local] = Some(storage);
        }
        let area = call_area_size(self.shared.unit, code, inits);
        if area > 0 {
            self.frame.call_area = Some(self.place_memory(area));
        }
        if self.frame.size > 0 {
            self.take_large_frame();
        }
        let mut zeros = [None; 5];
        for local in code.locals.keys().filter(|l| !assigned.contains(l)) {
            let shape = Shape::of(code.locals[local].ty.base);
            match self.storage[local] {
                Some(LocalStorage::Register(variable)) => {
                    let zero = match zeros[shape as usize % 5] {
                        Some((of, zero)) if of == shape => zero,
                        _ => self.zero(shape),
                    };
                    zeros[shape as usize % 5] = Some((shape, zero));
                    self.b.def_var(variable, zero);
                }
                _ if uses.needs_clear(local) => {
                    let address = self.local_address(local);
                    self.clear(address, shape, local_size(code, local));
                }
                _ => {}
            }
        }
    }

    fn place_memory(&mut self, bytes: u64) -> LocalStorage {
        if bytes <= self.frame.slots {
            self.frame.slots -= bytes;
            LocalStorage::Slot(self.new_slot(bytes))
        } else {
            self.place_large(bytes)
        }
    }

    fn place_large(&mut self, bytes: u64) -> LocalStorage {
        let offset = self.frame.size;
        self.frame.size += bytes;
        LocalStorage::Large(offset as i32)
    }

    /// Allocates the large frame from the context; the function returns at once if memory is exhausted.
    fn take_large_frame(&mut self) {
        let [fast, slow, fail, go] = [(); 4].map(|()| self.b.create_block());
        self.b.set_cold_block(slow);
        self.b.set_cold_block(fail);
        let base = self.b.append_block_param(go, POINTER);

        let cursor = self.load(POINTER, self.ctx_field(FRAMES_CURSOR));
        let size = self.pointer(self.frame.size as usize);
        let next = self.b.ins().iadd(cursor, size);
        let end = self.load(POINTER, self.ctx_field(FRAMES_END));
        let fits = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, next, end);
        self.b.ins().brif(fits, fast, &[], slow, &[]);
        self.b.seal_block(fast);
        self.b.seal_block(slow);

        self.b.switch_to_block(fast);
        self.store(next, self.ctx_field(FRAMES_CURSOR));
        self.b.ins().jump(go, &[cursor.into()]);

        self.b.switch_to_block(slow);
        let (place, size) = (self.place(), self.int(self.frame.size as i32));
        let memory = self.call_value(shims::grow_frames(), &[self.ctx, place, size]);
        self.b.ins().brif(memory, go, &[memory.into()], fail, &[]);
        self.b.seal_block(fail);
        self.b.seal_block(go);

        self.b.switch_to_block(fail);
        self.b.ins().return_(&[]);

        self.b.switch_to_block(go);
        self.frame.base = Some(base);
    }

    /// Releases the large frame and returns.
    pub(super) fn close_frame(&mut self) {
        if let Some(base) = self.frame.base {
            self.store(base, self.ctx_field(FRAMES_CURSOR));
        }
        self.b.ins().return_(&[]);
    }

    pub(super) fn ctx_field(&self, offset: i32) -> Address {
        Address::new(self.ctx, offset)
    }

    /// Returns the storage of arguments and results of calls.
    pub(super) fn call_area(&mut self) -> Address {
        match self.frame.call_area {
            Some(LocalStorage::Slot(slot)) => self.slot(slot),
            Some(LocalStorage::Large(offset)) => {
                Address::new(self.frame.base.expect("a large call area has a large frame"), offset)
            }
            _ => unreachable!("a function that calls has a call area"),
        }
    }

    /// Copies a variable to memory.
    pub(super) fn save(&mut self, local: LocalId, to: Address) {
        if layout::register(self.ty(local)).is_some() {
            let value = self.read(Operand::Local(local));
            self.b.ins().store(trusted(), value, to.base, to.offset);
        } else {
            let from = self.local_address(local);
            self.copy(to, from, local_size(self.code, local));
        }
    }

    /// Loads a variable from memory.
    pub(super) fn restore(&mut self, local: LocalId, from: Address) {
        match layout::register(self.ty(local)) {
            Some(ty) => {
                let value = self.load(ty, from);
                self.write(local, value);
            }
            None => {
                let to = self.local_address(local);
                self.copy(to, from, local_size(self.code, local));
            }
        }
    }
}
