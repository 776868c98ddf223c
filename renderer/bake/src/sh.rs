//! Real spherical harmonics up to order 2 in three.js's order (1, y, z, x, xy, yz, 3z²−1, xz, x²−y², world axes),
//! irradiance, dominant light.
//!
//! Coefficients are those of radiance, c = ∫ L(ω) Y(ω) dω, not convolved with the cosine.
// Ramamoorthi & Hanrahan 2001, "An Efficient Representation for Irradiance Environment Maps", eq. 3 and 8.

use std::f32::consts::PI;
use std::ops::Range;

use glam::Vec3;

use renderer_base::color::Rgb;

/// Coefficients of the highest order.
pub const MAX_COEFFICIENTS: usize = 9;

/// Number of bands above the constant one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShOrder {
    /// Four coefficients per channel.
    One,
    /// Nine coefficients per channel.
    Two,
}

impl ShOrder {
    /// Number of coefficients per channel.
    pub fn coefficients(self) -> usize {
        match self {
            ShOrder::One => 4,
            ShOrder::Two => 9,
        }
    }

    /// As a number.
    pub fn number(self) -> u32 {
        match self {
            ShOrder::One => 1,
            ShOrder::Two => 2,
        }
    }

    /// The coefficients' names: `L` degree order, `m` for minus.
    pub fn names(self) -> &'static [&'static str] {
        &["L00", "L1m1", "L10", "L11", "L2m2", "L2m1", "L20", "L21", "L22"][..self.coefficients()]
    }
}

/// Formulas of the basis functions, for documentation.
pub const BASIS: [&str; MAX_COEFFICIENTS] = [
    "0.282095",
    "0.488603 y",
    "0.488603 z",
    "0.488603 x",
    "1.092548 x y",
    "1.092548 y z",
    "0.315392 (3 z^2 - 1)",
    "1.092548 x z",
    "0.546274 (x^2 - y^2)",
];

/// The basis functions in the unit vector `w`.
pub fn basis(w: Vec3) -> [f32; MAX_COEFFICIENTS] {
    let Vec3 { x, y, z } = w;
    [
        0.282_094_8,
        0.488_602_5 * y,
        0.488_602_5 * z,
        0.488_602_5 * x,
        1.092_548_4 * x * y,
        1.092_548_4 * y * z,
        0.315_391_57 * (3.0 * z * z - 1.0),
        1.092_548_4 * x * z,
        0.546_274_2 * (x * x - y * y),
    ]
}

/// Factor of each coefficient by convolution with the cosine lobe.
pub const COSINE: [f32; MAX_COEFFICIENTS] = {
    let (one, two) = (2.0 * PI / 3.0, PI / 4.0);
    [PI, one, one, one, two, two, two, two, two]
};

/// The bands above the constant one: their coefficients, and the greatest length of a band relative to the constant
/// coefficient. For non-negative radiance a band is longest for light from a single direction.
// Unsöld's theorem: the squares of the functions of band l add up to (2 l + 1) / 4π in any direction.
pub const BANDS: [(Range<usize>, f64); 2] = [(1..4, 1.732_050_807_568_877_2), (4..9, 2.236_067_977_499_79)];

/// Maximum irradiance relative to the constant coefficient: all light arrives along the normal.
pub const MAX_IRRADIANCE: f32 = 3.544_907_7;

/// Factor that shortens a band to the greatest length possible for non-negative radiance; 1 if it is short enough.
/// `coefficients` are those of one channel, the constant one first.
pub fn band_scale(coefficients: &[f32], band: &(Range<usize>, f64)) -> f64 {
    let (range, most) = band;
    let square: f64 = coefficients[range.clone()].iter().map(|&c| f64::from(c).powi(2)).sum();
    let most = most * f64::from(coefficients[0].max(0.0));
    if square > most * most { most / square.sqrt() } else { 1.0 }
}

