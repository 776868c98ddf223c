//! Strings and output.

use std::slice;

use super::report::{allocate, report};
use super::{Lanes, Shim, run};
use crate::builtins::Builtin;
use crate::eval::text as eval;
use crate::runtime::context::{ContextHeader, ReportKind};
use crate::runtime::text::{self, TextHeader};
use crate::runtime::{RayKind, closure};

/// Beyond so many bytes that nobody has taken, a context prints no more.
const MAX_PRINTED: usize = 64 << 20;

/// Puts a text into the arena; the empty text when there is no room.
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

/// `(text, text) → int`.
pub(crate) fn equal() -> Shim {
    Shim::of2(equal_shim)
}

unsafe extern "C" fn equal_shim(a: *const TextHeader, b: *const TextHeader) -> i32 {
    // SAFETY: compiled code passes texts.
    i32::from(unsafe { text::equal(a, b) })
}

/// `startswith` or `endswith`: `(text, text) → int`.
pub(crate) fn text_test(builtin: Builtin) -> Option<Shim> {
    match builtin {
        Builtin::Startswith => Some(Shim::of2(startswith)),
        Builtin::Endswith => Some(Shim::of2(endswith)),
        _ => None,
    }
}

unsafe extern "C" fn startswith(a: *const TextHeader, b: *const TextHeader) -> i32 {
    // SAFETY: compiled code passes texts.
    i32::from(unsafe { text::read(a).starts_with(text::read(b)) })
}

unsafe extern "C" fn endswith(a: *const TextHeader, b: *const TextHeader) -> i32 {
    // SAFETY: compiled code passes texts.
    i32::from(unsafe { text::read(a).ends_with(text::read(b)) })
}

/// `(context, place, text, text) → text`.
pub(crate) fn concat() -> Shim {
    Shim::of4(concat_shim)
}

unsafe extern "C" fn concat_shim(
    ctx: *mut ContextHeader,
    place: u32,
    a: *const TextHeader,
    b: *const TextHeader,
) -> *const TextHeader {
    // SAFETY: compiled code passes its context and texts.
    unsafe { make(ctx, place, &eval::concat(text::read(a), text::read(b))) }
}

/// `(context, place, text, int start, int length) → text`.
pub(crate) fn substr() -> Shim {
    Shim::of5(substr_shim)
}

unsafe extern "C" fn substr_shim(
    ctx: *mut ContextHeader,
    place: u32,
    a: *const TextHeader,
    start: i32,
    length: i32,
) -> *const TextHeader {
    // SAFETY: as for `concat`.
    unsafe { make(ctx, place, eval::substr(text::read(a), start, length)) }
}

/// `(context, text) → int`: whether the ray that found the point is of a kind.
pub(crate) fn ray_type() -> Shim {
    Shim::of2(ray_type_shim)
}

unsafe extern "C" fn ray_type_shim(ctx: *mut ContextHeader, name: *const TextHeader) -> i32 {
    // SAFETY: compiled code passes its context and a text.
    let (kind, name) = unsafe { ((*(*ctx).globals).ray_kind, text::read(name)) };
    i32::from(ray_bits(name) & kind.0 != 0)
}

/// The bit of a ray kind's name; none for an unknown name.
pub(crate) fn ray_bits(name: &str) -> u32 {
    RayKind::NAMES
        .iter()
        .find(|(known, _)| *known == name)
        .map_or(0, |(_, kind)| kind.0)
}

/// What an argument of `printf` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum ArgKind {
    /// `i32`s.
    Int,
    /// `f32`s; a matrix is sixteen.
    Float,
    /// [`Lanes`].
    Triple,
    /// Pointers to texts.
    Text,
    /// Pointers to closures.
    Closure,
}

/// An argument of `printf`, as compiled code stores it.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct FormatArg {
    /// An [`ArgKind`].
    kind: u32,
    /// How many values.
    count: u32,
    /// The first of them.
    data: *const u8,
}

/// `(context, place, format text, arguments, number of arguments) → text`.
pub(crate) fn format() -> Shim {
    Shim::of5(format_shim)
}

unsafe extern "C" fn format_shim(
    ctx: *mut ContextHeader,
    place: u32,
    format: *const TextHeader,
    args: *const FormatArg,
    count: u32,
) -> *const TextHeader {
    // SAFETY: compiled code passes its context, a text, and so many arguments.
    unsafe {
        let content = formatted(ctx, place, format, args, count);
        make(ctx, place, &content)
    }
}

