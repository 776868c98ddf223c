//! Light selection: a light tree for local lights, a weighted list for lights at infinity, mixed with selection by
//! power.
//!
//! - Lights with bounds are selected by a light tree. The few others, at infinity or with parallel rays, are weighted
//!   one by one; their sum is weighted against the tree.
//! - Occlusion is not known. So that the sun above a roof does not take all samples from the lamps below, each of the
//!   two groups gets a least share of the samples where both may contribute, and a small share of samples is selected
//!   by power alone.
//! - The power of a light at infinity is that into the whole scene and grows with it; that of a lamp does not. So in
//!   selection by power, too, each group gets at least a quarter.
//! - The power of a shape is an estimate. A light with an estimate of zero still gets a small share.

use glam::Vec3;

use super::bounds::LightBounds;
use super::lit_point::LitPoint;
use super::tree::{LightTree, Weights};
use super::{Light, LightId};
use renderer_base::sampling::AliasTable;

/// Chooses lights.
#[derive(Clone, Debug)]
pub struct LightSelector {
    /// Alias table by power; `None` without lights.
    by_power: Option<AliasTable>,
    /// Emitters, which are parts of lights; those of one light are consecutive.
    emitters: Vec<(LightId, u32)>,
    /// The first emitter of each light.
    first: Vec<u32>,
    /// Over the emitters; those without bounds have intensity zero there.
    tree: LightTree,
    /// Lights outside the tree.
    apart: Vec<LightId>,
}

/// A selected light.
#[derive(Clone, Copy, Debug)]
pub struct ChosenLight {
    /// The light.
    pub light: LightId,
    /// Which part of it.
    pub part: u32,
    /// Probability of the choice of both.
    pub probability: f32,
    /// The random number rescaled for reuse, in `[0,1)` and independent of the choice.
    pub u: f64,
}

/// Least share in selection by power of lights at infinity where there are others, and the reverse.
const LEAST_SHARE_OF_POWER: f32 = 0.25;

/// Least share of the samples for lights outside the tree where the tree may contribute as well, and the reverse.
const LEAST_SHARE: f32 = 0.1;

/// Share of samples selected by power alone.
const BY_POWER: f32 = 0.03;

/// Share of all lights together whose power estimate is zero.
const UNSEEN_SHARE: f32 = 0.01;

/// Luminance of the power of each light of a scene of radius `scene_radius` [W]. A light whose estimate is zero gets a
/// small share of the total of the others, so that every light can be selected.
pub fn powers(lights: &[Light], scene_radius: f32) -> Vec<f32> {
    let mut powers: Vec<f32> = lights
        .iter()
        .map(|light| usable(light.power(scene_radius)))
        .collect();
    share_with_unseen(lights, &mut powers);
    powers
}

