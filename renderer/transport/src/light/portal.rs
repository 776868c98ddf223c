//! Portals: rectangles through which environment light enters a room, sampled by solid angle.
//!
//! - From points in front of a portal, a fraction of the light samples goes through the visible portals: one is
//!   selected in proportion to its solid angle, and a direction through it uniformly. The other samples follow the
//!   environment map.
//! - Portals do not block light: the other samples and BSDF sampling find light that enters elsewhere.
//! - A portal that appears very small, or nearly edge-on, is not sampled.

use std::hash::Hasher;

use glam::{Vec2, Vec3};

use super::environment::EnvironmentLight;
use super::sample::{LightSample, SampledEmission};
use renderer_base::color::Rgb;
use renderer_base::sampling::SphericalRectangle;
use renderer_geometry::{Rectangle, Shape};

/// Rectangle that faces the room into which it lets light.
#[derive(Clone, Copy, Debug)]
pub struct Portal(Rectangle);

/// Environment light with portals.
#[derive(Clone, Debug)]
pub struct PortalLight {
    environment: EnvironmentLight,
    portals: Vec<Portal>,
}

/// Minimum solid angle of a sampled portal [sr]; `f32` is too imprecise for smaller ones.
const MIN_SOLID_ANGLE: f32 = 2e-4;

/// Probability of sampling a portal if one is visible and the environment can be sampled too.
const PORTAL_PROBABILITY: f32 = 0.5;

impl Portal {
    /// Creates the portal of a rectangular shape, whose front faces the room; `None` for any other shape.
    pub fn of(shape: &Shape) -> Option<Portal> {
        Rectangle::of_shape(shape).map(Portal)
    }

    /// Spherical rectangle that the portal subtends from a point in front of it; `None` if it is not sampled from
    /// there.
    #[inline]
    fn seen_from(&self, p: Vec3) -> Option<SphericalRectangle> {
        let rectangle = &self.0;
        let to_corner = rectangle.p - p;
        let height = -to_corner.dot(rectangle.ng());
        if height <= 2e-3 * rectangle.size.max_element() {
            return None;
        }
        let seen = SphericalRectangle::new(rectangle.along(to_corner), rectangle.size, height);
        (seen.solid_angle() > MIN_SOLID_ANGLE).then_some(seen)
    }

    /// Returns whether samples from `p` may go through the portal in a direction.
    #[inline]
    fn is_sampled(&self, p: Vec3, direction: Vec3) -> bool {
        self.is_crossed(p, direction) && self.seen_from(p).is_some()
    }

    /// Returns whether a ray from a point in front of the portal goes through it.
    #[inline]
    fn is_crossed(&self, p: Vec3, direction: Vec3) -> bool {
        let rectangle = &self.0;
        let cos = -direction.dot(rectangle.ng());
        if cos <= 0.0 {
            return false;
        }
        let to_corner = rectangle.p - p;
        let at = rectangle.along(direction * (-to_corner.dot(rectangle.ng()) / cos) - to_corner);
        at.cmpge(Vec2::ZERO).all() && at.cmple(rectangle.size).all()
    }
}

impl From<Rectangle> for Portal {
    fn from(rectangle: Rectangle) -> Portal {
        Portal(rectangle)
    }
}

impl PortalLight {
    /// Creates the light of an environment and its portals.
    pub fn new(environment: EnvironmentLight, portals: Vec<Portal>) -> PortalLight {
        PortalLight { environment, portals }
    }

    /// The light with light samples of all its radiance.
    pub(super) fn uncompensated(&self) -> PortalLight {
        PortalLight {
            environment: self.environment.uncompensated(),
            portals: self.portals.clone(),
        }
    }

    /// The environment.
    pub(super) fn environment(&self) -> &EnvironmentLight {
        &self.environment
    }

    /// Samples a direction from `p`, through a portal or from the environment; `u_strategy` selects.
    pub(super) fn sample_li(&self, p: Vec3, u_strategy: f64, u: Vec2) -> Option<LightSample> {
        let visible = self.solid_angle(p);
        let share = self.share(visible);
        if u_strategy >= f64::from(share) {
            let mut sample = self.environment.sample_li(u)?;
            sample.pdf = (1.0 - share) * sample.pdf + share * self.pdf(p, sample.wi, visible);
            return Some(sample);
        }
        let mut target = (u_strategy / f64::from(share)) as f32 * visible;
        let mut chosen = None;
        for portal in &self.portals {
            if let Some(seen) = portal.seen_from(p) {
                chosen = Some((portal, seen));
                target -= seen.solid_angle();
                if target < 0.0 {
                    break;
                }
            }
        }
        let (portal, seen) = chosen?;
        let wi = (portal.0.point(seen.sample(u)).p - p).try_normalize()?;
        let (radiance, pdf) = self.environment.le_pdf(wi);
        // The sampled portal counts as hit, even if rounding moved the direction over its edge.
        let others = self.portals.iter().filter(|other| !std::ptr::eq(*other, portal));
        let met = 1 + others.filter(|other| other.is_sampled(p, wi)).count();
        Some(LightSample {
            wi,
            pdf: share * met as f32 / visible + (1.0 - share) * pdf,
            is_delta: false,
            end: None,
            shine: SampledEmission::Known(radiance),
        })
    }

    /// Radiance from a direction and the density of `sample_li` from `p` for it [1/sr].
    pub(super) fn le_pdf(&self, p: Vec3, direction: Vec3) -> (Rgb, f32) {
        let visible = self.solid_angle(p);
        let share = self.share(visible);
        let (radiance, pdf) = self.environment.le_pdf(direction);
        (radiance, (1.0 - share) * pdf + share * self.pdf(p, direction, visible))
    }

    /// Approximate luminance of the irradiance that arrives at `p` through the portals [W/m²].
    pub(super) fn irradiance(&self, p: Vec3) -> f32 {
        let visible = self.solid_angle(p);
        let mean = self.environment.mean_radiance();
        if visible > 0.0 {
            mean * visible
        } else {
            self.environment.irradiance()
        }
    }

    /// Density of portal sampling [1/sr]; `visible` is the total solid angle of the portals [sr].
    #[inline]
    fn pdf(&self, p: Vec3, direction: Vec3, visible: f32) -> f32 {
        if visible == 0.0 {
            return 0.0;
        }
        let met = self.portals.iter().filter(|portal| portal.is_sampled(p, direction));
        met.count() as f32 / visible
    }

    /// Total solid angle of the portals that are sampled from `p` [sr].
    #[inline]
    fn solid_angle(&self, p: Vec3) -> f32 {
        let seen = self.portals.iter().filter_map(|portal| portal.seen_from(p));
        seen.map(|seen| seen.solid_angle()).sum()
    }

    /// Probability of portal sampling.
    #[inline]
    fn share(&self, visible: f32) -> f32 {
        match (visible > 0.0, self.environment.has_samples()) {
            (false, _) => 0.0,
            (true, true) => PORTAL_PROBABILITY,
            (true, false) => 1.0,
        }
    }

    /// Adds the positions of the portals to a hash.
    pub(super) fn hash_bits(&self, hasher: &mut impl Hasher) {
        self.environment.hash_bits(hasher);
        for portal in &self.portals {
            portal.0.hash_bits(hasher);
        }
    }
}
