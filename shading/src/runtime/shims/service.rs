//! Shims for dictionaries and rare host queries.

use super::library::store;
use super::text::write;
use super::{Lanes, Shim, run, triple};
use crate::runtime::context::ContextHeader;
use crate::runtime::text::{self, TextHeader};
use crate::runtime::{Sink, TraceRay};
use shading_compiler::builtins::Builtin;
use shading_compiler::eval::dictionary::DictionaryError;
use shading_compiler::hir::Kind;

/// A function `(context, operands) → int`; triples are addresses.
pub(crate) fn service(builtin: Builtin) -> Option<Shim> {
    match builtin {
        Builtin::DictFind => Some(Shim::of3(find)),
        Builtin::DictFindBelow => Some(Shim::of3(find_below)),
        Builtin::DictNext => Some(Shim::of2(next)),
        Builtin::HasDictValue => Some(Shim::of4(has_value)),
        Builtin::Trace => Some(Shim::of7(trace)),
        Builtin::IsSpace => Some(Shim::of2(is_space)),
        _ => None,
    }
}

unsafe extern "C" fn find(
    ctx: *mut ContextHeader,
    dictionary: *const TextHeader,
    path: *const TextHeader,
) -> i32 {
    // SAFETY: compiled code passes its context and texts.
    unsafe {
        let (dictionary, path) = (text::read(dictionary), text::read(path));
        let run = run(ctx);
        let host = run.host_of_run();
        let found = run.dictionaries.find(dictionary, path, |name| host.read_text(name));
        result_or_report(ctx, found)
    }
}

unsafe extern "C" fn find_below(ctx: *mut ContextHeader, node: i32, path: *const TextHeader) -> i32 {
    // SAFETY: as for `find`.
    unsafe {
        let found = run(ctx).dictionaries.find_below(node, text::read(path));
        result_or_report(ctx, found)
    }
}

/// # Safety
/// `ctx` is the context of a run in progress.
unsafe fn result_or_report(ctx: *mut ContextHeader, found: Result<i32, DictionaryError>) -> i32 {
    found.unwrap_or_else(|error| {
        // SAFETY: guaranteed by the caller.
        unsafe { write(ctx, Sink::Error, &error.message) };
        error.result
    })
}

unsafe extern "C" fn next(ctx: *mut ContextHeader, node: i32) -> i32 {
    // SAFETY: as for `find`.
    unsafe { run(ctx).dictionaries.next(node) }
}

unsafe extern "C" fn has_value(
    ctx: *mut ContextHeader,
    node: i32,
    name: *const TextHeader,
    kind: i32,
) -> i32 {
    // SAFETY: as for `find`.
    let value = unsafe {
        let dictionaries = &run(ctx).dictionaries;
        dictionaries.value(node, text::read(name), Kind::of_code(kind))
    };
    i32::from(value.is_some())
}

/// `(context, place, node, name, kind, out)`.
pub(crate) fn dict_value() -> Shim {
    Shim::of6(dict_value_shim)
}

unsafe extern "C" fn dict_value_shim(
    ctx: *mut ContextHeader,
    place: u32,
    node: i32,
    name: *const TextHeader,
    kind: i32,
    out: *mut u8,
) {
    // SAFETY: as for `find`, and there is memory for a value of that kind.
    unsafe {
        let value = run(ctx).dictionaries.value(node, text::read(name), Kind::of_code(kind));
        if let Some(value) = value {
            store(ctx, place, &value, out);
        }
    }
}

unsafe extern "C" fn trace(
    ctx: *mut ContextHeader,
    origin: *const Lanes,
    direction: *const Lanes,
    min_distance: f32,
    max_distance: f32,
    shade: i32,
    set: *const TextHeader,
) -> i32 {
    // SAFETY: compiled code passes its context, the addresses of two triples, and a text.
    unsafe {
        let ray = TraceRay {
            origin: triple(origin),
            direction: triple(direction),
            min_distance,
            max_distance,
            shade: shade != 0,
            set: text::read(set),
        };
        let globals = &*(*ctx).globals;
        let run = run(ctx);
        let hit = run.host().trace(globals, &ray);
        i32::from(run.last_trace.note(hit))
    }
}

unsafe extern "C" fn is_space(ctx: *mut ContextHeader, name: *const TextHeader) -> i32 {
    // SAFETY: compiled code passes its context and a text.
    unsafe {
        let globals = &*(*ctx).globals;
        i32::from(run(ctx).host().knows_space(globals, text::read(name)))
    }
}
