//! Lights: what shines without being scattered, and how to find it on purpose.
//!
//! Contract of every light:
//! - `sample_li` chooses a direction from a point towards the light, with the radiance that would arrive if nothing were
//!   in between and the density of the choice per solid angle [1/sr]. Lights that no ray can hit are *delta*: their
//!   density is 1 and their radiance already divided by what it takes to make a sum of it.
//! - `pdf_li` is that density for a direction or point found in another way; 0 for delta lights.
//! - `le` is the radiance of lights at infinity along a ray that leaves the scene. Lights that are shapes are seen through
//!   their material.
//! - `power` weighs lights against each other; it may be an estimate.

mod area;
mod directional;
mod environment;
mod point;
mod select;
mod spot;

use glam::{Vec2, Vec3};

use crate::color::Rgb;
use crate::geometry::Interaction;
use crate::material::ShadingContext;

pub use area::AreaLight;
pub use directional::DirectionalLight;
pub use environment::{EnvironmentLight, EnvironmentMap, EnvironmentOptions};
pub use point::PointLight;
pub use select::{ChosenLight, LightSelector};
pub use spot::{Falloff, SpotLight};

/// Index of a light in its scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LightId(pub u32);

/// A light.
#[derive(Clone, Debug)]
pub enum Light {
    /// Shines from one point in all directions.
    Point(PointLight),
    /// Shines from one point in a cone.
    Spot(SpotLight),
    /// Shines from infinity in one direction.
    Directional(DirectionalLight),
    /// A shape that emits.
    Area(Box<AreaLight>),
    /// Shines from infinity in all directions.
    Environment(EnvironmentLight),
}

/// A direction towards a light.
#[derive(Clone, Copy, Debug)]
pub struct LightSample {
    /// Unit vector towards the light, world space.
    pub wi: Vec3,
    /// What arrives if nothing is in between.
    pub radiance: Rgb,
    /// Density per solid angle [1/sr]; 1 for delta lights.
    pub pdf: f32,
    /// How far to look for what is in between [m]; infinite for lights at infinity.
    pub distance: f32,
    /// Whether no ray can hit the light by chance.
    pub is_delta: bool,
}

impl Light {
    /// A direction from `p` at a moment, by `u_primitive` (which part of the light) and `u` (where on it), each in
    /// `[0,1)`; `None` where no light arrives.
    #[inline]
    pub fn sample_li(
        &self,
        p: Vec3,
        time: f32,
        u_primitive: f32,
        u: Vec2,
        context: &mut ShadingContext,
    ) -> Option<LightSample> {
        match self {
            Light::Point(light) => light.sample_li(p),
            Light::Spot(light) => light.sample_li(p),
            Light::Directional(light) => Some(light.sample_li()),
            Light::Area(light) => light.sample_li(p, time, u_primitive, u, context),
            Light::Environment(light) => light.sample_li(u),
        }
    }

    /// The density per solid angle with which `sample_li` from `p` chooses the point that a ray found on this light's
    /// shape; 0 for lights that are no shape.
    #[inline]
    pub fn pdf_li(&self, p: Vec3, found: &Interaction) -> f32 {
        match self {
            Light::Area(light) => light.pdf_li(p, found),
            Light::Point(_) | Light::Spot(_) | Light::Directional(_) | Light::Environment(_) => 0.0,
        }
    }

    /// The radiance along a ray that leaves the scene in the unit vector `direction`, and the density of choosing it;
    /// both 0 for lights that are not at infinity.
    #[inline]
    pub fn le_pdf(&self, direction: Vec3) -> (Rgb, f32) {
        match self {
            Light::Environment(light) => light.le_pdf(direction),
            Light::Point(_) | Light::Spot(_) | Light::Directional(_) | Light::Area(_) => (Rgb::BLACK, 0.0),
        }
    }

    /// Luminance of the power that reaches a scene of radius `scene_radius` [W].
    pub fn power(&self, scene_radius: f32) -> f32 {
        match self {
            Light::Point(light) => light.power().luminance(),
            Light::Spot(light) => light.power().luminance(),
            Light::Directional(light) => light.power(scene_radius).luminance(),
            Light::Area(light) => light.power(),
            Light::Environment(light) => light.power(scene_radius),
        }
    }

    /// Whether it shines from infinity.
    pub fn is_infinite(&self) -> bool {
        match self {
            Light::Directional(_) | Light::Environment(_) => true,
            Light::Point(_) | Light::Spot(_) | Light::Area(_) => false,
        }
    }

    /// Whether no ray can hit it by chance.
    pub fn is_delta(&self) -> bool {
        match self {
            Light::Point(_) | Light::Spot(_) | Light::Directional(_) => true,
            Light::Area(_) | Light::Environment(_) => false,
        }
    }
}
