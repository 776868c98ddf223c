//! Execution order of nodes (topological sort), and the global overrides that each node sees.

use super::{Binding, GraphError, ShaderGroupTemplate};

/// A node of a group by its position.
pub(super) type NodeIndex = usize;

/// What of a group has to run, and how.
pub(super) struct Order {
    /// The nodes that the wanted outputs need, each after those that feed it.
    pub(super) nodes: Vec<NodeIndex>,
    /// For each node: the node whose overrides it sees besides its own, because that node alone pulls it.
    pub(super) pulled_by: Vec<Option<NodeIndex>>,
}

impl Order {
    /// Orders the nodes that `wanted` bindings need.
    pub(super) fn of(group: &ShaderGroupTemplate, wanted: &[&Binding]) -> Result<Order, GraphError> {
        let mut feeds = Feeds::of(group);
        let mut roots: Vec<NodeIndex> = wanted
            .iter()
            .flat_map(|binding| sources(group, binding))
            .collect();
        roots.extend(group.entries.iter().filter_map(|name| group.position(name)));
        if !group.entries.is_empty() {
            // Nodes that run in any case run in the order in which they were added.
            roots.sort_unstable();
        } else if group.outputs.is_empty() {
            roots = ends(&feeds);
        }
        let nodes = sort(group, &feeds, &roots)?;
        let pulled_by = pulled_by(group, &feeds, &nodes, &roots);
        if pulled_by.iter().all(Option::is_none) {
            return Ok(Order { nodes, pulled_by });
        }
        // What a node with overrides alone pulls runs after what feeds those overrides. That cannot make a cycle: a
        // node that feeds them too is not pulled by that node alone.
        for (node, puller) in pulled_by.iter().enumerate() {
            if let Some(puller) = *puller {
                let extra = feeds.overrides[puller].clone();
                feeds.overrides[node].extend(extra);
            }
        }
        Ok(Order {
            nodes: sort(group, &feeds, &roots)?,
            pulled_by,
        })
    }
}

/// The nodes that no other reads: a group that shows nothing runs for what they print. All nodes where each is read,
/// which makes a cycle.
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

/// For each node, the nodes that feed its inputs and those that feed its overrides.
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

/// The nodes that a binding reads.
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

/// Depth-first topological sort with a stack of its own: a chain of ten thousand nodes must not overflow the program's.
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
        // The stack goes against the flow of values; the chain is told along it.
        let mut chain: Vec<String> = stack[start..].iter().rev().map(|&(node, _)| name(node)).collect();
        chain.push(chain[0].clone());
        GraphError::Cycle { chain }
    }
}

/// Which node's overrides each node sees: those of the one overriding node that all its readers belong to.
fn pulled_by(
    group: &ShaderGroupTemplate,
    feeds: &Feeds,
    order: &[NodeIndex],
    roots: &[NodeIndex],
) -> Vec<Option<NodeIndex>> {
    // None: no reader seen yet. Some(None): read from outside any override. Some(Some(n)): read under node n's.
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
    // Readers come after what they read, so that backwards every reader's own context is known.
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
