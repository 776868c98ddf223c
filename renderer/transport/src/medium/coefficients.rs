//! Coefficients of a medium at a point: absorption, scattering, emission, and phase functions.

use std::hash::{Hash, Hasher};

use arrayvec::ArrayVec;
use glam::{Vec2, Vec3};

use super::phase::Phase;
use renderer_base::color::Rgb;
use renderer_base::math::{ONE_MINUS_EPSILON, bounded};

/// Maximum number of different phase functions; further ones count as the last one.
const MAX_PHASES: usize = 4;

/// A medium at a point.
#[derive(Clone, Debug, Default)]
pub struct Coefficients {
    /// Absorption coefficient [1/m].
    pub absorption: Rgb,
    /// Radiance emitted per length [W/sr/m³].
    pub emission: Rgb,
    /// Scattering coefficients [1/m] with their phase functions.
    phases: ArrayVec<(Rgb, Phase), MAX_PHASES>,
    /// Sum of the scattering coefficients [1/m].
    scattering: Rgb,
    /// True if a coefficient was negative or NaN.
    is_faulty: bool,
}

impl Hash for Coefficients {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.absorption.to_bits(), self.emission.to_bits()).hash(hasher);
        for (coefficient, phase) in &self.phases {
            coefficient.to_bits().hash(hasher);
            phase.hash(hasher);
        }
    }
}

/// Maximum coefficient [1/m]: no light passes a tenth of a nanometre.
const MAX_COEFFICIENT: f32 = 1e12;

/// Magnitude of negative coefficients that are rounding errors.
const ROUNDING: f32 = 1e-6;

impl Coefficients {
    /// The coefficient, with negative values and NaN replaced by zero.
    fn valid(&mut self, coefficient: Rgb) -> Rgb {
        self.is_faulty |= coefficient.to_array().iter().any(|&v| v < -ROUNDING || v.is_nan());
        coefficient.map(|v| bounded(v, 0.0, MAX_COEFFICIENT))
    }

    /// Returns whether a coefficient was negative or NaN.
    pub fn is_faulty(&self) -> bool {
        self.is_faulty
    }

    /// Adds absorption [1/m].
    pub fn absorb(&mut self, coefficient: Rgb) {
        let coefficient = self.valid(coefficient);
        self.absorption += coefficient;
    }

    /// Adds emission [W/sr/m³].
    pub fn emit(&mut self, radiance: Rgb) {
        let radiance = self.valid(radiance);
        self.emission += radiance;
    }

    /// Adds scattering [1/m] with a phase function.
    pub fn scatter(&mut self, coefficient: Rgb, phase: Phase) {
        let coefficient = self.valid(coefficient);
        if coefficient.is_black() {
            return;
        }
        self.scattering += coefficient;
        match self.phases.iter_mut().find(|(_, of)| *of == phase) {
            Some((sum, _)) => *sum += coefficient,
            None => {
                if let Err(full) = self.phases.try_push((coefficient, phase))
                    && let Some((sum, _)) = self.phases.last_mut()
                {
                    *sum += full.element().0;
                }
            }
        }
    }

    /// Adds the coefficients of another medium at the same point.
    pub fn add(&mut self, other: &Coefficients) {
        self.absorption += other.absorption;
        self.emission += other.emission;
        self.is_faulty |= other.is_faulty;
        for &(coefficient, phase) in &other.phases {
            self.scatter(coefficient, phase);
        }
    }

    /// The medium, with coefficients scaled down where its extinction exceeds `limit` [1/m].
    #[must_use]
    pub fn limited(mut self, limit: f32) -> Coefficients {
        let most = self.extinction().max_component();
        if most > limit {
            let factor = limit / most;
            self.absorption *= factor;
            self.scattering *= factor;
            self.phases.iter_mut().for_each(|(coefficient, _)| *coefficient *= factor);
        }
        self
    }

    /// Scattering coefficient [1/m].
    #[inline]
    pub fn scattering(&self) -> Rgb {
        self.scattering
    }

    /// Extinction: absorption and scattering [1/m].
    #[inline]
    pub fn extinction(&self) -> Rgb {
        self.absorption + self.scattering
    }

    /// Returns whether the medium neither absorbs, scatters nor emits.
    pub fn is_clear(&self) -> bool {
        self.extinction().is_black() && self.emission.is_black()
    }

    /// Phase function by colour for light along `along` and the direction `wi` [1/sr], and the density with which
    /// [`Coefficients::sample_phase`] samples `wi`.
    #[inline]
    pub fn phase(&self, along: Vec3, wi: Vec3) -> (Rgb, f32) {
        let cos = along.dot(wi);
        match self.phases.as_slice() {
            [(_, only)] => {
                let density = only.density(cos);
                (Rgb::splat(density), density)
            }
            several => {
                let (mut sum, mut pdf) = (Rgb::BLACK, 0.0);
                for (coefficient, phase) in several {
                    let density = phase.density(cos);
                    sum += *coefficient * density;
                    pdf += self.probability(*coefficient) * density;
                }
                (sum.ratio(self.scattering), pdf)
            }
        }
    }

    /// Samples a direction of scattering; `u_lobe` selects a phase function. `None` if the medium does not scatter.
    #[inline]
    pub fn sample_phase(&self, along: Vec3, mut u_lobe: f32, u: Vec2) -> Option<Vec3> {
        let (last, before) = self.phases.split_last()?;
        for (coefficient, phase) in before {
            let probability = self.probability(*coefficient);
            if u_lobe < probability {
                return Some(phase.sample(along, u));
            }
            u_lobe = (u_lobe - probability).min(ONE_MINUS_EPSILON);
        }
        Some(last.1.sample(along, u))
    }

    /// Probability of selecting the phase function with this coefficient.
    fn probability(&self, coefficient: Rgb) -> f32 {
        coefficient.average() / self.scattering.average()
    }
}
