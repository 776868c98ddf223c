//! The progress bar: how much is done, how fast, and how long the rest will take. None where no one watches.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// A bar over samples.
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar of `total` samples; drawn only on a terminal, and not when `quiet`.
    pub(super) fn new(total: u64, quiet: bool) -> Progress {
        let bar = ProgressBar::new(total);
        if quiet || !std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {rate}  {left} left")
            .expect("the template is well formed")
            .with_key("rate", |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{:.2} M samples/s", state.per_sec() * 1e-6);
            })
            .with_key("left", |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{}", HumanDuration(state.eta()));
            });
        bar.set_style(style);
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress { bar }
    }

    /// So many samples more are done.
    pub(super) fn add(&self, samples: u64) {
        self.bar.inc(samples);
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
