//! Quadrature and interpolation of albedo tables: lattice points of samples, and cells of coordinates.

use glam::Vec2;

/// Point `k` of a Fibonacci lattice of `count` points in the unit square.
pub(super) fn lattice_point(k: usize, count: usize) -> Vec2 {
    // The constant is the fractional part of the golden ratio.
    Vec2::new((k as f32 * 0.618_034).fract(), (k as f32 + 0.5) / count as f32)
}

/// Cell of `x` in `[0,1]` on an axis of `count` equidistant values, and the fraction within the cell.
#[inline(always)]
pub(super) fn cell(x: f32, count: usize) -> (usize, f32) {
    let scaled = x * (count - 1) as f32;
    let index = (scaled as usize).min(count - 2);
    (index, scaled - index as f32)
}
