//! Points: spheres or discs with a centre and a radius each; valid by construction.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use glam::{Affine3A, DVec2, DVec3, DVec4, Vec3, Vec4};

use super::curves::{CurvesError, RayFrame, check_vertices};
use super::object_point::{AreaPoint, ObjectPoint};
use super::strand_motion::{StrandMotion, blended};
use super::{Analytic, MeshAttribute};
use renderer_base::math::{Bounds, sin_cos};

/// Surface of each point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointStyle {
    /// Sphere.
    Sphere,
    /// Disc that faces the ray.
    Disc,
    /// Disc across the normal of the point.
    OrientedDisc,
}

/// Points in object space.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    style: PointStyle,
    vertices: Vec<Vec4>,
    normals: Vec<Vec3>,
    attributes: Vec<MeshAttribute>,
    /// Bounds over the shutter interval.
    bounds: Bounds,
    /// Motion of the points, if they move; `vertices` has them as they are when the shutter opens.
    motion: Option<StrandMotion>,
}

impl Points {
    /// Spheres or discs with a position and a radius each [m]. Only [`PointStyle::OrientedDisc`] has normals; attributes
    /// are by point.
    ///
    /// # Errors
    /// The first error found.
    pub fn new(
        style: PointStyle,
        vertices: Vec<Vec4>,
        normals: Vec<Vec3>,
        attributes: Vec<MeshAttribute>,
    ) -> Result<Points, CurvesError> {
        if vertices.is_empty() {
            return Err(CurvesError::Empty("points"));
        }
        let most = u32::MAX as usize - 1;
        if vertices.len() > most {
            return Err(CurvesError::TooLarge { what: "points", found: vertices.len(), most });
        }
        check_vertices(&vertices)?;
        let is_normal = |n: &&Vec3| n.is_finite() && n.length_squared() > f32::MIN_POSITIVE;
        let found = normals.iter().filter(is_normal).count();
        let expected = if style == PointStyle::OrientedDisc { vertices.len() } else { 0 };
        if found != normals.len() || found != expected {
            return Err(CurvesError::Normals { expected, found });
        }
        for attribute in &attributes {
            if !attribute.is_valid(vertices.len()) {
                return Err(CurvesError::Attribute(attribute.name.clone()));
            }
        }
        let mut points = Points {
            style,
            vertices,
            normals,
            attributes,
            bounds: Bounds::EMPTY,
            motion: None,
        };
        let all = points.vertices.iter().map(|vertex| bounds_of(*vertex, &Affine3A::IDENTITY));
        points.bounds = all.fold(Bounds::EMPTY, Bounds::union);
        Ok(points)
    }

    /// Points that move, by keys at uniform times of the shutter interval; the rest is that of the first key. `None` if the
    /// keys are not alike, or there is none.
    ///
    /// # Panics
    /// If there are more keys than [`MAX_PLACEMENT_KEYS`](crate::MAX_PLACEMENT_KEYS).
    pub fn moving(keys: &[Arc<Points>]) -> Option<Points> {
        let first = keys.first()?;
        if !keys.iter().all(|key| key.is_alike(first)) {
            return None;
        }
        let motion = StrandMotion::new(keys.iter().map(|key| key.key()));
        let bounds = keys.iter().fold(Bounds::EMPTY, |bounds, key| bounds.union(key.bounds));
        Some(Points { motion, bounds, ..Points::clone(first) })
    }

    /// Returns whether other points have the same number and style.
    pub fn is_alike(&self, other: &Points) -> bool {
        (self.style, self.vertices.len()) == (other.style, other.vertices.len())
    }

    /// Points between these and others that are alike.
    ///
    /// # Errors
    /// If a point or a normal between them is invalid.
    pub fn blended(&self, other: &Points, part: f32) -> Result<Points, CurvesError> {
        let (vertices, normals) = blended([self.key(), other.key()], part);
        Points::new(self.style, vertices, normals, self.attributes.clone())
    }

    /// The points at other positions, with other radii.
    ///
    /// # Errors
    /// If a position or a radius is invalid, or the number of vertices differs from that of normals or attributes.
    pub fn with_vertices(&self, vertices: Vec<Vec4>) -> Result<Points, CurvesError> {
        Points::new(self.style, vertices, self.normals.clone(), self.attributes.clone())
    }

