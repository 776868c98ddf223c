//! Compiles the functions of a unit, one after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use cranelift_codegen::Context;
use cranelift_codegen::ir::{self, InstBuilder};
use cranelift_codegen::isa::CallConv;
use cranelift_entity::SecondaryMap;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Linkage, Module};
use rustc_hash::FxHashMap;

use super::data::{DataPool, PlaceTable};
use super::frame::CallLayout;
use super::layout::POINTER;
use super::stmt::{Flow, Scopes};
use super::value::{Address, Emitter};
use super::{GlobalSet, Outputs, inits, packet};
use crate::eval::library;
use crate::hir::ClosureRegistry;
use crate::hir::{Block, ClosureId, Code, Function, FunctionId, LocalId, Unit, walk};
use crate::runtime::text::TextPool;
use crate::runtime::{HostFunctions, TextureHandle, TextureRequest};
use crate::source::Span;

/// What the functions of one compilation have in common.
pub(super) struct Shared<'u> {
    pub(super) unit: &'u Unit,
    pub(super) registry: &'u ClosureRegistry,
    pub(super) host: &'u HostFunctions,
    pub(super) call_conv: CallConv,
    pub(super) functions: SecondaryMap<FunctionId, Option<FuncId>>,
    pub(super) texts: TextPool,
    pub(super) data: DataPool,
    /// The functions of the library that the code calls, by address.
    #[expect(clippy::vec_box, reason = "the code refers to each by its address")]
    pub(super) library: Vec<Box<library::Function>>,
    pub(super) places: PlaceTable,
    pub(super) textures: FxHashMap<TextureRequest, Option<TextureHandle>>,
    /// The same in the order of the code.
    pub(super) texture_list: Vec<TextureRequest>,
    /// Textures that the host does not know: where they are looked up, and whether the shader can do without.
    pub(super) missing: BTreeMap<String, (Span, bool)>,
    pub(super) closures: BTreeSet<ClosureId>,
    pub(super) shows_closures: bool,
    pub(super) reads: GlobalSet,
    pub(super) asks_host: bool,
    pub(super) asks_derivatives: bool,
    pub(super) asks_surface_area: bool,
    pub(super) asks_ray_kind: bool,
}

impl<'u> Shared<'u> {
    pub(super) fn new(
        unit: &'u Unit,
        registry: &'u ClosureRegistry,
        host: &'u HostFunctions,
        call_conv: CallConv,
    ) -> Shared<'u> {
        Shared {
            unit,
            registry,
            host,
            call_conv,
            functions: SecondaryMap::new(),
            texts: TextPool::default(),
            data: DataPool::default(),
            library: vec![],
            places: PlaceTable::default(),
            textures: FxHashMap::default(),
            missing: BTreeMap::new(),
            texture_list: vec![],
            closures: BTreeSet::new(),
            shows_closures: false,
            reads: GlobalSet::default(),
            asks_host: false,
            asks_derivatives: false,
            asks_surface_area: false,
            asks_ray_kind: false,
        }
    }

    /// The handle of a texture that is named in the code; asks the host once for each.
    pub(super) fn texture_handle(
        &mut self,
        request: TextureRequest,
        optional: bool,
        span: Span,
    ) -> Option<TextureHandle> {
        let handle = match self.textures.get(&request) {
            Some(handle) => *handle,
            None => {
                let handle = self.host.host.texture_handle(&request);
                self.textures.insert(request.clone(), handle);
                self.texture_list.push(request.clone());
                handle
            }
        };
        if handle.is_none() {
            let missing = self.missing.entry(request.file).or_insert((span, true));
            if missing.1 && !optional {
                *missing = (span, false);
            }
        }
        handle
    }

    /// The signature of all functions: globals, context, and outputs or arguments.
    fn signature(&self) -> ir::Signature {
        let mut signature = ir::Signature::new(self.call_conv);
        signature.params = vec![ir::AbiParam::new(POINTER); 3];
        signature
    }
}

