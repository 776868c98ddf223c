//! `--watch`: work that is done again when a file changes that was read.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use super::file_watch::FileWatch;
use super::interrupt::Interrupt;
use super::{Failure, remark};

/// Receives the files that were read.
pub type Read<'a> = &'a dyn Fn(Vec<PathBuf>);

/// Runs the work, and again after each change of a file that was read, until a signal arrives.
///
/// `named` are the files that the command line names. `work` reports the files that it reads, and returns the names of its
/// results for a message, if any. A change stops the work in flight; errors are printed, and the work starts again after
/// the next change.
///
/// # Errors
/// If nothing can change; at a signal.
pub fn again(
    named: Vec<PathBuf>,
    interrupt: &Arc<Interrupt>,
    work: impl Fn(Read<'_>) -> Result<Option<String>, Failure>,
) -> Result<(), Failure> {
    let old_work = interrupt.clone();
    let watch = FileWatch::start(named, move || old_work.stop_old_work())?;
    if watch.is_idle() {
        return Err(Failure::User("error: --watch: there is no file that could change".to_owned()));
    }
    loop {
        let start = Instant::now();
        let done = work(&|files| watch.add(files));
        watch.set_broken(matches!(done, Err(Failure::User(_) | Failure::Mistakes(_))));
        match done {
            Ok(Some(made)) => {
                let seconds = start.elapsed().as_secs_f64();
                remark(&format!("{made} after {seconds:.1} s; waiting for a change"));
            }
            Err(failure @ (Failure::User(_) | Failure::Mistakes(_))) => remark(&failure),
            Ok(None) | Err(Failure::Interrupted(_)) => {}
        }
        watch.follow();
        interrupt.renew(true)?;
        watch.wait();
        interrupt.renew(false)?;
    }
}