    /// Motion of the points, if they move.
    #[inline]
    pub fn motion(&self) -> Option<&StrandMotion> {
        self.motion.as_ref()
    }

    fn key(&self) -> (&[Vec4], &[Vec3]) {
        (&self.vertices, &self.normals)
    }

    /// Centre and radius of a point at a time of the shutter interval `[m]`.
    ///
    /// # Panics
    /// If there is no such point.
    #[inline]
    pub fn vertex_at(&self, primitive: u32, time: f32) -> Vec4 {
        match &self.motion {
            None => self.vertices[primitive as usize],
            Some(motion) => motion.vertex(primitive as usize, time),
        }
    }

    /// Normal of an oriented point at a time of the shutter interval, not normalized.
    #[inline]
    pub(super) fn normal_at(&self, primitive: u32, time: f32) -> DVec3 {
        let normal = match &self.motion {
            None => self.normals[primitive as usize],
            Some(motion) => motion.normal(primitive as usize, time),
        };
        normal.as_dvec3()
    }

    /// Centres and radii at each key of the motion; one list if they are constant.
    pub(super) fn keys(&self) -> &[Vec<Vec4>] {
        match &self.motion {
            None => std::slice::from_ref(&self.vertices),
            Some(motion) => motion.vertices(),
        }
    }

    /// Surface of each point.
    pub fn style(&self) -> PointStyle {
        self.style
    }

    /// Centres and radii `[m]`.
    pub fn vertices(&self) -> &[Vec4] {
        &self.vertices
    }

    /// Normals of the points; empty unless they are oriented.
    pub fn normals(&self) -> &[Vec3] {
        &self.normals
    }

    /// Values by name, one for each point.
    pub fn attributes(&self) -> &[MeshAttribute] {
        &self.attributes
    }

    /// Number of points.
    pub fn primitive_count(&self) -> u32 {
        self.vertices.len() as u32
    }

    /// Bounding box `[m]`.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Memory in use [bytes].
    pub fn memory(&self) -> usize {
        let attributes: usize = self.attributes.iter().map(|attribute| size_of_val(&*attribute.values)).sum();
        size_of_val(&*self.vertices)
            + size_of_val(&*self.normals)
            + attributes
            + self.motion.as_ref().map_or(0, StrandMotion::memory)
    }

    /// Area of a point's surface at a time of the shutter interval [m²]; of the sphere around a disc that faces rays.
    pub(super) fn surface_area(&self, primitive: u32, time: f32) -> f64 {
        let radius = f64::from(self.vertex_at(primitive, time).w);
        let share = match self.style {
            PointStyle::Sphere | PointStyle::Disc => 4.0,
            PointStyle::OrientedDisc => 1.0,
        };
        share * PI * radius * radius
    }

    /// A point at `u` in the unit square, uniform by area on the surface of [`Points::surface_area`].
    pub(super) fn sample_area(&self, primitive: u32, u: DVec2, time: f32) -> AreaPoint {
        let vertex = DVec4::from(self.vertex_at(primitive, time));
        let (from_center, n) = match self.style {
            PointStyle::Sphere | PointStyle::Disc => {
                let n = Analytic::Sphere.sample(u);
                (n, n)
            }
            PointStyle::OrientedDisc => {
                let n = self.normal_at(primitive, time).normalize_or(DVec3::Z);
                let (x, y) = n.any_orthonormal_pair();
                let (sin, cos) = sin_cos(TAU * u.y);
                ((x * cos + y * sin) * u.x.sqrt(), n)
            }
        };
        AreaPoint {
            p: vertex.truncate() + from_center * vertex.w,
            n,
            radius: vertex.w,
            s: 0.0,
            pdf: self.surface_area(primitive, time).recip(),
        }
    }

