//! Phase functions: densities of the direction into which a medium scatters light [1/sr].
//!
//! Phase functions are symmetric about the direction of the light, so they depend only on the cosine between the
//! directions before and after scattering.

use std::f32::consts::PI;
use std::hash::{Hash, Hasher};

use glam::{Vec2, Vec3};

use renderer_base::math::{Frame, bounded, cbrt, sqr};

/// Phase function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// Henyey & Greenstein 1941, by its mean cosine; 0 is isotropic.
    HenyeyGreenstein(f32),
    /// Rayleigh's phase function, for molecules of gases.
    Rayleigh,
    /// Draine 2003, "Scattering by Interstellar Dust Grains", eq. 4: Henyey-Greenstein's at `alpha` 0; Rayleigh's where
    /// also `g` is 0 and `alpha` 1.
    Draine {
        /// Asymmetry.
        g: f32,
        /// Weight of the symmetric part.
        alpha: f32,
    },
}

impl Hash for Phase {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        match *self {
            Phase::HenyeyGreenstein(g) => (0, g.to_bits(), 0).hash(hasher),
            Phase::Rayleigh => (1, 0, 0).hash(hasher),
            Phase::Draine { g, alpha } => (2, g.to_bits(), alpha.to_bits()).hash(hasher),
        }
    }
}

/// Maximum magnitude of the mean cosine: beyond it, densities exceed the precision of `f32`.
const MAX_G: f32 = 0.999;

/// Mean cosine below which scattering counts as isotropic.
const MIN_G: f32 = 1e-3;

impl Phase {
    /// Henyey-Greenstein's function with a mean cosine; NaN counts as 0.
    pub fn henyey_greenstein(g: f32) -> Phase {
        Phase::HenyeyGreenstein(bounded(g, -MAX_G, MAX_G))
    }

    /// Draine's function.
    pub fn draine(g: f32, alpha: f32) -> Phase {
        Phase::Draine {
            g: bounded(g, -MAX_G, MAX_G),
            alpha: bounded(alpha, 0.0, 1e6),
        }
    }

    /// Density for the cosine between the directions before and after scattering [1/sr].
    #[inline]
    pub fn density(&self, cos: f32) -> f32 {
        match *self {
            Phase::HenyeyGreenstein(g) => henyey_greenstein(g, cos),
            Phase::Rayleigh => 3.0 / (16.0 * PI) * (1.0 + sqr(cos)),
            Phase::Draine { g, alpha } => {
                let even = (1.0 + alpha * sqr(cos)) / (1.0 + alpha * (1.0 + 2.0 * sqr(g)) / 3.0);
                henyey_greenstein(g, cos) * even
            }
        }
    }

    /// Samples a direction for light along the unit vector `along`, with the density [`Phase::density`].
    #[inline]
    pub fn sample(&self, along: Vec3, u: Vec2) -> Vec3 {
        let cos = match *self {
            Phase::HenyeyGreenstein(g) => henyey_greenstein_cos(g, u.x),
            // Cardano's solution of the cubic equation of the cumulative distribution.
            Phase::Rayleigh => {
                let q = 4.0 * u.x - 2.0;
                let root = cbrt(q + (1.0 + sqr(q)).sqrt());
                root - 1.0 / root
            }
            Phase::Draine { g, alpha } => draine_cos(f64::from(g), f64::from(alpha), f64::from(u.x)) as f32,
        };
        Frame::from_normal(along).at_cosine(cos.clamp(-1.0, 1.0), u.y)
    }

    /// Mean cosine.
    pub fn mean_cosine(&self) -> f32 {
        match *self {
            Phase::HenyeyGreenstein(g) => g,
            Phase::Rayleigh => 0.0,
            // Jendersie & d'Eon 2023, "An Approximate Mie Scattering Function for Fog and Cloud Rendering", eq. 3.
            Phase::Draine { g, alpha } => {
                let (g2, weight) = (sqr(g), 1.0 + alpha * (1.0 + 2.0 * sqr(g)) / 3.0);
                g * (1.0 + alpha * (3.0 + 2.0 * g2) / 5.0) / weight
            }
        }
    }
}

fn henyey_greenstein(g: f32, cos: f32) -> f32 {
    let square = (1.0 + sqr(g) - 2.0 * g * cos).max(sqr(1.0 - g.abs()));
    (1.0 - sqr(g)) / (4.0 * PI * square * square.sqrt())
}

fn henyey_greenstein_cos(g: f32, u: f32) -> f32 {
    if g.abs() < MIN_G {
        return 2.0 * u - 1.0;
    }
    let ratio = (1.0 - sqr(g)) / (1.0 - g + 2.0 * g * u);
    (1.0 + sqr(g) - sqr(ratio)) / (2.0 * g)
}

/// Inverts Draine's cumulative distribution by Newton steps within a shrinking interval.
fn draine_cos(g: f64, alpha: f64, u: f64) -> f64 {
    /// Number of steps: every other one halves the interval, so that 40 reach the precision of `f32`.
    const STEPS: u32 = 40;
    let cdf = |cos: f64| (integral(g, alpha, cos) - integral(g, alpha, -1.0)) / total(g, alpha);
    let density = |cos: f64| {
        let square = 1.0 + g * g - 2.0 * g * cos;
        (1.0 + alpha * cos * cos) / (square * square.sqrt()) / total(g, alpha)
    };
    let (mut low, mut high) = (-1.0, 1.0);
    let mut cos = 0.0;
    for step in 0..STEPS {
        let excess = cdf(cos) - u;
        if excess.abs() < 1e-9 {
            break;
        }
        if excess > 0.0 {
            high = cos;
        } else {
            low = cos;
        }
        let newton = cos - excess / density(cos);
        let is_inside = newton > low && newton < high;
        cos = if is_inside && step % 2 == 0 { newton } else { 0.5 * (low + high) };
    }
    cos
}

/// Antiderivative of (1 + α c²) (1 + g² − 2 g c)^(−3/2).
fn integral(g: f64, alpha: f64, cos: f64) -> f64 {
    if g.abs() < f64::from(MIN_G) {
        return cos + alpha * cos * cos * cos / 3.0;
    }
    let k = 1.0 + g * g;
    let s = (k - 2.0 * g * cos).max(0.0).sqrt();
    // With s = √(1 + g² − 2 g c), so that c = (k − s²) / 2g.
    let even = (k * k / s + 2.0 * k * s - s * s * s / 3.0) / (4.0 * g * g);
    (1.0 / s + alpha * even) / g
}

fn total(g: f64, alpha: f64) -> f64 {
    integral(g, alpha, 1.0) - integral(g, alpha, -1.0)
}
