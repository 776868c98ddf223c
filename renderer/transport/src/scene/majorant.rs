//! Bounds on the extinction of media that are not the same everywhere, on a grid.
//!
//! The shader of a medium says nothing of its largest value, so each cell of the grid has the largest of some points in it
//! and in its neighbours, with a margin. Where there is more nevertheless, light is still right on average, and noisier:
//! see [`media`](super::media). A medium that is nothing at all of these points is not seen.

use glam::{UVec3, Vec3};
use rayon::prelude::*;

use crate::body::BodyId;
use crate::medium::Coefficients;
use renderer_base::math::{Bounds, Ray};
use renderer_base::sampler::mix;

/// Cells along the longest side.
const CELLS: u32 = 24;

/// Points looked at in each cell.
const POINTS: u64 = 8;

/// Factor on the largest value that was found.
const MARGIN: f32 = 1.25;

/// Share of the largest bound that any cell has: what is missed between the points is found nevertheless.
const LEAST: f32 = 1e-3;

/// Optical depth of a cell that lets nothing through: more would only cost time, where nothing is beside it.
const OPAQUE_CELL: f32 = 1000.0;

/// Collisions along the diagonal of a medium that only emits light.
const EMISSION_STEPS: f32 = 16.0;

/// Bounds on the extinction of a body's medium.
#[derive(Clone, Debug)]
pub(super) struct Majorant {
    bounds: Bounds,
    count: UVec3,
    cell: Vec3,
    /// By x, then y, then z [1/m].
    list: Vec<f32>,
    /// Largest extinction that is told apart from what lets nothing through [1/m].
    limit: f32,
    /// Share of the cells where it was found to be too low.
    missed: f32,
    /// True if the medium has coefficients that are none.
    is_faulty: bool,
}

impl Majorant {
    /// Looks at the medium `at` in the cells of a grid over `bounds`.
    pub(super) fn new<C>(
        id: BodyId,
        bounds: Bounds,
        context: impl Fn() -> C + Sync + Send,
        at: impl Fn(&mut C, Vec3) -> Coefficients + Sync + Send,
    ) -> Majorant {
        let size = (bounds.max - bounds.min).max(Vec3::splat(f32::MIN_POSITIVE));
        let longest = size.max_element();
        let count = (size / longest * CELLS as f32).ceil().max(Vec3::ONE).as_uvec3();
        let cell = size / count.as_vec3();
        let emission = EMISSION_STEPS / size.length();
        let limit = OPAQUE_CELL / cell.length();
        let cells = count.element_product();
        let look = |context: &mut C, index: u32, point: u64| {
            let corner = bounds.min + place(index, count).as_vec3() * cell;
            let seed = (u64::from(index) * POINTS + point) ^ (u64::from(id.0) << 48);
            let medium = at(context, corner + cell * unit_point(mix(seed), point));
            let extinction = medium.extinction().max_component().min(limit);
            let bound = match medium.emission.is_black() {
                true => extinction,
                false => extinction.max(emission),
            };
            (bound, medium.is_faulty())
        };
        let seen: Vec<(f32, bool)> = (0..cells)
            .into_par_iter()
            .map_init(&context, |context, index| {
                (0..POINTS)
                    .map(|point| look(context, index, point))
                    .fold((0.0, false), |(most, any), (bound, is_faulty)| {
                        (f32::max(most, bound), any | is_faulty)
                    })
            })
            .collect();
        let found: Vec<f32> = seen.iter().map(|(bound, _)| *bound).collect();
        let most = found.iter().copied().fold(0.0, f32::max);
        let list: Vec<f32> = (0..cells)
            .map(|index| (MARGIN * around(&found, index, count)).max(LEAST * most))
            .collect();
        // One more look at each: what is above the bound now is so elsewhere, too.
        let is_missed = |(context, index): (&mut C, u32)| {
            look(context, index, POINTS + u64::from(index) % POINTS).0 > list[index as usize]
        };
        let missed = (0..cells)
            .into_par_iter()
            .map_init(&context, |context, index| is_missed((context, index)))
            .filter(|&missed| missed)
            .count();
        Majorant {
            bounds,
            count,
            cell,
            list,
            limit,
            missed: missed as f32 / cells as f32,
            is_faulty: seen.iter().any(|(_, is_faulty)| *is_faulty),
        }
    }

