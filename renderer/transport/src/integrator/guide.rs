//! Path-guiding distribution: an 8 × 8 histogram of incident irradiance over the hemisphere, with sampling and density.
//!
//! The concentric map maps the hemisphere to the unit square, so that under uniform illumination all cells receive the
//! same irradiance.

use std::f32::consts::FRAC_PI_4;

use glam::{Vec2, Vec3};

use renderer_base::math::{INV_PI, ONE_MINUS_EPSILON, safe_sqrt};
use renderer_base::sampling::disk;

/// Number of cells along a side of the square.
const SIDE: usize = 8;

/// Quantised histogram of irradiance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guide {
    cells: [u8; SIDE * SIDE],
    /// Sums of the rows of cells.
    rows: [u16; SIDE],
    /// One over the sum of all cells; 0 if the histogram is empty.
    inverse_total: f32,
}

/// Accumulator of irradiance by cell, from which a [`Guide`] is made.
#[derive(Clone, Debug, Default)]
pub(super) struct Collector {
    cells: Vec<f32>,
}

impl Collector {
    /// Adds irradiance from the unit vector `local` (in the frame of the normal), distributed bilinearly over the
    /// neighbouring cells.
    pub(super) fn add(&mut self, local: Vec3, irradiance: f32) {
        self.cells.resize(SIDE * SIDE, 0.0);
        let at = square(local) * SIDE as f32 - Vec2::splat(0.5);
        let low = at.floor();
        let share = at - low;
        let clamp = |x: f32| (x.max(0.0) as usize).min(SIDE - 1);
        for (dx, wx) in [(0.0, 1.0 - share.x), (1.0, share.x)] {
            for (dy, wy) in [(0.0, 1.0 - share.y), (1.0, share.y)] {
                self.cells[clamp(low.y + dy) * SIDE + clamp(low.x + dx)] += irradiance * wx * wy;
            }
        }
    }

    /// Resets all cells.
    pub(super) fn clear(&mut self) {
        self.cells.clear();
    }

    /// Returns the guide and resets the collector.
    pub(super) fn finish(&mut self) -> Guide {
        let max = self.cells.iter().copied().fold(0.0, f32::max);
        let mut guide = Guide::NONE;
        if max > 0.0 && max.is_finite() {
            for (cell, irradiance) in guide.cells.iter_mut().zip(&self.cells) {
                *cell = (irradiance / max * 255.0).round() as u8;
            }
            for (row, cells) in guide.rows.iter_mut().zip(guide.cells.chunks_exact(SIDE)) {
                *row = cells.iter().map(|&cell| u16::from(cell)).sum();
            }
            let total: u32 = guide.rows.iter().map(|&row| u32::from(row)).sum();
            guide.inverse_total = 1.0 / total as f32;
        }
        self.cells.clear();
        guide
    }
}

impl Guide {
    /// A histogram without irradiance.
    pub(super) const NONE: Guide = Guide { cells: [0; SIDE * SIDE], rows: [0; SIDE], inverse_total: 0.0 };

    /// Returns whether the histogram holds any irradiance.
    #[inline]
    pub(super) fn has_data(&self) -> bool {
        self.inverse_total > 0.0
    }

    /// Samples a unit vector of the upper hemisphere in proportion to irradiance.
    pub(super) fn sample(&self, u: Vec2) -> Vec3 {
        let (row, remainder) = choose(&self.rows, u.x / self.inverse_total);
        let (column, remainder) = choose(&self.cells[row * SIDE..][..SIDE], remainder);
        let remainder = remainder / f32::from(self.cells[row * SIDE + column]);
        let within = Vec2::new(remainder.clamp(0.0, ONE_MINUS_EPSILON), u.y);
        let corner = Vec2::new(column as f32, row as f32);
        let p = disk((corner + within) / SIDE as f32);
        p.extend(safe_sqrt(1.0 - p.length_squared()))
    }

