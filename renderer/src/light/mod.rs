//! Lights: what shines without being scattered, and how to find it on purpose.
//!
//! Contract of every light:
//! - `sample_li` chooses a direction from a point towards the light, with the density of the choice per solid angle
//!   [1/sr]. It runs no shader: `radiance` tells what arrives if nothing is in between, and is asked when that is known.
//!   Lights that no ray can hit are *delta*: their density is 1 and their radiance already divided by what it takes to
//!   make a sum of it.
//! - `pdf_li` is that density for a direction or point found in another way; 0 for delta lights. Over all that
//!   `sample_li` may choose it integrates to the probability that `sample_li` chooses anything.
//! - Where light may come from there is density, whatever was found when the light was made. Environments are the exception:
//!   their light samples leave out what directions that surfaces choose find as well, so the two always go together.
//!   `emit` leaves nothing out.
//! - `le` is the radiance of lights at infinity along a ray that leaves the scene. Lights that are shapes are seen through
//!   their material.
//! - `emit` sends photons out, each with its share of the light's power.
//! - `power` weighs lights against each other; it may be an estimate.

mod area;
mod bounds;
mod directional;
mod environment;
mod face;
mod lit_point;
mod pattern;
mod point;
mod portal;
mod projector;
mod rectangle;
mod sample;
mod select;
mod sheet;
mod sky;
mod slide;
mod sphere;
mod spot;
mod tree;
mod triangle;

use std::hash::{Hash, Hasher};

use glam::{Vec2, Vec3};

use crate::color::Rgb;
use crate::geometry::Interaction;
use crate::material::ShadingContext;
use bounds::LightBounds;
use sample::Shine;

pub use area::AreaLight;
pub use directional::DirectionalLight;
pub use environment::{EnvironmentLight, EnvironmentMap, EnvironmentOptions, MapRows};
pub use lit_point::LitPoint;
pub use pattern::Probing;
pub use point::PointLight;
pub use portal::{Portal, PortalLight};
pub use projector::{Beam, ProjectorLight};
pub use sample::{Emission, LightSample, Target};
pub use select::{ChosenLight, LightSelector, powers};
pub use sheet::{Outline, SheetLight};
pub use sky::sky_lights;
pub use slide::{Interpolation, Slide, SlideLookup, SlideWrap};
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
    /// Shines from one point through a picture.
    Projector(Box<ProjectorLight>),
    /// A flat light that shines straight ahead only.
    Sheet(SheetLight),
    /// Shines from infinity in one direction, or from a disk in the sky.
    Directional(DirectionalLight),
    /// A shape that emits.
    Area(Box<AreaLight>),
    /// Shines from infinity in all directions.
    Environment(EnvironmentLight),
    /// The same, seen through portals.
    Portals(Box<PortalLight>),
}

impl Light {
    /// Adds to a hash what it is, as far as it is no shape.
    pub fn hash_bits(&self, hasher: &mut impl Hasher) {
        match self {
            Light::Point(light) => format!("{light:?}").hash(hasher),
            Light::Spot(light) => format!("{light:?}").hash(hasher),
            Light::Sheet(light) => format!("{light:?}").hash(hasher),
            Light::Directional(light) => format!("{light:?}").hash(hasher),
            Light::Projector(light) => light.hash_bits(hasher),
            Light::Area(_) => {}
            Light::Environment(light) => light.hash_bits(hasher),
            Light::Portals(light) => light.hash_bits(hasher),
        }
    }

    /// A photon by `u_primitive` (which part of the light), `u_position` and `u_direction`, each in `[0,1)`; `None` where
    /// none leaves. Its power, averaged over all choices, is what the light sends out; at infinity, into `target`.
    pub fn emit(
        &self,
        target: Target,
        u_primitive: f64,
        u_position: Vec2,
        u_direction: Vec2,
        context: &mut ShadingContext,
    ) -> Option<Emission> {
        match self {
            Light::Point(light) => Some(light.emit(u_direction)),
            Light::Spot(light) => light.emit(u_direction),
            Light::Projector(light) => light.emit(u_direction),
            Light::Sheet(light) => Some(light.emit(u_position)),
            Light::Directional(light) => {
                let (wi, shine, pdf) = light.sample(u_direction);
                let (ray, area) = target.emission(-wi, u_position);
                let power = shine * (area / pdf);
                Some(Emission { ray, power })
            }
            Light::Area(light) => light.emit(u_primitive, u_position, u_direction, context),
            Light::Environment(light) => light.emit(target, u_position, u_direction),
            Light::Portals(light) => light.environment().emit(target, u_position, u_direction),
        }
    }

    /// The shape that it is, if it is one.
    #[inline]
    fn area(&self) -> Option<&AreaLight> {
        match self {
            Light::Area(light) => Some(light),
            Light::Point(_)
            | Light::Spot(_)
            | Light::Projector(_)
            | Light::Sheet(_)
            | Light::Directional(_)
            | Light::Environment(_)
            | Light::Portals(_) => None,
        }
    }

    /// How many parts it has that are chosen apart from each other: the faces of a mesh that emits alike all over.
    pub fn parts(&self) -> u32 {
        self.area().map_or(1, AreaLight::parts)
    }

    /// The part that a primitive of this light's shape belongs to.
    #[inline]
    pub fn part_of(&self, primitive: u32) -> u32 {
        self.area().map_or(0, |light| light.part_of(primitive))
    }

