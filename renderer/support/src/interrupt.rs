//! Signal handling: SIGINT, SIGTERM and SIGHUP stop a command after the work in flight.
//!
//! Before there is a result worth writing, a signal ends the program immediately. Later the first signal sets a flag:
//! the samples in flight are finished and written; a second signal ends the program immediately. A shell and the system
//! may both send a signal: a signal shortly after the first is ignored, unless it is Ctrl-C.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

use super::{Failure, lock, remark};
use renderer_image::remove_temporaries;

/// The signal of Ctrl-C.
const INTERRUPT: i32 = 2;

/// Signals within this time after the first are repetitions of it, unless they are Ctrl-C.
const REPEAT_TIME: Duration = Duration::from_millis(500);

/// State of signal handling: whether a signal arrived, and its effect.
#[derive(Debug, Default)]
pub struct Interrupt {
    stop: AtomicBool,
    keeps: AtomicBool,
    /// True while a command waits for a change: a signal then ends it without a message.
    waits: AtomicBool,
    /// The first signal, and when it came.
    signal: AtomicI32,
    since: Mutex<Option<Instant>>,
}

impl Interrupt {
    /// Replaces the system's signal handlers.
    pub fn catch() -> Result<Arc<Interrupt>, Failure> {
        let interrupt = Arc::new(Interrupt::default());
        let caught = interrupt.clone();
        on_signal(move |signal| caught.signal(signal))?;
        Ok(interrupt)
    }

    /// Set once the work should end with what there is.
    pub fn flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// Flag that asks the work to end with the result so far.
    pub fn is_set(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Declares that from now on there is a result worth writing.
    pub fn keep(&self) {
        self.keeps.store(true, Ordering::Relaxed);
    }

    /// Ends the work in flight because it is out of date, or not wanted any more.
    pub fn stop_old_work(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns whether the work in flight ends because it is out of date, which needs no message.
    pub fn is_old_work(&self) -> bool {
        self.is_set() && self.signal.load(Ordering::Relaxed) == 0
    }

    /// Prepares for new work, or for the wait for a change.
    ///
    /// # Errors
    /// If a signal has come.
    pub fn renew(&self, waits: bool) -> Result<(), Failure> {
        if self.signal.load(Ordering::Relaxed) != 0 {
            return Err(self.failure());
        }
        self.stop.store(false, Ordering::Relaxed);
        self.keeps.store(false, Ordering::Relaxed);
        self.waits.store(waits, Ordering::Relaxed);
        Ok(())
    }

    /// The failure that reports the interruption and its signal.
    pub fn failure(&self) -> Failure {
        Failure::Interrupted(status(self.signal.load(Ordering::Relaxed)))
    }

    /// A signal has arrived.
    fn signal(&self, signal: i32) {
        if self.waits.load(Ordering::Relaxed) {
            exit(signal);
        }
        let stopped = self.stop.swap(true, Ordering::Relaxed);
        // Old work may have been ended before.
        let again = stopped && self.signal.load(Ordering::Relaxed) != 0;
        let mut since = lock(&self.since);
        let first = *since.get_or_insert_with(Instant::now);
        if !again {
            self.signal.store(signal, Ordering::Relaxed);
        }
        if self.keeps.load(Ordering::Relaxed)
            && (!again || (signal != INTERRUPT && first.elapsed() < REPEAT_TIME))
        {
            if !again {
                remark(&"finishing the samples in flight; interrupt again to stop at once");
            }
            return;
        }
        remove_temporaries();
        remark(if again {
            &"ended at once"
        } else {
            &"interrupted before anything was finished; nothing was written"
        });
        exit(signal);
    }
}

/// The exit status of a command that a signal has ended.
fn status(signal: i32) -> u8 {
    128 + signal.clamp(1, 64) as u8
}

#[cfg(unix)]
fn on_signal(f: impl Fn(i32) + Send + 'static) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

    // A file that grows beyond `ulimit -f` is one that cannot be written, as on a full disk, and does not end the program.
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    let mut list = vec![SIGINT, SIGTERM];
    // A program under `nohup` continues.
    if !is_ignored(SIGHUP) {
        list.push(SIGHUP);
    }
    let mut signals = signal_hook::iterator::Signals::new(list)?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || signals.forever().for_each(f))
        .map(drop)
}

/// Returns whether the process was started with a signal ignored, on systems that report it.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(not(unix))]
fn on_signal(f: impl Fn(i32) + Send + 'static) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || f(INTERRUPT))
}

/// Ends the process without destructors, because other threads still use the data.
fn exit(signal: i32) -> ! {
    #[cfg(unix)]
    signal_hook::low_level::exit(i32::from(status(signal)));
    #[cfg(not(unix))]
    std::process::exit(i32::from(status(signal)));
}