    /// Distance of the first hit on a point between two distances, in units of the direction. `rounding` bounds the
    /// distance between a hit and the origin of a ray that leaves it [m].
    #[inline]
    pub(crate) fn intersect(
        &self,
        primitive: u32,
        frame: &RayFrame,
        [near, far]: [f64; 2],
        rounding: f64,
    ) -> Option<f64> {
        let v = frame.vertex(self.vertex_at(primitive, frame.time));
        let inside = |z: &f64| {
            let t = frame.distance(*z);
            t > near && t < far
        };
        let across = v.x * v.x + v.y * v.y;
        let chord = v.w * v.w - across;
        let z = match self.style {
            PointStyle::Sphere | PointStyle::Disc if chord < 0.0 => None,
            PointStyle::Sphere => {
                let half = chord.sqrt();
                [v.z - half, v.z + half].into_iter().find(inside)
            }
            // Only rays from outside its sphere meet a disc that faces them: it faces a ray that leaves it anew.
            PointStyle::Disc => {
                let radius = v.w * (1.0 + 1e-6) + rounding;
                let entry = v.z - (radius * radius - across).sqrt();
                (entry > 0.0).then_some(v.z).filter(inside)
            }
            PointStyle::OrientedDisc => {
                let n = frame.vector(self.normal_at(primitive, frame.time));
                let z = (n.x * v.x + n.y * v.y) / n.z + v.z;
                let is_within = DVec3::new(v.x, v.y, v.z - z).length_squared() <= v.w * v.w;
                Some(z).filter(|z| is_within && inside(z))
            }
        };
        z.map(|z| frame.distance(z))
    }

    /// Geometric data at a hit of the ray with this frame.
    pub(super) fn geometry_at(&self, primitive: u32, frame: &RayFrame, t: f64) -> ObjectPoint {
        let v = frame.vertex(self.vertex_at(primitive, frame.time));
        let from_center = frame.object_vector(DVec3::new(0.0, 0.0, frame.coordinate(t)) - v.truncate());
        let facing = frame.object_vector(DVec3::NEG_Z);
        let normal = match self.style {
            PointStyle::Disc => Some(facing),
            PointStyle::OrientedDisc => Some(self.normal_at(primitive, frame.time).normalize_or(DVec3::Z)),
            PointStyle::Sphere => None,
        };
        Points::geometry_towards(self.vertex_at(primitive, frame.time), from_center, normal)
    }

    /// Geometric data at a vector from the centre of a point; `normal` is that of a disc.
    pub(super) fn geometry_towards(vertex: Vec4, from_center: DVec3, normal: Option<DVec3>) -> ObjectPoint {
        let vertex = DVec4::from(vertex);
        let (center, radius) = (vertex.truncate(), vertex.w);
        match normal {
            None => {
                let local = Analytic::Sphere.local_point(from_center);
                ObjectPoint {
                    p: center + local.n * radius,
                    n: local.n,
                    uv: local.uv,
                    dpdu: local.dpdu * radius,
                    dpdv: local.dpdv * radius,
                    radius,
                }
            }
            Some(n) => {
                let across = from_center - n * n.dot(from_center);
                let distance = across.length();
                let (s, t) = n.any_orthonormal_pair();
                let turns = renderer_base::math::atan2(across.dot(t), across.dot(s)) / TAU;
                ObjectPoint {
                    p: center + across,
                    n,
                    uv: DVec2::new(distance / radius, if turns < 0.0 { turns + 1.0 } else { turns })
                        .as_vec2(),
                    dpdu: across / distance * radius,
                    dpdv: n.cross(across) * TAU,
                    radius,
                }
            }
        }
    }
}

/// Bounding box of a point under a transform, enlarged by its rounding.
pub(super) fn bounds_of(vertex: Vec4, to_world: &Affine3A) -> Bounds {
    let matrix = to_world.matrix3;
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(Vec3::from);
    // The extent of a transformed sphere along an axis is the length of that row of the matrix.
    let extent = (x * x + y * y + z * z).map(f32::sqrt) * vertex.w;
    let center = to_world.transform_point3(vertex.truncate());
    let magnitude = matrix.abs() * vertex.truncate().abs() + Vec3::from(to_world.translation).abs();
    let margin = extent + (magnitude + extent) * (16.0 * f32::EPSILON) + f32::MIN_POSITIVE;
    Bounds { min: center - margin, max: center + margin }
}
