//! Spherical emitters: sampled by the cone of directions that they subtend; precise for distant and small spheres.
//!
//! A direction of the cone hits the sphere twice. The far side is visible where the near one is transparent, so the
//! caller selects one of the two.
// Shirley, Wang & Zimmerman 1996, "Monte Carlo Techniques for Direct Lighting Calculations", section 3.2.

use glam::{Vec2, Vec3};

use renderer_base::math::{Frame, safe_sqrt, sqr};
use renderer_base::sampling::{one_minus_cos_from_sin2, uniform_cone, uniform_cone_pdf};
use renderer_geometry::Shape;

/// Shape that is a sphere in world space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sphere {
    center: Vec3,
    radius: f32,
    /// Error bound of its points along their normals [m].
    pub(super) p_error: f32,
}

/// Cone that a sphere subtends from outside.
pub(super) struct Cone {
    axis: Vec3,
    distance: f32,
    one_minus_cos: f32,
}

/// Point of a sphere sampled by its cone.
pub(super) struct SpherePoint {
    /// Unit vector towards the point.
    pub(super) wi: Vec3,
    pub(super) p: Vec3,
    /// Outward unit normal.
    pub(super) outward: Vec3,
}

impl Sphere {
    /// Returns the sphere of a shape; `None` if the shape is not a sphere, or is stretched.
    pub(super) fn of(shape: &Shape) -> Option<Sphere> {
        shape
            .analytic()
            .filter(|&analytic| analytic == renderer_geometry::Analytic::Sphere)?;
        let to_world = shape.placement().open();
        let mut sphere = Sphere {
            center: to_world.origin(),
            radius: to_world.uniform_scale()?,
            p_error: 0.0,
        };
        // The error along a normal is a sum over the axes: twice the largest error along an axis bounds it.
        let object_from_world = to_world.exact_object_from_world();
        let error = |direction: Vec3| {
            let p = sphere.center + direction * sphere.radius;
            let object = object_from_world.transform_point3(p.as_dvec3());
            shape.analytic_near(object.as_vec3()).map_or(0.0, |point| point.p_error)
        };
        sphere.p_error = 2.0 * Vec3::AXES.map(|axis| error(axis).max(error(-axis))).iter().sum::<f32>();
        Some(sphere)
    }

    /// Cone for a point outside; `None` from inside, or so close that the cone is a hemisphere.
    #[inline]
    pub(super) fn cone(&self, p: Vec3) -> Option<Cone> {
        let to_center = self.center - p;
        let distance_squared = to_center.length_squared();
        let sin2 = sqr(self.radius) / distance_squared;
        (sin2 < 0.9999).then(|| {
            let distance = distance_squared.sqrt();
            Cone {
                axis: to_center / distance,
                distance,
                one_minus_cos: one_minus_cos_from_sin2(sin2),
            }
        })
    }

    /// Samples the point where a direction of the cone enters the sphere, or leaves it on the far side.
    #[inline]
    pub(super) fn sample(&self, cone: &Cone, u: Vec2, far: bool) -> SpherePoint {
        let local = uniform_cone(u, cone.one_minus_cos);
        let sin2 = sqr(local.x) + sqr(local.y);
        // Half chord by Pythagoras, and the normal without cancellation.
        let half_chord = safe_sqrt(sqr(self.radius) - sqr(cone.distance) * sin2);
        let half_chord = if far { half_chord } else { -half_chord };
        let along = cone.distance * local.z + half_chord;
        let normal = Vec3::new(local.x * along, local.y * along, half_chord * local.z - cone.distance * sin2);
        let frame = Frame::from_normal(cone.axis);
        let outward = frame.to_world(normal).normalize_or(-cone.axis);
        SpherePoint {
            wi: frame.to_world(local),
            p: self.center + outward * self.radius,
            outward,
        }
    }
}

impl Cone {
    /// Density of directions in the cone [1/sr].
    #[inline]
    pub(super) fn pdf(&self) -> f32 {
        uniform_cone_pdf(self.one_minus_cos)
    }
}
