//! Observers of a render: progress bar, checkpoint, intermediate images, viewer, scheduler messages.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use shading::Diagnostic;

use super::checkpoint::{Checkpoint, RenderOrigin};
use renderer_image::film::{Film, FilmTile};
use renderer_pictures::pictures::Pictures;
use renderer_preview::Preview;
use renderer_preview::progress::Bar;
use renderer_preview::progress_lines::ProgressLines;
use renderer_support::lock;
use renderer_support::outputs::WriteMode;
use renderer_transport::render::{Decision, Progress, RenderState};

pub(super) struct RenderObserver<'a> {
    bar: &'a Bar,
    origin: &'a RenderOrigin<'a>,
    tasks: Vec<Mutex<Task<'a>>>,
    preview: Option<&'a Preview>,
    lines: Option<ProgressLines>,
}

/// A task that is repeated at intervals.
struct Task<'a> {
    what: Checkpointer<'a>,
    every: Duration,
    last: Instant,
    /// Duration of the last run.
    cost: Duration,
    failed: bool,
    /// True once a picture could not be denoised.
    is_noisy: bool,
}

/// Output of a repeated task.
enum Checkpointer<'a> {
    /// Writes the checkpoint.
    Checkpoint(&'a Checkpoint),
    /// Writes the output files.
    Pictures(&'a Pictures),
    /// Shows the denoised picture in a viewer.
    Preview(&'a Preview, &'a Pictures),
}

/// Time between two denoised pictures in a viewer.
const DENOISE_INTERVAL: Duration = Duration::from_secs(1);

impl Checkpointer<'_> {
    /// Minimum interval between two runs, as a multiple of the task's own duration.
    fn spacing(&self) -> u32 {
        match self {
            Checkpointer::Checkpoint(_) => 100,
            Checkpointer::Pictures(_) | Checkpointer::Preview(..) => 10,
        }
    }
}

impl<'a> RenderObserver<'a> {
    /// An observer with a bar only.
    pub(super) fn new(bar: &'a Bar, origin: &'a RenderOrigin<'a>) -> RenderObserver<'a> {
        RenderObserver { bar, origin, tasks: vec![], preview: None, lines: None }
    }

    /// Adds a checkpoint.
    pub(super) fn keep(&mut self, checkpoint: &'a Checkpoint, every: Duration) {
        self.add(Checkpointer::Checkpoint(checkpoint), every);
    }

    /// Adds intermediate writing of the output files.
    pub(super) fn write(&mut self, pictures: &'a Pictures, every: Duration) {
        self.add(Checkpointer::Pictures(pictures), every);
    }

    /// Shows the picture in a viewer; the denoised one, where `pictures` are denoised.
    pub(super) fn show(&mut self, preview: &'a Preview, pictures: &'a Pictures) {
        self.preview = Some(preview);
        if pictures.denoising.is_some() {
            self.add(Checkpointer::Preview(preview, pictures), DENOISE_INTERVAL);
        }
    }

    /// Tells the progress to programs.
    pub(super) fn report_lines(&mut self) {
        self.lines = Some(ProgressLines::default());
    }

    fn add(&mut self, what: Checkpointer<'a>, every: Duration) {
        self.tasks.push(Mutex::new(Task {
            what,
            every,
            last: Instant::now(),
            cost: Duration::ZERO,
            failed: false,
            is_noisy: false,
        }));
    }
}

impl Task<'_> {
    fn is_due(&self) -> bool {
        if let Checkpointer::Preview(preview, _) = &self.what
            && (self.is_noisy || !preview.is_watched())
        {
            return false;
        }
        self.last.elapsed() >= self.every.max(self.cost * self.what.spacing())
    }

    fn run(&mut self, origin: &RenderOrigin<'_>, state: &RenderState, bar: &Bar) -> Result<(), String> {
        let begin = Instant::now();
        let header = origin.header(&state.integrator, state);
        let done = match &self.what {
            Checkpointer::Checkpoint(checkpoint) => {
                checkpoint.write(&header, state).map_err(|e| e.to_string())
            }
            Checkpointer::Pictures(pictures) => {
                let written = pictures.write(&state.film, state.noise.as_ref(), &header, &WriteMode::Interim);
                warn_noisy(&mut self.is_noisy, written.noisy.as_ref(), bar);
                (written.files.errors.first()).map_or(Ok(()), |error| Err(error.to_string()))
            }
            Checkpointer::Preview(preview, pictures) => {
                match pictures.denoised_preview(&state.film, &header) {
                    Some(Ok(picture)) => preview.replace(picture),
                    Some(Err(noisy)) => warn_noisy(&mut self.is_noisy, Some(&noisy), bar),
                    None => {}
                }
                Ok(())
            }
        };
        self.last = Instant::now();
        self.cost = self.last - begin;
        done
    }
}

impl Progress for RenderObserver<'_> {
    fn advance(&self, done: u64, total: u64) {
        self.bar.advance(done, total);
        if let Some(lines) = &self.lines {
            lines.samples(done, total);
        }
    }

    fn photons(&self, done: u64, total: u64) {
        self.bar.photons(done, total);
        if let Some(lines) = &self.lines {
            lines.photons();
        }
    }

    fn decided(&self, decision: &Decision) {
        self.bar.decided(decision);
    }

    fn print(&self, text: &str) {
        self.bar.print(text);
    }

    fn wants_tiles(&self) -> bool {
        self.preview.is_some_and(Preview::is_watched)
    }

    fn tile(&self, film: &Film, tile: &FilmTile) {
        if let Some(preview) = self.preview {
            preview.show(film, tile);
        }
    }

    fn wants_state(&self) -> bool {
        self.tasks.iter().any(|task| lock(task).is_due())
    }

    fn state(&self, state: &RenderState) {
        for task in &self.tasks {
            let mut task = lock(task);
            if !task.is_due() {
                continue;
            }
            // The render continues, because a full disk may have room again before it ends; the last good file stays.
            match task.run(self.origin, state, self.bar) {
                Err(message) if !task.failed => {
                    task.failed = true;
                    self.bar.remark(&format!(
                        "warning: {message}\n  the render continues; the last written file is unchanged"
                    ));
                }
                Err(_) => {}
                Ok(()) => task.failed = false,
            }
        }
    }
}

/// Prints once that pictures are not denoised.
fn warn_noisy(is_noisy: &mut bool, warning: Option<&Diagnostic>, bar: &Bar) {
    if let Some(warning) = warning
        && !std::mem::replace(is_noisy, true)
    {
        bar.remark(&warning.to_string());
    }
}
