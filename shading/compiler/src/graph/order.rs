//! Execution order of nodes (topological sort), and the global overrides that each node sees.

use super::{Binding, GraphError, ShaderGroupTemplate};

/// Index of a node in its group.
pub(super) type NodeIndex = usize;

/// Nodes of a group to run, in order, with their overrides.
pub(super) struct Order {
    /// The nodes that the wanted outputs depend on, each after its sources.
    pub(super) nodes: Vec<NodeIndex>,
    /// For each node, the node whose overrides also apply to it, because only that node depends on it.
    pub(super) pulled_by: Vec<Option<NodeIndex>>,
}

impl Order {
    /// Orders the nodes that one binding depends on.
    pub(super) fn of_binding(group: &ShaderGroupTemplate, binding: &Binding) -> Result<Order, GraphError> {
        Order::of_roots(group, Feeds::of(group), &sources(group, binding))
    }

    /// Orders the nodes that `bindings` depend on, and no others.
    pub(super) fn of_bindings(
        group: &ShaderGroupTemplate,
        bindings: &[&Binding],
    ) -> Result<Order, GraphError> {
        let roots: Vec<NodeIndex> = bindings
            .iter()
            .flat_map(|binding| sources(group, binding))
            .collect();
        Order::of_roots(group, Feeds::of(group), &roots)
    }

    /// Returns whether a binding depends on a node.
    pub(super) fn has_sources(group: &ShaderGroupTemplate, binding: &Binding) -> bool {
        !sources(group, binding).is_empty()
    }

    /// Orders the nodes that the `wanted` bindings depend on.
    pub(super) fn of(group: &ShaderGroupTemplate, wanted: &[&Binding]) -> Result<Order, GraphError> {
        let feeds = Feeds::of(group);
        let mut roots: Vec<NodeIndex> = wanted
            .iter()
            .flat_map(|binding| sources(group, binding))
            .collect();
        roots.extend(group.entries.iter().filter_map(|name| group.position(name)));
        if !group.entries.is_empty() {
            // Nodes that run unconditionally run in the order in which they were added.
            roots.sort_unstable();
        } else if group.outputs.is_empty() {
            roots = ends(&feeds);
        }
        Order::of_roots(group, feeds, &roots)
    }

    fn of_roots(
        group: &ShaderGroupTemplate,
        mut feeds: Feeds,
        roots: &[NodeIndex],
    ) -> Result<Order, GraphError> {
        let nodes = sort(group, &feeds, roots)?;
        let pulled_by = pulled_by(group, &feeds, &nodes, roots);
        if pulled_by.iter().all(Option::is_none) {
            return Ok(Order { nodes, pulled_by });
        }
        // A node whose only dependent has overrides runs after the sources of these overrides. This cannot create a
        // cycle: a node that is also a source of the overrides has more than one dependent.
        for (node, puller) in pulled_by.iter().enumerate() {
            if let Some(puller) = *puller {
                let extra = feeds.overrides[puller].clone();
                feeds.overrides[node].extend(extra);
            }
        }
        Ok(Order {
            nodes: sort(group, &feeds, roots)?,
            pulled_by,
        })
    }
}

/// The nodes that no other node reads: a group without outputs runs for its side effects. All nodes if every node is
/// read, which implies a cycle.
fn ends(feeds: &Feeds) -> Vec<NodeIndex> {
    let mut is_read = vec![false; feeds.inputs.len()];
    feeds
        .inputs
        .iter()
        .chain(&feeds.overrides)
        .flatten()
        .for_each(|&node| is_read[node] = true);
    let all = 0..is_read.len();
    let ends: Vec<NodeIndex> = all.clone().filter(|&node| !is_read[node]).collect();
    if ends.is_empty() { all.collect() } else { ends }
}

fn sort(
    group: &ShaderGroupTemplate,
    feeds: &Feeds,
    roots: &[NodeIndex],
) -> Result<Vec<NodeIndex>, GraphError> {
    let mut sort = Sort {
        group,
        feeds,
        state: vec![State::New; group.nodes().len()],
        order: vec![],
    };
    for &root in roots {
        sort.visit(root)?;
    }
    Ok(sort.order)
}

