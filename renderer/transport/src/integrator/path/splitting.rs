//! Path splitting: the stack of branches that are not traced yet.

use crate::radiance::{BranchEvent, RadianceSink};
use renderer_base::sampler::Sampler;
use renderer_scene::MAX_SPLIT;

/// Stack of branches: the state `S` of each at its start, and its random numbers.
#[derive(Debug)]
pub(crate) struct BranchStack<S>(Vec<(S, Sampler)>);

impl<S: Clone> BranchStack<S> {
    pub(crate) fn new() -> BranchStack<S> {
        BranchStack(Vec::with_capacity(MAX_SPLIT as usize))
    }

    /// Splits a path into `count` branches that start from `state`. `step` performs the first step of a branch and
    /// returns whether the branch continues. Returns the number of branches that continue.
    #[inline(always)]
    pub(crate) fn split(
        &mut self,
        state: &S,
        count: u32,
        sampler: &Sampler,
        mut step: impl FnMut(&mut S, &mut Sampler) -> bool,
    ) -> u64 {
        // Pushed in reverse order, so that the stack yields the first branch first. Copied once and modified in place:
        // copying a value that was just written stalls on store forwarding.
        for number in (0..count).rev() {
            self.0.push((state.clone(), sampler.branch(number, count)));
            let (branch, sampler) = self.0.last_mut().expect("it was just pushed");
            if !step(branch, sampler) {
                self.0.pop();
            }
        }
        self.0.len() as u64
    }

    /// Replaces the state and the random numbers of a finished path by those of the next branch; returns `false` if
    /// there is none.
    #[inline(always)]
    pub(crate) fn next(
        &mut self,
        state: &mut S,
        sampler: &mut Sampler,
        sink: &mut impl RadianceSink,
    ) -> bool {
        let Some(branch) = self.0.pop() else {
            return false;
        };
        (*state, *sampler) = branch;
        sink.branch(BranchEvent::NextBranch);
        true
    }
}
