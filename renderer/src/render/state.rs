//! A render as far as it has come.

use std::ops::Range;

use crate::film::{Film, NoiseMap};
use crate::integrator::Integrator;

use super::RenderSettings;
use super::tiles::TILE;

/// A render as far as it has come: what is needed to look at it, to keep it and to go on with it.
#[derive(Clone, Debug)]
pub struct RenderState {
    /// The sums of all samples.
    pub film: Film,
    /// The samples that were taken of each pixel.
    pub samples: Range<u64>,
    /// What renders; never `auto`, once that has been decided.
    pub integrator: Integrator,
    /// Who gets how many samples, where that is not the same for all.
    pub noise: Option<NoiseMap>,
}

impl RenderState {
    /// A render that has not begun.
    pub(super) fn new(film: Film, settings: &RenderSettings) -> RenderState {
        let first = settings.samples.start;
        RenderState {
            noise: settings.noise.map(|goal| NoiseMap::new(goal, &film, TILE)),
            film,
            samples: first..first,
            integrator: settings.integrator,
        }
    }

    /// Whether all samples have been taken.
    pub(super) fn is_done(&self, settings: &RenderSettings) -> bool {
        let next = self.samples.end;
        next >= settings.samples.end || self.noise.as_ref().is_some_and(|noise| noise.is_done(next))
    }

    /// How many samples of all pixels there are still to take, about.
    pub(super) fn remaining(&self, settings: &RenderSettings) -> u64 {
        let next = self.samples.end;
        match &self.noise {
            Some(noise) => noise.remaining(next, settings.samples.end),
            None => settings.samples.end.saturating_sub(next) * settings.pixels(),
        }
    }

    /// How many samples a pass may take at most: decisions are made between passes.
    pub(super) fn longest_pass(&self, settings: &RenderSettings) -> u64 {
        let next = self.samples.end;
        let end = self.noise.as_ref().map_or(u64::MAX, |noise| noise.pass_end(next));
        end.min(settings.samples.end) - next
    }

    /// So many samples of each pixel that takes any have been taken.
    pub(super) fn took(&mut self, samples: u64) {
        self.samples.end += samples;
        if let Some(noise) = &mut self.noise {
            noise.took(self.samples.end);
        }
    }
}
