//! Lattice noises, bit-compatible with OSL: cell, Perlin, simplex, Gabor, hash noise.
//!
//! Coordinates beyond ±2³¹ are in the last cell; coordinates that are not finite give NaN.

mod gabor;
mod hash;
mod kind;
mod lattice;
pub mod packet;
mod simplex;

pub use gabor::GaborOptions;
pub use kind::{NoiseKind, NoisePoint, hash_bits};

use hash::{hash, unit};
use lattice::{cell, corners};

use crate::eval::dual::Real;

/// Maps signed noise to `[0,1]`.
#[inline(always)]
fn unsigned<T: Real>(x: T) -> T {
    (x + 1.0) * 0.5
}

/// Signed gradient noise in 1D, about `[-1,1]`.
#[inline]
pub fn perlin1<T: Real>(x: T) -> T {
    corners([x]).noise(0)
}

/// Signed gradient noise in 2D.
#[inline]
pub fn perlin2<T: Real>(x: T, y: T) -> T {
    corners([x, y]).noise(0)
}

/// Signed gradient noise in 3D.
#[inline]
pub fn perlin3<T: Real>(p: [T; 3]) -> T {
    corners(p).noise(0)
}

/// Signed gradient noise in 4D.
#[inline]
pub fn perlin4<T: Real>([x, y, z]: [T; 3], w: T) -> T {
    corners([x, y, z, w]).noise(0)
}

/// Each component uses another byte of one hash.
const SHIFTS: [u32; 3] = [0, 8, 16];

/// Three signed noise values in 1D.
#[inline]
pub fn perlin1_triple<T: Real>(x: T) -> [T; 3] {
    let corners = corners([x]);
    [
        corners.noise(SHIFTS[0]),
        corners.noise(SHIFTS[1]),
        corners.noise(SHIFTS[2]),
    ]
}

/// Three signed noise values in 2D.
#[inline]
pub fn perlin2_triple<T: Real>(x: T, y: T) -> [T; 3] {
    let corners = corners([x, y]);
    [
        corners.noise(SHIFTS[0]),
        corners.noise(SHIFTS[1]),
        corners.noise(SHIFTS[2]),
    ]
}

/// Three signed noise values in 3D.
#[inline]
pub fn perlin3_triple<T: Real>(p: [T; 3]) -> [T; 3] {
    let corners = corners(p);
    [
        corners.noise(SHIFTS[0]),
        corners.noise(SHIFTS[1]),
        corners.noise(SHIFTS[2]),
    ]
}

/// Three signed noise values in 4D.
#[inline]
pub fn perlin4_triple<T: Real>([x, y, z]: [T; 3], w: T) -> [T; 3] {
    let corners = corners([x, y, z, w]);
    [
        corners.noise(SHIFTS[0]),
        corners.noise(SHIFTS[1]),
        corners.noise(SHIFTS[2]),
    ]
}

/// Gradient noise in 1D, `[0,1]`.
#[inline]
pub fn uperlin1<T: Real>(x: T) -> T {
    unsigned(perlin1(x))
}

/// Gradient noise in 2D, `[0,1]`.
#[inline]
pub fn uperlin2<T: Real>(x: T, y: T) -> T {
    unsigned(perlin2(x, y))
}

/// Gradient noise in 3D, `[0,1]`.
#[inline]
pub fn uperlin3<T: Real>(p: [T; 3]) -> T {
    unsigned(perlin3(p))
}

/// Gradient noise in 4D, `[0,1]`.
#[inline]
pub fn uperlin4<T: Real>(p: [T; 3], w: T) -> T {
    unsigned(perlin4(p, w))
}

/// Three noise values in 1D, `[0,1]`.
#[inline]
pub fn uperlin1_triple<T: Real>(x: T) -> [T; 3] {
    perlin1_triple(x).map(unsigned)
}

/// Three noise values in 2D, `[0,1]`.
#[inline]
pub fn uperlin2_triple<T: Real>(x: T, y: T) -> [T; 3] {
    perlin2_triple(x, y).map(unsigned)
}

/// Three noise values in 3D, `[0,1]`.
#[inline]
pub fn uperlin3_triple<T: Real>(p: [T; 3]) -> [T; 3] {
    perlin3_triple(p).map(unsigned)
}

/// Three noise values in 4D, `[0,1]`.
#[inline]
pub fn uperlin4_triple<T: Real>(p: [T; 3], w: T) -> [T; 3] {
    perlin4_triple(p, w).map(unsigned)
}

/// Cell noise in 1D: one value in `[0,1]` for each unit interval.
#[inline]
pub fn cell1(x: f32) -> f32 {
    unit(hash([cell(x).0]))
}

/// Cell noise in 2D: one value for each unit square.
#[inline]
pub fn cell2(x: f32, y: f32) -> f32 {
    unit(hash([x, y].map(|x| cell(x).0)))
}

/// Cell noise in 3D: one value for each unit cube.
#[inline]
pub fn cell3(p: [f32; 3]) -> f32 {
    unit(hash(p.map(|x| cell(x).0)))
}

/// Cell noise in 4D: one value for each unit cube and unit of time.
#[inline]
pub fn cell4([x, y, z]: [f32; 3], w: f32) -> f32 {
    unit(hash([x, y, z, w].map(|x| cell(x).0)))
}

/// The component index is an additional key.
const LANES: [u32; 3] = [0, 1, 2];

