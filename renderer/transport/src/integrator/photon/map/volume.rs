//! Volume photon maps: photons in homogeneous media, looked up along ray segments with the beam radiance estimate.
//!
//! The caustic map holds light focused by narrow lobes, which paths cannot sample if the light is small. The indirect
//! map holds light from few bright surfaces, for which paths are noisy. Gather rays also look up direct light. Dense
//! and heterogeneous media and small bodies are left to paths.
// Jensen & Christensen 1998, "Efficient Simulation of Light Transport in Scenes with Participating Media using Photon
// Maps"; Jarosz et al. 2008, "The Beam Radiance Estimate for Volumetric Photon Mapping".

use std::ops::RangeInclusive;

use glam::Vec3;
use rayon::prelude::*;

use super::photon::Photon;
use super::surface::Nearest;
use crate::interior::{InteriorList, beer_lambert};
use crate::medium::Coefficients;
use crate::radiance::{Contribution, RadianceSink};
use crate::scene::{RaySegment, Scene};
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, KdTree, Limits, Located, sqr};

/// Maximum kernel radius of the caustic and of the indirect map, relative to the scene's radius.
const CAUSTIC_RADIUS: f32 = 0.02;
const INDIRECT_RADIUS: f32 = 0.06;

/// Upper bound of the maximum radius in mean free paths; larger kernels would blur the light in the medium.
const MAX_RADIUS_IN_MEAN_FREE_PATHS: f32 = 0.5;

/// Upper bound of the maximum radius relative to the radius of a body; larger kernels lose light at its boundary.
const MAX_RADIUS_IN_BODY: f32 = 0.25;

/// Approximate number of photons within the kernel radius.
const KERNEL_PHOTONS: usize = 24;

/// Minimum kernel radius, relative to the maximum.
const MIN_RADIUS: f32 = 1e-3;

/// Number of photons that share a radius.
const PHOTONS_PER_RADIUS: usize = 8;

/// Approximate number of photons of a subset.
const SUBSET_SIZE: usize = 1 << 12;

/// Volume photon map of a pass.
#[derive(Debug, Default)]
pub(crate) struct VolumePhotonMap {
    /// Subsets, each with every n-th photon. A lookup searches one of them, since a beam intersects many photons.
    subsets: Vec<Subset>,
    /// Watts per unit of stored power, divided by the number of photons shot [W].
    scale: f32,
}

/// A subset of the photons.
#[derive(Debug)]
struct Subset {
    tree: KdTree<PhotonSphere>,
    radii: Limits,
}

/// A photon with the bits of its kernel radius [m].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PhotonSphere {
    photon: Photon,
    radius: u32,
}

/// Volume photon maps that a path looks up.
pub(crate) struct VolumePhotons<'a> {
    pub(crate) caustic: &'a VolumePhotonMap,
    pub(crate) indirect: &'a VolumePhotonMap,
    /// Maximum depth of the path [segments].
    pub(crate) max_depth: u32,
    /// True if direct light is looked up too, and lights are not sampled.
    pub(crate) is_gathering: bool,
}

/// State of the path that looks up photons.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VolumeQuery<'a> {
    /// Interior list of the segment.
    pub(crate) interior: &'a InteriorList,
    /// Throughput at the start of the segment.
    pub(crate) throughput: Rgb,
    /// Number of segments, this one included.
    pub(crate) depth: u32,
    /// Random seed of the segment.
    pub(crate) seed: u64,
}

/// Light in a medium that a lookup includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VolumeCoverage {
    None,
    /// Caustic light only.
    Caustic,
    /// Indirect light; direct light is sampled separately.
    Indirect,
    All,
}

/// Maximum kernel radius of the caustic or the indirect map [m].
pub(crate) fn max_radius(scene: &Scene, is_caustic: bool) -> f32 {
    let relative = match is_caustic {
        true => CAUSTIC_RADIUS,
        false => INDIRECT_RADIUS,
    };
    relative * scene.bounds().radius()
}

/// The medium of a ray segment, if photons are stored and looked up in it.
pub(crate) fn medium(scene: &Scene, interior: &InteriorList, is_caustic: bool) -> Option<Coefficients> {
    let medium = scene.homogeneous(interior)?;
    let radius = max_radius(scene, is_caustic);
    let is_thin = medium.extinction().max_component() * radius <= MAX_RADIUS_IN_MEAN_FREE_PATHS;
    let mut bodies = interior.media(scene.bodies());
    let is_large = bodies
        .all(|(id, body)| scene.bodies().is_open(id) || radius <= MAX_RADIUS_IN_BODY * body.bounds.radius());
    (is_thin && is_large && !medium.scattering().is_black()).then(|| medium.into_owned())
}

impl VolumePhotonMap {
    /// Builds a map from the photons in media of `shot` emitted ones, with power in units of `unit` watts. `max_radius`
    /// is the maximum kernel radius [m]; all radii are multiplied by `shrink`.
    pub(crate) fn new(
        photons: Vec<Photon>,
        shot: f64,
        unit: f32,
        max_radius: f32,
        shrink: f32,
    ) -> VolumePhotonMap {
        let scale = match shot > 0.0 {
            true => (f64::from(unit) / shot) as f32,
            false => 0.0,
        };
        let all = KdTree::new(photons);
        let groups = all.items().par_chunks(PHOTONS_PER_RADIUS);
        let neighbourhoods: Vec<_> = groups
            .map_init(Nearest::new, |nearest, photons| {
                Neighbourhood::new(&all, photons, nearest, max_radius)
            })
            .collect();
        let sphere = |(index, &photon): (usize, &Photon)| {
            let radius = neighbourhoods[index / PHOTONS_PER_RADIUS]
                .radius(&photon)
                .clamp(MIN_RADIUS * max_radius, max_radius);
            PhotonSphere { photon, radius: (shrink * radius).to_bits() }
        };
        let photons: Vec<_> = all.items().iter().enumerate().map(sphere).collect();
        let count = photons.len().div_ceil(SUBSET_SIZE);
        let subset = |first| Subset::new(photons.iter().skip(first).step_by(count).copied().collect());
        VolumePhotonMap {
            subsets: (0..count).into_par_iter().map(subset).collect(),
            scale: scale * count as f32,
        }
    }

