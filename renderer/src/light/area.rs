//! Shapes that emit, through their own shader.
//!
//! - A mesh is one light: its triangles are chosen in proportion to the power that the shader gives them at a few points
//!   when the scene is built. A triangle that looked black is never chosen; paths that find it count in full.
//! - Spheres are sampled by the cone that they subtend, other analytic shapes by area.
//! - Light leaves on the side of the geometric normal, on both where the material says so.

use glam::{Vec2, Vec3};

use super::{Emission, LightSample};
use crate::accel::Hit;
use crate::color::Rgb;
use crate::geometry::{Geometry, Interaction, Shape, ShapeId, SurfacePoint, Tangents};
use crate::material::{Material, ShadingContext};
use crate::math::{Frame, Ray, safe_sqrt, sqr};
use crate::sampling::{
    AliasTable, cosine_hemisphere, one_minus_cos_from_sin2, solid_angle_pdf, triangle, uniform_cone,
    uniform_cone_pdf,
};

/// A shape that emits.
#[derive(Clone, Debug)]
pub struct AreaLight {
    shape: Shape,
    id: ShapeId,
    material: Material,
    surface: Surface,
    power: f32,
}

/// How points of the shape are chosen.
#[derive(Clone, Debug)]
enum Surface {
    Triangles {
        table: AliasTable,
        triangles: Vec<LightTriangle>,
    },
    /// A shape that is a sphere in world space too.
    Sphere {
        center: Vec3,
        radius: f32,
    },
    Analytic,
}

/// A triangle in world space with its density.
#[derive(Clone, Copy, Debug)]
struct LightTriangle {
    p: Vec3,
    edge1: Vec3,
    edge2: Vec3,
    ng: Vec3,
    /// Density of its points over the whole light [1/m²]; 0 when it is never chosen.
    pdf_area: f32,
    p_error: f32,
}

/// A point of the light as seen from somewhere.
struct Seen {
    wi: Vec3,
    distance: f32,
    /// Cosine between the light's normal and the direction back.
    cos: f32,
    /// Per solid angle [1/sr].
    pdf: f32,
    primitive: u32,
    barycentric: Vec2,
    p_error: f32,
}

/// How much of the way to a light's point is searched for occluders: the rest is rounding.
const SHADOW_REACH: f32 = 1.0 - 1e-4;

impl AreaLight {
    /// The light that a shape is by its material; `None` when the material emits nothing wherever it is asked.
    pub fn new(
        shape: Shape,
        id: ShapeId,
        material: Material,
        context: &mut ShadingContext,
    ) -> Option<AreaLight> {
        let mut light = AreaLight {
            shape,
            id,
            material,
            surface: Surface::Analytic,
            power: 0.0,
        };
        if !light.material.may_emit() {
            return None;
        }
        let powers: Vec<f32> = (0..light.shape.primitive_count())
            .map(|primitive| light.primitive_power(primitive, context))
            .collect();
        light.power = powers.iter().copied().map(f64::from).sum::<f64>() as f32;
        if light.power == 0.0 {
            return None;
        }
        light.surface = match light.shape.geometry {
            Geometry::Mesh(_) => {
                let table = AliasTable::new(&powers);
                let triangles = (0..light.shape.primitive_count())
                    .map(|primitive| {
                        LightTriangle::new(&light.shape, primitive, table.probability(primitive as usize))
                    })
                    .collect();
                Surface::Triangles { table, triangles }
            }
            Geometry::Sphere => match similarity_scale(&light.shape) {
                Some(radius) => Surface::Sphere {
                    center: light.shape.world_from_object.translation.into(),
                    radius,
                },
                None => Surface::Analytic,
            },
            Geometry::Disk | Geometry::Cylinder => Surface::Analytic,
        };
        Some(light)
    }

    /// The luminance of the radiant power, estimated when the light was made [W].
    pub(super) fn power(&self) -> f32 {
        self.power
    }

    /// A point of the light by `u_primitive` and `u`, as seen from `p`.
    #[inline]
    pub(super) fn sample_li(
        &self,
        p: Vec3,
        time: f32,
        u_primitive: f32,
        u: Vec2,
        context: &mut ShadingContext,
    ) -> Option<LightSample> {
        let seen = match &self.surface {
            Surface::Triangles { table, triangles } => {
                let choice = table.sample(u_primitive);
                triangles[choice.index].sample(p, choice.index as u32, u)?
            }
            Surface::Sphere { center, radius } => match sample_sphere(p, *center, *radius, u) {
                Some(seen) => Seen {
                    cos: if self.shape.flip_normals { -1.0 } else { 1.0 },
                    ..seen
                },
                None => self.sample_area(p, u)?,
            },
            Surface::Analytic => self.sample_area(p, u)?,
        };
        let emits = seen.cos > 0.0 || self.material.two_sided_emission();
        let samples = emits && seen.pdf > 0.0 && seen.pdf.is_finite();
        if !samples {
            return None;
        }
        let radiance = match self.material.constant_emission() {
            Some(radiance) => radiance,
            None => {
                let ray = Ray {
                    time,
                    ..Ray::new(p, seen.wi)
                };
                let hit = Hit {
                    shape: self.id,
                    primitive: seen.primitive,
                    barycentric: seen.barycentric,
                    t: seen.distance,
                };
                self.material.emission_at(
                    &self.shape.interaction(self.id, &hit, &ray, Tangents::ByUv),
                    context,
                )
            }
        };
        let distance = seen.distance * SHADOW_REACH - 4.0 * seen.p_error;
        let Seen { wi, pdf, .. } = seen;
        (!radiance.is_black()).then_some(LightSample {
            wi,
            radiance,
            pdf,
            distance,
            is_delta: false,
        })
    }

