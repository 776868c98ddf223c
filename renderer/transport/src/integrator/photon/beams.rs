//! Photons in media, which paths look up along their way: light that narrow lobes have focused there, and other light.
//!
//! The first is found by none of a path's own means where its lamp is small; the other comes to most points from a few
//! bright places, and so makes paths noisy. Direct light is looked up by gather rays alone. Media whose mean free path is not much longer than lookups are wide are left
//! to paths, and so are small bodies, and media that are not the same everywhere.
// Jarosz et al. 2008, "The Beam Radiance Estimate for Volumetric Photon Mapping".

use std::ops::RangeInclusive;

use super::Photon;
use super::density::Nearest;
use crate::body::{MediumStack, beer_lambert};
use crate::integrator::along_medium::{AlongMedium, Found, Viewer};
use crate::medium::Coefficients;
use crate::radiance::{Contribution, RadianceSink};
use crate::scene::{MediumWay, Scene};
use glam::Vec3;
use rayon::prelude::*;
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, KdTree, Limits, Located, sqr};

/// Maximum radius of lookups, relative to the scene's radius: of light that is focused, and of other light.
const FOCUSED_REACH: f32 = 0.02;
const SCATTERED_REACH: f32 = 0.06;

/// Maximum of that in mean free paths: wider ones would blur what is seen in the medium.
const DENSEST: f32 = 0.5;

/// Maximum of that relative to a body: beams beside it find none of the light at its rim.
const SMALLEST: f32 = 0.25;

/// Approximate number of photons about a photon within the radius.
const NEAREST: usize = 24;

/// Minimum radius of lookups, relative to the maximum.
const NARROWEST: f32 = 1e-3;

/// Number of photons that share a radius.
const NEIGHBOURS: usize = 8;

/// Approximate number of photons of a subset.
const SLICE: usize = 1 << 12;

/// Photons of a pass in media.
#[derive(Debug)]
pub(super) struct BeamMap {
    /// Subsets, each with every n-th photon. A lookup searches one of them: a beam meets many photons.
    slices: Vec<Slice>,
    /// Watts per unit of stored power, divided by the number of photons shot [W].
    scale: f32,
}

/// A subset of the photons.
#[derive(Debug)]
struct Slice {
    tree: KdTree<Spread>,
    radii: Limits,
}

/// A photon with the radius that its light is spread over [m], as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Spread {
    photon: Photon,
    radius: u32,
}

/// The photons that a path of some greatest depth looks up.
pub(super) struct Beams<'a> {
    /// Light that narrow lobes have focused.
    pub(super) focused: &'a BeamMap,
    /// Other light.
    pub(super) other: &'a BeamMap,
    pub(super) max_depth: u32,
    /// True if direct light is looked up, too, and no light is sampled.
    pub(super) is_gathering: bool,
}

/// Largest radius of lookups of light that narrow lobes have focused, or others scattered [m].
pub(super) fn reach(scene: &Scene, is_focused: bool) -> f32 {
    let reach = if is_focused {
        FOCUSED_REACH
    } else {
        SCATTERED_REACH
    };
    reach * scene.bounds().radius()
}

/// The medium of a space, if photons of such light pay in it.
pub(super) fn medium(scene: &Scene, media: &MediumStack, is_focused: bool) -> Option<Coefficients> {
    let medium = scene.homogeneous(media)?;
    let reach = reach(scene, is_focused);
    let is_thin = medium.extinction().max_component() * reach <= DENSEST;
    let mut bodies = media.media(scene.bodies());
    let is_large =
        bodies.all(|(id, body)| scene.bodies().is_open(id) || reach <= SMALLEST * body.bounds.radius());
    (is_thin && is_large && !medium.scattering().is_black()).then(|| medium.into_owned())
}

impl BeamMap {
    /// Builds a map from photons in media of `shot` emitted ones, with power in units of `unit` watts. `reach` is the largest
    /// radius [m], and `shrink` a factor of all.
    pub(super) fn new(photons: Vec<Photon>, shot: f64, unit: f32, reach: f32, shrink: f32) -> BeamMap {
        let scale = match shot > 0.0 {
            true => (f64::from(unit) / shot) as f32,
            false => 0.0,
        };
        let all = KdTree::new(photons);
        let groups = all.items().par_chunks(NEIGHBOURS);
        let near: Vec<_> = groups
            .map_init(Nearest::new, |nearest, photons| {
                Near::new(&all, photons, nearest, reach)
            })
            .collect();
        let spread = |(index, &photon): (usize, &Photon)| {
            let radius = near[index / NEIGHBOURS]
                .radius(&photon)
                .clamp(NARROWEST * reach, reach);
            Spread {
                photon,
                radius: (shrink * radius).to_bits(),
            }
        };
        let photons: Vec<_> = all.items().iter().enumerate().map(spread).collect();
        let count = photons.len().div_ceil(SLICE);
        let slice = |first| Slice::new(photons.iter().skip(first).step_by(count).copied().collect());
        BeamMap {
            slices: (0..count).into_par_iter().map(slice).collect(),
            scale: scale * count as f32,
        }
    }