    /// The photons whose light no camera path can find.
    pub(crate) fn hidden(&self) -> VolumePhotonMap {
        let hidden = |subset: &Subset| {
            let photons = subset.tree.items().iter().filter(|sphere| sphere.photon.is_hidden());
            Subset::new(photons.copied().collect())
        };
        VolumePhotonMap {
            subsets: self.subsets.iter().map(hidden).collect(),
            scale: self.scale,
        }
    }

    /// Memory in use [bytes].
    pub(crate) fn memory(&self) -> usize {
        self.subsets
            .iter()
            .map(|subset| subset.tree.memory() + subset.radii.memory())
            .sum()
    }

    /// Returns whether there are no photons.
    pub(crate) fn is_empty(&self) -> bool {
        self.subsets.iter().all(|subset| subset.tree.items().is_empty())
    }

    /// Calls `add` with the light tag and the scattered radiance of each photon along a segment whose number of
    /// segments is in the range; `seed` selects a subset.
    fn look_up(
        &self,
        segment: &RaySegment<'_>,
        medium: &Coefficients,
        segments: RangeInclusive<u32>,
        seed: u64,
        mut add: impl FnMut(u8, Rgb),
    ) {
        let Some(index) = seed.checked_rem(self.subsets.len() as u64) else {
            return;
        };
        let Subset { tree, radii } = &self.subsets[index as usize];
        let extinction = medium.extinction();
        let ray = segment.ray;
        tree.search_along(ray.origin, ray.direction, segment.length, radii, |sphere, t, d2| {
            let photon = &sphere.photon;
            if segments.contains(&photon.segments()) {
                let r2 = sqr(sphere.radius());
                let (f, _) = medium.phase(ray.direction, photon.wi());
                let kernel = sqr(1.0 - d2 / r2) * (3.0 * INV_PI / r2);
                let radiance = f * photon.power() * beer_lambert(extinction, t) * (kernel * self.scale);
                add(photon.tag(), radiance);
            }
        });
    }
}

impl Subset {
    fn new(photons: Vec<PhotonSphere>) -> Subset {
        let tree = KdTree::new(photons);
        let radii = tree.limits(|index| sqr(tree.items()[index].radius()));
        Subset { tree, radii }
    }
}

impl PhotonSphere {
    fn radius(&self) -> f32 {
        f32::from_bits(self.radius)
    }
}

impl Located for PhotonSphere {
    #[inline]
    fn p(&self) -> Vec3 {
        self.photon.p()
    }
}

impl VolumePhotons<'_> {
    /// Reports the radiance that the medium scatters towards the start of a segment; returns the light that is
    /// included.
    pub(crate) fn report(
        &self,
        scene: &Scene,
        query: VolumeQuery<'_>,
        segment: &RaySegment<'_>,
        sink: &mut impl RadianceSink,
    ) -> VolumeCoverage {
        let max_segments = self.max_depth.saturating_sub(query.depth);
        let min_segments = if self.is_gathering { 1 } else { 2 };
        let mut look_up = |map: &VolumePhotonMap, is_caustic: bool, label: Contribution| {
            if map.is_empty() {
                return false;
            }
            let Some(medium) = medium(scene, query.interior, is_caustic) else {
                return false;
            };
            let segments = min_segments..=max_segments;
            map.look_up(segment, &medium, segments, query.seed, |tag, radiance| {
                sink.add_tagged_in_medium(label, tag, query.throughput * radiance);
            });
            true
        };
        let caustic = look_up(self.caustic, true, Contribution::CAUSTIC_MAP);
        let indirect = look_up(self.indirect, false, Contribution::MAP);
        match (caustic, indirect) {
            (_, true) if self.is_gathering => VolumeCoverage::All,
            (_, true) => VolumeCoverage::Indirect,
            (true, false) => VolumeCoverage::Caustic,
            (false, false) => VolumeCoverage::None,
        }
    }
}

/// Statistics of a group of neighbouring photons.
struct Neighbourhood {
    /// Squared distance within which there are [`KERNEL_PHOTONS`] photons [m²].
    r2: f32,
    /// Mean luminance of their power.
    power: f32,
}

impl Neighbourhood {
    fn new(
        tree: &KdTree<Photon>,
        photons: &[Photon],
        nearest: &mut Nearest,
        max_radius: f32,
    ) -> Neighbourhood {
        let middle = photons.iter().map(Photon::p).sum::<Vec3>() / photons.len() as f32;
        let r2 = nearest.find_where(tree, middle, KERNEL_PHOTONS, max_radius, |_| true);
        let found = nearest.found();
        let power = |&(_, index): &(f32, u32)| tree.items()[index as usize].power().luminance();
        Neighbourhood {
            r2,
            power: found.iter().map(power).sum::<f32>() / found.len().max(1) as f32,
        }
    }

    /// Kernel radius of a photon [m]: larger for photons of more power.
    fn radius(&self, photon: &Photon) -> f32 {
        let ratio = (photon.power().luminance() / self.power).max(1.0);
        (self.r2 * ratio).sqrt()
    }
}
