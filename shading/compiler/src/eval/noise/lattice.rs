//! Gradient noise cells: hashes and gradients of the corners, interpolation, derivatives.
//!
//! The corners are the lanes of a vector (of two vectors in four dimensions). The value of a corner is the dot product
//! of its gradient with the vector from the corner to the point; the derivatives of this are the components of the
//! gradient.
//!
//! Ken Perlin, "Improving Noise", SIGGRAPH 2002, for the gradients and the fade.

use wide::bytemuck::cast;
use wide::{f32x4, f32x8, u32x8};

use super::cell::cells;
use super::hash::hash_each;
use crate::eval::dual::Real;

/// The offset of each corner along x, y and z: bit 0, 1 and 2 of its number.
const OFFSETS: [[u32; 8]; 3] = [[0, 1, 0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1]];

/// Scale factors that bring noise of 1 to 4 dimensions to about `[-1,1]`.
pub(super) const SCALES: [f32; 4] = [0.25, 0.6616, 0.982, 0.8344];

/// Perlin's fade curve.
#[inline(always)]
fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

/// Derivative of the fade curve.
#[inline(always)]
fn fade_slope(t: f32) -> f32 {
    30.0 * t * t * (t * (t - 2.0) + 1.0)
}

/// Negates `x` where bit `BIT` of `h` is set.
#[inline(always)]
fn turned<const BIT: u32>(x: f32, h: u32x8) -> u32x8 {
    u32x8::splat(x.to_bits()) ^ ((h << (31 - BIT)) & u32x8::splat(1 << 31))
}

/// Maps hashes to gradients, by axis.
#[inline(always)]
pub(super) fn gradients<const D: usize>(h: u32x8) -> [f32x8; D] {
    let zero = u32x8::splat(0);
    let below = |bits: u32, limit: u32| (h & u32x8::splat(bits)).simd_lt(u32x8::splat(limit));
    let (one, two, three) = (turned::<0>(1.0, h), turned::<1>(1.0, h), turned::<2>(1.0, h));
    let axes = match D {
        // ±1 … ±8.
        1 => {
            let size = f32x8::new((h & u32x8::splat(7)).to_array().map(|n| 1.0 + n as f32));
            [cast::<f32x8, u32x8>(size) ^ turned::<3>(0.0, h), zero, zero, zero]
        }
        // (±1, ±2) and (±2, ±1).
        2 => {
            let (first, two) = (below(7, 4), turned::<1>(2.0, h));
            [first.bitselect(one, two), first.bitselect(two, one), zero, zero]
        }
        // The midpoints of a cube's edges, four of them twice.
        3 => {
            let (first, second) = (below(15, 8), below(15, 4));
            let again = (h & u32x8::splat(13)).simd_eq(u32x8::splat(12));
            [
                (first & one) | (again & two),
                (!first & one) | (second & two),
                !(second | again) & two,
                zero,
            ]
        }
        // The midpoints of a tesseract's edges.
        _ => {
            let (first, second, third) = (below(31, 24), below(31, 16), below(31, 8));
            [
                first & one,
                (!first & one) | (second & two),
                (!second & two) | (third & three),
                !third & three,
            ]
        }
    };
    let mut gradients = [f32x8::splat(0.0); D];
    for (gradient, axis) in gradients.iter_mut().zip(axes) {
        *gradient = cast(axis);
    }
    gradients
}

/// The hashes of a cell's corners, and the position of a point in the cell, in `D` dimensions.
pub(super) struct Corners<T, const D: usize> {
    /// Hashes of the corners at offsets 0 and 1 along the fourth axis.
    hashes: [u32x8; 2],
    offsets: [T; D],
}

#[inline(always)]
pub(super) fn corners<T: Real, const D: usize>(p: [T; D]) -> Corners<T, D> {
    corners_by(p, |_, key| key)
}

/// Corners on a periodic lattice with the given number of cells along each axis.
#[inline(always)]
pub(super) fn repeated_corners<T: Real, const D: usize>(p: [T; D], period: [i32; D]) -> Corners<T, D> {
    corners_by(p, |axis, key| (key as i32).rem_euclid(period[axis].max(1)) as u32)
}

