//! Shims for [`shading_compiler::eval::library`].

use super::record::{Record, Values};
use super::report::report;
use super::text::make;
use super::{Lanes, Shim};
use crate::runtime::ReportKind;
use crate::runtime::context::ContextHeader;
use crate::runtime::text::TextHeader;
use shading_compiler::eval::library::Function;
use shading_compiler::hir::Const;

/// `(context, place, function, arguments, number of arguments, out)`.
pub(crate) fn library() -> Shim {
    Shim::of6(library_shim)
}

unsafe extern "C" fn library_shim(
    ctx: *mut ContextHeader,
    place: u32,
    function: *const Function,
    args: *const Record,
    count: u32,
    out: *mut u8,
) {
    // SAFETY: compiled code passes its context, a function that it owns, the given number of arguments, and memory for
    // the value.
    unsafe {
        let values = Values::read_all(ctx, place, args, count);
        let args: Vec<_> = values.iter().map(Values::arg).collect();
        let (value, problem) = (*function).call(&args);
        if let Some(problem) = problem {
            report(ctx, place, ReportKind::BadArgument, || problem);
        }
        store(ctx, place, &value, out);
    }
}

/// Stores a value in the memory layout of compiled code.
///
/// # Safety
/// `ctx` is the context of a run in progress, and `out` has space for a value of that kind.
pub(super) unsafe fn store(ctx: *mut ContextHeader, place: u32, value: &Const, out: *mut u8) {
    // SAFETY: guaranteed by the caller; the stride of an array is the size of its elements.
    unsafe {
        match value {
            Const::Int(x) => out.cast::<i32>().write(*x),
            Const::Float(x) => out.cast::<f32>().write(*x),
            Const::Triple([x, y, z]) => out.cast::<Lanes>().write([*x, *y, *z, 0.0]),
            Const::Matrix(m) => out.cast::<[f32; 16]>().write(*m),
            Const::String(text) => out.cast::<*const TextHeader>().write(make(ctx, place, text)),
            Const::NullClosure => out.cast::<usize>().write(0),
            Const::Array(elements) => {
                for (i, element) in elements.iter().enumerate() {
                    store(ctx, place, element, out.add(i * stride(element)));
                }
            }
        }
    }
}

/// Stride in bytes of an array.
fn stride(element: &Const) -> usize {
    match element {
        Const::Int(_) | Const::Float(_) => 4,
        Const::String(_) | Const::NullClosure | Const::Array(_) => 8,
        Const::Triple(_) => 16,
        Const::Matrix(_) => 64,
    }
}
