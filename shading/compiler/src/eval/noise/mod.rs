//! Lattice noises, bit-compatible with OSL: cell, Perlin, simplex, Gabor, hash noise.
//!
//! The functions take one to four coordinates; the fourth is a time. Coordinates beyond ±2³¹ are in the last cell;
//! coordinates that are not finite give NaN.

mod cell;
mod gabor;
mod hash;
mod kind;
mod lattice;
pub mod packet;
mod simplex;

pub use gabor::GaborOptions;
pub use kind::{NoiseKind, NoisePoint, hash_bits};

use cell::cells;
use hash::{hash, hash_with, unit};
use lattice::corners;

use crate::eval::dual::Real;

/// Maps signed noise to `[0,1]`.
#[inline(always)]
fn unsigned<T: Real>(x: T) -> T {
    (x + 1.0) * 0.5
}

/// Signed gradient noise, about `[-1,1]`.
#[inline]
pub fn perlin<T: Real, const D: usize>(p: [T; D]) -> T {
    corners(p).noise(0)
}

/// Bits of a hash that the components of a triple use.
const SHIFTS: [u32; 3] = [0, 8, 16];

/// Three signed gradient noises; each uses another byte of one hash.
#[inline]
pub fn perlin_triple<T: Real, const D: usize>(p: [T; D]) -> [T; 3] {
    corners(p).noises(SHIFTS)
}

/// Gradient noise, `[0,1]`.
#[inline]
pub fn uperlin<T: Real, const D: usize>(p: [T; D]) -> T {
    unsigned(perlin(p))
}

/// Three gradient noises, `[0,1]`.
#[inline]
pub fn uperlin_triple<T: Real, const D: usize>(p: [T; D]) -> [T; 3] {
    perlin_triple(p).map(unsigned)
}

/// The component index is an additional key.
#[inline(always)]
fn by_component<const D: usize>(keys: [u32; D]) -> [f32; 3] {
    let component = |index| unit(hash_with(keys, index));
    [component(0), component(1), component(2)]
}

/// Cell noise: one value in `[0,1]` for each unit cell.
#[inline]
pub fn cell_noise<const D: usize>(p: [f32; D]) -> f32 {
    unit(hash(cells(p).0))
}

/// Cell noise: three values for each unit cell.
#[inline]
pub fn cell_triple<const D: usize>(p: [f32; D]) -> [f32; 3] {
    by_component(cells(p).0)
}

/// Bits of a number to be hashed. All NaNs are normalised, because the optimiser does not distinguish them.
#[inline]
pub fn key(x: f32) -> u32 {
    let x = if x.is_nan() { f32::NAN } else { x };
    x.to_bits()
}

/// Hash noise: one value in `[0,1]` for each position.
#[inline]
pub fn hash_noise<const D: usize>(p: [f32; D]) -> f32 {
    unit(hash(p.map(key)))
}

