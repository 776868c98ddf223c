//! Which light to sample: a choice in proportion to power.
//!
//! The power of a light at infinity is what it sends into the whole scene, and grows with the scene; that of a lamp does
//! not. Since a large ground must not put out the lamps on it, neither kind gets less than a quarter of the samples.
//!
//! The power of a shape is an estimate. Where it found none, the light still gets a small share: it may shine where nothing
//! was looked at.

use super::{Light, LightId};
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
    pub u: f64,
}

/// The least share of the samples that lights at infinity get where there are others, and the reverse.
const LEAST_SHARE: f32 = 0.25;

/// The share of all lights together whose power was not found.
const UNSEEN_SHARE: f32 = 0.01;

/// The power of each light of a scene of radius `scene_radius`, as luminance [W], and where that is not known a small share
/// of what all others have: no light that may shine is without.
pub fn powers(lights: &[Light], scene_radius: f32) -> Vec<f32> {
    let mut powers = known_powers(lights, scene_radius);
    share_with_unseen(lights, &mut powers);
    powers
}

fn known_powers(lights: &[Light], scene_radius: f32) -> Vec<f32> {
    let known = |light: &Light| {
        let power = light.power(scene_radius);
        if power.is_finite() { power.max(0.0) } else { 0.0 }
    };
    lights.iter().map(known).collect()
}

fn share_with_unseen(lights: &[Light], powers: &mut [f32]) {
    let is_unseen = |(light, power): (&Light, f32)| power == 0.0 && matches!(light, Light::Area(_));
    let unseen = lights
        .iter()
        .zip(powers.iter().copied())
        .filter(|&pair| is_unseen(pair))
        .count();
    let known: f64 = powers.iter().copied().map(f64::from).sum();
    let share = if known > 0.0 {
        f64::from(UNSEEN_SHARE) * known / unseen.max(1) as f64
    } else {
        1.0
    };
    for (light, power) in lights.iter().zip(powers) {
        if is_unseen((light, *power)) {
            *power = share as f32;
        }
    }
}

impl LightSelector {
    /// A table over the lights of a scene of that radius; no power at all counts as all equal.
    pub fn new(lights: &[Light], scene_radius: f32) -> LightSelector {
        let mut powers = known_powers(lights, scene_radius);
        let sum_of = |infinite: bool| -> f32 {
            lights
                .iter()
                .zip(&powers)
                .filter(|(light, _)| light.is_infinite() == infinite)
                .map(|(_, power)| power)
                .sum()
        };
        let (near, far) = (sum_of(false), sum_of(true));
        if near > 0.0 && far > 0.0 {
            let far_share = (far / (near + far)).clamp(LEAST_SHARE, 1.0 - LEAST_SHARE);
            for (light, power) in lights.iter().zip(&mut powers) {
                *power *= if light.is_infinite() {
                    far_share / far
                } else {
                    (1.0 - far_share) / near
                };
            }
        }
        share_with_unseen(lights, &mut powers);
        LightSelector {
            table: (!powers.is_empty()).then(|| AliasTable::new(&powers)),
        }
    }

    /// The light that `u` in `[0,1)` chooses; `None` when there is none.
    #[inline]
    pub fn select(&self, u: f64) -> Option<ChosenLight> {
        let table = self.table.as_ref()?;
        if table.len() == 1 {
            return Some(ChosenLight {
                light: LightId(0),
                probability: 1.0,
                u,
            });
        }
        let choice = table.sample(u);
        Some(ChosenLight {
            light: LightId(choice.index as u32),
            probability: choice.probability,
            u: choice.u,
        })
    }

    /// Probability with which `select` chooses `light`.
    ///
    /// # Panics
    /// When there is no such light.
    #[inline]
    pub fn probability(&self, light: LightId) -> f32 {
        self.table
            .as_ref()
            .map_or(0.0, |table| table.probability(light.0 as usize))
    }
}
