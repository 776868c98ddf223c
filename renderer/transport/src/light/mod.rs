//! Lights: point, spot, luminaire, projector, directional, area and environment lights, with light sampling and photon emission.
//!
//! Contract of all lights:
//! - `sample_li` samples a direction from a point towards the light and returns its density per solid angle [1/sr]. It
//!   runs no shader: `radiance` returns the unoccluded radiance and is called after the visibility test. *Delta* lights
//!   cannot be hit by rays: their density is 1, and their radiance already includes 1/distance²; use it with pdf 1.
//! - `pdf_li` is that density for a direction or point found otherwise (BSDF sampling); 0 for delta lights. It
//!   integrates to the probability that `sample_li` returns a sample.
//! - The density is nonzero wherever light may come from, except for ends of strands without a tangent and for
//!   environments: MIS compensation omits radiance that BSDF sampling finds as well, so their light samples are always
//!   combined with BSDF sampling. `emit` omits no radiance of environments.
//! - `le_pdf` returns the radiance of infinite lights along a ray that leaves the scene. Area lights emit through their
//!   shape's material.
//! - `emit` samples photons, each with its share of the light's power.
//! - `power` is for light selection only and may be an estimate.

mod area;
mod bounds;
mod directional;
mod directional_area;
mod emission_distribution;
mod environment;
mod face;
mod light_sample_context;
mod link;
mod luminaire;
mod moving;
mod point;
mod portal;
mod projector;
mod projector_texture;
mod rectangle;
mod sample;
mod segment;
mod select;
mod sky;
mod sphere;
mod spot;
mod strand;
mod tree;
mod triangle;

use std::hash::{Hash, Hasher};

use glam::{Vec2, Vec3};

use crate::material::ShadingContext;
use bounds::LightBounds;
use moving::{placed_emission, placed_sample};
use renderer_base::color::Rgb;
use renderer_geometry::{Interaction, ShapeId};
pub use renderer_scene::{Interpolation, LightVisibility, MapRows, Outline, SlideLookup, SlideWrap};
use sample::SampledEmission;

pub use area::AreaLight;
pub use directional::DirectionalLight;
pub use directional_area::DirectionalAreaLight;
pub use emission_distribution::Probing;
pub use environment::{EnvironmentLight, EnvironmentMap, EnvironmentOptions};
pub use light_sample_context::LightSampleContext;
pub use link::{LightLink, MAX_RECEIVER_CLASSES, ReceiverClass};
pub use luminaire::LuminaireLight;
pub use moving::Moving;
pub use point::PointLight;
pub use portal::{Portal, PortalLight};
pub use projector::{Beam, ProjectorLight};
pub use projector_texture::ProjectorTexture;
pub use sample::{Emission, EmissionBounds, LightSample, LightViewer, PrimarySample};
pub use segment::SegmentLight;
pub use select::{ChosenLight, LightSelector, Members, powers};
pub use sky::sky_lights;
pub use spot::{Falloff, SpotLight};

/// Index of a light in its scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LightId(pub u32);

/// Light source.
#[derive(Clone, Debug)]
pub enum Light {
    /// Isotropic point light.
    Point(PointLight),
    /// Spot light: a point light with a cone.
    Spot(SpotLight),
    /// Luminaire: a point light with measured intensity.
    Luminaire(Box<LuminaireLight>),
    /// Projector: a point light with an image.
    Projector(Box<ProjectorLight>),
    /// Flat light that emits along its normal only (`directional_area`).
    DirectionalArea(DirectionalAreaLight),
    /// Directional light: infinite; parallel or from a disk in the sky.
    Directional(DirectionalLight),
    /// Emissive shape.
    Area(Box<AreaLight>),
    /// Environment light: infinite, from all directions.
    Environment(EnvironmentLight),
    /// Environment light with portals.
    Portals(Box<PortalLight>),
    /// Light that moves while the shutter is open.
    Moving(Box<Moving<Light>>),
}

impl Light {
    /// Adds the light's parameters to a hash, except those of shapes.
    pub fn hash_bits(&self, hasher: &mut impl Hasher) {
        match self {
            Light::Point(light) => format!("{light:?}").hash(hasher),
            Light::Spot(light) => format!("{light:?}").hash(hasher),
            Light::DirectionalArea(light) => format!("{light:?}").hash(hasher),
            Light::Directional(light) => format!("{light:?}").hash(hasher),
            Light::Luminaire(light) => light.hash_bits(hasher),
            Light::Projector(light) => light.hash_bits(hasher),
            Light::Area(_) => {}
            Light::Environment(light) => light.hash_bits(hasher),
            Light::Portals(light) => light.hash_bits(hasher),
            Light::Moving(light) => {
                light.light().hash_bits(hasher);
                light.hash_motion(hasher);
            }
        }
    }

