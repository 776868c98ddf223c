//! The progress bar of a render, drawn on terminals only.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use renderer_support::interrupt::Interrupt;
use renderer_support::{print_result, remark};
use renderer_transport::integrator::Integrator;
use renderer_transport::render::{Decision, Progress};

/// Runs a function while the progress bar is not drawn.
pub type WhileHidden = Arc<dyn Fn(&mut dyn FnMut()) + Send + Sync>;

/// A bar over the photons of a picture, where there are any, and then over its samples.
pub struct Bar {
    bar: ProgressBar,
    /// True while samples are taken: later photon passes get no bar of their own.
    sampling: AtomicBool,
    interrupt: Arc<Interrupt>,
    quiet: bool,
}

impl Bar {
    /// A bar for a render; drawn only on a terminal, and not when `quiet`.
    pub fn new(quiet: bool, interrupt: &Arc<Interrupt>) -> Bar {
        let bar = ProgressBar::new(1);
        if quiet || !std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {rate} {msg}/s  {left} left")
            .expect("the template is well formed")
            .with_key("rate", |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{}", rate(state.per_sec()));
            })
            .with_key("left", |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = match (state.pos(), state.eta()) {
                    // No measurement yet.
                    (0, _) | (_, Duration::ZERO) => write!(out, "unknown time"),
                    (_, left) => write!(out, "{}", HumanDuration(left)),
                };
            });
        bar.set_style(style);
        bar.enable_steady_tick(Duration::from_millis(200));
        Bar {
            bar,
            sampling: AtomicBool::new(false),
            interrupt: interrupt.clone(),
            quiet,
        }
    }

    /// Prints a message above the bar.
    pub fn remark(&self, text: &str) {
        self.bar.suspend(|| remark(&text));
    }

    /// Writes remarks of other threads above the bar, unless the command is quiet.
    pub fn printer(&self) -> Arc<dyn Fn(&str) + Send + Sync> {
        let (bar, quiet) = (self.bar.clone(), self.quiet);
        Arc::new(move |text| {
            if !quiet {
                bar.suspend(|| remark(&text));
            }
        })
    }

    /// Runs functions of other threads while the bar is not drawn.
    pub fn while_hidden(&self) -> WhileHidden {
        let bar = self.bar.clone();
        Arc::new(move |run| bar.suspend(run))
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A rate in three digits: `940`, `12.3 k`, `1.25 M`.
fn rate(per_second: f64) -> String {
    let (value, unit) = match per_second {
        n if n < 1e3 => return format!("{n:.0}"),
        n if n < 1e6 => (n * 1e-3, "k"),
        n => (n * 1e-6, "M"),
    };
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$} {unit}")
}

impl Progress for Bar {
    fn advance(&self, done: u64, total: u64) {
        if done > 0 {
            self.interrupt.keep();
        }
        if !self.sampling.swap(true, Ordering::Relaxed) {
            self.bar.set_message("camera rays");
            self.bar.reset();
        }
        self.bar.set_length(total);
        self.bar.set_position(done);
    }

    fn photons(&self, done: u64, total: u64) {
        if !self.sampling.load(Ordering::Relaxed) {
            self.bar.set_message("photons");
            self.bar.set_length(total);
            self.bar.set_position(done);
        }
    }

    fn decided(&self, decision: &Decision) {
        if self.quiet {
            return;
        }
        let [name, other] = match decision.integrator {
            Integrator::Photon(_) => ["photon", "path"],
            Integrator::Path(_) | Integrator::Auto(_) => ["path", "photon"],
        };
        let text = if decision.gain.is_finite() {
            format!(
                "auto: {name}; {other} would take {:.1} times as long to the same error",
                decision.gain
            )
        } else {
            format!("auto: {name}; {other} cannot find all of the light")
        };
        self.bar.suspend(|| remark(&text));
    }

    fn print(&self, text: &str) {
        self.bar.suspend(|| print_result(text));
    }
}

#[cfg(test)]
mod tests {
    use super::rate;

    #[test]
    fn rates_have_three_digits() {
        let texts = [0.0, 940.4, 12_345.0, 999_000.0, 1_250_000.0].map(rate);
        assert_eq!(texts, ["0", "940", "12.3 k", "999 k", "1.25 M"]);
    }
}
