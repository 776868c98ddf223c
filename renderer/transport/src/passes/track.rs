//! States of a path in the automaton: where several lobes could have scattered, several at once, with their shares.

use arrayvec::ArrayVec;
use renderer_passes::{Automaton, Event, State};

use crate::bsdf::LobeClass;
use renderer_base::color::Rgb;

/// The most states of a path at once; beyond, small shares join the largest.
const MAX_STATES: usize = 8;

/// The most lobes times tags of a contribution; beyond, others get their light.
const MAX_SHARES: usize = 64;

/// What each lobe scattered of a contribution, before it is known how much that is in all; light from photon maps has the
/// tag of its lights.
#[derive(Clone, Debug, Default)]
pub struct LobeShares(ArrayVec<(LobeClass, u8, Rgb), MAX_SHARES>);

impl LobeShares {
    /// Adds what a lobe scattered; lobes that are alike to expressions are joined.
    #[inline]
    pub fn add(&mut self, class: LobeClass, light: Rgb) {
        self.add_tagged(class, 0, light);
    }

    /// Adds what a lobe scattered of the light of a tag.
    #[inline]
    pub fn add_tagged(&mut self, class: LobeClass, tag: u8, light: Rgb) {
        if light.is_black() {
            return;
        }
        match self
            .0
            .iter_mut()
            .find(|(known, of, _)| (*known, *of) == (class, tag))
        {
            Some((.., sum)) => *sum += light,
            None => {
                // Shares are of the sum of what is kept: nothing is lost.
                let _ = self.0.try_push((class, tag, light));
            }
        }
    }

    /// Forgets all lobes.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The lobes and tags with their shares of the whole, which add up to 1 in each channel that has any.
    pub(super) fn shares(&self) -> impl Iterator<Item = (LobeClass, u8, Rgb)> + '_ {
        let total: Rgb = self.0.iter().map(|&(.., light)| light).sum();
        let total = total.to_array();
        let is_one = self.0.len() == 1;
        self.0.iter().map(move |&(class, tag, light)| {
            if is_one {
                return (class, tag, Rgb::WHITE);
            }
            let light = light.to_array();
            let share = |c: usize| if total[c] > 0.0 { light[c] / total[c] } else { 0.0 };
            (class, tag, Rgb::from([share(0), share(1), share(2)]))
        })
    }
}

/// The states of a path, each with its share of the path's light.
#[derive(Clone, Debug, Default)]
pub(super) struct Track(ArrayVec<(State, Rgb), MAX_STATES>);

impl Track {
    /// A path in one state.
    pub(super) fn new(state: State) -> Track {
        let mut track = Track(ArrayVec::new());
        track.add(state, Rgb::WHITE);
        track
    }

    /// Returns whether no expression can describe the path any more.
    pub(super) fn is_dead(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether scattering, of whatever kind, leaves all states as they are.
    pub(super) fn is_settled(&self, automaton: &Automaton) -> bool {
        self.0.iter().all(|&(state, _)| automaton.is_settled(state))
    }

    /// The states with their shares.
    pub(super) fn states(&self) -> &[(State, Rgb)] {
        &self.0
    }

    /// The track after an event.
    pub(super) fn after(&self, automaton: &Automaton, event: &Event) -> Track {
        let mut next = Track(ArrayVec::new());
        self.0
            .iter()
            .for_each(|&(state, share)| next.add(automaton.next(state, event), share));
        next
    }

    /// The track after one of several events, each with its share of the light.
    pub(super) fn after_any(
        &self,
        automaton: &Automaton,
        events: impl Iterator<Item = (Event, Rgb)>,
    ) -> Track {
        let mut next = Track(ArrayVec::new());
        for (event, event_share) in events {
            for &(state, share) in &self.0 {
                next.add(automaton.next(state, &event), share * event_share);
            }
        }
        next
    }

    fn add(&mut self, state: State, share: Rgb) {
        if state.is_dead() || share.is_black() {
            return;
        }
        if let Some((_, sum)) = self.0.iter_mut().find(|(known, _)| *known == state) {
            *sum += share;
        } else if let Err(full) = self.0.try_push((state, share)) {
            let luminance = |&(_, share): &(State, Rgb)| share.luminance();
            let largest = self
                .0
                .iter_mut()
                .max_by(|a, b| luminance(a).total_cmp(&luminance(b)));
            largest.into_iter().for_each(|(_, sum)| *sum += full.element().1);
        }
    }
}
