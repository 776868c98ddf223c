//! Texture lookup parameters (wrap modes, interpolation, derivatives) and results.

use glam::{Vec2, Vec3};

/// Wrap mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The wrap mode of the file; black if the file has none.
    #[default]
    File,
    /// Black, with alpha 0.
    Black,
    /// The texels of the border.
    Clamp,
    /// The image, repeated.
    Periodic,
    /// The image, alternately mirrored and repeated.
    Mirror,
}

impl Wrap {
    /// Wrap mode by its name in files and shaders.
    pub fn from_name(name: &str) -> Option<Wrap> {
        match name {
            "default" => Some(Wrap::File),
            "black" => Some(Wrap::Black),
            "clamp" => Some(Wrap::Clamp),
            "periodic" => Some(Wrap::Periodic),
            "mirror" => Some(Wrap::Mirror),
            _ => None,
        }
    }

    /// Maps the index `i` to `0..size`; `None` for black.
    #[inline]
    pub(super) fn apply(self, i: i64, size: usize) -> Option<u32> {
        let n = size as i64;
        if (0..n).contains(&i) {
            return Some(i as u32);
        }
        match self {
            Wrap::Periodic => Some(i.rem_euclid(n) as u32),
            Wrap::Clamp => Some(i.clamp(0, n - 1) as u32),
            Wrap::Black | Wrap::File => None,
            Wrap::Mirror => {
                let k = i.rem_euclid(2 * n);
                Some(if k < n { k } else { 2 * n - 1 - k } as u32)
            }
        }
    }

    /// Reduces a coordinate to the range of the image, so that its product with the size keeps its fraction and fits an
    /// integer.
    #[inline]
    pub(super) fn reduce(self, s: f32) -> f32 {
        match self {
            Wrap::Periodic => s - s.floor(),
            Wrap::Mirror => s - 2.0 * (0.5 * s).floor(),
            Wrap::Clamp | Wrap::Black | Wrap::File => s.clamp(-8.0, 9.0),
        }
    }
}

/// Interpolation between texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// Bicubic where texels are magnified, else bilinear.
    #[default]
    SmartCubic,
    /// Bicubic: the uniform B-spline.
    Cubic,
    /// Bilinear within a level.
    Linear,
    /// The nearest texel.
    Closest,
}

/// Parameters of a texture lookup other than its position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter {
    /// Wrap mode beyond the left and right border.
    pub wrap_s: Wrap,
    /// Wrap mode beyond the top and bottom border.
    pub wrap_t: Wrap,
    /// Interpolation between texels.
    pub interpolation: Interpolation,
    /// Factors of the footprint along s and t.
    pub width: Vec2,
    /// Blur, added to the footprint [sizes of the image].
    pub blur: Vec2,
    /// First channel to read.
    pub first_channel: usize,
    /// Number of channels requested; if three, a single grey channel is repeated in all.
    pub channels: usize,
    /// Value of missing channels.
    pub fill: f32,
    /// True if derivatives are requested.
    pub derivatives: bool,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter {
            wrap_s: Wrap::default(),
            wrap_t: Wrap::default(),
            interpolation: Interpolation::default(),
            width: Vec2::ONE,
            blur: Vec2::ZERO,
            first_channel: 0,
            channels: 3,
            fill: 0.0,
            derivatives: false,
        }
    }
}

/// A lookup on the plane of the image.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lookup {
    /// Texture coordinates: `t = 0` is the top row.
    pub st: Vec2,
    /// Offset to the neighbouring pixel along screen x.
    pub dx: Vec2,
    /// Offset to the neighbouring pixel along screen y.
    pub dy: Vec2,
    /// Lookup parameters.
    pub filter: Filter,
}

/// A lookup in an environment, an image over longitude and latitude with y up: its middle is +z, its top +y.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnvironmentLookup {
    /// The direction, of any length.
    pub direction: Vec3,
    /// Offset to the neighbouring pixel along screen x.
    pub dx: Vec3,
    /// Offset to the neighbouring pixel along screen y.
    pub dy: Vec3,
    /// Lookup parameters; the wrap modes are those of environments.
    pub filter: Filter,
}

/// Result of a lookup: four channels, beginning with the first requested one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// The linear value.
    pub value: [f32; 4],
    /// Derivative of the value along s, if requested.
    pub ds: [f32; 4],
    /// Derivative of the value along t, if requested.
    pub dt: [f32; 4],
}
