//! Perlin, cell and hash noise at the four points of a packet, with the same bits as scalar code.
//!
//! The first half of a vector of eight contains the corner of each point's cell at offset 0 along x, the second half the
//! corner at offset 1. The offsets along y, z and the fourth axis are bits 0, 1 and 2 of a vector's index.
//!
//! The code uses loops rather than `map`, because closures that are not inlined pass vectors through memory.

#![expect(
    clippy::needless_range_loop,
    reason = "several arrays are indexed by the same axis or corner"
)]

use wide::bytemuck::cast;
use wide::{f32x4, f32x8, u32x4, u32x8};

use super::SHIFTS;
use super::cell::cell;
use super::hash::{hash_each, unit};
use super::lattice::{SCALES, gradients};
use crate::eval::packet::Row;

/// A number at each point, with its derivatives in x and in y.
type Duals = [Row; 3];

#[inline(always)]
fn splat(x: f32) -> Row {
    f32x4::splat(x)
}

/// Duplicates numbers for the corners at both offsets along x.
#[inline(always)]
fn both(x: Row) -> f32x8 {
    cast([x, x])
}

#[inline(always)]
fn mix(a: Row, b: Row, t: Row) -> Row {
    a * (splat(1.0) - t) + b * t
}

#[inline(always)]
fn mix_both(a: f32x8, b: f32x8, t: Row) -> f32x8 {
    let t = both(t);
    a * (f32x8::splat(1.0) - t) + b * t
}

/// Perlin's fade curve.
#[inline(always)]
fn fade(t: Row) -> Row {
    t * t * t * (t * (t * splat(6.0) - splat(15.0)) + splat(10.0))
}

/// Derivative of the fade curve.
#[inline(always)]
fn fade_slope(t: Row) -> Row {
    splat(30.0) * t * t * (t * (t - splat(2.0)) + splat(1.0))
}

/// A point in a cell, at each point of a packet, in `D` dimensions.
struct Cell<const D: usize> {
    /// Hashes of the corners; the first 2^(D−1) are used.
    hashes: [u32x8; 8],
    offsets: [Row; D],
    fades: [Row; D],
}

/// A corner: its gradient, and the dot product of the gradient with the vector from the corner to the point.
#[derive(Clone, Copy)]
struct Corner<const D: usize> {
    value: f32x8,
    gradient: [f32x8; D],
}

/// An array with an element for each corner in `D` dimensions. It is written out, because arrays that loops fill are
/// cleared first and stay in memory.
macro_rules! for_corners {
    ($corner:ident < $dimensions:ident => $value:expr, $unused:expr) => {
        for_corners!([0, 1, 2, 3, 4, 5, 6, 7], $corner < $dimensions => $value, $unused)
    };
    ([$($number:literal),*], $corner:ident < $dimensions:ident => $value:expr, $unused:expr) => {
        [$({
            let $corner = $number;
            if $corner < 1 << ($dimensions - 1) { $value } else { $unused }
        }),*]
    };
}

impl<const D: usize> Cell<D> {
    #[inline(always)]
    fn of(p: [Row; D]) -> Cell<D> {
        let one = u32x4::splat(1);
        let mut keys = [[one; 2]; D];
        let (mut offsets, mut fades) = (p, p);
        for axis in 0..D {
            let (key, floor) = cell(p[axis]);
            keys[axis] = [key, key + one];
            offsets[axis] = p[axis] - floor;
            fades[axis] = fade(offsets[axis]);
        }
        let hashes = for_corners!(corner < D => corner_hash(&keys, corner), u32x8::splat(0));
        Cell { hashes, offsets, fades }
    }

    /// The corner of the given number, with the hash bits from `shift` on.
    #[inline(always)]
    fn corner(&self, corner: usize, shift: u32) -> Corner<D> {
        let gradient = gradients::<D>(self.hashes[corner] >> shift);
        let sides: f32x8 = cast([splat(0.0), splat(1.0)]);
        let mut value = gradient[0] * (both(self.offsets[0]) - sides);
        for axis in 1..D {
            let side = f32x8::splat((corner >> (axis - 1) & 1) as f32);
            value += gradient[axis] * (both(self.offsets[axis]) - side);
        }
        Corner { value, gradient }
    }

