//! Terminal, signals, output files, file watching, HTTP and HTML for the commands of `kiln`.
//!
//! Results go to standard output, everything else to standard error.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// Units stand in brackets: `[m]`.
#![allow(rustdoc::broken_intra_doc_links, reason = "units stand in brackets")]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

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

pub use failure::Failure;
pub use terminal::{print, print_result, remark};
