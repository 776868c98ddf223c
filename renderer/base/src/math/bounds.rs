//! Axis-aligned bounding boxes.

use glam::{Affine3A, Vec3};

use super::Ray;

/// An axis-aligned box; empty when `min > max` in any axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower corner.
    pub min: Vec3,
    /// Upper corner.
    pub max: Vec3,
}

impl Bounds {
    /// The box that holds nothing.
    pub const EMPTY: Bounds = Bounds { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The smallest box that holds `points`.
    pub fn of_points(points: impl IntoIterator<Item = Vec3>) -> Bounds {
        points
            .into_iter()
            .fold(Bounds::EMPTY, |b, p| Bounds { min: b.min.min(p), max: b.max.max(p) })
    }

    /// The smallest box that holds both.
    pub fn union(self, other: Bounds) -> Bounds {
        Bounds { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Returns whether the box contains no point.
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// Returns whether the box contains a point.
    pub fn contains(&self, p: Vec3) -> bool {
        self.min.cmple(p).all() && p.cmple(self.max).all()
    }

    /// Returns whether the boxes have a common point.
    pub fn overlaps(&self, other: &Bounds) -> bool {
        !(self.min.cmpgt(other.max).any() || other.min.cmpgt(self.max).any())
    }

    /// Centre of the box.
    pub fn center(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    /// Half the length of its diagonal: the radius of the sphere about `center` that holds the box; 0 when empty.
    pub fn radius(&self) -> f32 {
        if self.is_empty() {
            0.0
        } else {
            (self.max - self.min).length() * 0.5
        }
    }

    /// Returns the box extended on all sides by a bound on the rounding error of its coordinates in a transform.
    pub fn widened(self) -> Bounds {
        let margin = self.min.abs().max(self.max.abs()).max_element() * (64.0 * f32::EPSILON);
        Bounds { min: self.min - margin, max: self.max + margin }
    }

    /// Returns whether `ray` intersects the box between its `t_min` and `t_max`.
    // Kay & Kajiya 1986, "Ray Tracing Complex Scenes", the method of slabs.
    #[inline]
    pub fn intersects(&self, ray: &Ray) -> bool {
        let inverse = ray.direction.recip();
        let (a, b) = ((self.min - ray.origin) * inverse, (self.max - ray.origin) * inverse);
        let enters = a.min(b).max_element().max(ray.t_min);
        let leaves = a.max(b).min_element().min(ray.t_max);
        // NaN, of a ray within a side, misses nothing.
        let misses = enters > leaves * (1.0 + 8.0 * f32::EPSILON);
        !misses
    }

    /// The eight corners.
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|i| {
            let pick = |bit: usize, a: f32, b: f32| if i & bit == 0 { a } else { b };
            Vec3::new(
                pick(1, self.min.x, self.max.x),
                pick(2, self.min.y, self.max.y),
                pick(4, self.min.z, self.max.z),
            )
        })
    }

    /// The smallest box that holds the transformed box.
    pub fn transformed(&self, transform: &Affine3A) -> Bounds {
        if self.is_empty() {
            return *self;
        }
        Bounds::of_points(self.corners().map(|c| transform.transform_point3(c)))
    }
}
