//! Photon emission: selects a light by power, then guides photons towards where a pilot run stored useful ones.
//!
//! A photon is chosen by its light, a point of a unit square for its origin and a point of another one for its
//! direction. Both squares are divided into cells. A pilot run counts the stored photons of each cell; cells with more
//! are chosen more often, and their photons carry less power. So photons find the window of a room, or the only glass
//! on a table.
// Projection maps (Jensen 2001, section 9.3), over primary sample space instead of directions.

use glam::Vec2;

use crate::light::{Emission, Light, Target, powers};
use crate::material::ShadingContext;
use crate::scene::Scene;
use renderer_base::math::ONE_MINUS_EPSILON;
use renderer_base::sampler::Sampler;
use renderer_base::sampling::AliasTable;

/// Emission of photons from all lights of a scene.
#[derive(Debug)]
pub(super) struct Emitter {
    /// Power by light; empty when nothing shines.
    powers: Vec<f32>,
    target: Target,
    /// Luminance of all lights' power, the unit in which photons are kept [W].
    pub(super) unit: f32,
    /// Cells along a side of a light's finer and coarser square.
    fine: usize,
    coarse: usize,
}

/// Distribution over the cells.
#[derive(Debug)]
pub(super) struct Choice {
    table: AliasTable,
}

impl Choice {
    /// Probability of a cell.
    pub(super) fn probability(&self, cell: usize) -> f32 {
        self.table.probability(cell)
    }
}

/// An emitted photon with the power it has when chosen by light power alone, its light and its cell.
pub(super) struct Departure {
    pub(super) light: usize,
    pub(super) cell: usize,
    /// How many photons chosen by power alone it stands for.
    pub(super) weight: f32,
    pub(super) emission: Emission,
}

/// Defensive share: photons that are chosen by power alone, unguided.
const BY_POWER: f32 = 0.3;

impl Emitter {
    pub(super) fn new(scene: &Scene) -> Emitter {
        let bounds = scene.bounds();
        // A little more, so that what lies on the border is reached too.
        let radius = bounds.radius() * 1.001;
        let powers = powers(scene.lights(), radius);
        let unit = powers.iter().copied().map(f64::from).sum::<f64>() as f32;
        let shines = unit > 0.0 && unit.is_finite() && !bounds.is_empty();
        // The tables must stay small.
        let (fine, coarse) = match powers.len() {
            0..=16 => (12, 4),
            17..=256 => (6, 2),
            _ => (1, 1),
        };
        Emitter {
            powers: if shines { powers } else { vec![] },
            target: Target {
                center: bounds.center(),
                radius,
            },
            unit,
            fine,
            coarse,
        }
    }

    /// Whether there is anything to shoot.
    pub(super) fn shines(&self) -> bool {
        !self.powers.is_empty()
    }

    fn cells_of_light(&self) -> usize {
        (self.fine * self.coarse).pow(2)
    }

    /// How many cells there are.
    pub(super) fn cells(&self) -> usize {
        self.powers.len() * self.cells_of_light()
    }

    /// Probability of a cell by power alone.
    pub(super) fn by_power(&self, cell: usize) -> f32 {
        self.powers[cell / self.cells_of_light()] / (self.unit * self.cells_of_light() as f32)
    }

    /// The distribution by power alone where `useful` is all zero, else its mixture with one in proportion to `useful`.
    pub(super) fn choice(&self, useful: &[f32]) -> Choice {
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
        Choice {
            table: AliasTable::new(&probabilities),
        }
    }

    /// Averages over neighbouring cells of the finer square, since a cell without photons may be useful all the same.
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

    /// A photon. Takes six numbers of `sampler`.
    pub(super) fn shoot(
        &self,
        choice: &Choice,
        lights: &[Light],
        sampler: &mut Sampler,
        context: &mut ShadingContext,
    ) -> Option<Departure> {
        let (u_cell, u_fine, u_coarse, u_primitive) = (
            sampler.next_choice(),
            sampler.next_2d(),
            sampler.next_2d(),
            sampler.next_choice(),
        );
        let chosen = choice.table.sample(u_cell);
        let cell = chosen.index;
        let light = cell / self.cells_of_light();
        let (coarse, fine) = (
            cell % self.cells_of_light() / self.fine.pow(2),
            cell % self.fine.pow(2),
        );
        let u_fine = within(fine, self.fine, u_fine);
        let u_coarse = within(coarse, self.coarse, u_coarse);
        // From far away it matters most where a photon enters the scene, from nearby where it goes.
        let (u_position, u_direction) = if lights[light].is_infinite() {
            (u_fine, u_coarse)
        } else {
            (u_coarse, u_fine)
        };
        let mut emission = lights[light].emit(self.target, u_primitive, u_position, u_direction, context)?;
        let weight = self.by_power(cell) / chosen.probability;
        // The light's own share of all power is what it is chosen with by power alone.
        emission.power *= self.unit / self.powers[light];
        Some(Departure {
            light,
            cell,
            weight,
            emission,
        })
    }
}

/// The point `u` of a cell of the unit square.
fn within(cell: usize, side: usize, u: Vec2) -> Vec2 {
    let corner = Vec2::new((cell % side) as f32, (cell / side) as f32);
    ((corner + u) / side as f32).min(Vec2::splat(ONE_MINUS_EPSILON))
}
