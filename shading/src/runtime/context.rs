//! The shading context: per-thread memory for running shaders, limits, and printed output.

use std::any::TypeId;
use std::fmt;
use std::ptr;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::runtime::arena::{Arena, Window};
use crate::runtime::closure::Layouts;
use crate::runtime::last_trace::LastTrace;
use crate::runtime::messages::Messages;
use crate::runtime::number_table::Number;
use crate::runtime::report::{Report, ReportKind, ReportPlace};
use crate::runtime::stack::StackRange;
use crate::runtime::{PrintOutput, ShaderGlobals, ShaderHost, Sink, WrittenClouds};
use shading_compiler::eval::dictionary::Dictionaries;
use shading_compiler::eval::{DEFAULT_FUEL, MAX_DEPTH};
use shading_compiler::hir::ClosureRegistry;
use shading_syntax::source::{SourceMap, Span};

/// Size in bytes of the memory for large arrays of all active functions. Virtual until touched.
const FRAME_BYTES: usize = 16 << 20;

/// A per-thread context. Holds the results of the last run until the next one.
pub struct ShadingContext {
    pub(crate) run: Box<Run>,
}

#[expect(
    unsafe_code,
    reason = "the pointers in a context keep it from being `Send` by itself"
)]
// SAFETY: the header's pointers point to memory owned by the context, or are used only during a run, which borrows it.
unsafe impl Send for ShadingContext {}

/// Outputs as stored by compiled code. Pointers are read with the size with which they were written, so that the CPU
/// can forward the stores.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
pub(crate) struct OutputWords([usize; 2]);

/// Part of the context that compiled code accesses. All sizes are multiples of its words, so that offsets are equal on all
/// machines.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct ContextHeader {
    /// Remaining loop iterations and calls; negative if the run was aborted.
    pub(crate) fuel: i32,
    /// Remaining nesting depth of recursive calls.
    pub(crate) depth: i32,
    /// Address of the closure nodes with fixed offsets.
    pub(crate) nodes: *mut u8,
    /// Free memory of the arena.
    pub(crate) arena: Window,
    /// Free memory for large frames.
    pub(crate) frames: Window,
    /// Lowest address allowed for the native stack.
    pub(crate) stack_limit: usize,
    /// The embedder's host.
    pub(crate) host: *const (),
    pub(crate) globals: *const ShaderGlobals,
    /// Source locations of reports.
    pub(crate) places: *const ReportPlaces,
    /// Numbers in the code of the instance.
    pub(crate) numbers: *const Number,
    /// Work done, if the code counts it.
    pub(crate) work: i64,
}

/// A context. The header is the first field, so that pointers to either can be converted.
#[repr(C)]
pub(crate) struct Run {
    pub(crate) header: ContextHeader,
    pub(crate) arena: Arena,
    frames: Vec<u128>,
    pub(crate) outputs: Vec<OutputWords>,
    /// Number of the instance that ran last; 0 before the first run.
    pub(crate) last: u64,
    pub(crate) host_type: TypeId,
    pub(crate) stack: StackRange,
    // Keeps `header.host` alive; used for rare queries.
    host: Arc<dyn ShaderHost>,
    fuel: u32,
    pub(crate) printed: PrintOutput,
    written: WrittenClouds,
    /// True if the output of `fprintf` is kept.
    pub(crate) keeps_files: bool,
    /// Messages; the bytes of their values are in the arena.
    pub(crate) messages: Messages<*const u8>,
    pub(crate) last_trace: LastTrace,
    pub(crate) dictionaries: Dictionaries,
    /// Scratch memory for point cloud searches: squared distance and index of each point.
    pub(crate) cloud_points: Vec<(f32, u32)>,
    reports: Vec<Report>,
    reported: FxHashSet<(u64, u32, ReportKind)>,
    /// True while a packet runs. A packet is abandoned at its first report, because an earlier point of the packet may end
    /// the batch. The caller then runs the points one by one.
    pub(crate) is_packet: bool,
}

