//! Light path expressions: regular expressions over the events of light paths.
// Heckbert 1990, "Adaptive Radiosity Textures for Bidirectional Ray Tracing"; the notation is that of Open Shading Language.

use super::event::Event;
use super::pattern::Pattern;

/// The syntax tree of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// One event of any of these sets, or, negated, of none of them.
    Event {
        /// The sets.
        any_of: Vec<Pattern>,
        /// True for the events of none of them.
        negated: bool,
    },
    /// One after the other; nothing if there are none.
    Sequence(Vec<Expression>),
    /// One of these.
    Choice(Vec<Expression>),
    /// Repetitions of one.
    Repeat {
        /// What is repeated.
        what: Box<Expression>,
        /// The fewest times.
        least: u32,
        /// The most times; `None` without limit.
        most: Option<u32>,
    },
}

impl Expression {
    /// Returns whether it describes a whole path, by trying all ways: slow, for tests of the automaton.
    pub fn matches(&self, path: &[Event]) -> bool {
        let kept: Vec<Event>;
        let path = match self.mentions_straight() {
            true => path,
            false => {
                kept = path
                    .iter()
                    .copied()
                    .filter(|event| !event.is_straight())
                    .collect();
                &kept
            }
        };
        self.ends(path, 0).contains(&path.len())
    }

    /// Returns whether it names crossings straight through surfaces, which are no events to it otherwise.
    pub fn mentions_straight(&self) -> bool {
        match self {
            Expression::Event { any_of, .. } => any_of.iter().any(|pattern| pattern.names_straight),
            Expression::Sequence(parts) | Expression::Choice(parts) => {
                parts.iter().any(Expression::mentions_straight)
            }
            Expression::Repeat { what, .. } => what.mentions_straight(),
        }
    }

    /// Returns whether one event is described by an [`Expression::Event`] of these parts.
    pub(super) fn has_event(any_of: &[Pattern], negated: bool, event: &Event) -> bool {
        any_of.iter().any(|pattern| pattern.matches(event)) != negated
    }

    /// Ends of all that it describes from one event on.
    fn ends(&self, path: &[Event], start: usize) -> Vec<usize> {
        let mut ends = match self {
            Expression::Event { any_of, negated } => match path.get(start) {
                Some(event) if Expression::has_event(any_of, *negated, event) => vec![start + 1],
                _ => vec![],
            },
            Expression::Sequence(parts) => parts.iter().fold(vec![start], |starts, part| {
                let mut ends: Vec<usize> = starts
                    .into_iter()
                    .flat_map(|start| part.ends(path, start))
                    .collect();
                ends.sort_unstable();
                ends.dedup();
                ends
            }),
            Expression::Choice(parts) => parts.iter().flat_map(|part| part.ends(path, start)).collect(),
            Expression::Repeat { what, least, most } => {
                let (mut all, mut now) = (vec![], vec![start]);
                for count in 0..=most.unwrap_or(u32::MAX).min(least + path.len() as u32) {
                    if count >= *least {
                        all.extend(&now);
                    }
                    now = now.iter().flat_map(|&start| what.ends(path, start)).collect();
                    now.sort_unstable();
                    now.dedup();
                }
                all
            }
        };
        ends.sort_unstable();
        ends.dedup();
        ends
    }
}
