//! Images of features: floats, and 8 bits for programs that read no others.

use std::path::Path;

use super::Failure;
use super::texture_slot::TextureSlot;
use renderer_bake::{Feature, FeatureDesc, FeatureMap};
use renderer_base::color::Rgb;
use renderer_image::{ColorSpace, Image, SampleType, WriteOptions, encode};

/// Encoding of a feature in 8 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// sRGB: colours.
    Color,
    /// 255 times the value: shares.
    Share,
    /// From -1 to 1: directions.
    Direction,
    /// Curvature as the share of the ball in which it is measured that is outside of the surface: 0.5 is flat, 0.75 a right
    /// edge.
    Ball,
}

impl Encoding {
    /// Encoding of a feature; `None` if its range is unbounded.
    pub(super) fn of(feature: &Feature) -> Option<Encoding> {
        match feature {
            Feature::Albedo | Feature::BaseColor => Some(Encoding::Color),
            Feature::Normal | Feature::TangentNormal => Some(Encoding::Direction),
            Feature::Roughness
            | Feature::MetallicRoughness
            | Feature::Opacity
            | Feature::Occlusion(_)
            | Feature::Shadow(..) => Some(Encoding::Share),
            Feature::Curvature(_) => Some(Encoding::Ball),
            Feature::Emission | Feature::Position | Feature::Height | Feature::Shader(_) => None,
        }
    }
}

/// A feature in an EXR file.
pub(super) fn floats(size: (u32, u32), map: &FeatureMap) -> Result<Vec<u8>, Failure> {
    let options = WriteOptions { samples: SampleType::F32, ..WriteOptions::default() };
    Ok(encode(Path::new("feature.exr"), &image(size, map, |value| value), &options)?)
}

/// A feature in a PNG file, if it has a range.
pub(super) fn encoded(
    size: (u32, u32),
    map: &FeatureMap,
    feature: &Feature,
) -> Result<Option<Vec<u8>>, Failure> {
    let Some(encoding) = Encoding::of(feature) else {
        return Ok(None);
    };
    let image = match encoding {
        Encoding::Color => image(size, map, |value| value),
        Encoding::Share => numbers(image(size, map, |value| value)),
        Encoding::Ball => {
            let share = feature.rays().map_or(0.0, |rays| rays.share_by_curvature());
            numbers(image(size, map, |value| value * share + Rgb::splat(0.5)))
        }
        Encoding::Direction => numbers(image(size, map, |value| value * 0.5 + Rgb::splat(0.5))),
    };
    Ok(Some(png(&image)?))
}

/// The bytes of a PNG file.
pub(super) fn png(image: &Image) -> Result<Vec<u8>, Failure> {
    Ok(encode(Path::new("feature.png"), image, &WriteOptions::default())?)
}

/// The image whose values go into files as they are.
pub(super) fn numbers(mut image: Image) -> Image {
    image.color_space = ColorSpace::Srgb;
    image
}

/// Image of three channels with `f` applied to the values of a feature map.
fn image(size: (u32, u32), map: &FeatureMap, f: impl Fn(Rgb) -> Rgb) -> Image {
    rgb((size.0 as usize, size.1 as usize), &map.values, f)
}

/// Image of three channels with `f` applied to values.
pub(super) fn rgb(size: (usize, usize), values: &[Rgb], f: impl Fn(Rgb) -> Rgb) -> Image {
    let mut image = Image::new(size.0, size.1, 3);
    for (pixel, &value) in image.data.chunks_exact_mut(3).zip(values) {
        pixel.copy_from_slice(&f(value).to_array());
    }
    image
}

/// The textures of a material of glTF that features make.
pub(super) fn textures(
    size: (u32, u32),
    maps: &[FeatureMap],
    features: &[FeatureDesc],
) -> Result<Vec<(TextureSlot, Vec<u8>)>, Failure> {
    let of = |is: fn(&Feature) -> bool| {
        let mut both = features.iter().zip(maps);
        both.find(|(desc, _)| is(&desc.feature)).map(|(_, map)| map)
    };
    let mut textures = vec![];
    let opacity = of(|feature| matches!(feature, Feature::Opacity));
    if let Some(map) = of(|feature| matches!(feature, Feature::Albedo)) {
        let colors = match opacity {
            None => image(size, map, |value| value),
            Some(opacity) => with_opacity((size.0 as usize, size.1 as usize), &map.values, &opacity.values),
        };
        textures.push((TextureSlot::BaseColor, png(&colors)?));
    }
    if let Some(map) = of(|feature| matches!(feature, Feature::TangentNormal)) {
        let image = numbers(image(size, map, |value| value * 0.5 + Rgb::splat(0.5)));
        textures.push((TextureSlot::Normal, png(&image)?));
    }
    let occlusion = of(|feature| matches!(feature, Feature::Occlusion(_)));
    let roughness = of(|feature| matches!(feature, Feature::Roughness));
    if occlusion.is_some() || roughness.is_some() {
        let value = |map: Option<&FeatureMap>, index: usize| map.map_or(1.0, |map| map.values[index].g);
        let mut image = numbers(Image::new(size.0 as usize, size.1 as usize, 3));
        for (index, pixel) in image.data.chunks_exact_mut(3).enumerate() {
            pixel.copy_from_slice(&[value(occlusion, index), value(roughness, index), 0.0]);
        }
        let slot = TextureSlot::Surface {
            occlusion: occlusion.is_some(),
            roughness: roughness.is_some(),
        };
        textures.push((slot, png(&image)?));
    }
    Ok(textures)
}

/// Colours, with opacity as alpha.
pub(super) fn with_opacity(size: (usize, usize), colors: &[Rgb], opacities: &[Rgb]) -> Image {
    let mut image = Image::new(size.0, size.1, 4);
    let values = colors.iter().zip(opacities);
    for (pixel, (color, opacity)) in image.data.chunks_exact_mut(4).zip(values) {
        pixel.copy_from_slice(&[color.r, color.g, color.b, opacity.luminance()]);
    }
    image
}
