//! What integrators look up along the way of a path through a medium, beside light samples.

use crate::body::MediumStack;
use crate::radiance::RadianceSink;
use crate::scene::{MediumWay, Scene};
use renderer_base::color::Rgb;

/// The path that looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Viewer<'a> {
    /// What it is in.
    pub(super) media: &'a MediumStack,
    /// Its throughput at the start of the way.
    pub(super) throughput: Rgb,
    /// Number of its segments, this one included.
    pub(super) depth: u32,
    /// What chance decides by.
    pub(super) noise: u64,
}

/// Lookup of light in media.
pub(super) trait AlongMedium {
    /// Adds light that the medium scatters towards the start of a way; returns which.
    fn add(
        &self,
        scene: &Scene,
        viewer: Viewer<'_>,
        way: &MediumWay<'_>,
        light: &mut impl RadianceSink,
    ) -> Found;
}

/// What lookups find of the light that a medium scatters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Nothing,
    /// What narrow lobes have focused there.
    Focused,
    /// All that has been scattered before.
    Indirect,
    /// All.
    All,
}

/// No lookup.
pub(super) struct Nothing;

impl AlongMedium for Nothing {
    #[inline(always)]
    fn add(&self, _: &Scene, _: Viewer<'_>, _: &MediumWay<'_>, _: &mut impl RadianceSink) -> Found {
        Found::Nothing
    }
}
