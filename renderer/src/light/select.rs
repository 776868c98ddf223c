//! Which light to sample: a choice in proportion to power.

use super::LightId;
use crate::sampling::AliasTable;

/// A table that chooses a light with a probability that does not depend on the place.
#[derive(Clone, Debug)]
pub struct LightSelector {
    /// `None` when there are no lights.
    table: Option<AliasTable>,
}

/// What a [`LightSelector`] chooses.
#[derive(Clone, Copy, Debug)]
pub struct ChosenLight {
    /// The light.
    pub light: LightId,
    /// Probability of the choice.
    pub probability: f32,
    /// What is left of the random number, in `[0,1)` and independent of the choice.
    pub u: f32,
}

impl LightSelector {
    /// A table over lights of these powers (their luminance will do); no power at all counts as all equal.
    pub fn new(powers: &[f32]) -> LightSelector {
        LightSelector { table: (!powers.is_empty()).then(|| AliasTable::new(powers)) }
    }

    /// The light that `u` in `[0,1)` chooses; `None` when there is none.
    #[inline]
    pub fn select(&self, u: f32) -> Option<ChosenLight> {
        let choice = self.table.as_ref()?.sample(u);
        Some(ChosenLight { light: LightId(choice.index as u32), probability: choice.probability, u: choice.u })
    }

    /// Probability with which `select` chooses `light`.
    ///
    /// # Panics
    /// When there is no such light.
    #[inline]
    pub fn probability(&self, light: LightId) -> f32 {
        self.table.as_ref().map_or(0.0, |table| table.probability(light.0 as usize))
    }
}
