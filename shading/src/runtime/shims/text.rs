//! Allocation of strings made at run time.

use super::report::allocate;
use super::run;
use crate::runtime::Sink;
use crate::runtime::context::ContextHeader;
use crate::runtime::text::{self, TextHeader};

/// Puts a text into the arena; the empty text when there is no room.
///
/// # Safety
/// `ctx` is the context of a run that is going on.
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
/// `ctx` is the context of a run that is going on.
pub(super) unsafe fn write(ctx: *mut ContextHeader, sink: Sink, text: &str) {
    // SAFETY: the caller's.
    unsafe { run(ctx).printed.push(sink, text) }
}