#[inline(always)]
fn by_lane(f: impl Fn(u32) -> f32) -> [f32; 3] {
    [f(LANES[0]), f(LANES[1]), f(LANES[2])]
}

/// Cell noise in 1D, three values for each unit interval.
#[inline]
pub fn cell1_triple(x: f32) -> [f32; 3] {
    let x = cell(x).0;
    by_lane(|lane| unit(hash([x, lane])))
}

/// Cell noise in 2D, three values for each unit square.
#[inline]
pub fn cell2_triple(x: f32, y: f32) -> [f32; 3] {
    let [x, y] = [x, y].map(|x| cell(x).0);
    by_lane(|lane| unit(hash([x, y, lane])))
}

/// Cell noise in 3D, three values for each unit cube.
#[inline]
pub fn cell3_triple(p: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = p.map(|x| cell(x).0);
    by_lane(|lane| unit(hash([x, y, z, lane])))
}

/// Cell noise in 4D, three values for each unit cube and unit of time.
#[inline]
pub fn cell4_triple([x, y, z]: [f32; 3], w: f32) -> [f32; 3] {
    let [x, y, z, w] = [x, y, z, w].map(|x| cell(x).0);
    by_lane(|lane| unit(hash([x, y, z, w, lane])))
}

/// Bits of a number to be hashed. All NaNs are normalised, because the optimiser does not distinguish them.
#[inline]
pub fn key(x: f32) -> u32 {
    let x = if x.is_nan() { f32::NAN } else { x };
    x.to_bits()
}

/// Hash noise in 1D: one value in `[0,1]` for each number.
#[inline]
pub fn hash1(x: f32) -> f32 {
    unit(hash([key(x)]))
}

/// Hash noise in 2D.
#[inline]
pub fn hash2(x: f32, y: f32) -> f32 {
    unit(hash([x, y].map(key)))
}

/// Hash noise in 3D.
#[inline]
pub fn hash3(p: [f32; 3]) -> f32 {
    unit(hash(p.map(key)))
}

/// Hash noise in 4D.
#[inline]
pub fn hash4([x, y, z]: [f32; 3], w: f32) -> f32 {
    unit(hash([x, y, z, w].map(key)))
}

/// Hash noise in 1D, three values.
#[inline]
pub fn hash1_triple(x: f32) -> [f32; 3] {
    by_lane(|lane| unit(hash([key(x), lane])))
}

/// Hash noise in 2D, three values.
#[inline]
pub fn hash2_triple(x: f32, y: f32) -> [f32; 3] {
    by_lane(|lane| unit(hash([key(x), key(y), lane])))
}

/// Hash noise in 3D, three values.
#[inline]
pub fn hash3_triple(p: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = p.map(key);
    by_lane(|lane| unit(hash([x, y, z, lane])))
}

/// Hash noise in 4D, three values.
#[inline]
pub fn hash4_triple([x, y, z]: [f32; 3], w: f32) -> [f32; 3] {
    let [x, y, z, w] = [x, y, z, w].map(key);
    by_lane(|lane| unit(hash([x, y, z, w, lane])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_nans_have_one_hash() {
        let other = f32::from_bits(0xffc0_0001);
        assert!(other.is_nan() && hash1(f32::NAN) == hash1(other));
        assert_eq!(
            hash3_triple([1.0, f32::NAN, 2.0]),
            hash3_triple([1.0, other, 2.0])
        );
        assert_eq!(hash4([f32::NAN; 3], 0.5), hash4([other; 3], 0.5));
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
                    assert!(
                        error.abs() < 0.502,
                        "pixel {x}, {y}: {found} is not {expected}/255"
                    );
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
            let [x, y, _] = p;
            match (dimension, triple) {
                (0, false) => [uperlin1(x); 3],
                (1, false) => [uperlin2(x, y); 3],
                (2, false) => [uperlin3(p); 3],
                (_, false) => [uperlin4(p, w); 3],
                (0, true) => uperlin1_triple(x),
                (1, true) => uperlin2_triple(x, y),
                (2, true) => uperlin3_triple(p),
                (_, true) => uperlin4_triple(p, w),
            }
        });
    }

    #[test]
    fn cell_noise_is_osls() {
        check(&CELLS, |p, w, dimension, triple| {
            let [x, y, _] = p;
            match (dimension, triple) {
                (0, false) => [cell1(x); 3],
                (1, false) => [cell2(x, y); 3],
                (2, false) => [cell3(p); 3],
                (_, false) => [cell4(p, w); 3],
                (0, true) => cell1_triple(x),
                (1, true) => cell2_triple(x, y),
                (2, true) => cell3_triple(p),
                (_, true) => cell4_triple(p, w),
            }
        });
    }

    #[test]
    fn noise_vanishes_on_the_lattice() {
        assert_eq!(perlin1(3.0), 0.0);
        assert_eq!(perlin2(3.0, -4.0), 0.0);
        assert_eq!(perlin3([3.0, -4.0, 0.0]), 0.0);
        assert_eq!(perlin4([3.0, -4.0, 0.0], 7.0), 0.0);
    }

    #[test]
    fn coordinates_without_a_cell_do_no_harm() {
        for x in [1e30, -1e30, 3e9] {
            assert!(perlin3([x; 3]).is_finite());
            assert!((0.0..=1.0).contains(&cell3([x; 3])));
        }
        assert!(perlin1(f32::INFINITY).is_nan());
        assert!((0.0..=1.0).contains(&cell1(f32::NAN)));
    }
}
