//! Light selection: a light tree for local lights, a weighted list for infinite lights, mixed with selection by power.
//!
//! - Lights with bounds are selected by a light tree. The few others, infinite or with parallel rays, are weighted
//!   individually; their sum is weighted against the tree.
//! - Occlusion is unknown. Each of the two groups has a minimum probability where both may contribute, so that the sun
//!   above a roof does not attract all samples from the lights below, and a small fraction of samples is selected by
//!   power alone.
//! - The power of an infinite light into the whole scene grows with the scene; that of a local light does not.
//!   Therefore selection by power, too, gives each group at least a quarter.
//! - The power of a shape is an estimate. A light with an estimate of zero still has a small probability.

use glam::Vec3;

use super::bounds::LightBounds;
use super::light_sample_context::LightSampleContext;
use super::segment::{FewLights, SegmentLight};
use super::tree::{LightTree, Weights};
use super::{Light, LightId};
use renderer_base::math::Ray;
use renderer_base::sampling::AliasTable;

/// Light sampler.
#[derive(Clone, Debug)]
pub struct LightSelector {
    members: Members,
    /// Alias table of the members by power; `None` without lights.
    by_power: Option<AliasTable>,
    /// Emitters (parts of lights); those of one light are consecutive.
    emitters: Vec<(LightId, u32)>,
    /// First emitter of each member.
    first: Vec<u32>,
    /// Light tree over the emitters; those without bounds have intensity zero in it.
    tree: LightTree,
    /// The emitters in the tree, if they are few.
    few: FewLights,
    /// Lights outside the tree.
    outside_tree: Vec<LightId>,
}

/// Lights of a selector.
#[derive(Clone, Debug, Default)]
pub enum Members {
    /// Every light of the scene.
    #[default]
    All,
    /// Some of them, sorted.
    Some(Box<[LightId]>),
}

impl Members {
    /// The members, of `count` lights.
    fn ids(&self, count: usize) -> Vec<LightId> {
        match self {
            Members::All => (0..count as u32).map(LightId).collect(),
            Members::Some(ids) => ids.to_vec(),
        }
    }

    /// Index of a member.
    #[inline]
    fn index_of(&self, light: LightId) -> usize {
        match self {
            Members::All => light.0 as usize,
            Members::Some(ids) => ids.partition_point(|id| id.0 < light.0),
        }
    }

    /// Member at an index.
    #[inline]
    fn at(&self, index: usize) -> LightId {
        match self {
            Members::All => LightId(index as u32),
            Members::Some(ids) => ids[index],
        }
    }
}

/// Selected light.
#[derive(Clone, Copy, Debug)]
pub struct ChosenLight {
    /// Light.
    pub light: LightId,
    /// Part of the light.
    pub part: u32,
    /// Probability of selecting both.
    pub probability: f32,
    /// Rescaled random number for reuse, in `[0,1)` and independent of the selection.
    pub u: f64,
}

/// Minimum probability of infinite lights in selection by power if there are others, and vice versa.
const MIN_POWER_SHARE: f32 = 0.25;

/// Minimum probability of lights outside the tree if the tree may contribute as well, and vice versa.
const MIN_SHARE: f32 = 0.1;

/// Probability of selection by power alone.
const BY_POWER: f32 = 0.03;

/// Total probability of all lights whose power estimate is zero.
const ZERO_POWER_SHARE: f32 = 0.01;

/// Luminance of the power of each light of a scene of radius `scene_radius` [W]. A light whose estimate is zero gets a
/// small fraction of the total of the others, so that every light can be selected.
pub fn powers(lights: &[Light], scene_radius: f32) -> Vec<f32> {
    let mut powers: Vec<f32> = lights.iter().map(|light| usable(light.power(scene_radius))).collect();
    replace_zero_powers(&lights.iter().collect::<Vec<_>>(), &mut powers);
    powers
}

fn usable(power: f32) -> f32 {
    if power.is_finite() { power.max(0.0) } else { 0.0 }
}

fn replace_zero_powers(lights: &[&Light], powers: &mut [f32]) {
    let is_zero = |(light, power): (&Light, f32)| power == 0.0 && matches!(light, Light::Area(_));
    let pairs = lights.iter().copied().zip(powers.iter().copied());
    let zeros = pairs.filter(|&pair| is_zero(pair)).count();
    let known: f64 = powers.iter().copied().map(f64::from).sum();
    let share = if known > 0.0 {
        f64::from(ZERO_POWER_SHARE) * known / zeros.max(1) as f64
    } else {
        1.0
    };
    for (light, power) in lights.iter().copied().zip(powers) {
        if is_zero((light, *power)) {
            *power = share as f32;
        }
    }
}

