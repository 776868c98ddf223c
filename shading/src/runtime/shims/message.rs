//! Shims for `setmessage` and `getmessage`.

use super::library::store;
use super::report::allocate;
use super::text::write;
use super::{Shim, run};
use crate::runtime::Sink;
use crate::runtime::context::ContextHeader;
use crate::runtime::messages::MessageQuery;
use crate::runtime::text::{self, TextHeader};
use shading_compiler::hir::{Const, Kind};

/// `(context, report place, name, type, place, value, bytes of the value)`.
pub(crate) fn set_message() -> Shim {
    Shim::of7(set_message_shim)
}

unsafe extern "C" fn set_message_shim(
    ctx: *mut ContextHeader,
    report: u32,
    name: *const TextHeader,
    ty: *const TextHeader,
    place: *const TextHeader,
    value: *const u8,
    bytes: u32,
) {
    // SAFETY: compiled code passes its context, texts, and a value of the given size. Texts and closures referenced by
    // the value live until the end of the run, as the copy does.
    unsafe {
        let message_query = message_query(name, ty, place);
        let copy = allocate(ctx, report, bytes as usize);
        if copy.is_null() {
            return;
        }
        copy.copy_from_nonoverlapping(value, bytes as usize);
        let set = run(ctx).messages.set(message_query, copy.cast_const());
        if let Err(error) = set {
            write(ctx, Sink::Error, &error);
        }
    }
}

/// `(context, source, name, type, place, kind) → int`: whether a message of that type exists.
pub(crate) fn has_message() -> Shim {
    Shim::of6(has_message_shim)
}

unsafe extern "C" fn has_message_shim(
    ctx: *mut ContextHeader,
    source: *const TextHeader,
    name: *const TextHeader,
    ty: *const TextHeader,
    place: *const TextHeader,
    kind: i32,
) -> i32 {
    // SAFETY: compiled code passes its context and texts.
    unsafe {
        if text::read(source) == TRACE {
            return i32::from(traced(ctx, name, kind).is_some());
        }
        let found = run(ctx).messages.query(message_query(name, ty, place));
        match found {
            Ok(found) => i32::from(found),
            Err(error) => {
                write(ctx, Sink::Error, &error);
                0
            }
        }
    }
}

/// `(context, report place, source, name, kind, out, bytes of the value)`: the value of an existing message.
pub(crate) fn message_value() -> Shim {
    Shim::of7(message_value_shim)
}

unsafe extern "C" fn message_value_shim(
    ctx: *mut ContextHeader,
    report: u32,
    source: *const TextHeader,
    name: *const TextHeader,
    kind: i32,
    out: *mut u8,
    bytes: u32,
) {
    // SAFETY: compiled code requests an existing message of the type, and thus the size, of `out`.
    unsafe {
        if text::read(source) == TRACE {
            if let Some(value) = traced(ctx, name, kind) {
                store(ctx, report, &value, out);
            }
            return;
        }
        if let Some(value) = run(ctx).messages.value(text::read(name)) {
            out.copy_from_nonoverlapping(*value, bytes as usize);
        }
    }
}

/// Name of the source of messages about the last traced ray.
const TRACE: &str = "trace";

/// Returns a message about the last traced ray, as a value of the kind with the given code.
///
/// # Safety
/// The context and the text are passed by compiled code.
unsafe fn traced(ctx: *mut ContextHeader, name: *const TextHeader, kind: i32) -> Option<Const> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let run = run(ctx);
        let kind = Kind::of_code(kind);
        run.last_trace.message(run.host(), text::read(name), kind)
    }
}

/// # Safety
/// All are texts.
unsafe fn message_query<'a>(
    name: *const TextHeader,
    ty: *const TextHeader,
    place: *const TextHeader,
) -> MessageQuery<'a> {
    // SAFETY: guaranteed by the caller.
    let [name, ty, place] = [name, ty, place].map(|t| unsafe { text::read(t) });
    MessageQuery { name, ty, place }
}
