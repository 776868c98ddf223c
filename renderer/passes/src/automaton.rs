//! Deterministic finite automaton of a film's light path expressions: one table for all, so that a path keeps one state.
// Aho, Lam, Sethi & Ullman 2006, "Compilers", sections 3.7.1 and 3.7.4: expressions to automata, subset construction.

use std::collections::{HashMap, VecDeque};

use super::event::{Event, EventKind, Scattering};
use super::expression::Expression;
use super::labels::{Label, LabelTable};
use super::pattern::Pattern;

/// State of a path in an [`Automaton`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct State(u16);

impl State {
    /// State of paths that no expression can match any more.
    pub const DEAD: State = State(0);

    /// Returns whether no expression can match the path any more.
    #[inline]
    pub fn is_dead(self) -> bool {
        self == State::DEAD
    }
}

/// More states than [`Automaton::MAX_STATES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the film's expressions are too complex together: their automaton has more than {} states",
    Automaton::MAX_STATES
)]
pub struct TooManyStates;

/// A deterministic automaton that evaluates several expressions at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// Number of labels, [`Label::OTHER`] included.
    labels: usize,
    /// Equivalence class of each event: all expressions treat the events of a class alike.
    classes: Vec<u16>,
    class_count: usize,
    /// Next state, by state and class.
    next: Vec<State>,
    /// Expressions that match the path, by state.
    found: Vec<Vec<u16>>,
    start: State,
    /// True for states that scattering does not change, by state.
    settled: Vec<bool>,
    /// True if an expression names crossings of null interfaces.
    mentions_straight: bool,
}

/// Pairs of kind and scattering class that events have.
const PAIRS: usize = EventKind::ALL.len() * Scattering::ALL.len();

impl Automaton {
    /// Maximum number of states.
    pub const MAX_STATES: usize = 4096;

    /// The automaton of expressions whose labels are in the table.
    ///
    /// # Errors
    /// When it would have too many states.
    pub fn new(expressions: &[Expression], table: &LabelTable) -> Result<Automaton, TooManyStates> {
        let nfa = Nfa::new(expressions);
        if nfa.nodes.len() > Nfa::MAX_NODES {
            return Err(TooManyStates);
        }
        let labels = table.names().len() + 1;
        let (classes, members) = classify(&nfa, labels);
        let mut found = vec![vec![]];
        let mut next = vec![State::DEAD; members.len()];
        let mut known = HashMap::from([(vec![], State::DEAD)]);
        let mut open = VecDeque::new();
        let mut state_of = |nodes: Vec<u32>, open: &mut VecDeque<Vec<u32>>| {
            if let Some(&state) = known.get(&nodes) {
                return Ok(state);
            }
            if known.len() == Automaton::MAX_STATES {
                return Err(TooManyStates);
            }
            let state = State(known.len() as u16);
            known.insert(nodes.clone(), state);
            open.push_back(nodes);
            Ok(state)
        };
        let start = state_of(nfa.start(), &mut open)?;
        while let Some(nodes) = open.pop_front() {
            found.push(nfa.accepted(&nodes));
            for event in &members {
                let state = state_of(nfa.step(&nodes, event), &mut open)?;
                next.push(state);
            }
        }
        let mut automaton = Automaton {
            labels,
            classes,
            class_count: members.len(),
            next,
            found,
            start,
            settled: vec![],
            mentions_straight: expressions.iter().any(Expression::mentions_straight),
        };
        automaton.bury();
        automaton.settle();
        Ok(automaton)
    }

    /// The state before the first event.
    pub fn start(&self) -> State {
        self.start
    }

    /// The state after an event.
    #[inline]
    pub fn next(&self, state: State, event: &Event) -> State {
        let class = self.classes[index_of(event, self.labels)];
        self.next[usize::from(state.0) * self.class_count + usize::from(class)]
    }

    /// Indices of the expressions that match a path in this state.
    #[inline]
    pub fn found(&self, state: State) -> &[u16] {
        &self.found[usize::from(state.0)]
    }

