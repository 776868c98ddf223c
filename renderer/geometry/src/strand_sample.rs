//! Points of curves, spheres and discs sampled by area, or by the solid angle from a viewpoint.
//!
//! - Tubes and ribbons are sampled by the parametrization of their primitives (`curves/patch`), spheres and discs that
//!   face rays by the cone that they subtend, in object space.
//! - Ribbons that face rays are not sampled.

use glam::{DMat3, DVec3, Vec2, Vec3};
use rayon::prelude::*;

use super::curves::RayFrame;
use super::object_point::AreaPoint;
use super::placement::{SHUTTER_OPEN, Transform};
use super::{Analytic, Geometry, Interaction, PointStyle, Points, Shape};
use renderer_base::math::{RayEnd, in_double};
use renderer_base::sampling::{one_minus_cos_from_sin2, solid_angle_pdf, uniform_cone, uniform_cone_pdf};

/// Sampled point of curves or points, world space.
#[derive(Clone, Copy, Debug)]
pub struct StrandSample {
    /// The point.
    pub end: RayEnd,
    /// Parameter of the segment on curves, as in [`Hit::barycentric`](super::Hit::barycentric).
    pub s: f32,
    /// Density within the primitive: per area `[1/m²]`, or per solid angle from a viewpoint `[1/sr]`.
    pub pdf: f32,
}

/// Viewpoint of samples.
#[derive(Clone, Copy, Debug)]
pub struct StrandViewer {
    /// The point `[m]`.
    pub p: Vec3,
    /// Time in the shutter interval.
    pub time: f32,
    /// True if only the outside of tubes and spheres is sampled.
    pub near_only: bool,
}

impl Shape {
    /// Approximate world-space area of each primitive of curves or points when the shutter opens `[m²]`, that of the sphere
    /// for discs that face rays; zero for ribbons that face rays, and none on other shapes.
    pub fn strand_areas(&self) -> Vec<f32> {
        let linear = in_double(self.placement().open().world_from_object()).matrix3;
        // The mean over all normals.
        let stretch = Analytic::Sphere.transformed_area(&linear) / Analytic::Sphere.area();
        let area = |primitive: u32| match &self.geometry {
            Geometry::Curves(curves) => {
                curves.patch(primitive, SHUTTER_OPEN).map_or(0.0, |patch| patch.area())
            }
            Geometry::Points(points) => points.surface_area(primitive, SHUTTER_OPEN),
            _ => 0.0,
        };
        match &self.geometry {
            Geometry::Curves(_) | Geometry::Points(_) => {
                let primitives = (0..self.primitive_count()).into_par_iter().with_min_len(4096);
                primitives.map(|primitive| (stretch * area(primitive)) as f32).collect()
            }
            _ => vec![],
        }
    }

    /// Samples a point of a primitive of curves or points about uniformly by area, from `u` in `[0,1)²`; on the sphere for
    /// discs that face rays, with the outward normal. `None` if a tube contains the point, and on other shapes.
    pub fn sample_strand(&self, primitive: u32, u: Vec2, time: f32) -> Option<StrandSample> {
        let to_world = &*self.placement().at(time);
        let (point, is_facing) = match &self.geometry {
            Geometry::Curves(curves) => (curves.patch(primitive, time)?.sample(u.as_dvec2(), None)?, false),
            Geometry::Points(points) => {
                let point = points.sample_area(primitive, u.as_dvec2(), time);
                (point, points.style() == PointStyle::Disc)
            }
            _ => return None,
        };
        let mut sample = self.strand_sample(to_world, &point);
        if is_facing && self.flip_normals {
            sample.end.ng = -sample.end.ng;
        }
        Some(sample)
    }

    /// Samples a point of a primitive of curves or points for a viewer from `u` in `[0,1)²`, with its density per solid angle.
    pub fn sample_strand_from(&self, primitive: u32, u: Vec2, viewer: &StrandViewer) -> Option<StrandSample> {
        let to_world = &*self.placement().at(viewer.time);
        let seen_from = object_viewer(to_world, viewer);
        let point = match &self.geometry {
            Geometry::Curves(curves) => {
                let patch = curves.patch(primitive, viewer.time)?;
                let point = patch.sample(u.as_dvec2(), viewer.near_only.then_some(seen_from))?;
                // An opaque tube hides the points that it contains.
                let is_exposed = viewer.near_only || !patch.is_round() || {
                    let frame = RayFrame::new(seen_from, point.p - seen_from, viewer.time);
                    curves.is_met_at(primitive, &frame, &point)
                };
                is_exposed.then_some(point)?
            }
            Geometry::Points(points) if is_in_cone(points, viewer) => {
                let cone = Cone::new(points, primitive, viewer.time, seen_from)?;
                let direction = cone.sample(u);
                let (from_center, normal) = cone.meet(points.style(), direction);
                let vertex = points.vertex_at(primitive, viewer.time);
                let object = Points::geometry_towards(vertex, from_center, normal);
                let end = self.strand_end(to_world, (object.p, object.n), object.radius);
                let world = in_double(to_world.world_from_object()).matrix3 * direction;
                let pdf = cone.pdf(to_world, world.length().recip());
                return Some(StrandSample { end, s: 0.0, pdf });
            }
            Geometry::Points(points) => points.sample_area(primitive, u.as_dvec2(), viewer.time),
            _ => return None,
        };
        let sample = self.strand_sample(to_world, &point);
        let way = sample.end.p - viewer.p;
        let cos = way.normalize_or_zero().dot(sample.end.ng);
        let pdf = solid_angle_pdf(sample.pdf, way.length_squared(), cos);
        Some(StrandSample { pdf, ..sample })
    }