impl ShadingContext {
    /// Creates a context for instances that were compiled for the same type of host.
    pub fn new<H: ShaderHost>(host: Arc<H>) -> ShadingContext {
        let nowhere = Window { cursor: ptr::null_mut(), end: ptr::null_mut() };
        let header = ContextHeader {
            fuel: 0,
            depth: 0,
            nodes: ptr::null_mut(),
            arena: nowhere,
            frames: nowhere,
            stack_limit: 0,
            host: Arc::as_ptr(&host).cast(),
            globals: ptr::null(),
            places: ptr::null(),
            numbers: ptr::null(),
            work: 0,
        };
        ShadingContext {
            run: Box::new(Run {
                header,
                arena: Arena::new(),
                frames: vec![],
                outputs: vec![],
                last: 0,
                host_type: TypeId::of::<H>(),
                stack: StackRange::default(),
                host,
                fuel: DEFAULT_FUEL,
                printed: PrintOutput::default(),
                written: WrittenClouds::default(),
                keeps_files: false,
                messages: Messages::default(),
                last_trace: LastTrace::default(),
                dictionaries: Dictionaries::default(),
                cloud_points: vec![],
                reports: vec![],
                is_packet: false,
                reported: FxHashSet::default(),
            }),
        }
    }

    /// Sets the fuel of a run: the maximum number of iterations of nearly empty loops and calls of recursive functions, or
    /// the same work in fewer iterations (at most 2³¹ − 1).
    pub fn set_fuel(&mut self, fuel: u32) {
        self.run.fuel = fuel.min(i32::MAX as u32);
    }

    /// Returns the work of the last run, in simple operations, if the instance counts it
    /// ([`crate::InstanceOptions::counts_work`]); else 0.
    pub fn work(&self) -> u64 {
        self.run.header.work as u64
    }

    /// Returns whether the last run completed, with enough fuel, depth and memory.
    pub fn finished(&self) -> bool {
        self.run.header.fuel >= 0
    }

    /// Returns the output of `printf`, `warning` and `error` since the last call, as displayed.
    pub fn take_printed(&mut self) -> String {
        self.take_pieces().text()
    }

    /// Returns the output since the last call in pieces, including that of `fprintf` if it is kept.
    pub fn take_pieces(&mut self) -> PrintOutput {
        std::mem::take(&mut self.run.printed)
    }

    /// Keeps the output of `fprintf` for [`ShadingContext::take_pieces`]; by default it is discarded.
    pub fn keep_files(&mut self) {
        self.run.keeps_files = true;
    }

    /// Returns the points that `pointcloud_write` has written since the last [`ShadingContext::take_written`].
    pub fn written(&self) -> &WrittenClouds {
        &self.run.written
    }

    /// Removes and returns the points written by `pointcloud_write` since the last call.
    pub fn take_written(&mut self) -> WrittenClouds {
        std::mem::take(&mut self.run.written)
    }

    /// Removes and returns the reports since the last call. A context reports each location of a shader once.
    pub fn take_reports(&mut self) -> Vec<Report> {
        std::mem::take(&mut self.run.reports)
    }
}

impl fmt::Debug for ShadingContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShadingContext").finish_non_exhaustive()
    }
}

impl Run {
    /// Returns the embedder's host, for rare queries.
    pub(crate) fn host(&self) -> &dyn ShaderHost {
        &*self.host
    }

    /// Returns the host, and the destination of written points.
    pub(crate) fn host_and_written(&mut self) -> (&dyn ShaderHost, &mut WrittenClouds) {
        (&*self.host, &mut self.written)
    }

    /// Returns a shared host, which does not borrow the context.
    pub(crate) fn host_of_run(&self) -> Arc<dyn ShaderHost> {
        self.host.clone()
    }

    /// Prepares the run of an instance.
    pub(crate) fn start(
        &mut self,
        globals: *const ShaderGlobals,
        places: *const ReportPlaces,
        numbers: *const Number,
        output_bytes: usize,
        node_bytes: usize,
        stack_limit: usize,
    ) {
        self.header.fuel = self.fuel as i32;
        self.header.depth = MAX_DEPTH as i32;
        let window = self.arena.reset(node_bytes);
        self.header.nodes = window.cursor;
        self.header.arena = Window { cursor: window.cursor.wrapping_add(node_bytes), ..window };
        self.header.frames.cursor = self.frames.as_mut_ptr().cast();
        self.header.stack_limit = stack_limit;
        self.header.globals = globals;
        self.header.places = places;
        self.header.numbers = numbers;
        self.header.work = 0;
        self.messages.clear();
        self.last_trace = LastTrace::default();
        self.dictionaries.clear();
        let words = output_bytes.div_ceil(16);
        if self.outputs.len() < words {
            self.outputs.resize(words, OutputWords::default());
        }
        // A run that is aborted before its first operation stores no outputs.
        self.outputs[..words].fill(OutputWords::default());
    }