fn usable(power: f32) -> f32 {
    if power.is_finite() { power.max(0.0) } else { 0.0 }
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

/// Estimated contributions of both groups of lights to a point.
struct LightShares {
    /// Sum over the lights outside the tree.
    apart: f32,
    /// Probability of selecting one of them rather than from the tree.
    share: f32,
    /// The tree's.
    root: Weights,
}

impl LightSelector {
    /// A selector for the lights of a scene of that radius; if all powers are zero, all lights count as equal.
    pub fn new(lights: &[Light], scene_radius: f32) -> LightSelector {
        let powers = balanced_powers(lights, scene_radius);
        let ids = || (0..).map(LightId).zip(lights);
        let parts = |(id, light): (LightId, &Light)| (0..light.parts()).map(move |part| (id, part));
        let emitters: Vec<(LightId, u32)> = ids().flat_map(parts).collect();
        let nowhere = LightBounds::around(Vec3::ZERO, 0.0, 0.0);
        let bounds: Vec<LightBounds> = emitters
            .iter()
            .map(|&(id, part)| lights[id.0 as usize].bounds(part).unwrap_or(nowhere))
            .collect();
        let before = lights.iter().scan(0, |next, light| {
            let first = *next;
            *next += light.parts();
            Some(first)
        });
        LightSelector {
            by_power: (!powers.is_empty()).then(|| AliasTable::new(&powers)),
            first: before.collect(),
            emitters,
            tree: LightTree::new(&bounds),
            apart: ids()
                .filter(|(_, light)| light.bounds(0).is_none())
                .map(|(id, _)| id)
                .collect(),
        }
    }

    /// Whether there are several lights, or parts of one, to choose from.
    #[inline]
    pub fn has_choice(&self) -> bool {
        self.emitters.len() > 1
    }

    /// The part of a light that `u` in `[0,1)` chooses for a point; `None` when there is none. `lights` are those that it
    /// was made for.
    #[inline]
    pub fn select(&self, lights: &[Light], at: &LitPoint, u: f64) -> Option<ChosenLight> {
        let by_power = self.by_power.as_ref()?;
        if self.emitters.len() == 1 {
            return Some(ChosenLight {
                light: LightId(0),
                part: 0,
                probability: 1.0,
                u,
            });
        }
        let Some(shares) = self.shares(lights, at) else {
            return Some(chosen_by_power(by_power, lights, u));
        };
        let power = f64::from(BY_POWER);
        if u < power {
            let chosen = chosen_by_power(by_power, lights, u / power);
            let by_importance = self.by_importance(lights, at, &shares, chosen.light, chosen.part);
            let probability = BY_POWER * chosen.probability + (1.0 - BY_POWER) * by_importance;
            return Some(ChosenLight {
                probability,
                ..chosen
            });
        }
        let chosen = self.important(lights, at, &shares, (u - power) / (1.0 - power))?;
        let by_power = probability_by_power(by_power, lights, chosen.light, chosen.part);
        Some(ChosenLight {
            probability: BY_POWER * by_power + (1.0 - BY_POWER) * chosen.probability,
            ..chosen
        })
    }

    /// Probability with which `select` chooses a part of a light for a point.
    ///
    /// # Panics
    /// When there is no such light.
    #[inline]
    pub fn probability(&self, lights: &[Light], at: &LitPoint, light: LightId, part: u32) -> f32 {
        let Some(by_power) = &self.by_power else {
            return 0.0;
        };
        if self.emitters.len() == 1 {
            return 1.0;
        }
        let power = probability_by_power(by_power, lights, light, part);
        match self.shares(lights, at) {
            None => power,
            Some(shares) => {
                BY_POWER * power + (1.0 - BY_POWER) * self.by_importance(lights, at, &shares, light, part)
            }
        }
    }

    /// `None` if no light seems to reach the point.
    fn shares(&self, lights: &[Light], at: &LitPoint) -> Option<LightShares> {
        let apart: f32 = self
            .apart
            .iter()
            .map(|id| lights[id.0 as usize].irradiance(at))
            .sum();
        let root = self.tree.root(at);
        let near = root.total;
        let total = apart + near;
        let share = match (apart > 0.0, near > 0.0) {
            (true, true) => (apart / total).clamp(LEAST_SHARE, 1.0 - LEAST_SHARE),
            (true, false) => 1.0,
            (false, _) => 0.0,
        };
        (total > 0.0 && total.is_finite()).then_some(LightShares { apart, share, root })
    }

    /// Selects a part of a light by its estimated contribution to a point.
    fn important(
        &self,
        lights: &[Light],
        at: &LitPoint,
        shares: &LightShares,
        u: f64,
    ) -> Option<ChosenLight> {
        let share = f64::from(shares.share);
        if u >= share {
            let chosen = self.tree.select(at, &shares.root, (u - share) / (1.0 - share))?;
            let (light, part) = self.emitters[chosen.emitter as usize];
            return Some(ChosenLight {
                light,
                part,
                probability: (1.0 - shares.share) * chosen.probability,
                u: chosen.u,
            });
        }
        let mut target = u / share * f64::from(shares.apart);
        let mut last = None;
        for &light in &self.apart {
            let weight = lights[light.0 as usize].irradiance(at);
            if weight > 0.0 {
                last = Some(ChosenLight {
                    light,
                    part: 0,
                    probability: shares.share * (weight / shares.apart),
                    u: (target / f64::from(weight)).clamp(0.0, 1.0 - f64::EPSILON),
                });
                target -= f64::from(weight);
                if target < 0.0 {
                    break;
                }
            }
        }
        last
    }

    /// Probability with which `important` chooses a part of a light.
    fn by_importance(
        &self,
        lights: &[Light],
        at: &LitPoint,
        shares: &LightShares,
        light: LightId,
        part: u32,
    ) -> f32 {
        if !self.apart.contains(&light) {
            let emitter = self.first[light.0 as usize] + part;
            (1.0 - shares.share) * self.tree.probability(at, &shares.root, emitter)
        } else if shares.share > 0.0 {
            shares.share * (lights[light.0 as usize].irradiance(at) / shares.apart)
        } else {
            0.0
        }
    }
}

fn chosen_by_power(table: &AliasTable, lights: &[Light], u: f64) -> ChosenLight {
    let choice = table.sample(u);
    let (part, part_probability, u) = match lights[choice.index].area() {
        Some(light) => {
            let (part, u) = light.part_by_power(choice.u);
            (part, light.part_probability(part), u)
        }
        None => (0, 1.0, choice.u),
    };
    ChosenLight {
        light: LightId(choice.index as u32),
        part,
        probability: choice.probability * part_probability,
        u,
    }
}

fn probability_by_power(table: &AliasTable, lights: &[Light], light: LightId, part: u32) -> f32 {
    let area = lights[light.0 as usize].area();
    let of_part = area.map_or(1.0, |light| light.part_probability(part));
    table.probability(light.0 as usize) * of_part
}

/// Power of each light for light sampling, balanced between lights at infinity and others.
fn balanced_powers(lights: &[Light], scene_radius: f32) -> Vec<f32> {
    let sampled = |light: &Light| match light {
        Light::Environment(light) => light.sampled_power(scene_radius),
        _ => light.power(scene_radius),
    };
    let mut powers: Vec<f32> = lights.iter().map(|light| usable(sampled(light))).collect();
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
        let far_share = (far / (near + far)).clamp(LEAST_SHARE_OF_POWER, 1.0 - LEAST_SHARE_OF_POWER);
        for (light, power) in lights.iter().zip(&mut powers) {
            *power *= if light.is_infinite() {
                far_share / far
            } else {
                (1.0 - far_share) / near
            };
        }
    }
    share_with_unseen(lights, &mut powers);
    powers
}