/// Corners with keys computed from their cell indices along each axis.
#[inline(always)]
fn corners_by<T: Real, const D: usize>(p: [T; D], key: impl Fn(usize, u32) -> u32) -> Corners<T, D> {
    let (first, offsets) = cells(p);
    let keys: [[u32; 2]; D] =
        std::array::from_fn(|axis| [0, 1].map(|offset| key(axis, first[axis].wrapping_add(offset))));
    let hash = |fourth: usize| {
        hash_each::<u32x8, D>(std::array::from_fn(|axis| match OFFSETS.get(axis) {
            Some(offsets) => u32x8::new(offsets.map(|offset| keys[axis][offset as usize])),
            None => u32x8::splat(keys[axis][fourth]),
        }))
    };
    let near = hash(0);
    Corners { hashes: [near, if D == 4 { hash(1) } else { near }], offsets }
}

impl<T: Real, const D: usize> Corners<T, D> {
    /// The noise of the hash bits from `shift` on.
    #[inline(always)]
    pub(super) fn noise(&self, shift: u32) -> T {
        T::compose(
            self.offsets,
            |offsets| self.cell(shift, offsets).value(),
            |offsets| self.cell(shift, offsets).sloped(),
        )
    }

    /// Three noises, of the hash bits from each of `shifts` on.
    #[inline(always)]
    pub(super) fn noises(&self, shifts: [u32; 3]) -> [T; 3] {
        T::compose_each(
            self.offsets,
            |offsets| self.values(shifts, offsets),
            |offsets| {
                let [x, y, z] = shifts;
                [
                    self.cell(x, offsets).sloped(),
                    self.cell(y, offsets).sloped(),
                    self.cell(z, offsets).sloped(),
                ]
            },
        )
    }

    #[inline(always)]
    fn values(&self, [x, y, z]: [u32; 3], offsets: [f32; D]) -> [f32; 3] {
        let fades = offsets.map(fade);
        let x = along_fourth(&fades, self.cell(x, offsets).values);
        let y = along_fourth(&fades, self.cell(y, offsets).values);
        let z = along_fourth(&fades, self.cell(z, offsets).values);
        let [x, y, z, _] = blend_each(&fades, [x, y, z, z]);
        let scale = SCALES[D - 1];
        [scale * x, scale * y, scale * z]
    }

    /// The cell with the hash bits from `shift` on.
    #[inline(always)]
    fn cell(&self, shift: u32, offsets: [f32; D]) -> Cell<D> {
        let [near, far] = self.hashes;
        Cell::new([near >> shift, far >> shift], offsets)
    }
}

/// A point in a cell, with the gradients of the corners.
struct Cell<const D: usize> {
    offsets: [f32; D],
    /// Gradients of the corners at offsets 0 and 1 along the fourth axis.
    gradients: [[f32x8; D]; 2],
    /// Values of the corners, in the same layout.
    values: [f32x8; 2],
}

impl<const D: usize> Cell<D> {
    #[inline(always)]
    fn new(hashes: [u32x8; 2], offsets: [f32; D]) -> Cell<D> {
        let gradients = [gradients::<D>(hashes[0]), gradients::<D>(hashes[1])];
        let value = |fourth: usize| {
            let mut sum = f32x8::splat(0.0);
            for axis in 0..D {
                let way = f32x8::splat(offsets[axis])
                    - match OFFSETS.get(axis) {
                        Some(corner) => f32x8::new(corner.map(|offset| offset as f32)),
                        None => f32x8::splat(fourth as f32),
                    };
                let part = gradients[fourth][axis] * way;
                sum = if axis == 0 { part } else { sum + part };
            }
            sum
        };
        Cell { offsets, gradients, values: [value(0), value(1)] }
    }

    #[inline(always)]
    fn value(&self) -> f32 {
        let fades = self.offsets.map(fade);
        SCALES[D - 1] * blend(&fades, along_fourth(&fades, self.values))
    }

