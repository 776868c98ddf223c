//! Compiled shader instances: execution at a point or for a batch of points; outputs and closure trees.

use std::any::TypeId;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustc_hash::FxHasher;

use crate::codegen::packet;
use crate::codegen::{
    CodegenError, CodegenUnit, CompileOptions, CompiledShader, InstanceData, Output, Statistics, compile,
};
use crate::live::{LiveError, LiveInput};
use crate::runtime::closure::{ClosureTree, NodeHeader};
use crate::runtime::context::Run;
use crate::runtime::text::{self, TextHeader};
use crate::runtime::{HostFunctions, RunError, ShaderGlobals, ShadingContext};
use shading_compiler::check::deep_stack;
use shading_compiler::derivative::DerivativeStats;
use shading_compiler::eval::packet::POINTS;
use shading_compiler::graph::Value;
use shading_compiler::hir::ClosureRegistry;
use shading_compiler::hir::{Const, Unit};
use shading_compiler::opt::OptStats;
use shading_compiler::ty::{Base, Type};

/// Statistics of the steps before code generation.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileStats {
    /// Time to link.
    pub link: Duration,
    /// Number of variables that carry derivatives.
    pub derivatives: DerivativeStats,
    /// Time to differentiate and to optimise.
    pub optimize: Duration,
    /// Statistics of the optimiser.
    pub optimizer: OptStats,
}

/// Destination buffer of an output in a batch run.
#[derive(Debug)]
pub struct BatchOutput<'a> {
    /// The output, by its index.
    pub index: usize,
    /// Numbers of all points, those of each point adjacent, in the format of [`ShaderInstance::output_numbers`].
    pub numbers: &'a mut [f32],
}

/// A compiled shader. Threads can share it; each thread needs a [`ShadingContext`].
///
/// Instances that differ only in numbers share machine code.
#[derive(Debug)]
pub struct ShaderInstance {
    compiled: Arc<CompiledShader>,
    /// Numbers, source locations and statistics of this instance.
    data: InstanceData,
    /// Unique within the process.
    number: u64,
    host_type: TypeId,
    /// Offset of the output that holds the closure tree.
    root: Option<usize>,
    live: Vec<LiveInput>,
    hir: Option<Arc<Unit>>,
    compile_stats: CompileStats,
}

impl ShaderInstance {
    /// Compiles a linked unit: one without inputs, whose outputs are its output parameters.
    ///
    /// # Errors
    /// If a requested output does not exist, or the unit needs too much memory.
    pub fn compile(
        unit: &Unit,
        registry: &ClosureRegistry,
        host: &HostFunctions,
        options: &CompileOptions<'_>,
    ) -> Result<ShaderInstance, CodegenError> {
        let prepared = CodegenUnit::new(unit.clone());
        let compiled = compile_deep(&prepared, registry, host, options)?;
        let sources = options.sources.cloned().map(Arc::new);
        let data = compiled.instance_data(prepared, sources.as_ref());
        Ok(ShaderInstance::new(Arc::new(compiled), data, host))
    }

    /// An instance of compiled code.
    pub(crate) fn new(
        compiled: Arc<CompiledShader>,
        mut data: InstanceData,
        host: &HostFunctions,
    ) -> ShaderInstance {
        assert_eq!(
            data.numbers.len(),
            compiled.number_count,
            "code is shared by instances of one structure"
        );
        let number = next_number();
        data.places.shader = number;
        let root = compiled.outputs.iter().find(|o| o.ty == Type::CLOSURE).map(|o| o.offset);
        ShaderInstance {
            compiled,
            data,
            number,
            host_type: host.host_type,
            root,
            live: vec![],
            hir: None,
            compile_stats: CompileStats::default(),
        }
    }

