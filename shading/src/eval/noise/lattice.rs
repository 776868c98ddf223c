//! The cell that a point is in: hashes and gradients of its corners, and interpolation between them.
//!
//! Everything is written over arrays of lattice corners, in the shape that the compiler turns into vector instructions.
//!
//! Ken Perlin, "Improving Noise", SIGGRAPH 2002, for the gradients and the fade.

use super::hash::hash;

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
fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

#[inline(always)]
fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a * (1.0 - t) + b * t
}

/// `x` with its sign turned over when bit `BIT` of `h` is set.
#[inline(always)]
fn turn<const BIT: u32>(x: f32, h: u32) -> f32 {
    f32::from_bits(x.to_bits() ^ ((h >> BIT & 1) << 31))
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

/// The hashes of a cell's corners and how far a point is from each, along `D` axes.
pub(super) struct Corners<const D: usize, const N: usize> {
    hashes: [u32; N],
    offsets: [[f32; N]; D],
    fades: [f32; D],
}

#[inline(always)]
pub(super) fn corners<const D: usize, const N: usize>(p: [f32; D]) -> Corners<D, N> {
    corners_by(p, |_, key| key)
}

/// The same, on a lattice that repeats after so many cells along each axis.
pub(super) fn repeated_corners<const D: usize, const N: usize>(
    p: [f32; D],
    period: [i32; D],
) -> Corners<D, N> {
    corners_by(p, |axis, key| (key as i32).rem_euclid(period[axis].max(1)) as u32)
}

/// The same, with keys of corners made from their places along each axis.
#[inline(always)]
fn corners_by<const D: usize, const N: usize>(p: [f32; D], key: impl Fn(usize, u32) -> u32) -> Corners<D, N> {
    let cells = p.map(cell);
    Corners {
        hashes: fill(|i| {
            hash::<D>(fill(|axis| {
                key(axis, cells[axis].0.wrapping_add(offset(i, axis)))
            }))
        }),
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
fn halve<const N: usize, const HALF: usize>(v: [f32; N], t: f32) -> [f32; HALF] {
    fill(|i| lerp(v[i], v[i + HALF], t))
}

/// Along x, then y: the order in which OSL rounds.
#[inline(always)]
fn square([a, b, c, d]: [f32; 4], u: f32, v: f32) -> f32 {
    lerp(lerp(a, b, u), lerp(c, d, u), v)
}

impl Corners<1, 2> {
    #[inline(always)]
    pub(super) fn noise(&self, shift: u32) -> f32 {
        let g = |i: usize| gradient1(self.hashes[i] >> shift, self.offsets[0][i]);
        0.25 * lerp(g(0), g(1), self.fades[0])
    }
}

impl Corners<2, 4> {
    #[inline(always)]
    pub(super) fn noise(&self, shift: u32) -> f32 {
        let [x, y] = &self.offsets;
        let g = fill(|i| gradient2(self.hashes[i] >> shift, x[i], y[i]));
        0.6616 * square(g, self.fades[0], self.fades[1])
    }
}

impl Corners<3, 8> {
    #[inline(always)]
    pub(super) fn noise(&self, shift: u32) -> f32 {
        let [x, y, z] = &self.offsets;
        let g: [f32; 8] = fill(|i| gradient3(self.hashes[i] >> shift, x[i], y[i], z[i]));
        0.982 * square(halve(g, self.fades[2]), self.fades[0], self.fades[1])
    }
}

impl Corners<4, 16> {
    #[inline(always)]
    pub(super) fn noise(&self, shift: u32) -> f32 {
        let [x, y, z, w] = &self.offsets;
        let g: [f32; 16] = fill(|i| gradient4(self.hashes[i] >> shift, x[i], y[i], z[i], w[i]));
        let g: [f32; 8] = halve(g, self.fades[3]);
        0.8344 * square(halve(g, self.fades[2]), self.fades[0], self.fades[1])
    }
}
