//! Code generation: compiles HIR to machine code with Cranelift. No other module of the workspace uses Cranelift.
//!
//! - A unit becomes one function `(globals, context, outputs)`; recursive functions become functions beside it, which take
//!   and give their values in memory of their caller.
//! - Locals in registers are Cranelift variables, from which it builds SSA form; `layout.rs` defines how the others are
//!   stored in memory.
//! - Compiled code computes the same bits as [`shading_compiler::eval`], or calls it.
//! - It accesses only the context, the shading point, its own memory and its outputs: indices are clamped, loops and
//!   calls consume fuel, recursion is bounded, and large arrays are not on the native stack.

mod call;
mod closure;
mod cloud;
mod comparison;
mod compiler;
mod data;
mod emitter;
mod error;
mod fingerprint;
mod frame;
mod global_set;
mod layout;
mod math;
mod memory;
mod module;
mod op;
mod options;
mod output;
pub(crate) mod packet;
mod shared;
mod stmt;
mod texture;
mod value;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use cranelift_module::Module;

use crate::runtime::closure::Layouts;
use crate::runtime::context::Places;
use crate::runtime::text::TextPool;
use crate::runtime::{HostFunctions, TextureProblem, TextureRequest};
use shading_compiler::eval::library::Function;
use shading_compiler::hir::ClosureRegistry;
use shading_compiler::hir::uniform::is_uniform;
use shading_compiler::hir::{Block, ClosureId, Op, Stmt, Unit, walk};
use shading_syntax::diagnostic::Label;
use shading_syntax::source::{SourceMap, Span};

use data::DataPool;
use error::MAX_MEMORY;
use output::{choose_outputs, inits};
use shared::{FailedLookup, Shared};

pub use error::CodegenError;
pub use global_set::GlobalSet;
pub use options::{CompileOptions, OptLevel};
pub use output::Output;

/// What is known of compiled code.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Time to compile the code for single points, in milliseconds.
    pub jit_ms: f64,
    /// Bytes of machine code.
    pub code_bytes: usize,
    /// Whether there is code for packets of points.
    pub has_packets: bool,
    /// Time to compile that, in milliseconds.
    pub packet_ms: f64,
    /// Operations of the HIR.
    pub ops: usize,
    /// Variables of the HIR.
    pub symbols: usize,
    /// Textures that are named in the code and that lookups cannot read: they are black.
    pub missing_textures: Vec<MissingTexture>,
    /// The closures that a run can make.
    pub closures: BTreeSet<ClosureId>,
    /// The globals that the code reads itself.
    pub reads_globals: GlobalSet,
    /// Whether it asks the host for attributes or spaces, which may read all of the shading point.
    pub asks_host: bool,
    /// Whether it reads derivatives of globals itself.
    pub asks_derivatives: bool,
    /// Whether it asks for the area of the object.
    pub asks_surface_area: bool,
    /// Whether it asks what kind of ray found the point.
    pub asks_ray_kind: bool,
    /// Whether every run makes the same closures and does nothing else, whatever the shading point, but for `N` and
    /// `dPdu` where these are handed on to closures, as a normal and as a vector.
    pub is_uniform: bool,
    /// Textures that are named in the code, in its order.
    pub textures: Vec<NamedTexture>,
    /// Files that the code asks for by name when it runs, where the names are constant.
    pub late_textures: BTreeSet<String>,
    /// Whether it asks for files by names that are computed when it runs.
    pub computes_texture_names: bool,
    /// Point clouds that are named in the code.
    pub clouds: BTreeSet<String>,
    /// Whether it searches point clouds by names that are computed when it runs.
    pub computes_cloud_names: bool,
    /// A hash of the HIR: of two shaders that do the same, mostly the same; of two that do not, hardly ever. Names do not
    /// count, and those of `textures` by their place in the list.
    pub fingerprint: u64,
}

/// A texture that code names.
#[derive(Clone, Debug)]
pub struct NamedTexture {
    /// What is asked of the host.
    pub request: TextureRequest,
    /// Where it is looked up first, when the sources are known.
    pub label: Option<Label>,
}

/// A texture that code names and cannot read.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingTexture {
    /// The name.
    pub name: String,
    /// Why.
    pub problem: TextureProblem,
    /// Where it is looked up, when the sources are known.
    pub label: Option<Label>,
    /// Whether the shader says what to show instead.
    pub optional: bool,
}

/// The place of a lookup.
fn label(span: Span, sources: Option<&SourceMap>) -> Option<Label> {
    let source = sources?.iter().nth(span.source.0 as usize)?.clone();
    Some(Label {
        source,
        range: span.start as usize..span.end as usize,
        text: String::new(),
    })
}