/// The functions that run a unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries {
    /// At one point.
    pub(super) point: FuncId,
    /// At the points of a packet, where the unit can.
    pub(super) packet: Option<FuncId>,
}

/// What was compiled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compiled {
    pub(super) entries: Entries,
    /// Bytes of machine code.
    pub(super) bytes: usize,
    /// Time for the code of packets.
    pub(super) packet_time: Duration,
}

/// Compiles all functions.
pub(super) fn compile_all(
    module: &mut JITModule,
    shared: &mut Shared<'_>,
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
        let id = compiler.shared.functions[id].expect("declared above");
        compiler.function(id, function)?;
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

/// Compiles function after function, reusing memory.
struct Compiler<'m, 's, 'u> {
    module: &'m mut JITModule,
    shared: &'s mut Shared<'u>,
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
        self.define(id, &unit.code, &inits(unit), &[], &stored)
    }

    /// Compiles the code for packets; `None` when the unit does something that runs at single points only.
    fn packet_entry(&mut self, outputs: &Outputs, layout: &packet::Layout) -> Result<Option<FuncId>, String> {
        let unit = self.shared.unit;
        let stored: Vec<LocalId> = outputs.list.iter().map(|(local, _)| *local).collect();
        let Some(plan) = packet::Plan::of(unit, &stored) else {
            return Ok(None);
        };
        let declared = self
            .module
            .declare_function("packet", Linkage::Local, &self.shared.signature());
        let id = declared.map_err(|e| e.to_string())?;
        self.define_by(id, &unit.code, |emitter| {
            packet::emit(emitter, &plan, &inits(unit), outputs, layout)
        })?;
        Ok(Some(id))
    }

    fn function(&mut self, id: FuncId, function: &'u Function) -> Result<(), String> {
        let layout = CallLayout::of(function);
        let pair = |locals: &[LocalId], offsets: &[u64]| -> Vec<(LocalId, u64)> {
            locals.iter().copied().zip(offsets.iter().copied()).collect()
        };
        let loaded = pair(&function.params, &layout.params);
        let stored = pair(&function.outputs, &layout.outputs);
        self.define(id, &function.code, &[], &loaded, &stored)
    }

    /// Compiles one function. `loaded` come from its memory argument at the start, `stored` go there at the end.
    fn define(
        &mut self,
        id: FuncId,
        code: &'u Code,
        inits: &[&Block],
        loaded: &[(LocalId, u64)],
        stored: &[(LocalId, u64)],
    ) -> Result<(), String> {
        self.define_by(id, code, |mut emitter| {
            emitter.count_temporaries(inits, stored);
            emitter.body(inits, loaded, stored);
            emitter
        })
    }

    /// Compiles one function with what `emit` emits.
    fn define_by(
        &mut self,
        id: FuncId,
        code: &'u Code,
        emit: impl for<'e> FnOnce(Emitter<'e, 'u>) -> Emitter<'e, 'u>,
    ) -> Result<(), String> {
        self.ctx.func.signature = self.shared.signature();
        let frontend = self.module.isa().frontend_config();
        let b = FunctionBuilder::new(&mut self.ctx.func, &mut self.builder);
        let emitter = emit(Emitter::new(b, self.shared, self.module, code));
        emitter.b.finalize(frontend);
        self.module
            .define_function(id, &mut self.ctx)
            .map_err(|e| format!("{e:?}"))?;
        self.bytes += self.ctx.compiled_code().map_or(0, |c| c.code_buffer().len());
        self.module.clear_context(&mut self.ctx);
        Ok(())
    }
}

impl Emitter<'_, '_> {
    fn body(&mut self, inits: &[&Block], loaded: &[(LocalId, u64)], stored: &[(LocalId, u64)]) {
        let memory = Address {
            base: self.memory,
            offset: 0,
        };
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
        let (mut reads, mut writes) = (
            SecondaryMap::<LocalId, u32>::new(),
            SecondaryMap::<LocalId, u32>::new(),
        );
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
