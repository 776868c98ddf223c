//! Code generation: compiles HIR to machine code with Cranelift. No other module of the workspace uses Cranelift.
//!
//! - A unit becomes one function `(globals, context, outputs)`; recursive functions become further functions, which receive
//!   and return values in their caller's memory.
//! - Locals in registers are Cranelift variables, from which it builds SSA form; `layout.rs` defines the memory layout of
//!   other locals. If Cranelift would have to track too many variables, more of them are in memory: `local_uses.rs`.
//! - Compiled code computes the same bits as [`shading_compiler::eval`], or calls it.
//! - It accesses only the context, the shading point, its own memory and its outputs: indices are clamped, loops and calls
//!   consume fuel, recursion is bounded, and large arrays are not on the native stack.

mod call;
mod closure;
mod cloud;
mod codegen_unit;
mod comparison;
mod compiler;
mod data;
mod emitter;
mod error;
mod fingerprint;
mod frame;
mod global_set;
mod layout;
mod local_uses;
mod math;
mod memory;
mod module;
mod op;
mod options;
mod output;
pub(crate) mod packet;
mod place;
mod statistics;
mod stmt;
mod string_constant;
mod texture;
mod unit_context;
mod value;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use cranelift_module::Module;

use crate::runtime::closure::Layouts;
use crate::runtime::context::{PrintedClosures, ReportPlaces};
use crate::runtime::number_table::NumberTable;
use crate::runtime::text::TextPool;
use crate::runtime::{HostFunctions, UnreadableTexture};
use shading_compiler::eval::library::Function;
use shading_compiler::hir::ClosureRegistry;
use shading_compiler::hir::attributes;
use shading_compiler::hir::uniform::is_uniform;
use shading_compiler::hir::{Block, Op, Stmt, Unit, walk};
use shading_syntax::diagnostic::Label;
use shading_syntax::source::{SourceMap, Span};

use data::DataPool;
use error::MAX_MEMORY;
use local_uses::LocalUses;
use output::{choose_outputs, inits};
use unit_context::{FailedLookup, UnitContext};

pub(crate) use codegen_unit::CodegenUnit;
pub use error::CodegenError;
pub use global_set::GlobalSet;
pub use options::{CompileOptions, OptLevel};
pub use output::Output;
pub use statistics::{MissingTexture, NamedTexture, Statistics};

fn label(span: Span, sources: Option<&SourceMap>) -> Option<Label> {
    let source = sources?.iter().nth(span.source.0 as usize)?.clone();
    Some(Label {
        source,
        range: span.start as usize..span.end as usize,
        text: String::new(),
    })
}

fn missing_textures(missing: BTreeMap<(String, UnreadableTexture), FailedLookup>) -> Vec<MissingTexture> {
    let list = missing.into_iter();
    list.map(|((name, problem), lookup)| MissingTexture {
        name,
        problem,
        label: None,
        optional: lookup.is_optional,
    })
    .collect()
}

/// Data of an instance that is not shared with other instances of the same code.
#[derive(Clone, Debug)]
pub(crate) struct InstanceData {
    pub(crate) statistics: Statistics,
    pub(crate) numbers: NumberTable,
    pub(crate) places: ReportPlaces,
}

/// Machine code of a unit, with all data that the code refers to.
#[derive(Debug)]
pub struct CompiledShader {
    code: module::Code,
    /// Statistics of the code, without labels, constants of closures and fingerprint, which each instance has.
    statistics: Statistics,
    /// Location of the first lookup of each texture.
    texture_places: Vec<u32>,
    /// Location of a lookup of each missing texture.
    missing_places: Vec<u32>,
    /// Outputs, in the requested order.
    pub outputs: Vec<Output>,
    pub(crate) output_bytes: usize,
    /// Size in bytes of the closure nodes with fixed offsets, at the start of the arena.
    pub(crate) node_bytes: usize,
    /// Layout of a packet's outputs.
    pub(crate) packet: packet::Layout,
    pub(crate) number_count: usize,
    /// Closures that the code may print, if any.
    printed: Option<Arc<PrintedClosures>>,
    pub(crate) layouts: Layouts,
    // Referenced by address in the code.
    _texts: TextPool,
    _data: DataPool,
    #[expect(clippy::vec_box, reason = "the code refers to each by its address")]
    _library: Vec<Box<Function>>,
}

impl CompiledShader {
    pub(crate) fn code(&self) -> &module::Code {
        &self.code
    }

