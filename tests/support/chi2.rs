//! Pearson's χ² test of sampled directions against their density.

use std::f64::consts::PI;
use std::fmt::Write;

use glam::Vec3;

use crate::stats::chi2_p_value;

/// Number of rows of bins, equal in θ; even, so that the horizon is a border.
const ROWS: usize = 30;
/// Number of columns of bins, equal in φ.
const COLUMNS: usize = 60;
/// Minimum expected number of samples in a bin; smaller bins are pooled.
const MIN_EXPECTED: f64 = 5.0;
/// Tolerance of the integral of the density over the sphere.
const INTEGRATION_TOLERANCE: f64 = 2e-4;

/// Result of comparing sampled directions with their density.
#[derive(Debug)]
pub struct Chi2 {
    /// Integral of the density over the sphere.
    pub integral: f64,
    /// Share of the samples without a direction.
    pub lost: f64,
    pub samples: usize,
    /// Probability of a fit at least as bad.
    pub p_value: f64,
    /// Degrees of freedom: bins after pooling, minus one.
    pub freedom: usize,
    worst: String,
}

impl Chi2 {
    /// Draws `samples` directions, `None` for samples without direction, and compares their histogram with the integral
    /// of `pdf` [1/sr] over each bin.
    pub fn of(samples: usize, pdf: impl Fn(Vec3) -> f32, mut sample: impl FnMut() -> Option<Vec3>) -> Chi2 {
        let mut observed = vec![0usize; ROWS * COLUMNS];
        let mut lost = 0usize;
        for _ in 0..samples {
            match sample() {
                Some(w) => observed[bin_of(w)] += 1,
                None => lost += 1,
            }
        }
        let expected = integrate_bins(&pdf, &observed, samples);
        let mut bins: Vec<(f64, f64, usize)> = (0..observed.len())
            .map(|i| (expected[i] * samples as f64, observed[i] as f64, i))
            .collect();
        let worst = describe_worst(&bins);
        bins.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (statistic, freedom) = pooled_statistic(&bins);
        Chi2 {
            integral: expected.iter().sum(),
            lost: lost as f64 / samples as f64,
            samples,
            p_value: if freedom > 0 { chi2_p_value(statistic, freedom) } else { 1.0 },
            freedom,
            worst,
        }
    }

    /// Returns the first failure, at the significance `alpha` and with a limit of `z_limit` standard deviations.
    pub fn verdict(&self, alpha: f64, z_limit: f64) -> Result<(), String> {
        let kept = 1.0 - self.lost;
        let deviation = (kept * self.lost / self.samples as f64).sqrt();
        if self.integral > 1.0 + INTEGRATION_TOLERANCE {
            return Err(format!("the density integrates to {}", self.integral));
        }
        if (self.integral - kept).abs() > z_limit * deviation + INTEGRATION_TOLERANCE {
            return Err(format!(
                "the density integrates to {}, but {kept} of the samples count",
                self.integral
            ));
        }
        if self.p_value < alpha {
            return Err(format!("p = {:e} with {} bins\n{}", self.p_value, self.freedom + 1, self.worst));
        }
        Ok(())
    }
}

/// χ² over bins in ascending order of expectation, and its degrees of freedom. A sample in a bin with expectation zero
/// makes it infinite.
fn pooled_statistic(bins: &[(f64, f64, usize)]) -> (f64, usize) {
    let (mut statistic, mut count) = (0.0, 0usize);
    let mut pool = (0.0, 0.0);
    for &(expected, observed, _) in bins {
        if expected <= 0.0 && observed > 0.0 {
            return (f64::INFINITY, 1);
        }
        pool = (pool.0 + expected, pool.1 + observed);
        if pool.0 >= MIN_EXPECTED {
            statistic += (pool.1 - pool.0).powi(2) / pool.0;
            count += 1;
            pool = (0.0, 0.0);
        }
    }
    (statistic, count.saturating_sub(1))
}

