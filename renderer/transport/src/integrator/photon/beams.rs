//! Photons in media: light that narrow lobes have focused there, which paths look up along their way through a medium.
//!
//! Such light is found by none of a path's own means where its lamp is small. Media whose mean free path is not much
//! longer than lookups are wide are left to paths, and so are those that are not the same everywhere.
// Jarosz et al. 2008, "The Beam Radiance Estimate for Volumetric Photon Mapping", with one radius for all photons.

use super::Photon;
use super::density::{Nearest, quartile};
use crate::body::{MediumStack, beer_lambert};
use crate::integrator::along_medium::{AlongMedium, Viewer};
use crate::medium::Coefficients;
use crate::radiance::{MAX_LIGHT_TAGS, RadianceSink};
use crate::scene::{MediumWay, Scene};
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, KdTree, Located, sqr};

/// Maximum radius of lookups, relative to the scene's radius.
const REACH: f32 = 0.02;

/// Maximum of that in mean free paths: wider ones would blur what is seen in the medium.
const DENSEST: f32 = 0.5;

/// Approximate number of photons about a photon within the radius.
const NEAREST: usize = 24;

/// Number of subsets.
const SLICES: usize = 16;

/// Photons of a pass in media.
#[derive(Debug)]
pub(super) struct BeamMap {
    /// Subsets, each with every n-th photon. A lookup searches one of them: a beam meets many photons.
    slices: Vec<KdTree<Photon>>,
    /// Watts per unit of stored power, divided by the number of photons shot [W].
    scale: f32,
    /// Radius of lookups [m].
    radius: f32,
}

/// The photons that a path of some greatest depth looks up.
pub(super) struct Beams<'a> {
    pub(super) map: &'a BeamMap,
    pub(super) max_depth: u32,
}

/// The medium of a space, if photons in it pay.
pub(super) fn medium(scene: &Scene, media: &MediumStack) -> Option<Coefficients> {
    let medium = scene.homogeneous(media)?;
    let is_thin = medium.extinction().max_component() * REACH * scene.bounds().radius() <= DENSEST;
    (is_thin && !medium.scattering().is_black()).then(|| medium.into_owned())
}

impl BeamMap {
    /// Builds a map from photons in media of `shot` emitted ones, with power in units of `unit` watts; `shrink` is a factor
    /// of the radius.
    pub(super) fn new(photons: Vec<Photon>, shot: f64, unit: f32, shrink: f32, scene: &Scene) -> BeamMap {
        let scale = match shot > 0.0 {
            true => (f64::from(unit) / shot) as f32,
            false => 0.0,
        };
        let slice = |first: usize| photons.iter().skip(first).step_by(SLICES).copied().collect();
        let slices = (0..SLICES).map(|first| KdTree::new(slice(first))).collect();
        let all = KdTree::new(photons);
        let radius = shrink * typical_radius(&all, REACH * scene.bounds().radius());
        BeamMap {
            slices,
            scale: scale * SLICES as f32,
            radius,
        }
    }

    /// A map of nothing.
    pub(super) fn none() -> BeamMap {
        BeamMap {
            slices: vec![],
            scale: 0.0,
            radius: 0.0,
        }
    }

    /// The photons of light that no camera path can find.
    pub(super) fn hidden(&self) -> BeamMap {
        let of = |slice: &KdTree<Photon>| {
            let photons = slice.items().iter().filter(|photon| photon.is_hidden());
            KdTree::new(photons.copied().collect())
        };
        BeamMap {
            slices: self.slices.iter().map(of).collect(),
            ..*self
        }
    }

    /// Memory in use [bytes].
    pub(super) fn memory(&self) -> usize {
        self.slices.iter().map(KdTree::memory).sum()
    }

    /// Returns whether there are no photons.
    pub(super) fn is_empty(&self) -> bool {
        self.slices.iter().all(|slice| slice.items().is_empty())
    }

    /// Returns whether lookups find all light that narrow lobes focus into the space.
    pub(super) fn covers(&self, scene: &Scene, media: &MediumStack) -> bool {
        !self.is_empty() && medium(scene, media).is_some()
    }

    /// Radiance that the medium scatters along a way towards its start, by the tag of the lights, of photons of at most so
    /// many segments; `noise` selects a subset.
    fn look_along(
        &self,
        way: &MediumWay<'_>,
        medium: &Coefficients,
        max_segments: u32,
        noise: u64,
    ) -> [Rgb; MAX_LIGHT_TAGS] {
        let extinction = medium.extinction();
        let mut sums = [Rgb::BLACK; MAX_LIGHT_TAGS];
        let ray = way.ray;
        let slice = &self.slices[(noise % SLICES as u64) as usize];
        slice.search_along(
            ray.origin,
            ray.direction,
            way.length,
            self.radius,
            |photon, t, d2| {
                if photon.segments() <= max_segments {
                    let (f, _) = medium.phase(ray.direction, photon.wi());
                    let kernel = sqr((1.0 - d2 / sqr(self.radius)).max(0.0));
                    sums[usize::from(photon.tag())] +=
                        f * photon.power() * beer_lambert(extinction, t) * kernel;
                }
            },
        );
        sums.map(|sum| sum * (self.scale * 3.0 * INV_PI / sqr(self.radius)))
    }
}

impl AlongMedium for Beams<'_> {
    fn add(&self, scene: &Scene, viewer: Viewer<'_>, way: &MediumWay<'_>, light: &mut impl RadianceSink) {
        let left = self.max_depth.saturating_sub(viewer.depth);
        if self.map.is_empty() || left == 0 {
            return;
        }
        let Some(medium) = medium(scene, viewer.media) else {
            return;
        };
        let by_tag = self.map.look_along(way, &medium, left, viewer.noise);
        for (tag, radiance) in (0..).zip(by_tag).filter(|(_, radiance)| !radiance.is_black()) {
            light.add_focused_in_medium(tag, viewer.throughput * radiance);
        }
    }
}

/// Median of the distance to the nearest photons of some, over a sample of the photons; at most `max` [m].
fn typical_radius(tree: &KdTree<Photon>, max: f32) -> f32 {
    let mut nearest = Nearest::new();
    quartile(tree.items(), 2, |photon| {
        nearest
            .find_where(tree, photon.p(), NEAREST, max, |_| true)
            .sqrt()
    })
}
