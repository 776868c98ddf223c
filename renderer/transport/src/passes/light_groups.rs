//! Light groups of a plan: the channels of each group.
//!
//! The group depends on the light alone and needs no expression, so the number of groups is unlimited.

use renderer_passes::{Event, Lighting};

/// A channel that shows light.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) channel: usize,
    pub(super) lighting: Lighting,
}

/// The end of a path at a light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LightEnd {
    /// The event for expressions.
    pub(super) event: Event,
    /// The light's group.
    pub(super) group: GroupIndex,
}

/// Index of a group that a pass shows; `None` for all others.
pub(super) type GroupIndex = Option<u32>;

/// The groups that passes show.
#[derive(Clone, Debug, Default)]
pub(super) struct LightGroups {
    /// Names; `None` for lights without a group.
    names: Vec<Option<String>>,
    /// Channels by group.
    rules: Vec<Vec<Rule>>,
}

impl LightGroups {
    /// Adds a channel of a group.
    pub(super) fn add(&mut self, group: Option<&str>, rule: Rule) {
        match self.find(group) {
            Some(index) => self.rules[index as usize].push(rule),
            None => {
                self.names.push(group.map(str::to_owned));
                self.rules.push(vec![rule]);
            }
        }
    }

    /// Index of a group.
    pub(super) fn find(&self, group: Option<&str>) -> GroupIndex {
        let known = self.names.iter().position(|name| name.as_deref() == group);
        known.map(|index| index as u32)
    }

    /// Returns whether no pass shows a group.
    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The channels of a group.
    #[inline]
    pub(super) fn rules(&self, group: GroupIndex) -> &[Rule] {
        group.map_or(&[], |index| &self.rules[index as usize])
    }
}