    /// The density per solid angle with which `sample_li` chooses, as seen from `p`, the point that a ray found.
    #[inline]
    pub(super) fn pdf_li(&self, p: Vec3, found: &Interaction) -> f32 {
        let pdf_area = match &self.surface {
            Surface::Triangles { triangles, .. } => triangles[found.primitive as usize].pdf_area,
            Surface::Sphere { center, radius } => match subtended_cone(p, *center, *radius) {
                Some(cone) => return uniform_cone_pdf(cone.one_minus_cos),
                None => self.shape.pdf_area(0, found.ng),
            },
            Surface::Analytic => self.shape.pdf_area(0, found.ng),
        };
        solid_angle_pdf(pdf_area, (found.p - p).length_squared(), found.wo.dot(found.ng))
    }

    /// A photon from a point by `u_primitive` and `u_position`, in a direction by `u_direction` in proportion to its
    /// cosine.
    pub(super) fn emit(
        &self,
        u_primitive: f32,
        u_position: Vec2,
        u_direction: Vec2,
        context: &mut ShadingContext,
    ) -> Option<Emission> {
        let (primitive, chosen, u_side) = match &self.surface {
            Surface::Triangles { table, .. } => {
                let choice = table.sample(u_primitive);
                (choice.index as u32, choice.probability, choice.u)
            }
            Surface::Sphere { .. } | Surface::Analytic => (0, 1.0, u_primitive),
        };
        let sample = self.shape.sample_area(primitive, u_position);
        let point = sample.point;
        let both = self.material.two_sided_emission();
        let (normal, sides) = match both && u_side < 0.5 {
            true => (-point.ng, 2.0),
            false => (point.ng, if both { 2.0 } else { 1.0 }),
        };
        let direction = Frame::from_normal(normal).to_world(cosine_hemisphere(u_direction));
        let radiance = match self.material.constant_emission() {
            Some(radiance) => radiance,
            None => self
                .material
                .emission_at(&self.at_point(&point, primitive, direction), context),
        };
        // The cosine cancels against the density of the direction, cos θ / π.
        let power = radiance * (std::f32::consts::PI * sides / (sample.pdf * chosen));
        let origin = point.ray_end().ray_origin(direction);
        (sample.pdf > 0.0 && power.is_finite() && !power.is_black()).then_some(Emission {
            ray: Ray::new(origin, direction),
            power,
        })
    }

    /// A point of the light as seen from the direction `wo`.
    fn at_point(&self, point: &SurfacePoint, primitive: u32, wo: Vec3) -> Interaction {
        Interaction {
            p: point.p,
            p_error: point.p_error,
            wo,
            ng: point.ng,
            n: point.n,
            uv: point.uv,
            dpdu: point.dpdu,
            dpdv: point.dpdv,
            t: 0.0,
            time: 0.0,
            shape: self.id,
            primitive,
        }
    }

    fn sample_area(&self, p: Vec3, u: Vec2) -> Option<Seen> {
        let sample = self.shape.sample_area(0, u);
        let to_light = sample.point.p - p;
        let distance_squared = to_light.length_squared();
        let distance = distance_squared.sqrt();
        let wi = to_light / distance;
        let cos = -wi.dot(sample.point.ng);
        (distance > 0.0).then(|| Seen {
            wi,
            distance,
            cos,
            pdf: solid_angle_pdf(sample.pdf, distance_squared, cos),
            primitive: 0,
            barycentric: sample.point.uv,
            p_error: sample.point.p_error,
        })
    }