    /// Runs the shader at a point. Returns the first closure output; an empty tree if there is none, or if the run was
    /// aborted (see [`ShadingContext::take_reports`]).
    ///
    /// A run acquires no lock and, once the context is large enough, allocates no memory.
    ///
    /// # Errors
    /// If the context is of another type of host than the instance, or the thread has too little stack left: see
    /// [`RunError`].
    #[inline]
    pub fn run<'c>(
        &'c self,
        globals: &ShaderGlobals,
        ctx: &'c mut ShadingContext,
    ) -> Result<ClosureTree<'c>, RunError> {
        let run = &mut *ctx.run;
        let outputs = self.start(run, globals, self.compiled.output_bytes)?;
        run.last = self.number;
        let run: *mut Run = run;
        #[expect(unsafe_code, reason = "this is where compiled code is called")]
        // SAFETY: `start` prepared the context and made its outputs large enough, the host's type is right, and all
        // data that the code refers to is in `self.compiled` and `self.data`, which has all the numbers that it reads.
        unsafe {
            self.compiled.code().call(globals, run.cast(), outputs);
        }
        if !ctx.finished() {
            self.drop_closures(ctx);
        }
        Ok(match self.root {
            Some(offset) => self.tree(offset, ctx),
            None => self.tree_at(std::ptr::null()),
        })
    }

    /// Runs the shader at many points and stores its outputs as numbers. Returns the number of completed points; the batch
    /// ends at the first aborted run.
    ///
    /// The results equal those of [`ShaderInstance::run`] at each point, bit for bit. If the instance was compiled with
    /// [`CompileOptions::packets`] and can run in packets, it runs four points at a time.
    ///
    /// # Errors
    /// As for [`ShaderInstance::run`]; if an output index is invalid; and if a buffer is too short for the numbers of all
    /// points.
    pub fn run_batch(
        &self,
        points: &[ShaderGlobals],
        ctx: &mut ShadingContext,
        outputs: &mut [BatchOutput<'_>],
    ) -> Result<usize, RunError> {
        for output in outputs.iter() {
            let known = self.outputs().get(output.index).ok_or(RunError::NoSuchOutput)?;
            if output.numbers.len() < points.len() * numbers_of(known.ty) {
                return Err(RunError::BufferTooShort);
            }
        }
        let mut done = 0;
        // Points before this one belong to an abandoned packet.
        let mut next_packet = 0;
        while let Some(globals) = points.get(done) {
            if self.compiled.code().has_packets()
                && done >= next_packet
                && let Some(packet) = points[done..].first_chunk()
            {
                if self.run_packet(packet, ctx)? {
                    self.store_packet(done, points.len(), ctx, outputs);
                    done += POINTS;
                    continue;
                }
                next_packet = done + POINTS;
            }
            self.run(globals, ctx)?;
            if !ctx.finished() {
                return Ok(done);
            }
            for BatchOutput { index, numbers } in &mut *outputs {
                let count = numbers.len() / points.len();
                self.output_numbers(*index, ctx, &mut numbers[done * count..][..count])?;
            }
            done += 1;
        }
        Ok(done)
    }

    /// Prepares a context for code with outputs of the given size; returns their address.
    #[inline(always)]
    fn start(
        &self,
        run: &mut Run,
        globals: *const ShaderGlobals,
        output_bytes: usize,
    ) -> Result<*mut u8, RunError> {
        if run.host_type != self.host_type {
            return Err(RunError::OtherHost);
        }
        let stack_limit = run.stack.limit()?;
        run.start(
            globals,
            &raw const self.data.places,
            self.data.numbers.as_ptr(),
            output_bytes,
            self.compiled.node_bytes,
            stack_limit,
        );
        Ok(run.outputs.as_mut_ptr().cast())
    }

    /// Runs the packet code; returns whether it completed.
    fn run_packet(
        &self,
        points: &[ShaderGlobals; POINTS],
        ctx: &mut ShadingContext,
    ) -> Result<bool, RunError> {
        let run = &mut *ctx.run;
        let outputs = self.start(run, points.as_ptr(), self.compiled.packet.bytes)?;
        // A packet's outputs have a different layout than those of one point.
        run.last = 0;
        run.is_packet = true;
        let run: *mut Run = run;
        #[expect(unsafe_code, reason = "this is where compiled code is called")]
        // SAFETY: as in `run`.
        unsafe {
            self.compiled.code().call_packet(points.as_ptr(), run.cast(), outputs);
        }
        ctx.run.is_packet = false;
        Ok(ctx.finished())
    }

    /// Stores the outputs of a packet that starts at index `first` of `points`.
    fn store_packet(
        &self,
        first: usize,
        points: usize,
        ctx: &ShadingContext,
        outputs: &mut [BatchOutput<'_>],
    ) {
        for BatchOutput { index, numbers } in outputs {
            let count = numbers.len() / points;
            let ty = self.compiled.outputs[*index].ty;
            let first_row = self.compiled.packet.rows[*index];
            let rows = packet::rows_of(ty).min(count as u64) as usize;
            if rows == 0 {
                continue;
            }
            let numbers = &mut numbers[first * count..][..POINTS * count];
            for row in 0..rows {
                let words = ctx.run.output_row(first_row + row);
                for (point, word) in words.into_iter().enumerate() {
                    numbers[point * count + row] = number_of(ty.base, word);
                }
            }
        }
    }

    /// An aborted run returns no closures.
    #[cold]
    fn drop_closures(&self, ctx: &mut ShadingContext) {
        for output in &self.compiled.outputs {
            if output.ty.base == Base::Closure {
                for i in 0..output.ty.count() as usize {
                    ctx.run.set_output_pointer(output.offset + 8 * i, 0);
                }
            }
        }
    }

    /// Outputs that the instance stores.
    pub fn outputs(&self) -> &[Output] {
        &self.compiled.outputs
    }

    /// Returns the index of an output.
    pub fn output_index(&self, name: &str) -> Option<usize> {
        self.outputs().iter().position(|o| o.name == name)
    }

    /// Returns an output of the last run in a context. Closures are returned as null; see [`ShaderInstance::closure`].
    ///
    /// # Errors
    /// If the output index is invalid, or the last run in the context was one of another instance.
    pub fn output(&self, index: usize, ctx: &ShadingContext) -> Result<Const, RunError> {
        let &Output { ty, offset, .. } = self.stored(index, ctx)?;
        if !ty.is_array() {
            return Ok(self.value(ty.base, offset, ctx));
        }
        let stride = match ty.base {
            Base::Int | Base::Float => 4,
            Base::String | Base::Closure => 8,
            Base::Matrix => 64,
            _ => 16,
        };
        let element = |i| self.value(ty.base, offset + stride * i, ctx);
        Ok(Const::Array((0..ty.count() as usize).map(element).collect()))
    }

    /// Copies the numbers of an output of the last run in a context into `numbers`, up to its length: an int becomes a
    /// float, a triple three numbers, a matrix sixteen. Strings and closures have none.
    ///
    /// # Errors
    /// As for [`ShaderInstance::output`].
    #[inline]
    pub fn output_numbers(
        &self,
        index: usize,
        ctx: &ShadingContext,
        numbers: &mut [f32],
    ) -> Result<(), RunError> {
        let &Output { ty, offset, .. } = self.stored(index, ctx)?;
        let words = words_of(ty.base);
        if words == 0 {
            return Ok(());
        }
        // Stride in bytes; a triple is padded.
        let stride = if words == 1 { 4 } else { 4 * words.next_multiple_of(4) };
        for (i, element) in numbers.chunks_mut(words).take(ty.count() as usize).enumerate() {
            for (word, number) in element.iter_mut().enumerate() {
                *number = number_of(ty.base, ctx.run.output_word(offset + stride * i + 4 * word));
            }
        }
        Ok(())
    }

    /// Returns a closure output of the last run in a context; empty if the output is not a single closure.
    ///
    /// # Errors
    /// As for [`ShaderInstance::output`].
    pub fn closure<'c>(&'c self, index: usize, ctx: &'c ShadingContext) -> Result<ClosureTree<'c>, RunError> {
        let output = self.stored(index, ctx)?;
        Ok(match output.ty {
            Type::CLOSURE => self.tree(output.offset, ctx),
            _ => self.tree_at(std::ptr::null()),
        })
    }

    /// Returns whether another instance runs the same machine code.
    pub fn shares_code_with(&self, other: &ShaderInstance) -> bool {
        Arc::ptr_eq(&self.compiled, &other.compiled)
    }

    /// Sets the statistics of the steps before code generation, the live inputs, and the HIR to keep.
    pub(crate) fn with(
        self,
        compile_stats: CompileStats,
        live: Vec<LiveInput>,
        hir: Option<Arc<Unit>>,
    ) -> ShaderInstance {
        ShaderInstance { compile_stats, live, hir, ..self }
    }

    /// Returns the optimised HIR, if [`InstanceOptions::keeps_hir`](crate::InstanceOptions::keeps_hir) requested it. Live
    /// inputs are attributes of the object [`hir::UNIFORM_OBJECT`](crate::hir::UNIFORM_OBJECT), so they have no bounds.
    pub fn hir(&self) -> Option<&Unit> {
        self.hir.as_deref()
    }

    /// Returns the live inputs ([`InstanceOptions::live`](crate::InstanceOptions::live)) with their values.
    pub fn live_inputs(&self) -> &[LiveInput] {
        &self.live
    }

    /// Returns an instance with other values of live inputs. Nothing is linked, optimised or compiled: the call needs about
    /// a microsecond, and the code is shared. This instance is unchanged, so that threads may continue to run it.
    ///
    /// # Errors
    /// If an input is not live, or a value has another type.
    pub fn with_inputs(&self, values: &[(&str, Value)]) -> Result<ShaderInstance, LiveError> {
        let (mut data, mut live) = (self.data.clone(), self.live.clone());
        let mut hasher = FxHasher::default();
        data.statistics.fingerprint.hash(&mut hasher);
        for (name, value) in values {
            let Some(input) = live.iter_mut().find(|input| input.is_called(name)) else {
                return Err(LiveError::NotLive {
                    name: (*name).to_owned(),
                    known: self.live.iter().map(|input| input.name.clone()).collect(),
                });
            };
            input.set(value)?;
            for number in &input.numbers {
                data.numbers.set(*number, input.lanes());
            }
            (&input.name, input.lanes().map(f32::to_bits)).hash(&mut hasher);
        }
        data.statistics.fingerprint = hasher.finish();
        let number = next_number();
        data.places.shader = number;
        let (compiled, hir) = (self.compiled.clone(), self.hir.clone());
        Ok(ShaderInstance { compiled, data, number, live, hir, ..*self })
    }

    /// Returns the statistics of the steps before code generation.
    pub fn compile_stats(&self) -> &CompileStats {
        &self.compile_stats
    }

    /// Facts about the code.
    pub fn statistics(&self) -> &Statistics {
        &self.data.statistics
    }

    /// Returns an output that the last run in a context has stored.
    #[inline]
    fn stored(&self, index: usize, ctx: &ShadingContext) -> Result<&Output, RunError> {
        if ctx.run.last != self.number {
            return Err(RunError::OtherInstance);
        }
        self.compiled.outputs.get(index).ok_or(RunError::NoSuchOutput)
    }

    fn value(&self, base: Base, offset: usize, ctx: &ShadingContext) -> Const {
        let run = &ctx.run;
        let float = |i: usize| f32::from_bits(run.output_word(offset + 4 * i));
        match base {
            Base::Int => Const::Int(run.output_word(offset) as i32),
            Base::Float => Const::Float(float(0)),
            Base::Color | Base::Point | Base::Vector | Base::Normal => {
                Const::Triple([float(0), float(1), float(2)])
            }
            Base::Matrix => Const::Matrix(std::array::from_fn(float)),
            Base::String => Const::String(self.text(offset, ctx)),
            Base::Closure => Const::NullClosure,
            Base::Void | Base::Struct(_) => unreachable!("no output has type {base:?}"),
        }
    }

    #[expect(unsafe_code, reason = "the run has stored the address of a text")]
    fn text(&self, offset: usize, ctx: &ShadingContext) -> Arc<str> {
        let text: *const TextHeader = std::ptr::with_exposed_provenance(ctx.run.output_pointer(offset));
        if text.is_null() {
            return Arc::from("");
        }
        // SAFETY: compiled code stored a text of this instance or of the context's arena. Both are unchanged:
        // `stored` ensures that no other run came in between.
        Arc::from(unsafe { text::read(text) })
    }

    #[inline]
    fn tree<'c>(&'c self, offset: usize, ctx: &'c ShadingContext) -> ClosureTree<'c> {
        self.tree_at(std::ptr::with_exposed_provenance(ctx.run.output_pointer(offset)))
    }

    #[inline]
    #[expect(unsafe_code, reason = "the run has stored the address of a node")]
    fn tree_at(&self, root: *const NodeHeader) -> ClosureTree<'_> {
        // SAFETY: compiled code with these layouts created the node in the context's arena; callers tie the tree to a borrow
        // of the context, which the next run must borrow mutably.
        unsafe { ClosureTree::new(root, &self.compiled.layouts) }
    }
}

/// A number that is unique within the process.
fn next_number() -> u64 {
    static NUMBERS: AtomicU64 = AtomicU64::new(1);
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

/// Compiles on a stack that is large enough.
pub(crate) fn compile_deep(
    prepared: &CodegenUnit,
    registry: &ClosureRegistry,
    host: &HostFunctions,
    options: &CompileOptions<'_>,
) -> Result<CompiledShader, CodegenError> {
    deep_stack(|| compile(prepared, registry, host, options))
}

/// Returns the number of 32-bit words of a single value; 0 for strings and closures, which have no numbers.
fn words_of(base: Base) -> usize {
    match base {
        Base::Int | Base::Float => 1,
        Base::Color | Base::Point | Base::Vector | Base::Normal => 3,
        Base::Matrix => 16,
        Base::String | Base::Closure | Base::Void | Base::Struct(_) => 0,
    }
}

/// Converts a word of an output to a number.
#[inline(always)]
fn number_of(base: Base, word: u32) -> f32 {
    if base == Base::Int {
        word as i32 as f32
    } else {
        f32::from_bits(word)
    }
}

/// Number of numbers of an output.
fn numbers_of(ty: Type) -> usize {
    words_of(ty.base) * ty.count() as usize
}
