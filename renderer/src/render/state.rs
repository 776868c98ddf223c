//! A render as far as it has come.

use std::ops::Range;

use crate::film::Film;
use crate::integrator::Integrator;

/// A render as far as it has come: what is needed to look at it, to keep it and to go on with it.
#[derive(Clone, Debug)]
pub struct RenderState {
    /// The sums of all samples.
    pub film: Film,
    /// The samples that were taken of each pixel.
    pub samples: Range<u64>,
    /// What renders; never `auto`, once that has been decided.
    pub integrator: Integrator,
}

impl RenderState {
    /// A render that goes on with these samples, of which there are none yet.
    pub(super) fn new(film: Film, first: u64, integrator: Integrator) -> RenderState {
        RenderState {
            film,
            samples: first..first,
            integrator,
        }
    }
}
