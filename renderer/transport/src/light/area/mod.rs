//! Area lights: shapes that emit through their shader, sampled by solid angle, by cone (spheres) or by an emission
//! distribution.
//!
//! - A shape is one light with one or many primitives: its points are selected by its [`EmissionDistribution`]. Where
//!   emission is uniform, spheres are sampled by the cone that they subtend, and faces that appear large by solid
//!   angle. Curves and points are sampled as `strand` describes; ribbons that face rays are no lights.
//! - Every point that may emit has a nonzero density, even if the probes found no emission there, except ends of strands
//!   where the curve has no tangent.

mod emission;

use std::f32::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

use glam::{Vec2, Vec3};

use super::bounds::{LightBounds, cone_of};
use super::emission_distribution::{EmissionDistribution, Probing};
use super::face::Faces;
use super::sample::{LightSample, LightViewer, SampledEmission, SeenPoint};
use super::sphere::Sphere;
use super::strand::Strands;
use super::triangle::LightTriangle;
use crate::material::{Host, Material, ShadingContext};
use renderer_base::color::Rgb;
use renderer_base::math::{Ray, RayEnd, cos};
use renderer_base::sampling::solid_angle_pdf;
use renderer_geometry::{
    Analytic, Geometry, Interaction, PointStyle, SHUTTER_OPEN, Shape, ShapeId, SurfacePoint,
};

/// Emissive shape.
#[derive(Clone, Debug)]
pub struct AreaLight {
    shape: Shape,
    id: ShapeId,
    material: Material,
    pattern: EmissionDistribution,
    surface: EmitterShape,
    power: f32,
}

/// Geometry to which the parameter squares of the distribution are mapped.
#[derive(Clone, Debug)]
enum EmitterShape {
    /// Triangles of a mesh with varying emission.
    Triangles(Vec<LightTriangle>),
    /// Faces of a mesh with uniform emission; they are the primitives of the distribution.
    Faces(Faces),
    /// Mesh that moves while the shutter is open; its triangles are computed at the time of a sample.
    Moving,
    Sphere(Sphere, SphereShares),
    Analytic(Analytic),
    /// Curves or points; their parts are the primitives of the distribution.
    Strands(Strands),
}

/// Probabilities of the sampling strategies for a sphere.
#[derive(Clone, Copy, Debug)]
struct SphereShares {
    /// Probability of cone sampling for reference points outside; the remainder samples the distribution.
    cone: f32,
    /// Fraction of the cone samples that lie on the far side.
    far: f32,
}

impl AreaLight {
    /// Creates the area light of a shape; `None` if its material cannot emit, or the shape has no area or consists of ribbons
    /// that face rays.
    pub fn new(
        shape: Shape,
        id: ShapeId,
        material: Material,
        probing: Probing,
        host: &Arc<Host>,
    ) -> Option<AreaLight> {
        if !material.may_emit() || material.constant_emission().is_some_and(Rgb::is_black) {
            return None;
        }
        let is_hidden = has_facing_discs(&shape) && shape.flip_normals && !material.two_sided_emission();
        if is_hidden {
            return None;
        }
        let areas = areas_of(&shape);
        let area: f64 = areas.iter().copied().map(f64::from).sum();
        let has_area = area > 0.0 && area.is_finite();
        if !has_area {
            return None;
        }
        let surface = EmitterShape::of(&shape, &material);
        let mut light = AreaLight {
            pattern: match &surface {
                EmitterShape::Faces(faces) => {
                    EmissionDistribution::by_area(&faces.areas().collect::<Vec<_>>())
                }
                EmitterShape::Triangles(_)
                | EmitterShape::Moving
                | EmitterShape::Strands(_)
                | EmitterShape::Sphere(..)
                | EmitterShape::Analytic(_) => EmissionDistribution::by_area(&areas),
            },
            surface,
            shape,
            id,
            material,
            power: 0.0,
        };
        if let Some(radiance) = light.material.constant_emission() {
            let exitance = f64::from(PI * light.sides() * radiance.luminance());
            light.power = (exitance * area) as f32;
        } else {
            let is_divided = !matches!(light.surface, EmitterShape::Strands(_));
            let probing = if is_divided { probing } else { probing.undivided() };
            let context = || ShadingContext::new(host.clone());
            let (pattern, power) =
                EmissionDistribution::probed(&areas, probing, context, |probe, context| {
                    light.probe(probe, context)
                });
            (light.pattern, light.power) = (pattern, power);
        }
        light.group_strands(areas.len() as u32);
        Some(light)
    }

