//! The progress bar of a bake.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::bake::BakeProgress;
use crate::command::tell;

/// A bar over photons, then over texels, vertices or probes.
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// A bar; drawn only on a terminal, and not when `quiet`.
    pub(super) fn new(quiet: bool) -> Bar {
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
        Bar(bar)
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }

    fn show(&self, what: &'static str, done: u64, total: u64) {
        if self.0.message() != what {
            self.0.set_message(what);
            self.0.set_length(total);
            self.0.reset_eta();
        }
        self.0.set_position(done);
    }
}

impl BakeProgress for Bar {
    fn photons(&self, done: u64, total: u64) {
        self.show("photons", done, total);
    }

    fn points(&self, done: u64, total: u64) {
        self.show("light", done, total);
    }

    fn print(&self, text: &str) {
        self.0.suspend(|| tell(text));
    }
}
