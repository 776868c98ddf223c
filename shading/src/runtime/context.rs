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
use crate::runtime::report::{Report, ReportKind, ReportPlace};
use crate::runtime::{Printed, ShaderGlobals, ShaderHost, Sink, WrittenClouds};
use shading_compiler::eval::dictionary::Dictionaries;
use shading_compiler::eval::{DEFAULT_FUEL, MAX_DEPTH};
use shading_compiler::hir::ClosureRegistry;

/// Bytes of native stack that recursive functions may take, should their frames be so large that [`MAX_DEPTH`] of them
/// do not fit. Threads have 2 MiB.
const STACK_BYTES: usize = 1 << 20;
/// Bytes for the large arrays of all functions under way. Virtual until touched.
const FRAME_BYTES: usize = 16 << 20;

/// A per-thread context. Holds the results of the last run until the next one.
pub struct ShadingContext {
    pub(crate) run: Box<Run>,
}

#[expect(
    unsafe_code,
    reason = "the pointers in a context keep it from being `Send` by itself"
)]
// SAFETY: the header's pointers lead into memory that the context owns, or are used during a run only, which borrows it.
unsafe impl Send for ShadingContext {}

/// Outputs as compiled code stores them: pointers are read in the size in which they were written, which lets the
/// machine forward them.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
pub(crate) struct OutputWords([usize; 2]);

/// What compiled code reads and writes. All sizes are multiples of its words, so that offsets are the same everywhere.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct ContextHeader {
    /// Turns and calls left; below zero, the run has ended before its end.
    pub(crate) fuel: i32,
    /// Calls of recursive functions that may still nest.
    pub(crate) depth: i32,
    /// Where the closures of fixed places are.
    pub(crate) nodes: *mut u8,
    /// Where the next closure goes.
    pub(crate) arena: Window,
    /// Where the next large frame goes.
    pub(crate) frames: Window,
    /// The lowest address that the native stack may reach.
    pub(crate) stack_limit: usize,
    /// The embedder's host.
    pub(crate) host: *const (),
    /// The shading point.
    pub(crate) globals: *const ShaderGlobals,
    /// What reports name.
    pub(crate) places: *const Places,
}

/// A context: the header first, so that a pointer to one is a pointer to the other.
#[repr(C)]
pub(crate) struct Run {
    pub(crate) header: ContextHeader,
    pub(crate) arena: Arena,
    frames: Vec<u128>,
    pub(crate) outputs: Vec<OutputWords>,
    /// The instance that ran last, by its number; 0 before any.
    pub(crate) last: u64,
    pub(crate) host_type: TypeId,
    // Keeps `header.host` alive; asked itself for what is asked rarely.
    host: Arc<dyn ShaderHost>,
    fuel: u32,
    pub(crate) printed: Printed,
    written: WrittenClouds,
    /// Whether `fprintf` is kept.
    pub(crate) keeps_files: bool,
    /// The bytes of each value lie in the arena.
    pub(crate) messages: Messages<*const u8>,
    pub(crate) last_trace: LastTrace,
    pub(crate) dictionaries: Dictionaries,
    /// Memory for the points that a search of a point cloud finds: squared distance and number of each.
    pub(crate) cloud_points: Vec<(f32, u32)>,
    reports: Vec<Report>,
    reported: FxHashSet<(u64, u32, ReportKind)>,
    /// Whether the run is that of a packet, which gives up where one point reports: it is a point before that which may
    /// end it all.
    pub(crate) is_packet: bool,
}

