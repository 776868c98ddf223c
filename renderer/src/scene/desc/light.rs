//! Lights that are no shapes. A shape is a light when its material emits.

use std::sync::Arc;

use glam::{Mat3, Vec3};
use shading::Span;

use crate::color::Rgb;
use crate::image::Image;
use crate::sky::Sky;

/// A light with its name.
#[derive(Clone, Debug)]
pub struct LightDesc {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// What it is.
    pub kind: LightKind,
}

/// The kinds of lights.
#[derive(Clone, Debug)]
pub enum LightKind {
    /// Light from all around, infinitely far away.
    Environment {
        /// A latitude-longitude map, linear, three channels, row 0 at +y, the centre column at +z; `None` for the same
        /// radiance from everywhere.
        map: Option<Arc<Image>>,
        /// The map's factor, or the radiance where there is no map.
        radiance: Rgb,
        /// How the map is turned.
        world_from_map: Mat3,
    },
    /// A clear sky and its sun.
    Sky {
        /// The sky, in world space.
        sky: Sky,
        /// Factor of the sky's radiance.
        sky_scale: f32,
        /// Factor of the sun's radiance.
        sun_scale: f32,
        /// The angle that the sun fills, more than 0 and at most π [radians]; the same light comes from a wider one.
        sun_angle: f32,
    },
    /// A point that shines equally in all directions.
    Point {
        /// Where it is, world space [m].
        position: Vec3,
        /// Radiant intensity [W/sr].
        intensity: Rgb,
    },
    /// A point that shines in a cone.
    Spot {
        /// Where it is, world space [m].
        position: Vec3,
        /// Where it points, unit length.
        direction: Vec3,
        /// Radiant intensity along the axis [W/sr].
        intensity: Rgb,
        /// Half-angle beyond which there is no light [radians], at most π.
        cutoff: f32,
        /// Half-angle up to which the intensity is whole [radians], at most `cutoff`.
        beam_width: f32,
        /// How it fades between the two.
        falloff: SpotFalloff,
    },
    /// Parallel light, or that of a disk in the sky.
    Directional {
        /// Where the light goes, unit length.
        direction: Vec3,
        /// Irradiance on a surface that faces it [W/m²].
        irradiance: Rgb,
        /// The angle that the disk fills, at most π; 0 for parallel light [radians].
        angle: f32,
    },
}

/// How a spot fades between its two angles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpotFalloff {
    /// Linear in the angle.
    #[default]
    Linear,
    /// The square of what is linear in the cosine, as glTF has it.
    SquaredCosine,
}