    /// Returns whether no scattering event changes a state.
    #[inline]
    pub fn is_settled(&self, state: State) -> bool {
        self.settled[usize::from(state.0)]
    }

    /// Returns whether an expression names crossings of null interfaces.
    pub fn mentions_straight(&self) -> bool {
        self.mentions_straight
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Returns whether no expression can match any path.
    pub fn is_empty(&self) -> bool {
        self.start.is_dead()
    }

    /// Finds the states that scattering does not change.
    fn settle(&mut self) {
        let scatters = |event: &Event| {
            matches!(event.kind, EventKind::Volume | EventKind::Transmission | EventKind::Reflection)
        };
        let events: Vec<Event> = all_events(self.labels).filter(scatters).collect();
        let settled = |index: usize| {
            let state = State(index as u16);
            events.iter().all(|event| self.next(state, event) == state)
        };
        self.settled = (0..self.len()).map(settled).collect();
    }

    /// Marks states as dead if no accepting state is reachable from them.
    fn bury(&mut self) {
        let count = self.len();
        let mut alive: Vec<bool> = self.found.iter().map(|found| !found.is_empty()).collect();
        loop {
            let before = alive.iter().filter(|&&alive| alive).count();
            for state in 0..count {
                let row = &self.next[state * self.class_count..(state + 1) * self.class_count];
                alive[state] |= row.iter().any(|next| alive[usize::from(next.0)]);
            }
            if alive.iter().filter(|&&alive| alive).count() == before {
                break;
            }
        }
        for next in self.next.iter_mut().chain([&mut self.start]) {
            if !alive[usize::from(next.0)] {
                *next = State::DEAD;
            }
        }
    }
}

/// Index of an event among all events.
#[inline]
fn index_of(event: &Event, labels: usize) -> usize {
    let pair = event.kind as usize * Scattering::ALL.len() + event.scattering as usize;
    (usize::from(event.closure.0) * labels + usize::from(event.object.0)) * PAIRS + pair
}

/// Class of each event, and a representative event of each class.
fn classify(nfa: &Nfa<'_>, labels: usize) -> (Vec<u16>, Vec<Event>) {
    let mut classes = vec![0; labels * labels * PAIRS];
    let mut members = vec![];
    let mut known: HashMap<Vec<bool>, u16> = HashMap::new();
    for event in all_events(labels) {
        let class = *known.entry(nfa.signature(&event)).or_insert_with(|| {
            members.push(event);
            members.len() as u16 - 1
        });
        classes[index_of(&event, labels)] = class;
    }
    (classes, members)
}

/// Every event over a number of labels.
fn all_events(labels: usize) -> impl Iterator<Item = Event> {
    let pairs = (0..labels).flat_map(move |a| (0..labels).map(move |b| (a, b)));
    pairs.flat_map(|(closure, object)| {
        let kinds = EventKind::ALL.into_iter();
        kinds.flat_map(move |kind| {
            Scattering::ALL.into_iter().map(move |scattering| Event {
                kind,
                scattering,
                closure: Label(closure as u8),
                object: Label(object as u8),
            })
        })
    })
}

/// Nondeterministic automaton: nodes with transitions by events, and nodes with empty transitions.
struct Nfa<'a> {
    nodes: Vec<Node<'a>>,
    starts: Vec<u32>,
}

enum Node<'a> {
    /// Transition by an event in one of these sets, or, negated, in none of them.
    Event {
        any_of: &'a [Pattern],
        negated: bool,
        to: u32,
        /// True if crossings of null interfaces are not events here.
        skips_straight: bool,
    },
    /// Empty transitions to these nodes.
    Split(Vec<u32>),
    /// Accepts the path for the expression of this index.
    End { expression: u16, skips_straight: bool },
}

impl<'a> Nfa<'a> {
    /// Maximum number of nodes: nested counted repetitions multiply.
    const MAX_NODES: usize = 1 << 14;