    /// A map of nothing.
    pub(super) fn none() -> BeamMap {
        BeamMap {
            slices: vec![],
            scale: 0.0,
        }
    }

    /// The photons of light that no camera path can find.
    pub(super) fn hidden(&self) -> BeamMap {
        let of = |slice: &Slice| {
            let photons = slice
                .tree
                .items()
                .iter()
                .filter(|spread| spread.photon.is_hidden());
            Slice::new(photons.copied().collect())
        };
        BeamMap {
            slices: self.slices.iter().map(of).collect(),
            scale: self.scale,
        }
    }

    /// Memory in use [bytes].
    pub(super) fn memory(&self) -> usize {
        self.slices
            .iter()
            .map(|slice| slice.tree.memory() + slice.radii.memory())
            .sum()
    }

    /// Returns whether there are no photons.
    pub(super) fn is_empty(&self) -> bool {
        self.slices.iter().all(|slice| slice.tree.items().is_empty())
    }

    /// Tells of photons of so many segments the tag of their light, and the radiance that the medium scatters of it along a
    /// way towards its start; `noise` selects a subset.
    fn look_along(
        &self,
        way: &MediumWay<'_>,
        medium: &Coefficients,
        segments: RangeInclusive<u32>,
        noise: u64,
        mut tell: impl FnMut(u8, Rgb),
    ) {
        let Some(chosen) = noise.checked_rem(self.slices.len() as u64) else {
            return;
        };
        let Slice { tree, radii } = &self.slices[chosen as usize];
        let extinction = medium.extinction();
        let ray = way.ray;
        tree.search_along(ray.origin, ray.direction, way.length, radii, |spread, t, d2| {
            let photon = &spread.photon;
            if segments.contains(&photon.segments()) {
                let r2 = sqr(spread.radius());
                let (f, _) = medium.phase(ray.direction, photon.wi());
                let kernel = sqr(1.0 - d2 / r2) * (3.0 * INV_PI / r2);
                let radiance = f * photon.power() * beer_lambert(extinction, t) * (kernel * self.scale);
                tell(photon.tag(), radiance);
            }
        });
    }
}

impl Slice {
    fn new(photons: Vec<Spread>) -> Slice {
        let tree = KdTree::new(photons);
        let radii = tree.limits(|index| sqr(tree.items()[index].radius()));
        Slice { tree, radii }
    }
}

impl Spread {
    fn radius(&self) -> f32 {
        f32::from_bits(self.radius)
    }
}

impl Located for Spread {
    #[inline]
    fn p(&self) -> Vec3 {
        self.photon.p()
    }
}

impl AlongMedium for Beams<'_> {
    fn add(
        &self,
        scene: &Scene,
        viewer: Viewer<'_>,
        way: &MediumWay<'_>,
        light: &mut impl RadianceSink,
    ) -> Found {
        let left = self.max_depth.saturating_sub(viewer.depth);
        let least = if self.is_gathering { 1 } else { 2 };
        let mut look = |map: &BeamMap, is_focused: bool, label: Contribution| {
            if map.is_empty() {
                return false;
            }
            let Some(medium) = medium(scene, viewer.media, is_focused) else {
                return false;
            };
            map.look_along(way, &medium, least..=left, viewer.noise, |tag, radiance| {
                light.add_tagged_in_medium(label, tag, viewer.throughput * radiance);
            });
            true
        };
        let focused = look(self.focused, true, Contribution::CAUSTIC_MAP);
        let other = look(self.other, false, Contribution::MAP);
        match (focused, other) {
            (_, true) if self.is_gathering => Found::All,
            (_, true) => Found::Indirect,
            (true, false) => Found::Focused,
            (false, false) => Found::Nothing,
        }
    }
}

/// What is about photons that are near each other.
struct Near {
    /// Squared distance within which there are some others [m²].
    r2: f32,
    /// Mean luminance of their power.
    power: f32,
}

impl Near {
    fn new(tree: &KdTree<Photon>, photons: &[Photon], nearest: &mut Nearest, reach: f32) -> Near {
        let middle = photons.iter().map(Photon::p).sum::<Vec3>() / photons.len() as f32;
        let r2 = nearest.find_where(tree, middle, NEAREST, reach, |_| true);
        let found = nearest.found();
        let power = |&(_, index): &(f32, u32)| tree.items()[index as usize].power().luminance();
        Near {
            r2,
            power: found.iter().map(power).sum::<f32>() / found.len().max(1) as f32,
        }
    }

    /// Radius that the light of one of them is spread over [m]: that of more power is spread farther.
    fn radius(&self, photon: &Photon) -> f32 {
        let more = (photon.power().luminance() / self.power).max(1.0);
        (self.r2 * more).sqrt()
    }
}