/// The irradiance on a surface with unit normal `n` under the radiance that has these coefficients [W/m²].
pub fn irradiance(coefficients: &[Rgb], n: Vec3) -> Rgb {
    let y = basis(n);
    (coefficients.iter().zip(y).zip(COSINE))
        .map(|((&c, y), cosine)| c * (y * cosine))
        .sum()
}

/// Dominant light direction by luminance, if any, and its strength: 0 for uniform light, 1 for a single direction.
// Sloan 2008, "Stupid Spherical Harmonics (SH) Tricks", the section on extracting dominant lights.
pub fn dominant_direction(coefficients: &[Rgb]) -> Option<(Vec3, f32)> {
    let [l00, l1m1, l10, l11] = [0, 1, 2, 3].map(|i| coefficients[i].luminance());
    let linear = Vec3::new(l11, l1m1, l10);
    let direction = linear.try_normalize()?;
    let most = l00 * basis(direction)[1..4].iter().map(|y| y * y).sum::<f32>().sqrt() / basis(direction)[0];
    let share = if most > 0.0 { linear.length() / most } else { 0.0 };
    Some((direction, share.min(1.0)))
}

/// The irradiance, facing it, of the directional light from the unit vector `direction` whose coefficients are nearest to
/// these [W/m²]; never negative.
// Sloan 2008, as above: least squares over the coefficients.
pub fn dominant_color(coefficients: &[Rgb], direction: Vec3) -> Rgb {
    let y = &basis(direction)[..coefficients.len()];
    let square: f32 = y.iter().map(|y| y * y).sum();
    let sum: Rgb = coefficients.iter().zip(y).map(|(&c, &y)| c * y).sum();
    (sum / square).map(|v| v.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basis_is_orthonormal() {
        // Product rule with midpoints in z and azimuth.
        const N: usize = 200;
        let mut gram = [[0.0f64; 9]; 9];
        for i in 0..N {
            for j in 0..N {
                let z = (i as f32 + 0.5) / N as f32 * 2.0 - 1.0;
                let (sin, cos) = ((j as f32 + 0.5) / N as f32 * 2.0 * PI).sin_cos();
                let r = (1.0 - z * z).sqrt();
                let y = basis(Vec3::new(r * cos, r * sin, z));
                for (row, a) in gram.iter_mut().zip(y) {
                    for (cell, b) in row.iter_mut().zip(y) {
                        *cell += f64::from(a * b);
                    }
                }
            }
        }
        for (i, row) in gram.iter().enumerate() {
            for (j, cell) in row.iter().enumerate() {
                let value = cell * 4.0 * std::f64::consts::PI / (N * N) as f64;
                assert!((value - f64::from(u8::from(i == j))).abs() < 1e-3, "{i} {j} {value}");
            }
        }
    }

    #[test]
    fn hemisphere_of_radiance_one_gives_pi() {
        // ∫ Y over the hemisphere about z: 2π·0.282095, and π·0.488603 for z; band 2 vanishes.
        let mut c = [Rgb::BLACK; 9];
        c[0] = Rgb::splat(2.0 * PI * 0.282_094_8);
        c[2] = Rgb::splat(PI * 0.488_602_5);
        for order in [ShOrder::One, ShOrder::Two] {
            let e = irradiance(&c[..order.coefficients()], Vec3::Z);
            assert!((e.r - PI).abs() < 1e-4, "{e:?}");
        }
    }

    #[test]
    fn a_directional_light_is_found_again() {
        let d = Vec3::new(0.3, -0.5, 0.8).normalize();
        let c: Vec<Rgb> = basis(d)[..4].iter().map(|&y| Rgb::splat(5.0 * y)).collect();
        let (found, share) = dominant_direction(&c).unwrap();
        assert!((found - d).length() < 1e-5 && (share - 1.0).abs() < 1e-4);
        assert!((dominant_color(&c, found).r - 5.0).abs() < 1e-4);
    }
}
