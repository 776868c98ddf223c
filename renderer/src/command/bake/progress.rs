//! The progress bar of a bake.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::command::interrupt::Interrupt;
use crate::command::{remark, tell};
use renderer_bake::BakeProgress;

/// What watches the progress of a bake.
pub(super) enum BakeWatch<'a> {
    /// A bar for people.
    Bar(Box<Bar>),
    /// The program that Kiln is a part of.
    Program(&'a dyn BakeProgress),
}

impl<'a> BakeWatch<'a> {
    /// The program if there is one, else a bar.
    pub(super) fn new(
        program: Option<&'a dyn BakeProgress>,
        quiet: bool,
        keeps: Option<Arc<Interrupt>>,
    ) -> BakeWatch<'a> {
        match program {
            Some(program) => BakeWatch::Program(program),
            None => BakeWatch::Bar(Box::new(Bar::new(quiet, keeps))),
        }
    }

    pub(super) fn progress(&self) -> &dyn BakeProgress {
        match self {
            BakeWatch::Bar(bar) => &**bar,
            BakeWatch::Program(program) => *program,
        }
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        if let BakeWatch::Bar(bar) = self {
            bar.bar.finish_and_clear();
        }
    }
}

/// A bar over photons, then over texels, vertices or probes.
pub(super) struct Bar {
    bar: ProgressBar,
    /// Told that there is something worth keeping once light is gathered, where a checkpoint keeps it.
    keeps: Option<Arc<Interrupt>>,
}

impl Bar {
    /// A bar; drawn only on a terminal, and not when `quiet`.
    fn new(quiet: bool, keeps: Option<Arc<Interrupt>>) -> Bar {
        let bar = ProgressBar::new(1);
        if quiet || !std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let style = ProgressStyle::with_template("{msg:8} {bar:40} {percent:>3} %  {rate}  {left} left")
            .expect("the template is well formed")
            .with_key("rate", |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{:.1} k/s", state.per_sec() * 1e-3);
            })
            .with_key("left", |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{}", HumanDuration(state.eta()));
            });
        bar.set_style(style);
        bar.enable_steady_tick(Duration::from_millis(200));
        Bar { bar, keeps }
    }

    fn show(&self, what: &'static str, done: u64, total: u64) {
        if self.bar.message() != what {
            self.bar.set_message(what);
            self.bar.set_length(total);
            self.bar.reset_eta();
        }
        self.bar.set_position(done);
    }
}

impl BakeProgress for Bar {
    fn photons(&self, done: u64, total: u64) {
        self.show("photons", done, total);
    }

    fn points(&self, done: u64, total: u64) {
        if let Some(interrupt) = &self.keeps {
            interrupt.keep();
        }
        self.show("light", done, total);
    }

    fn texels(&self, done: u64, total: u64) {
        self.show("texels", done, total);
    }

    fn warn(&self, text: &str) {
        self.bar.suspend(|| remark(&text));
    }

    fn print(&self, text: &str) {
        self.bar.suspend(|| tell(text));
    }
}