    /// Interpolates along the fourth axis, if there is one.
    #[inline(always)]
    fn along_fourth(&self, v: &[f32x8; 8]) -> [f32x8; 4] {
        let mut near = [v[0], v[1], v[2], v[3]];
        if D > 3 {
            for i in 0..4 {
                near[i] = mix_both(v[i], v[i + 4], self.fades[3]);
            }
        }
        near
    }

    /// Interpolates along z, if there is one: the corners at `(0, 0)`, `(1, 0)`, `(0, 1)` and `(1, 1)`.
    #[inline(always)]
    fn along_third(&self, v: &[f32x8; 4]) -> [Row; 4] {
        let mut near = [v[0], v[1]];
        if D > 2 {
            for i in 0..2 {
                near[i] = mix_both(v[i], v[i + 2], self.fades[2]);
            }
        }
        cast(near)
    }

    /// Interpolates along x, then y.
    #[inline(always)]
    fn in_plane(&self, [a, b, c, d]: [Row; 4]) -> Row {
        let near = mix(a, b, self.fades[0]);
        if D > 1 {
            mix(near, mix(c, d, self.fades[0]), self.fades[1])
        } else {
            near
        }
    }

    /// The noise of the hash bits from `shift` on.
    #[inline(always)]
    fn value(&self, shift: u32) -> Row {
        let zero = f32x8::splat(0.0);
        let values = for_corners!(corner < D => self.corner(corner, shift).value, zero);
        splat(SCALES[D - 1]) * self.in_plane(self.along_third(&self.along_fourth(&values)))
    }

    /// The noise and its derivative along each axis.
    #[inline(always)]
    fn sloped(&self, shift: u32) -> (Row, [Row; D]) {
        let scale = splat(SCALES[D - 1]);
        let zero = f32x8::splat(0.0);
        let unused = Corner { value: zero, gradient: [zero; D] };
        let corners = for_corners!(corner < D => self.corner(corner, shift), unused);
        let all_values = for_corners!(corner < D => corners[corner].value, zero);
        let values = self.along_fourth(&all_values);
        let plane = self.along_third(&values);
        let mut slopes = self.offsets;
        for axis in 0..D {
            let gradients = for_corners!(corner < D => corners[corner].gradient[axis], zero);
            let gradient = self.in_plane(self.along_third(&self.along_fourth(&gradients)));
            let slope = match axis {
                3 => self.fourth_slope(&all_values),
                _ => self.slope(axis, &values, plane),
            };
            slopes[axis] = scale * (gradient + slope * fade_slope(self.offsets[axis]));
        }
        (scale * self.in_plane(plane), slopes)
    }

    /// Derivative of the interpolation by the fade along x, y or z.
    #[inline(always)]
    fn slope(&self, axis: usize, values: &[f32x8; 4], [a, b, c, d]: [Row; 4]) -> Row {
        let u = self.fades[0];
        match axis {
            0 if D == 1 => b - a,
            0 => mix(b - a, d - c, self.fades[1]),
            1 => mix(c, d, u) - mix(a, b, u),
            _ => self.in_plane(cast([values[2] - values[0], values[3] - values[1]])),
        }
    }

    /// Derivative of the interpolation by the fade along the fourth axis.
    #[inline(always)]
    fn fourth_slope(&self, values: &[f32x8; 8]) -> Row {
        let [a, b, c, d, e, f, g, h] = *values;
        self.in_plane(self.along_third(&[e - a, f - b, g - c, h - d]))
    }
}

/// The hash of a corner of each point's cell, at both offsets along x; `keys` are those of both offsets along each axis.
#[inline(always)]
fn corner_hash<const D: usize>(keys: &[[u32x4; 2]; D], corner: usize) -> u32x8 {
    let mut key = [u32x8::splat(0); D];
    key[0] = cast(keys[0]);
    for axis in 1..D {
        let side = keys[axis][corner >> (axis - 1) & 1];
        key[axis] = cast([side, side]);
    }
    hash_each(key)
}

