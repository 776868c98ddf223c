//! Irradiance volumes of Bevy: ambient cubes, six colours for each probe (Mitchell 2006, "Shading in Valve's Source
//! Engine", slide 28).
//!
//! A surface with normal n takes Σ nᵢ² Cᵢ over the three sides that it faces. A volume of Rx × Ry × Rz probes is a texture
//! of Rx × 2 Ry × 3 Rz texels: along z the sides of x, y and z, along y those of positive and of negative normals, which
//! is how Bevy's shader reads it (its documentation has them the other way around).

use glam::{UVec3, Vec3};

use renderer_bake::sh::irradiance;
use renderer_base::color::Rgb;
use renderer_base::math::INV_PI;
use renderer_image::Image;

/// The light of a white surface that faces +x, −x, +y, −y, +z and −z.
pub(super) fn cube(coefficients: &[Rgb]) -> [Rgb; 6] {
    let sides = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    sides.map(|n| (irradiance(coefficients, n) * INV_PI).map(|v| v.max(0.0)))
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

    /// What Bevy's shader reads at a probe.
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
            basis(toward(probe))[..4].iter().map(|&y| color * y).collect()
        };
        let image = slices(counts, |probe| cube(&light(probe)));
        assert_eq!((image.width, image.height), (2, 2 * 3 * 3 * 4));
        for probe in 0..24 {
            let at = UVec3::new(probe % 2, probe / 2 % 3, probe / 6);
            for n in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
                let expected = irradiance(&light(probe as usize), n).to_array();
                let expected = Vec3::from(expected).max(Vec3::ZERO) * INV_PI;
                let found = shown(&image, counts, at, n);
                assert!(
                    (found - expected).length() < 1e-4,
                    "{probe} {n}: {found} for {expected}"
                );
            }
        }
    }
}