    /// The value and its derivative along each axis.
    #[inline(always)]
    fn sloped(&self) -> (f32, [f32; D]) {
        let fades = self.offsets.map(fade);
        let values = along_fourth(&fades, self.values);
        let gradients: [f32x8; D] =
            std::array::from_fn(|axis| along_fourth(&fades, self.gradients.map(|gradients| gradients[axis])));
        let gradient = |axis: usize| gradients.get(axis).copied().unwrap_or_default();
        let [value, first @ ..] = blend_each(&fades, [values, gradient(0), gradient(1), gradient(2)]);
        let mut slopes = blend_slopes(&fades, values);
        if let Some(slope) = slopes.get_mut(3) {
            *slope = blend(&fades, self.values[1] - self.values[0]);
        }
        for (axis, slope) in slopes.iter_mut().enumerate() {
            let gradient = match first.get(axis) {
                Some(gradient) => *gradient,
                None => blend(&fades, gradients[axis]),
            };
            *slope = SCALES[D - 1] * (gradient + *slope * fade_slope(self.offsets[axis]));
        }
        (SCALES[D - 1] * value, slopes)
    }
}

#[inline(always)]
fn mix(a: f32, b: f32, t: f32) -> f32 {
    a * (1.0 - t) + b * t
}

/// Interpolates along the fourth axis, if there is one.
#[inline(always)]
fn along_fourth<const D: usize>(fades: &[f32; D], [near, far]: [f32x8; 2]) -> f32x8 {
    match fades.get(3) {
        Some(&t) => near * f32x8::splat(1.0 - t) + far * f32x8::splat(t),
        None => near,
    }
}

#[inline(always)]
fn mix_each(a: f32x4, b: f32x4, t: f32) -> f32x4 {
    a * f32x4::splat(1.0 - t) + b * f32x4::splat(t)
}

/// Interpolates along z, if there is one.
#[inline(always)]
fn along_third<const D: usize>(fades: &[f32; D], v: f32x8) -> f32x4 {
    let [near, far]: [f32x4; 2] = cast(v);
    match fades.get(2) {
        Some(&t) => mix_each(near, far, t),
        None => near,
    }
}

/// Interpolates along z, then x, then y: the order of OSL, which determines rounding.
#[inline(always)]
fn blend<const D: usize>(fades: &[f32; D], v: f32x8) -> f32 {
    let [a, b, c, d] = along_third(fades, v).to_array();
    match *fades.as_slice() {
        [u] => mix(a, b, u),
        [u, v, ..] => mix(mix(a, b, u), mix(c, d, u), v),
        [] => a,
    }
}

/// Interpolates four quantities at once.
#[inline(always)]
fn blend_each<const D: usize>(fades: &[f32; D], quantities: [f32x8; 4]) -> [f32; 4] {
    let [a, b, c, d] = f32x4::transpose(quantities.map(|v| along_third(fades, v)));
    match *fades.as_slice() {
        [u] => mix_each(a, b, u),
        [u, v, ..] => mix_each(mix_each(a, b, u), mix_each(c, d, u), v),
        [] => a,
    }
    .to_array()
}

/// Derivatives of the interpolation by the fades along x, y and z.
#[inline(always)]
fn blend_slopes<const D: usize>(fades: &[f32; D], values: f32x8) -> [f32; D] {
    let [a, b, c, d] = along_third(fades, values).to_array();
    let [near, far]: [f32x4; 2] = cast(values);
    let far_and_near = far - near;
    std::array::from_fn(|axis| match (axis, fades.as_slice()) {
        (0, [_]) => b - a,
        (0, [_, v, ..]) => mix(b - a, d - c, *v),
        (1, [u, ..]) => mix(c, d, *u) - mix(a, b, *u),
        (2, [u, v, ..]) => {
            let [a, b, c, d] = far_and_near.to_array();
            mix(mix(a, b, *u), mix(c, d, *u), *v)
        }
        _ => 0.0,
    })
}
