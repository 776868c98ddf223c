//! The cell that a point is in: hashes and gradients of its corners, and interpolation between them.
//!
//! Everything is written over arrays of lattice corners, in the shape that the compiler turns into vector instructions.
//!
//! Ken Perlin, "Improving Noise", SIGGRAPH 2002, for the gradients and the fade.

use super::hash::hash;
use crate::eval::dual::{Dual, Real};

/// Corner offsets along x, y, z and w: corner `i` of a cell has bit `k` of `i` as its offset along axis `k`.
const fn offset(corner: usize, axis: usize) -> u32 {
    (corner >> axis & 1) as u32
}

/// The cell of a coordinate, and where in the cell.
#[inline(always)]
pub(super) fn cell(x: f32) -> (u32, f32) {
    let floor = x.floor();
    (floor as i32 as u32, x - floor)
}

/// Perlin's fade curve.
#[inline(always)]
fn fade<T: Real>(t: T) -> T {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

/// `x` with its sign turned over when bit `BIT` of `h` is set.
#[inline(always)]
fn turn<const BIT: u32>(x: f32, h: u32) -> f32 {
    x.turn(h << (31 - BIT))
}

/// Gradients ±1 … ±8.
#[inline(always)]
fn gradient1(h: u32, x: f32) -> f32 {
    turn::<3>(1.0 + (h & 7) as f32, h) * x
}

/// Gradients (±1, ±2) and (±2, ±1).
#[inline(always)]
fn gradient2(h: u32, x: f32, y: f32) -> f32 {
    let first = h & 7 < 4;
    let u = if first { x } else { y };
    let v = 2.0 * if first { y } else { x };
    turn::<0>(u, h) + turn::<1>(v, h)
}

/// Gradients to the middles of a cube's edges, four of them twice.
#[inline(always)]
fn gradient3(h: u32, x: f32, y: f32, z: f32) -> f32 {
    let h = h & 15;
    let u = if h < 8 { x } else { y };
    let other = if h | 2 == 14 { x } else { z };
    let v = if h < 4 { y } else { other };
    turn::<0>(u, h) + turn::<1>(v, h)
}

/// Gradients to the middles of a tesseract's edges.
#[inline(always)]
fn gradient4(h: u32, x: f32, y: f32, z: f32, w: f32) -> f32 {
    let h = h & 31;
    let u = if h < 24 { x } else { y };
    let v = if h < 16 { y } else { z };
    let s = if h < 8 { z } else { w };
    turn::<0>(u, h) + turn::<1>(v, h) + turn::<2>(s, h)
}

/// Coordinates of noise: numbers, or duals as one array for the values and one for each of the derivatives.
pub trait Coordinate: Real {
    /// A number for each corner of a cell.
    type Row<const N: usize>: Copy;

    /// The scalar products of the corners' gradients with the ways from the corners to the point. `gradient(i, way)` is
    /// that of corner `i`; it is linear in the way, and the ways to all corners change alike.
    fn products<const D: usize, const N: usize>(
        changes: &[Self; D],
        ways: &[[f32; N]; D],
        gradient: impl Fn(usize, [f32; D]) -> f32,
    ) -> Self::Row<N>;

    /// Interpolates the lower half of a row with the upper half.
    fn halve<const N: usize, const HALF: usize>(row: Self::Row<N>, t: Self) -> Self::Row<HALF>;

    /// An element of a row.
    fn get<const N: usize>(row: Self::Row<N>, i: usize) -> Self;
}

impl Coordinate for f32 {
    type Row<const N: usize> = [f32; N];

    #[inline(always)]
    fn products<const D: usize, const N: usize>(
        _: &[f32; D],
        ways: &[[f32; N]; D],
        gradient: impl Fn(usize, [f32; D]) -> f32,
    ) -> [f32; N] {
        fill(|i| gradient(i, std::array::from_fn(|axis| ways[axis][i])))
    }

    #[inline(always)]
    fn halve<const N: usize, const HALF: usize>(row: [f32; N], t: f32) -> [f32; HALF] {
        fill(|i| f32::mix(row[i], row[i + HALF], t))
    }

    #[inline(always)]
    fn get<const N: usize>(row: [f32; N], i: usize) -> f32 {
        row[i]
    }
}

impl Coordinate for Dual {
    type Row<const N: usize> = [[f32; N]; 3];

    #[inline(always)]
    fn products<const D: usize, const N: usize>(
        changes: &[Dual; D],
        ways: &[[f32; N]; D],
        gradient: impl Fn(usize, [f32; D]) -> f32,
    ) -> [[f32; N]; 3] {
        let (dx, dy) = (changes.map(|c| c.dx), changes.map(|c| c.dy));
        [
            fill(|i| gradient(i, std::array::from_fn(|axis| ways[axis][i]))),
            fill(|i| gradient(i, dx)),
            fill(|i| gradient(i, dy)),
        ]
    }

    #[inline(always)]
    fn halve<const N: usize, const HALF: usize>([value, dx, dy]: [[f32; N]; 3], t: Dual) -> [[f32; HALF]; 3] {
        let slope: [f32; HALF] = fill(|i| value[i + HALF] - value[i]);
        [
            fill(|i| f32::mix(value[i], value[i + HALF], t.value)),
            fill(|i| f32::mix(dx[i], dx[i + HALF], t.value) + slope[i] * t.dx),
            fill(|i| f32::mix(dy[i], dy[i + HALF], t.value) + slope[i] * t.dy),
        ]
    }

    #[inline(always)]
    fn get<const N: usize>([value, dx, dy]: [[f32; N]; 3], i: usize) -> Dual {
        Dual::new(value[i], dx[i], dy[i])
    }
}

/// The hashes of a cell's corners and how far a point is from each, along `D` axes.
pub(super) struct Corners<T, const D: usize, const N: usize> {
    hashes: [u32; N],
    point: [T; D],
    ways: [[f32; N]; D],
    fades: [T; D],
}

#[inline(always)]
pub(super) fn corners<T: Coordinate, const D: usize, const N: usize>(p: [T; D]) -> Corners<T, D, N> {
    corners_by(p, |_, key| key)
}

/// The same, on a lattice that repeats after so many cells along each axis.
pub(super) fn repeated_corners<T: Coordinate, const D: usize, const N: usize>(
    p: [T; D],
    period: [i32; D],
) -> Corners<T, D, N> {
    corners_by(p, |axis, key| (key as i32).rem_euclid(period[axis].max(1)) as u32)
}

/// The same, with keys of corners made from their places along each axis.
#[inline(always)]
fn corners_by<T: Coordinate, const D: usize, const N: usize>(
    p: [T; D],
    key: impl Fn(usize, u32) -> u32,
) -> Corners<T, D, N> {
    let cells = p.map(|x| cell(x.value()));
    let inside: [T; D] = std::array::from_fn(|axis| p[axis] - p[axis].value().floor());
    Corners {
        hashes: fill(|i| {
            hash::<D>(fill(|axis| {
                key(axis, cells[axis].0.wrapping_add(offset(i, axis)))
            }))
        }),
        point: inside,
        ways: std::array::from_fn(|axis| fill(|i| cells[axis].1 - offset(i, axis) as f32)),
        fades: inside.map(fade),
    }
}

/// An array by index, as a plain loop: the compiler vectorises this, and leaves `array::from_fn` scalar.
#[inline(always)]
fn fill<T: Copy + Default, const N: usize>(f: impl Fn(usize) -> T) -> [T; N] {
    let mut array = [T::default(); N];
    for (i, slot) in array.iter_mut().enumerate() {
        *slot = f(i);
    }
    array
}

/// Along x, then y: the order in which OSL rounds.
#[inline(always)]
fn square<T: Coordinate>(row: T::Row<4>, u: T, v: T) -> T {
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| T::get(row, i));
    T::mix(T::mix(a, b, u), T::mix(c, d, u), v)
}

