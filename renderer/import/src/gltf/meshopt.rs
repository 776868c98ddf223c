//! glTF extensions EXT_meshopt_compression and KHR_meshopt_compression: compressed buffer views, and the filters of
//! their elements.

use gltf::Document;
use gltf::buffer::View;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::GltfError;
use super::buffers::{Buffers, MESHOPT};
use super::meshopt_codec::{attributes, indices, triangles};
use renderer_base::files::OverBudget;

/// Decompresses all compressed buffer views; returns their bytes by view index.
pub(super) fn decode(document: &Document, buffers: &Buffers) -> Result<FxHashMap<usize, Vec<u8>>, GltfError> {
    let views: Vec<View<'_>> = document.views().collect();
    let decoded = views.into_par_iter().filter_map(|view| {
        let extension = MESHOPT.iter().find_map(|name| view.extension_value(name))?;
        let bytes = bytes(&view, extension, buffers);
        let bytes = bytes.map_err(|reason| format!("compressed buffer view {}: {reason}", view.index()));
        Some(bytes.map(|bytes| (view.index(), bytes)))
    });
    decoded.collect()
}

fn bytes(view: &View<'_>, extension: &Value, buffers: &Buffers) -> Result<Vec<u8>, GltfError> {
    let number = |name: &str| {
        let value = extension.get(name).and_then(Value::as_u64);
        value.and_then(|value| usize::try_from(value).ok())
    };
    let needed = |name: &str| number(name).ok_or_else(|| format!("there is no {name}"));
    let text = |name: &str| extension.get(name).and_then(Value::as_str);
    let (count, stride) = (needed("count")?, needed("byteStride")?);
    let input = buffers.range(needed("buffer")?, number("byteOffset").unwrap_or(0), needed("byteLength")?);
    let input = input.ok_or("it reaches beyond its buffer")?;
    // The extension demands equality; shorter content is found by the accessors.
    if count.checked_mul(stride).is_none_or(|length| length > view.length()) {
        return Err(format!(
            "{count} elements of {stride} bytes are more than the {} bytes of the view",
            view.length()
        ));
    }
    let excess = |excess: OverBudget| excess.to_string();
    buffers.budget.decode("buffer views", input.len(), 1).map_err(excess)?;
    buffers
        .budget
        .allocate("decompressed buffer views", count, stride)
        .map_err(excess)?;
    let mut bytes = match text("mode") {
        Some("ATTRIBUTES") if stride != 0 && stride.is_multiple_of(4) && stride <= 256 => {
            attributes(input, count, stride)
        }
        Some("TRIANGLES") if matches!(stride, 2 | 4) => Ok(narrowed(&triangles(input, count)?, stride)),
        Some("INDICES") if matches!(stride, 2 | 4) => Ok(narrowed(&indices(input, count)?, stride)),
        mode => Err(format!("the mode {} with elements of {stride} bytes", mode.unwrap_or("(none)"))),
    }?;
    match (text("filter").unwrap_or("NONE"), stride) {
        ("NONE", _) => {}
        ("OCTAHEDRAL", 4) => bytes.as_chunks_mut().0.iter_mut().for_each(octahedral_8),
        ("OCTAHEDRAL", 8) => bytes.as_chunks_mut().0.iter_mut().for_each(octahedral_16),
        ("QUATERNION", 8) => bytes.as_chunks_mut().0.iter_mut().for_each(quaternion),
        ("EXPONENTIAL", _) => bytes.as_chunks_mut().0.iter_mut().for_each(exponential),
        ("COLOR", 4) => bytes.as_chunks_mut().0.iter_mut().for_each(color_8),
        ("COLOR", 8) => bytes.as_chunks_mut().0.iter_mut().for_each(color_16),
        (filter, stride) => return Err(format!("the filter {filter} of elements of {stride} bytes")),
    }
    Ok(bytes)
}

/// Encodes indices in 2 or 4 bytes each.
fn narrowed(indices: &[u32], width: usize) -> Vec<u8> {
    let bytes = indices.iter().flat_map(|index| index.to_le_bytes().into_iter().take(width));
    bytes.collect()
}