/// See [`super::perlin`].
#[inline]
pub fn perlin<const D: usize>(p: [Row; D]) -> Row {
    Cell::of(p).value(0)
}

/// See [`super::perlin_triple`].
#[inline]
pub fn perlin_triple<const D: usize>(p: [Row; D]) -> [Row; 3] {
    let cell = Cell::of(p);
    let [x, y, z] = SHIFTS;
    [cell.value(x), cell.value(y), cell.value(z)]
}

/// Applies the chain rule to a function of points with derivatives.
#[inline(always)]
fn compose<const D: usize>((value, slopes): (Row, [Row; D]), dx: [Row; D], dy: [Row; D]) -> Duals {
    let mut dual = [value, splat(0.0), splat(0.0)];
    for axis in 0..D {
        dual[1] += slopes[axis] * dx[axis];
        dual[2] += slopes[axis] * dy[axis];
    }
    dual
}

/// Perlin noise with derivatives, from coordinates, their derivatives in x, and those in y.
#[inline]
pub fn perlin_dual<const D: usize>([p, dx, dy]: [[Row; D]; 3]) -> Duals {
    compose(Cell::of(p).sloped(0), dx, dy)
}

/// Perlin noise of triples with derivatives: three values, their derivatives in x, and those in y.
#[inline]
pub fn perlin_triple_dual<const D: usize>([p, dx, dy]: [[Row; D]; 3]) -> [[Row; 3]; 3] {
    let cell = Cell::of(p);
    let mut parts = [[splat(0.0); 3]; 3];
    for (lane, shift) in SHIFTS.into_iter().enumerate() {
        let dual = compose(cell.sloped(shift), dx, dy);
        for part in 0..3 {
            parts[part][lane] = dual[part];
        }
    }
    parts
}

/// Maps signed noise to `[0,1]`.
#[inline(always)]
pub fn unsigned(x: Row) -> Row {
    (x + splat(1.0)) * splat(0.5)
}

/// Maps a triple of signed noise values to `[0,1]`.
#[inline(always)]
pub fn unsigned_triple([x, y, z]: [Row; 3]) -> [Row; 3] {
    [unsigned(x), unsigned(y), unsigned(z)]
}

/// Maps a signed noise value with derivatives to `[0,1]`.
#[inline(always)]
pub fn unsigned_dual([value, dx, dy]: Duals) -> Duals {
    let half = splat(0.5);
    [unsigned(value), dx * half, dy * half]
}

/// Maps a triple of signed noise values with derivatives to `[0,1]`.
#[inline(always)]
pub fn unsigned_triple_dual([value, dx, dy]: [[Row; 3]; 3]) -> [[Row; 3]; 3] {
    let half = splat(0.5);
    let halved = |[x, y, z]: [Row; 3]| [x * half, y * half, z * half];
    [unsigned_triple(value), halved(dx), halved(dy)]
}

#[inline(always)]
fn unit_of(hashes: u32x4) -> Row {
    let [a, b, c, d] = hashes.to_array();
    f32x4::new([unit(a), unit(b), unit(c), unit(d)])
}

/// One value for each tuple of keys: see [`super::cell_noise`] and [`super::hash_noise`].
#[inline(always)]
pub fn hashed<const K: usize>(keys: [u32x4; K]) -> Row {
    unit_of(hash_each(keys))
}

/// Three values for each tuple of `D` keys. The component index is an additional key, which makes `K` keys.
#[inline(always)]
pub fn hashed_triple<const D: usize, const K: usize>(keys: [u32x4; D]) -> [Row; 3] {
    let mut triple = [splat(0.0); 3];
    for (component, row) in (0..).zip(&mut triple) {
        let mut all = [u32x4::splat(component); K];
        all[..D].copy_from_slice(&keys);
        *row = hashed(all);
    }
    triple
}

