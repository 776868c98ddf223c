//! Light that a path has found, with the way it came.

use crate::color::Rgb;
use crate::light::LightId;

/// Which way light came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where it comes from; `None` where that is not known: photon maps keep sums.
    pub light: Option<LightId>,
    /// Whether it was scattered on its way, rather than coming straight from the light or through transparent surfaces
    /// alone.
    pub scattered: bool,
}

impl Label {
    /// Of light that photon maps know.
    pub const MAP: Label = Label {
        light: None,
        scattered: true,
    };
}

/// What becomes of the light that a path finds.
pub trait Collect {
    /// Takes radiance, weighed by all that happened to it on its way.
    fn add(&mut self, label: Label, radiance: Rgb);
}

/// The sum of all light.
impl Collect for Rgb {
    #[inline(always)]
    fn add(&mut self, _: Label, radiance: Rgb) {
        *self += radiance;
    }
}