    /// Returns the bits of the numbers in a row of a packet's outputs.
    #[inline]
    pub(crate) fn output_row(&self, row: usize) -> [u32; 4] {
        let [low, high] = self.outputs[row].0;
        [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32]
    }

    /// Reads four bytes of the outputs, at an offset that is a multiple of 4.
    #[inline]
    pub(crate) fn output_word(&self, offset: usize) -> u32 {
        (self.output_pointer(offset & !7) >> (8 * (offset & 4))) as u32
    }

    /// Reads an address in the outputs, at an offset that is a multiple of 8.
    #[inline]
    pub(crate) fn output_pointer(&self, offset: usize) -> usize {
        self.outputs[offset / 16].0[offset / 8 % 2]
    }

    pub(crate) fn set_output_pointer(&mut self, offset: usize, address: usize) {
        self.outputs[offset / 16].0[offset / 8 % 2] = address;
    }

    /// Returns memory for a large frame; allocates the memory for all frames on first use.
    pub(crate) fn make_frames(&mut self) -> Window {
        if self.frames.is_empty() {
            self.frames = vec![0; FRAME_BYTES / 16];
            let cursor = self.frames.as_mut_ptr().cast::<u8>();
            self.header.frames = Window { cursor, end: cursor.wrapping_add(FRAME_BYTES) };
        }
        self.header.frames
    }

    /// Aborts the run.
    pub(crate) fn stop(&mut self) {
        self.header.fuel = -1;
    }

    /// Returns whether this is the first report of its kind at a location.
    pub(crate) fn is_first(&mut self, places: &ReportPlaces, place: u32, kind: ReportKind) -> bool {
        self.reported.insert((places.shader, place, kind))
    }

    /// Adds a report at a location, unless it is a duplicate.
    pub(crate) fn report(
        &mut self,
        places: &ReportPlaces,
        place: u32,
        kind: ReportKind,
        message: impl FnOnce() -> String,
    ) {
        if self.is_packet {
            if !self.reported.contains(&(places.shader, place, kind)) {
                self.stop();
            }
        } else if self.is_first(places, place, kind) {
            let report = Report {
                kind,
                message: message(),
                shader: places.name.clone(),
                place: places.get(place),
            };
            // The report is also recorded among the printed texts, to preserve its order relative to them.
            if kind == ReportKind::IndexOutOfRange {
                self.printed.push(Sink::Report(report.clone()), "");
            }
            self.reports.push(report);
        }
    }
}

/// Source locations in the reports of a shader.
#[derive(Clone, Debug)]
pub(crate) struct ReportPlaces {
    /// Number of the instance.
    pub(crate) shader: u64,
    /// Name of the unit or group.
    pub(crate) name: String,
    /// Locations by index.
    pub(crate) spans: Vec<Span>,
    /// Sources of the locations, if they are known.
    pub(crate) sources: Option<Arc<SourceMap>>,
    /// The closures that the shader may print, if any.
    pub(crate) closures: Option<Arc<PrintedClosures>>,
}

impl ReportPlaces {
    /// Returns a location by its index; `None` if its source is unknown.
    pub(crate) fn get(&self, place: u32) -> Option<ReportPlace> {
        let span = self.spans.get(place as usize)?;
        let sources = self.sources.as_ref();
        let sources = sources.filter(|sources| (span.source.0 as usize) < sources.len())?;
        let source = sources.get(span.source);
        let (file, line, column) = source.locate(span.start);
        let user = sources.user(span.source);
        let text = source.text.get(span.start as usize..span.end as usize);
        Some(ReportPlace {
            file: file.to_owned(),
            line,
            column,
            instance: user.instance,
            unit: user.unit,
            text: text.unwrap_or("").into(),
        })
    }
}

/// Registry and layouts for printing closures.
#[derive(Debug)]
pub(crate) struct PrintedClosures {
    pub(crate) registry: ClosureRegistry,
    pub(crate) layouts: Layouts,
}
