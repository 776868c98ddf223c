//! Shims for attributes of more than four floats.

use super::library::store;
use super::{Shim, run};
use crate::runtime::AttributeHandle;
use crate::runtime::context::ContextHeader;
use crate::runtime::text::{self, TextHeader};
use shading_compiler::hir::{Const, Kind};

/// `(context, object, name, index, kind) → int found`.
pub(crate) fn has_any_attribute() -> Shim {
    Shim::of5(has_any_attribute_shim)
}

unsafe extern "C" fn has_any_attribute_shim(
    ctx: *mut ContextHeader,
    object: *const TextHeader,
    name: *const TextHeader,
    index: i32,
    kind: i32,
) -> i32 {
    // SAFETY: compiled code passes its context and texts.
    i32::from(unsafe { find(ctx, object, name, index, kind) }.is_some())
}

/// `(context, place, object, name, index, kind, out)`.
pub(crate) fn any_attribute() -> Shim {
    Shim::of7(any_attribute_shim)
}

unsafe extern "C" fn any_attribute_shim(
    ctx: *mut ContextHeader,
    place: u32,
    object: *const TextHeader,
    name: *const TextHeader,
    index: i32,
    kind: i32,
    out: *mut u8,
) {
    // SAFETY: compiled code passes its context, texts, and memory for a value of that kind.
    unsafe {
        if let Some(value) = find(ctx, object, name, index, kind) {
            store(ctx, place, &value, out);
        }
    }
}

/// `(context, handle, index, kind) → int found`.
pub(crate) fn has_any_attribute_by_handle() -> Shim {
    Shim::of4(has_any_attribute_by_handle_shim)
}

unsafe extern "C" fn has_any_attribute_by_handle_shim(
    ctx: *mut ContextHeader,
    handle: u32,
    index: i32,
    kind: i32,
) -> i32 {
    // SAFETY: compiled code passes its context.
    i32::from(unsafe { find_by_handle(ctx, handle, index, kind) }.is_some())
}

/// `(context, place, handle, index, kind, out)`.
pub(crate) fn any_attribute_by_handle() -> Shim {
    Shim::of6(any_attribute_by_handle_shim)
}

unsafe extern "C" fn any_attribute_by_handle_shim(
    ctx: *mut ContextHeader,
    place: u32,
    handle: u32,
    index: i32,
    kind: i32,
    out: *mut u8,
) {
    // SAFETY: compiled code passes its context, and memory for a value of that kind.
    unsafe {
        if let Some(value) = find_by_handle(ctx, handle, index, kind) {
            store(ctx, place, &value, out);
        }
    }
}

/// # Safety
/// `ctx` is the context of a run in progress.
unsafe fn find_by_handle(ctx: *mut ContextHeader, handle: u32, index: i32, kind: i32) -> Option<Const> {
    let (index, kind) = (u32::try_from(index).ok(), Kind::of_code(kind));
    // SAFETY: guaranteed by the caller.
    let (host, globals) = unsafe { (run(ctx).host(), &*(*ctx).globals) };
    let value = host.any_attribute_by_handle(globals, AttributeHandle(handle), index, kind);
    value.filter(|value| Kind::of_const(value) == Some(kind))
}

/// # Safety
/// `ctx` is the context of a run in progress, and the names are texts.
unsafe fn find(
    ctx: *mut ContextHeader,
    object: *const TextHeader,
    name: *const TextHeader,
    index: i32,
    kind: i32,
) -> Option<Const> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let (object, name) = (text::read(object), text::read(name));
        let (index, kind) = (u32::try_from(index).ok(), Kind::of_code(kind));
        let globals = &*(*ctx).globals;
        let host = run(ctx).host();
        let value = host.any_attribute(globals, object, name, index, kind);
        value.filter(|value| Kind::of_const(value) == Some(kind))
    }
}
