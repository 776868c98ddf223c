//! Majorants: upper bounds on the extinction of heterogeneous media, in adaptive grids.
//!
//! A volume shader does not state its largest value. Each cell has the largest value of probes in it and in its
//! neighbours, with a margin. Where the extinction is greater nevertheless, estimates are still unbiased, but noisier:
//! see [`media`](super::media). Density is missed only where all probes around it are zero.
//!
//! - [`search`]: probes of the whole medium; where all are zero, of more points at several scales.
//! - [`refine`]: subdivision of cells where density was found.
//! - [`grid`]: bounds along rays.

mod grid;
mod refine;
mod search;

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use rustc_hash::FxHashSet;

use crate::medium::Coefficients;
pub(super) use grid::{MajorantGrid, MediumFaults};
use renderer_base::math::{Bounds, Ray, cbrt, determinant, inverse};
pub(super) use search::Landmarks;

/// Most probes of all media of a scene together, as long as each has [`LEAST_PROBES`].
const ALL_PROBES: usize = 1 << 19;

/// Bounds of the number of probes of a medium.
const LEAST_PROBES: usize = 1 << 14;
const MOST_PROBES: usize = 1 << 17;

/// Collisions along the diagonal of a medium that only emits light.
const EMISSION_STEPS: f32 = 16.0;

/// Optical depth along the diagonal of a medium that is as good as opaque everywhere: more would only cost time.
const OPAQUE: f32 = 1e5;

/// Bounds on the extinction of an object's medium.
#[derive(Clone, Debug)]
pub(super) struct Majorant {
    pub(super) space: MediumSpace,
    pub(super) grid: Arc<MajorantGrid>,
}

/// The space of a medium's grid: that of an object, whose instances share the grid, or the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct MediumSpace {
    /// Bounds of the medium.
    pub(super) bounds: Bounds,
    world_from_medium: Affine3A,
    medium_from_world: Option<Affine3A>,
    /// Length of a unit [m].
    scale: f32,
}

/// A probe of a medium at a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// Rate of collisions that suits the medium there [1/m].
    pub(super) rate: f32,
    /// True if coefficients were below zero or not numbers.
    pub(super) is_faulty: bool,
}

impl MediumSpace {
    /// World space.
    pub(super) fn world(bounds: Bounds) -> MediumSpace {
        MediumSpace {
            bounds,
            world_from_medium: Affine3A::IDENTITY,
            medium_from_world: None,
            scale: 1.0,
        }
    }

    /// The space of an object with these bounds in it.
    pub(super) fn object(bounds: Bounds, world_from_object: Affine3A) -> MediumSpace {
        MediumSpace {
            bounds: bounds.widened(),
            world_from_medium: world_from_object,
            medium_from_world: Some(inverse(&world_from_object)),
            scale: cbrt(determinant(&world_from_object.matrix3).abs()),
        }
    }

    /// A point of the medium in the world.
    pub(super) fn to_world(self, p: Vec3) -> Vec3 {
        self.world_from_medium.transform_point3(p)
    }

    fn point(&self, p: Vec3) -> Vec3 {
        self.medium_from_world
            .map_or(p, |matrix| matrix.transform_point3(p))
    }

    /// Diagonal of the bounds [m].
    fn diagonal(&self) -> f32 {
        2.0 * self.bounds.radius() * self.scale
    }

    /// Returns whether a grid of this space can be that of another one.
    pub(super) fn is_congruent(&self, other: &MediumSpace) -> bool {
        let ratio = self.scale / other.scale;
        let is_of_object = self.medium_from_world.is_some() && other.medium_from_world.is_some();
        is_of_object && self.bounds == other.bounds && (0.7..1.4).contains(&ratio)
    }

    /// The probe with these coefficients.
    pub(super) fn probe(&self, medium: &Coefficients) -> Probe {
        let extinction = medium.extinction().max_component().min(self.limit());
        Probe {
            rate: match medium.emission.is_black() {
                true => extinction,
                false => extinction.max(EMISSION_STEPS / self.diagonal()),
            },
            is_faulty: medium.is_faulty(),
        }
    }

    /// Extinction above which a medium is as good as opaque [1/m].
    fn limit(&self) -> f32 {
        OPAQUE / self.diagonal()
    }
}

impl Majorant {
    /// Number of probes of each of `media` different media.
    pub(super) fn probes(media: usize) -> usize {
        (ALL_PROBES / media.max(1)).clamp(LEAST_PROBES, MOST_PROBES)
    }

    /// Extinction above which the medium is as good as opaque [1/m].
    pub(super) fn limit(&self) -> f32 {
        self.space.limit()
    }

    /// Returns whether a point of the world is within the bounds of the medium.
    pub(super) fn contains(&self, p: Vec3) -> bool {
        self.space.bounds.contains(self.space.point(p))
    }

    /// The bound at a distance along a ray [1/m], and the distance up to which it holds; 0 outside of the medium.
    pub(super) fn bound_from(&self, ray: &Ray, t: f32) -> (f32, f32) {
        let direction = self
            .space
            .medium_from_world
            .map_or(ray.direction, |matrix| matrix.transform_vector3(ray.direction));
        self.grid.bound_from(self.space.point(ray.origin), direction, t)
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
    pub(super) fn new<'a>(majorants: impl Iterator<Item = &'a Majorant>) -> MediumStats {
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
