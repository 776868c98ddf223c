//! Portals: rectangles through which environment light enters a room, sampled by solid angle.
//!
//! - From points in front of a portal, a share of the light samples goes through the visible portals: one is chosen in
//!   proportion to its solid angle, and a direction through it uniformly. The other samples follow the environment map.
//! - Portals do not block light: light that enters elsewhere is found by the other samples and by BSDF sampling.
//! - A portal that appears very small, or nearly edge-on, gets no samples.

use std::hash::Hasher;

use glam::{Vec2, Vec3};

use super::environment::EnvironmentLight;
use super::sample::{LightSample, Shine};
use renderer_base::color::Rgb;
use renderer_base::sampling::SphericalRectangle;
use renderer_geometry::{Rectangle, Shape};

/// A rectangle that faces the room into which it lets light.
#[derive(Clone, Copy, Debug)]
pub struct Portal(Rectangle);

/// An environment with portals.
#[derive(Clone, Debug)]
pub struct PortalLight {
    environment: EnvironmentLight,
    portals: Vec<Portal>,
}

/// Least solid angle of a sampled portal [sr]; `f32` is too imprecise for smaller ones.
const LEAST_SEEN: f32 = 2e-4;

/// Share of samples through portals where any is visible and the environment has samples of its own.
const PORTAL_SHARE: f32 = 0.5;

impl Portal {
    /// The portal of a rectangular shape, whose front faces the room; `None` for any other shape.
    pub fn of(shape: &Shape) -> Option<Portal> {
        Rectangle::of_shape(shape).map(Portal)
    }

    /// The portal on the sphere about a point before it.
    #[inline]
    fn seen_from(&self, p: Vec3) -> Option<SphericalRectangle> {
        let rectangle = &self.0;
        let to_corner = rectangle.p - p;
        let height = -to_corner.dot(rectangle.ng());
        if height <= 2e-3 * rectangle.size.max_element() {
            return None;
        }
        let seen = SphericalRectangle::new(rectangle.along(to_corner), rectangle.size, height);
        (seen.solid_angle() > LEAST_SEEN).then_some(seen)
    }

    /// Whether samples from `p` may go through it in a direction.
    #[inline]
    fn takes(&self, p: Vec3, direction: Vec3) -> bool {
        self.is_met(p, direction) && self.seen_from(p).is_some()
    }

    /// Whether a direction from a point before it goes through it.
    #[inline]
    fn is_met(&self, p: Vec3, direction: Vec3) -> bool {
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
    /// `environment`, seen through `portals`.
    pub fn new(environment: EnvironmentLight, portals: Vec<Portal>) -> PortalLight {
        PortalLight { environment, portals }
    }

    /// The environment.
    pub(super) fn environment(&self) -> &EnvironmentLight {
        &self.environment
    }

    /// A direction from `p`, through a portal or as the environment chooses it.
    pub(super) fn sample_li(&self, p: Vec3, u_way: f64, u: Vec2) -> Option<LightSample> {
        let visible = self.solid_angle(p);
        let share = self.share(visible);
        if u_way >= f64::from(share) {
            let mut sample = self.environment.sample_li(u)?;
            sample.pdf = (1.0 - share) * sample.pdf + share * self.pdf(p, sample.wi, visible);
            return Some(sample);
        }
        let mut target = (u_way / f64::from(share)) as f32 * visible;
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
        // The portal it was sampled from counts as hit, even if rounding moved the direction over its edge.
        let others = self.portals.iter().filter(|other| !std::ptr::eq(*other, portal));
        let met = 1 + others.filter(|other| other.takes(p, wi)).count();
        Some(LightSample {
            wi,
            pdf: share * met as f32 / visible + (1.0 - share) * pdf,
            is_delta: false,
            end: None,
            shine: Shine::Known(radiance),
        })
    }

    /// The radiance from a direction and the density with which `sample_li` chooses it from `p`.
    pub(super) fn le_pdf(&self, p: Vec3, direction: Vec3) -> (Rgb, f32) {
        let visible = self.solid_angle(p);
        let share = self.share(visible);
        let (radiance, pdf) = self.environment.le_pdf(direction);
        (
            radiance,
            (1.0 - share) * pdf + share * self.pdf(p, direction, visible),
        )
    }

    /// About the luminance of the irradiance that arrives at `p` through the portals [W/m²].
    pub(super) fn irradiance(&self, p: Vec3) -> f32 {
        let visible = self.solid_angle(p);
        let mean = self.environment.mean_radiance();
        if visible > 0.0 {
            mean * visible
        } else {
            self.environment.irradiance()
        }
    }

    /// The density of samples through portals, of which the solid angles sum up to `visible`.
    #[inline]
    fn pdf(&self, p: Vec3, direction: Vec3, visible: f32) -> f32 {
        if visible == 0.0 {
            return 0.0;
        }
        let met = self.portals.iter().filter(|portal| portal.takes(p, direction));
        met.count() as f32 / visible
    }

    /// The solid angles of all portals that take samples from `p` together [sr].
    #[inline]
    fn solid_angle(&self, p: Vec3) -> f32 {
        let seen = self.portals.iter().filter_map(|portal| portal.seen_from(p));
        seen.map(|seen| seen.solid_angle()).sum()
    }

    /// The share of samples that go through portals.
    #[inline]
    fn share(&self, visible: f32) -> f32 {
        match (visible > 0.0, self.environment.has_samples()) {
            (false, _) => 0.0,
            (true, true) => PORTAL_SHARE,
            (true, false) => 1.0,
        }
    }

    /// Adds where the portals are to a hash.
    pub(super) fn hash_bits(&self, hasher: &mut impl Hasher) {
        self.environment.hash_bits(hasher);
        for portal in &self.portals {
            portal.0.hash_bits(hasher);
        }
    }
}
