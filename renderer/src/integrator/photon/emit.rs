//! Photons leaving lights, each light as often as its power makes it.

use crate::light::{Emission, Light, Target};
use crate::material::ShadingContext;
use crate::sampler::Sampler;
use crate::sampling::AliasTable;
use crate::scene::Scene;

/// The lights of a scene as sources of photons.
#[derive(Debug)]
pub(super) struct Emitter {
    /// `None` when nothing shines.
    table: Option<AliasTable>,
    target: Target,
    /// Luminance of all lights' power, the unit in which photons are kept [W].
    pub(super) unit: f32,
}

impl Emitter {
    pub(super) fn new(scene: &Scene) -> Emitter {
        let bounds = scene.bounds();
        // A little more, so that what lies on the border is reached too.
        let radius = bounds.radius() * 1.001;
        let powers: Vec<f32> = scene.lights().iter().map(|light| light.power(radius)).collect();
        let unit = powers.iter().copied().map(f64::from).sum::<f64>() as f32;
        let shines = unit > 0.0 && unit.is_finite() && !bounds.is_empty();
        Emitter {
            table: shines.then(|| AliasTable::new(&powers)),
            target: Target {
                center: bounds.center(),
                radius,
            },
            unit,
        }
    }

    /// Whether there is anything to shoot.
    pub(super) fn shines(&self) -> bool {
        self.table.is_some()
    }

    /// A photon, with the index of its light. Takes six numbers of `sampler`.
    pub(super) fn shoot(
        &self,
        lights: &[Light],
        sampler: &mut Sampler,
        context: &mut ShadingContext,
    ) -> Option<(usize, Emission)> {
        let (u_light, u_position, u_direction, u_primitive) = (
            sampler.next_1d(),
            sampler.next_2d(),
            sampler.next_2d(),
            sampler.next_1d(),
        );
        let choice = self.table.as_ref()?.sample(u_light);
        let mut emission =
            lights[choice.index].emit(self.target, u_primitive, u_position, u_direction, context)?;
        emission.power *= 1.0 / choice.probability;
        Some((choice.index, emission))
    }
}
