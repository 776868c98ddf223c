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
use crate::medium::{Coefficients, DistanceDensity};
use crate::scene::{DistanceSampling, MediumWay, Noise, Scene};
use renderer_base::color::Rgb;
use renderer_base::math::Ray;

/// Optical depth up to which light is sampled.
const REACH: f32 = 6.0;

/// Optical depth below which a way is sampled whatever lights it.
const THIN: f32 = 1.0;

/// Light samples per way: enough where fog is most of what is seen, and cheap where surfaces are.
const SHARE: f32 = 0.25;

/// A light sample on a way through media.
#[derive(Clone, Copy, Debug)]
pub(super) struct WayLight {
    extinction: Rgb,
    scattered: DistanceSampling,
    chosen: DistanceDensity,
    /// End of the part in which distances are chosen [m].
    reach: f32,
}

impl WayLight {
    /// Decides how light is sampled on a way of a path. `None` if it does not pay.
    pub(super) fn new(
        scene: &Scene,
        media: &MediumStack,
        way: &MediumWay<'_>,
        throughput: Rgb,
        noise: &mut Noise,
        shading: &mut ShadingContext,
    ) -> Option<WayLight> {
        let u = [noise.number(), noise.number()];
        let even = scene.homogeneous(media);
        let is_even = even.is_some();
        let (medium, lamp) = match even {
            Some(medium) => {
                let reach = reach(&medium, way.length)?;
                let is_thin = medium.extinction().average() * way.length < THIN;
                let lamp = Lamp::of(scene, way.ray, reach, u);
                let lamp = lamp.filter(|lamp| is_thin || lamp.distance < reach);
                if lamp.is_none() && !is_thin {
                    return None;
                }
                (medium, lamp)
            }
            None => {
                // The medium there stands for that of all the way.
                let lamp =
                    Lamp::of(scene, way.ray, way.length, u).filter(|lamp| lamp.distance < way.length)?;
                let medium = scene.coefficients(media, way, lamp.nearest, shading);
                (Cow::Owned(medium), Some(lamp))
            }
        };
        let reach = reach(&medium, way.length)?;
        let lamp = lamp.filter(|lamp| is_even || lamp.distance < reach);
        let chosen = match lamp {
            Some(Lamp { pivot, .. }) => {
                let (origin, direction) = (way.ray.origin, way.ray.direction);
                DistanceDensity::equiangular(origin, direction, reach, pivot.center, pivot.radius)
            }
            None if is_even => DistanceDensity::Transmittance {
                extinction: medium.extinction().average(),
                length: reach,
            },
            None => return None,
        };
        Some(WayLight {
            extinction: medium.extinction(),
            scattered: DistanceSampling::new(&medium, throughput),
            chosen,
            reach,
        })
    }

    /// Weight of a light sample where the medium scatters the path.
    pub(super) fn weight(&self, t: f32) -> f32 {
        if t >= self.reach {
            return 1.0;
        }
        let density = self.scattered.density(beer_lambert(self.extinction, t));
        density / (density + SHARE * self.chosen.density(t))
    }

    /// Samples a distance [m], with its density [1/m]; `None` if no light is sampled.
    pub(super) fn sample(&self, u: f32) -> Option<(f32, f32)> {
        if u >= SHARE {
            return None;
        }
        let t = self.chosen.sample(u * (1.0 / SHARE));
        let left = beer_lambert(self.extinction, t);
        let density = self.scattered.density(left) + SHARE * self.chosen.density(t);
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
