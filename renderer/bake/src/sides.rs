//! Selects the shapes whose backs are baked: visible, diffuse and lit from behind, by a pilot of a few paths.
//!
//! A shape has a back if all of these conditions hold:
//! - It can be visible: its material is not culled, and its mesh is open or its material cuts holes.
//! - It scatters light in a diffuse or rough lobe: it is not `one_sided`, an emitter or a mirror.
//! - It receives light of the baked kind: on average at least [`MIN_BACK_SHARE`] of its front's, by a few paths from a few
//!   points. The outside of a room and the inside of a pipe receive none.
//! - It is not the underside of the ground, which faces only the sky.
//!
//! A closed mesh has a back if its inside is brighter than its outside: a room modelled as a box.

use std::f32::consts::FRAC_1_SQRT_2;

use glam::{UVec2, Vec2};

use super::points::is_transmissive;
use super::project::Estimator;
use super::receiver::{GatherPoint, Side};
use super::settings::{BakeSettings, Sides};
use super::translucent::GatherPoints;
use super::work::Workers;
use renderer_base::math::Frame;
use renderer_base::sampler::Sampler;
use renderer_base::sampling::cosine_hemisphere;
use renderer_geometry::{Footprint, Shape, ShapeId, SurfacePoint};
use renderer_transport::bsdf::LobePart;
use renderer_transport::integrator::{Context, Integrator, PathSettings, Prepared};
use renderer_transport::material::{RayKind, ShadingResult};
use renderer_transport::scene::Scene;

/// Minimum light on a back, relative to the front's.
const MIN_BACK_SHARE: f64 = 0.005;

/// Number of test points of a shape.
const TEST_POINTS: u32 = 64;

/// Number of rays from each test point.
const RAYS: u32 = 8;

/// The shapes that have a back, in order.
pub(super) fn backs(settings: &BakeSettings, workers: &Workers<'_>) -> Vec<ShapeId> {
    match (settings.sides, &settings.backs) {
        (Sides::Front, _) => return vec![],
        (Sides::Auto, Some(known)) => return known.clone(),
        (Sides::Auto, None) => {}
    }
    let path = match settings.integrator {
        Integrator::Path(path) | Integrator::Auto(path) => path,
        Integrator::Photon(photon) => PathSettings { depth: photon.depth, ..PathSettings::default() },
    };
    let prepared = Prepared::Path(PathSettings {
        depth: path.depth.map(|depth| depth.saturating_sub(1)),
        ..path
    });
    let estimator = Estimator {
        scene: workers.scene,
        prepared: &prepared,
        include: settings.include,
        samples: RAYS,
        goes_on: path.depth != Some(1),
    };
    let found = workers.map(workers.scene.shapes().len(), |index, sampler, context| {
        let pilot = Pilot::new(&estimator, ShapeId(index as u32));
        pilot.has_back(sampler, context)
    });
    let shapes = (0..).map(ShapeId).zip(found);
    shapes.filter(|&(_, found)| found).map(|(id, _)| id).collect()
}

/// The pilot of a shape.
struct Pilot<'a> {
    estimator: &'a Estimator<'a>,
    scene: &'a Scene,
    id: ShapeId,
    shape: &'a Shape,
    /// Primitives with a point of each.
    points: Vec<(u32, SurfacePoint)>,
}

impl<'a> Pilot<'a> {
    fn new(estimator: &'a Estimator<'a>, id: ShapeId) -> Pilot<'a> {
        let shape = &estimator.scene.shapes()[id.0 as usize];
        Pilot {
            estimator,
            scene: estimator.scene,
            id,
            shape,
            points: points(shape),
        }
    }

    fn has_back(&self, sampler: &mut Sampler, context: &mut Context) -> bool {
        if self.scene.material(self.id).culled() || !self.scatters(context) {
            return false;
        }
        let has_holes = self.scene.material(self.id).may_be_transparent();
        let least = if has_holes || !self.shape.is_closed() {
            MIN_BACK_SHARE
        } else if is_transmissive(self.scene, self.id, self.shape, context) {
            return false;
        } else {
            1.0
        };
        let back = self.light(Side::Back, sampler, context);
        back > 0.0
            && back >= least * self.light(Side::Front, sampler, context)
            && !self.is_underside_of_ground(sampler)
    }

    /// Returns whether any of the points has a diffuse or rough lobe on its back.
    fn scatters(&self, context: &mut Context) -> bool {
        let mut surface = ShadingResult::new();
        self.points.iter().any(|&(primitive, point)| {
            let it = point.seen_from(-point.ng, self.id, primitive);
            let material = self.scene.material(self.id);
            material.shade(&it, RayKind::DIFFUSE, &Footprint::POINT, &mut context.shading, &mut surface);
            let bsdf = &surface.bsdf;
            (bsdf.has(LobePart::Diffuse) || bsdf.has(LobePart::Rough)) && !bsdf.albedo(it.wo).is_black()
        })
    }

    /// Mean irradiance, of its luminance [W/m²].
    fn light(&self, side: Side, sampler: &mut Sampler, context: &mut Context) -> f64 {
        let sites = self.points.iter().map(|&(_, point)| GatherPoint::of(point, self.id, side));
        let sum: f64 = (sites.enumerate())
            .map(|(number, site)| {
                let key = self.key(number, side);
                let sites = GatherPoints::opaque(vec![site]);
                let estimate = self.estimator.at_surface(&sites, key, sampler, context);
                f64::from(estimate.irradiance.luminance())
            })
            .sum();
        sum / f64::from(TEST_POINTS)
    }

    fn is_underside_of_ground(&self, sampler: &mut Sampler) -> bool {
        let up: f32 = self.points.iter().map(|(_, point)| point.ng.y).sum();
        if up < FRAC_1_SQRT_2 * TEST_POINTS as f32 {
            return false;
        }
        let sees_others = |(number, &(_, point)): (usize, &(u32, SurfacePoint))| {
            let site = GatherPoint::of(point, self.id, Side::Back);
            let frame = Frame::from_normal(site.ng);
            (RAYS..2 * RAYS).any(|index| {
                sampler.start(self.key(number, Side::Back), u64::from(index));
                let ray = site.ray(frame.to_world(cosine_hemisphere(sampler.next_2d())));
                let found = self.scene.intersect(&ray);
                found.is_some_and(|it| it.shape != self.id)
            })
        };
        !self.points.iter().enumerate().any(sees_others)
    }

    /// Random number key of a point, distinct from those of texels.
    fn key(&self, number: usize, side: Side) -> UVec2 {
        UVec2::new(2 * number as u32 + u32::from(side == Side::Back), u32::MAX - self.id.0)
    }
}

/// Points spread evenly over a shape by area, with their primitives; deterministic.
fn points(shape: &Shape) -> Vec<(u32, SurfacePoint)> {
    let mut area = 0.0;
    let sums: Vec<f64> = (0..shape.primitive_count())
        .map(|primitive| {
            area += f64::from(shape.triangle_area(primitive));
            area
        })
        .collect();
    (0..TEST_POINTS)
        .map(|number| {
            let at = (f64::from(number) + 0.5) / f64::from(TEST_POINTS) * area;
            let primitive = sums.partition_point(|&sum| sum <= at).min(sums.len() - 1) as u32;
            // Roberts 2018, "The Unreasonable Effectiveness of Quasirandom Sequences".
            let u = (0.5 + number as f32 * Vec2::new(0.754_877_7, 0.569_840_3)).fract();
            (primitive, shape.sample_area(primitive, u).point)
        })
        .collect()
}
