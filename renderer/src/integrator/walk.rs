//! What all walks along paths share: where a path comes from, how wide it is, and what its next ray is called.

use glam::Vec3;

use crate::bsdf::{BsdfSample, LobeKind, Side, Spread};
use crate::camera::CameraRay;
use crate::geometry::{Bend, Footprint, Interaction};
use crate::material::RayKind;
use crate::math::Ray;
use crate::sampling::power_heuristic;
use crate::scene::{MAX_PASSES, Scene};

/// The greatest probability with which Russian roulette lets a path live: mirrors facing each other end too.
pub(super) const MAX_SURVIVAL: f32 = 0.95;

/// Where a path begins.
#[derive(Clone, Copy)]
pub(super) struct Start {
    pub(super) ray: Ray,
    pub(super) kind: RayKind,
    pub(super) footprint: Footprint,
    /// Whether light that comes straight from what emits counts on the first segment.
    pub(super) emission: bool,
    /// Whether the lights at infinity are out of sight until the path is scattered.
    pub(super) hides_sky: bool,
}

impl Start {
    /// At a camera.
    pub(super) fn camera(scene: &Scene, camera_ray: &CameraRay) -> Start {
        Start {
            ray: camera_ray.ray,
            kind: RayKind::CAMERA,
            footprint: Footprint::camera(&camera_ray.differential, scene.wants_footprints()),
            emission: true,
            hides_sky: false,
        }
    }

    /// The same beyond the shapes that emit which its ray meets before any other, and blind to lights at infinity. What
    /// emits behind a surface that lets the ray straight through is seen, as in Mitsuba.
    pub(super) fn without_lights(mut self, scene: &Scene) -> Start {
        self.hides_sky = true;
        for _ in 0..MAX_PASSES {
            let found = scene.intersect(&self.ray);
            let Some(it) = found.filter(|it| scene.is_light(it.shape)) else {
                break;
            };
            self.footprint = self.footprint.passed(it.t);
            self.ray = it.rest_of(&self.ray);
        }
        self
    }

    /// At a point of a surface that wants to know what arrives.
    pub(super) fn point(ray: Ray, kind: RayKind, emission: bool) -> Start {
        Start {
            ray,
            kind,
            footprint: Footprint::POINT.scattered(0.0, least_spread(Spread::Diffuse)),
            emission,
            hides_sky: false,
        }
    }
}

/// How the path came to its present ray, as far as weighing light samples against it goes.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    /// The point that scattered last.
    pub(super) p: Vec3,
    /// Density with which it chose the direction [1/sr]; `None` where light samples had no chance.
    pub(super) pdf: Option<f32>,
}

impl Arrival {
    /// Of a path that has not scattered yet.
    pub(super) fn first(ray: &Ray) -> Arrival {
        Arrival {
            p: ray.origin,
            pdf: None,
        }
    }

    /// The weight of light found by chance which light samples find with density `light_pdf`.
    #[inline]
    pub(super) fn weight(self, light_pdf: impl FnOnce(Vec3) -> f32) -> f32 {
        self.pdf
            .map_or(1.0, |pdf| power_heuristic(pdf, light_pdf(self.p)))
    }
}

/// The footprint of the ray that goes on where `sample` was drawn. The wider the lobe, the less detail is seen in what
/// comes next.
#[inline]
pub(super) fn scattered(
    footprint: &Footprint,
    scene: &Scene,
    it: &Interaction,
    sample: &BsdfSample,
) -> Footprint {
    if footprint.differential.is_some() && sample.lobe.spread == Spread::Specular {
        let bend = match sample.lobe.side {
            Side::Reflection => Bend::Reflection,
            Side::Transmission => Bend::Refraction(sample.eta),
        };
        return footprint.bent(it, sample.wi, bend, |dp| scene.normal_change(it, dp));
    }
    footprint.scattered(it.t, least_spread(sample.lobe.spread))
}

fn least_spread(spread: Spread) -> f32 {
    match spread {
        Spread::Specular | Spread::Straight => 0.0,
        Spread::Glossy => 0.05,
        Spread::Diffuse => 0.2,
    }
}

/// The kind of a ray that such a lobe sends out.
pub(super) fn kind_of(lobe: LobeKind) -> RayKind {
    match (lobe.spread, lobe.side) {
        (Spread::Diffuse, _) => RayKind::DIFFUSE,
        (Spread::Glossy, _) => RayKind::GLOSSY,
        (Spread::Specular, Side::Reflection) => RayKind::REFLECTION,
        (Spread::Specular, Side::Transmission) => RayKind::REFRACTION,
        (Spread::Straight, _) => RayKind::TRANSPARENT,
    }
}