    fn new(expressions: &'a [Expression]) -> Nfa<'a> {
        let mut nfa = Nfa { nodes: vec![], starts: vec![] };
        for (number, expression) in (0..).zip(expressions) {
            let skips_straight = !expression.mentions_straight();
            let end = nfa.add(Node::End { expression: number, skips_straight });
            let start = nfa.build(expression, end, skips_straight);
            nfa.starts.push(start);
        }
        nfa
    }

    fn add(&mut self, node: Node<'a>) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Adds an expression that ends at the node `to`; returns its first node.
    fn build(&mut self, expression: &'a Expression, to: u32, skips_straight: bool) -> u32 {
        if self.nodes.len() > Nfa::MAX_NODES {
            return to;
        }
        match expression {
            Expression::Event { any_of, negated } => {
                self.add(Node::Event { any_of, negated: *negated, to, skips_straight })
            }
            Expression::Sequence(parts) => {
                let parts = parts.iter().rev();
                parts.fold(to, |to, part| self.build(part, to, skips_straight))
            }
            Expression::Choice(parts) => {
                let starts = parts.iter().map(|part| self.build(part, to, skips_straight)).collect();
                self.add(Node::Split(starts))
            }
            Expression::Repeat { what, least, most } => {
                let mut next = match most {
                    Some(most) => {
                        let mut next = to;
                        for _ in *least..*most {
                            let once = self.build(what, next, skips_straight);
                            next = self.add(Node::Split(vec![once, to]));
                        }
                        next
                    }
                    None => {
                        let split = self.add(Node::Split(vec![to]));
                        let once = self.build(what, split, skips_straight);
                        self.nodes[split as usize] = Node::Split(vec![once, to]);
                        split
                    }
                };
                for _ in 0..*least {
                    let once = self.build(what, next, skips_straight);
                    // Repetitions of the empty expression are empty: expanding `((){64}){64}` would not end.
                    if once == next {
                        break;
                    }
                    next = once;
                }
                next
            }
        }
    }

    fn start(&self) -> Vec<u32> {
        self.closed(self.starts.clone())
    }

    /// Sorted closure of nodes over empty transitions, without the nodes that have only empty transitions.
    fn closed(&self, mut open: Vec<u32>) -> Vec<u32> {
        let mut seen = vec![false; self.nodes.len()];
        let mut nodes = vec![];
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut seen[node as usize], true) {
                continue;
            }
            match &self.nodes[node as usize] {
                Node::Split(to) => open.extend(to),
                Node::Event { .. } | Node::End { .. } => nodes.push(node),
            }
        }
        nodes.sort_unstable();
        nodes
    }

    /// The nodes after an event.
    fn step(&self, nodes: &[u32], event: &Event) -> Vec<u32> {
        let step = |&node: &u32| match &self.nodes[node as usize] {
            Node::Event { skips_straight, .. } | Node::End { skips_straight, .. }
                if *skips_straight && event.is_straight() =>
            {
                Some(node)
            }
            Node::Event { any_of, negated, to, .. } => {
                Expression::has_event(any_of, *negated, event).then_some(*to)
            }
            Node::Split(_) | Node::End { .. } => None,
        };
        self.closed(nodes.iter().filter_map(step).collect())
    }

    /// The expressions that end in these nodes.
    fn accepted(&self, nodes: &[u32]) -> Vec<u16> {
        let end = |&node: &u32| match self.nodes[node as usize] {
            Node::End { expression, .. } => Some(expression),
            Node::Event { .. } | Node::Split(_) => None,
        };
        nodes.iter().filter_map(end).collect()
    }

    /// Results of all nodes for an event.
    fn signature(&self, event: &Event) -> Vec<bool> {
        let says = |node: &Node<'_>| match node {
            Node::Event { any_of, negated, .. } => Expression::has_event(any_of, *negated, event),
            Node::Split(_) | Node::End { .. } => false,
        };
        let nodes = self.nodes.iter().map(says);
        nodes.chain([event.is_straight()]).collect()
    }
}