/// Hash noise: three values for each position.
#[inline]
pub fn hash_triple<const D: usize>(p: [f32; D]) -> [f32; 3] {
    by_component(p.map(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_nans_have_one_hash() {
        let other = f32::from_bits(0xffc0_0001);
        assert!(other.is_nan() && hash_noise([f32::NAN]) == hash_noise([other]));
        assert_eq!(hash_triple([1.0, f32::NAN, 2.0]), hash_triple([1.0, other, 2.0]));
        assert_eq!(
            hash_noise([f32::NAN, f32::NAN, f32::NAN, 0.5]),
            hash_noise([other, other, other, 0.5])
        );
    }

    /// Coordinates that OSL's testsuite/common/shaders/testnoise.osl evaluates at pixel `(x, y)` of 512×512.
    fn place(x: u32, y: u32) -> ([f32; 3], f32) {
        let wrap = |a: f32, b: f32| a - b * (a / b).floor();
        let (sin, cos) = 10_f32.to_radians().sin_cos();
        let s = wrap(x as f32 / 511.0, 0.25) - 0.125;
        let t = wrap(y as f32 / 511.0, 0.5) - 0.25;
        let [ru, rv] = [cos * s + sin * t, sin * s - cos * t].map(|r| r * 20.0);
        ([ru, rv, 20.0 * (s + t) / std::f32::consts::SQRT_2], s * 20.0)
    }

    /// Compares with pixels of the reference image of OSL's testsuite: a row of pixels for each dimension and result
    /// type.
    fn check(rows: &[(u32, u32, [[u8; 3]; 4])], noise: impl Fn([f32; 3], f32, u32, bool) -> [f32; 3]) {
        for &(x, y, expected) in rows {
            for (i, expected) in expected.iter().enumerate() {
                let x = x + 17 * i as u32;
                let (p, w) = place(x, y);
                let found = noise(p, w, x / 128, y > 255);
                for (found, &expected) in found.iter().zip(expected) {
                    let error = found * 255.0 - f32::from(expected);
                    assert!(error.abs() < 0.502, "pixel {x}, {y}: {found} is not {expected}/255");
                }
            }
        }
    }

    #[rustfmt::skip]
    const PERLIN: [(u32, u32, [[u8; 3]; 4]); 24] = [
        (20, 31, [[134, 134, 134], [111, 111, 111], [130, 130, 130], [64, 64, 64]]),
        (150, 31, [[176, 176, 176], [109, 109, 109], [198, 198, 198], [135, 135, 135]]),
        (280, 31, [[180, 180, 180], [66, 66, 66], [104, 104, 104], [99, 99, 99]]),
        (410, 31, [[73, 73, 73], [173, 173, 173], [59, 59, 59], [103, 103, 103]]),
        (20, 100, [[117, 117, 117], [135, 135, 135], [70, 70, 70], [144, 144, 144]]),
        (150, 100, [[141, 141, 141], [157, 157, 157], [148, 148, 148], [89, 89, 89]]),
        (280, 100, [[169, 169, 169], [151, 151, 151], [95, 95, 95], [82, 82, 82]]),
        (410, 100, [[110, 110, 110], [90, 90, 90], [147, 147, 147], [80, 80, 80]]),
        (20, 199, [[135, 135, 135], [68, 68, 68], [147, 147, 147], [134, 134, 134]]),
        (150, 199, [[103, 103, 103], [183, 183, 183], [82, 82, 82], [200, 200, 200]]),
        (280, 199, [[120, 120, 120], [105, 105, 105], [139, 139, 139], [173, 173, 173]]),
        (410, 199, [[106, 106, 106], [198, 198, 198], [122, 122, 122], [92, 92, 92]]),
        (20, 300, [[139, 159, 189], [113, 141, 85], [124, 114, 122], [73, 139, 133]]),
        (150, 300, [[135, 104, 104], [92, 145, 152], [171, 109, 166], [132, 92, 72]]),
        (280, 300, [[124, 128, 106], [106, 132, 116], [154, 41, 209], [100, 99, 103]]),
        (410, 300, [[111, 99, 77], [174, 93, 104], [113, 117, 186], [79, 132, 112]]),
        (20, 377, [[111, 120, 84], [132, 147, 134], [62, 118, 125], [166, 79, 97]]),
        (150, 377, [[182, 53, 110], [120, 136, 132], [152, 124, 59], [133, 185, 119]]),
        (280, 377, [[129, 135, 186], [156, 107, 119], [152, 67, 135], [84, 94, 140]]),
        (410, 377, [[126, 148, 169], [126, 145, 120], [139, 102, 79], [133, 111, 146]]),
        (20, 470, [[133, 152, 135], [62, 114, 123], [163, 85, 102], [127, 95, 92]]),
        (150, 470, [[68, 109, 144], [167, 127, 101], [117, 34, 99], [73, 99, 148]]),
        (280, 470, [[93, 178, 187], [151, 136, 172], [139, 148, 103], [148, 133, 129]]),
        (410, 470, [[169, 91, 75], [189, 121, 91], [121, 130, 100], [91, 150, 122]]),
    ];

    #[rustfmt::skip]
    const CELLS: [(u32, u32, [[u8; 3]; 4]); 24] = [
        (20, 31, [[61, 61, 61], [224, 224, 224], [224, 224, 224], [66, 66, 66]]),
        (150, 31, [[124, 124, 124], [161, 161, 161], [212, 212, 212], [212, 212, 212]]),
        (280, 31, [[238, 238, 238], [124, 124, 124], [204, 204, 204], [204, 204, 204]]),
        (410, 31, [[168, 168, 168], [49, 49, 49], [21, 21, 21], [32, 32, 32]]),
        (20, 100, [[224, 224, 224], [224, 224, 224], [66, 66, 66], [149, 149, 149]]),
        (150, 100, [[11, 11, 11], [11, 11, 11], [126, 126, 126], [215, 215, 215]]),
        (280, 100, [[127, 127, 127], [127, 127, 127], [251, 251, 251], [43, 43, 43]]),
        (410, 100, [[125, 125, 125], [118, 118, 118], [206, 206, 206], [132, 132, 132]]),
        (20, 199, [[224, 224, 224], [66, 66, 66], [149, 149, 149], [149, 149, 149]]),
        (150, 199, [[151, 151, 151], [245, 245, 245], [108, 108, 108], [108, 108, 108]]),
        (280, 199, [[88, 88, 88], [45, 45, 45], [154, 154, 154], [12, 12, 12]]),
        (410, 199, [[187, 187, 187], [135, 135, 135], [113, 113, 113], [120, 120, 120]]),
        (20, 300, [[141, 135, 217], [11, 85, 144], [29, 126, 182], [29, 126, 182]]),
        (150, 300, [[69, 145, 23], [207, 162, 133], [65, 219, 230], [65, 219, 230]]),
        (280, 300, [[25, 245, 58], [219, 53, 165], [32, 240, 189], [13, 117, 164]]),
        (410, 300, [[168, 126, 207], [22, 42, 114], [109, 224, 146], [186, 100, 134]]),
        (20, 377, [[11, 85, 144], [11, 85, 144], [29, 126, 182], [219, 215, 249]]),
        (150, 377, [[27, 90, 6], [245, 42, 113], [245, 42, 113], [156, 47, 11]]),
        (280, 377, [[69, 91, 186], [47, 202, 195], [47, 202, 195], [28, 83, 87]]),
        (410, 377, [[50, 227, 22], [90, 79, 226], [90, 79, 226], [37, 11, 135]]),
        (20, 470, [[11, 85, 144], [29, 126, 182], [219, 215, 249], [219, 215, 249]]),
        (150, 470, [[88, 190, 235], [190, 2, 144], [99, 89, 17], [99, 89, 17]]),
        (280, 470, [[165, 194, 178], [165, 194, 178], [131, 189, 156], [1, 6, 161]]),
        (410, 470, [[45, 193, 113], [98, 76, 72], [105, 63, 229], [192, 38, 227]]),
    ];

    #[test]
    fn gradient_noise_is_osls() {
        check(&PERLIN, |p, w, dimension, triple| {
            let [x, y, z] = p;
            match (dimension, triple) {
                (0, false) => [uperlin([x]); 3],
                (1, false) => [uperlin([x, y]); 3],
                (2, false) => [uperlin(p); 3],
                (_, false) => [uperlin([x, y, z, w]); 3],
                (0, true) => uperlin_triple([x]),
                (1, true) => uperlin_triple([x, y]),
                (2, true) => uperlin_triple(p),
                (_, true) => uperlin_triple([x, y, z, w]),
            }
        });
    }

    #[test]
    fn cell_noise_is_osls() {
        check(&CELLS, |p, w, dimension, triple| {
            let [x, y, z] = p;
            match (dimension, triple) {
                (0, false) => [cell_noise([x]); 3],
                (1, false) => [cell_noise([x, y]); 3],
                (2, false) => [cell_noise(p); 3],
                (_, false) => [cell_noise([x, y, z, w]); 3],
                (0, true) => cell_triple([x]),
                (1, true) => cell_triple([x, y]),
                (2, true) => cell_triple(p),
                (_, true) => cell_triple([x, y, z, w]),
            }
        });
    }

    #[test]
    fn noise_vanishes_on_the_lattice() {
        assert_eq!(perlin([3.0]), 0.0);
        assert_eq!(perlin([3.0, -4.0]), 0.0);
        assert_eq!(perlin([3.0, -4.0, 0.0]), 0.0);
        assert_eq!(perlin([3.0, -4.0, 0.0, 7.0]), 0.0);
    }

    #[test]
    fn coordinates_without_a_cell_do_no_harm() {
        for x in [1e30, -1e30, 3e9] {
            assert!(perlin([x; 3]).is_finite());
            assert!((0.0..=1.0).contains(&cell_noise([x; 3])));
        }
        assert!(perlin([f32::INFINITY]).is_nan());
        assert!((0.0..=1.0).contains(&cell_noise([f32::NAN])));
    }
}
