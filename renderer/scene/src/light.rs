//! Description of lights that are not shapes. A shape is a light if its material emits.

use std::sync::Arc;

use glam::{Affine2, Affine3A, Mat3, Vec2, Vec3};
use shading::Span;

use renderer_base::color::Rgb;
use renderer_base::sky::Sky;
use renderer_geometry::Rectangle;
use renderer_geometry::camera::FovAxis;
use renderer_image::Image;

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
        /// Where its rows are.
        rows: MapRows,
        /// Rectangles through which its light reaches rooms.
        portals: Vec<Rectangle>,
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
        /// A picture that it shines through.
        slide: Option<SpotSlide>,
    },
    /// A point that shows a picture.
    Projector {
        /// Placed as a camera that would see the picture: it shines along −z, +y is up, +x to the right.
        world_from_light: Affine3A,
        /// The angle that the picture fills along `fov_axis` [radians], between 0 and π.
        fov: f32,
        /// What the angle measures.
        fov_axis: FovAxis,
        /// What a white wall at distance 1 shows where the picture is white [W/sr/m²].
        radiance: Rgb,
        /// The picture.
        slide: SlideDesc,
    },
    /// A flat light that shines straight ahead only.
    DirectionalArea {
        /// It lies in the plane z = 0 of its own space, about the origin, and shines towards +z.
        world_from_sheet: Affine3A,
        /// Its extent in x and y, positive [m].
        size: Vec2,
        /// What it covers of that.
        outline: Outline,
        /// Irradiance on a surface that faces it [W/m²].
        irradiance: Rgb,
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

/// A picture, linear, three channels, and how it is looked up.
#[derive(Clone, Debug)]
pub struct SlideDesc {
    /// The picture.
    pub map: Arc<Image>,
    /// How.
    pub lookup: SlideLookup,
}

/// A picture before a spot, as wide and high as the cone.
#[derive(Clone, Debug)]
pub struct SpotSlide {
    /// The picture.
    pub slide: SlideDesc,
    /// Which way is up in the picture, not along the axis.
    pub up: Vec3,
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

/// Where the rows of a map are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MapRows {
    /// At the centres of equal bands, so that the first is half a band below the pole: the convention of texels as
    /// areas.
    #[default]
    Centers,
    /// The first at +y, the last at −y: as Mitsuba 3 looks them up.
    Poles,
}

/// Outline of a sheet within its rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outline {
    /// All of it.
    #[default]
    Rectangle,
    /// The ellipse that touches its sides.
    Disk,
}

/// Wrap mode: values beyond the borders of an image. Interpolation reads them up to half a texel inside the border.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SlideWrap {
    /// The texels of the border.
    #[default]
    Clamp,
    /// The picture again.
    Repeat,
    /// The picture in a mirror, and again.
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
    /// What lies beyond its borders.
    pub wrap: SlideWrap,
    /// What is between its texels.
    pub interpolation: Interpolation,
    /// Transform from the light's window to the image, both unit squares with `(0, 0)` in the top left corner.
    pub picture_from_window: Affine2,
}
