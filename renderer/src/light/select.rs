//! Which light to sample: a choice in proportion to what each may send to the point.
//!
//! - Lights that are somewhere are chosen by a tree over their bounds. The few others, which shine from infinity or along
//!   parallel rays, are weighed one by one, and all of them together against the tree.
//! - What lies between is not known. So that a sun that does not get through the roof leaves something to the lamps below
//!   it, neither kind gets less than a part of the samples where both may shine; and some samples go by power alone.
//! - The power of a light at infinity is what it sends into the whole scene, and grows with the scene; that of a lamp does
//!   not. By power, too, neither kind gets less than a quarter.
//! - The power of a shape is an estimate. Where it found none, the light still gets a small share: it may shine where
//!   nothing was looked at.

use glam::Vec3;

use super::bounds::{LightBounds, LitPoint};
use super::tree::{LightTree, Weights};
use super::{Light, LightId};
use crate::sampling::AliasTable;

/// Chooses lights.
#[derive(Clone, Debug)]
pub struct LightSelector {
    /// By power; `None` when there are no lights.
    by_power: Option<AliasTable>,
    /// The emitters: parts of lights. Those of a light follow each other.
    emitters: Vec<(LightId, u32)>,
    /// The first emitter of each light.
    first: Vec<u32>,
    /// Over the emitters that are somewhere; others are without intensity there.
    tree: LightTree,
    /// The lights that are weighed one by one.
    apart: Vec<LightId>,
}

/// What a [`LightSelector`] chooses.
#[derive(Clone, Copy, Debug)]
pub struct ChosenLight {
    /// The light.
    pub light: LightId,
    /// Which part of it.
    pub part: u32,
    /// Probability of the choice of both.
    pub probability: f32,
    /// What is left of the random number, in `[0,1)` and independent of the choice.
    pub u: f64,
}

/// The least share of the power that lights at infinity get where there are others, and the reverse.
const LEAST_SHARE_OF_POWER: f32 = 0.25;

/// The least share of the samples that lights apart get where others may shine as well, and the reverse.
const LEAST_SHARE: f32 = 0.1;

/// The share of samples that go by power alone.
const BY_POWER: f32 = 0.03;

/// The share of all lights together whose power was not found.
const UNSEEN_SHARE: f32 = 0.01;

/// The power of each light of a scene of radius `scene_radius`, as luminance [W], and where that is not known a small share
/// of what all others have: no light that may shine is without.
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

/// What the lights of either kind may send to a point.
struct Shares {
    /// All lights apart together.
    apart: f32,
    /// Probability of choosing one of them, rather than the tree.
    share: f32,
    /// The tree's.
    root: Weights,
}

impl LightSelector {
    /// A choice among the lights of a scene of that radius; no power at all counts as all equal.
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

    /// Whether there is more than one part of a light to choose from.
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

    /// `None` where nothing seems to shine on the point.
    fn shares(&self, lights: &[Light], at: &LitPoint) -> Option<Shares> {
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
        (total > 0.0 && total.is_finite()).then_some(Shares { apart, share, root })
    }

    /// A part of a light by what it may send to a point.
    fn important(&self, lights: &[Light], at: &LitPoint, shares: &Shares, u: f64) -> Option<ChosenLight> {
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
        shares: &Shares,
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

/// The power of each light that is for light samples, with a fair part for those at infinity and for those that are not.
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
