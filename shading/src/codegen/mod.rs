//! Compiles HIR to machine code with Cranelift. Nothing else in the workspace names it.
//!
//! - A unit becomes one function `(globals, context, outputs)`; recursive functions become functions beside it, which take
//!   and give their values in memory of their caller.
//! - Locals in registers are Cranelift's variables, which builds SSA form of them; see [`layout`] for the others.
//! - Compiled code does what [`crate::eval`] says, bit for bit, or calls it.
//! - It reads and writes the context, the shading point, its own memory and its outputs, and nothing else: indices are
//!   clamped, loops and calls cost fuel, recursion is bounded, and large arrays are not on the native stack.

mod call;
mod closure;
mod data;
mod frame;
mod layout;
mod math;
mod memory;
mod module;
mod op;
mod stmt;
mod value;

use std::collections::BTreeSet;
use std::time::Instant;

use cranelift_codegen::Context;
use cranelift_codegen::ir::{self, InstBuilder};
use cranelift_codegen::isa::CallConv;
use cranelift_entity::SecondaryMap;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Linkage, Module};
use rustc_hash::FxHashMap;

use crate::builtins::Global;
use crate::hir::{Block, ClosureId, Code, Function, FunctionId, LocalId, Operand, Stmt, Unit};
use crate::runtime::closure::Layouts;
use crate::runtime::context::Places;
use crate::runtime::text::TextPool;
use crate::runtime::{ClosureRegistry, HostFunctions, TextureHandle};
use crate::source::SourceMap;
use crate::ty::Type;

use data::{DataPool, PlaceTable};
use frame::CallLayout;
use layout::{POINTER, Record};
use stmt::{Flow, Scopes};
use value::{Address, Emitter};

/// How much work goes into the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OptLevel {
    /// Least: one pass of register allocation. Compiles in 0.6 of the time and runs 1.5 times as long.
    Fast,
    /// No optimisation of instructions, but good register allocation.
    #[default]
    Plain,
    /// All that Cranelift can do. HIR is optimised already: compiles in 1.2 to 1.4 of the time and runs 0 to 3 % faster.
    Full,
}

/// How to compile.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileOptions<'a> {
    /// Names of the output parameters to store; all of them when `None`.
    pub outputs: Option<&'a [&'a str]>,
    /// How much work goes into the code.
    pub level: OptLevel,
    /// The sources that spans of the unit are of, so that reports can name lines.
    pub sources: Option<&'a SourceMap>,
}

/// Why a unit cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodegenError {
    /// An output that was asked for is not among the unit's.
    #[error("{unit} has no output `{output}`")]
    NoSuchOutput {
        /// The unit.
        unit: String,
        /// The output.
        output: String,
    },
    /// Its variables take too much memory.
    #[error(
        "the variables of {function} take {bytes} bytes of memory; at most {} are possible",
        MAX_MEMORY
    )]
    TooLarge {
        /// The unit or function.
        function: String,
        /// What they take.
        bytes: u64,
    },
    /// The machine is not one that Cranelift compiles for, or Cranelift gave up: a bug.
    #[error("cannot generate code for {unit}: {message}")]
    Backend {
        /// The unit.
        unit: String,
        /// What Cranelift said.
        message: String,
    },
}

/// Bytes of matrices and arrays that one function may have.
const MAX_MEMORY: u64 = 8 << 20;

/// The globals that code reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GlobalSet(u16);

impl GlobalSet {
    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether it has a global.
    pub fn contains(self, global: Global) -> bool {
        self.0 & 1 << global as u16 != 0
    }

    fn insert(&mut self, global: Global) {
        self.0 |= 1 << global as u16;
    }
}

/// What is known of compiled code.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Time to compile [ms].
    pub jit_ms: f64,
    /// Bytes of machine code.
    pub code_bytes: usize,
    /// Operations of the HIR.
    pub ops: usize,
    /// Variables of the HIR.
    pub symbols: usize,
    /// Textures that are named in the code and that the host does not know: they are black.
    pub missing_textures: Vec<String>,
    /// The closures that a run can make.
    pub closures: BTreeSet<ClosureId>,
    /// The globals that the code reads itself.
    pub reads_globals: GlobalSet,
    /// Whether it asks the host for attributes or spaces, which may read all of the shading point.
    pub asks_host: bool,
}

