//! Shims for limit violations: fuel, recursion depth, memory, indices.

use std::ptr;

use super::{Shim, run};
use crate::runtime::context::ContextHeader;
use crate::runtime::{ReportKind, ReportPlace};
use shading_compiler::eval::{self, MAX_DEPTH};

/// `(context, place)`: fuel is exhausted.
pub(crate) fn out_of_fuel() -> Shim {
    Shim::of2(out_of_fuel_shim)
}

unsafe extern "C" fn out_of_fuel_shim(ctx: *mut ContextHeader, place: u32) {
    // SAFETY: compiled code passes the context of its run.
    unsafe {
        report(ctx, place, ReportKind::OutOfFuel, || {
            "the shader takes too long, and was ended".to_owned()
        });
        run(ctx).stop();
    }
}

/// `(context, place)`: calls are nested too deeply.
pub(crate) fn too_deep() -> Shim {
    Shim::of2(too_deep_shim)
}

unsafe extern "C" fn too_deep_shim(ctx: *mut ContextHeader, place: u32) {
    // SAFETY: as above.
    unsafe {
        report(ctx, place, ReportKind::TooDeep, || {
            format!("recursive calls nest too deep (at most {MAX_DEPTH} may), and the shader was ended")
        });
        run(ctx).stop();
    }
}

/// `(context, place, index, length) → clamped index`.
pub(crate) fn index_out_of_range() -> Shim {
    Shim::of4(index_out_of_range_shim)
}

unsafe extern "C" fn index_out_of_range_shim(
    ctx: *mut ContextHeader,
    place: u32,
    index: i32,
    length: u32,
) -> i32 {
    let (clamped, _) = eval::clamp_index(index, length as usize);
    // SAFETY: as above; the places are the instance's, which is borrowed during the run.
    unsafe {
        let places = &*(*ctx).places;
        report(ctx, place, ReportKind::IndexOutOfRange, || {
            let place = places.get(place);
            eval::index_message(index, place.as_ref().map_or("array", ReportPlace::indexed), length)
        });
    }
    clamped as i32
}

/// `(context, place, size) → memory in the arena`, aligned to 16, or null if the limit of the run is exceeded.
pub(crate) fn grow_arena() -> Shim {
    Shim::of3(grow_arena_shim)
}

unsafe extern "C" fn grow_arena_shim(ctx: *mut ContextHeader, place: u32, size: u32) -> *mut u8 {
    // SAFETY: as above.
    unsafe { allocate(ctx, place, size as usize) }
}

/// Allocates memory in the arena; returns null with a report if that fails.
///
/// # Safety
/// `ctx` is the context of a run in progress.
pub(super) unsafe fn allocate(ctx: *mut ContextHeader, place: u32, size: usize) -> *mut u8 {
    let size = size.next_multiple_of(16);
    // SAFETY: guaranteed by the caller.
    let run = unsafe { run(ctx) };
    let mut window = run.header.arena;
    if window.end.addr() - window.cursor.addr() < size {
        match run.arena.grow(size) {
            Some(grown) => window = grown,
            None => {
                // SAFETY: guaranteed by the caller; `run` is no longer used.
                unsafe {
                    report(ctx, place, ReportKind::OutOfMemory, || {
                        "the shader makes too many closures and strings; further ones are dropped".to_owned()
                    });
                }
                return ptr::null_mut();
            }
        }
    }
    let memory = window.cursor;
    window.cursor = memory.wrapping_add(size);
    run.header.arena = window;
    memory
}

/// `(context, place, size) → memory for a large frame`, or null if memory is exhausted, in which case the run was
/// aborted.
pub(crate) fn grow_frames() -> Shim {
    Shim::of3(grow_frames_shim)
}

unsafe extern "C" fn grow_frames_shim(ctx: *mut ContextHeader, place: u32, size: u32) -> *mut u8 {
    // SAFETY: as above.
    unsafe {
        let window = run(ctx).make_frames();
        if window.end.addr() - window.cursor.addr() >= size as usize {
            run(ctx).header.frames.cursor = window.cursor.wrapping_add(size as usize);
            return window.cursor;
        }
        report(ctx, place, ReportKind::OutOfMemory, || {
            "the arrays of recursive calls take too much memory, and the shader was ended".to_owned()
        });
        run(ctx).stop();
    }
    ptr::null_mut()
}

/// Adds a report.
///
/// # Safety
/// `ctx` is the context of a run in progress, and no reference to it is alive.
pub(super) unsafe fn report(
    ctx: *mut ContextHeader,
    place: u32,
    kind: ReportKind,
    message: impl FnOnce() -> String,
) {
    // SAFETY: guaranteed by the caller; the places are the instance's, which is borrowed during the run.
    unsafe {
        let places = &*(*ctx).places;
        run(ctx).report(places, place, kind, message);
    }
}