/// The keys of the cells of coordinates.
#[inline(always)]
pub fn cell_keys<const D: usize>(p: [Row; D]) -> [u32x4; D] {
    let mut keys = [u32x4::splat(0); D];
    for axis in 0..D {
        keys[axis] = cell(p[axis]).0;
    }
    keys
}

/// The keys of coordinates themselves: see [`super::key`].
#[inline(always)]
pub fn bits_keys<const D: usize>(p: [Row; D]) -> [u32x4; D] {
    let mut keys = [u32x4::splat(0); D];
    for axis in 0..D {
        keys[axis] = cast(p[axis].is_nan().select(splat(f32::NAN), p[axis]));
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::{Row, perlin, perlin_dual, perlin_triple_dual};
    use crate::eval::dual::Dual;
    use crate::eval::noise;
    use wide::f32x4;

    const X: [f32; 4] = [0.3, -7.25, 1e30, 12.999];
    const Y: [f32; 4] = [f32::NAN, 3.0, -0.0, -5.5];
    const Z: [f32; 4] = [2.75, f32::INFINITY, -3e9, 0.125];
    const W: [f32; 4] = [-1.5, 0.5, 100.25, 3e-40];

    fn same(found: Row, expected: [f32; 4]) {
        for (found, expected) in found.to_array().into_iter().zip(expected) {
            assert!(
                found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(),
                "{found} is not {expected}"
            );
        }
    }

    #[test]
    fn noises_are_as_at_single_points() {
        let [x, y, z, w] = [X, Y, Z, W].map(f32x4::new);
        let by = |f: &dyn Fn(usize) -> f32| [0, 1, 2, 3].map(f);
        same(perlin([x]), by(&|i| noise::perlin([X[i]])));
        same(perlin([z]), by(&|i| noise::perlin([Z[i]])));
        same(perlin([x, w]), by(&|i| noise::perlin([X[i], W[i]])));
        same(perlin([x, y, z]), by(&|i| noise::perlin([X[i], Y[i], Z[i]])));
        same(perlin([w, x, w]), by(&|i| noise::perlin([W[i], X[i], W[i]])));
        same(perlin([w, x, w, x]), by(&|i| noise::perlin([W[i], X[i], W[i], X[i]])));
    }

    #[test]
    fn derivatives_are_as_at_single_points() {
        let [x, w] = [X, W].map(f32x4::new);
        let dual = |i: usize| (Dual::new(X[i], 0.5, W[i]), Dual::new(W[i], -0.25, X[i]));
        let (dx, dy) = ([f32x4::splat(0.5), f32x4::splat(-0.25)], [w, x]);
        let found = perlin_dual([[x, w], dx, dy]);
        let by = |f: &dyn Fn(Dual) -> f32| {
            [0, 1, 2, 3].map(|i| {
                let (x, w) = dual(i);
                f(noise::perlin([x, w]))
            })
        };
        same(found[0], by(&|d| d.value));
        same(found[1], by(&|d| d.dx));
        same(found[2], by(&|d| d.dy));
        let all = [[x, w, x, w], [dx[0], dx[1], dx[0], dx[1]], [w, x, w, x]];
        let found = perlin_triple_dual(all);
        for lane in 0..3 {
            let by = |part: fn(Dual) -> f32| {
                [0, 1, 2, 3].map(|i| {
                    let (x, w) = dual(i);
                    part(noise::perlin_triple([x, w, x, w])[lane])
                })
            };
            same(found[0][lane], by(|d| d.value));
            same(found[1][lane], by(|d| d.dx));
            same(found[2][lane], by(|d| d.dy));
        }
        let found = perlin_dual([[x, w, x], [dx[0], dx[1], dx[0]], [w, x, w]]);
        let by = |part: fn(Dual) -> f32| {
            [0, 1, 2, 3].map(|i| {
                let (x, w) = dual(i);
                part(noise::perlin([x, w, x]))
            })
        };
        same(found[1], by(|d| d.dx));
        same(found[2], by(|d| d.dy));
    }
}
