//! The cell that a point is in: hashes and gradients of its corners, and interpolation between them.
//!
//! Everything is written over arrays of lattice corners, in the shape that the compiler turns into vector instructions.
//!
//! Ken Perlin, "Improving Noise", SIGGRAPH 2002, for the gradients and the fade.

use super::hash::hash;
use crate::eval::dual::Real;

/// Corner offsets along x, y, z and w: corner `i` of a cell has bit `k` of `i` as its offset along axis `k`.
const fn offset(corner: usize, axis: usize) -> u32 {
    (corner >> axis & 1) as u32
}

/// The cell of a coordinate, and where in the cell.
#[inline(always)]
pub(super) fn cell<T: Real>(x: T) -> (u32, T) {
    let floor = x.value().floor();
    (floor as i32 as u32, x - floor)
}

/// Perlin's fade curve.
#[inline(always)]
fn fade<T: Real>(t: T) -> T {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

/// `x` with its sign turned over when bit `BIT` of `h` is set.
#[inline(always)]
fn turn<const BIT: u32, T: Real>(x: T, h: u32) -> T {
    x.turn(h << (31 - BIT))
}

/// Gradients ±1 … ±8.
#[inline(always)]
fn gradient1<T: Real>(h: u32, x: T) -> T {
    x * turn::<3, f32>(1.0 + (h & 7) as f32, h)
}

/// Gradients (±1, ±2) and (±2, ±1).
#[inline(always)]
fn gradient2<T: Real>(h: u32, x: T, y: T) -> T {
    let first = h & 7 < 4;
    let u = if first { x } else { y };
    let v = if first { y } else { x } * 2.0;
    turn::<0, T>(u, h) + turn::<1, T>(v, h)
}

/// Gradients to the middles of a cube's edges, four of them twice.
#[inline(always)]
fn gradient3<T: Real>(h: u32, x: T, y: T, z: T) -> T {
    let h = h & 15;
    let u = if h < 8 { x } else { y };
    let other = if h | 2 == 14 { x } else { z };
    let v = if h < 4 { y } else { other };
    turn::<0, T>(u, h) + turn::<1, T>(v, h)
}

/// Gradients to the middles of a tesseract's edges.
#[inline(always)]
fn gradient4<T: Real>(h: u32, x: T, y: T, z: T, w: T) -> T {
    let h = h & 31;
    let u = if h < 24 { x } else { y };
    let v = if h < 16 { y } else { z };
    let s = if h < 8 { z } else { w };
    turn::<0, T>(u, h) + turn::<1, T>(v, h) + turn::<2, T>(s, h)
}

/// The hashes of a cell's corners and how far a point is from each, along `D` axes.
pub(super) struct Corners<T, const D: usize, const N: usize> {
    hashes: [u32; N],
    offsets: [[T; N]; D],
    fades: [T; D],
}

#[inline(always)]
pub(super) fn corners<T: Real, const D: usize, const N: usize>(p: [T; D]) -> Corners<T, D, N> {
    let cells = p.map(cell);
    Corners {
        hashes: fill(|i| hash::<D>(fill(|axis| cells[axis].0.wrapping_add(offset(i, axis))))),
        offsets: std::array::from_fn(|axis| fill(|i| cells[axis].1 - offset(i, axis) as f32)),
        fades: cells.map(|(_, f)| fade(f)),
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

/// Interpolates the upper half of the corners with the lower half.
#[inline(always)]
fn halve<T: Real, const N: usize, const HALF: usize>(v: [T; N], t: T) -> [T; HALF] {
    fill(|i| T::mix(v[i], v[i + HALF], t))
}

/// Along x, then y: the order in which OSL rounds.
#[inline(always)]
fn square<T: Real>([a, b, c, d]: [T; 4], u: T, v: T) -> T {
    T::mix(T::mix(a, b, u), T::mix(c, d, u), v)
}

impl<T: Real> Corners<T, 1, 2> {
    #[inline(always)]
    pub(super) fn noise(&self, shift: u32) -> T {
        let g = |i: usize| gradient1(self.hashes[i] >> shift, self.offsets[0][i]);
        T::mix(g(0), g(1), self.fades[0]) * 0.25
    }
}

impl<T: Real> Corners<T, 2, 4> {
    #[inline(always)]
    pub(super) fn noise(&self, shift: u32) -> T {
        let [x, y] = &self.offsets;
        let g = fill(|i| gradient2(self.hashes[i] >> shift, x[i], y[i]));
        square(g, self.fades[0], self.fades[1]) * 0.6616
    }
}

impl<T: Real> Corners<T, 3, 8> {
    #[inline(always)]
    pub(super) fn noise(&self, shift: u32) -> T {
        let [x, y, z] = &self.offsets;
        let g: [T; 8] = fill(|i| gradient3(self.hashes[i] >> shift, x[i], y[i], z[i]));
        square(halve(g, self.fades[2]), self.fades[0], self.fades[1]) * 0.982
    }
}

impl<T: Real> Corners<T, 4, 16> {
    #[inline(always)]
    pub(super) fn noise(&self, shift: u32) -> T {
        let [x, y, z, w] = &self.offsets;
        let g: [T; 16] = fill(|i| gradient4(self.hashes[i] >> shift, x[i], y[i], z[i], w[i]));
        let g: [T; 8] = halve(g, self.fades[3]);
        square(halve(g, self.fades[2]), self.fades[0], self.fades[1]) * 0.8344
    }
}