/// The same without result: appends to what is printed.
pub(crate) fn print(builtin: Builtin) -> Option<Shim> {
    match builtin {
        Builtin::Printf => Some(Shim::of5(print_shim)),
        Builtin::Warning => Some(Shim::of5(warning_shim)),
        Builtin::Error => Some(Shim::of5(error_shim)),
        _ => None,
    }
}

unsafe extern "C" fn print_shim(
    ctx: *mut ContextHeader,
    place: u32,
    format: *const TextHeader,
    args: *const FormatArg,
    count: u32,
) {
    // SAFETY: as for `format_shim`.
    unsafe { append(ctx, "", &formatted(ctx, place, format, args, count), "") }
}

unsafe extern "C" fn warning_shim(
    ctx: *mut ContextHeader,
    place: u32,
    format: *const TextHeader,
    args: *const FormatArg,
    count: u32,
) {
    // SAFETY: as for `format_shim`.
    let text = unsafe { formatted(ctx, place, format, args, count) };
    // SAFETY: as above.
    unsafe { append(ctx, "WARNING: ", &text, "\n") }
}

unsafe extern "C" fn error_shim(
    ctx: *mut ContextHeader,
    place: u32,
    format: *const TextHeader,
    args: *const FormatArg,
    count: u32,
) {
    // SAFETY: as for `format_shim`.
    unsafe { append(ctx, "ERROR: ", &formatted(ctx, place, format, args, count), "\n") }
}

unsafe fn append(ctx: *mut ContextHeader, prefix: &str, text: &str, end: &str) {
    // SAFETY: the caller passes the context of its run.
    let printed = unsafe { &mut run(ctx).printed };
    if printed.len() < MAX_PRINTED {
        printed.push_str(prefix);
        printed.push_str(text);
        printed.push_str(end);
    }
}

/// An argument's values, gathered.
enum Values<'a> {
    Ints(&'a [i32]),
    Floats(&'a [f32]),
    Triples(Vec<f32>),
    Texts(Vec<&'a str>),
}

/// # Safety
/// As for [`format_shim`].
unsafe fn formatted(
    ctx: *mut ContextHeader,
    place: u32,
    format: *const TextHeader,
    args: *const FormatArg,
    count: u32,
) -> String {
    // SAFETY: the caller's; the values behind each argument are there, so many as it says.
    let (text, error) = unsafe {
        let values: Vec<Values<'_>> = slice::from_raw_parts(args, count as usize)
            .iter()
            .map(|arg| gather(arg))
            .collect();
        let args: Vec<eval::Arg<'_>> = values
            .iter()
            .map(|values| match values {
                Values::Ints(v) => eval::Arg::Ints(v),
                Values::Floats(v) => eval::Arg::Floats(v),
                Values::Triples(v) => eval::Arg::Floats(v),
                Values::Texts(v) => eval::Arg::Strings(v),
            })
            .collect();
        eval::format(text::read(format), &args)
    };
    if let Some(error) = error {
        // SAFETY: the caller's.
        unsafe { report(ctx, place, ReportKind::BadFormat, || error.to_string()) };
    }
    text
}

/// # Safety
/// The argument was stored by compiled code.
unsafe fn gather<'a>(arg: &FormatArg) -> Values<'a> {
    let count = arg.count as usize;
    // SAFETY: the data are `count` values of the kind, all in memory aligned to 8.
    unsafe {
        match arg.kind {
            k if k == ArgKind::Int as u32 => Values::Ints(slice::from_raw_parts(arg.data.cast(), count)),
            k if k == ArgKind::Float as u32 => Values::Floats(slice::from_raw_parts(arg.data.cast(), count)),
            k if k == ArgKind::Triple as u32 => {
                let triples = slice::from_raw_parts(arg.data.cast::<Lanes>(), count);
                Values::Triples(triples.iter().flat_map(|t| [t[0], t[1], t[2]]).collect())
            }
            k if k == ArgKind::Text as u32 => {
                let texts = slice::from_raw_parts(arg.data.cast::<*const TextHeader>(), count);
                Values::Texts(texts.iter().map(|&t| text::read(t)).collect())
            }
            _ => {
                let closures = slice::from_raw_parts(arg.data.cast::<*const closure::NodeHeader>(), count);
                let word = |c: &*const closure::NodeHeader| if c.is_null() { "" } else { "closure" };
                Values::Texts(closures.iter().map(word).collect())
            }
        }
    }
}