/// Estimated contributions of both groups of lights to a point.
struct LightShares {
    /// Sum over the lights outside the tree.
    outside_tree: f32,
    /// Probability of selecting one of them instead of the tree.
    share: f32,
    /// Weights at the root of the tree.
    root: Weights,
}

impl LightSelector {
    /// Creates a light sampler for the lights of a scene of radius `scene_radius`; if all powers are zero, all lights
    /// count as equal.
    pub fn new(lights: &[Light], scene_radius: f32) -> LightSelector {
        LightSelector::of(lights, Members::All, scene_radius)
    }

    /// As [`LightSelector::new`], for some of the lights.
    pub fn of(lights: &[Light], members: Members, scene_radius: f32) -> LightSelector {
        let ids = members.ids(lights.len());
        let own: Vec<&Light> = ids.iter().map(|id| &lights[id.0 as usize]).collect();
        let powers = balanced_powers(&own, scene_radius);
        let pairs = || ids.iter().copied().zip(own.iter().copied());
        let parts = |(id, light): (LightId, &Light)| (0..light.parts()).map(move |part| (id, part));
        let emitters: Vec<(LightId, u32)> = pairs().flat_map(parts).collect();
        let no_bounds = LightBounds::around(Vec3::ZERO, 0.0, 0.0);
        let bounds: Vec<LightBounds> = emitters
            .iter()
            .map(|&(id, part)| lights[id.0 as usize].bounds(part).unwrap_or(no_bounds))
            .collect();
        let before = own.iter().scan(0, |next, light| {
            let first = *next;
            *next += light.parts();
            Some(first)
        });
        LightSelector {
            by_power: (!powers.is_empty()).then(|| AliasTable::new(&powers)),
            first: before.collect(),
            emitters,
            few: FewLights::new(bounds.iter().filter(|bounds| bounds.intensity > 0.0)),
            tree: LightTree::new(&bounds),
            outside_tree: pairs()
                .filter(|(_, light)| light.bounds(0).is_none())
                .map(|(id, _)| id)
                .collect(),
            members,
        }
    }

    /// Returns whether there are several lights, or parts of one, to select from.
    #[inline]
    pub fn has_choice(&self) -> bool {
        self.emitters.len() > 1
    }

    /// Selects a part of a light for a reference point by `u` in `[0,1)`; `None` if there is none. `lights` must be
    /// those passed to [`LightSelector::new`].
    #[inline]
    pub fn select(&self, lights: &[Light], at: &LightSampleContext, u: f64) -> Option<ChosenLight> {
        let by_power = self.by_power.as_ref()?;
        if self.emitters.len() == 1 {
            return Some(ChosenLight { light: self.members.at(0), part: 0, probability: 1.0, u });
        }
        let Some(shares) = self.estimate_shares(lights, at) else {
            return Some(self.chosen_by_power(by_power, lights, u));
        };
        let power = f64::from(BY_POWER);
        if u < power {
            let chosen = self.chosen_by_power(by_power, lights, u / power);
            let by_importance = self.importance_probability(lights, at, &shares, chosen.light, chosen.part);
            let probability = BY_POWER * chosen.probability + (1.0 - BY_POWER) * by_importance;
            return Some(ChosenLight { probability, ..chosen });
        }
        let chosen = self.select_by_importance(lights, at, &shares, (u - power) / (1.0 - power))?;
        let by_power = self.probability_by_power(by_power, lights, chosen.light, chosen.part);
        Some(ChosenLight {
            probability: BY_POWER * by_power + (1.0 - BY_POWER) * chosen.probability,
            ..chosen
        })
    }

    /// Returns whether any light can be selected by [`LightSelector::select_for_segment`].
    pub fn has_lights_in_media(&self) -> bool {
        !self.tree.is_empty()
    }

    /// Selects a light with a position for the first `length` metres of a ray by two random numbers; `None` if no light
    /// seems to reach it.
    pub fn select_for_segment(
        &self,
        lights: &[Light],
        ray: &Ray,
        length: f32,
        [u, u_point]: [f32; 2],
    ) -> Option<SegmentLight> {
        if !self.few.is_empty() {
            return self.few.select(ray, length, u);
        }
        // By the importance at a random point.
        let from = if length.is_finite() { u_point * length } else { 0.0 };
        let at = LightSampleContext::in_space(ray.at(from));
        let chosen = self.tree.select(&at, &self.tree.root(&at), f64::from(u))?;
        let (light, part) = self.emitters[chosen.emitter as usize];
        SegmentLight::new(&lights[light.0 as usize].bounds(part)?, ray, length)
    }