fn missing_textures(
    missing: BTreeMap<(String, TextureProblem), FailedLookup>,
    sources: Option<&SourceMap>,
) -> Vec<MissingTexture> {
    let list = missing.into_iter();
    list.map(|((name, problem), lookup)| MissingTexture {
        name,
        problem,
        label: label(lookup.span, sources),
        optional: lookup.is_optional,
    })
    .collect()
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
    /// Bytes of the closures that have fixed places, from the arena's start on.
    pub(crate) node_bytes: usize,
    /// The outputs of a packet.
    pub(crate) packet: packet::Layout,
    pub(crate) places: Places,
    pub(crate) layouts: Layouts,
    // The code refers to these by address.
    _texts: TextPool,
    _data: DataPool,
    #[expect(clippy::vec_box, reason = "the code refers to each by its address")]
    _library: Vec<Box<Function>>,
}

impl CompiledShader {
    pub(crate) fn code(&self) -> &module::Code {
        &self.code
    }
}

/// Does what is the same for all units.
pub(crate) fn prepare() {
    module::prepare();
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
    let mut module = module::new_module(level(unit, options.level)).map_err(backend)?;
    let mut shared = Shared::new(unit, registry, host, module.isa().default_call_conv());
    let packet = packet::Layout::of(&outputs);
    let packets = options.packets.then_some(&packet);
    let compiled = compiler::compile_all(&mut module, &mut shared, &outputs, packets);
    let compiler::Compiled {
        entries,
        bytes: code_bytes,
        packet_time,
    } = match compiled {
        Ok(done) => done,
        Err(message) => {
            module::free(module);
            return Err(backend(message));
        }
    };
    let code = module::Code::finish(module, entries).map_err(backend)?;

    let node_bytes = shared.reserved_bytes();
    let (ops, symbols) = size_of_unit(unit);
    let named = shared.texture_list.iter().map(|(request, span)| NamedTexture {
        request: request.clone(),
        label: label(*span, options.sources),
    });
    let textures: Vec<NamedTexture> = named.collect();
    let statistics = Statistics {
        jit_ms: start.elapsed().saturating_sub(packet_time).as_secs_f64() * 1e3,
        code_bytes,
        has_packets: code.has_packets(),
        packet_ms: packet_time.as_secs_f64() * 1e3,
        ops,
        symbols,
        missing_textures: missing_textures(shared.missing, options.sources),
        reads_globals: shared.reads,
        asks_host: shared.asks_host,
        asks_derivatives: shared.asks_derivatives,
        asks_surface_area: shared.asks_surface_area,
        asks_ray_kind: shared.asks_ray_kind,
        is_uniform: is_uniform(unit, registry),
        fingerprint: fingerprint::fingerprint(unit, &shared.texture_list),
        textures,
        late_textures: shared.late_textures,
        computes_texture_names: shared.computes_texture_names,
        clouds: shared.clouds.into_keys().collect(),
        computes_cloud_names: shared.computes_cloud_names,
        closures: shared.closures.clone(),
    };
    let layouts = || Layouts::of(registry, &shared.closures);
    let mut places = shared.places.finish(&unit.name, options.sources);
    places.closures = shared.shows_closures.then(|| (registry.clone(), layouts()));
    Ok(CompiledShader {
        code,
        statistics,
        output_bytes: outputs.size,
        node_bytes,
        packet,
        outputs: outputs.list.into_iter().map(|(_, output)| output).collect(),
        places,
        layouts: layouts(),
        _texts: shared.texts,
        _data: shared.data,
        _library: shared.library,
    })
}

/// The level to compile a unit at: loops that call nothing are worth good registers. Around calls all values are in memory
/// anyway.
fn level(unit: &Unit, asked: OptLevel) -> OptLevel {
    let calls_nothing = |body: &[Stmt]| {
        let mut calls = false;
        walk::statements(body, &mut |stmt| calls |= is_call(stmt));
        !calls
    };
    let mut codes = unit.functions.values().map(|f| &f.code).chain([&unit.code]);
    match asked {
        OptLevel::Fast if codes.any(|code| walk::any_loop(&code.body, &mut { calls_nothing })) => {
            OptLevel::Plain
        }
        OptLevel::Fast | OptLevel::Plain | OptLevel::Full => asked,
    }
}

/// Whether a statement is a call in machine code.
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

    /// The level at which a loop is compiled when [`OptLevel::Fast`] was asked for.
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