    /// Replaces the distribution over the primitives of curves and points by one over parts.
    fn group_strands(&mut self, count: u32) {
        if let EmitterShape::Strands(strands) = &mut self.surface {
            let powers: Vec<f32> = (0..count).map(|primitive| self.pattern.probability(primitive)).collect();
            let parts = strands.group(&powers);
            self.pattern = EmissionDistribution::by_area(&parts);
        }
    }

    /// Estimated luminance of the radiant power [W], computed at creation; 0 if the probes found no emission.
    pub(super) fn power(&self) -> f32 {
        self.power
    }

    /// Number of parts for light selection.
    pub(super) fn parts(&self) -> u32 {
        match &self.surface {
            EmitterShape::Faces(faces) => faces.len(),
            EmitterShape::Strands(strands) => strands.parts(&self.shape),
            EmitterShape::Triangles(_)
            | EmitterShape::Moving
            | EmitterShape::Sphere(..)
            | EmitterShape::Analytic(_) => 1,
        }
    }

    /// Part to which a primitive belongs.
    #[inline]
    pub(super) fn part_of(&self, primitive: u32) -> u32 {
        match &self.surface {
            EmitterShape::Faces(faces) => faces.index_of(primitive),
            EmitterShape::Strands(strands) => strands.part_of(primitive),
            EmitterShape::Triangles(_)
            | EmitterShape::Moving
            | EmitterShape::Sphere(..)
            | EmitterShape::Analytic(_) => 0,
        }
    }

    /// Fraction of the light's power that belongs to a part.
    #[inline]
    pub(super) fn part_probability(&self, part: u32) -> f32 {
        match &self.surface {
            EmitterShape::Faces(_) | EmitterShape::Strands(_) => self.pattern.probability(part),
            EmitterShape::Triangles(_)
            | EmitterShape::Moving
            | EmitterShape::Sphere(..)
            | EmitterShape::Analytic(_) => 1.0,
        }
    }

    /// Selects a part in proportion to power by `u` in `[0,1)`; also returns the rescaled `u`.
    pub(super) fn part_by_power(&self, u: f64) -> (u32, f64) {
        match &self.surface {
            EmitterShape::Faces(_) | EmitterShape::Strands(_) => {
                let place = self.pattern.sample(u, Vec2::ZERO);
                (place.primitive, place.rest)
            }
            EmitterShape::Triangles(_)
            | EmitterShape::Moving
            | EmitterShape::Sphere(..)
            | EmitterShape::Analytic(_) => (0, u),
        }
    }

    /// Position, intensity and orientation bounds of a part.
    pub(super) fn bounds(&self, part: u32) -> LightBounds {
        let bounds = match &self.surface {
            EmitterShape::Faces(faces) => faces.bounds(part),
            EmitterShape::Strands(strands) => strands.bounds(&self.shape, part),
            EmitterShape::Triangles(_)
            | EmitterShape::Moving
            | EmitterShape::Sphere(..)
            | EmitterShape::Analytic(_) => self.shape.bounds(),
        };
        let (axis, spread) = match &self.surface {
            _ if self.material.two_sided_emission() || self.shape.is_moving() => (Vec3::Z, PI),
            EmitterShape::Triangles(triangles) => cone_of(triangles.iter().map(LightTriangle::ng)),
            EmitterShape::Faces(faces) => (faces.normal(part), 0.0),
            EmitterShape::Analytic(Analytic::Disk) => {
                let p = self.shape.placement().open().origin();
                (self.analytic_at(p, SHUTTER_OPEN).ng, 0.0)
            }
            EmitterShape::Moving
            | EmitterShape::Sphere(..)
            | EmitterShape::Analytic(_)
            | EmitterShape::Strands(_) => (Vec3::Z, PI),
        };
        LightBounds {
            center: bounds.center(),
            radius: bounds.radius(),
            // The power of a flat light is π times its intensity along the normal; for other shapes this bound is a few
            // times too large.
            intensity: self.power * self.part_probability(part) / (PI * self.sides()),
            axis,
            spread,
            falloff: FRAC_PI_2,
        }
    }

