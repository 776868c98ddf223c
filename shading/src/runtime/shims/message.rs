//! Shims for `setmessage` and `getmessage`.

use super::library::store;
use super::report::allocate;
use super::text::write;
use super::{Shim, run};
use crate::runtime::Sink;
use crate::runtime::context::ContextHeader;
use crate::runtime::messages::Asked;
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
    // SAFETY: compiled code passes its context, texts, and a value of so many bytes. The texts and closures that the
    // value may refer to live until the run is over, as the copy does.
    unsafe {
        let asked = asked(name, ty, place);
        let copy = allocate(ctx, report, bytes as usize);
        if copy.is_null() {
            return;
        }
        copy.copy_from_nonoverlapping(value, bytes as usize);
        let set = run(ctx).messages.set(asked, copy.cast_const());
        if let Err(error) = set {
            write(ctx, Sink::Error, &error);
        }
    }
}

/// `(context, source, name, type, place, kind) → int`: whether there is a message of that type.
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
        let found = run(ctx).messages.ask(asked(name, ty, place));
        match found {
            Ok(found) => i32::from(found),
            Err(error) => {
                write(ctx, Sink::Error, &error);
                0
            }
        }
    }
}

/// `(context, report place, source, name, kind, out, bytes of the value)`: the value of a message that is there.
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
    // SAFETY: compiled code asks for a message that is there and of the type, so of the size, of `out`.
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

/// The source of messages about the last traced ray.
const TRACE: &str = "trace";

/// What the last traced ray tells under a name, as a value of the kind of that code.
///
/// # Safety
/// The context and the text are those of compiled code.
unsafe fn traced(ctx: *mut ContextHeader, name: *const TextHeader, kind: i32) -> Option<Const> {
    // SAFETY: the caller's.
    unsafe {
        let run = run(ctx);
        let kind = Kind::of_code(kind);
        run.last_trace.message(run.host(), text::read(name), kind)
    }
}

/// # Safety
/// All are texts.
unsafe fn asked<'a>(name: *const TextHeader, ty: *const TextHeader, place: *const TextHeader) -> Asked<'a> {
    // SAFETY: the caller's.
    let [name, ty, place] = [name, ty, place].map(|t| unsafe { text::read(t) });
    Asked { name, ty, place }
}
