//! Reading and writing of variables, constants and memory.

use cranelift_codegen::ir::{self, AbiParam, InstBuilder, StackSlotData, StackSlotKind, types};
use cranelift_entity::SecondaryMap;
use cranelift_frontend::FunctionBuilder;
use cranelift_jit::JITModule;
use rustc_hash::FxHashSet;

use super::emitter::{Address, Emitter, LocalStorage, MemoryFrame, NodeMemory, trusted};
use super::layout::{NUMBER_BYTES, NUMBERS, POINTER, Shape, const_shape, register};
use super::unit_context::UnitContext;
use crate::runtime::number_table::NumberTable;
use crate::runtime::shims::{Abi, Shim};
use shading_compiler::hir::{Code, Const, ConstId, LocalId, NumberIds, Operand};
use shading_compiler::ty::Type;
use shading_syntax::source::Span;

impl<'a, 'u> Emitter<'a, 'u> {
    /// Starts a function of three arguments.
    pub(super) fn new(
        mut b: FunctionBuilder<'a>,
        shared: &'a mut UnitContext<'u>,
        module: &'a mut JITModule,
        code: &'u Code,
        number_ids: &'u NumberIds,
    ) -> Emitter<'a, 'u> {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        b.seal_block(entry);
        let &[globals, ctx, memory] = b.block_params(entry) else {
            unreachable!("all functions have three arguments");
        };
        let finish = b.create_block();
        let has_numbers = number_ids.values().any(Option::is_some);
        let flags = trusted().with_readonly();
        let numbers = has_numbers.then(|| b.ins().load(POINTER, flags, ctx, NUMBERS));
        Emitter {
            b,
            shared,
            module,
            code,
            number_ids,
            numbers,
            storage: SecondaryMap::new(),
            frame: MemoryFrame::default(),
            nodes: NodeMemory::default(),
            globals,
            ctx,
            memory,
            finish,
            temps: vec![],
            records: None,
            temporaries: FxHashSet::default(),
            work: 0,
            signatures: vec![],
            span: Span::default(),
        }
    }

    // ---- Operands ----

    /// Shape of an operand, as far as its value determines it: a constant array has the element type of its first
    /// element.
    pub(super) fn shape(&self, operand: Operand) -> Shape {
        match operand {
            Operand::Local(local) => Shape::of(self.code.locals[local].ty.base),
            Operand::Const(id) => const_shape(&self.code.consts[id]),
        }
    }

    pub(super) fn ty(&self, local: LocalId) -> Type {
        self.code.locals[local].ty
    }

