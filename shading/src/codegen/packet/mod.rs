//! Packet (SIMD) code: runs a unit at four points at once, with masks for divergent control flow.
//!
//! - A varying value has one row per number: a vector with one lane per point. Uniform values are computed once, by the
//!   scalar code.
//! - In divergent control flow a mask marks the active points. A branch is executed if it is active for any point, a loop
//!   until the last point has left it, and assignments keep the values of inactive points.
//! - Rare events have no packet code: if fuel is exhausted or an index is out of range, the packet is abandoned, and its
//!   points are run one by one from the start. No operation in packet code has side effects, so no effect occurs twice.
//! - Results have the same bits as those of the scalar code.
//!
//! Strings, closures, texture lookups, attributes, messages, output, recursion, point clouds and the functions of
//! [`shading_compiler::eval::library`] have no packet code: a unit in which any of them depends on the point, or has side
//! effects, is run point by point. Compilation of packet code needs up to five times as long as that of scalar code.
//! Nanoseconds per point on one thread:
//!
//! | shader | `run` | `run_batch` |
//! |---|--:|--:|
//! | writes u and v | 14.4 | 5.8 |
//! | eight octaves of noise | 177 | 84 |
//! | with derivatives | 371 | 161 |
//! | of colours | 351 | 194 |
//! | matrices, trigonometry | 1453 | 476 |
//! | four matrix inverses | 323 | 91 |
//! | Mandelbrot, up to 200 iterations | 163 | 78 |
//! | 27 cells of Worley noise | 685 | 229 |
//! | `pow`, `normalize` | 40 | 23 |
//! | 100 units, sums and products | 172 | 63 |
//! | 100 units, a third of them noises | 1443 | 459 |
//! | 1000 such units | 12937 | 4539 |

mod control;
mod emitter;
mod math;
mod memory;
mod op;
mod plan;
mod value;

use cranelift_codegen::ir::{self, InstBuilder, types};
use cranelift_entity::SecondaryMap;

use super::emitter::{Address, Emitter};
use super::layout::{FUEL, Shape};
use super::output::Outputs;
use shading_compiler::hir::{Block, LocalId, Operand};
use shading_compiler::ty::Type;

use emitter::{Packet, RowStorage};
pub(in crate::codegen) use plan::Plan;
pub(crate) use plan::rows_of;
use plan::{BlockKey, is_in_memory};

/// Size of a row in bytes.
pub(crate) const ROW: u64 = 16;

/// First row of each output, and total size in bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) rows: Vec<usize>,
    pub(crate) bytes: usize,
}

impl Layout {
    pub(super) fn of(outputs: &Outputs) -> Layout {
        let mut next = 0;
        let rows = outputs.list.iter().map(|(_, output)| {
            let first = next;
            next += rows_of(output.ty) as usize;
            first
        });
        let rows = rows.collect();
        Layout { rows, bytes: next * ROW as usize }
    }
}

/// Emits a whole function; returns the emitter for reuse.
pub(super) fn emit<'a, 'u>(
    mut e: Emitter<'a, 'u>,
    plan: &Plan,
    inits: &[&Block],
    outputs: &Outputs,
    layout: &Layout,
) -> Emitter<'a, 'u> {
    let varying: Vec<LocalId> = e.code.locals.keys().filter(|&l| plan.varies(l)).collect();
    let stored: Vec<LocalId> = outputs.list.iter().map(|(local, _)| *local).collect();
    e.open_frame(&varying, &stored, inits);
    let mask = e.b.declare_var(types::I32X4);
    let bail = e.b.create_block();
    let code = e.code;
    let mut packet = Packet {
        e,
        plan,
        rows: SecondaryMap::new(),
        mask,
        is_masked: false,
        block: BlockKey::of(&code.body),
        loops: 0,
        left_body: None,
        scopes: SecondaryMap::new(),
        exits: vec![],
        bail,
        records: vec![],
    };
    packet.open(&varying);
    for block in inits.iter().copied().chain([&code.body]) {
        packet.body(block);
    }
    packet.store_outputs(outputs, layout);
    packet.close();
    packet.e
}

impl Packet<'_, '_, '_> {
    /// Assigns zeroed storage to the varying variables.
    fn open(&mut self, varying: &[LocalId]) {
        let zero = [types::F32X4, types::I32X4].map(|ty| (ty, self.constant_row(ty, 0)));
        for &local in varying {
            let ty = self.e.ty(local);
            let storage = if is_in_memory(ty) {
                let slot = self.e.new_slot(rows_of(ty) * ROW);
                if self.plan.needs_clear(local) {
                    let at = self.e.slot(slot);
                    self.e.clear(at, Shape::Float, rows_of(ty) * ROW);
                }
                RowStorage::Memory(slot)
            } else {
                let row = row_type(ty);
                let variables = [(); 3].map(|()| self.e.b.declare_var(row));
                let (_, zero) = zero[usize::from(row == types::I32X4)];
                for variable in variables {
                    self.e.b.def_var(variable, zero);
                }
                RowStorage::Registers(variables)
            };
            self.rows[local] = Some(storage);
        }
    }

    fn store_outputs(&mut self, outputs: &Outputs, layout: &Layout) {
        for ((local, output), first) in outputs.list.iter().zip(&layout.rows) {
            for row in 0..rows_of(output.ty) {
                let value = self.row(Operand::Local(*local), row);
                let at = Address::new(self.e.memory, 0);
                self.e.store(value, at.plus((*first as u64 + row) * ROW));
            }
        }
    }

    fn close(&mut self) {
        self.e.b.ins().return_(&[]);
        self.e.b.seal_block(self.bail);
        self.e.b.switch_to_block(self.bail);
        self.e.b.set_cold_block(self.bail);
        let spent = self.e.int(-1);
        let fuel = self.e.ctx_field(FUEL);
        self.e.store(spent, fuel);
        self.e.b.ins().return_(&[]);
        // Block in which runs of the scalar code end.
        let finish = self.e.finish;
        self.e.b.seal_block(finish);
        self.e.b.switch_to_block(finish);
        self.e.b.ins().return_(&[]);
    }
}

fn row_type(ty: Type) -> ir::Type {
    match Shape::of(ty.base) {
        Shape::Int => types::I32X4,
        _ => types::F32X4,
    }
}
