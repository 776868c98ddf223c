//! Terminal, signals, output files, file watching, HTTP and HTML for the commands of `kiln`.
//!
//! Results go to standard output, everything else to standard error.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod failure;
pub mod file_watch;
pub mod html;
pub mod http;
pub mod interrupt;
pub mod new_folder;
pub mod outputs;
pub mod terminal;
pub mod warnings;
pub mod watch;
mod watched_files;
pub mod written_files;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use failure::Failure;
pub use terminal::{print, print_result, remark};

/// Locks a mutex, even if a thread has panicked with it.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
