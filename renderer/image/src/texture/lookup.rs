//! Texture lookup parameters (wrap modes, interpolation, derivatives) and results.

use glam::{Vec2, Vec3};

/// Wrap mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// What the file says; black where it says nothing.
    #[default]
    File,
    /// Black, with alpha 0.
    Black,
    /// Its border, drawn out.
    Clamp,
    /// The image again.
    Periodic,
    /// The image mirrored, then the image again.
    Mirror,
}

impl Wrap {
    /// The wrap mode of that name, as files and shaders give it.
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

    /// The texel of `0..size` that stands at `i`; `None` for black.
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

    /// Brings a coordinate near the image, so that the product with its size keeps its fraction and fits an integer.
    pub(super) fn reduce(self, s: f32) -> f32 {
        match self {
            Wrap::Periodic => s - s.floor(),
            Wrap::Mirror => s - 2.0 * (0.5 * s).floor(),
            Wrap::Clamp | Wrap::Black | Wrap::File => s.clamp(-8.0, 9.0),
        }
    }
}

/// How values between texels come about.
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

/// How a texture is looked up, wherever that is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter {
    /// Beyond the left and right border.
    pub wrap_s: Wrap,
    /// Beyond the top and bottom border.
    pub wrap_t: Wrap,
    /// Between texels.
    pub interpolation: Interpolation,
    /// Factors of the footprint along s and t.
    pub width: Vec2,
    /// Added to the footprint [sizes of the image].
    pub blur: Vec2,
    /// The first channel that is read.
    pub first_channel: usize,
    /// Channels that are wanted: of three, a single grey channel fills all.
    pub channels: usize,
    /// The value of channels that the texture does not have.
    pub fill: f32,
    /// Whether derivatives are wanted too.
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
    /// The place: `t = 0` is the top row.
    pub st: Vec2,
    /// How far the neighbour along x of the screen is.
    pub dx: Vec2,
    /// How far the neighbour along y of the screen is.
    pub dy: Vec2,
    /// How to look up.
    pub filter: Filter,
}

/// A lookup in an environment, an image over longitude and latitude with y up: its middle is +z, its top +y.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnvironmentLookup {
    /// The direction, of any length.
    pub direction: Vec3,
    /// How far the neighbour along x of the screen is.
    pub dx: Vec3,
    /// How far the neighbour along y of the screen is.
    pub dy: Vec3,
    /// How to look up; borders are as an environment has them.
    pub filter: Filter,
}

/// What a lookup gives: four channels from the first that is read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// The linear value.
    pub value: [f32; 4],
    /// Its derivative along s, where it is wanted.
    pub ds: [f32; 4],
    /// Its derivative along t, where it is wanted.
    pub dt: [f32; 4],
}
