//! Selects the usable sample points of a texel: outside solids, not covered, not behind walls.
//!
//! A shape is *solid* if its mesh is closed and opaque. If a probe ray leaves a solid more often than it enters it, its
//! point is inside or on the surface, and hidden. Points behind a sheet that crosses the texel are hidden too: rays along
//! the surface hit its back. Baked backs, and transmissive objects such as glass on a table, hide nothing. A receiver that
//! is almost completely inside is furniture in a room modelled as a box: its points are kept.

use glam::{UVec2, Vec2, Vec3};

use super::receiver::GatherPoint;
use renderer_base::math::{Frame, Ray, RayEnd, sin_cos};
use renderer_base::sampler::Sampler;
use renderer_base::sampling::{cosine_hemisphere, uniform_sphere};
use renderer_geometry::{Footprint, Hit, Interaction, Shape, ShapeId};
use renderer_transport::integrator::Context;
use renderer_transport::interior::InteriorList;
use renderer_transport::material::{RayKind, ShadingResult};
use renderer_transport::scene::Scene;

/// Number of probe rays of a point.
const PROBE_RAYS: u64 = 8;

/// Number of rays that must hit a covering object for a point to be covered; two walls and a floor block three
/// quarters.
const MIN_COVERED_RAYS: u64 = PROBE_RAYS - 1;

/// First sample number of probe rays, disjoint from those of gather rays.
const FIRST_PROBE_SAMPLE: u64 = 1 << 40;

/// Distance of covering objects above a point, relative to a texel.
const CONTACT_DISTANCE: f32 = 0.25;

/// Classification of shapes: solid, opaque, baked backs.
pub(super) struct Solids {
    /// True for solid shapes.
    solid: Vec<bool>,
    /// True for opaque shapes.
    opaque: Vec<bool>,
    /// True for shapes with a baked back.
    has_back: Vec<bool>,
}

impl Solids {
    /// Classifies all shapes of a scene, of which `backs` are baked on both sides.
    pub(super) fn find(scene: &Scene, backs: &[ShapeId], context: &mut Context) -> Solids {
        let mut has_back = vec![false; scene.shapes().len()];
        for back in backs {
            has_back[back.0 as usize] = true;
        }
        let shapes = (0u32..).map(ShapeId).zip(scene.shapes());
        let opaque: Vec<bool> =
            shapes.map(|(id, shape)| !is_transmissive(scene, id, shape, context)).collect();
        let shapes = scene.shapes().iter().zip(&opaque).zip(&has_back);
        let solid = shapes.map(|((shape, opaque), has_back)| *opaque && !has_back && shape.is_closed());
        Solids { solid: solid.collect(), opaque, has_back }
    }

    /// Returns whether a ray with these hits, sorted by shape, begins inside a solid: it leaves it more often than it enters
    /// it, before it hits anything else.
    fn are_left(&self, scene: &Scene, ray: &Ray, hits: &[Hit]) -> bool {
        let is_solid = |hit: &Hit| self.solid[hit.shape.0 as usize];
        let others = hits.iter().filter(|hit| !is_solid(hit)).map(|hit| hit.t);
        let end = others.fold(f32::INFINITY, f32::min);
        let exits = |hits: &[Hit]| -> i32 {
            let before = hits.iter().filter(|hit| hit.t < end);
            let sides = before.map(|hit| ray.direction.dot(scene.interaction_at(ray, hit).ng));
            sides.map(|side| if side > 0.0 { 1 } else { -1 }).sum()
        };
        let mut solids = hits.chunk_by(|a, b| a.shape == b.shape).filter(|hits| is_solid(&hits[0]));
        solids.any(|hits| exits(hits) > 0)
    }

    /// Returns whether the hit is on a back that is not baked.
    fn is_behind(&self, it: &Interaction) -> bool {
        let shape = it.shape.0 as usize;
        self.opaque[shape] && !self.has_back[shape] && it.wo.dot(it.ng) < 0.0
    }
}

/// Returns whether the surface, tested at one point, transmits.
pub(super) fn is_transmissive(scene: &Scene, id: ShapeId, shape: &Shape, context: &mut Context) -> bool {
    let material = scene.material(id);
    if material.may_be_transparent() {
        return true;
    }
    let point = shape.surface_point(0, Vec2::splat(0.3));
    let it = point.seen_from(point.ng, id, 0);
    let mut surface = ShadingResult::new();
    material.shade(&it, RayKind::DIFFUSE, &Footprint::POINT, &mut context.shading, &mut surface);
    surface.bsdf.has_transmission()
}