    /// Returns the data of an instance of the unit that this code was compiled for, or of another unit with the same
    /// structure.
    pub(crate) fn instance_data(
        &self,
        prepared: CodegenUnit,
        sources: Option<&Arc<SourceMap>>,
    ) -> InstanceData {
        let CodegenUnit { unit, numbers, closures, places } = prepared;
        let mut statistics = self.statistics.clone();
        statistics.closure_constants = closures;
        statistics.fingerprint = fingerprint::fingerprint(&unit, &statistics.textures);
        let spans = places.into_spans();
        let label = |place: u32| label(spans[place as usize], sources.map(|sources| &**sources));
        for (texture, place) in statistics.textures.iter_mut().zip(&self.texture_places) {
            texture.label = label(*place);
        }
        for (texture, place) in statistics.missing_textures.iter_mut().zip(&self.missing_places) {
            texture.label = label(*place);
        }
        InstanceData {
            statistics,
            numbers: NumberTable::new(&numbers),
            places: ReportPlaces {
                shader: 0,
                name: unit.name,
                spans,
                sources: sources.cloned(),
                closures: self.printed.clone(),
            },
        }
    }
}

/// Performs the initialisation that is common to all units.
pub(crate) fn prepare() {
    module::prepare();
}

/// Compiles a linked unit: one without inputs, whose outputs are its output parameters.
///
/// # Errors
/// If a requested output does not exist, or the unit needs too much memory.
pub(crate) fn compile(
    prepared: &CodegenUnit,
    registry: &ClosureRegistry,
    host: &HostFunctions,
    options: &CompileOptions<'_>,
) -> Result<CompiledShader, CodegenError> {
    let start = Instant::now();
    let unit = &prepared.unit;
    let outputs = choose_outputs(unit, options.outputs)?;
    check_memory(unit)?;
    let backend = |message: String| CodegenError::Backend { unit: unit.name.clone(), message };
    let mut module = module::new_module(level(unit, options.level)).map_err(backend)?;
    let mut shared = UnitContext::new(prepared, registry, host, module.isa().default_call_conv());
    shared.counts_work = options.counts_work;
    let packet = packet::Layout::of(&outputs);
    let packets =
        Some(&packet).filter(|_| options.packets && !options.counts_work && !exceeds_registers(unit));
    let compiled = compiler::compile_all(&mut module, &mut shared, &outputs, packets);
    let compiler::Compiled { entries, bytes: code_bytes, packet_time } = match compiled {
        Ok(done) => done,
        Err(message) => {
            module::free(module);
            return Err(backend(message));
        }
    };
    let code = module::Code::finish(module, entries).map_err(backend)?;

    let node_bytes = shared.reserved_bytes();
    let (ops, symbols) = size_of_unit(unit);
    let (textures, texture_places) = shared.texture_list.into_iter().unzip();
    let missing_places = shared.missing.values().map(|lookup| lookup.place).collect();
    let mut late_files = shared.late_files;
    let chooses_names = shared.chooses_texture_names || shared.chooses_cloud_names;
    if chooses_names {
        late_files.extend(string_constant::string_constants(unit));
    }
    let composes_names = chooses_names && string_constant::composes_strings(unit);
    let statistics = Statistics {
        jit_ms: start.elapsed().saturating_sub(packet_time).as_secs_f64() * 1e3,
        code_bytes,
        has_packets: code.has_packets(),
        packet_ms: packet_time.as_secs_f64() * 1e3,
        ops,
        symbols,
        missing_textures: missing_textures(shared.missing),
        reads_globals: shared.reads,
        queries_host: shared.queries_host,
        reads_derivatives: shared.reads_derivatives,
        reads_surface_area: shared.reads_surface_area,
        reads_ray_kind: shared.reads_ray_kind,
        is_uniform: is_uniform(unit, registry),
        fingerprint: 0,
        textures,
        late_files,
        computes_texture_names: shared.chooses_texture_names && composes_names,
        clouds: shared.clouds.into_keys().collect(),
        computes_cloud_names: shared.chooses_cloud_names && composes_names,
        attributes: attributes::read_by(unit),
        closures: shared.closures.clone(),
        closure_constants: BTreeMap::new(),
    };
    let layouts = || Layouts::of(registry, &shared.closures);
    let printed = || PrintedClosures { registry: registry.clone(), layouts: layouts() };
    Ok(CompiledShader {
        code,
        statistics,
        texture_places,
        missing_places,
        number_count: prepared.numbers.values.len(),
        printed: shared.shows_closures.then(|| Arc::new(printed())),
        output_bytes: outputs.size,
        node_bytes,
        packet,
        outputs: outputs.list.into_iter().map(|(_, output)| output).collect(),
        layouts: layouts(),
        _texts: shared.texts,
        _data: shared.data,
        _library: shared.library,
    })
}

/// Maximum number of operations of a unit with full register allocation. Beyond it, registers are allocated in a single
/// pass, because the time of full allocation grows with the square of the size.
const MAX_ALLOCATED: usize = 4000;

