//! Shims: Rust functions called by compiled code.
//!
//! - A [`Shim`] carries its address with its signature, taken from the type of the Rust function, so that the two
//!   cannot disagree. Arguments are ints, floats and pointers only, which all calling conventions pass alike.
//! - Triples and matrices are passed by pointer: a triple is [`Lanes`], with an undefined fourth lane. Results are
//!   stored through a pointer, which may be that of an argument.
//! - A `place` argument is the index of a source location in the shader's [`ReportPlaces`].
//! - A panic in a shim (for example in the embedder's host) ends the process, because it cannot unwind through compiled
//!   code.
//!
//! [`ReportPlaces`]: crate::runtime::context::ReportPlaces

#![expect(unsafe_code, reason = "compiled code passes pointers")]

mod attribute;
mod cloud;
mod host;
mod library;
mod math;
mod message;
pub(crate) mod packet;
mod pattern;
mod record;
mod report;
mod service;
mod string;
mod text;
mod texture;

pub(crate) use attribute::{
    any_attribute, any_attribute_by_handle, has_any_attribute, has_any_attribute_by_handle,
};
pub(crate) use cloud::{CloudRecord, cloud_array, cloud_named, cloud_write, has_cloud_values};
pub use host::HostFunctions;
pub(crate) use library::library;
pub(crate) use math::{MatrixFunction, binary, matrix_function, unary};
pub(crate) use message::{has_message, message_value, set_message};
pub(crate) use pattern::{Dimensions, noise, noise_dual};
pub(crate) use record::{ArgKind, Record};
pub(crate) use report::{grow_arena, grow_frames, index_out_of_range, out_of_fuel, too_deep};
pub(crate) use service::{dict_value, service};
pub(crate) use string::{concat, equal, format, print, ray_bits, ray_type, substr, text_test};

pub(crate) use texture::{LookupRecord, pack};

use crate::runtime::context::{ContextHeader, Run};

/// A triple padded to four floats.
pub(crate) type Lanes = [f32; 4];

/// ABI class of a parameter or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Abi {
    /// `i32` or `u32`.
    Int,
    /// `f32`.
    Float,
    /// Any pointer.
    Pointer,
}

/// A Rust function that compiled code can call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shim {
    address: usize,
    params: [Option<Abi>; 8],
    result: Option<Abi>,
}

impl Shim {
    pub(crate) fn address(&self) -> usize {
        self.address
    }

    pub(crate) fn params(&self) -> impl Iterator<Item = Abi> {
        self.params.into_iter().flatten()
    }

    pub(crate) fn result(&self) -> Option<Abi> {
        self.result
    }
}

/// A type that can be a parameter or result.
pub(crate) trait ShimType {
    const ABI: Option<Abi>;
}

impl ShimType for () {
    const ABI: Option<Abi> = None;
}
impl ShimType for i32 {
    const ABI: Option<Abi> = Some(Abi::Int);
}
impl ShimType for u32 {
    const ABI: Option<Abi> = Some(Abi::Int);
}
impl ShimType for f32 {
    const ABI: Option<Abi> = Some(Abi::Float);
}
impl<T> ShimType for *const T {
    const ABI: Option<Abi> = Some(Abi::Pointer);
}
impl<T> ShimType for *mut T {
    const ABI: Option<Abi> = Some(Abi::Pointer);
}

/// Makes [`Shim`]s of functions with the given number of parameters.
macro_rules! shim_of {
    ($($make:ident($($param:ident)*);)*) => {
        impl Shim {
            $(pub(crate) fn $make<$($param: ShimType,)* R: ShimType>(f: unsafe extern "C" fn($($param),*) -> R) -> Shim {
                let list: &[Option<Abi>] = &[$($param::ABI),*];
                let mut params = [None; 8];
                params[..list.len()].copy_from_slice(list);
                Shim { address: f as usize, params, result: R::ABI }
            })*
        }
    };
}

shim_of! {
    of1(A);
    of2(A B);
    of3(A B C);
    of4(A B C D);
    of5(A B C D E);
    of6(A B C D E F);
    of7(A B C D E F G);
    of8(A B C D E F G H);
}

/// # Safety
/// `ctx` is the context of a run in progress, and its host is an `H`: `ShaderInstance::run` has checked the type.
unsafe fn host<'a, H>(ctx: *mut ContextHeader) -> &'a H {
    // SAFETY: guaranteed by the caller.
    unsafe { &*(*ctx).host.cast::<H>() }
}

/// Returns the whole context of a header.
///
/// # Safety
/// `ctx` is the header of a context with a run in progress, and no other reference to it is alive.
unsafe fn run<'a>(ctx: *mut ContextHeader) -> &'a mut Run {
    // SAFETY: the header is the first field of a `Run`, and the pointer was made from one.
    unsafe { &mut *ctx.cast::<Run>() }
}

/// Reads a triple.
///
/// # Safety
/// The pointer is valid for reads.
unsafe fn triple(at: *const Lanes) -> [f32; 3] {
    // SAFETY: guaranteed by the caller.
    let [x, y, z, _] = unsafe { at.read() };
    [x, y, z]
}

/// Stores a triple.
///
/// # Safety
/// The pointer is valid for writes.
unsafe fn put(at: *mut Lanes, [x, y, z]: [f32; 3]) {
    // SAFETY: guaranteed by the caller.
    unsafe { at.write([x, y, z, 0.0]) }
}
