//! Tracer: state needed at each vertex of a path, passed as one argument.

use super::photon::Nearest;
use super::stats::Stats;
use crate::material::ShadingContext;
use crate::scene::Scene;
use renderer_base::sampler::Sampler;

/// Scene, random numbers, per-thread state, and the sink `S` of the radiance.
pub(crate) struct Tracer<'a, S> {
    pub(crate) scene: &'a Scene,
    pub(crate) sampler: &'a mut Sampler,
    pub(crate) shading: &'a mut ShadingContext,
    pub(crate) stats: &'a mut Stats,
    /// Heap for photon lookups.
    pub(crate) nearest: &'a mut Nearest,
    pub(crate) sink: &'a mut S,
}

impl<S> Tracer<'_, S> {
    /// This tracer with another sampler.
    #[inline(always)]
    pub(crate) fn with_sampler<'b>(&'b mut self, sampler: &'b mut Sampler) -> Tracer<'b, S> {
        Tracer {
            scene: self.scene,
            sampler,
            shading: self.shading,
            stats: self.stats,
            nearest: self.nearest,
            sink: self.sink,
        }
    }
}