    /// Luminance of the power of a primitive, from the emission at a few of its points.
    fn primitive_power(&self, primitive: u32, context: &mut ShadingContext) -> f32 {
        const POINTS: [Vec2; 4] = [
            Vec2::new(0.3, 0.4),
            Vec2::new(0.6, 0.9),
            Vec2::new(0.8, 0.2),
            Vec2::new(0.1, 0.7),
        ];
        let sides = if self.material.two_sided_emission() {
            2.0
        } else {
            1.0
        };
        let area = if self.shape.primitive_count() == 1 {
            self.shape.area()
        } else {
            self.shape.triangle_area(primitive)
        };
        let mean = match self.material.constant_emission() {
            Some(radiance) => radiance.luminance(),
            None => {
                let sum: f32 = POINTS
                    .iter()
                    .map(|&u| self.emission_along_normal(primitive, u, context).luminance())
                    .sum();
                sum / POINTS.len() as f32
            }
        };
        let power = sides * std::f32::consts::PI * area * mean;
        if power.is_finite() { power.max(0.0) } else { 0.0 }
    }

    /// What the shader emits along the normal of a point that `u` chooses.
    fn emission_along_normal(&self, primitive: u32, u: Vec2, context: &mut ShadingContext) -> Rgb {
        let point = self.shape.sample_area(primitive, u).point;
        self.material
            .emission_at(&self.at_point(&point, primitive, point.ng), context)
    }
}

impl LightTriangle {
    fn new(shape: &Shape, primitive: u32, probability: f32) -> LightTriangle {
        let [p, b, c] = shape.triangle(primitive);
        let point = shape.surface_point(primitive, Vec2::splat(1.0 / 3.0));
        LightTriangle {
            p,
            edge1: b - p,
            edge2: c - p,
            ng: point.ng,
            pdf_area: probability * shape.pdf_area(primitive, point.ng),
            p_error: point.p_error,
        }
    }

    #[inline]
    fn sample(&self, p: Vec3, primitive: u32, u: Vec2) -> Option<Seen> {
        let barycentric = triangle(u);
        let to_light = self.p + self.edge1 * barycentric.x + self.edge2 * barycentric.y - p;
        let distance_squared = to_light.length_squared();
        let distance = distance_squared.sqrt();
        let wi = to_light / distance;
        let cos = -wi.dot(self.ng);
        (distance > 0.0).then(|| Seen {
            wi,
            distance,
            cos,
            pdf: solid_angle_pdf(self.pdf_area, distance_squared, cos),
            primitive,
            barycentric,
            p_error: self.p_error,
        })
    }
}

/// The cone that a sphere fills as seen from outside.
struct SubtendedCone {
    axis: Vec3,
    distance: f32,
    one_minus_cos: f32,
}

/// `None` from inside the sphere, or so close to it that the cone is half of all directions.
fn subtended_cone(p: Vec3, center: Vec3, radius: f32) -> Option<SubtendedCone> {
    let to_center = center - p;
    let distance_squared = to_center.length_squared();
    let sin2 = sqr(radius) / distance_squared;
    (sin2 < 0.9999).then(|| {
        let distance = distance_squared.sqrt();
        SubtendedCone {
            axis: to_center / distance,
            distance,
            one_minus_cos: one_minus_cos_from_sin2(sin2),
        }
    })
}

/// A point of a sphere by the cone that it subtends, which stays exact for spheres that are far away or small; `cos` is
/// not filled in: every direction of the cone meets the outside.
// Shirley, Wang & Zimmerman 1996, "Monte Carlo Techniques for Direct Lighting Calculations", section 3.2.
fn sample_sphere(p: Vec3, center: Vec3, radius: f32, u: Vec2) -> Option<Seen> {
    let cone = subtended_cone(p, center, radius)?;
    let local = uniform_cone(u, cone.one_minus_cos);
    // The chord's near end: its middle is cos θ of the way to the centre, half its length follows from Pythagoras.
    let sin2 = sqr(local.x) + sqr(local.y);
    let half_chord = safe_sqrt(sqr(radius) - sqr(cone.distance) * sin2);
    let distance = cone.distance * local.z - half_chord;
    Some(Seen {
        wi: Frame::from_normal(cone.axis).to_world(local),
        distance: distance.max(0.0),
        cos: 1.0,
        pdf: uniform_cone_pdf(cone.one_minus_cos),
        primitive: 0,
        barycentric: Vec2::ZERO,
        p_error: 1e-6 * (center.abs().max_element() + radius + cone.distance),
    })
}

/// The factor by which a transform scales all lengths, if it is the same for all.
fn similarity_scale(shape: &Shape) -> Option<f32> {
    let m = shape.world_from_object.matrix3;
    let axes = [m.x_axis, m.y_axis, m.z_axis];
    let scale2 = axes[0].length_squared();
    let near = |a: f32, b: f32| (a - b).abs() <= 1e-5 * scale2;
    let even = near(axes[1].length_squared(), scale2) && near(axes[2].length_squared(), scale2);
    let square =
        near(axes[0].dot(axes[1]), 0.0) && near(axes[1].dot(axes[2]), 0.0) && near(axes[2].dot(axes[0]), 0.0);
    (even && square).then(|| scale2.sqrt())
}
