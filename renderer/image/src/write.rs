//! Image writer: EXR, TIFF, Radiance HDR, PNG and JPEG.

use std::path::Path;

use image::codecs::hdr::HdrEncoder;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};
use rayon::prelude::*;

use super::output_format::OutputFormat;
use super::{Image, ImageError, WriteOptions, exr_write, srgb8_from_linear, tiff_write, write_whole};
use renderer_base::math::exp2;

/// Quality of JPEG files, from 1 to 100.
const JPEG_QUALITY: u8 = 95;

/// Writes an image in the format that the extension names, whole or not at all.
///
/// EXR and TIFF keep all channels, as 32-bit floats unless other samples are asked for. HDR keeps RGB. PNG and JPEG get
/// exposure, tone curve and the sRGB transfer, and are rounded to 8 bits; PNG keeps alpha.
///
/// # Errors
/// When the extension names no format, the image does not suit the format, or the file cannot be written.
pub fn write(path: &Path, image: &Image, options: &WriteOptions) -> Result<(), ImageError> {
    write_whole(path, &encode(path, image, options)?)
}

/// Checks that the format of the extension of `path` allows a picture of this size.
///
/// # Errors
/// When it does not, or the extension names no format.
pub fn check_size(path: &Path, width: usize, height: usize) -> Result<(), ImageError> {
    if OutputFormat::of(path)? == OutputFormat::Jpeg && width.max(height) > 65535 {
        let reason = format!("{width}×{height} pixels are more than JPEG allows (65535 each way)");
        return Err(ImageError::not_writable(path, reason));
    }
    Ok(())
}

/// The bytes that [`write`] would put into `path`.
///
/// # Errors
/// When the extension names no format or the image does not suit the format.
pub fn encode(path: &Path, image: &Image, options: &WriteOptions) -> Result<Vec<u8>, ImageError> {
    let format = OutputFormat::of(path)?;
    if image.width == 0 || image.height == 0 || image.channels == 0 {
        return Err(ImageError::not_writable(path, "the image has no pixels"));
    }
    check_size(path, image.width, image.height)?;
    let encoded = match format {
        OutputFormat::Exr => encode_exr(image, options),
        OutputFormat::Tiff => tiff_write::encode(&image.clone().into_linear(), options),
        OutputFormat::Hdr => encode_hdr(image),
        OutputFormat::Png => encode_png(image, options),
        OutputFormat::Jpeg => encode_jpeg(image, options),
    };
    encoded.map_err(|reason| ImageError::not_writable(path, reason))
}

fn encode_exr(image: &Image, options: &WriteOptions) -> Result<Vec<u8>, String> {
    let usual: &[&str] = match image.channels {
        1 => &["Y"],
        2 => &["Y", "A"],
        3 => &["R", "G", "B"],
        4 => &["R", "G", "B", "A"],
        _ => &[],
    };
    let names = match options.channel_names.as_slice() {
        [] => usual.iter().map(|&n| n.to_owned()).collect(),
        names => names.to_vec(),
    };
    if names.len() != image.channels {
        return Err(format!("{} names for {} channels", names.len(), image.channels));
    }
    // sRGB-encoded images are written as linear values, the convention of EXR.
    exr_write::encode(&image.clone().into_linear(), &names, options)
}

fn encode_hdr(image: &Image) -> Result<Vec<u8>, String> {
    let image = image.clone().into_linear();
    let pixels = |i| image.rgb(i % image.width, i / image.width).to_array();
    let pixels: Vec<_> = (0..image.width * image.height)
        .map(|i| image::Rgb(nearest_rgbe(pixels(i))))
        .collect();
    let mut bytes = Vec::new();
    let encoder = HdrEncoder::new(&mut bytes);
    encoder.encode(&pixels, image.width, image.height).map_err(|e| e.to_string())?;
    Ok(bytes)
}