    pub(super) fn constant(&self, operand: Operand) -> Option<&'u Const> {
        match operand {
            Operand::Local(_) => None,
            Operand::Const(id) => Some(&self.code.consts[id]),
        }
    }

    /// Reads an operand of a register type.
    pub(super) fn read(&mut self, operand: Operand) -> ir::Value {
        match operand {
            Operand::Local(local) => match self.storage[local] {
                Some(LocalStorage::Register(variable)) => self.b.use_var(variable),
                Some(LocalStorage::Value(Some(value))) => value,
                _ => {
                    let ty = register(self.ty(local)).expect("an operand of a register type");
                    let address = self.local_address(local);
                    self.load(ty, address)
                }
            },
            Operand::Const(id) => match self.number(id) {
                Some(at) => {
                    let ty = const_shape(&self.code.consts[id]).register();
                    self.load_number(ty.expect("floats and triples are in registers"), at)
                }
                None => self.const_value(&self.code.consts[id]),
            },
        }
    }

    /// Returns the index of a constant among the numbers of the instance; `None` if it is part of the code.
    pub(super) fn number(&self, id: ConstId) -> Option<Address> {
        let base = self.numbers?;
        let number = self.number_ids[id]?;
        Some(Address::new(base, (NUMBER_BYTES * number.0) as i32))
    }

    /// Returns the address of a row for packets of a constant among the numbers of the instance.
    pub(super) fn number_row(&self, id: ConstId, row: u64) -> Option<Address> {
        let number = self.number(id)?;
        if const_shape(&self.code.consts[id]) == Shape::Float {
            return Some(number); // It is in all lanes.
        }
        let first = NumberTable::rows_of(self.number_ids[id]?.0 as usize, self.shared.numbers.values.len());
        Some(
            Address::new(number.base, NUMBER_BYTES as i32 * first as i32).plus(u64::from(NUMBER_BYTES) * row),
        )
    }

    /// Loads one of the instance's numbers, which do not change.
    pub(super) fn load_number(&mut self, ty: ir::Type, at: Address) -> ir::Value {
        let flags = trusted().with_readonly();
        self.b.ins().load(ty, flags, at.base, at.offset)
    }

    /// Reads operands of register types.
    pub(super) fn read_all<const N: usize>(&mut self, operands: &[Operand]) -> [ir::Value; N] {
        std::array::from_fn(|i| self.read(operands[i]))
    }

    fn const_value(&mut self, value: &Const) -> ir::Value {
        match value {
            Const::Int(i) => self.int(*i),
            Const::Float(_) | Const::Triple(_) => unreachable!("the constant is a number of the instance"),
            Const::String(text) => {
                let address = self.shared.texts.intern(text).expose_provenance();
                self.pointer(address)
            }
            Const::NullClosure => self.pointer(0),
            Const::Matrix(_) | Const::Array(_) => unreachable!("the constant lives in memory"),
        }
    }

    /// Assigns a local of a register type.
    pub(super) fn write(&mut self, local: LocalId, value: ir::Value) {
        match &mut self.storage[local] {
            Some(LocalStorage::Register(variable)) => self.b.def_var(*variable, value),
            Some(LocalStorage::Value(place)) => *place = Some(value),
            _ => {
                let address = self.local_address(local);
                self.store(value, address);
            }
        }
    }

    pub(super) fn address(&mut self, operand: Operand) -> Address {
        match operand {
            Operand::Local(local) => self.local_address(local),
            Operand::Const(id) => {
                if let Some(at) = self.number(id) {
                    return at;
                }
                let address = self.shared.data.intern(&self.code.consts[id], &mut self.shared.texts);
                Address::new(self.pointer(address), 0)
            }
        }
    }

    pub(super) fn local_address(&mut self, local: LocalId) -> Address {
        match self.storage[local] {
            Some(LocalStorage::Slot(slot)) => self.slot(slot),
            Some(LocalStorage::Large(offset)) => {
                Address::new(self.frame.base.expect("a function with large locals has a large frame"), offset)
            }
            _ => unreachable!("{local} is not in memory"),
        }
    }

    // ---- Values ----

    pub(super) fn int(&mut self, i: i32) -> ir::Value {
        self.b.ins().iconst(types::I32, i64::from(i))
    }

    pub(super) fn float(&mut self, x: f32) -> ir::Value {
        self.b.ins().f32const(x)
    }

    pub(super) fn pointer(&mut self, address: usize) -> ir::Value {
        self.b.ins().iconst(POINTER, address as i64)
    }

    /// Returns a constant triple; the last lane is zero.
    pub(super) fn triple(&mut self, [x, y, z]: [f32; 3]) -> ir::Value {
        self.four([x, y, z, 0.0])
    }

    /// A constant vector.
    pub(super) fn four(&mut self, lanes: [f32; 4]) -> ir::Value {
        let bytes: Vec<u8> = lanes.into_iter().flat_map(f32::to_le_bytes).collect();
        let constant = self.b.func.dfg.constants.insert(bytes.into());
        self.b.ins().vconst(types::F32X4, constant)
    }

    /// Zero, the empty string or null.
    pub(super) fn zero(&mut self, shape: Shape) -> ir::Value {
        match shape {
            Shape::Int => self.int(0),
            Shape::Float => self.float(0.0),
            Shape::Triple => self.triple([0.0; 3]),
            Shape::Text => self.pointer(crate::runtime::text::empty().expose_provenance()),
            Shape::Closure => self.pointer(0),
            Shape::Matrix => unreachable!("a matrix lives in memory"),
        }
    }

    /// Extracts lanes 0 to 2 of a triple.
    pub(super) fn lanes(&mut self, triple: ir::Value) -> [ir::Value; 3] {
        [0u8, 1, 2].map(|lane| self.b.ins().extractlane(triple, lane))
    }

    /// Builds a triple from three lanes.
    pub(super) fn make_triple(&mut self, [x, y, z]: [ir::Value; 3]) -> ir::Value {
        let triple = self.b.ins().scalar_to_vector(types::F32X4, x);
        let triple = self.b.ins().insertlane(triple, y, 1u8);
        self.b.ins().insertlane(triple, z, 2u8)
    }

    // ---- Memory ----

    pub(super) fn load(&mut self, ty: ir::Type, at: Address) -> ir::Value {
        self.b.ins().load(ty, trusted(), at.base, at.offset)
    }

    pub(super) fn store(&mut self, value: ir::Value, at: Address) {
        self.b.ins().store(trusted(), value, at.base, at.offset);
    }

    pub(super) fn address_of(&mut self, at: Address) -> ir::Value {
        if at.offset == 0 {
            at.base
        } else {
            let offset = self.pointer(at.offset as usize);
            self.b.ins().iadd(at.base, offset)
        }
    }

    pub(super) fn slot(&mut self, slot: ir::StackSlot) -> Address {
        Address::new(self.b.ins().stack_addr(POINTER, slot, 0), 0)
    }

    pub(super) fn new_slot(&mut self, bytes: u64) -> ir::StackSlot {
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes as u32, 4);
        self.b.create_sized_stack_slot(data)
    }

    /// Returns the `i`-th temporary triple. Shims read their arguments immediately, so every operation can reuse all
    /// temporaries.
    pub(super) fn temp(&mut self, i: usize) -> Address {
        while self.temps.len() <= i {
            let slot = self.new_slot(16);
            self.temps.push(slot);
        }
        self.slot(self.temps[i])
    }

    /// Returns memory for `count` numbers or triples with derivatives: three times 16 bytes each.
    pub(super) fn dual_records(&mut self, count: usize) -> Address {
        let slot = match self.records {
            Some((slot, room)) if room >= count => slot,
            _ => {
                let slot = self.new_slot(48 * count as u64);
                self.records = Some((slot, count));
                slot
            }
        };
        self.slot(slot)
    }

    /// Stores a triple in the `i`-th temporary; returns its address.
    pub(super) fn spill(&mut self, i: usize, triple: ir::Value) -> ir::Value {
        let at = self.temp(i);
        self.store(triple, at);
        at.base
    }

    // ---- Calls of Rust functions ----

    /// Calls a shim; returns its result, if it has one.
    pub(super) fn call(&mut self, shim: Shim, args: &[ir::Value]) -> Option<ir::Value> {
        let of = |abi| match abi {
            Abi::Int => types::I32,
            Abi::Float => types::F32,
            Abi::Pointer => POINTER,
        };
        let mut signature = ir::Signature::new(self.shared.call_conv);
        signature.params.extend(shim.params().map(|p| AbiParam::new(of(p))));
        signature.returns.extend(shim.result().map(|r| AbiParam::new(of(r))));
        debug_assert_eq!(signature.params.len(), args.len(), "{shim:?}");
        let signature = match self.signatures.iter().find(|(known, _)| *known == signature) {
            Some((_, id)) => *id,
            None => {
                let id = self.b.import_signature(signature.clone());
                self.signatures.push((signature, id));
                id
            }
        };
        let callee = self.pointer(shim.address());
        let call = self.b.ins().call_indirect(signature, callee, args);
        self.b.inst_results(call).first().copied()
    }

    /// Calls a shim that has a result.
    pub(super) fn call_value(&mut self, shim: Shim, args: &[ir::Value]) -> ir::Value {
        self.call(shim, args).expect("the shim has a result")
    }

    /// Returns the index of the current source location in the place table.
    pub(super) fn place(&mut self) -> ir::Value {
        let index = self.shared.place(self.span);
        self.int(index as i32)
    }
}