    /// Samples a point of a part by `u_primitive` and `u`, for a reference point.
    pub(super) fn sample_li(
        &self,
        viewer: &LightViewer,
        part: u32,
        u_primitive: f64,
        u: Vec2,
    ) -> Option<LightSample> {
        let p = viewer.p;
        match &self.surface {
            EmitterShape::Moving => {
                let place = self.pattern.sample(u_primitive, u);
                let triangle = LightTriangle::at(&self.shape, place.primitive, viewer.time);
                let seen = triangle.seen_from(p, &place);
                self.sample_of(seen.as_ref()?)
            }
            EmitterShape::Triangles(triangles) => {
                let place = self.pattern.sample(u_primitive, u);
                let seen = triangles[place.primitive as usize].seen_from(p, &place);
                self.sample_of(seen.as_ref()?)
            }
            EmitterShape::Faces(faces) => {
                let seen = faces.seen_from(p, part, u);
                self.sample_of(seen.as_ref()?)
            }
            EmitterShape::Strands(strands) => {
                let place = strands.select(part, u_primitive, u);
                let seen = strands.seen_from(&self.shape, (p, viewer.time), &place);
                self.sample_of(seen.as_ref()?)
            }
            EmitterShape::Sphere(sphere, shares) => {
                let seen = self.sample_sphere(p, sphere, *shares, u_primitive, u);
                self.sample_of(seen.as_ref()?)
            }
            EmitterShape::Analytic(_) => {
                let seen = self.sample_analytic(p, viewer.time, u_primitive, u);
                self.sample_of(seen.as_ref()?)
            }
        }
    }

    // Inlined into each branch of its caller, by reference, to avoid copies that stall on store forwarding.
    #[inline(always)]
    fn sample_of(&self, seen: &SeenPoint) -> Option<LightSample> {
        let emits = seen.cos > 0.0 || self.material.two_sided_emission();
        let chosen = emits && seen.pdf > 0.0 && seen.pdf.is_finite();
        chosen.then(|| LightSample {
            wi: seen.wi,
            pdf: seen.pdf,
            is_delta: false,
            end: Some(seen.end),
            shine: match self.material.constant_emission() {
                Some(radiance) => SampledEmission::Known(radiance),
                None => {
                    SampledEmission::FromPoint { primitive: seen.primitive, barycentric: seen.barycentric }
                }
            },
        })
    }

    /// Radiance from a point sampled by `sample_li`, in the direction −`wi`.
    pub(super) fn radiance(
        &self,
        wi: Vec3,
        end: &RayEnd,
        (primitive, barycentric): (u32, Vec2),
        viewer: &LightViewer,
        context: &mut ShadingContext,
    ) -> Rgb {
        let point = match self.surface {
            EmitterShape::Triangles(_) | EmitterShape::Faces(_) | EmitterShape::Moving => {
                self.shape.surface_point_at(primitive, barycentric, viewer.time)
            }
            EmitterShape::Sphere(..) | EmitterShape::Analytic(_) => self.analytic_at(end.p, viewer.time),
            EmitterShape::Strands(_) => {
                let ray = Ray { time: viewer.time, ..Ray::new(viewer.p, wi) };
                let it = self.strand_hit(primitive, (end.p, barycentric.x), &ray);
                return self.material.emission_at(&it, viewer.depth, context);
            }
        };
        let it = Interaction {
            t: (point.p - viewer.p).length(),
            time: viewer.time,
            ..point.seen_from(-wi, self.id, primitive)
        };
        self.material.emission_at(&it, viewer.depth, context)
    }