    /// Density of [`Guide::sample`] with respect to solid angle [1/sr].
    #[inline(always)]
    pub(super) fn pdf(&self, local: Vec3) -> f32 {
        if local.z <= 0.0 {
            return 0.0;
        }
        let at = square(local) * SIDE as f32;
        let clamp = |x: f32| (x.max(0.0) as usize).min(SIDE - 1);
        let cell = f32::from(self.cells[clamp(at.y) * SIDE + clamp(at.x)]);
        cell * self.inverse_total * (SIDE * SIDE) as f32 * local.z * INV_PI
    }
}

/// Selects the entry of a discrete distribution at the position `remainder` in its partial sums; returns its index and
/// the position within it. If rounding moves the position past the end, the last nonzero entry is selected.
#[inline]
fn choose<T: Copy + Into<f32>>(shares: &[T], mut remainder: f32) -> (usize, f32) {
    let mut chosen = (shares.len() - 1, 0.0);
    for (index, &share) in shares.iter().enumerate() {
        let share = share.into();
        if remainder < share {
            return (index, remainder);
        }
        if share > 0.0 {
            chosen = (index, share);
        }
        remainder -= share;
    }
    chosen
}

/// Inverse of the concentric map [`disk`]: the point of the unit square for a unit vector of the upper hemisphere.
#[inline]
fn square(local: Vec3) -> Vec2 {
    let (x, y) = (local.x, local.y);
    let r = (x * x + y * y).sqrt();
    let wide = x.abs() > y.abs();
    let (long, short) = if wide { (x, y) } else { (y, x) };
    if long == 0.0 {
        return Vec2::splat(0.5);
    }
    let along = r.copysign(long);
    let across = atan_octant(short / long) * (1.0 / FRAC_PI_4) * along;
    let (a, b) = if wide { (along, across) } else { (across, along) };
    Vec2::new(0.5 * (a + 1.0), 0.5 * (b + 1.0))
}

/// Arc tangent of a number in `[-1,1]`, with an error below 2·10⁻⁷.
// Abramowitz & Stegun 1964, "Handbook of Mathematical Functions", eq. 4.4.49.
#[inline]
fn atan_octant(x: f32) -> f32 {
    let x2 = x * x;
    let series = [
        0.002_866_225_7,
        -0.016_165_737,
        0.042_909_615,
        -0.075_289_64,
        0.106_562_64,
        -0.142_089,
        0.199_935_51,
        -0.333_331_47,
        1.0,
    ];
    x * series.into_iter().fold(0.0, |sum, term| sum * x2 + term)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_square_and_the_disk_are_inverse() {
        for i in 0..400 {
            let u = Vec2::new((i % 20) as f32 + 0.5, (i / 20) as f32 + 0.5) / 20.0;
            let p = disk(u);
            let back = square(p.extend(safe_sqrt(1.0 - p.length_squared())));
            assert!((back - u).length() < 1e-4, "{u} {back}");
        }
    }

    #[test]
    fn densities_agree_with_samples() {
        let mut collector = Collector::default();
        for i in 0..60 {
            let z = 0.2 + 0.01 * i as f32;
            let (sin, cos) = (i as f32 * 0.1).sin_cos();
            collector.add(Vec3::new(cos, sin, 0.0) * (1.0 - z * z).sqrt() + Vec3::Z * z, 1.0 + i as f32);
        }
        let guide = collector.finish();
        // The mean of 1/pdf over samples is the solid angle of the support; the mean of cos/(π pdf) is its share of the
        // projected hemisphere.
        let mut share = 0.0;
        for i in 0..10_000 {
            // A cell with little irradiance covers only a thin slice of the first number.
            let u = Vec2::new((i as f32 + 0.5) / 1e4, (i as f32 * 0.618_034).fract().min(ONE_MINUS_EPSILON));
            let wi = guide.sample(u);
            let pdf = guide.pdf(wi);
            assert!(pdf > 0.0 || wi.z < 1e-3);
            if pdf > 0.0 {
                share += wi.z * INV_PI / pdf / 1e4;
            }
        }
        let lit = guide.cells.iter().filter(|&&cell| cell > 0).count() as f32 / 64.0;
        assert!((share / lit - 1.0).abs() < 0.02, "{share} {lit}");
    }
}
