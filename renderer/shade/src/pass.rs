//! Parallel execution of a shader over a grid, with results and printed text independent of the number of threads.
//!
//! The points are divided into bands of neighbours. Threads process the bands in order; the text of a band is printed
//! after that of earlier bands. When a run is stopped (an endless loop), the pass stops at that point after finishing
//! the earlier bands, so that the printed text is deterministic.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use shading::{BatchOutput, PrintOutput, Sink, WrittenClouds};

use super::engine::{Engine, MAX_WRITTEN, Report};
use super::grid::PointSet;
use super::output::{Image, print_point};
use renderer_support::{lock, print_result};

/// Points of a band: enough to make the taking of bands cheap, few enough to share the work out.
const BAND: usize = 2048;

/// Points that are placed before they run.
const BATCH: usize = 64;

/// Options of a pass over the grid.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PassOptions<'a> {
    /// True if the printed text is discarded.
    pub(super) silent: bool,
    /// Outputs whose values are printed at each point, with the names to show.
    pub(super) print: &'a [(usize, String)],
    /// Time limit.
    pub(super) limit: Option<Duration>,
    /// Set once the pass is not wanted any more.
    pub(super) stop: Option<&'a AtomicBool>,
    /// True if the printed text is kept, not shown.
    pub(super) keeps_text: bool,
    /// True if the points that the shader writes are kept.
    pub(super) keeps_points: bool,
    /// True if warnings and errors are shown each time, not once.
    pub(super) repeats: bool,
    /// The name of the group and those of its layers, for reports.
    pub(super) group: &'a str,
    pub(super) layers: &'a [String],
}

/// Result of a pass over the grid.
#[derive(Debug, Default)]
pub(super) struct PassResult {
    /// Reports, each once.
    pub(super) reports: BTreeSet<Report>,
    /// True if a run was aborted, and the pass with it.
    pub(super) stopped: bool,
    /// True if anything was printed.
    pub(super) printed: bool,
    /// PrintOutput text, if it is collected.
    pub(super) text: String,
    /// The points that were written, in order.
    pub(super) written: WrittenClouds,
    /// True if there were too many points to keep them.
    pub(super) is_overfull: bool,
}

/// Runs the whole grid once and stores outputs into images. `states` are the threads' own.
pub(super) fn pass<E: Engine, P: PointSet>(
    engine: &E,
    states: &mut [E::State],
    grid: &P,
    images: &mut [Image],
    options: &PassOptions<'_>,
) -> PassResult {
    let outputs: Vec<usize> = images.iter().map(|image| image.output).collect();
    let shared = Shared {
        bands: Mutex::new(Bands::new(grid, images)),
        first_stopped: AtomicUsize::new(usize::MAX),
        printer: Mutex::new(Printer {
            repeats: options.repeats,
            group: options.group,
            layers: options.layers,
            text: options.keeps_text.then(String::new),
            ..Printer::default()
        }),
        result: Mutex::new(PassResult::default()),
        written: Mutex::default(),
        deadline: options.limit.map(|limit| Instant::now() + limit),
    };
    let worker = Worker { engine, grid, outputs: &outputs, options, shared: &shared };
    if let [first, others @ ..] = states {
        thread::scope(|scope| {
            for state in others {
                // If a thread cannot be started, the others do its work.
                let _ = thread::Builder::new().spawn_scoped(scope, || worker.run(state));
            }
            worker.run(first);
        });
    }
    let mut result = shared.result.into_inner().unwrap_or_else(PoisonError::into_inner);
    result.stopped = shared.first_stopped.into_inner() != usize::MAX;
    let printer = shared.printer.into_inner().unwrap_or_else(PoisonError::into_inner);
    result.printed = printer.printed;
    result.text = printer.text.unwrap_or_default();
    let written = shared.written.into_inner().unwrap_or_else(PoisonError::into_inner);
    result.is_overfull = written.bytes > MAX_WRITTEN;
    result.written = written.joined();
    let _ = std::io::stdout().flush();
    result
}

