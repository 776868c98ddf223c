//! The texture of a lightmap for Godot: four slices of order 1 for each page, one below the other.
//!
//! Godot computes the irradiance over π on a surface with normal n, for each colour, as `L0 (1 + 8 (p − ½) · n)`: L0 is
//! the first slice, and the components of p along y, z and x are the others.

use std::f32::consts::PI;
use std::path::Path;

use super::super::channel::{Precision, texels};
use super::Failure;
use crate::engine_files::godot::IMAGE;
use renderer_bake::Lightmap;
use renderer_bake::sh::COSINE;
use renderer_base::color::Rgb;
use renderer_image::{Image, SampleType, WriteOptions, encode};

/// Slices without light: zero radiance, no direction.
const DARK: [f32; 4] = [0.0, 0.5, 0.5, 0.5];

/// Factors of the basis functions of both bands.
const BASIS: [f32; 2] = [0.282_094_8, 0.488_602_5];

/// The slices of four coefficients.
fn slices(coefficients: &[Rgb]) -> [Rgb; 4] {
    let l0 = coefficients[0] * (BASIS[0] * COSINE[0] / PI);
    let packed = |coefficient: Rgb| {
        let l1 = (coefficient * (BASIS[1] * COSINE[1] / PI)).to_array();
        let pack = |(l0, l1): (f32, f32)| {
            if l0 > 0.0 { (l1 / (8.0 * l0) + 0.5).clamp(0.0, 1.0) } else { 0.5 }
        };
        let [r, g, b] = l0.to_array();
        Rgb::new(pack((r, l1[0])), pack((g, l1[1])), pack((b, l1[2])))
    };
    [l0, packed(coefficients[1]), packed(coefficients[2]), packed(coefficients[3])]
}

/// The file of a lightmap.
pub(super) fn exr(map: &Lightmap) -> Result<Vec<u8>, Failure> {
    let (width, height) = (map.width as usize, map.page_height() as usize);
    let mut image = Image::new(width, 4 * map.height as usize, 3);
    for (x, y) in texels(map) {
        let (page, row) = (y as usize / height, y as usize % height);
        for (slice, color) in slices(map.coefficients(x, y)).into_iter().enumerate() {
            let pixel = image.pixel_mut(x as usize, (4 * page + slice) * height + row);
            pixel.copy_from_slice(&color.to_array());
        }
    }
    let samples = match Precision::of(map) {
        Precision::Half => SampleType::F16,
        Precision::Float => SampleType::F32,
    };
    file(&image, samples)
}

/// A file without light, for data with probes only.
pub(super) fn dark() -> Result<Vec<u8>, Failure> {
    let mut image = Image::new(4, 16, 3);
    for (row, value) in DARK.into_iter().enumerate() {
        for (x, y) in (0..4).flat_map(|y| (0..4).map(move |x| (x, 4 * row + y))) {
            image.pixel_mut(x, y).fill(value);
        }
    }
    file(&image, SampleType::F16)
}

fn file(image: &Image, samples: SampleType) -> Result<Vec<u8>, Failure> {
    let options = WriteOptions { samples, ..WriteOptions::default() };
    Ok(encode(Path::new(IMAGE), image, &options)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use renderer_bake::sh::{basis, irradiance};

    /// Irradiance over π that Godot computes from the slices, by channel.
    fn shown(slices: [Rgb; 4], n: Vec3) -> [f32; 3] {
        let [l0, y, z, x] = slices.map(Rgb::to_array);
        std::array::from_fn(|c| {
            let part = |p: f32| (p - 0.5) * 2.0 * (l0[c] * 4.0);
            l0[c] + part(y[c]) * n.y + part(z[c]) * n.z + part(x[c]) * n.x
        })
    }

    #[test]
    fn godot_shows_the_irradiance() {
        let normals = [Vec3::Y, Vec3::NEG_Z, Vec3::new(0.48, 0.64, 0.6)];
        // Radiance 1 from everywhere: a white surface has radiance 1.
        let furnace = [Rgb::splat(4.0 * PI * BASIS[0]), Rgb::BLACK, Rgb::BLACK, Rgb::BLACK];
        for n in normals {
            assert!(shown(slices(&furnace), n).iter().all(|v| (v - 1.0).abs() < 1e-5));
        }
        // One direction is the longest that a band can be.
        for w in [Vec3::X, Vec3::new(0.6, 0.0, 0.8), Vec3::new(-0.36, 0.48, 0.8)] {
            let light = Rgb::new(3.0, 1.0, 0.2);
            let coefficients: Vec<Rgb> = basis(w)[..4].iter().map(|&y| light * y).collect();
            for n in normals {
                let expected = irradiance(&coefficients, n).to_array().map(|e| e / PI);
                let found = shown(slices(&coefficients), n);
                for (found, expected) in found.iter().zip(expected) {
                    assert!((found - expected).abs() < 1e-4, "{found} for {expected}");
                }
            }
        }
        assert_eq!(slices(&[Rgb::BLACK; 4])[1].to_array(), [0.5; 3]);
    }
}
