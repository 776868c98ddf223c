//! The embedder's host.

use std::any::TypeId;
use std::sync::Arc;

use super::report::report;
use super::{Lanes, Shim};
use crate::eval::matrix::IDENTITY;
use crate::hir::{ColorSpace, Interpolation, TextureOptions, Wrap};
use crate::runtime::context::{ContextHeader, ReportKind};
use crate::runtime::text::{self, TextHeader};
use crate::runtime::{AttributeHandle, ShaderHost, TextureHandle};

/// A host as compiled code calls it: directly, without a table of virtual functions.
#[derive(Clone)]
pub struct HostFunctions {
    pub(crate) host: Arc<dyn ShaderHost>,
    pub(crate) host_type: TypeId,
    /// `(context, handle, s, t, options, out lanes)`.
    pub(crate) texture: Shim,
    /// `(context, place, name, s, t, options, out lanes)`.
    pub(crate) texture_named: Shim,
    /// `(wrap s, wrap t, interpolation, colour space) → options`.
    pub(crate) texture_options: Shim,
    /// `(context, place, from, to, out matrix)`.
    pub(crate) matrix: Shim,
    /// `(context, object, name, out lanes) → int found`.
    pub(crate) attribute: Shim,
    /// `(context, handle, out lanes) → int found`.
    pub(crate) attribute_by_handle: Shim,
}

impl HostFunctions {
    /// The functions of a host. Instances that are compiled for it ask it for textures by handle, so run them in
    /// contexts of the same host.
    pub fn of<H: ShaderHost>(host: Arc<H>) -> HostFunctions {
        HostFunctions {
            host,
            host_type: TypeId::of::<H>(),
            texture: Shim::of6(texture::<H>),
            texture_named: Shim::of7(texture_named::<H>),
            texture_options: Shim::of4(texture_options),
            matrix: Shim::of5(matrix::<H>),
            attribute: Shim::of4(attribute::<H>),
            attribute_by_handle: Shim::of3(attribute_by_handle::<H>),
        }
    }
}

impl std::fmt::Debug for HostFunctions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostFunctions").finish_non_exhaustive()
    }
}

/// Options as the int that compiled code passes.
pub(crate) fn pack(options: TextureOptions) -> u32 {
    options.wrap_s as u32
        | (options.wrap_t as u32) << 8
        | (options.color_space as u32) << 16
        | (options.interpolation as u32) << 24
}

fn unpack(packed: u32) -> TextureOptions {
    let wrap = |bits: u32| match bits & 0xff {
        0 => Wrap::Periodic,
        1 => Wrap::Clamp,
        2 => Wrap::Black,
        _ => Wrap::Mirror,
    };
    TextureOptions {
        wrap_s: wrap(packed),
        wrap_t: wrap(packed >> 8),
        color_space: match packed >> 16 & 0xff {
            0 => ColorSpace::Auto,
            1 => ColorSpace::Srgb,
            2 => ColorSpace::Linear,
            _ => ColorSpace::Raw,
        },
        interpolation: match packed >> 24 {
            0 => Interpolation::Linear,
            _ => Interpolation::Closest,
        },
        // They matter to the compiler alone.
        optional: false,
        by_name: false,
    }
}

/// # Safety
/// The context is of a run that is going on, and its host is an `H`: `ShaderInstance::run` has checked the type.
unsafe fn host<'a, H>(ctx: *mut ContextHeader) -> &'a H {
    // SAFETY: the caller's.
    unsafe { &*(*ctx).host.cast::<H>() }
}

unsafe extern "C" fn texture<H: ShaderHost>(
    ctx: *mut ContextHeader,
    handle: u32,
    s: f32,
    t: f32,
    options: u32,
    out: *mut Lanes,
) {
    // SAFETY: compiled code passes its context and the address of four floats.
    unsafe {
        let texel = host::<H>(ctx).texture(TextureHandle(handle), [s, t], [0.0; 4], unpack(options));
        out.write(texel);
    }
}

unsafe extern "C" fn texture_named<H: ShaderHost>(
    ctx: *mut ContextHeader,
    place: u32,
    name: *const TextHeader,
    s: f32,
    t: f32,
    options: u32,
    out: *mut Lanes,
) {
    // SAFETY: compiled code passes its context, a text, and the address of four floats.
    unsafe {
        let name = text::read(name);
        match host::<H>(ctx).texture_handle(name, unpack(options)) {
            Some(handle) => texture::<H>(ctx, handle.0, s, t, options, out),
            None => {
                report(ctx, place, ReportKind::MissingTexture, || {
                    format!("texture {name:?} is not found, and is black")
                });
                out.write([0.0; 4]);
            }
        }
    }
}

unsafe extern "C" fn texture_options(
    wrap_s: *const TextHeader,
    wrap_t: *const TextHeader,
    interpolation: *const TextHeader,
    color_space: *const TextHeader,
) -> u32 {
    // SAFETY: compiled code passes texts.
    let names = [wrap_s, wrap_t, interpolation, color_space].map(|name| unsafe { text::read(name) });
    pack(TextureOptions::default().named(names))
}

unsafe extern "C" fn matrix<H: ShaderHost>(
    ctx: *mut ContextHeader,
    place: u32,
    from: *const TextHeader,
    to: *const TextHeader,
    out: *mut [f32; 16],
) {
    // The common space is the embedder's world: hosts know it by that name only.
    let known = |name: &'static str, given| if given == "common" { name } else { given };
    // SAFETY: compiled code passes its context, texts, and the address of a matrix.
    unsafe {
        let (from, to) = (known("world", text::read(from)), known("world", text::read(to)));
        let found = if from == to {
            Some(IDENTITY)
        } else {
            host::<H>(ctx).matrix(&*(*ctx).globals, from, to)
        };
        if found.is_none() {
            report(ctx, place, ReportKind::UnknownSpace, || {
                format!("there is no way from space {from:?} to {to:?}; they count as the same")
            });
        }
        out.write(found.unwrap_or(IDENTITY));
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
