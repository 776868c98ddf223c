//! Irradiance volumes of Bevy: ambient cubes, six colours for each probe (Mitchell 2006, "Shading in Valve's Source
//! Engine", slide 28).
//!
//! A surface with normal n receives Σ nᵢ² Cᵢ over the three sides that it faces. A volume of Rx × Ry × Rz probes is a
//! texture of Rx × 2 Ry × 3 Rz texels: along z the sides of x, y and z, along y those of positive, then of negative normals.
//! Bevy's shader reads this order; its documentation has the reverse.

use glam::{UVec3, Vec3};

use renderer_bake::sh::irradiance;
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, pow};
use renderer_image::Image;

/// Normals of the sides of a cube.
const SIDES: [Vec3; 6] = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];

/// The light of a white surface that faces +x, −x, +y, −y, +z and −z.
pub(super) fn cube(coefficients: &[Rgb]) -> [Rgb; 6] {
    match coefficients {
        &[constant, y, z, x] => SIDES.map(|n| {
            let channels = [constant, x, y, z].map(Rgb::to_array);
            let [r, g, b] = [0, 1, 2].map(|c| {
                let [constant, linear @ ..] = channels.map(|color| color[c]);
                smooth(constant, Vec3::from(linear), n)
            });
            Rgb::new(r, g, b)
        }),
        _ => SIDES.map(|n| (irradiance(coefficients, n) * INV_PI).map(|v| v.max(0.0))),
    }
}

/// Irradiance over π from coefficients of order 1. Their cosine lobes are negative behind bright light, by colour,
/// which tints shadows; this lobe has an equal mean and is nonnegative (Geomerics 2012, "Reconstructing Diffuse
/// Lighting from Spherical Harmonic Data").
fn smooth(constant: f32, linear: Vec3, n: Vec3) -> f32 {
    // Means of radiance, and of radiance times direction.
    let mean = constant * 0.282_094_8;
    let vector = linear * (0.488_602_5 / 3.0);
    if mean <= 0.0 {
        return 0.0;
    }
    let share = (vector.length() / mean).min(1.0);
    let exponent = 1.0 + 2.0 * share;
    let base = (1.0 - share) / (1.0 + share);
    let toward = (0.5 + 0.5 * vector.normalize_or_zero().dot(n)).max(0.0);
    mean * (base + (1.0 - base) * (exponent + 1.0) * pow(toward, exponent))
}

/// The slices of a volume, one below the other; `cube` has the sides of a probe, of which x runs fastest, then y, then z.
pub(super) fn slices(counts: UVec3, cube: impl Fn(usize) -> [Rgb; 6]) -> Image {
    let [width, height, depth] = counts.to_array().map(|count| count as usize);
    let mut image = Image::new(width, 2 * height * 3 * depth, 4);
    for probe in 0..width * height * depth {
        let (x, y, z) = (probe % width, probe / width % height, probe / (width * height));
        for (side, color) in cube(probe).into_iter().enumerate() {
            let (axis, is_negative) = (side / 2, side % 2);
            let row = y + is_negative * height;
            let slice = z + axis * depth;
            let Rgb { r, g, b } = color;
            let pixel = image.pixel_mut(x, slice * 2 * height + row);
            pixel.copy_from_slice(&[r, g, b, 1.0]);
        }
    }
    image
}

#[cfg(test)]
mod tests {
    use super::*;
    use renderer_bake::sh::basis;

    /// The value that Bevy's shader reads at a probe.
    fn shown(image: &Image, counts: UVec3, at: UVec3, n: Vec3) -> Vec3 {
        let side = |axis: u32| {
            let row = at.y + if n[axis as usize] < 0.0 { counts.y } else { 0 };
            let slice = at.z + axis * counts.z;
            let pixel = image.pixel(at.x as usize, (slice * 2 * counts.y + row) as usize);
            Vec3::new(pixel[0], pixel[1], pixel[2])
        };
        side(0) * (n.x * n.x) + side(1) * (n.y * n.y) + side(2) * (n.z * n.z)
    }

    #[test]
    fn bevy_shows_the_irradiance_along_axes() {
        let counts = UVec3::new(2, 3, 4);
        let toward = |probe: usize| Vec3::new(probe as f32 - 11.5, 3.0, 5.0 - 0.7 * probe as f32).normalize();
        let light = |probe: usize| -> Vec<Rgb> {
            let color = Rgb::new(1.0, 2.0, probe as f32);
            basis(toward(probe)).iter().map(|&y| color * y).collect()
        };
        let image = slices(counts, |probe| cube(&light(probe)));
        assert_eq!((image.width, image.height), (2, 2 * 3 * 3 * 4));
        for probe in 0..24 {
            let at = UVec3::new(probe % 2, probe / 2 % 3, probe / 6);
            for n in SIDES {
                let expected = irradiance(&light(probe as usize), n).to_array();
                let expected = Vec3::from(expected).max(Vec3::ZERO) * INV_PI;
                let found = shown(&image, counts, at, n);
                assert!((found - expected).length() < 1e-4, "{probe} {n}: {found} for {expected}");
            }
        }
    }

    #[test]
    fn order_1_has_the_right_mean_and_is_nowhere_negative() {
        for share in [0.0f32, 0.3, 0.7, 1.0] {
            // Equal light from one direction and from everywhere else.
            let toward = Vec3::new(0.48, 0.64, 0.6);
            let everywhere = (1.0 - share) / 0.282_094_8;
            let mut coefficients: Vec<f32> = basis(toward)[..4]
                .iter()
                .map(|&y| share * 4.0 * std::f32::consts::PI * y)
                .collect();
            coefficients[0] += everywhere;
            let linear = Vec3::new(coefficients[3], coefficients[1], coefficients[2]);
            let lit = |n: Vec3| smooth(coefficients[0], linear, n);
            let count = 20_000;
            let normals = (0..count).map(|i| {
                let z = 1.0 - (2.0 * i as f32 + 1.0) / count as f32;
                let (sin, cos) = (i as f32 * 2.399_963).sin_cos();
                let r = (1.0 - z * z).sqrt();
                Vec3::new(r * cos, r * sin, z)
            });
            let values: Vec<f32> = normals.map(lit).collect();
            let mean = values.iter().sum::<f32>() / count as f32;
            assert!((mean - 1.0).abs() < 1e-2, "{share}: {mean}");
            assert!(values.iter().all(|&v| v >= 0.0));
            let greatest = 1.0 + 3.0 * share;
            assert!((lit(toward) / greatest - 1.0).abs() < 0.12, "{share}: {}", lit(toward));
        }
    }
}