/// For each node, the sources of its inputs and the sources of its overrides.
struct Feeds {
    inputs: Vec<Vec<NodeIndex>>,
    overrides: Vec<Vec<NodeIndex>>,
}

impl Feeds {
    fn of(group: &ShaderGroupTemplate) -> Feeds {
        let inputs = |node: &super::Node| {
            node.inputs
                .iter()
                .flat_map(|connection| sources(group, &connection.binding))
                .collect()
        };
        let overrides = |node: &super::Node| {
            node.overrides
                .iter()
                .flat_map(|(_, b, _)| sources(group, b))
                .collect()
        };
        Feeds {
            inputs: group.nodes().iter().map(inputs).collect(),
            overrides: group.nodes().iter().map(overrides).collect(),
        }
    }
}

/// Returns the nodes that a binding reads.
fn sources(group: &ShaderGroupTemplate, binding: &Binding) -> Vec<NodeIndex> {
    let mut found = vec![];
    binding.for_each_head(&mut |name| found.extend(group.position(name)));
    found
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

/// Depth-first topological sort with an explicit stack, since a chain of ten thousand nodes would overflow the thread's
/// stack.
struct Sort<'a> {
    group: &'a ShaderGroupTemplate,
    feeds: &'a Feeds,
    state: Vec<State>,
    order: Vec<NodeIndex>,
}

impl Sort<'_> {
    fn visit(&mut self, root: NodeIndex) -> Result<(), GraphError> {
        if self.state[root] == State::Done {
            return Ok(());
        }
        let mut stack = vec![(root, 0)];
        self.state[root] = State::Open;
        while let Some((node, next)) = stack.last_mut() {
            let (inputs, overrides) = (&self.feeds.inputs[*node], &self.feeds.overrides[*node]);
            let Some(&feed) = inputs.iter().chain(overrides).nth(*next) else {
                self.state[*node] = State::Done;
                self.order.push(*node);
                stack.pop();
                continue;
            };
            *next += 1;
            match self.state[feed] {
                State::New => {
                    self.state[feed] = State::Open;
                    stack.push((feed, 0));
                }
                State::Open => return Err(self.cycle(&stack, feed)),
                State::Done => {}
            }
        }
        Ok(())
    }

    fn cycle(&self, stack: &[(NodeIndex, usize)], back: NodeIndex) -> GraphError {
        let start = stack.iter().position(|&(node, _)| node == back).unwrap_or(0);
        let name = |node: NodeIndex| self.group.nodes()[node].name.clone();
        // The stack is in reverse order of the flow of values; the chain is reported in that order.
        let mut chain: Vec<String> = stack[start..].iter().rev().map(|&(node, _)| name(node)).collect();
        chain.push(chain[0].clone());
        GraphError::Cycle { chain }
    }
}

/// Computes the node whose overrides apply to each node: the only overriding node that all its readers belong to.
fn pulled_by(
    group: &ShaderGroupTemplate,
    feeds: &Feeds,
    order: &[NodeIndex],
    roots: &[NodeIndex],
) -> Vec<Option<NodeIndex>> {
    // `None`: no reader seen yet. `Some(None)`: read outside any override. `Some(Some(n))`: read under node n's
    // overrides.
    let mut context: Vec<Option<Option<NodeIndex>>> = vec![None; group.nodes().len()];
    let read = |context: &mut Vec<Option<Option<NodeIndex>>>, node: NodeIndex, by: Option<NodeIndex>| {
        context[node] = match context[node] {
            None => Some(by),
            Some(other) if other == by => Some(by),
            Some(_) => Some(None),
        };
    };
    for &root in roots {
        read(&mut context, root, None);
    }
    // In reverse order readers precede the nodes they read, so that every reader's own context is known.
    for &node in order.iter().rev() {
        let inherited = context[node].flatten();
        let own = if group.nodes()[node].overrides.is_empty() {
            inherited
        } else {
            Some(node)
        };
        for &feed in &feeds.inputs[node] {
            read(&mut context, feed, own);
        }
        for &feed in &feeds.overrides[node] {
            read(&mut context, feed, inherited);
        }
    }
    context.into_iter().map(Option::flatten).collect()
}
