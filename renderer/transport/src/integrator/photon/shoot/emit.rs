//! Photon emission: selects a light by power; pilot runs then guide photons to where they are useful.
//!
//! An emitted photon is a point of primary sample space: the light, a point of the unit square for the origin and one
//! for the direction. Both squares are divided into cells. Pilot runs count the stored photons of each cell; cells with
//! more of them are selected with higher probability, and their photons carry less power. Photons thus find the window
//! of a room, or the only glass on a table.
// Projection maps (Jensen 2001, section 9.3), over primary sample space instead of directions.

use glam::Vec2;

use crate::integrator::photon::time_slice::TimeSlice;
use crate::light::{Emission, EmissionBounds, Light, PrimarySample, powers};
use crate::material::ShadingContext;
use crate::scene::Scene;
use renderer_base::math::ONE_MINUS_EPSILON;
use renderer_base::sampler::Sampler;
use renderer_base::sampling::AliasTable;
use renderer_geometry::SHUTTER_OPEN;

/// Photon emission from all lights of a scene.
#[derive(Debug)]
pub(crate) struct Emitter {
    /// Power by light [W]; empty if no light emits.
    powers: Vec<f32>,
    target: EmissionBounds,
    /// Luminance of the total power of all lights: the unit of photon power [W].
    pub(crate) unit: f32,
    /// Part of the shutter interval in which photons are emitted; `None` if nothing moves.
    slice: Option<TimeSlice>,
    /// Number of cells along a side of the finer and of the coarser square of a light.
    fine: usize,
    coarse: usize,
}

/// Emitted photon with its light and cell; its power is that of selection by light power alone.
pub(crate) struct EmittedPhoton {
    pub(crate) light: usize,
    pub(crate) cell: usize,
    /// Ratio of the probability by power alone to the actual probability of the cell.
    pub(crate) weight: f32,
    pub(crate) emission: Emission,
}

/// Defensive mixture: probability of selecting a cell by power alone.
const BY_POWER: f32 = 0.3;

impl Emitter {
    pub(crate) fn new(scene: &Scene, slice: Option<TimeSlice>) -> Emitter {
        let bounds = scene.bounds();
        // Slightly enlarged, so that rays reach geometry on the border.
        let radius = bounds.radius() * 1.001;
        let powers = powers(scene.lights(), radius);
        let unit = powers.iter().copied().map(f64::from).sum::<f64>() as f32;
        let emits = unit > 0.0 && unit.is_finite() && !bounds.is_empty();
        // Limits the size of the tables.
        let (fine, coarse) = match powers.len() {
            0..=16 => (12, 4),
            17..=256 => (6, 2),
            _ => (1, 1),
        };
        Emitter {
            powers: if emits { powers } else { vec![] },
            target: EmissionBounds { center: bounds.center(), radius },
            unit,
            slice,
            fine,
            coarse,
        }
    }

    /// Returns whether any light emits.
    pub(crate) fn emits(&self) -> bool {
        !self.powers.is_empty()
    }

    fn cells_of_light(&self) -> usize {
        (self.fine * self.coarse).pow(2)
    }

    /// Number of cells.
    pub(crate) fn cells(&self) -> usize {
        self.powers.len() * self.cells_of_light()
    }

    /// Probability of a cell under selection by power alone.
    pub(crate) fn by_power(&self, cell: usize) -> f32 {
        self.powers[cell / self.cells_of_light()] / (self.unit * self.cells_of_light() as f32)
    }

    /// Returns the distribution of cells by power alone if `useful` is all zero, else its mixture with a distribution
    /// proportional to `useful`.
    pub(crate) fn choice(&self, useful: &[f32]) -> AliasTable {
        let blurred = self.blurred(useful);
        let total: f32 = blurred.iter().sum();
        let by_power = if total > 0.0 { BY_POWER } else { 1.0 };
        let probabilities: Vec<f32> = blurred
            .iter()
            .enumerate()
            .map(|(cell, useful)| {
                by_power * self.by_power(cell) + (1.0 - by_power) * useful / total.max(f32::MIN_POSITIVE)
            })
            .collect();
        AliasTable::new(&probabilities)
    }

    /// Blurs over neighbouring cells of the finer square, since a cell without pilot photons may still be useful.
    fn blurred(&self, useful: &[f32]) -> Vec<f32> {
        let side = self.fine as isize;
        let mut result = Vec::with_capacity(useful.len());
        for square in useful.chunks_exact(self.fine * self.fine) {
            for y in 0..side {
                for x in 0..side {
                    let mut sum = 0.0;
                    for (dy, wy) in [(-1, 0.25), (0, 0.5), (1, 0.25)] {
                        for (dx, wx) in [(-1, 0.25), (0, 0.5), (1, 0.25)] {
                            let at = (y + dy).clamp(0, side - 1) * side + (x + dx).clamp(0, side - 1);
                            sum += wx * wy * square[at as usize];
                        }
                    }
                    result.push(sum);
                }
            }
        }
        result
    }

    /// Emits a photon. Consumes six numbers of `sampler`, and one for the time
    /// if the scene moves.
    pub(crate) fn shoot(
        &self,
        choice: &AliasTable,
        lights: &[Light],
        sampler: &mut Sampler,
        context: &mut ShadingContext,
    ) -> Option<EmittedPhoton> {
        let (u_cell, u_fine, u_coarse, u_primitive) = (
            sampler.next_choice(),
            sampler.next_2d(),
            sampler.next_2d(),
            sampler.next_choice(),
        );
        let chosen = choice.sample(u_cell);
        let cell = chosen.index;
        let light = cell / self.cells_of_light();
        let (coarse, fine) = (cell % self.cells_of_light() / self.fine.pow(2), cell % self.fine.pow(2));
        let u_fine = within(fine, self.fine, u_fine);
        let u_coarse = within(coarse, self.coarse, u_coarse);
        // The finer square is for the entry point into the scene if the light is infinite, else for the direction:
        // these matter most.
        let (u_position, u_direction) = if lights[light].is_infinite() {
            (u_fine, u_coarse)
        } else {
            (u_coarse, u_fine)
        };
        let sample = PrimarySample {
            primitive: u_primitive,
            position: u_position,
            direction: u_direction,
            time: self.slice.map_or(SHUTTER_OPEN, |slice| slice.at(sampler.next_1d())),
        };
        let mut emission = lights[light].emit(self.target, &sample, context)?;
        let weight = self.by_power(cell) / chosen.probability;
        // Under selection by power alone, the probability of the light is its share of the total power.
        emission.power *= self.unit / self.powers[light];
        Some(EmittedPhoton { light, cell, weight, emission })
    }
}

/// Maps `u` of the unit square to a cell of a grid with `side` cells per axis.
fn within(cell: usize, side: usize, u: Vec2) -> Vec2 {
    let corner = Vec2::new((cell % side) as f32, (cell / side) as f32);
    ((corner + u) / side as f32).min(Vec2::splat(ONE_MINUS_EPSILON))
}
