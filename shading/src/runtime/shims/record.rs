//! Argument records of variadic shims.

use std::slice;

use super::Lanes;
use super::text::make;
use crate::runtime::ClosureTree;
use crate::runtime::closure::NodeHeader;
use crate::runtime::closure_text::closure_text;
use crate::runtime::cloud::CloudValue;
use crate::runtime::context::ContextHeader;
use crate::runtime::listing::Listing;
use crate::runtime::text::{self, TextHeader};
use shading_compiler::eval::text::Arg;

/// Kind of an argument's values.
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

/// An argument as stored by compiled code.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Record {
    /// An [`ArgKind`].
    kind: u32,
    /// Number of values.
    count: u32,
    /// Address of the first value.
    data: *const u8,
}

impl Record {
    /// Reads an argument that is a text.
    ///
    /// # Safety
    /// Compiled code stored a text, which lives as long as `'a`.
    pub(super) unsafe fn text<'a>(&self) -> &'a str {
        // SAFETY: guaranteed by the caller.
        unsafe { text::read(*self.data.cast::<*const TextHeader>()) }
    }

    /// Reads an argument that is a number, triple, matrix or text.
    ///
    /// # Safety
    /// Compiled code stored an int, a float, a triple, a matrix, or a text, which lives as long as `'a`.
    pub(super) unsafe fn value<'a>(&self) -> CloudValue<'a> {
        // SAFETY: guaranteed by the caller.
        unsafe {
            match self.kind {
                k if k == ArgKind::Int as u32 => CloudValue::Int(*self.data.cast()),
                k if k == ArgKind::Float as u32 && self.count == 16 => {
                    CloudValue::Matrix(self.data.cast::<[f32; 16]>().read_unaligned())
                }
                k if k == ArgKind::Float as u32 => CloudValue::Float(*self.data.cast()),
                k if k == ArgKind::Text as u32 => CloudValue::Text(self.text()),
                _ => {
                    let [x, y, z, _] = *self.data.cast::<Lanes>();
                    CloudValue::Triple([x, y, z])
                }
            }
        }
    }
}

/// Values of an argument.
pub(super) enum Values<'a> {
    Ints(&'a [i32]),
    Floats(&'a [f32]),
    Triples(Vec<f32>),
    Texts(Vec<&'a str>),
}

impl<'a> Values<'a> {
    /// Reads `count` arguments.
    ///
    /// # Safety
    /// Compiled code, whose context this is, stored `count` records, and the values behind them live as long as `'a`.
    pub(super) unsafe fn read_all(
        ctx: *mut ContextHeader,
        place: u32,
        records: *const Record,
        count: u32,
    ) -> Vec<Values<'a>> {
        // SAFETY: guaranteed by the caller.
        let records = unsafe { slice::from_raw_parts(records, count as usize) };
        // SAFETY: guaranteed by the caller.
        records.iter().map(|r| unsafe { Values::of(ctx, place, r) }).collect()
    }

    /// # Safety
    /// The argument was stored by compiled code.
    unsafe fn of(ctx: *mut ContextHeader, place: u32, arg: &Record) -> Values<'a> {
        let count = arg.count as usize;
        // SAFETY: the data are `count` values of the kind, all in memory aligned to 8.
        unsafe {
            match arg.kind {
                k if k == ArgKind::Int as u32 => Values::Ints(slice::from_raw_parts(arg.data.cast(), count)),
                k if k == ArgKind::Float as u32 => {
                    Values::Floats(slice::from_raw_parts(arg.data.cast(), count))
                }
                k if k == ArgKind::Triple as u32 => {
                    let triples = slice::from_raw_parts(arg.data.cast::<Lanes>(), count);
                    Values::Triples(triples.iter().flat_map(|t| [t[0], t[1], t[2]]).collect())
                }
                k if k == ArgKind::Text as u32 => {
                    let texts = slice::from_raw_parts(arg.data.cast::<*const TextHeader>(), count);
                    Values::Texts(texts.iter().map(|&t| text::read(t)).collect())
                }
                _ => {
                    let closures = slice::from_raw_parts(arg.data.cast::<*const NodeHeader>(), count);
                    let text = |&c: &*const NodeHeader| text::read(shown(ctx, place, c));
                    Values::Texts(closures.iter().map(text).collect())
                }
            }
        }
    }

    /// Returns the values as an argument of `eval`.
    pub(super) fn arg(&self) -> Arg<'_> {
        match self {
            Values::Ints(v) => Arg::Ints(v),
            Values::Floats(v) => Arg::Floats(v),
            Values::Triples(v) => Arg::Floats(v),
            Values::Texts(v) => Arg::Strings(v),
        }
    }
}

/// Returns a closure as text.
///
/// # Safety
/// `ctx` is the context of a run in progress, and the closure belongs to that run.
unsafe fn shown(ctx: *mut ContextHeader, place: u32, closure: *const NodeHeader) -> *const TextHeader {
    // SAFETY: guaranteed by the caller; the places are the instance's, which is borrowed during the run.
    unsafe {
        let Some(printed) = &(*(*ctx).places).closures else {
            return text::empty();
        };
        let listing = Listing::of(ClosureTree::new(closure, &printed.layouts), &printed.registry);
        make(ctx, place, &closure_text(&listing, &printed.registry))
    }
}