/// Visibility of a surface point, by probe rays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PointVisibility {
    /// Visible.
    Visible,
    /// Inside a solid.
    Inside,
    /// Covered by another object.
    Covered,
}

/// Classifies a surface point; `reach` is the width of its texel [m], `key` and `number` identify it for random
/// numbers.
pub(super) fn point_visibility(
    scene: &Scene,
    solids: &Solids,
    site: &GatherPoint,
    reach: f32,
    key: UVec2,
    number: u64,
    sampler: &mut Sampler,
) -> PointVisibility {
    let frame = Frame::from_normal(site.ng);
    let mut near = 0;
    for index in 0..PROBE_RAYS {
        sampler.start(key, FIRST_PROBE_SAMPLE + number * PROBE_RAYS + index);
        let ray = site.ray(frame.to_world(cosine_hemisphere(sampler.next_2d())));
        let hits = scene.hits_along(&ray, |_| true);
        if solids.are_left(scene, &ray, &hits) {
            return PointVisibility::Inside;
        }
        let covers = |hit: &Hit| {
            solids.opaque[hit.shape.0 as usize]
                && hit.t * ray.direction.dot(site.ng) < CONTACT_DISTANCE * reach
        };
        near += u64::from(hits.iter().any(covers));
    }
    let behind = || {
        (0..PROBE_RAYS).any(|index| {
            let (sin, cos) = sin_cos(std::f32::consts::TAU * index as f32 / PROBE_RAYS as f32);
            let along = Ray {
                t_max: reach,
                ..site.ray((frame.s * cos + frame.t * sin + site.ng * 0.02).normalize())
            };
            scene.intersect(&along).is_some_and(|it| solids.is_behind(&it))
        })
    };
    if near >= MIN_COVERED_RAYS || behind() {
        PointVisibility::Covered
    } else {
        PointVisibility::Visible
    }
}

/// Fraction of directions from a point in space that leave no solid around the point.
pub(super) fn openness(scene: &Scene, solids: &Solids, p: Vec3, key: UVec2, sampler: &mut Sampler) -> f32 {
    const RAYS: u64 = 64;
    let open = (0..RAYS).filter(|&index| {
        sampler.start(key, FIRST_PROBE_SAMPLE + index);
        let ray = Ray::new(p, uniform_sphere(sampler.next_2d()));
        !solids.are_left(scene, &ray, &scene.hits_along(&ray, |_| true))
    });
    open.count() as f32 / RAYS as f32
}

/// Returns whether two points of a surface are mutually visible, tested from slightly above it.
pub(super) fn mutually_visible(
    scene: &Scene,
    a: &GatherPoint,
    b: &GatherPoint,
    context: &mut Context,
) -> bool {
    let lift = 0.25 * (b.p - a.p).length();
    let (from, to) = (a.p + a.ng * lift, b.p + b.ng * lift);
    let Some(direction) = (to - from).try_normalize() else {
        return true;
    };
    let ray = Ray { t_max: (to - from).length(), ..Ray::new(from, direction) };
    !scene
        .transmittance(&ray, 1, || InteriorList::NONE, 0, &mut context.shading)
        .is_black()
}

impl GatherPoint {
    /// The point seen from above the gathered side; without texture coordinates.
    pub(super) fn interaction(&self) -> Interaction {
        let (end, frame) = (self.ray_end(), Frame::from_normal(self.ng));
        Interaction {
            p: end.p,
            p_error: end.p_error,
            wo: self.ng,
            ng: end.ng,
            n: if self.is_back { -self.n } else { self.n },
            uv: Vec2::ZERO,
            dpdu: frame.s,
            dpdv: frame.t,
            t: 0.0,
            time: 0.0,
            shape: self.shape,
            primitive: 0,
        }
    }

    /// The point as the end of a ray, with the normal of the shape's front.
    pub(super) fn ray_end(&self) -> RayEnd {
        RayEnd {
            p: self.p,
            p_error: self.p_error,
            ng: if self.is_back { -self.ng } else { self.ng },
        }
    }

    /// The ray that leaves in the unit vector `direction`.
    pub(super) fn ray(&self, direction: Vec3) -> Ray {
        Ray::new(self.ray_end().ray_origin(direction), direction)
    }
}