    /// Share of the cells where the bound was found to be too low.
    pub(super) fn missed(&self) -> f32 {
        self.missed
    }

    /// Diagonal of a cell [m].
    pub(super) fn cell(&self) -> f32 {
        self.cell.length()
    }

    /// Returns whether coefficients below zero, or that are no numbers, were found.
    pub(super) fn is_faulty(&self) -> bool {
        self.is_faulty
    }

    /// Extinction above which a medium is as good as opaque [1/m].
    pub(super) fn limit(&self) -> f32 {
        self.limit
    }

    /// Returns whether the medium may be at a point.
    pub(super) fn contains(&self, p: Vec3) -> bool {
        self.bounds.contains(p)
    }

    /// The bound at a distance along a ray [1/m], and the distance up to which it holds. There is nothing outside.
    pub(super) fn bound_from(&self, ray: &Ray, t: f32) -> (f32, f32) {
        let inverse = ray.direction.recip();
        let (a, b) = (
            (self.bounds.min - ray.origin) * inverse,
            (self.bounds.max - ray.origin) * inverse,
        );
        let enters = a.min(b).max_element();
        let leaves = a.max(b).min_element();
        if t >= leaves || enters > leaves {
            return (f32::INFINITY, 0.0);
        }
        if t < enters {
            return (enters, 0.0);
        }
        let local = (ray.at(t) - self.bounds.min) / self.cell;
        let last = (self.count - UVec3::ONE).as_vec3();
        // On the side of a cell, the one ahead counts.
        let nudge = Vec3::ONE.copysign(ray.direction) * 1e-4;
        let mut index = (local + nudge).floor().clamp(Vec3::ZERO, last);
        let is_met = ray.direction.cmpne(Vec3::ZERO);
        let sides = |index: Vec3| {
            let ahead = Vec3::select(ray.direction.cmpgt(Vec3::ZERO), index + 1.0, index);
            let sides = (self.bounds.min + ahead * self.cell - ray.origin) * inverse;
            Vec3::select(is_met, sides, Vec3::INFINITY)
        };
        // Far from the origin, points are less exact than distances: a cell that the ray has passed is followed by the next.
        let passed = sides(index).cmple(Vec3::splat(t));
        let next = (index + Vec3::ONE.copysign(ray.direction)).clamp(Vec3::ZERO, last);
        index = Vec3::select(passed, next, index);
        let end = match sides(index).min_element() {
            end if end > t => end,
            _ => leaves.min(t + 0.01 * self.cell.min_element()).max(t.next_up()),
        };
        let index = index.as_uvec3();
        let at = index.x + self.count.x * (index.y + self.count.y * index.z);
        (end, self.list[at as usize])
    }
}

fn place(index: u32, count: UVec3) -> UVec3 {
    UVec3::new(
        index % count.x,
        index / count.x % count.y,
        index / (count.x * count.y),
    )
}

/// A point of the unit cube, in the octant of its number.
fn unit_point(bits: u64, octant: u64) -> Vec3 {
    let part = |shift: u64| (bits >> (16 * shift) & 0xffff) as f32 / 65536.0;
    let half = |axis: u64| (octant >> axis & 1) as f32;
    Vec3::new(half(0) + part(0), half(1) + part(1), half(2) + part(2)) * 0.5
}

/// The largest value of a cell and its neighbours.
fn around(found: &[f32], index: u32, count: UVec3) -> f32 {
    let at = place(index, count);
    let low = at.saturating_sub(UVec3::ONE);
    let high = (at + UVec3::ONE).min(count - UVec3::ONE);
    let mut most = 0.0f32;
    for z in low.z..=high.z {
        for y in low.y..=high.y {
            for x in low.x..=high.x {
                most = most.max(found[(x + count.x * (y + count.y * z)) as usize]);
            }
        }
    }
    most
}
