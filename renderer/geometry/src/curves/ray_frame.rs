//! Coordinates in which a ray is the z axis, and the time of the ray.

use glam::{DMat3, DVec3, DVec4, Vec4};

use crate::placement::SHUTTER_OPEN;

/// Orthonormal frame at the origin of a ray, whose direction is z.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayFrame {
    origin: DVec3,
    axes: DMat3,
    /// Length of the direction, which converts distances to units of it.
    length: f64,
    /// Time of the shutter interval.
    pub(crate) time: f32,
}

impl RayFrame {
    /// Frame of no ray.
    pub(crate) const NONE: RayFrame = RayFrame {
        origin: DVec3::ZERO,
        axes: DMat3::IDENTITY,
        length: 1.0,
        time: SHUTTER_OPEN,
    };

    /// The frame of a ray whose direction may have any length.
    // Duff et al. 2017, "Building an Orthonormal Basis, Revisited".
    #[inline]
    pub(crate) fn new(origin: DVec3, direction: DVec3, time: f32) -> RayFrame {
        let length = direction.length();
        let d = direction / length;
        let sign = 1f64.copysign(d.z);
        let a = -1.0 / (sign + d.z);
        let b = d.x * d.y * a;
        let x = DVec3::new(1.0 + sign * d.x * d.x * a, sign * b, -sign * d.x);
        let y = DVec3::new(b, sign + d.y * d.y * a, -d.y);
        RayFrame { origin, axes: DMat3::from_cols(x, y, d), length, time }
    }

    /// Position and radius of a control point.
    #[inline]
    pub(crate) fn vertex(&self, vertex: Vec4) -> DVec4 {
        let p = self.vector(vertex.truncate().as_dvec3() - self.origin);
        p.extend(vertex.w.into())
    }

    /// Coordinates of a vector.
    #[inline]
    pub(crate) fn vector(&self, v: DVec3) -> DVec3 {
        DVec3::new(self.axes.x_axis.dot(v), self.axes.y_axis.dot(v), self.axes.z_axis.dot(v))
    }

    /// The vector with these coordinates.
    pub(crate) fn object_vector(&self, v: DVec3) -> DVec3 {
        self.axes * v
    }

    /// The point with these coordinates.
    pub(crate) fn object_point(&self, p: DVec3) -> DVec3 {
        self.origin + self.axes * p
    }

    /// Converts a distance in units of the direction to coordinates.
    #[inline]
    pub(crate) fn coordinate(&self, t: f64) -> f64 {
        t * self.length
    }

    /// Converts a coordinate along the ray to units of its direction.
    #[inline]
    pub(crate) fn distance(&self, z: f64) -> f64 {
        z / self.length
    }
}
