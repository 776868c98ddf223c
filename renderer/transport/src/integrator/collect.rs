//! Contributions of a path: the trait `Collect` that receives radiance, and the label that says from which light it
//! came.

use crate::light::LightId;
use renderer_base::color::Rgb;

/// Label of a contribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Label {
    /// The light; `None` for contributions of photon maps, which do not keep it.
    pub light: Option<LightId>,
    /// Whether it was scattered: indirect light. `false` for light that comes straight from the light, or through
    /// transparent surfaces alone.
    pub scattered: bool,
    /// Density of the path's directions over that of BSDF sampling: 1 unless guided.
    pub preference: f32,
}

impl Label {
    /// The label of contributions of photon maps.
    pub const MAP: Label = Label {
        light: None,
        scattered: true,
        preference: 1.0,
    };
}

/// Receiver of the contributions of a path.
pub trait Collect {
    /// Adds radiance, already multiplied by the path's throughput and MIS weight.
    fn add(&mut self, label: Label, radiance: Rgb);

    /// What follows is the next of several light samples, at the vertex where a path may split.
    #[inline(always)]
    fn next_light_sample(&mut self) {}

    /// What follows belongs to the next branch of a path that has been split.
    #[inline(always)]
    fn next_branch(&mut self) {}
}

/// Sums all contributions; labels are ignored.
impl Collect for Rgb {
    #[inline(always)]
    fn add(&mut self, _: Label, radiance: Rgb) {
        *self += radiance;
    }
}
