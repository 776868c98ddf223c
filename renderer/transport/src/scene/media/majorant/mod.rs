//! Majorants: upper bounds on the extinction of heterogeneous media, in adaptive grids.
//!
//! A volume shader does not state its largest value. Each cell has the largest value of probes in it and in its
//! neighbours, with a margin. Where the extinction is greater nevertheless, estimates are still unbiased, but noisier:
//! see [`media`](super). Density is missed only where all probes around it are zero.
//!
//! - [`search`]: probes of the whole medium; where all are zero, of more points at several scales.
//! - [`refine`]: subdivision of cells where density was found.
//! - [`grid`]: bounds along rays.

mod grid;
mod refine;
mod search;
mod space;

use std::sync::Arc;

use glam::Vec3;
use rustc_hash::FxHashSet;

use refine::MOST_PROBES;
use renderer_base::math::Ray;

pub(crate) use grid::{MajorantGrid, MediumFaults};
pub(crate) use search::Landmarks;
pub(crate) use space::{MediumSpace, Probe};

/// Most probes of all media of a scene together, as long as each has [`LEAST_PROBES`].
const ALL_PROBES: usize = 1 << 19;

/// Least number of probes of a medium.
const LEAST_PROBES: usize = 1 << 14;

/// Bounds on the extinction of an object's medium.
#[derive(Clone, Debug)]
pub(crate) struct Majorant {
    pub(crate) space: MediumSpace,
    pub(crate) grid: Arc<MajorantGrid>,
}

impl Majorant {
    /// Number of probes of each of `media` different media.
    pub(crate) fn probes(media: usize) -> usize {
        (ALL_PROBES / media.max(1)).clamp(LEAST_PROBES, MOST_PROBES)
    }

    /// Extinction above which the medium is as good as opaque [1/m].
    pub(crate) fn limit(&self) -> f32 {
        self.space.limit()
    }

    /// Returns whether a point of the world is within the bounds of the medium.
    pub(crate) fn contains(&self, p: Vec3) -> bool {
        self.space.bounds.contains(self.space.point(p))
    }

    /// The bound at a distance along a ray [1/m], and the distance up to which it holds; 0 outside of the medium.
    pub(crate) fn bound_from(&self, ray: &Ray, t: f32) -> (f32, f32) {
        let (origin, direction) = self.space.line(ray);
        self.grid.bound_from(origin, direction, t)
    }
}

/// Statistics of the majorants of a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MediumStats {
    /// Number of heterogeneous media; each instance counts.
    pub media: usize,
    /// Number of grids; instances share one.
    pub grids: usize,
    /// Number of cells of all grids.
    pub cells: usize,
}

impl MediumStats {
    pub(crate) fn new<'a>(majorants: impl Iterator<Item = &'a Majorant>) -> MediumStats {
        let mut stats = MediumStats::default();
        let mut known = FxHashSet::default();
        for majorant in majorants {
            stats.media += 1;
            if known.insert(Arc::as_ptr(&majorant.grid)) {
                stats.grids += 1;
                stats.cells += majorant.grid.len();
            }
        }
        stats
    }
}
