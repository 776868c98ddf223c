//! Work in a thread without Python's lock, with progress, stopped by Ctrl-C.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use renderer::bake::{BakePhase, BakeProgress};
use renderer::command::Failure;
use renderer::render::Progress;
use renderer::session::Stop;

use crate::error::exception;

/// Interval between checks for signals and reports of progress.
const TICK: Duration = Duration::from_millis(50);

/// Stack of the thread that works [bytes]: as much as the main thread of a program has, and some for deep scenes.
const STACK: usize = 32 << 20;

/// Progress of the work, and printed text of shaders.
#[derive(Debug, Default)]
pub(crate) struct WorkProgress {
    /// The share that is done, as the bits of an `f64`.
    share: AtomicU64,
    printed: Mutex<String>,
}

impl WorkProgress {
    fn set(&self, done: u64, total: u64) {
        let share = done as f64 / total.max(1) as f64;
        // Phases may restart; the bits of positive numbers have the order of the numbers.
        self.share.fetch_max(share.to_bits(), Ordering::Relaxed);
    }

    fn share(&self) -> f64 {
        f64::from_bits(self.share.load(Ordering::Relaxed))
    }

    fn add_text(&self, text: &str) {
        lock(&self.printed).push_str(text);
    }

    /// Shows what shaders printed where Python prints.
    fn print_text(&self, py: Python<'_>) -> PyResult<()> {
        let text = std::mem::take(&mut *lock(&self.printed));
        if text.is_empty() {
            return Ok(());
        }
        py.import("sys")?.getattr("stdout")?.call_method1("write", (text,))?;
        Ok(())
    }
}

impl Progress for WorkProgress {
    fn advance(&self, done: u64, total: u64) {
        self.set(done, total);
    }

    fn print(&self, text: &str) {
        self.add_text(text);
    }
}

impl BakeProgress for WorkProgress {
    fn advance(&self, phase: BakePhase, done: u64, total: u64) {
        if matches!(phase, BakePhase::Light | BakePhase::Features) && total > 0 {
            self.set(done, total);
        }
    }

    fn print(&self, text: &str) {
        self.add_text(text);
    }
}

/// Runs the work in a thread and waits for it. `callback` receives the finished fraction, from 0 to 1; if it returns
/// `False`, the work ends with the result so far.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&WorkProgress, &Stop) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let (progress_state, stop) = (WorkProgress::default(), Stop::default());
    let mut mistake = None;
    let done = thread::scope(|scope| {
        let (done, wait) = channel();
        let wait = Mutex::new(wait);
        let (progress_state, stop) = (&progress_state, &stop);
        let work = move || {
            // The receiver is gone only if this function has panicked.
            let _ = done.send(work(progress_state, stop));
        };
        let started = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        if let Err(error) = started {
            return Err(PyRuntimeError::new_err(format!("cannot start a thread: {error}")));
        }
        loop {
            match py.detach(|| lock(&wait).recv_timeout(TICK)) {
                Ok(done) => return Ok(done),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("the work has failed; this is a bug of Kiln"));
                }
                Err(RecvTimeoutError::Timeout) if mistake.is_some() => {}
                Err(RecvTimeoutError::Timeout) => match poll(py, callback, progress_state) {
                    Ok(true) => {}
                    Ok(false) => stop.stop(),
                    Err(error) => {
                        mistake = Some(error);
                        stop.stop();
                    }
                },
            }
        }
    })?;
    if let Some(mistake) = mistake {
        return Err(mistake);
    }
    let done = done.map_err(|failure| exception(py, &failure))?;
    progress_state.print_text(py)?;
    if let Some(callback) = callback.filter(|_| !stop.is_set()) {
        callback.call1((1.0,))?;
    }
    Ok(done)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets Python handle signals, and reports the progress. Returns whether the work continues.
fn poll(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    progress_state: &WorkProgress,
) -> PyResult<bool> {
    py.check_signals()?;
    progress_state.print_text(py)?;
    let Some(callback) = callback else { return Ok(true) };
    let answer = callback.call1((progress_state.share(),))?;
    Ok(answer.is_none() || answer.is_truthy()?)
}
