//! Guiding field of the integrator `path`: a [`Guide`] for each region of space and side of a surface, built from the
//! photons there.
//!
//! Photons land in proportion to incident radiance times cosine, which is the ideal sampling density for a diffuse
//! surface. Guides change sampling densities only, so the picture stays unbiased.
// Jensen 1995, "Importance Driven Path Tracing using the Photon Map".

use std::time::Instant;

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::photon::Photon;
use super::surface::Nearest;
use crate::integrator::guide::{Collector, Guide};
use crate::integrator::pass::Pass;
use crate::integrator::photon::contexts;
use crate::integrator::photon::shoot::emit::Emitter;
use crate::integrator::photon::shoot::params::{MediumFilter, PhotonFilter, ShootParams};
use crate::integrator::photon::shoot::{Shooter, shoot};
use crate::integrator::photon::statistics::PhotonStats;
use crate::integrator::photon::time_slice::TimeSlice;
use crate::scene::Scene;
use renderer_base::math::{Cells, Frame, KdTree, Located};
use renderer_scene::PathSettings;

/// Number of photons from which a guide is made, those nearest to its cell. Fewer make guides noisy, more make them
/// coarse.
const GUIDE_PHOTONS: usize = 256;

/// Maximum number of photons of a cell. Guides of neighbouring cells share photons, so that guides vary smoothly.
const MAX_CELL_PHOTONS: usize = 32;

/// Weight of the farthest photon of a guide, relative to the nearest.
const MIN_WEIGHT: f32 = 0.5;

/// Guides by position and direction of the normal.
#[derive(Debug)]
pub struct GuideField {
    /// Indexed by the normal's largest component and its sign, so that the two sides of a wall, and the walls of a
    /// corner, have separate guides.
    sides: [Side; 6],
    stats: PhotonStats,
}

#[derive(Debug)]
struct Side {
    cells: Cells,
    guides: Vec<LocalGuide>,
}

/// A guide in the frame of the mean normal of its photons.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalGuide {
    frame: Frame,
    guide: Guide,
}

impl GuideField {
    /// Number of photons to store for a pass.
    pub fn photons(pass: &Pass<'_>) -> u64 {
        (16 * pass.points).clamp(1 << 14, 1 << 20)
    }

    /// Shoots photons until `count` are stored and builds guides from them, on the current `rayon` pool.
    pub fn prepare(settings: &PathSettings, scene: &Scene, pass: &Pass<'_>, count: u64) -> GuideField {
        let contexts = contexts(scene);
        let params = ShootParams {
            filter: PhotonFilter::Global { direct: false },
            count,
            exactly: false,
            max_segments: settings.depth.map_or(u32::MAX, |depth| depth.saturating_sub(1)),
            in_media: MediumFilter::None,
            pilots: 1,
        };
        let mut stats = PhotonStats::default();
        let begin = Instant::now();
        let shooter = Shooter {
            scene,
            emitter: &Emitter::new(scene, scene.is_moving().then_some(TimeSlice::WHOLE)),
            params: &params,
            pass,
            contexts: &contexts,
        };
        let shot = shoot(shooter, |done| (pass.progress)(done, count), &mut stats);
        stats.shooting = begin.elapsed();
        let begin = Instant::now();
        let sides = sides(&shot.photons);
        stats.building = begin.elapsed();
        stats.shot[0] = shot.shot;
        stats.stored[0] = shot.photons.len() as u64;
        stats.guides = sides.iter().map(|side| side.guides.len() as u64).sum();
        stats.memory = sides.iter().map(|side| side.memory() as u64).sum();
        stats.count_work(contexts);
        GuideField { sides, stats }
    }

    /// Statistics of the photons and guides.
    pub(crate) fn stats(&self) -> &PhotonStats {
        &self.stats
    }

    /// Returns the guide on the side `n` of the surface at `p`; `None` if no photon landed there.
    #[inline]
    pub(crate) fn find(&self, p: Vec3, n: Vec3) -> Option<&LocalGuide> {
        let side = &self.sides[side_of(n)];
        let guide = &side.guides[side.cells.find(p)];
        guide.guide.has_data().then_some(guide)
    }
}

/// Builds the guides of all six sides; photons that no camera path can find are left out.
fn sides(photons: &[Photon]) -> [Side; 6] {
    std::array::from_fn(|side| {
        let of_side = |photon: &&Photon| !photon.is_hidden() && side_of(photon.n()) == side;
        Side::new(photons.iter().filter(of_side).copied().collect())
    })
}

impl Side {
    fn new(mut photons: Vec<Photon>) -> Side {
        let cells = Cells::new(&mut photons, MAX_CELL_PHOTONS);
        let tree = KdTree::new(photons.clone());
        let guides = cells
            .parts(&photons)
            .par_iter()
            .map_init(Nearest::new, |nearest, own| LocalGuide::new(own, &tree, nearest))
            .collect();
        Side { cells, guides }
    }

    /// Memory in use [bytes].
    fn memory(&self) -> usize {
        self.cells.memory() + self.guides.capacity() * size_of::<LocalGuide>()
    }
}

impl LocalGuide {
    /// Builds the guide of a cell from its photons `own` and their neighbours in `tree`.
    fn new(own: &[Photon], tree: &KdTree<Photon>, nearest: &mut Nearest) -> LocalGuide {
        let middle = own.iter().map(Photon::p).sum::<Vec3>() / own.len().max(1) as f32;
        let r2 = nearest.find_where(tree, middle, GUIDE_PHOTONS, f32::INFINITY, |_| true);
        let found = nearest.found().iter();
        let found = found.map(|&(d2, index)| (d2, &tree.items()[index as usize]));
        let sum: Vec3 = found.clone().map(|(_, photon)| photon.n()).sum();
        let frame = Frame::from_normal(sum.normalize_or(Vec3::Z));
        let mut collector = Collector::default();
        for (d2, photon) in found {
            let local = frame.to_local(photon.wi());
            if local.z > 0.0 {
                let weight = 1.0 - (1.0 - MIN_WEIGHT) * (d2 / r2.max(f32::MIN_POSITIVE));
                collector.add(local, weight * photon.power().luminance());
            }
        }
        LocalGuide { frame, guide: collector.finish() }
    }

    /// Samples a unit vector in proportion to the histogram.
    #[inline]
    pub(crate) fn sample(&self, u: Vec2) -> Vec3 {
        self.frame.to_world(self.guide.sample(u))
    }

    /// Density of [`LocalGuide::sample`] with respect to solid angle [1/sr].
    #[inline(always)]
    pub(crate) fn pdf(&self, wi: Vec3) -> f32 {
        self.guide.pdf(self.frame.to_local(wi))
    }
}

/// Index of a side: the normal's largest component and its sign.
#[inline]
fn side_of(n: Vec3) -> usize {
    let size = n.abs();
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    2 * axis + usize::from(n[axis] < 0.0)
}