/// The nearest colour that a pixel of an HDR file can be: three multiples, up to 255, of one power of two. The encoder
/// rounds down, by which pictures would be darker by 0.3 %.
fn nearest_rgbe(color: [f32; 3]) -> [f32; 3] {
    const MIN_VALUE: f32 = 1e-35;
    const MAX_VALUE: f32 = 1.6e38;
    let color = color.map(|v| v.clamp(0.0, MAX_VALUE));
    let most = color.into_iter().fold(0.0, f32::max);
    if most < MIN_VALUE {
        return [0.0; 3];
    }
    // The exponent alone: the greatest power of two up to `most`.
    let step = f32::from_bits(most.to_bits() & 0x7f80_0000) / 128.0;
    let step = if most < 255.5 * step { step } else { 2.0 * step };
    color.map(|v| (v / step + 0.5).floor() * step)
}

fn encode_png(image: &Image, options: &WriteOptions) -> Result<Vec<u8>, String> {
    let (kind, values) = match image.channels {
        1 => (ExtendedColorType::L8, to_bytes(image, options, 1)),
        2 => (ExtendedColorType::La8, to_bytes(image, options, 2)),
        3 => (ExtendedColorType::Rgb8, to_bytes(image, options, 3)),
        _ => (ExtendedColorType::Rgba8, to_bytes(image, options, 4)),
    };
    let mut bytes = Vec::new();
    let (width, height) = dimensions(image)?;
    let encoder = PngEncoder::new(&mut bytes);
    encoder.write_image(&values, width, height, kind).map_err(|e| e.to_string())?;
    Ok(bytes)
}

fn encode_jpeg(image: &Image, options: &WriteOptions) -> Result<Vec<u8>, String> {
    let (kind, kept) = match image.color_channels() {
        1 => (ExtendedColorType::L8, 1),
        _ => (ExtendedColorType::Rgb8, 3),
    };
    let mut bytes = Vec::new();
    let (width, height) = dimensions(image)?;
    let encoder = JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY);
    encoder
        .write_image(&to_bytes(image, options, kept), width, height, kind)
        .map_err(|e| e.to_string())?;
    Ok(bytes)
}

fn dimensions(image: &Image) -> Result<(u32, u32), String> {
    let narrow = |n: usize| u32::try_from(n).map_err(|_| format!("{n} pixels are too many"));
    Ok((narrow(image.width)?, narrow(image.height)?))
}

/// The first `kept` channels as 8-bit sRGB; alpha is neither exposed nor encoded. The tone curve is that of the colour;
/// grey has it as a colour of three equal channels.
fn to_bytes(image: &Image, options: &WriteOptions, kept: usize) -> Vec<u8> {
    let image = image.clone().into_linear();
    let scale = exp2(options.exposure);
    let color = image.color_channels();
    let mut bytes = vec![0; image.width * image.height * kept];
    bytes
        .par_chunks_mut(image.width * kept)
        .zip(image.data.par_chunks(image.width * image.channels))
        .for_each(|(bytes, row)| {
            for (out, pixel) in bytes.chunks_exact_mut(kept).zip(row.chunks_exact(image.channels)) {
                let light = match pixel {
                    [r, g, b, ..] => [r, g, b].map(|v| v * scale),
                    _ => [pixel[0] * scale; 3],
                };
                let light = options.tone_map.apply(light);
                for (c, (byte, &v)) in out.iter_mut().zip(pixel).enumerate() {
                    *byte = if c < color { srgb8_from_linear(light[c]) } else { unit_to_byte(v) };
                }
            }
        });
    bytes
}

/// An image as RGBA bytes of a browser canvas; the bytes equal those of a PNG.
pub fn rgba8(image: &Image, options: &WriteOptions) -> Vec<u8> {
    let kept = image.channels.min(4);
    let bytes = to_bytes(image, options, kept);
    let rgba = |pixel: &[u8]| match *pixel {
        [v] => [v, v, v, u8::MAX],
        [v, a] => [v, v, v, a],
        [r, g, b] => [r, g, b, u8::MAX],
        [r, g, b, a, ..] => [r, g, b, a],
        [] => [0; 4],
    };
    bytes.chunks_exact(kept.max(1)).flat_map(rgba).collect()
}

fn unit_to_byte(v: f32) -> u8 {
    (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}
