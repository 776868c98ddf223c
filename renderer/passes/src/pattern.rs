//! Patterns: sets of events.

use super::event::{Event, EventKind, Scattering};
use super::labels::Label;

/// Set of events by kinds, scattering classes and labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Bit set of kinds.
    pub(super) kinds: u8,
    /// Bit set of scattering classes.
    pub(super) scatterings: u8,
    /// Tests of labels, which must all hold.
    pub(super) labels: Vec<LabelSet>,
    /// True if the pattern names crossings of null interfaces.
    pub(super) names_straight: bool,
}

/// Test of the labels of an event: it has one of these, or, negated, none of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LabelSet {
    pub(super) labels: Vec<Label>,
    pub(super) negated: bool,
}

impl Pattern {
    /// The set of all events.
    pub const ANY: Pattern = Pattern {
        kinds: u8::MAX,
        scatterings: u8::MAX,
        labels: vec![],
        names_straight: false,
    };

    /// The events of a kind.
    pub fn of_kind(kind: EventKind) -> Pattern {
        Pattern { kinds: 1 << kind as u8, ..Pattern::ANY }
    }

    /// The events of a scattering class.
    pub fn of_scattering(scattering: Scattering) -> Pattern {
        Pattern {
            scatterings: 1 << scattering as u8,
            names_straight: scattering == Scattering::Straight,
            ..Pattern::ANY
        }
    }

    /// Returns whether an event is in the set.
    pub fn matches(&self, event: &Event) -> bool {
        self.kinds >> event.kind as u8 & 1 == 1
            && self.scatterings >> event.scattering as u8 & 1 == 1
            && self.labels.iter().all(|set| set.matches(event))
    }
}

impl LabelSet {
    fn matches(&self, event: &Event) -> bool {
        let has = |label: &Label| *label == event.closure || *label == event.object;
        self.labels.iter().any(has) != self.negated
    }
}
