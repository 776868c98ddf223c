//! Track of a path: its states in the automaton of light path expressions. If several lobes could have scattered the
//! path, it is in several states at once, each with a share of the light.

use arrayvec::ArrayVec;
use renderer_passes::{Automaton, Event, State};

use renderer_base::color::Rgb;

/// Maximum number of simultaneous states; further shares are added to the largest one.
const MAX_STATES: usize = 8;

/// States of a path, each with its share of the light.
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

    /// Returns whether no scattering event changes a state.
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
            let largest = self.0.iter_mut().max_by(|a, b| luminance(a).total_cmp(&luminance(b)));
            largest.into_iter().for_each(|(_, sum)| *sum += full.element().1);
        }
    }
}