/// An output of compiled code.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Name of the parameter.
    pub name: String,
    /// Its type.
    pub ty: Type,
    pub(crate) offset: usize,
}

/// A unit as machine code, and all that the code refers to.
#[derive(Debug)]
pub struct CompiledShader {
    code: module::Code,
    /// What is known of the code.
    pub statistics: Statistics,
    /// Its outputs, in the order asked for.
    pub outputs: Vec<Output>,
    pub(crate) output_bytes: usize,
    pub(crate) places: Places,
    pub(crate) layouts: Layouts,
    // The code refers to these by address.
    _texts: TextPool,
    _data: DataPool,
}

impl CompiledShader {
    pub(crate) fn code(&self) -> &module::Code {
        &self.code
    }
}

/// Compiles a linked unit: one without inputs, whose outputs are its output parameters.
///
/// # Errors
/// When an output is not there, or the unit takes too much memory.
pub fn compile(
    unit: &Unit,
    registry: &ClosureRegistry,
    host: &HostFunctions,
    options: &CompileOptions<'_>,
) -> Result<CompiledShader, CodegenError> {
    let start = Instant::now();
    let outputs = choose_outputs(unit, options.outputs)?;
    check_memory(unit)?;
    let backend = |message: String| CodegenError::Backend {
        unit: unit.name.clone(),
        message,
    };
    let mut module = module::new_module(options.level).map_err(backend)?;
    let mut shared = Shared::new(unit, registry, host, module.isa().default_call_conv());
    let compiled = compile_all(&mut module, &mut shared, &outputs);
    let (entry, code_bytes) = match compiled {
        Ok(done) => done,
        Err(message) => {
            module::free(module);
            return Err(backend(message));
        }
    };
    let code = module::Code::finish(module, entry).map_err(|e| backend(e.to_string()))?;

    let (ops, symbols) = size_of_unit(unit);
    let statistics = Statistics {
        jit_ms: start.elapsed().as_secs_f64() * 1e3,
        code_bytes,
        ops,
        symbols,
        missing_textures: shared.missing.into_iter().collect(),
        reads_globals: shared.reads,
        asks_host: shared.asks_host,
        closures: shared.closures.clone(),
    };
    Ok(CompiledShader {
        code,
        statistics,
        output_bytes: outputs.size,
        outputs: outputs.list.into_iter().map(|(_, output)| output).collect(),
        places: shared.places.finish(&unit.name, options.sources),
        layouts: Layouts::of(registry, &shared.closures),
        _texts: shared.texts,
        _data: shared.data,
    })
}

/// The outputs of an entry function: the variables, and where they go.
struct Outputs {
    list: Vec<(LocalId, Output)>,
    size: usize,
}

fn choose_outputs(unit: &Unit, names: Option<&[&str]>) -> Result<Outputs, CodegenError> {
    let all = || unit.params.iter().filter(|p| p.output);
    let chosen = match names {
        None => all().collect(),
        Some(names) => names
            .iter()
            .map(|&name| {
                all()
                    .find(|p| p.name == name)
                    .ok_or_else(|| CodegenError::NoSuchOutput {
                        unit: unit.name.clone(),
                        output: name.to_owned(),
                    })
            })
            .collect::<Result<Vec<_>, _>>()?,
    };
    let mut record = Record::default();
    let list = chosen
        .into_iter()
        .map(|p| {
            let ty = unit.code.locals[p.local].ty;
            let offset = record.add(ty) as usize;
            let output = Output {
                name: p.name.clone(),
                ty,
                offset,
            };
            (p.local, output)
        })
        .collect();
    Ok(Outputs {
        list,
        size: record.size.next_multiple_of(16) as usize,
    })
}

fn inits(unit: &Unit) -> Vec<&Block> {
    unit.params.iter().map(|p| &p.init).collect()
}

fn check_memory(unit: &Unit) -> Result<(), CodegenError> {
    let check = |name: &str, bytes| {
        if bytes <= MAX_MEMORY {
            return Ok(());
        }
        Err(CodegenError::TooLarge {
            function: name.to_owned(),
            bytes,
        })
    };
    check(&unit.name, frame::memory(unit, &unit.code, &inits(unit)))?;
    for function in unit.functions.values() {
        check(&function.name, frame::memory(unit, &function.code, &[]))?;
    }
    Ok(())
}