fn octahedral_8(bytes: &mut [u8; 4]) {
    let [x, y, z, _] = bytes.map(|byte| f32::from(byte.cast_signed()));
    for (byte, v) in bytes.iter_mut().zip(octahedral(x, y, z, 127.0)) {
        *byte = (v as i8).cast_unsigned();
    }
}

fn octahedral_16(bytes: &mut [u8; 8]) {
    let [x, y, z, _] = shorts(bytes).map(f32::from);
    let [.., w] = shorts(bytes);
    let [x, y, z] = octahedral(x, y, z, 32767.0).map(|v| v as i16);
    set_shorts(bytes, [x, y, z, w]);
}

/// Decodes a unit vector from octahedral coordinates in `[-size,size]`, and scales it to length `one`.
fn octahedral(x: f32, y: f32, size: f32, one: f32) -> [f32; 3] {
    let z = size - x.abs() - y.abs();
    let fold = z.min(0.0);
    let (x, y) = (x + fold.copysign(-x.signum()), y + fold.copysign(-y.signum()));
    let scale = one / (x * x + y * y + z * z).sqrt();
    [x, y, z].map(|v| (v * scale).round())
}

/// Decodes a quaternion of three components; the fourth follows from the unit length. The lowest two bits of the last number
/// are its index.
fn quaternion(bytes: &mut [u8; 8]) {
    let [x, y, z, last] = shorts(bytes);
    let size = f32::from(last | 3);
    let [x, y, z] = [x, y, z].map(f32::from);
    let w = (2.0 * size * size - x * x - y * y - z * z).max(0.0).sqrt();
    let scale = 32767.0 * std::f32::consts::FRAC_1_SQRT_2 / size;
    let largest = (last & 3) as usize;
    let mut values = [0; 4];
    for (i, v) in [w, x, y, z].into_iter().enumerate() {
        values[(largest + i) % 4] = (v * scale).round() as i16;
    }
    set_shorts(bytes, values);
}

/// Decodes a float with 8 bits of exponent and 24 bits of mantissa.
fn exponential(bytes: &mut [u8; 4]) {
    let bits = i32::from_le_bytes(*bytes);
    let (mantissa, exponent) = (bits << 8 >> 8, bits >> 24);
    let power = f32::from_bits(((exponent + 127).clamp(0, 255) as u32) << 23);
    *bytes = (power * mantissa as f32).to_le_bytes();
}

fn color_8(bytes: &mut [u8; 4]) {
    let [y, co, cg, a] = *bytes;
    let signed = |v: u8| i32::from(v.cast_signed());
    let values = color(i32::from(y), signed(co), signed(cg), i32::from(a), 255.0);
    *bytes = values.map(|v| v as u8);
}

fn color_16(bytes: &mut [u8; 8]) {
    let [y, co, cg, a] = shorts(bytes);
    let unsigned = |v: i16| i32::from(v.cast_unsigned());
    let values = color(unsigned(y), i32::from(co), i32::from(cg), unsigned(a), 65535.0);
    set_shorts(bytes, values.map(|v| (v as u16).cast_signed()));
}

/// Converts YCoCg to RGBA in `[0,one]`; the highest bit of alpha gives the scale of all components.
fn color(y: i32, co: i32, cg: i32, a: i32, one: f32) -> [f32; 4] {
    let scale = (a + 1).cast_unsigned().next_power_of_two().cast_signed().max(2) - 1;
    let alpha = ((a << 1) & scale) | (a & 1);
    [y + co - cg, y + cg, y - co - cg, alpha].map(|v| (v as f32 * one / scale as f32).round())
}

fn shorts(bytes: &[u8; 8]) -> [i16; 4] {
    std::array::from_fn(|i| i16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]))
}

fn set_shorts(bytes: &mut [u8; 8], values: [i16; 4]) {
    for (pair, value) in bytes.as_chunks_mut().0.iter_mut().zip(values) {
        *pair = value.to_le_bytes();
    }
}
