//! Progress of a bake: a bar on a terminal, a line every half minute elsewhere.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use renderer_bake::{BakePhase, BakeProgress};
use renderer_support::interrupt::Interrupt;
use renderer_support::{lock, print_result, remark};

/// Time between two lines without a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

/// Receiver of the progress of a bake.
pub(super) enum BakeWatch<'a> {
    /// A person, who sees a bar or lines.
    Person(Box<BakeReport>),
    /// The program that Kiln is a part of.
    Program(&'a dyn BakeProgress),
}

impl<'a> BakeWatch<'a> {
    /// The program if there is one, else a person.
    pub(super) fn new(
        program: Option<&'a dyn BakeProgress>,
        quiet: bool,
        keeps: Option<Arc<Interrupt>>,
    ) -> BakeWatch<'a> {
        match program {
            Some(program) => BakeWatch::Program(program),
            None => BakeWatch::Person(Box::new(BakeReport::new(quiet, keeps))),
        }
    }

    pub(super) fn progress(&self) -> &dyn BakeProgress {
        match self {
            BakeWatch::Person(report) => &**report,
            BakeWatch::Program(program) => *program,
        }
    }
}

/// Reports phases and their progress to a person, until it is dropped.
pub(super) struct BakeReport {
    bar: ProgressBar,
    state: Arc<Mutex<State>>,
    /// Writes lines; none on a terminal or when quiet.
    lines: Option<JoinHandle<()>>,
    /// Learns that there is work to keep once light is gathered, where a checkpoint keeps it.
    keeps: Option<Arc<Interrupt>>,
}

/// Current phase of a bake.
#[derive(Default)]
struct State {
    phase: Option<BakePhase>,
    done: u64,
    total: u64,
    is_finished: bool,
}

impl BakeReport {
    fn new(quiet: bool, keeps: Option<Arc<Interrupt>>) -> BakeReport {
        let is_terminal = std::io::stderr().is_terminal();
        let bar = ProgressBar::new(0);
        if quiet || !is_terminal {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        let state = Arc::<Mutex<State>>::default();
        let lines = (!quiet && !is_terminal).then(|| {
            let state = Arc::clone(&state);
            std::thread::spawn(move || write_lines(&state))
        });
        BakeReport { bar, state, lines, keeps }
    }

    /// Updates the state; returns whether another phase, or the counting of one, begins.
    fn update(&self, phase: BakePhase, done: u64, total: u64) -> bool {
        let mut state = lock(&self.state);
        let is_new = state.phase != Some(phase) || (state.total == 0) != (total == 0);
        (state.phase, state.done, state.total) = (Some(phase), done, total);
        is_new
    }
}

impl BakeProgress for BakeReport {
    fn advance(&self, phase: BakePhase, done: u64, total: u64) {
        if let Some(interrupt) = self.keeps.as_ref().filter(|_| phase == BakePhase::Light) {
            interrupt.keep();
        }
        if self.update(phase, done, total) {
            self.bar.set_style(if total == 0 { spinner() } else { counter() });
            self.bar.set_message(phase.name());
            self.bar.set_length(total);
            self.bar.reset_elapsed();
            self.bar.reset_eta();
        }
        self.bar.set_position(done);
    }

    fn warn(&self, text: &str) {
        self.bar.suspend(|| remark(&text));
    }

    fn print(&self, text: &str) {
        self.bar.suspend(|| print_result(text));
    }
}

impl Drop for BakeReport {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        lock(&self.state).is_finished = true;
        if let Some(lines) = self.lines.take() {
            lines.thread().unpark();
            // A panic of that thread has been printed.
            let _ = lines.join();
        }
    }
}

impl State {
    fn line(&self) -> Option<String> {
        let name = self.phase?.name();
        Some(match self.total {
            0 => format!("baking: {name}"),
            total => format!("baking: {name}, {} %", self.done * 100 / total),
        })
    }
}

/// Writes a line for each interval until the bake ends.
fn write_lines(state: &Mutex<State>) {
    let mut next = Instant::now() + LINE_INTERVAL;
    loop {
        std::thread::park_timeout(next.saturating_duration_since(Instant::now()));
        let state = lock(state);
        if state.is_finished {
            return;
        }
        if Instant::now() >= next {
            next += LINE_INTERVAL;
            let line = state.line();
            drop(state);
            if let Some(line) = line {
                remark(&line);
            }
        }
    }
}

/// Style of a phase that counts its work.
fn counter() -> ProgressStyle {
    ProgressStyle::with_template("{msg:8} {bar:40} {percent:>3} %  {rate}  {left} left")
        .expect("the template is well formed")
        .with_key("rate", |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = write!(out, "{:.1} k/s", state.per_sec() * 1e-3);
        })
        .with_key("left", |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = write!(out, "{}", HumanDuration(state.eta()));
        })
}

/// Style of a phase that counts nothing.
fn spinner() -> ProgressStyle {
    ProgressStyle::with_template("{msg:8} {spinner} {elapsed}").expect("the template is well formed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_the_phase_and_its_share() {
        let report = BakeReport::new(true, None);
        let line = || report.state.lock().unwrap().line();
        assert_eq!(line(), None);
        report.advance(BakePhase::Charts, 0, 0);
        assert_eq!(line().as_deref(), Some("baking: charts"));
        report.advance(BakePhase::Light, 30, 40);
        assert_eq!(line().as_deref(), Some("baking: light, 75 %"));
    }
}