    /// Density of [`Shape::sample_strand_from`] `[1/sr]` at a hit of a ray from the viewer; 0 if it does not sample the point.
    pub fn strand_pdf_from(&self, it: &Interaction, viewer: &StrandViewer) -> f32 {
        let to_world = &*self.placement().at(it.time);
        let cos = it.wo.dot(it.ng);
        let is_hidden = viewer.near_only && (cos < 0.0) != self.flip_normals;
        let seen_from = || object_viewer(to_world, viewer);
        let object_pdf = match &self.geometry {
            Geometry::Points(points) if is_in_cone(points, viewer) => {
                let found = Cone::new(points, it.primitive, it.time, seen_from());
                let turned = to_world.exact_object_from_world().matrix3 * it.wo.as_dvec3();
                return found.map_or(0.0, |cone| cone.pdf(to_world, turned.length()));
            }
            Geometry::Points(points) => points.surface_area(it.primitive, it.time).recip(),
            Geometry::Curves(curves) => {
                let ng = if self.flip_normals { -it.ng } else { it.ng };
                let n = in_double(to_world.world_from_object()).matrix3.transpose() * ng.as_dvec3();
                let viewer = viewer.near_only.then(seen_from);
                let patch = curves
                    .patch(it.primitive, it.time)
                    .filter(|patch| !(is_hidden && patch.is_round()));
                let s = curves.segment_parameter(it.primitive, it.uv.x);
                patch.map_or(0.0, |patch| patch.pdf(s, (n.normalize(), it.uv.y.into()), viewer))
            }
            _ => 0.0,
        };
        let pdf_area = object_pdf as f32 / to_world.area_stretch(it.ng);
        solid_angle_pdf(pdf_area, (it.p - viewer.p).length_squared(), cos)
    }

    /// Converts a point of object space, and its density per area.
    fn strand_sample(&self, to_world: &Transform, point: &AreaPoint) -> StrandSample {
        let end = self.strand_end(to_world, (point.p, point.n), point.radius);
        let pdf = point.pdf as f32 / to_world.area_stretch(end.ng);
        StrandSample { end, s: point.s as f32, pdf }
    }
}

fn object_viewer(to_world: &Transform, viewer: &StrandViewer) -> DVec3 {
    to_world.exact_object_from_world().transform_point3(viewer.p.as_dvec3())
}

/// Returns whether points are sampled by their cones.
fn is_in_cone(points: &Points, viewer: &StrandViewer) -> bool {
    match points.style() {
        PointStyle::Sphere => viewer.near_only,
        PointStyle::Disc => true,
        PointStyle::OrientedDisc => false,
    }
}

/// Cone that a sphere subtends from outside, object space.
struct Cone {
    to_center: DVec3,
    radius: f64,
    one_minus_cos: f32,
}

impl Cone {
    /// `None` for a viewer in the sphere, or so near that the cone is a hemisphere.
    fn new(points: &Points, primitive: u32, time: f32, viewer: DVec3) -> Option<Cone> {
        let vertex = points.vertex_at(primitive, time).as_dvec4();
        let to_center = vertex.truncate() - viewer;
        let sin2 = (vertex.w * vertex.w / to_center.length_squared()) as f32;
        (sin2 > 0.0 && sin2 < 0.9999).then(|| Cone {
            to_center,
            radius: vertex.w,
            one_minus_cos: one_minus_cos_from_sin2(sin2),
        })
    }

    /// Unit vector of a direction, uniform in the cone.
    fn sample(&self, u: Vec2) -> DVec3 {
        let local = uniform_cone(u, self.one_minus_cos).as_dvec3();
        let axis = self.to_center.normalize();
        let (x, y) = axis.any_orthonormal_pair();
        (x * local.x + y * local.y + axis * local.z).normalize()
    }

    /// Vector from the centre to the point where the direction meets the sphere or the disc, and the normal of the disc.
    fn meet(&self, style: PointStyle, direction: DVec3) -> (DVec3, Option<DVec3>) {
        let nearest = direction * direction.dot(self.to_center) - self.to_center;
        match style {
            PointStyle::Disc | PointStyle::OrientedDisc => (nearest, Some(-direction)),
            PointStyle::Sphere => {
                let chord = self.radius * self.radius - nearest.length_squared();
                (nearest - direction * chord.max(0.0).sqrt(), None)
            }
        }
    }

    /// Density of directions in world space [1/sr], for the length of the unit vector of the direction in object space.
    fn pdf(&self, to_world: &Transform, length: f64) -> f32 {
        // A linear map scales the solid angle about a vector by its determinant over the cube of the vector's stretch.
        let linear: DMat3 = in_double(to_world.world_from_object()).matrix3;
        let scale = 1.0 / (linear.determinant().abs() * length * length * length);
        uniform_cone_pdf(self.one_minus_cos) * scale as f32
    }
}
