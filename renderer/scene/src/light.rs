//! Description of lights that are not shapes. A shape is a light if its material emits.

use std::sync::Arc;

use glam::{Affine2, Affine3A, Mat3, Vec2, Vec3};
use shading::Span;

use crate::{LightLinks, Luminaire, MaterialId, Motion};
use renderer_base::color::Rgb;
use renderer_base::sky::Sky;
use renderer_geometry::Rectangle;
use renderer_geometry::camera::FovAxis;
use renderer_image::Image;

/// Light with its name.
#[derive(Clone, Debug)]
pub struct LightDesc {
    /// Name of the light.
    pub name: String,
    /// Source location of the declaration.
    pub span: Span,
    /// Group of lights that it belongs to, for passes.
    pub group: Option<Arc<str>>,
    /// Kind of light with its parameters.
    pub kind: LightKind,
    /// Transform over time from the world space of `kind` to the world; its scale has no effect.
    pub motion: Option<Arc<Motion>>,
    /// Shapes that it illuminates, and shapes that block it; all if `None`.
    pub links: Option<Arc<LightLinks>>,
}

/// Kinds of lights.
#[derive(Clone, Debug)]
pub enum LightKind {
    /// Environment light: radiance from all directions, infinitely far away.
    Environment {
        /// Latitude-longitude map, linear, three channels, row 0 at +y, the centre column at +z; `None` for constant
        /// radiance.
        map: Option<Arc<Image>>,
        /// Factor of the map, or the radiance if there is no map.
        radiance: Rgb,
        /// Rotation from the map's space to the world.
        world_from_map: Mat3,
        /// Position of the rows.
        rows: MapRows,
        /// Portals: rectangles through which the light enters rooms.
        portals: Vec<Rectangle>,
    },
    /// Environment light whose radiance is the emission of a shader.
    Background {
        /// Shader.
        shader: MaterialId,
        /// Factor of its radiance.
        radiance: Rgb,
        /// Rotation from the shader's directions to the world.
        world_from_map: Mat3,
        /// Columns of the map that is sampled from it, at least 2.
        columns: u32,
        /// Portals: rectangles through which the light enters rooms.
        portals: Vec<Rectangle>,
    },
    /// Clear sky with its sun.
    Sky {
        /// Sky model, in world space.
        sky: Sky,
        /// Factor of the sky's radiance.
        sky_scale: f32,
        /// Factor of the sun's radiance.
        sun_scale: f32,
        /// Angular diameter of the sun, more than 0 and at most π [radians]. The sun's irradiance does not depend on
        /// it.
        sun_angle: f32,
    },
    /// Point light: equal intensity in all directions.
    Point {
        /// Position in world space [m].
        position: Vec3,
        /// Radiant intensity [W/sr].
        intensity: Rgb,
    },
    /// Spot light: a point that shines in a cone.
    Spot {
        /// Position in world space [m].
        position: Vec3,
        /// Direction of the axis in world space, unit length.
        direction: Vec3,
        /// Radiant intensity along the axis [W/sr].
        intensity: Rgb,
        /// Half-angle of the cone [radians], at most π; no light beyond.
        cutoff: f32,
        /// Half-angle of the inner cone of full intensity [radians], at most `cutoff`.
        beam_width: f32,
        /// Falloff between the two half-angles.
        falloff: SpotFalloff,
        /// Picture that scales the intensity, if any.
        slide: Option<SpotSlide>,
    },
    /// Point with the measured intensity of a luminaire.
    Luminaire {
        /// Transform of the luminaire: its axis is −z, +y is up, +x to the right. Its scale has no effect.
        world_from_light: Affine3A,
        /// Factor of the measured intensity.
        scale: Rgb,
        /// Measured luminaire.
        luminaire: Arc<Luminaire>,
    },
    /// Projector: a point that projects a picture.
    Projector {
        /// Transform of a camera that would see the picture: it shines along −z, +y is up, +x to the right.
        world_from_light: Affine3A,
        /// Angle of the picture along `fov_axis` [radians], between 0 and π.
        fov: f32,
        /// Axis that `fov` measures.
        fov_axis: FovAxis,
        /// Radiance of a white wall at distance 1 m, where the picture is white [W/sr/m²].
        radiance: Rgb,
        /// Projected image.
        slide: SlideDesc,
    },
    /// Directional area light: a flat shape that emits along its normal only.
    DirectionalArea {
        /// Transform of the light, which is in the plane z = 0 about the origin and emits towards +z.
        world_from_sheet: Affine3A,
        /// Extent in x and y, positive [m].
        size: Vec2,
        /// Outline within that extent.
        outline: Outline,
        /// Irradiance on a surface that faces the light [W/m²].
        irradiance: Rgb,
    },
    /// Directional light: parallel, or from a disk in the sky.
    Directional {
        /// Direction of propagation, unit length.
        direction: Vec3,
        /// Irradiance on a surface that faces the light [W/m²].
        irradiance: Rgb,
        /// Angular diameter of the disk, at most π; 0 for parallel light [radians].
        angle: f32,
    },
}

/// Linear image with three channels, and its lookup options.
#[derive(Clone, Debug)]
pub struct SlideDesc {
    /// The image.
    pub map: Arc<Image>,
    /// Lookup options.
    pub lookup: SlideLookup,
}

/// Picture that scales the intensity of a spot, as wide and high as the cone.
#[derive(Clone, Debug)]
pub struct SpotSlide {
    /// The picture.
    pub slide: SlideDesc,
    /// Up direction of the picture, not parallel to the axis.
    pub up: Vec3,
}

/// Falloff of a spot between its two half-angles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpotFalloff {
    /// Linear in the angle.
    #[default]
    Linear,
    /// Squared linear falloff in the cosine, as in glTF.
    SquaredCosine,
}

/// Position of the rows of a latitude-longitude map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MapRows {
    /// Rows are centres of equal bands, the first half a band below the pole: texels as areas.
    #[default]
    Centers,
    /// The first row is at +y, the last at −y, as in Mitsuba 3.
    Poles,
}

/// Outline of a directional area light within its extent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outline {
    /// The whole rectangle.
    #[default]
    Rectangle,
    /// The inscribed ellipse.
    Disk,
}

/// Wrap mode: values beyond the borders of an image. Interpolation reads them up to half a texel inside the border.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SlideWrap {
    /// Repeats the border texels.
    #[default]
    Clamp,
    /// Repeats the image.
    Repeat,
    /// Repeats the image, mirrored at each border.
    Mirror,
}

/// Interpolation between texel centres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// Bilinear.
    #[default]
    Linear,
    /// The nearest texel.
    Closest,
}

/// Lookup options of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SlideLookup {
    /// Wrap mode.
    pub wrap: SlideWrap,
    /// Interpolation between texels.
    pub interpolation: Interpolation,
    /// Transform from the light's window to the image, both unit squares with `(0, 0)` in the top left corner.
    pub picture_from_window: Affine2,
}
