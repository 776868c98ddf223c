//! Majorants: upper bounds on the extinction of heterogeneous media, in adaptive grids.
//!
//! A volume shader does not state its maximum. The majorant of a cell is a bound by interval arithmetic on the shader's
//! code ([`shading::bounds`]) where that is tight: the extinction never exceeds it. In other cells, it is the maximum over
//! probes in the cell and its neighbours, times a margin. Where the extinction exceeds that, estimates stay unbiased but
//! become noisier: see [`media`](super). Density is missed only if all probes around it are zero and bounds are loose.
//!
//! - [`field`]: the medium, at points and in boxes.
//! - [`probed`]: probes and bounds of the cells.
//! - [`search`]: probe points over the medium, and at several scales around landmarks.
//! - [`refine`]: subdivision of cells where density was found.
//! - [`grid`]: the grid, and majorants along rays.

mod field;
mod grid;
mod probed;
mod refine;
mod search;
mod space;

use std::sync::Arc;

use glam::Vec3;
use rustc_hash::FxHashSet;

use refine::MAX_PROBES;
use renderer_base::math::Ray;
use renderer_geometry::Placement;

pub(crate) use field::MediumField;
pub(crate) use grid::{MajorantGrid, MediumFaults};
pub(crate) use search::Landmarks;
pub(crate) use space::{MediumProbe, MediumSpace};

/// Maximum number of probes of all media of a scene, as long as each medium has [`MIN_PROBES`].
const TOTAL_PROBES: usize = 1 << 19;

/// Minimum number of probes of a medium.
const MIN_PROBES: usize = 1 << 14;

/// Bounds on the extinction of an object's medium.
#[derive(Clone, Debug)]
pub(crate) struct Majorant {
    /// Space of the grid, where it is when the shutter opens.
    pub(crate) space: MediumSpace,
    pub(crate) grid: Arc<MajorantGrid>,
    /// Placement of the object if it moves.
    pub(crate) motion: Option<Placement>,
}

impl Majorant {
    /// Number of probes per medium, for this number of different media.
    pub(crate) fn probes(media: usize) -> usize {
        (TOTAL_PROBES / media.max(1)).clamp(MIN_PROBES, MAX_PROBES)
    }

    /// Extinction above which the medium counts as opaque [1/m].
    pub(crate) fn limit(&self) -> f32 {
        self.space.limit()
    }

    /// Returns whether a point in world space is within the bounds of the medium at a time.
    pub(crate) fn contains(&self, p: Vec3, time: f32) -> bool {
        let p = match &self.motion {
            None => p,
            Some(placement) => placement.open().point(placement.at(time).inverse_point(p)),
        };
        self.space.bounds.contains(self.space.point(p))
    }

    /// Distance up to which the majorant at `t` holds [m], and that majorant [1/m]; 0 outside the medium.
    pub(crate) fn bound_from(&self, ray: &Ray, t: f32) -> (f32, f32) {
        let (origin, direction) = match &self.motion {
            None => self.space.line(ray),
            Some(placement) => self.space.line(&to_opening(placement, ray)),
        };
        self.grid.bound_from(origin, direction, t)
    }
}

/// The ray relative to an object, where the object is when the shutter opens; distances are those of the ray.
#[inline(never)]
fn to_opening(placement: &Placement, ray: &Ray) -> Ray {
    let (now, open) = (placement.at(ray.time), placement.open());
    Ray {
        origin: open.point(now.inverse_point(ray.origin)),
        direction: open.vector(now.inverse_vector(ray.direction)),
        ..*ray
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
