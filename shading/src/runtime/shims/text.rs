//! Allocation of strings made at run time.

use super::report::allocate;
use super::run;
use crate::runtime::Sink;
use crate::runtime::context::ContextHeader;
use crate::runtime::text::{self, TextHeader};

/// Allocates a text in the arena; returns the empty text if memory is exhausted.
///
/// # Safety
/// `ctx` is the context of a run in progress.
pub(super) unsafe fn make(ctx: *mut ContextHeader, place: u32, content: &str) -> *const TextHeader {
    if content.is_empty() {
        return text::empty();
    }
    // SAFETY: the caller passes the context of its run; the memory is large enough and aligned.
    unsafe {
        let memory = allocate(ctx, place, text::size(content));
        if memory.is_null() {
            return text::empty();
        }
        text::write(memory, content)
    }
}

/// # Safety
/// `ctx` is the context of a run in progress.
pub(super) unsafe fn write(ctx: *mut ContextHeader, sink: Sink, text: &str) {
    // SAFETY: guaranteed by the caller.
    unsafe { run(ctx).printed.push(sink, text) }
}