    /// A direction from `p` to a part of the light by `u_primitive` (which primitive of it) and `u` (where on that), each in
    /// `[0,1)`; `None` where no light arrives.
    #[inline]
    pub fn sample_li(&self, p: Vec3, part: u32, u_primitive: f64, u: Vec2) -> Option<LightSample> {
        match self {
            Light::Point(light) => light.sample_li(p),
            Light::Spot(light) => light.sample_li(p),
            Light::Projector(light) => light.sample_li(p),
            Light::Sheet(light) => light.sample_li(p),
            Light::Directional(light) => Some(light.sample_li(u)),
            Light::Area(light) => light.sample_li(p, part, u_primitive, u),
            Light::Environment(light) => light.sample_li(u),
            Light::Portals(light) => light.sample_li(p, u_primitive, u),
        }
    }

    /// What arrives along a direction that `sample_li` of this light chose, if nothing is in between, at a moment.
    #[inline]
    pub fn radiance(&self, sample: &LightSample, time: f32, context: &mut ShadingContext) -> Rgb {
        match (self, sample.shine, &sample.end) {
            (_, Shine::Known(radiance), _) => radiance,
            (
                Light::Area(light),
                Shine::FromPoint {
                    primitive,
                    barycentric,
                },
                Some(end),
            ) => light.radiance(sample.wi, end, (primitive, barycentric), time, context),
            (Light::Environment(light), Shine::FromMap(uv), _) => light.radiance_at(uv),
            (Light::Portals(light), Shine::FromMap(uv), _) => light.environment().radiance_at(uv),
            (_, Shine::FromPoint { .. } | Shine::FromMap(_), _) => {
                unreachable!("only shapes shine from points, and environments from maps")
            }
        }
    }

    /// The density per solid angle with which `sample_li` from `p` chooses the point that a ray found on this light's
    /// shape, of the part that it belongs to; 0 for lights that are no shape.
    #[inline]
    pub fn pdf_li(&self, p: Vec3, found: &Interaction) -> f32 {
        self.area().map_or(0.0, |light| light.pdf_li(p, found))
    }

    /// The radiance along a ray that leaves the scene in the unit vector `direction`, and the density with which `sample_li`
    /// from `p` chooses it; both 0 for lights that are not at infinity.
    #[inline]
    pub fn le_pdf(&self, p: Vec3, direction: Vec3) -> (Rgb, f32) {
        match self {
            Light::Environment(light) => light.le_pdf(direction),
            Light::Portals(light) => light.le_pdf(p, direction),
            Light::Directional(light) => light.le_pdf(direction),
            Light::Point(_) | Light::Spot(_) | Light::Projector(_) | Light::Sheet(_) | Light::Area(_) => {
                (Rgb::BLACK, 0.0)
            }
        }
    }

    /// Luminance of the power that reaches a scene of radius `scene_radius` [W]. For a shape an estimate: 0 where it
    /// found nothing; see [`powers`].
    pub fn power(&self, scene_radius: f32) -> f32 {
        match self {
            Light::Point(light) => light.power().luminance(),
            Light::Spot(light) => light.power().luminance(),
            Light::Projector(light) => light.power(),
            Light::Sheet(light) => light.power().luminance(),
            Light::Directional(light) => light.power(scene_radius).luminance(),
            Light::Area(light) => light.power(),
            Light::Environment(light) => light.power(scene_radius),
            Light::Portals(light) => light.environment().power(scene_radius),
        }
    }

    /// Where a part is and how strong; `None` for lights that are not chosen by that: those at infinity, and parallel light.
    fn bounds(&self, part: u32) -> Option<LightBounds> {
        match self {
            Light::Point(light) => Some(light.bounds()),
            Light::Spot(light) => Some(light.bounds()),
            Light::Projector(light) => Some(light.bounds()),
            Light::Area(light) => Some(light.bounds(part)),
            Light::Sheet(_) | Light::Directional(_) | Light::Environment(_) | Light::Portals(_) => None,
        }
    }

    /// About the luminance of the irradiance that it brings to a point, if nothing is between, for lights without bounds
    /// [W/m²].
    #[inline]
    fn irradiance(&self, at: &LitPoint) -> f32 {
        match self {
            Light::Sheet(light) => light.irradiance(at),
            Light::Directional(light) => light.irradiance(at),
            Light::Environment(light) => light.irradiance(),
            Light::Portals(light) => light.irradiance(at.p),
            Light::Point(_) | Light::Spot(_) | Light::Projector(_) | Light::Area(_) => 0.0,
        }
    }

    /// Whether it shines from infinity.
    pub fn is_infinite(&self) -> bool {
        match self {
            Light::Directional(_) | Light::Environment(_) | Light::Portals(_) => true,
            Light::Point(_) | Light::Spot(_) | Light::Projector(_) | Light::Sheet(_) | Light::Area(_) => {
                false
            }
        }
    }

    /// Whether no ray can hit it by chance.
    pub fn is_delta(&self) -> bool {
        match self {
            Light::Point(_) | Light::Spot(_) | Light::Projector(_) | Light::Sheet(_) => true,
            Light::Directional(light) => light.is_delta(),
            Light::Area(_) | Light::Environment(_) | Light::Portals(_) => false,
        }
    }
}
