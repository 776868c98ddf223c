//! The images of a lightmap: coefficients, irradiance, direction, coverage, preview.

use std::path::Path;

use super::channel::{Picture, Precision, pictures, texels, value};
use super::feature_image::png;
use super::{Failure, pages};
use renderer_bake::sh::ShOrder;
use renderer_bake::{Coverage, Lightmap};
use renderer_base::color::Rgb;
use renderer_base::math::INV_PI;
use renderer_image::{ColorSpace, Image, MetaValue, SampleType, WriteOptions, encode};
use renderer_inputs::bake_request::Layout;

/// Image with the origin of each texel's light, for engines that filter or dilate by themselves.
pub(super) const COVERAGE: &str = "coverage.png";

const PREVIEW: &str = "preview.png";

/// The names of [`files`].
pub(super) fn names(layout: Layout, order: ShOrder) -> Vec<String> {
    let pictures = pictures(layout, order).into_iter().map(|picture| picture.file);
    pictures.chain([COVERAGE.to_owned(), PREVIEW.to_owned()]).collect()
}

/// Names and bytes of all images.
pub(super) fn files(map: &Lightmap, layout: Layout) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let precision = Precision::of(map);
    let mut files = vec![];
    for picture in pictures(layout, map.order) {
        files.extend(exr(map, &picture, precision)?);
    }
    let coverage = coverage_image((map.width, map.height), |x, y| map.coverage(x, y));
    for (name, image) in [(COVERAGE, coverage), (PREVIEW, preview(map))] {
        files.extend(pages::encoded(name, &image, map.pages, png)?);
    }
    Ok(files)
}

fn exr(map: &Lightmap, picture: &Picture, precision: Precision) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut image = Image::new(map.width as usize, map.height as usize, picture.channels.len());
    for (x, y) in texels(map) {
        let pixel = image.pixel_mut(x as usize, y as usize);
        for (to, &(_, quantity)) in pixel.iter_mut().zip(&picture.channels) {
            *to = value(map, precision, (x, y), quantity);
        }
    }
    let said = |&(channel, quantity): &(&str, super::channel::Quantity)| {
        let held = MetaValue::Text(quantity.name()?);
        Some((format!("kiln.channel.{channel}"), held))
    };
    let options = WriteOptions {
        samples: match precision {
            Precision::Half => SampleType::F16,
            Precision::Float => SampleType::F32,
        },
        channel_names: picture.channels.iter().map(|(name, _)| (*name).to_owned()).collect(),
        metadata: picture.channels.iter().filter_map(said).collect(),
        ..WriteOptions::default()
    };
    pages::encoded(&picture.file, &image, map.pages, |image| {
        Ok(encode(Path::new(&picture.file), image, &options)?)
    })
}

/// Sources of a texel's light, with their names and their values in [`COVERAGE`].
pub(super) const COVERAGES: [(Coverage, &str, u8); 5] = [
    (Coverage::Covered, "covered", 255),
    (Coverage::Filled, "filled", 192),
    (Coverage::Dilated, "dilated", 128),
    (Coverage::Dark, "dark", 64),
    (Coverage::Empty, "empty", 0),
];

/// The image of how texels come by their values.
pub(super) fn coverage_image((width, height): (u32, u32), of: impl Fn(u32, u32) -> Coverage) -> Image {
    let mut image = Image::new(width as usize, height as usize, 1);
    // The values are numbers, no light: they go into the file as they are.
    image.color_space = ColorSpace::Srgb;
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let known = COVERAGES.iter().find(|known| known.0 == of(x, y));
        image.pixel_mut(x as usize, y as usize)[0] = known.map_or(0.0, |known| f32::from(known.2) / 255.0);
    }
    image
}

/// Preview image: irradiance divided by the white level of the lightmap. Unused texels are dark blue.
fn preview(map: &Lightmap) -> Image {
    let white = Brightness::of(map).white;
    rgb(map, |x, y| {
        if map.is_used(x, y) {
            map.irradiance(x, y) / white
        } else {
            Rgb::new(0.004, 0.005, 0.012)
        }
    })
}

fn rgb(map: &Lightmap, f: impl Fn(u32, u32) -> Rgb) -> Image {
    Image::from_fn(map.width as usize, map.height as usize, |x, y| f(x as u32, y as u32))
}

/// Brightness of a lightmap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brightness {
    /// An irradiance that few texels exceed, for people; positive [W/m²].
    white: f32,
    /// The irradiance that is the greatest value of an 8-bit image, positive [W/m²]: the greatest there is, unless a few
    /// texels are so bright that they would leave no steps to the others.
    pub(super) intensity: f32,
    /// The share of lit texels that exceeds it.
    pub(super) clipped: f64,
}

impl Brightness {
    pub(super) fn of(map: &Lightmap) -> Brightness {
        let lit = texels(map).map(|(x, y)| map.irradiance(x, y).max_component());
        Brightness::of_values(lit.filter(|&v| v > 0.0).collect())
    }

    fn of_values(mut lit: Vec<f32>) -> Brightness {
        /// Shares of lit texels: those that may be white in a preview, and those that may be clipped.
        const SHARES: [f64; 2] = [0.005, 0.001];
        /// Maximum ratio between the brightest texel and the level that few texels exceed.
        const HEADROOM: f32 = 4.0;
        if lit.is_empty() {
            let none = 1.0 / INV_PI;
            return Brightness { white: none, intensity: none, clipped: 0.0 };
        }
        let count = lit.len();
        let mut exceeded_by = |share: f64| {
            let index = (share * count as f64) as usize;
            *lit.select_nth_unstable_by(index, |a, b| b.total_cmp(a)).1
        };
        let greatest = exceeded_by(0.0);
        let [white, bright] = SHARES.map(&mut exceeded_by);
        let intensity = greatest.min(HEADROOM * bright);
        let clipped = lit.iter().filter(|&&v| v > intensity).count();
        Brightness { white, intensity, clipped: clipped as f64 / count as f64 }
    }
}

/// The irradiance as 8-bit images of pages over an intensity, for engines that know no better.
pub(super) fn plain(map: &Lightmap, intensity: f32) -> Result<Vec<Vec<u8>>, Failure> {
    let image = rgb(map, |x, y| map.irradiance(x, y) / intensity);
    pages::images(&image, map.pages).map(|image| png(&image)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_few_far_brighter_texels_are_clipped() {
        let ramp: Vec<f32> = (1..=10_000).map(|i| i as f32).collect();
        let all = Brightness::of_values(ramp.clone());
        assert!(all.intensity == 10_000.0 && all.clipped == 0.0 && all.white < 10_000.0);
        let mut sparks = ramp;
        sparks[17..20].fill(1e9);
        let most = Brightness::of_values(sparks);
        assert!((30_000.0..50_000.0).contains(&most.intensity), "{most:?}");
        assert!((most.clipped - 3e-4).abs() < 1e-9, "{most:?}");
        assert!(Brightness::of_values(vec![]).intensity > 0.0);
    }
}