fn size_of_unit(unit: &Unit) -> (usize, usize) {
    fn count(block: &Block) -> usize {
        let of = |stmt: &Stmt| match stmt {
            Stmt::Op { .. } | Stmt::Call { .. } => 1,
            Stmt::If { then, otherwise, .. } => 1 + count(then) + count(otherwise),
            Stmt::Loop { body, .. } => 1 + count(body),
            Stmt::Scope { body, .. } => count(body),
            Stmt::Leave(_) => 0,
        };
        block.iter().map(of).sum()
    }
    let codes = || unit.functions.values().map(|f| &f.code).chain([&unit.code]);
    let ops = codes().map(|c| count(&c.body)).sum::<usize>();
    let symbols = codes().map(|c| c.locals.len()).sum();
    (ops + inits(unit).into_iter().map(count).sum::<usize>(), symbols)
}

/// What the functions of one compilation have in common.
pub(crate) struct Shared<'u> {
    unit: &'u Unit,
    registry: &'u ClosureRegistry,
    host: &'u HostFunctions,
    call_conv: CallConv,
    functions: SecondaryMap<FunctionId, Option<FuncId>>,
    texts: TextPool,
    data: DataPool,
    places: PlaceTable,
    textures: FxHashMap<String, Option<TextureHandle>>,
    missing: BTreeSet<String>,
    closures: BTreeSet<ClosureId>,
    reads: GlobalSet,
    asks_host: bool,
}

impl<'u> Shared<'u> {
    fn new(
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
            places: PlaceTable::default(),
            textures: FxHashMap::default(),
            missing: BTreeSet::new(),
            closures: BTreeSet::new(),
            reads: GlobalSet::default(),
            asks_host: false,
        }
    }

    /// The handle of a texture that is named in the code; asks the host once for each.
    fn texture_handle(&mut self, name: &str) -> Option<TextureHandle> {
        if let Some(handle) = self.textures.get(name) {
            return *handle;
        }
        let handle = self.host.host.texture_handle(name);
        self.textures.insert(name.to_owned(), handle);
        if handle.is_none() {
            self.missing.insert(name.to_owned());
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

/// Compiles all functions; gives the entry and the bytes of code.
fn compile_all(
    module: &mut JITModule,
    shared: &mut Shared<'_>,
    outputs: &Outputs,
) -> Result<(FuncId, usize), String> {
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
    let bytes = compiler.bytes;
    Ok((entry, bytes))
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
        self.ctx.func.signature = self.shared.signature();
        let frontend = self.module.isa().frontend_config();
        let b = FunctionBuilder::new(&mut self.ctx.func, &mut self.builder);
        let mut emitter = Emitter::new(b, self.shared, self.module, code);
        emitter.count_temporaries(inits, stored);
        emitter.body(inits, loaded, stored);
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
        let mut counts = Counts::default();
        for (local, _) in stored {
            counts.reads[*local] += 2;
        }
        for block in inits.iter().copied().chain([&self.code.body]) {
            counts.block(block);
        }
        self.temporaries = self
            .code
            .locals
            .keys()
            .filter(|&l| counts.reads[l] == 1 && counts.writes[l] == 1)
            .collect();
    }
}

/// How often each local is mentioned.
#[derive(Default)]
struct Counts {
    reads: SecondaryMap<LocalId, u32>,
    writes: SecondaryMap<LocalId, u32>,
}

impl Counts {
    fn operands(&mut self, operands: &[Operand]) {
        for operand in operands {
            if let Operand::Local(local) = operand {
                self.reads[*local] += 1;
            }
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in block {
            match stmt {
                Stmt::Op { dst, args, .. } => {
                    self.operands(args);
                    if let Some(dst) = dst {
                        self.writes[*dst] += 1;
                    }
                }
                Stmt::Call { args, results, .. } => {
                    self.operands(args);
                    for result in results {
                        self.writes[*result] += 1;
                    }
                }
                Stmt::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    self.operands(&[*condition]);
                    self.block(then);
                    self.block(otherwise);
                }
                Stmt::Loop { body, .. } | Stmt::Scope { body, .. } => self.block(body),
                Stmt::Leave(_) => {}
            }
        }
    }
}
