//! Shims for the host interface.

use std::any::TypeId;
use std::sync::Arc;

use super::text::write;
use super::texture::TextureFunctions;
use super::{Lanes, Shim, host, run};
use crate::runtime::ReportKind;
use crate::runtime::context::ContextHeader;
use crate::runtime::host::matrix_between;
use crate::runtime::text::{self, TextHeader};
use crate::runtime::{AttributeHandle, ShaderHost, Sink};
use shading_compiler::hir::Axis;

/// Functions of a host as called by compiled code: direct calls, without dynamic dispatch.
#[derive(Clone)]
pub struct HostFunctions {
    pub(crate) host: Arc<dyn ShaderHost>,
    pub(crate) host_type: TypeId,
    pub(crate) texture: TextureFunctions,
    /// `(context, place, from, to, out matrix)`.
    pub(crate) matrix: Shim,
    /// `(context, object, name, out lanes) → int found`.
    pub(crate) attribute: Shim,
    /// `(context, handle, out lanes) → int found`.
    pub(crate) attribute_by_handle: Shim,
    /// `(context, object, name, axis, out lanes)`.
    pub(crate) attribute_derivative: Shim,
}

impl HostFunctions {
    /// Returns the functions of a host. Instances compiled for it use its texture handles, so they must run in contexts
    /// of the same host.
    pub fn of<H: ShaderHost>(host: Arc<H>) -> HostFunctions {
        HostFunctions {
            host,
            host_type: TypeId::of::<H>(),
            texture: TextureFunctions::of::<H>(),
            matrix: Shim::of5(matrix::<H>),
            attribute: Shim::of4(attribute::<H>),
            attribute_by_handle: Shim::of3(attribute_by_handle::<H>),
            attribute_derivative: Shim::of5(attribute_derivative::<H>),
        }
    }
}

impl std::fmt::Debug for HostFunctions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostFunctions").finish_non_exhaustive()
    }
}

unsafe extern "C" fn matrix<H: ShaderHost>(
    ctx: *mut ContextHeader,
    place: u32,
    from: *const TextHeader,
    to: *const TextHeader,
    out: *mut [f32; 16],
) {
    // SAFETY: compiled code passes its context, texts, and the address of a matrix.
    unsafe {
        let (from, to) = (text::read(from), text::read(to));
        let (found, unknown) = matrix_between(host::<H>(ctx), &*(*ctx).globals, from, to);
        if !unknown.is_empty() && run(ctx).is_first(&*(*ctx).places, place, ReportKind::UnknownSpace) {
            for error in unknown {
                write(ctx, Sink::Mistake, &error);
            }
        }
        out.write(found);
    }
}

unsafe extern "C" fn attribute<H: ShaderHost>(
    ctx: *mut ContextHeader,
    object: *const TextHeader,
    name: *const TextHeader,
    out: *mut Lanes,
) -> i32 {
    // SAFETY: compiled code passes its context, texts, and the address of four floats.
    unsafe {
        let value = host::<H>(ctx).attribute(&*(*ctx).globals, text::read(object), text::read(name));
        out.write(value.unwrap_or_default());
        i32::from(value.is_some())
    }
}

unsafe extern "C" fn attribute_derivative<H: ShaderHost>(
    ctx: *mut ContextHeader,
    object: *const TextHeader,
    name: *const TextHeader,
    axis: u32,
    out: *mut Lanes,
) {
    let axis = if axis == Axis::X as u32 { Axis::X } else { Axis::Y };
    // SAFETY: compiled code passes its context, texts, and the address of four floats.
    unsafe {
        let (object, name) = (text::read(object), text::read(name));
        out.write(host::<H>(ctx).attribute_derivative(&*(*ctx).globals, object, name, axis));
    }
}

unsafe extern "C" fn attribute_by_handle<H: ShaderHost>(
    ctx: *mut ContextHeader,
    handle: u32,
    out: *mut Lanes,
) -> i32 {
    // SAFETY: compiled code passes its context and the address of four floats.
    unsafe {
        let value = host::<H>(ctx).attribute_by_handle(&*(*ctx).globals, AttributeHandle(handle));
        out.write(value.unwrap_or_default());
        i32::from(value.is_some())
    }
}
