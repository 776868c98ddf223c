//! Light samples on a way through a medium, wherever the medium scatters the path: most paths pass thin fog, and lamps
//! light little of it.
//!
//! They are weighted against those where the path is scattered (Veach 1997, section 9.2), for each choice of a lamp: which
//! lamp is chosen does not depend on what else is sampled. At the point on the way, the light sample is one as at any other
//! vertex.

use std::borrow::Cow;

use crate::body::{MediumStack, beer_lambert};
use crate::light::LightPivot;
use crate::material::ShadingContext;
use crate::medium::{Coefficients, Equiangular};
use crate::scene::{DistanceSampling, MediumWay, Noise, Scene};
use renderer_base::color::Rgb;
use renderer_base::math::Ray;

/// Optical depth up to which light is sampled.
const REACH: f32 = 6.0;

/// Light samples per optical depth of a way after the first vertex, up to one: short ways add little to a pixel.
const LATER: f32 = 4.0;

/// A light sample on a way through media.
#[derive(Clone, Copy, Debug)]
pub(super) struct WayLight {
    extinction: Rgb,
    scattered: DistanceSampling,
    chosen: Equiangular,
    /// End of the part in which distances are chosen [m].
    reach: f32,
    /// Mean number of samples.
    share: f32,
}

impl WayLight {
    /// Decides how light is sampled on a way of a path, before its first vertex or later. `None` if it does not pay.
    pub(super) fn new(
        scene: &Scene,
        media: &MediumStack,
        way: &MediumWay<'_>,
        throughput: Rgb,
        is_first: bool,
        noise: &mut Noise,
        shading: &mut ShadingContext,
    ) -> Option<WayLight> {
        let u = [noise.number(), noise.number()];
        let (medium, lamp) = match scene.homogeneous(media) {
            Some(medium) => {
                let lamp = Lamp::of(scene, way.ray, reach(&medium, way.length)?, u)?;
                (medium, lamp)
            }
            None => {
                // The medium there stands for that of all the way.
                let lamp = Lamp::of(scene, way.ray, way.length, u)?;
                let medium = scene.coefficients(media, way, lamp.nearest, shading);
                (Cow::Owned(medium), lamp)
            }
        };
        let reach = reach(&medium, way.length)?;
        if lamp.distance >= reach {
            return None;
        }
        let (origin, direction) = (way.ray.origin, way.ray.direction);
        let LightPivot { center, radius } = lamp.pivot;
        Some(WayLight {
            extinction: medium.extinction(),
            scattered: DistanceSampling::new(&medium, throughput),
            chosen: Equiangular::new(origin, direction, reach, center, radius),
            reach,
            share: match is_first {
                true => 1.0,
                false => (LATER * medium.extinction().average() * reach).min(1.0),
            },
        })
    }

    /// Weight of a light sample where the medium scatters the path.
    pub(super) fn weight(&self, t: f32) -> f32 {
        if t >= self.reach {
            return 1.0;
        }
        let density = self.scattered.density(beer_lambert(self.extinction, t));
        density / (density + self.share * self.chosen.density(t))
    }

    /// Samples a distance [m], with its density [1/m]; `None` if no light is sampled.
    pub(super) fn sample(&self, u: f32) -> Option<(f32, f32)> {
        if u >= self.share {
            return None;
        }
        let t = self.chosen.sample(u / self.share);
        let left = beer_lambert(self.extinction, t);
        let density = self.scattered.density(left) + self.share * self.chosen.density(t);
        (t < self.reach && density > 0.0).then_some((t, density))
    }
}

/// Length of the part of a way on which light is sampled [m]; `None` where nothing scatters.
fn reach(medium: &Coefficients, length: f32) -> Option<f32> {
    let reach = length.min(REACH / medium.extinction().average());
    (!medium.scattering().is_black() && reach > 0.0 && reach.is_finite()).then_some(reach)
}

/// A lamp beside a way.
#[derive(Clone, Copy, Debug)]
struct Lamp {
    pivot: LightPivot,
    /// Distance along the way at which it is nearest [m].
    nearest: f32,
    /// Distance from there [m].
    distance: f32,
}

impl Lamp {
    /// Chooses one by what of it would reach a point of the first `reach` of the way.
    fn of(scene: &Scene, ray: &Ray, reach: f32, [u, from]: [f32; 2]) -> Option<Lamp> {
        let from = if reach.is_finite() { from * reach } else { 0.0 };
        let pivot = scene.pivot(ray.at(from), f64::from(u))?;
        let nearest = (pivot.center - ray.origin).dot(ray.direction).clamp(0.0, reach);
        Some(Lamp {
            pivot,
            nearest,
            distance: ray.at(nearest).distance(pivot.center),
        })
    }
}
