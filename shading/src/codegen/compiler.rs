//! Compilation of all functions of a unit.

use std::time::{Duration, Instant};

use cranelift_codegen::Context;
use cranelift_codegen::ir::InstBuilder;
use cranelift_entity::SecondaryMap;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Linkage, Module};

use super::emitter::{Address, Emitter};
use super::frame::CallLayout;
use super::layout::{NODES, POINTER};
use super::output::{Outputs, inits};
use super::packet;
use super::stmt::{Flow, Scopes};
use super::unit_context::UnitContext;
use shading_compiler::hir::{Block, Code, Function, LocalId, NumberIds, walk};

/// Entry functions of a unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries {
    /// Entry for one point.
    pub(super) point: FuncId,
    /// Entry for the points of a packet, if the unit supports it.
    pub(super) packet: Option<FuncId>,
}

/// Result of a compilation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compiled {
    pub(super) entries: Entries,
    /// Size of the machine code in bytes.
    pub(super) bytes: usize,
    pub(super) packet_time: Duration,
}

pub(super) fn compile_all(
    module: &mut JITModule,
    shared: &mut UnitContext<'_>,
    outputs: &Outputs,
    packets: Option<&packet::Layout>,
) -> Result<Compiled, String> {
    let unit = shared.unit;
    let signature = shared.signature();
    for (id, _) in &unit.functions {
        let name = format!("{id}");
        let declared = module.declare_function(&name, Linkage::Local, &signature);
        shared.functions[id] = Some(declared.map_err(|e| e.to_string())?);
    }
    let entry = module
        .declare_function("entry", Linkage::Local, &signature)
        .map_err(|e| e.to_string())?;

    let mut compiler = Compiler {
        module,
        shared,
        ctx: Context::new(),
        builder: FunctionBuilderContext::new(),
        bytes: 0,
    };
    for (id, function) in &unit.functions {
        let numbers = &compiler.shared.numbers.functions[id];
        let id = compiler.shared.functions[id].expect("declared above");
        compiler.function(id, function, numbers)?;
    }
    compiler.entry(entry, outputs)?;
    let start = Instant::now();
    let packet = match packets {
        Some(layout) => compiler.packet_entry(outputs, layout)?,
        None => None,
    };
    Ok(Compiled {
        entries: Entries { point: entry, packet },
        bytes: compiler.bytes,
        packet_time: start.elapsed(),
    })
}

/// Compiles the functions in turn, reusing memory.
struct Compiler<'m, 's, 'u> {
    module: &'m mut JITModule,
    shared: &'s mut UnitContext<'u>,
    ctx: Context,
    builder: FunctionBuilderContext,
    bytes: usize,
}

impl<'u> Compiler<'_, '_, 'u> {
    fn entry(&mut self, id: FuncId, outputs: &Outputs) -> Result<(), String> {
        let unit = self.shared.unit;
        let stored: Vec<(LocalId, u64)> = outputs
            .list
            .iter()
            .map(|(local, output)| (*local, output.offset as u64))
            .collect();
        let inits = inits(unit);
        self.define(id, &unit.code, &self.shared.numbers.body, |mut emitter| {
            let nodes = emitter.load(POINTER, emitter.ctx_field(NODES));
            emitter.nodes.base = Some(nodes);
            emitter.count_temporaries(&inits, &stored);
            emitter.body(&inits, &[], &stored);
            emitter
        })
    }

    /// Compiles the packet code; `None` if the unit contains operations that run at single points only.
    fn packet_entry(&mut self, outputs: &Outputs, layout: &packet::Layout) -> Result<Option<FuncId>, String> {
        let unit = self.shared.unit;
        let stored: Vec<LocalId> = outputs.list.iter().map(|(local, _)| *local).collect();
        let Some(plan) = packet::Plan::of(unit, &stored) else {
            return Ok(None);
        };
        let declared = self.module.declare_function("packet", Linkage::Local, &self.shared.signature());
        let id = declared.map_err(|e| e.to_string())?;
        self.define(id, &unit.code, &self.shared.numbers.body, |emitter| {
            packet::emit(emitter, &plan, &inits(unit), outputs, layout)
        })?;
        Ok(Some(id))
    }

