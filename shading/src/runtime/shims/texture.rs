//! Shims for texture lookups and `gettextureinfo`.

use super::host;
use super::report::report;
use super::text::make;
use super::{Lanes, Shim};
use crate::runtime::ReportKind;
use crate::runtime::context::ContextHeader;
use crate::runtime::text::{self, TextHeader};
use crate::runtime::{ShaderHost, Subimage, TextureHandle, TextureLookup, TextureRequest, TextureSample};
use shading_compiler::hir::{
    ColorSpace, Const, Interpolation, Kind, TextureMapping, TextureOperand, TextureOperands, TextureOptions,
    Wrap,
};

/// A lookup as stored by compiled code. Texts may be null if the option is not an operand.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct LookupRecord {
    pub(crate) position: Lanes,
    pub(crate) dx: Lanes,
    pub(crate) dy: Lanes,
    pub(crate) missing: Lanes,
    pub(crate) file: *const TextHeader,
    pub(crate) wrap_s: *const TextHeader,
    pub(crate) wrap_t: *const TextHeader,
    pub(crate) wrap_r: *const TextHeader,
    pub(crate) interpolation: *const TextHeader,
    pub(crate) color_space: *const TextHeader,
    pub(crate) subimage_name: *const TextHeader,
    pub(crate) width: [f32; 2],
    pub(crate) blur: [f32; 2],
    pub(crate) fill: f32,
    pub(crate) first_channel: i32,
    pub(crate) subimage: i32,
    /// See [`pack`].
    pub(crate) options: u32,
    pub(crate) operands: TextureOperands,
}

/// Packs the constant options into the int stored by compiled code.
pub(crate) fn pack(options: TextureOptions) -> u32 {
    options.wrap_s as u32
        | (options.wrap_t as u32) << 3
        | (options.interpolation as u32) << 6
        | (options.color_space as u32) << 9
        | (options.mapping as u32) << 12
        | u32::from(options.channels) << 15
        | u32::from(options.derivatives) << 18
        | u32::from(options.optional) << 19
        | u32::from(options.implicit_footprint) << 20
        | (options.wrap_r as u32) << 21
}

fn unpack(packed: u32, operands: TextureOperands) -> TextureOptions {
    let bits = |shift: u32| packed >> shift & 7;
    let wrap = |bits: u32| match bits {
        0 => Wrap::Default,
        1 => Wrap::Black,
        2 => Wrap::Clamp,
        3 => Wrap::Periodic,
        _ => Wrap::Mirror,
    };
    TextureOptions {
        wrap_s: wrap(bits(0)),
        wrap_t: wrap(bits(3)),
        wrap_r: wrap(bits(21)),
        interpolation: match bits(6) {
            0 => Interpolation::SmartCubic,
            1 => Interpolation::Cubic,
            2 => Interpolation::Linear,
            _ => Interpolation::Closest,
        },
        color_space: match bits(9) {
            0 => ColorSpace::Default,
            1 => ColorSpace::Auto,
            2 => ColorSpace::Srgb,
            3 => ColorSpace::Linear,
            _ => ColorSpace::Raw,
        },
        mapping: match bits(12) {
            0 => TextureMapping::Plane,
            1 => TextureMapping::Environment,
            _ => TextureMapping::Volume,
        },
        channels: bits(15) as u8,
        derivatives: bits(18) & 1 != 0,
        optional: bits(19) & 1 != 0,
        implicit_footprint: bits(20) & 1 != 0,
        operands,
    }
}

impl LookupRecord {
    /// # Safety
    /// Its texts are alive, or null.
    unsafe fn lookup(&self) -> TextureLookup {
        let mut options = unpack(self.options, self.operands);
        let names = [
            (TextureOperand::WrapS, self.wrap_s),
            (TextureOperand::WrapT, self.wrap_t),
            (TextureOperand::WrapR, self.wrap_r),
            (TextureOperand::Interpolation, self.interpolation),
            (TextureOperand::ColorSpace, self.color_space),
        ];
        for (option, name) in names {
            if !name.is_null() {
                // SAFETY: guaranteed by the caller.
                options.set_by_name(option, unsafe { text::read(name) });
            }
        }
        let has_missing = [TextureOperand::MissingColor, TextureOperand::MissingAlpha];
        let has_missing = has_missing.iter().any(|&option| self.operands.contains(option));
        let triple = |[x, y, z, _]: Lanes| [x, y, z];
        TextureLookup {
            options,
            position: triple(self.position),
            dx: triple(self.dx),
            dy: triple(self.dy),
            width: self.width,
            blur: self.blur,
            first_channel: self.first_channel,
            fill: self.fill,
            missing: has_missing.then_some(self.missing),
        }
    }

    /// # Safety
    /// Its texts are alive, or null.
    unsafe fn request(&self, color_space: ColorSpace) -> TextureRequest {
        // SAFETY: guaranteed by the caller.
        let name = |name| unsafe { text::read(name) };
        let subimage = if !self.subimage_name.is_null() {
            Subimage::named(name(self.subimage_name))
        } else if self.operands.contains(TextureOperand::Subimage) {
            Subimage::numbered(self.subimage)
        } else {
            Subimage::First
        };
        TextureRequest { file: name(self.file).to_owned(), color_space, subimage }
    }
}

/// Stores the value, and the derivatives if requested.
///
/// # Safety
/// `out` has space for the number of floats given by the options.
unsafe fn put(sample: &TextureSample, options: TextureOptions, out: *mut f32) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        out.copy_from_nonoverlapping(sample.value.as_ptr(), 4);
        if options.derivatives {
            out.add(4).copy_from_nonoverlapping(sample.ds.as_ptr(), 4);
            out.add(8).copy_from_nonoverlapping(sample.dt.as_ptr(), 4);
        }
    }
}

