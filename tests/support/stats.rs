//! Distribution functions, significance tests, and random numbers independent of the renderer's.

use glam::{Vec2, Vec3};

/// The significance of each of `tests` independent tests, for a joint significance of `alpha`. Šidák 1967.
// Šidák 1967.
pub fn sidak(alpha: f64, tests: usize) -> f64 {
    -((-alpha).ln_1p() / tests as f64).exp_m1()
}

/// Probability that a standard normal variable is at least as far from zero as `z`.
pub fn normal_p_value(z: f64) -> f64 {
    gamma_q(0.5, 0.5 * z * z)
}

/// The inverse of [`normal_p_value`].
pub fn normal_limit(p: f64) -> f64 {
    let (mut lo, mut hi) = (0.0, 40.0);
    for _ in 0..100 {
        let mid = 0.5 * (lo + hi);
        if normal_p_value(mid) > p {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    hi
}

/// Probability that a χ² variable with `freedom` degrees is at least `statistic`.
pub fn chi2_p_value(statistic: f64, freedom: usize) -> f64 {
    gamma_q(0.5 * freedom as f64, 0.5 * statistic)
}

/// Difference of two estimates in standard deviations, from the variances of their means.
pub fn z_score(a: f64, variance_a: f64, b: f64, variance_b: f64) -> f64 {
    let variance = variance_a + variance_b;
    if variance > 0.0 {
        (a - b) / variance.sqrt()
    } else if a == b {
        0.0
    } else {
        f64::INFINITY
    }
}

/// The share of `scores` that a two-sided Z-test with a joint significance of `alpha` accepts.
pub fn accepted_share(scores: &[f64], alpha: f64) -> f64 {
    let limit = normal_limit(sidak(alpha, scores.len()));
    scores.iter().filter(|z| z.abs() <= limit).count() as f64 / scores.len() as f64
}

/// Running mean and variance.
// Welford 1962.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    pub fn add(&mut self, x: f64) {
        self.count += 1.0;
        let delta = x - self.mean;
        self.mean += delta / self.count;
        self.squares += delta * (x - self.mean);
    }

    pub fn mean(&self) -> f64 {
        self.mean
    }

    pub fn variance(&self) -> f64 {
        self.squares / (self.count - 1.0).max(1.0)
    }

    pub fn variance_of_mean(&self) -> f64 {
        self.variance() / self.count.max(1.0)
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Moments {
        let mut moments = Moments::default();
        values.into_iter().for_each(|x| moments.add(x));
        moments
    }
}

/// Random numbers by SplitMix64, independent of the renderer's sampler.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// An independent stream for each seed.
    pub fn new(seed: u64) -> Rng {
        let mut rng = Rng(seed.wrapping_mul(0xd134_2543_de82_ef95) ^ 0x5bf0_3635);
        rng.next_u64();
        rng
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number in `[0,1)`.
    pub fn next_1d(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 * (1.0 / (1u32 << 24) as f32)
    }

    /// A number in `[0,1)` with 53 bits.
    pub fn next_choice(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Two numbers in `[0,1)`.
    pub fn next_2d(&mut self) -> Vec2 {
        Vec2::new(self.next_1d(), self.next_1d())
    }

    /// A direction, uniform on the sphere.
    pub fn direction(&mut self) -> Vec3 {
        let z = 2.0 * self.next_1d() - 1.0;
        let (sin, cos) = (std::f32::consts::TAU * self.next_1d()).sin_cos();
        let r = (1.0 - z * z).max(0.0).sqrt();
        Vec3::new(r * cos, r * sin, z)
    }
}

/// The upper regularised incomplete gamma function Q(a, x). Series below a + 1, Legendre's continued fraction (by
/// Lentz's method) above.
// Series below a + 1, Legendre's continued fraction (by Lentz's method) above.
fn gamma_q(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let mut term = 1.0 / a;
        let mut sum = term;
        let mut n = a;
        while term > sum * 1e-16 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return 1.0 - front * sum;
    }
    let mut b = x + 1.0 - a;
    let mut c = 1e300;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for i in 1..100_000 {
        let numerator = -f64::from(i) * (f64::from(i) - a);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * fraction
}

/// Logarithm of the gamma function for `x` > 0. Stirling's series, shifted to arguments where it is exact to double
/// precision.
// Stirling's series, moved to arguments where it is exact to double precision.
fn ln_gamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 15.0 {
        shift += x.ln();
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y / 1680.0))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9 * b, "{a} is not {b}");
        close(normal_p_value(1.959_963_984_540_054), 0.05);
        close(normal_p_value(6.0), 1.973_175_289_995_953e-9);
        close(chi2_p_value(18.307_038_053_275_146, 10), 0.05);
        // Two degrees of freedom: the exponential distribution.
        close(chi2_p_value(100.0, 2), (-50.0f64).exp());
        close(normal_limit(0.05), 1.959_963_984_540_054);
        close(sidak(0.01, 1), 0.01);
        close(1.0 - (1.0 - sidak(0.01, 100)).powi(100), 0.01);
    }
}