/// Maximum product of a unit's operations and loops with full register allocation, since a value that is live across a loop
/// is considered in each of the loop's blocks.
const MAX_ALLOCATED_LOOPS: usize = 30_000;

/// Returns the optimisation level for a unit: loops without calls deserve good register allocation. Around calls, all
/// values are in memory anyway.
fn level(unit: &Unit, requested_level: OptLevel) -> OptLevel {
    let bodies = || unit.functions.values().map(|f| &f.code).chain([&unit.code]);
    let mut loops = 0;
    for code in bodies() {
        walk::statements(&code.body, &mut |stmt| {
            loops += usize::from(matches!(stmt, Stmt::Loop { .. }));
        });
    }
    let size = size_of_unit(unit).0;
    if size > MAX_ALLOCATED || size * loops > MAX_ALLOCATED_LOOPS || exceeds_registers(unit) {
        return OptLevel::Fast;
    }
    let calls_nothing = |body: &[Stmt]| {
        let mut calls = false;
        walk::statements(body, &mut |stmt| calls |= is_call(stmt));
        !calls
    };
    match requested_level {
        OptLevel::Fast if bodies().any(|code| walk::any_loop(&code.body, &mut { calls_nothing })) => {
            OptLevel::Plain
        }
        OptLevel::Fast | OptLevel::Plain | OptLevel::Full => requested_level,
    }
}

/// Returns whether a function of the unit has variables in memory because they exceed the registers.
fn exceeds_registers(unit: &Unit) -> bool {
    let functions = unit.functions.values().map(|f| (&f.code, &f.outputs[..], vec![]));
    let outputs: Vec<_> = unit.params.iter().map(|p| p.local).collect();
    let mut all = functions.chain([(&unit.code, &outputs[..], inits(unit))]);
    all.any(|(code, outputs, inits)| {
        LocalUses::may_exceed_registers(code, &inits)
            && LocalUses::of(code, outputs, &inits).exceed_registers()
    })
}

/// Returns whether a statement compiles to a call.
fn is_call(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Op { op, .. } => match op {
            Op::Builtin(builtin) => !math::is_inline(*builtin),
            Op::BuiltinDual(_) | Op::Texture(_) | Op::AttributeValue | Op::AttributeDerivative(_) => true,
            _ => false,
        },
        Stmt::Call { .. } => true,
        _ => false,
    }
}

fn check_memory(unit: &Unit) -> Result<(), CodegenError> {
    let check = |name: &str, bytes| {
        if bytes <= MAX_MEMORY {
            return Ok(());
        }
        Err(CodegenError::TooLarge { function: name.to_owned(), bytes })
    };
    check(&unit.name, frame::memory(unit, &unit.code, &inits(unit)))?;
    for function in unit.functions.values() {
        check(&function.name, frame::memory(unit, &function.code, &[]))?;
    }
    Ok(())
}

fn size_of_unit(unit: &Unit) -> (usize, usize) {
    let count = |block: &Block| {
        let mut count = 0;
        walk::statements(block, &mut |stmt| {
            count += usize::from(!matches!(stmt, Stmt::Scope { .. } | Stmt::Leave(_)));
        });
        count
    };
    let codes = || unit.functions.values().map(|f| &f.code).chain([&unit.code]);
    let ops = codes().map(|c| count(&c.body)).sum::<usize>();
    let symbols = codes().map(|c| c.locals.len()).sum();
    (ops + inits(unit).into_iter().map(count).sum::<usize>(), symbols)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::runtime::NoHost;
    use crate::{InstanceOptions, ShadingSystem, Source};

    /// Returns the level at which a loop is compiled if [`OptLevel::Fast`] was requested.
    fn level_of_loop(body: &str, result: &str) -> OptLevel {
        let text = format!(
            "shader s(output float result = 0) {{
                float sum = 0;
                for (int i = 0; i < 99 * u; i += 1) {{ {body} }}
                result = {result};
            }}"
        );
        let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(NoHost));
        let unit = system.unit(Source::new("s", text)).expect("it compiles");
        let (unit, ..) = system
            .optimized(&(&unit).into(), &InstanceOptions::default())
            .expect("it links");
        level(&unit, OptLevel::Fast)
    }

    #[test]
    fn loops_that_call_get_fast_registers() {
        assert_eq!(level_of_loop("sum += sqrt(v * i);", "sum"), OptLevel::Plain);
        assert_eq!(level_of_loop("sum += noise(P * i);", "sum"), OptLevel::Fast);
        assert_eq!(level_of_loop("sum += noise(P * i);", "Dx(sum)"), OptLevel::Fast);
    }
}