/// State that threads share during a pass.
struct Shared<'i, 'o> {
    bands: Mutex<Bands<'i>>,
    /// The first band in which a run was ended.
    first_stopped: AtomicUsize,
    printer: Mutex<Printer<'o>>,
    result: Mutex<PassResult>,
    written: Mutex<Written>,
    deadline: Option<Instant>,
}

/// The points that the bands wrote.
#[derive(Default)]
struct Written {
    bands: BTreeMap<usize, WrittenClouds>,
    bytes: usize,
}

impl Written {
    fn put(&mut self, band: usize, clouds: WrittenClouds) {
        self.bytes = self.bytes.saturating_add(clouds.bytes());
        // Beyond the limit no cloud is written.
        if self.bytes <= MAX_WRITTEN && !clouds.is_empty() {
            self.bands.insert(band, clouds);
        }
    }

    /// The clouds of the bands, in order.
    fn joined(self) -> WrittenClouds {
        let mut joined = WrittenClouds::default();
        self.bands.into_values().for_each(|clouds| joined.append(clouds));
        joined
    }
}

/// The bands that no thread has taken yet.
struct Bands<'i> {
    next: usize,
    points: usize,
    images: Vec<std::slice::ChunksMut<'i, f32>>,
}

/// Neighbouring points and their parts of the images.
struct Band<'i> {
    index: usize,
    points: std::ops::Range<usize>,
    images: Vec<&'i mut [f32]>,
}

impl<'i> Bands<'i> {
    fn new<P: PointSet>(grid: &P, images: &'i mut [Image]) -> Bands<'i> {
        let images = images.iter_mut().map(|image| {
            let size = BAND * image.pixels.channels;
            image.pixels.data.chunks_mut(size)
        });
        Bands { next: 0, points: grid.points(), images: images.collect() }
    }

    fn take(&mut self) -> Option<Band<'i>> {
        let start = self.next * BAND;
        if start >= self.points {
            return None;
        }
        let index = self.next;
        self.next += 1;
        let images = self.images.iter_mut().filter_map(Iterator::next).collect();
        Some(Band {
            index,
            points: start..(start + BAND).min(self.points),
            images,
        })
    }
}

/// Inputs of a thread that shades bands.
struct Worker<'a, 'i, 'o, E, P> {
    engine: &'a E,
    grid: &'a P,
    outputs: &'a [usize],
    options: &'a PassOptions<'a>,
    shared: &'a Shared<'i, 'o>,
}

impl<E: Engine, P: PointSet> Worker<'_, '_, '_, E, P> {
    /// Shades bands until none is left or the pass ends.
    fn run(&self, state: &mut E::State) {
        let (shared, options) = (self.shared, self.options);
        loop {
            let Some(mut band) = lock(&shared.bands).take() else {
                break;
            };
            let late = shared.deadline.is_some_and(|deadline| Instant::now() > deadline)
                || options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
            if late || shared.first_stopped.load(Ordering::Relaxed) < band.index {
                break;
            }
            let mut printed = PrintOutput::default();
            let finished = self.shade(state, &mut band, &mut printed);
            printed.append(self.engine.take_printed(state));
            if !finished {
                shared.first_stopped.fetch_min(band.index, Ordering::Relaxed);
            }
            if !options.silent {
                let stopped = shared.first_stopped.load(Ordering::Relaxed);
                lock(&shared.printer).put(band.index, printed, stopped);
            }
            let written = self.engine.take_written(state);
            if options.keeps_points {
                lock(&shared.written).put(band.index, written);
            }
            let reports = self.engine.take_reports(state);
            if !reports.is_empty() {
                lock(&shared.result).reports.extend(reports);
            }
        }
    }

    /// Shades the points of a band. Returns whether each run was completed.
    fn shade(&self, state: &mut E::State, band: &mut Band<'_>, printed: &mut PrintOutput) -> bool {
        let mut points = [self.grid.globals(); BATCH];
        let (mut x, mut y) = (band.points.start % self.grid.width(), band.points.start / self.grid.width());
        let count = band.points.len();
        // Values of a point are printed before the next point runs.
        let batch = if self.options.print.is_empty() { BATCH } else { 1 };
        for start in (0..count).step_by(batch) {
            let points = &mut points[..batch.min(count - start)];
            let first = [x, y];
            for globals in &mut *points {
                self.grid.place(globals, x, y);
                x += 1;
                if x == self.grid.width() {
                    (x, y) = (0, y + 1);
                }
            }
            let mut stored: Vec<BatchOutput<'_>> = self
                .outputs
                .iter()
                .zip(&mut band.images)
                .map(|(&index, image)| {
                    let channels = image.len() / count;
                    let numbers = &mut image[start * channels..][..points.len() * channels];
                    BatchOutput { index, numbers }
                })
                .collect();
            if self.engine.run_batch(state, points, &mut stored) < points.len() {
                return false;
            }
            if !self.options.print.is_empty() {
                printed.append(self.engine.take_printed(state));
                let mut text = String::new();
                print_point(self.engine, state, self.options.print, first, &mut text);
                printed.push(Sink::Output, &text);
            }
            // Bands after the first stopped one are not shown.
            if self.shared.first_stopped.load(Ordering::Relaxed) < band.index {
                break;
            }
        }
        true
    }
}