impl<T: Coordinate> Corners<T, 1, 2> {
    #[inline(always)]
    pub(super) fn noise(&self, shift: u32) -> T {
        let row = T::products(&self.point, &self.ways, |i, [x]| {
            gradient1(self.hashes[i] >> shift, x)
        });
        T::mix(T::get(row, 0), T::get(row, 1), self.fades[0]) * 0.25
    }
}

impl<T: Coordinate> Corners<T, 2, 4> {
    #[inline(always)]
    pub(super) fn noise(&self, shift: u32) -> T {
        let row = T::products(&self.point, &self.ways, |i, [x, y]| {
            gradient2(self.hashes[i] >> shift, x, y)
        });
        square(row, self.fades[0], self.fades[1]) * 0.6616
    }
}

impl<T: Coordinate> Corners<T, 3, 8> {
    #[inline(always)]
    pub(super) fn noise(&self, shift: u32) -> T {
        let row = T::products(&self.point, &self.ways, |i, [x, y, z]| {
            gradient3(self.hashes[i] >> shift, x, y, z)
        });
        square(T::halve::<8, 4>(row, self.fades[2]), self.fades[0], self.fades[1]) * 0.982
    }
}

impl<T: Coordinate> Corners<T, 4, 16> {
    #[inline(always)]
    pub(super) fn noise(&self, shift: u32) -> T {
        let row = T::products(&self.point, &self.ways, |i, [x, y, z, w]| {
            gradient4(self.hashes[i] >> shift, x, y, z, w)
        });
        let row = T::halve::<16, 8>(row, self.fades[3]);
        square(T::halve::<8, 4>(row, self.fades[2]), self.fades[0], self.fades[1]) * 0.8344
    }
}