pub(super) unsafe extern "C" fn texture<H: ShaderHost>(
    ctx: *mut ContextHeader,
    handle: u32,
    record: *const LookupRecord,
    out: *mut f32,
) {
    // SAFETY: compiled code passes its context, a record that it has filled, and the address of the result.
    unsafe {
        let lookup = (*record).lookup();
        let sample = host::<H>(ctx).texture(TextureHandle(handle), &lookup);
        put(&sample, lookup.options, out);
    }
}

pub(super) unsafe extern "C" fn texture_named<H: ShaderHost>(
    ctx: *mut ContextHeader,
    place: u32,
    record: *const LookupRecord,
    out: *mut f32,
) {
    // SAFETY: compiled code passes its context, a record that it has filled, and the address of the result.
    unsafe {
        let lookup = (*record).lookup();
        let request = (*record).request(lookup.options.color_space);
        let sample = match lookup.handle(host::<H>(ctx), &request) {
            Ok(handle) => host::<H>(ctx).texture(handle, &lookup),
            Err(problem) => {
                if !lookup.options.optional {
                    report(ctx, place, ReportKind::MissingTexture, || problem.report(&request.file));
                }
                lookup.absent()
            }
        };
        put(&sample, lookup.options, out);
    }
}

/// Lookup of a file that is known to be missing.
pub(super) unsafe extern "C" fn texture_absent(record: *const LookupRecord, out: *mut f32) {
    // SAFETY: compiled code passes a record that it has filled, and the address of the result.
    unsafe {
        let lookup = (*record).lookup();
        put(&lookup.absent(), lookup.options, out);
    }
}

pub(super) unsafe extern "C" fn texture_error<H: ShaderHost>(
    ctx: *mut ContextHeader,
    place: u32,
    record: *const LookupRecord,
) -> *const TextHeader {
    // SAFETY: compiled code passes its context and a record that it has filled.
    unsafe {
        let lookup = (*record).lookup();
        let request = (*record).request(lookup.options.color_space);
        let error = lookup.failure(host::<H>(ctx), &request);
        make(ctx, place, &shading_compiler::eval::text::of_host(error))
    }
}

pub(super) unsafe extern "C" fn texture_info<H: ShaderHost>(
    ctx: *mut ContextHeader,
    place: u32,
    file: *const TextHeader,
    name: *const TextHeader,
    s: f32,
    t: f32,
    kind: u32,
    out: *mut u8,
) -> i32 {
    // SAFETY: compiled code passes its context, texts, and null or memory for a value of that kind.
    unsafe {
        let st = (!s.is_nan() && !t.is_nan()).then_some([s, t]);
        let request = TextureRequest {
            file: text::read(file).to_owned(),
            ..TextureRequest::default()
        };
        let info = host::<H>(ctx).texture_info(&request, text::read(name), st);
        let kind = Kind::of_code(kind.cast_signed());
        let value = info.and_then(|info| info.of_kind(kind));
        let found = value.is_some();
        if !out.is_null() {
            put_const(ctx, place, &value.unwrap_or_else(|| kind.zero()), out);
        }
        i32::from(found)
    }
}

/// Stores a value in the memory layout of compiled code.
unsafe fn put_const(ctx: *mut ContextHeader, place: u32, value: &Const, out: *mut u8) {
    // SAFETY: the caller provides aligned memory for the value.
    unsafe {
        match value {
            Const::Int(v) => out.cast::<i32>().write(*v),
            Const::Float(v) => out.cast::<f32>().write(*v),
            Const::Triple([x, y, z]) => out.cast::<Lanes>().write([*x, *y, *z, 0.0]),
            Const::Matrix(m) => out.cast::<[f32; 16]>().write(*m),
            Const::String(v) => out.cast::<*const TextHeader>().write(make(ctx, place, v)),
            Const::NullClosure => out.cast::<usize>().write(0),
            Const::Array(values) => {
                let mut at = out;
                for value in values {
                    put_const(ctx, place, value, at);
                    at = at.add(match value {
                        Const::Int(_) | Const::Float(_) => 4,
                        Const::String(_) | Const::NullClosure => 8,
                        Const::Triple(_) => 16,
                        Const::Matrix(_) | Const::Array(_) => 64,
                    });
                }
            }
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct TextureFunctions {
    /// `(context, handle, record, out floats)`.
    pub(crate) by_handle: Shim,
    /// `(context, place, record, out floats)`.
    pub(crate) named: Shim,
    /// `(record, out floats)`.
    pub(crate) absent: Shim,
    /// `(context, place, record) → text`.
    pub(crate) error: Shim,
    /// `(context, place, file, name, s, t, kind, out value) → int found`.
    pub(crate) info: Shim,
}

impl TextureFunctions {
    pub(super) fn of<H: ShaderHost>() -> TextureFunctions {
        TextureFunctions {
            by_handle: Shim::of4(texture::<H>),
            named: Shim::of4(texture_named::<H>),
            absent: Shim::of2(texture_absent),
            error: Shim::of3(texture_error::<H>),
            info: Shim::of8(texture_info::<H>),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_survive_packing() {
        let options = TextureOptions {
            mapping: TextureMapping::Volume,
            wrap_s: Wrap::Mirror,
            wrap_t: Wrap::Clamp,
            wrap_r: Wrap::Periodic,
            interpolation: Interpolation::Closest,
            color_space: ColorSpace::Raw,
            channels: 1,
            implicit_footprint: true,
            derivatives: true,
            optional: true,
            operands: TextureOperands::default().with(TextureOperand::Fill),
        };
        for options in [options, TextureOptions::default()] {
            assert_eq!(unpack(pack(options), options.operands), options);
        }
    }
}