/// Prints the texts of bands in order.
#[derive(Default)]
struct Printer<'a> {
    /// The name of the group and those of its layers, for reports.
    group: &'a str,
    layers: &'a [String],
    next: usize,
    waiting: BTreeMap<usize, PrintOutput>,
    printed: bool,
    repeats: bool,
    /// Warnings and errors that were shown.
    shown: BTreeSet<String>,
    /// The text, if it is kept instead of shown.
    text: Option<String>,
}

impl Printer<'_> {
    /// Adds the text of a band, and prints the bands that are complete, up to the stopped one. A stopped band is
    /// registered before its text is added, so it is known when its turn comes.
    fn put(&mut self, band: usize, printed: PrintOutput, stopped: usize) {
        self.waiting.insert(band, printed);
        while self.next <= stopped
            && let Some(printed) = self.waiting.remove(&self.next)
        {
            self.next += 1;
            for (sink, text) in printed.pieces() {
                self.print(sink, text);
            }
        }
    }

    fn print(&mut self, sink: &Sink, text: &str) {
        let shown = match sink {
            Sink::Output => text.to_owned(),
            Sink::Warning => format!("WARNING: {text}\n"),
            Sink::Error | Sink::OptionalError => format!("ERROR: {text}\n"),
            Sink::File(name) => return append(name, text),
            Sink::Report(report) => report_line(report, self.group, self.layers),
        };
        let is_message = matches!(sink, Sink::Warning | Sink::Error | Sink::OptionalError | Sink::Report(_));
        if shown.is_empty() || is_message && !self.repeats && !self.shown.insert(shown.clone()) {
            return;
        }
        self.printed = true;
        match &mut self.text {
            Some(text) => text.push_str(&shown),
            None => print_result(&shown),
        }
    }
}

/// Formats a report as OSL does: with line, group, layer and shader.
fn report_line(report: &shading::Report, group: &str, layers: &[String]) -> String {
    let message = &report.message;
    let Some(place) = &report.place else {
        return format!("ERROR: {message} (group {group}, shader {})\n", report.shader);
    };
    let named = layers.iter().position(|layer| {
        let rest = place.instance.strip_prefix(layer.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    });
    let index = named.unwrap_or(0);
    let layer = match &*place.instance {
        "" => layers.first().map_or("", String::as_str),
        instance => instance,
    };
    format!(
        "ERROR: {message}: {}:{} (group {group}, layer {index} {layer}, shader {})\n",
        place.file, place.line, place.unit
    )
}

/// Writes text to the end of a file, which need not be there. A file that cannot be written is named where the text would
/// be missed.
fn append(name: &str, text: &str) {
    // Opening a pipe would block until a program reads from it.
    let file = match std::fs::metadata(name) {
        Ok(metadata) if !metadata.is_file() => Err(std::io::Error::other("it is not a plain file")),
        Ok(_) | Err(_) => OpenOptions::new().append(true).create(true).open(name),
    };
    if let Err(error) = file.and_then(|mut file| file.write_all(text.as_bytes())) {
        print_result(&format!("ERROR: cannot write '{name}': {error}\n"));
    }
}
