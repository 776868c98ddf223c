//! Triangular emitters: sampled by area, or by solid angle where they appear large.

use glam::{Vec2, Vec3};

use super::emission_distribution::EmissionSample;
use super::sample::SeenPoint;
use renderer_base::math::RayEnd;
use renderer_base::sampling::{MIN_SOLID_ANGLE, SphericalTriangle, solid_angle_pdf, triangle};
use renderer_geometry::{SHUTTER_OPEN, Shape};

/// Triangle in world space.
#[derive(Clone, Copy, Debug)]
pub(super) struct LightTriangle {
    p: Vec3,
    edge1: Vec3,
    edge2: Vec3,
    ng: Vec3,
    /// Inverse of the area [1/m²]; 0 for a degenerate triangle, which is never selected.
    pub(super) inverse_area: f32,
    p_error: f32,
    /// Maximum distance of a corner from the centroid [m].
    radius: f32,
}

impl LightTriangle {
    pub(super) fn new(shape: &Shape, primitive: u32) -> LightTriangle {
        LightTriangle::at(shape, primitive, SHUTTER_OPEN)
    }

    /// A triangle of a shape at a time of the shutter interval.
    pub(super) fn at(shape: &Shape, primitive: u32, time: f32) -> LightTriangle {
        let [p, b, c] = shape.triangle_at(primitive, time);
        let point = shape.surface_point_at(primitive, Vec2::splat(1.0 / 3.0), time);
        let to_centroid = (b - p + (c - p)) / 3.0;
        let from_centroid = |corner: Vec3| (corner - p - to_centroid).length();
        LightTriangle {
            p,
            edge1: b - p,
            edge2: c - p,
            ng: point.ng,
            inverse_area: shape.pdf_area_at(primitive, point.ng, time),
            p_error: point.p_error,
            radius: [p, b, c].map(from_centroid).into_iter().fold(0.0, f32::max),
        }
    }

    /// Unit geometric normal.
    pub(super) fn ng(&self) -> Vec3 {
        self.ng
    }

    pub(super) fn corners(&self) -> [Vec3; 3] {
        [self.p, self.p + self.edge1, self.p + self.edge2]
    }

    /// Area [m²].
    pub(super) fn area(&self) -> f32 {
        0.5 * self.edge1.cross(self.edge2).length()
    }

    /// Point with these barycentric weights of the second and third corner.
    #[inline]
    pub(super) fn point(&self, barycentric: Vec2) -> RayEnd {
        RayEnd {
            p: self.p + self.edge1 * barycentric.x + self.edge2 * barycentric.y,
            p_error: self.p_error,
            ng: self.ng,
        }
    }

    /// Maps a point of the parameter square to the triangle by area, for the reference point `p`.
    #[inline]
    pub(super) fn seen_from(&self, p: Vec3, place: &EmissionSample) -> Option<SeenPoint> {
        self.seen(p, place, None)
    }

    /// Density of `seen_from` at a point `found` [1/sr]; `density` is that of the point in the parameter square, `cos`
    /// the cosine between the normal and the direction to `p`.
    #[inline]
    pub(super) fn pdf(&self, p: Vec3, density: f32, (found, cos): (Vec3, f32)) -> f32 {
        solid_angle_pdf(density * self.inverse_area, (found - p).length_squared(), cos)
    }

    /// Maps a point of the parameter square to the triangle, by solid angle if the triangle appears large from `p`,
    /// else by area.
    #[inline]
    pub(super) fn face_from(&self, p: Vec3, place: &EmissionSample) -> Option<SeenPoint> {
        self.seen(p, place, self.spherical(p).as_ref())
    }

    /// Density of `face_from` [1/sr]; parameters as for [`LightTriangle::pdf`].
    #[inline]
    pub(super) fn face_pdf(&self, p: Vec3, density: f32, at: (Vec3, f32)) -> f32 {
        match self.spherical(p) {
            Some(spherical) => density / spherical.solid_angle(),
            None => self.pdf(p, density, at),
        }
    }

    #[inline(always)]
    fn seen(
        &self,
        p: Vec3,
        place: &EmissionSample,
        spherical: Option<&SphericalTriangle>,
    ) -> Option<SeenPoint> {
        let barycentric = match spherical {
            Some(spherical) => spherical.barycentric(place.u),
            None => triangle(place.u),
        };
        let pdf = |distance_squared, cos| match spherical {
            Some(spherical) => place.density / spherical.solid_angle(),
            None => solid_angle_pdf(place.density * self.inverse_area, distance_squared, cos),
        };
        SeenPoint::from(p, self.point(barycentric), (place.primitive, barycentric), pdf)
    }

    /// Spherical triangle about `p`; `None` if the triangle is sampled by area.
    #[inline]
    fn spherical(&self, p: Vec3) -> Option<SphericalTriangle> {
        let to_corner = self.p - p;
        let height = to_corner.dot(self.ng).abs();
        let to_centroid = to_corner + (self.edge1 + self.edge2) / 3.0;
        let nearest = (to_centroid.length() - self.radius).max(height);
        // The solid angle is at most area times height over the cube of the minimum distance. This bound rejects most
        // triangles cheaply.
        let bound = MIN_SOLID_ANGLE * self.inverse_area * nearest * nearest * nearest;
        // Near the plane, rounding displaces points of the farther parts.
        if height <= bound || height <= 5e-3 * self.radius {
            return None;
        }
        let area = self.inverse_area.recip();
        let spherical = SphericalTriangle::new(to_corner, [self.edge1, self.edge2], area, height);
        (spherical.solid_angle() > MIN_SOLID_ANGLE).then_some(spherical)
    }

    /// Inverse of [`triangle`]: the point of the parameter square for a point of the plane.
    pub(super) fn place_of(&self, p: Vec3) -> Vec2 {
        // Projects along the axis in which the normal is largest.
        let n = self.ng.abs();
        let flat = |v: Vec3| {
            if n.x > n.y.max(n.z) {
                Vec2::new(v.y, v.z)
            } else if n.y > n.z {
                Vec2::new(v.z, v.x)
            } else {
                Vec2::new(v.x, v.y)
            }
        };
        let (edge1, edge2, v) = (flat(self.edge1), flat(self.edge2), flat(p - self.p));
        let determinant = edge1.perp_dot(edge2);
        let b = Vec2::new(v.perp_dot(edge2), edge1.perp_dot(v)) / determinant;
        let b = b.clamp(Vec2::ZERO, Vec2::ONE);
        if b.y > b.x {
            Vec2::new(2.0 * b.x, b.x + b.y)
        } else {
            Vec2::new(b.x + b.y, 2.0 * b.y)
        }
    }
}
