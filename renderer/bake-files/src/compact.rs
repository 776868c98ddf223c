//! Images of light in other formats than EXR: KTX2 for graphics cards, RGBM and RGBE as PNG for programs without floats.

use clap::ValueEnum as _;

use super::channel::{Picture, Precision, Quantity, pictures, texels, value};
use super::feature_image::png;
use super::{Failure, pages};
use renderer_bake::{Lightmap, ShOrder};
use renderer_image::{ColorSpace, Image, Ktx2Compression, encode_ktx2};
use renderer_inputs::bake_request::{ImageFormat, Layout};

/// The name of an image in a format; `None` if it is not written in it.
fn name(picture: &Picture, format: ImageFormat) -> Option<String> {
    let stem = picture.file.trim_end_matches(".exr");
    let is_light = |quantity| matches!(quantity, Quantity::Irradiance(_) | Quantity::Color(_));
    match format {
        ImageFormat::Exr => None,
        ImageFormat::Ktx2 | ImageFormat::Ktx2Zstd => {
            (picture.channels[0].0 == "R").then(|| format!("{stem}.ktx2"))
        }
        ImageFormat::Rgbm => is_light(picture.channels[0].1).then(|| format!("{stem}.rgbm.png")),
        ImageFormat::Rgbe => is_light(picture.channels[0].1).then(|| format!("{stem}.rgbe.png")),
    }
}

/// The names of [`files`].
pub(super) fn names(layout: Layout, order: ShOrder, format: ImageFormat) -> Vec<String> {
    let pictures = pictures(layout, order);
    pictures.iter().filter_map(|picture| name(picture, format)).collect()
}

/// Every possible name.
pub(super) fn all_names(layout: Layout, order: ShOrder) -> Vec<String> {
    let formats = ImageFormat::value_variants().iter();
    formats.flat_map(|&format| names(layout, order, format)).collect()
}

/// Names and bytes of the images in a format.
pub(super) fn files(
    map: &Lightmap,
    layout: Layout,
    format: ImageFormat,
) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let precision = Precision::of(map);
    let is_half = precision == Precision::Half;
    let range = range(map);
    let mut files = vec![];
    for picture in pictures(layout, map.order) {
        let Some(name) = name(&picture, format) else {
            continue;
        };
        let mut image = Image::new(map.width as usize, map.height as usize, 4);
        for (x, y) in texels(map) {
            let mut pixel = [0.0, 0.0, 0.0, 1.0];
            for (to, &(_, quantity)) in pixel.iter_mut().zip(&picture.channels) {
                *to = value(map, precision, (x, y), quantity);
            }
            let [r, g, b, _] = pixel;
            let stored = match format {
                ImageFormat::Exr | ImageFormat::Ktx2 | ImageFormat::Ktx2Zstd => pixel,
                ImageFormat::Rgbm => rgbm([r, g, b], range),
                ImageFormat::Rgbe => rgbe([r, g, b]),
            };
            image.pixel_mut(x as usize, y as usize).copy_from_slice(&stored);
        }
        let encode = |image: &Image| match format {
            ImageFormat::Ktx2 => Ok(encode_ktx2(image, is_half, Ktx2Compression::None)),
            ImageFormat::Ktx2Zstd => Ok(encode_ktx2(image, is_half, Ktx2Compression::Zstd)),
            ImageFormat::Exr | ImageFormat::Rgbm | ImageFormat::Rgbe => png(image),
        };
        // The values go into the file as they are.
        image.color_space = ColorSpace::Srgb;
        files.extend(pages::encoded(&name, &image, map.pages, encode)?);
    }
    Ok(files)
}

/// The factor of RGBM: the power of two that no light exceeds.
pub(super) fn range(map: &Lightmap) -> f32 {
    let precision = Precision::of(map);
    let light = pictures(Layout::Rgba, map.order).into_iter();
    let light = light.filter(|picture| name(picture, ImageFormat::Rgbm).is_some());
    let channels: Vec<Quantity> = light
        .flat_map(|picture| picture.channels.into_iter().map(|(_, quantity)| quantity))
        .collect();
    let values = texels(map).flat_map(|at| channels.iter().map(move |&quantity| (at, quantity)));
    let greatest = values
        .map(|(at, quantity)| value(map, precision, at, quantity))
        .fold(f32::MIN_POSITIVE, f32::max);
    // The exponent of a float, by its bits.
    let below = f32::from_bits(greatest.to_bits() & 0x7f80_0000);
    if below < greatest { 2.0 * below } else { below }
}

/// A colour over a range as shares of 255: `range · a · (r, g, b)`.
fn rgbm(color: [f32; 3], range: f32) -> [f32; 4] {
    let color = color.map(|v| v.max(0.0) / range);
    let greatest = color.into_iter().fold(0.0, f32::max);
    let alpha = (255.0 * greatest).ceil().clamp(1.0, 255.0) / 255.0;
    let [r, g, b] = color.map(|v| v / alpha);
    [r, g, b, alpha]
}

/// A colour as shares of 255: `(r, g, b) · 2^(255 a − 128)`.
fn rgbe(color: [f32; 3]) -> [f32; 4] {
    let color = color.map(|v| v.max(0.0));
    let greatest = color.into_iter().fold(0.0, f32::max);
    if greatest == 0.0 {
        return [0.0; 4];
    }
    // The exponent of a float is that of the power of two that does not exceed it, plus 127.
    let exponent = (greatest.to_bits() >> 23).saturating_add(2).clamp(3, 254);
    let power = f32::from_bits((exponent - 1) << 23);
    let [r, g, b] = color.map(|v| v / power);
    [r, g, b, exponent as f32 / 255.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_comes_back() {
        let byte = |v: f32| (255.0 * v).round() / 255.0;
        for n in 0..4_000 {
            let greatest = 1e-3 * 1.004f32.powi(n);
            let color = [greatest, 0.5 * greatest, 0.01 * greatest];
            let [r, g, b, a] = rgbe(color).map(byte);
            let power = (255.0 * a - 128.0).exp2();
            for (found, expected) in [r, g, b].map(|v| v * power).into_iter().zip(color) {
                assert!((found - expected).abs() < 0.005 * greatest, "{color:?} {found}");
            }
            let range = 16.0;
            if greatest > range {
                continue;
            }
            let [r, g, b, a] = rgbm(color, range).map(byte);
            assert!(r <= 1.0);
            for (found, expected) in [r, g, b].map(|v| v * a * range).into_iter().zip(color) {
                let step = a * range / 255.0;
                assert!((found - expected).abs() < 0.51 * step, "{color:?} {found}");
            }
        }
    }
}