impl ShadingContext {
    /// A context for instances that were compiled for the same type of host.
    pub fn new<H: ShaderHost>(host: Arc<H>) -> ShadingContext {
        let nowhere = Window {
            cursor: ptr::null_mut(),
            end: ptr::null_mut(),
        };
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
        };
        ShadingContext {
            run: Box::new(Run {
                header,
                arena: Arena::new(),
                frames: vec![],
                outputs: vec![],
                last: 0,
                host_type: TypeId::of::<H>(),
                host,
                fuel: DEFAULT_FUEL,
                printed: Printed::default(),
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

    /// Sets how many turns of loops and calls of recursive functions a run may take (at most 2³¹ − 1).
    pub fn set_fuel(&mut self, fuel: u32) {
        self.run.fuel = fuel.min(i32::MAX as u32);
    }

    /// Whether the last run came to its end: it had enough fuel, depth and memory.
    pub fn finished(&self) -> bool {
        self.run.header.fuel >= 0
    }

    /// What `printf`, `warning` and `error` wrote since this was last asked, as it is shown.
    pub fn take_printed(&mut self) -> String {
        self.take_pieces().text()
    }

    /// The same piece by piece, with what goes into files where that is kept.
    pub fn take_pieces(&mut self) -> Printed {
        std::mem::take(&mut self.run.printed)
    }

    /// Keeps what `fprintf` writes for [`ShadingContext::take_pieces`]. Else it is forgotten.
    pub fn keep_files(&mut self) {
        self.run.keeps_files = true;
    }

    /// The points that `pointcloud_write` has written and that are not taken yet.
    pub fn written(&self) -> &WrittenClouds {
        &self.run.written
    }

    /// The points that `pointcloud_write` wrote since this was last asked.
    pub fn take_written(&mut self) -> WrittenClouds {
        std::mem::take(&mut self.run.written)
    }

    /// What went wrong since this was last asked. A context reports each place of a shader once.
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
    /// The embedder's host, for questions that are asked rarely.
    pub(crate) fn host(&self) -> &dyn ShaderHost {
        &*self.host
    }

    /// The same, and where points that are written go.
    pub(crate) fn host_and_written(&mut self) -> (&dyn ShaderHost, &mut WrittenClouds) {
        (&*self.host, &mut self.written)
    }

    /// The same, for as long as it takes.
    pub(crate) fn host_of_run(&self) -> Arc<dyn ShaderHost> {
        self.host.clone()
    }

    /// Makes everything ready for the run of an instance.
    pub(crate) fn start(
        &mut self,
        globals: *const ShaderGlobals,
        places: *const Places,
        output_bytes: usize,
        node_bytes: usize,
        stack: usize,
    ) {
        self.header.fuel = self.fuel as i32;
        self.header.depth = MAX_DEPTH as i32;
        let window = self.arena.reset();
        debug_assert!(node_bytes <= Arena::ROOM);
        self.header.nodes = window.cursor;
        self.header.arena = Window {
            cursor: window.cursor.wrapping_add(node_bytes),
            ..window
        };
        self.header.frames.cursor = self.frames.as_mut_ptr().cast();
        self.header.stack_limit = stack.saturating_sub(STACK_BYTES);
        self.header.globals = globals;
        self.header.places = places;
        self.messages.clear();
        self.last_trace = LastTrace::default();
        self.dictionaries.clear();
        let words = output_bytes.div_ceil(16);
        if self.outputs.len() < words {
            self.outputs.resize(words, OutputWords::default());
        }
        // A run that ends before its first operation stores none.
        self.outputs[..words].fill(OutputWords::default());
    }

    /// The numbers of a row of a packet's outputs, as their bits.
    #[inline]
    pub(crate) fn output_row(&self, row: usize) -> [u32; 4] {
        let [low, high] = self.outputs[row].0;
        [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32]
    }

    /// Four bytes of the outputs, at an offset that is a multiple of 4.
    pub(crate) fn output_word(&self, offset: usize) -> u32 {
        let bytes = self.output_pointer(offset & !7).to_ne_bytes();
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| bytes[offset % 8 + i]);
        u32::from_ne_bytes([a, b, c, d])
    }

    /// The address at an offset of the outputs that is a multiple of 8.
    #[inline]
    pub(crate) fn output_pointer(&self, offset: usize) -> usize {
        self.outputs[offset / 16].0[offset / 8 % 2]
    }

    /// Changes the address at an offset of the outputs.
    pub(crate) fn set_output_pointer(&mut self, offset: usize, address: usize) {
        self.outputs[offset / 16].0[offset / 8 % 2] = address;
    }

    /// Gives room for a large frame: makes the frames' memory when this is the first that needs it.
    pub(crate) fn make_frames(&mut self) -> Window {
        if self.frames.is_empty() {
            self.frames = vec![0; FRAME_BYTES / 16];
            let cursor = self.frames.as_mut_ptr().cast::<u8>();
            self.header.frames = Window {
                cursor,
                end: cursor.wrapping_add(FRAME_BYTES),
            };
        }
        self.header.frames
    }

    /// Ends the run.
    pub(crate) fn stop(&mut self) {
        self.header.fuel = -1;
    }

    /// Whether something goes wrong at a place for the first time.
    pub(crate) fn is_first(&mut self, places: &Places, place: u32, kind: ReportKind) -> bool {
        self.reported.insert((places.shader, place, kind))
    }

    /// Notes that something went wrong at a place, the first time it does.
    pub(crate) fn report(
        &mut self,
        places: &Places,
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
                place: places.list.get(place as usize).cloned().flatten(),
            };
            // It is also told between what was printed before it and what is printed after it.
            if kind == ReportKind::IndexOutOfRange {
                self.printed.push(Sink::Report(report.clone()), "");
            }
            self.reports.push(report);
        }
    }
}

/// What reports of a shader name.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// The instance's number.
    pub(crate) shader: u64,
    /// The unit's or group's name.
    pub(crate) name: String,
    /// Each place that can be reported; `None` where the source is not known.
    pub(crate) list: Vec<Option<ReportPlace>>,
    /// Where the shader prints closures, what they are.
    pub(crate) closures: Option<(ClosureRegistry, Layouts)>,
}
