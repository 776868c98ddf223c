//! Interior list at the origin of a ray, found by counting the boundaries of objects along rays to the outside.

use glam::Vec3;

use super::Scene;
use crate::interior::{BodyId, InteriorList};
use renderer_base::math::Ray;

/// Directions of the rays. They point upwards for every choice of the up axis, so that an open water surface bounds the
/// space below it, and are unlikely to be parallel to edges.
const DIRECTIONS: [Vec3; 3] = [
    Vec3::new(0.371_390_7, 0.742_781_4, 0.557_086),
    Vec3::new(0.557_086, 0.371_390_7, 0.742_781_4),
    Vec3::new(0.742_781_4, 0.557_086, 0.371_390_7),
];

impl Scene {
    /// Interior list at the origin of a ray.
    #[inline]
    pub fn interior_at(&self, ray: &Ray) -> InteriorList {
        if self.bodies.is_empty() {
            InteriorList::NONE
        } else {
            self.count_boundaries(ray)
        }
    }

    /// A body contains the origin if at least two of three rays leave it more often than they enter it; one ray may
    /// pass through a gap.
    #[inline(never)]
    fn count_boundaries(&self, ray: &Ray) -> InteriorList {
        let unbounded = self.bodies.all().filter(|(_, body)| body.shape.is_none());
        let unbounded = unbounded.map(|(id, _)| id);
        let is_outside_all = || self.bodies.bounds().is_none_or(|bounds| !bounds.contains(ray.origin));
        if !self.bodies.are_open() && is_outside_all() {
            return InteriorList::of(&self.bodies, unbounded);
        }
        let counts = DIRECTIONS.map(|outwards| self.exits(ray, outwards));
        let [first, second, third] = &counts;
        let contains = |&id: &BodyId| {
            let votes = counts.iter().filter(|exits| exits.of(id) > 0).count();
            votes >= 2
        };
        let mut inside: Vec<BodyId> = vec![];
        for &(id, exits) in first.list.iter().chain(&second.list).chain(&third.list) {
            if exits > 0 && !inside.contains(&id) && contains(&id) {
                inside.push(id);
            }
        }
        InteriorList::of(&self.bodies, inside.into_iter().chain(unbounded))
    }

    /// Counts the boundaries along one direction.
    fn exits(&self, ray: &Ray, outwards: Vec3) -> Exits {
        let ray = Ray { time: ray.time, ..Ray::new(ray.origin, outwards) };
        let mut exits = Exits::default();
        if !self.bodies.bounds().is_some_and(|bounds| bounds.intersects(&ray)) {
            return exits;
        }
        for hit in &self.hits_along(&ray, |shape| self.bodies.of_shape(shape).is_some()) {
            if let Some(id) = self.bodies.of_shape(hit.shape) {
                let ng = self.interaction(ray, hit).ng;
                exits.count(id, if outwards.dot(ng) > 0.0 { 1 } else { -1 });
            }
        }
        exits
    }
}

/// Number of exits minus number of entries of a ray, by body.
#[derive(Default)]
struct Exits {
    list: Vec<(BodyId, i32)>,
}

impl Exits {
    fn of(&self, id: BodyId) -> i32 {
        self.list.iter().find(|(known, _)| *known == id).map_or(0, |(_, exits)| *exits)
    }

    fn count(&mut self, id: BodyId, change: i32) {
        match self.list.iter_mut().find(|(known, _)| *known == id) {
            Some((_, exits)) => *exits += change,
            None => self.list.push((id, change)),
        }
    }
}
