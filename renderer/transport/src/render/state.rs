//! State of a render in progress: film, samples taken, integrator, adaptive sampling statistics.

use std::ops::Range;

use crate::integrator::Integrator;
use renderer_image::film::{Film, NoiseMap};

use super::RenderSettings;
use super::tiles::TILE;

/// State of a render in progress, sufficient to develop, save and resume it.
#[derive(Clone, Debug)]
pub struct RenderState {
    /// The sums of all samples.
    pub film: Film,
    /// The samples that were taken of each pixel.
    pub samples: Range<u64>,
    /// The integrator; never `auto` once that has decided.
    pub integrator: Integrator,
    /// Statistics of adaptive sampling; `None` for uniform sampling.
    pub noise: Option<NoiseMap>,
}

impl RenderState {
    /// The state before the first sample.
    pub(super) fn new(film: Film, settings: &RenderSettings) -> RenderState {
        let first = settings.samples.start;
        RenderState {
            noise: settings.noise.map(|goal| NoiseMap::new(goal, &film, TILE)),
            film,
            samples: first..first,
            integrator: settings.integrator,
        }
    }

    /// Returns whether all samples have been taken.
    pub(super) fn is_done(&self, settings: &RenderSettings) -> bool {
        let next = self.samples.end;
        next >= settings.samples.end || self.noise.as_ref().is_some_and(|noise| noise.is_done(next))
    }

    /// Estimated number of samples still to take, over all pixels.
    pub(super) fn remaining(&self, settings: &RenderSettings) -> u64 {
        let next = self.samples.end;
        match &self.noise {
            Some(noise) => noise.remaining(next, settings.samples.end),
            None => settings.samples.end.saturating_sub(next) * settings.pixels(),
        }
    }

    /// One past the last sample of the next pass: it may not go beyond the next decision of adaptive sampling.
    pub(super) fn pass_end(&self, settings: &RenderSettings) -> u64 {
        let next = self.samples.end;
        let end = self.noise.as_ref().map_or(u64::MAX, |noise| noise.pass_end(next));
        end.min(settings.samples.end)
    }

    /// Records that each active pixel has got the samples before that one.
    pub(super) fn took(&mut self, end: u64) {
        self.samples.end = end;
        if let Some(noise) = &mut self.noise {
            noise.took(self.samples.end);
        }
    }
}