    fn function(&mut self, id: FuncId, function: &'u Function, numbers: &'u NumberIds) -> Result<(), String> {
        let layout = CallLayout::of(function);
        let pair = |locals: &[LocalId], offsets: &[u64]| -> Vec<(LocalId, u64)> {
            locals.iter().copied().zip(offsets.iter().copied()).collect()
        };
        let loaded = pair(&function.params, &layout.params);
        let stored = pair(&function.outputs, &layout.outputs);
        self.define(id, &function.code, numbers, |mut emitter| {
            emitter.count_temporaries(&[], &stored);
            emitter.body(&[], &loaded, &stored);
            emitter
        })
    }

    /// Compiles one function with the body emitted by `emit`.
    fn define(
        &mut self,
        id: FuncId,
        code: &'u Code,
        numbers: &'u NumberIds,
        emit: impl for<'e> FnOnce(Emitter<'e, 'u>) -> Emitter<'e, 'u>,
    ) -> Result<(), String> {
        self.ctx.func.signature = self.shared.signature();
        let frontend = self.module.isa().frontend_config();
        let b = FunctionBuilder::new(&mut self.ctx.func, &mut self.builder);
        let emitter = emit(Emitter::new(b, self.shared, self.module, code, numbers));
        emitter.b.finalize(frontend);
        self.module.define_function(id, &mut self.ctx).map_err(|e| format!("{e:?}"))?;
        self.bytes += self.ctx.compiled_code().map_or(0, |c| c.code_buffer().len());
        self.module.clear_context(&mut self.ctx);
        Ok(())
    }
}

impl Emitter<'_, '_> {
    /// Emits a function. `loaded` variables are loaded from its memory argument at the start, `stored` ones stored
    /// there at the end.
    fn body(&mut self, inits: &[&Block], loaded: &[(LocalId, u64)], stored: &[(LocalId, u64)]) {
        let memory = Address::new(self.memory, 0);
        let locals = |pairs: &[(LocalId, u64)]| pairs.iter().map(|(l, _)| *l).collect::<Vec<_>>();
        self.open_frame(&locals(loaded), &locals(stored), inits);
        for (local, offset) in loaded {
            self.restore(*local, memory.plus(*offset));
        }
        let mut scopes = Scopes::default();
        let mut flow = Flow::On;
        for block in inits.iter().copied().chain([&self.code.body]) {
            if flow == Flow::On {
                flow = self.block(block, &mut scopes);
            }
        }
        if flow == Flow::On {
            self.b.ins().jump(self.finish, &[]);
        }
        self.b.seal_block(self.finish);
        self.b.switch_to_block(self.finish);
        for (local, offset) in stored {
            self.save(*local, memory.plus(*offset));
        }
        self.close_frame();
    }

    /// Finds the locals that are assigned once and read once.
    fn count_temporaries(&mut self, inits: &[&Block], stored: &[(LocalId, u64)]) {
        let (mut reads, mut writes) =
            (SecondaryMap::<LocalId, u32>::new(), SecondaryMap::<LocalId, u32>::new());
        for (local, _) in stored {
            reads[*local] += 2;
        }
        for block in inits.iter().copied().chain([&self.code.body]) {
            walk::statements(block, &mut |stmt| {
                walk::reads(stmt).for_each(|local| reads[local] += 1);
                walk::writes(stmt).iter().for_each(|&local| writes[local] += 1);
            });
        }
        self.temporaries = self
            .code
            .locals
            .keys()
            .filter(|&local| reads[local] == 1 && writes[local] == 1)
            .collect();
    }
}
