//! Light path expressions: regular expressions over the events of light paths.
// Heckbert 1990, "Adaptive Radiosity Textures for Bidirectional Ray Tracing"; the notation is that of Open Shading Language.

use super::event::Event;
use super::pattern::Pattern;

/// The syntax tree of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// An event in one of these sets, or, negated, in none of them.
    Event {
        /// The sets.
        any_of: Vec<Pattern>,
        /// True for events in none of the sets.
        negated: bool,
    },
    /// Sequence; the empty path if it has no elements.
    Sequence(Vec<Expression>),
    /// Alternatives.
    Choice(Vec<Expression>),
    /// Repetition.
    Repeat {
        /// Repeated expression.
        what: Box<Expression>,
        /// Minimum count.
        least: u32,
        /// Maximum count; `None` if unlimited.
        most: Option<u32>,
    },
}

impl Expression {
    /// Returns whether the expression matches a whole path, by backtracking: slow, for tests of the automaton.
    pub fn matches(&self, path: &[Event]) -> bool {
        let kept: Vec<Event>;
        let path = match self.mentions_straight() {
            true => path,
            false => {
                kept = path.iter().copied().filter(|event| !event.is_straight()).collect();
                &kept
            }
        };
        self.ends(path, 0).contains(&path.len())
    }

    /// Returns whether the expression names crossings of null interfaces, which are otherwise not events.
    pub fn mentions_straight(&self) -> bool {
        match self {
            Expression::Event { any_of, .. } => any_of.iter().any(|pattern| pattern.names_straight),
            Expression::Sequence(parts) | Expression::Choice(parts) => {
                parts.iter().any(Expression::mentions_straight)
            }
            Expression::Repeat { what, .. } => what.mentions_straight(),
        }
    }

    /// Returns whether an [`Expression::Event`] of these parts matches an event.
    pub(super) fn has_event(any_of: &[Pattern], negated: bool, event: &Event) -> bool {
        any_of.iter().any(|pattern| pattern.matches(event)) != negated
    }

    /// Ends of all matches that begin at an event.
    fn ends(&self, path: &[Event], start: usize) -> Vec<usize> {
        let mut ends = match self {
            Expression::Event { any_of, negated } => match path.get(start) {
                Some(event) if Expression::has_event(any_of, *negated, event) => vec![start + 1],
                _ => vec![],
            },
            Expression::Sequence(parts) => parts.iter().fold(vec![start], |starts, part| {
                let mut ends: Vec<usize> =
                    starts.into_iter().flat_map(|start| part.ends(path, start)).collect();
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
