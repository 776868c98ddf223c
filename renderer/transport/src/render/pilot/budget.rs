//! Limits of the work of pilots: shares of the expected work of the render, so that pilots cost little even where they gain
//! nothing.
//!
//! Work is counted in paths of one branch and one light sample. With a time limit, the number of samples is the one that fits.

use std::ops::RangeInclusive;

use super::pixels::{MAX_PIXELS, PixelGrid};
use crate::render::RenderSettings;
use renderer_image::Rect;

/// Maximum share of the render's paths for a trial. Four trials at most precede a render.
const TRIAL_SHARE: f64 = 0.0075;

/// Maximum share of a trial with the fewest items, where a decision may change the error several times.
const MIN_TRIAL_SHARE: f64 = 0.03;

/// Minimum number of pixels of a pilot.
const MIN_PIXELS: u64 = 32;

/// Expected paths of a render, a part of which pilots may trace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Expected number of paths of the render.
    paths: f64,
    /// Maximum paths of a trial with the fewest items.
    least: f64,
}

impl Budget {
    /// The budget of a render. Without a time limit, it depends neither on the crop nor on the range of samples.
    pub(super) fn new(settings: &RenderSettings) -> Budget {
        let pixels = match settings.deciding_limit() {
            Some(_) => settings.pixels(),
            None => u64::from(settings.width) * u64::from(settings.height),
        };
        // Towards a noise goal, a relative variance of 1 is assumed.
        let paths = expected_samples(settings, 1.0) * pixels as f64;
        Budget { paths, least: TRIAL_SHARE * paths }
    }

    /// Number of affordable items at `cost` paths each, within `range`; `None` if its start is not affordable.
    pub(super) fn count(self, cost: f64, range: RangeInclusive<u64>) -> Option<u64> {
        let count = ((TRIAL_SHARE * self.paths / cost) as u64).min(*range.end());
        let (few, is_affordable) = (*range.start(), *range.start() as f64 * cost <= self.least);
        (count >= few || is_affordable).then_some(count.max(few))
    }

    /// Pixels for a trial of `cost` paths per pixel, at least `step` apart; `None` if too few are affordable.
    pub(super) fn grid(self, rect: &Rect, step: u32, cost: f64) -> Option<PixelGrid> {
        let most = self.count(cost, MIN_PIXELS..=MAX_PIXELS)?;
        Some(PixelGrid::new(rect, step, most))
    }

    /// The budget of trials that decide about the integrator: for short renders, a larger share.
    pub(super) fn of_integrators(settings: &RenderSettings) -> Budget {
        let Budget { paths, .. } = Budget::new(settings);
        Budget { paths, least: MIN_TRIAL_SHARE * paths }
    }

    /// Share of `cost` paths in the render.
    pub(super) fn share(self, cost: f64) -> f64 {
        cost / self.paths.max(1.0)
    }
}

/// Expected number of samples per pixel for paths with this relative variance.
pub(super) fn expected_samples(settings: &RenderSettings, variance: f64) -> f64 {
    match &settings.noise {
        // A pixel gets at most `max_samples`, even where that is less than `min_samples`.
        Some(goal) => (variance / goal.error.powi(2))
            .max(goal.min_samples as f64)
            .min(goal.max_samples as f64),
        None => settings.total as f64,
    }
}
