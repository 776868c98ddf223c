//! Lights: point, spot, projector, directional, area and environment lights, with light sampling and photon emission.
//!
//! Contract of every light:
//! - `sample_li` samples a direction from a point towards the light and returns its density per solid angle [1/sr]. It
//!   runs no shader: `radiance` returns the unoccluded radiance and is called after the visibility test. Lights that no
//!   ray can hit are *delta*: their density is 1, and their radiance already includes 1/distance²; use it with pdf 1.
//! - `pdf_li` is that density for a direction or point found in another way (BSDF sampling); 0 for delta lights. It
//!   integrates to the probability that `sample_li` returns a sample.
//! - The density is nonzero wherever light may come from. Environments are the exception: MIS compensation leaves out
//!   what BSDF sampling finds as well, so their light samples are always combined with BSDF samples. `emit` leaves
//!   nothing out.
//! - `le_pdf` returns the radiance of lights at infinity along a ray that leaves the scene. Area lights emit through
//!   their shape's material.
//! - `emit` samples photons, each with its share of the light's power.
//! - `power` is for light selection only and may be an estimate.

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

use crate::material::ShadingContext;
use bounds::LightBounds;
use renderer_base::color::Rgb;
use renderer_geometry::Interaction;
pub use renderer_scene::{Interpolation, MapRows, Outline, SlideLookup, SlideWrap};
use sample::Shine;

pub use area::AreaLight;
pub use directional::DirectionalLight;
pub use environment::{EnvironmentLight, EnvironmentMap, EnvironmentOptions};
pub use lit_point::LitPoint;
pub use pattern::Probing;
pub use point::PointLight;
pub use portal::{Portal, PortalLight};
pub use projector::{Beam, ProjectorLight};
pub use sample::{Emission, LightSample, Target};
pub use select::{ChosenLight, LightSelector, powers};
pub use sheet::SheetLight;
pub use sky::sky_lights;
pub use slide::Slide;
pub use spot::{Falloff, SpotLight};

/// Index of a light in its scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LightId(pub u32);

/// A light.
#[derive(Clone, Debug)]
pub enum Light {
    /// A point light: isotropic.
    Point(PointLight),
    /// A spot light: a point with a cone.
    Spot(SpotLight),
    /// A projector: a point with an image.
    Projector(Box<ProjectorLight>),
    /// A flat light that emits along its normal only (`directional_area`).
    Sheet(SheetLight),
    /// A directional light: from infinity, parallel or from a disk in the sky.
    Directional(DirectionalLight),
    /// A shape that emits.
    Area(Box<AreaLight>),
    /// An environment: from infinity, all directions.
    Environment(EnvironmentLight),
    /// An environment with portals.
    Portals(Box<PortalLight>),
}

impl Light {
    /// Adds the light's parameters to a hash; those of shapes are left out.
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

    /// Samples a photon by `u_primitive` (part of the light), `u_position` and `u_direction`, each in `[0,1)`; `None`
    /// if none is emitted. The mean of its power is the light's power; for lights at infinity, the power into `target`.
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

    /// The area light, if it is one.
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

    /// Number of parts for light selection: the faces of a uniformly emitting mesh, else one.
    pub fn parts(&self) -> u32 {
        self.area().map_or(1, AreaLight::parts)
    }

    /// The part that a primitive of this light's shape belongs to.
    #[inline]
    pub fn part_of(&self, primitive: u32) -> u32 {
        self.area().map_or(0, |light| light.part_of(primitive))
    }

    /// Samples a direction from `p` to a part of the light by `u_primitive` (primitive of the part) and `u` (point on
    /// it), each in `[0,1)`; `None` where no light arrives.
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

    /// Unoccluded radiance along a direction that `sample_li` of this light returned.
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

    /// Luminance of the power that reaches a scene of radius `scene_radius` [W]. For a shape an estimate, which may be
    /// 0; see [`powers`].
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

    /// Bounds of a part for the light tree; `None` for lights outside the tree: those at infinity, and parallel light.
    fn bounds(&self, part: u32) -> Option<LightBounds> {
        match self {
            Light::Point(light) => Some(light.bounds()),
            Light::Spot(light) => Some(light.bounds()),
            Light::Projector(light) => Some(light.bounds()),
            Light::Area(light) => Some(light.bounds(part)),
            Light::Sheet(_) | Light::Directional(_) | Light::Environment(_) | Light::Portals(_) => None,
        }
    }

    /// Estimated luminance of the unoccluded irradiance at a point, for lights outside the light tree [W/m²].
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

    /// Whether it is at infinity.
    pub fn is_infinite(&self) -> bool {
        match self {
            Light::Directional(_) | Light::Environment(_) | Light::Portals(_) => true,
            Light::Point(_) | Light::Spot(_) | Light::Projector(_) | Light::Sheet(_) | Light::Area(_) => {
                false
            }
        }
    }

    /// Whether no ray can hit it (delta light).
    pub fn is_delta(&self) -> bool {
        match self {
            Light::Point(_) | Light::Spot(_) | Light::Projector(_) | Light::Sheet(_) => true,
            Light::Directional(light) => light.is_delta(),
            Light::Area(_) | Light::Environment(_) | Light::Portals(_) => false,
        }
    }
}