    /// Density of `sample_li` for the reference point `p` at a point hit by a ray [1/sr].
    #[inline]
    pub(super) fn pdf_li(&self, p: Vec3, found: &Interaction) -> f32 {
        let cos = found.wo.dot(found.ng);
        match &self.surface {
            EmitterShape::Triangles(triangles) => {
                let triangle = &triangles[found.primitive as usize];
                let density = self.pattern.density(found.primitive, || triangle.place_of(found.p));
                triangle.pdf(p, density, (found.p, cos))
            }
            EmitterShape::Faces(faces) => {
                let face = faces.index_of(found.primitive);
                faces.pdf(p, face, (found.p, cos))
            }
            EmitterShape::Moving => {
                let triangle = LightTriangle::at(&self.shape, found.primitive, found.time);
                let density = self.pattern.density(found.primitive, || triangle.place_of(found.p));
                triangle.pdf(p, density, (found.p, cos))
            }
            EmitterShape::Strands(strands) => strands.pdf(&self.shape, p, found),
            EmitterShape::Sphere(sphere, shares) => {
                self.sphere_pdf(p, sphere, *shares, found.p, (found.ng, found.uv), cos)
            }
            EmitterShape::Analytic(analytic) => {
                let density = self.pattern.density(0, || square_of_uv(*analytic, found.uv));
                let pdf_area = density * self.shape.pdf_area_at(0, found.ng, found.time);
                solid_angle_pdf(pdf_area, (found.p - p).length_squared(), cos)
            }
        }
    }

    /// Returns whether the shape moves while the shutter is open.
    pub(super) fn is_moving(&self) -> bool {
        self.shape.is_moving()
    }

    /// The shape.
    #[inline]
    pub(super) fn shape(&self) -> ShapeId {
        self.id
    }

    // ---- Analytic shapes.

    /// Nearest point to `p` on the surface of an analytic shape.
    fn analytic_at(&self, p: Vec3, time: f32) -> SurfacePoint {
        let to_world = self.shape.placement().at(time);
        let object = to_world.exact_object_from_world().transform_point3(p.as_dvec3());
        let point = self.shape.analytic_near_at(object.as_vec3(), time);
        point.expect("the shape is analytic")
    }

    fn sample_analytic(&self, p: Vec3, time: f32, u_primitive: f64, u: Vec2) -> Option<SeenPoint> {
        let place = self.pattern.sample(u_primitive, u);
        let sample = self.shape.sample_area_at(0, place.u, time);
        let to_light = sample.point.p - p;
        let distance_squared = to_light.length_squared();
        let wi = to_light / distance_squared.sqrt();
        let cos = -wi.dot(sample.point.ng);
        (distance_squared > 0.0).then(|| SeenPoint {
            wi,
            cos,
            pdf: solid_angle_pdf(place.density * sample.pdf, distance_squared, cos),
            end: sample.point.ray_end(),
            primitive: 0,
            barycentric: Vec2::ZERO,
        })
    }

    fn sample_sphere(
        &self,
        p: Vec3,
        sphere: &Sphere,
        shares: SphereShares,
        u_strategy: f64,
        u: Vec2,
    ) -> Option<SeenPoint> {
        let share = f64::from(shares.cone);
        let cone = sphere.cone(p);
        let cone = match cone {
            Some(cone) if u_strategy < share => cone,
            // The rescaled random number is reused for the distribution.
            Some(_) => {
                let mut seen =
                    self.sample_analytic(p, SHUTTER_OPEN, (u_strategy - share) / (1.0 - share), u)?;
                let point = self.analytic_at(seen.end.p, SHUTTER_OPEN);
                seen.pdf = self.sphere_pdf(p, sphere, shares, point.p, (point.ng, point.uv), seen.cos);
                return Some(seen);
            }
            None => return self.sample_analytic(p, SHUTTER_OPEN, u_strategy, u),
        };
        let far = u_strategy < share * f64::from(shares.far);
        let chosen = sphere.sample(&cone, u, far);
        // Every direction of the cone hits the outside first; the cosine is needed only for the density of the
        // distribution.
        let ng = if self.shape.flip_normals { -chosen.outward } else { chosen.outward };
        let cos = if far == self.shape.flip_normals { 1.0 } else { -1.0 };
        let pdf = if shares.cone == 1.0 {
            cone.pdf() * if far { shares.far } else { 1.0 - shares.far }
        } else {
            let point = self.analytic_at(chosen.p, SHUTTER_OPEN);
            let cos = cos * chosen.wi.dot(chosen.outward).abs();
            self.sphere_pdf(p, sphere, shares, chosen.p, (ng, point.uv), cos)
        };
        Some(SeenPoint {
            wi: chosen.wi,
            cos,
            pdf,
            end: RayEnd { p: chosen.p, p_error: sphere.p_error, ng },
            primitive: 0,
            barycentric: Vec2::ZERO,
        })
    }