    /// Samples a photon; `None` if none is emitted. The expectation of its power is the light's power; for infinite
    /// lights, the power into `target`.
    pub fn emit(
        &self,
        target: EmissionBounds,
        sample: &PrimarySample,
        context: &mut ShadingContext,
    ) -> Option<Emission> {
        let (u_position, u_direction) = (sample.position, sample.direction);
        let mut emission = match self {
            Light::Point(light) => Some(light.emit(u_direction)),
            Light::Spot(light) => light.emit(u_direction),
            Light::Luminaire(light) => light.emit(u_direction),
            Light::Projector(light) => light.emit(u_direction),
            Light::DirectionalArea(light) => Some(light.emit(u_position)),
            Light::Directional(light) => {
                let (wi, shine, pdf) = light.sample(u_direction);
                let (ray, area) = target.emission(-wi, u_position);
                let power = shine * (area / pdf);
                Some(Emission { ray, surface: None, power })
            }
            Light::Area(light) => light.emit(sample, context),
            Light::Environment(light) => light.emit(target, u_position, u_direction),
            Light::Portals(light) => light.environment().emit(target, u_position, u_direction),
            Light::Moving(light) => {
                let (pose, target) = light.target(target, sample.time);
                let emission = light.light().emit(target, sample, context)?;
                Some(placed_emission(&pose, emission))
            }
        }?;
        emission.ray.time = sample.time;
        Some(emission)
    }

    /// Emissive shape; `None` for lights that are not shapes.
    #[inline]
    pub(crate) fn shape(&self) -> Option<ShapeId> {
        self.area().map(AreaLight::shape)
    }

    /// Returns the area light, if it is one.
    #[inline]
    fn area(&self) -> Option<&AreaLight> {
        match self {
            Light::Area(light) => Some(light),
            Light::Point(_)
            | Light::Spot(_)
            | Light::Luminaire(_)
            | Light::Projector(_)
            | Light::DirectionalArea(_)
            | Light::Directional(_)
            | Light::Environment(_)
            | Light::Portals(_)
            | Light::Moving(_) => None,
        }
    }

    /// Number of parts for light selection: the faces of a uniformly emitting mesh, primitives of curves or points, else
    /// one.
    pub fn parts(&self) -> u32 {
        self.area().map_or(1, AreaLight::parts)
    }

    /// Part to which a primitive of this light's shape belongs.
    #[inline]
    pub fn part_of(&self, primitive: u32) -> u32 {
        self.area().map_or(0, |light| light.part_of(primitive))
    }

    /// Samples a direction from a point to a part of the light by `u_primitive` (primitive of the part) and `u` (point on
    /// it), each in `[0,1)`; `None` if no light arrives.
    #[inline]
    pub fn sample_li(
        &self,
        viewer: &LightViewer,
        part: u32,
        u_primitive: f64,
        u: Vec2,
    ) -> Option<LightSample> {
        let p = viewer.p;
        match self {
            Light::Point(light) => light.sample_li(p),
            Light::Spot(light) => light.sample_li(p),
            Light::Luminaire(light) => light.sample_li(p),
            Light::Projector(light) => light.sample_li(p),
            Light::DirectionalArea(light) => light.sample_li(p),
            Light::Directional(light) => Some(light.sample_li(u)),
            Light::Area(light) => light.sample_li(viewer, part, u_primitive, u),
            Light::Environment(light) => light.sample_li(u),
            Light::Portals(light) => light.sample_li(p, u_primitive, u),
            Light::Moving(light) => {
                let (pose, viewer) = light.viewer(viewer);
                let sample = light.light().sample_li(&viewer, part, u_primitive, u)?;
                Some(placed_sample(&pose, sample))
            }
        }
    }

    /// Unoccluded radiance along a direction sampled by this light's `sample_li`.
    #[inline]
    pub fn radiance(&self, sample: &LightSample, viewer: &LightViewer, context: &mut ShadingContext) -> Rgb {
        match (self, sample.shine, &sample.end) {
            (_, SampledEmission::Known(radiance), _) => radiance,
            (Light::Area(light), SampledEmission::FromPoint { primitive, barycentric }, Some(end)) => {
                light.radiance(sample.wi, end, (primitive, barycentric), viewer, context)
            }
            (Light::Environment(light), SampledEmission::FromMap(uv), _) => light.radiance_at(uv),
            (Light::Portals(light), SampledEmission::FromMap(uv), _) => light.environment().radiance_at(uv),
            (Light::Moving(light), ..) => light.light().radiance(sample, viewer, context),
            (_, SampledEmission::FromPoint { .. } | SampledEmission::FromMap(_), _) => {
                unreachable!("only shapes shine from points, and environments from maps")
            }
        }
    }

    /// Density of `sample_li` from `p`, for the point that a ray hit on this light's shape, within its part [1/sr]; 0
    /// for lights without a shape.
    #[inline]
    pub fn pdf_li(&self, p: Vec3, found: &Interaction) -> f32 {
        self.area().map_or(0.0, |light| light.pdf_li(p, found))
    }

