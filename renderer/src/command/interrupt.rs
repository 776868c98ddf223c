//! Signals that end a command: Ctrl-C and, on Unix, a request to terminate and the loss of the terminal.
//!
//! As long as there is nothing worth keeping, a signal ends the program at once. After that the first signal sets a flag:
//! the work in flight is finished and written. Ctrl-C once more ends the program; other signals do not, since a terminal
//! that is closed may send several.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Failure, remark};
use crate::image::remove_temporaries;

/// The exit status of an interrupted command.
pub(super) const STATUS: u8 = 130;

/// Whether a signal arrived, and what it does.
#[derive(Debug, Default)]
pub(super) struct Interrupt {
    stop: AtomicBool,
    keeps: AtomicBool,
}

impl Interrupt {
    /// Takes the place of the system's way to handle signals.
    pub(super) fn catch() -> Result<Arc<Interrupt>, Failure> {
        let interrupt = Arc::new(Interrupt::default());
        let caught = interrupt.clone();
        on_signal(move |is_key| caught.signal(is_key))?;
        Ok(interrupt)
    }

    /// Set once the work should end with what there is.
    pub(super) fn flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// Whether the work should end with what there is.
    pub(super) fn is_set(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Says that from now on there is something worth keeping.
    pub(super) fn keep(&self) {
        self.keeps.store(true, Ordering::Relaxed);
    }

    /// A signal has arrived, from the keyboard or otherwise.
    fn signal(&self, is_key: bool) {
        let again = self.stop.swap(true, Ordering::Relaxed);
        if self.keeps.load(Ordering::Relaxed) && !(again && is_key) {
            if !again {
                remark(&"finishing the samples in flight; Ctrl-C ends at once");
            }
            return;
        }
        remove_temporaries();
        remark(if again {
            &"ended at once"
        } else {
            &"interrupted before anything was finished; nothing was written"
        });
        exit();
    }
}

#[cfg(unix)]
fn on_signal(f: impl Fn(bool) + Send + 'static) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let mut list = vec![SIGINT, SIGTERM];
    // A program under `nohup` goes on.
    if !is_ignored(SIGHUP) {
        list.push(SIGHUP);
    }
    let mut signals = signal_hook::iterator::Signals::new(list)?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || signals.forever().for_each(|signal| f(signal == SIGINT)))
        .map(drop)
}

/// Whether the process was started with a signal ignored, where the system tells.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(not(unix))]
fn on_signal(f: impl Fn(bool) + Send + 'static) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || f(true))
}

/// Ends the process without destructors: other threads still work with what these would take apart.
fn exit() -> ! {
    #[cfg(unix)]
    signal_hook::low_level::exit(i32::from(STATUS));
    #[cfg(not(unix))]
    std::process::exit(i32::from(STATUS));
}