    /// Density of a sphere's point [1/sr]; `cos` is the cosine between its normal and the direction to `p`.
    fn sphere_pdf(
        &self,
        p: Vec3,
        sphere: &Sphere,
        shares: SphereShares,
        point: Vec3,
        (ng, uv): (Vec3, Vec2),
        cos: f32,
    ) -> f32 {
        let by_pattern = || {
            let density = self.pattern.density(0, || square_of_uv(Analytic::Sphere, uv));
            let pdf_area = density * self.shape.pdf_area(0, ng);
            solid_angle_pdf(pdf_area, (point - p).length_squared(), cos)
        };
        let Some(cone) = sphere.cone(p) else {
            return by_pattern();
        };
        let is_far = (cos < 0.0) != self.shape.flip_normals;
        let by_cone = cone.pdf() * if is_far { shares.far } else { 1.0 - shares.far };
        if shares.cone == 1.0 {
            by_cone
        } else {
            shares.cone * by_cone + (1.0 - shares.cone) * by_pattern()
        }
    }
}

impl EmitterShape {
    fn of(shape: &Shape, material: &Material) -> EmitterShape {
        if shape.curves().is_some() || shape.points().is_some() {
            return EmitterShape::Strands(Strands::new(
                !shape.flip_normals && !material.may_be_transparent(),
            ));
        }
        let Some(analytic) = shape.analytic() else {
            if shape.is_moving() {
                return EmitterShape::Moving;
            }
            if material.constant_emission().is_some() {
                return EmitterShape::Faces(Faces::of(shape));
            }
            let triangles = 0..shape.primitive_count();
            return EmitterShape::Triangles(
                triangles.map(|primitive| LightTriangle::new(shape, primitive)).collect(),
            );
        };
        match Sphere::of(shape).filter(|_| !shape.is_moving()) {
            Some(sphere) => EmitterShape::Sphere(sphere, SphereShares::of(shape, material)),
            None => EmitterShape::Analytic(analytic),
        }
    }
}

impl SphereShares {
    fn of(shape: &Shape, material: &Material) -> SphereShares {
        let both = material.two_sided_emission();
        let near_emits = both || !shape.flip_normals;
        let far_is_seen = material.may_be_transparent() && (both || shape.flip_normals);
        SphereShares {
            cone: if material.constant_emission().is_some() { 1.0 } else { 0.5 },
            far: match (near_emits, far_is_seen) {
                (_, false) => 0.0,
                (true, true) => 0.5,
                (false, true) => 1.0,
            },
        }
    }
}

/// Returns whether a shape consists of discs that face rays.
fn has_facing_discs(shape: &Shape) -> bool {
    shape.points().is_some_and(|points| points.style() == PointStyle::Disc)
}

/// Areas of the primitives of a shape [m²].
fn areas_of(shape: &Shape) -> Vec<f32> {
    match &shape.geometry {
        Geometry::Mesh(_) => (0..shape.primitive_count())
            .map(|primitive| shape.triangle_area(primitive))
            .collect(),
        Geometry::Curves(_) | Geometry::Points(_) => shape.strand_areas(),
        Geometry::Sphere | Geometry::Disk | Geometry::Cylinder | Geometry::Cone(_) => vec![shape.area()],
    }
}

/// Point of the parameter square of [`Shape::sample_area`] for the surface parameters `uv`.
fn square_of_uv(analytic: Analytic, uv: Vec2) -> Vec2 {
    match analytic {
        Analytic::Sphere => Vec2::new(uv.x, 0.5 + 0.5 * cos(PI * uv.y)),
        Analytic::Disk => Vec2::new(uv.x * uv.x, uv.y),
        Analytic::Cylinder | Analytic::Cone(_) => Vec2::new(uv.x, analytic.area_below(uv.y)),
    }
}