    /// Radiance along a ray that leaves the scene in the unit vector `direction`, and the density of `sample_li` for it
    /// [1/sr]; both 0 for lights that are not infinite.
    #[inline]
    pub fn le_pdf(&self, viewer: &LightViewer, direction: Vec3) -> (Rgb, f32) {
        match self {
            Light::Environment(light) => light.le_pdf(direction),
            Light::Portals(light) => light.le_pdf(viewer.p, direction),
            Light::Moving(light) => {
                let (pose, viewer) = light.viewer(viewer);
                light.light().le_pdf(&viewer, pose.local_vector(direction))
            }
            Light::Directional(light) => light.le_pdf(direction),
            Light::Point(_)
            | Light::Spot(_)
            | Light::Luminaire(_)
            | Light::Projector(_)
            | Light::DirectionalArea(_)
            | Light::Area(_) => (Rgb::BLACK, 0.0),
        }
    }

    /// Luminance of the power that reaches a scene of radius `scene_radius` [W]; for a shape an estimate, which may be
    /// 0 (see [`powers`]).
    pub fn power(&self, scene_radius: f32) -> f32 {
        match self {
            Light::Point(light) => light.power().luminance(),
            Light::Spot(light) => light.power().luminance(),
            Light::Luminaire(light) => light.power().luminance(),
            Light::Projector(light) => light.power(),
            Light::DirectionalArea(light) => light.power().luminance(),
            Light::Directional(light) => light.power(scene_radius).luminance(),
            Light::Area(light) => light.power(),
            Light::Environment(light) => light.power(scene_radius),
            Light::Portals(light) => light.environment().power(scene_radius),
            Light::Moving(light) => light.light().power(scene_radius),
        }
    }

    /// Bounds of a part for the light tree; `None` for lights outside the tree: infinite ones, and parallel light.
    fn bounds(&self, part: u32) -> Option<LightBounds> {
        match self {
            Light::Point(light) => Some(light.bounds()),
            Light::Spot(light) => Some(light.bounds()),
            Light::Luminaire(light) => Some(light.bounds()),
            Light::Projector(light) => Some(light.bounds()),
            Light::Area(light) => Some(light.bounds(part)),
            Light::Moving(light) => Some(light.bounds(&light.light().bounds(part)?)),
            Light::DirectionalArea(_) | Light::Directional(_) | Light::Environment(_) | Light::Portals(_) => {
                None
            }
        }
    }

    /// Centre of the light's bounds [m]; `None` if the light is infinite or has parallel rays.
    pub(crate) fn center(&self) -> Option<Vec3> {
        self.bounds(0).map(|bounds| bounds.center)
    }

    /// Estimated luminance of the unoccluded irradiance at a point, for lights outside the light tree [W/m²].
    #[inline]
    fn irradiance(&self, at: &LightSampleContext) -> f32 {
        match self {
            Light::DirectionalArea(light) => light.irradiance(at),
            Light::Directional(light) => light.irradiance(at),
            Light::Environment(light) => light.irradiance(),
            Light::Portals(light) => light.irradiance(at.p),
            // From all directions, since the light may turn.
            Light::Moving(light) => {
                let at = LightSampleContext::in_space(light.point_at_opening(at.p));
                light.light().irradiance(&at)
            }
            Light::Point(_) | Light::Spot(_) | Light::Luminaire(_) | Light::Projector(_) | Light::Area(_) => {
                0.0
            }
        }
    }

    /// Another light in place of this one, with the same motion.
    #[must_use]
    pub(crate) fn replaced_by(&self, light: Light) -> Light {
        match self {
            Light::Moving(moving) => Light::Moving(Box::new(moving.with_light(light))),
            _ => light,
        }
    }

    /// The light with light samples of all its radiance, without MIS compensation.
    #[must_use]
    pub(crate) fn sampled_only(&self) -> Light {
        match self {
            Light::Environment(light) => Light::Environment(light.uncompensated()),
            Light::Portals(light) => Light::Portals(Box::new(light.uncompensated())),
            Light::Moving(light) => self.replaced_by(light.light().sampled_only()),
            _ => self.clone(),
        }
    }

    /// Returns whether the light moves while the shutter is open.
    pub fn is_moving(&self) -> bool {
        match self {
            Light::Moving(_) => true,
            Light::Area(light) => light.is_moving(),
            Light::Point(_)
            | Light::Spot(_)
            | Light::Luminaire(_)
            | Light::Projector(_)
            | Light::DirectionalArea(_)
            | Light::Directional(_)
            | Light::Environment(_)
            | Light::Portals(_) => false,
        }
    }

    /// Returns whether the light is infinite.
    pub fn is_infinite(&self) -> bool {
        match self {
            Light::Directional(_) | Light::Environment(_) | Light::Portals(_) => true,
            Light::Point(_)
            | Light::Spot(_)
            | Light::Luminaire(_)
            | Light::Projector(_)
            | Light::DirectionalArea(_)
            | Light::Area(_) => false,
            Light::Moving(light) => light.light().is_infinite(),
        }
    }

    /// Returns whether the light is a delta light, which no ray can hit.
    pub fn is_delta(&self) -> bool {
        match self {
            Light::Point(_)
            | Light::Spot(_)
            | Light::Luminaire(_)
            | Light::Projector(_)
            | Light::DirectionalArea(_) => true,
            Light::Directional(light) => light.is_delta(),
            Light::Moving(light) => light.light().is_delta(),
            Light::Area(_) | Light::Environment(_) | Light::Portals(_) => false,
        }
    }
}