fn describe_worst(bins: &[(f64, f64, usize)]) -> String {
    let badness = |b: &(f64, f64, usize)| (b.1 - b.0).powi(2) / b.0.max(1.0);
    let mut sorted = bins.to_vec();
    sorted.sort_by(|a, b| badness(b).total_cmp(&badness(a)));
    let mut text = String::new();
    for (expected, observed, i) in sorted.into_iter().take(8) {
        let theta = (i / COLUMNS) as f64 * 180.0 / ROWS as f64;
        let phi = (i % COLUMNS) as f64 * 360.0 / COLUMNS as f64;
        let _ = writeln!(text, "  θ {theta:5.1}° φ {phi:5.1}°: expected {expected:9.1}, found {observed}");
    }
    text
}

fn bin_of(w: Vec3) -> usize {
    let w = w.as_dvec3().normalize();
    // Not `acos`, which is inaccurate near the poles.
    let theta = w.x.hypot(w.y).atan2(w.z);
    let phi = w.y.atan2(w.x).rem_euclid(2.0 * PI);
    let row = ((theta / PI * ROWS as f64) as usize).min(ROWS - 1);
    let column = ((phi / (2.0 * PI) * COLUMNS as f64) as usize).min(COLUMNS - 1);
    row * COLUMNS + column
}

/// The integral of `pdf` over each bin; bins with more samples start at a finer subdivision.
fn integrate_bins(pdf: &impl Fn(Vec3) -> f32, observed: &[usize], samples: usize) -> Vec<f64> {
    // The integrand as a function of the sine and cosine of both angles.
    let integrand = |(sin, cos): (f64, f64), (sin_phi, cos_phi): (f64, f64)| {
        let w = glam::DVec3::new(sin * cos_phi, sin * sin_phi, cos).as_vec3();
        f64::from(pdf(w)) * sin
    };
    let (height, width) = (PI / ROWS as f64, 2.0 * PI / COLUMNS as f64);
    (0..ROWS * COLUMNS)
        .map(|i| {
            let cell = Cell {
                theta: (i / COLUMNS) as f64 * height,
                phi: (i % COLUMNS) as f64 * width,
                height,
                width,
            };
            // In bins with few samples, the density is low and smooth, or the integral over the sphere is wrong.
            let depth = match observed[i] {
                many if many * 50 > samples => 3,
                some if some * 500 > samples => 2,
                _ => 0,
            };
            cell.integrate(&integrand, depth, cell.gauss(&integrand))
        })
        .collect()
}

/// A rectangle of angles.
#[derive(Clone, Copy)]
struct Cell {
    theta: f64,
    phi: f64,
    height: f64,
    width: f64,
}

impl Cell {
    fn quarters(self) -> [Cell; 4] {
        let (height, width) = (0.5 * self.height, 0.5 * self.width);
        [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)].map(|(y, x)| Cell {
            theta: self.theta + y * height,
            phi: self.phi + x * width,
            height,
            width,
        })
    }

    /// Gauss-Legendre quadrature with three points along each axis.
    fn gauss(self, f: &impl Fn((f64, f64), (f64, f64)) -> f64) -> f64 {
        let offset = 0.5 * 0.6f64.sqrt();
        let nodes = [(0.5 - offset, 5.0 / 18.0), (0.5, 8.0 / 18.0), (0.5 + offset, 5.0 / 18.0)];
        let rows = nodes.map(|(y, wy)| ((self.theta + y * self.height).sin_cos(), wy));
        let columns = nodes.map(|(x, wx)| ((self.phi + x * self.width).sin_cos(), wx));
        let mut sum = 0.0;
        for (theta, wy) in rows {
            for (phi, wx) in columns {
                sum += wx * wy * f(theta, phi);
            }
        }
        sum * self.height * self.width
    }

    /// Adaptive quadrature: divides the cell until the integral converges, at least `depth` times.
    fn integrate(self, f: &impl Fn((f64, f64), (f64, f64)) -> f64, depth: i32, whole: f64) -> f64 {
        let parts = self.quarters().map(|c| (c, c.gauss(f)));
        let sum: f64 = parts.iter().map(|p| p.1).sum();
        let error = (sum - whole).abs();
        if depth <= 0 && (error < 1e-8 + 1e-4 * sum || depth < -9) {
            return sum;
        }
        parts.into_iter().map(|(c, part)| c.integrate(f, depth - 1, part)).sum()
    }
}