    /// Probability that `select` selects a part of a light for a reference point. The light must be a member.
    ///
    /// # Panics
    /// If there is no such light.
    #[inline]
    pub fn probability(&self, lights: &[Light], at: &LightSampleContext, light: LightId, part: u32) -> f32 {
        let Some(by_power) = &self.by_power else {
            return 0.0;
        };
        if self.emitters.len() == 1 {
            return 1.0;
        }
        let power = self.probability_by_power(by_power, lights, light, part);
        match self.estimate_shares(lights, at) {
            None => power,
            Some(shares) => {
                BY_POWER * power
                    + (1.0 - BY_POWER) * self.importance_probability(lights, at, &shares, light, part)
            }
        }
    }

    /// Estimates both groups' contributions; `None` if no light seems to reach the point.
    fn estimate_shares(&self, lights: &[Light], at: &LightSampleContext) -> Option<LightShares> {
        let outside_tree: f32 = self.outside_tree.iter().map(|id| lights[id.0 as usize].irradiance(at)).sum();
        let root = self.tree.root(at);
        let near = root.total;
        let total = outside_tree + near;
        let share = match (outside_tree > 0.0, near > 0.0) {
            (true, true) => (outside_tree / total).clamp(MIN_SHARE, 1.0 - MIN_SHARE),
            (true, false) => 1.0,
            (false, _) => 0.0,
        };
        (total > 0.0 && total.is_finite()).then_some(LightShares { outside_tree, share, root })
    }

    /// Selects a part of a light by its estimated contribution to a point.
    fn select_by_importance(
        &self,
        lights: &[Light],
        at: &LightSampleContext,
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
        let mut target = u / share * f64::from(shares.outside_tree);
        let mut last = None;
        for &light in &self.outside_tree {
            let weight = lights[light.0 as usize].irradiance(at);
            if weight > 0.0 {
                last = Some(ChosenLight {
                    light,
                    part: 0,
                    probability: shares.share * (weight / shares.outside_tree),
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

    /// Probability that `select_by_importance` selects a part of a light.
    fn importance_probability(
        &self,
        lights: &[Light],
        at: &LightSampleContext,
        shares: &LightShares,
        light: LightId,
        part: u32,
    ) -> f32 {
        if !self.outside_tree.contains(&light) {
            let emitter = self.first[self.members.index_of(light)] + part;
            (1.0 - shares.share) * self.tree.probability(at, &shares.root, emitter)
        } else if shares.share > 0.0 {
            shares.share * (lights[light.0 as usize].irradiance(at) / shares.outside_tree)
        } else {
            0.0
        }
    }

    fn chosen_by_power(&self, table: &AliasTable, lights: &[Light], u: f64) -> ChosenLight {
        let choice = table.sample(u);
        let light = self.members.at(choice.index);
        let (part, part_probability, u) = match lights[light.0 as usize].area() {
            Some(light) => {
                let (part, u) = light.part_by_power(choice.u);
                (part, light.part_probability(part), u)
            }
            None => (0, 1.0, choice.u),
        };
        ChosenLight {
            light,
            part,
            probability: choice.probability * part_probability,
            u,
        }
    }

    fn probability_by_power(&self, table: &AliasTable, lights: &[Light], light: LightId, part: u32) -> f32 {
        let area = lights[light.0 as usize].area();
        let of_part = area.map_or(1.0, |light| light.part_probability(part));
        table.probability(self.members.index_of(light)) * of_part
    }
}

/// Power of each light for light selection, balanced between infinite lights and others.
fn balanced_powers(lights: &[&Light], scene_radius: f32) -> Vec<f32> {
    let sampled = |light: &Light| match light {
        Light::Environment(light) => light.sampled_power(scene_radius),
        _ => light.power(scene_radius),
    };
    let mut powers: Vec<f32> = lights.iter().copied().map(|light| usable(sampled(light))).collect();
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
        let far_share = (far / (near + far)).clamp(MIN_POWER_SHARE, 1.0 - MIN_POWER_SHARE);
        for (light, power) in lights.iter().zip(&mut powers) {
            *power *= if light.is_infinite() {
                far_share / far
            } else {
                (1.0 - far_share) / near
            };
        }
    }
    replace_zero_powers(lights, &mut powers);
    powers
}
