//! Shims for strings and output.

use super::record::{Record, Values};
use super::report::report;
use super::text::{make, write};
use super::{Shim, run};
use crate::runtime::ReportKind;
use crate::runtime::context::ContextHeader;
use crate::runtime::text::{self, TextHeader};
use crate::runtime::{RayKind, Sink};
use shading_compiler::builtins::Builtin;
use shading_compiler::eval::text::{self as eval, FormatError};

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
    unsafe {
        let (joined, error) = eval::concat(text::read(a), text::read(b));
        report_text(ctx, place, error);
        make(ctx, place, &joined)
    }
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

/// `(context, text) → int`: whether the ray that hit the point is of a kind.
pub(crate) fn ray_type() -> Shim {
    Shim::of2(ray_type_shim)
}

unsafe extern "C" fn ray_type_shim(ctx: *mut ContextHeader, name: *const TextHeader) -> i32 {
    // SAFETY: compiled code passes its context and a text.
    let (kind, name) = unsafe { ((*(*ctx).globals).ray_kind, text::read(name)) };
    i32::from(ray_bits(name) & kind.0 != 0)
}

/// Returns the bit of a ray kind's name; 0 for an unknown name.
pub(crate) fn ray_bits(name: &str) -> u32 {
    RayKind::NAMES
        .iter()
        .find(|(known, _)| *known == name)
        .map_or(0, |(_, kind)| kind.0)
}

/// `(context, place, format text, arguments, number of arguments) → text`.
pub(crate) fn format() -> Shim {
    Shim::of5(format_shim)
}

unsafe extern "C" fn format_shim(
    ctx: *mut ContextHeader,
    place: u32,
    format: *const TextHeader,
    args: *const Record,
    count: u32,
) -> *const TextHeader {
    // SAFETY: compiled code passes its context, a text, and the given number of arguments.
    unsafe {
        let content = formatted(ctx, place, format, args, count);
        make(ctx, place, &content)
    }
}

/// `(context, place, format text, arguments, number of arguments)`, which prints. `fprintf` starts with the text that
/// names the file.
pub(crate) fn print(builtin: Builtin) -> Option<Shim> {
    match builtin {
        Builtin::Printf => Some(Shim::of5(print_shim)),
        Builtin::Warning => Some(Shim::of5(warning_shim)),
        Builtin::Error => Some(Shim::of5(error_shim)),
        Builtin::Fprintf => Some(Shim::of6(file_shim)),
        _ => None,
    }
}

unsafe extern "C" fn print_shim(
    ctx: *mut ContextHeader,
    place: u32,
    format: *const TextHeader,
    args: *const Record,
    count: u32,
) {
    // SAFETY: as for `format_shim`.
    unsafe { write(ctx, Sink::Output, &formatted(ctx, place, format, args, count)) }
}

unsafe extern "C" fn warning_shim(
    ctx: *mut ContextHeader,
    place: u32,
    format: *const TextHeader,
    args: *const Record,
    count: u32,
) {
    // SAFETY: as for `format_shim`.
    unsafe { write(ctx, Sink::Warning, &formatted(ctx, place, format, args, count)) }
}

unsafe extern "C" fn error_shim(
    ctx: *mut ContextHeader,
    place: u32,
    format: *const TextHeader,
    args: *const Record,
    count: u32,
) {
    // SAFETY: as for `format_shim`.
    unsafe { write(ctx, Sink::Error, &formatted(ctx, place, format, args, count)) }
}

unsafe extern "C" fn file_shim(
    ctx: *mut ContextHeader,
    place: u32,
    file: *const TextHeader,
    format: *const TextHeader,
    args: *const Record,
    count: u32,
) {
    // SAFETY: as for `format_shim`.
    unsafe {
        if run(ctx).keeps_files {
            let text = formatted(ctx, place, format, args, count);
            write(ctx, Sink::File(text::read(file).to_owned()), &text);
        }
    }
}

/// # Safety
/// As for [`format_shim`].
unsafe fn formatted(
    ctx: *mut ContextHeader,
    place: u32,
    format: *const TextHeader,
    args: *const Record,
    count: u32,
) -> String {
    // SAFETY: guaranteed by the caller.
    let (text, error) = unsafe {
        let values: Vec<Values<'_>> = Values::read_all(ctx, place, args, count);
        let args: Vec<eval::Arg<'_>> = values.iter().map(Values::arg).collect();
        eval::format(text::read(format), &args)
    };
    // SAFETY: guaranteed by the caller.
    unsafe { report_text(ctx, place, error) };
    text
}

/// Reports an error in the creation of a text.
///
/// # Safety
/// As for [`report`].
unsafe fn report_text(ctx: *mut ContextHeader, place: u32, error: Option<FormatError>) {
    if let Some(error) = error {
        // SAFETY: guaranteed by the caller.
        unsafe { report(ctx, place, ReportKind::BadFormat, || error.to_string()) };
    }
}
