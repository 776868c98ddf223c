//! Execution order of a group (topological sort), and the node whose overrides apply to each node (dominators).

use rustc_hash::FxHashMap;

use super::{Binding, GraphError, ShaderGroupTemplate};

/// Index of a node in its group.
pub(super) type NodeIndex = usize;

/// A step of the execution of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Evaluates an input of the group, by its index.
    Input(usize),
    /// Runs a node.
    Node(NodeIndex),
}

/// Dependencies in a group.
///
/// The vertices of the graph are the nodes, then the inputs, then for each node the overrides that its sources see.
pub(super) struct Dependencies<'g> {
    group: &'g ShaderGroupTemplate,
    /// For each vertex, the vertices that it reads.
    reads: Vec<Vec<usize>>,
    /// For each node, the node whose overrides also apply to it: the nearest overriding node on all paths from it to readers
    /// without overrides. All nodes and outputs of the group count as readers, except outputs that only expose values.
    pub(super) pulled_by: Vec<Option<NodeIndex>>,
}

impl<'g> Dependencies<'g> {
    /// Dependencies of a group.
    ///
    /// # Errors
    /// If its nodes depend on each other in a cycle.
    pub(super) fn of(group: &'g ShaderGroupTemplate) -> Result<Dependencies<'g>, GraphError> {
        let mut inputs = FxHashMap::default();
        for (index, input) in group.inputs.iter().enumerate() {
            inputs.entry(input.name.as_str()).or_insert(group.nodes().len() + index);
        }
        let vertex = |name: &str| group.position(name).or_else(|| inputs.get(name).copied());
        let add = |binding: &Binding, list: &mut Vec<usize>| {
            binding.for_each_head(&mut |name| list.extend(vertex(name)));
        };
        let (mut reads, mut contexts) = (vec![], vec![]);
        for node in group.nodes() {
            let (mut given, mut overridden) = (vec![], vec![]);
            node.inputs.iter().for_each(|connection| add(&connection.binding, &mut given));
            node.overrides.iter().for_each(|(_, binding, _)| add(binding, &mut overridden));
            reads.push(given);
            contexts.push(overridden);
        }
        for input in &group.inputs {
            let mut list = vec![];
            input.default.iter().for_each(|default| add(default, &mut list));
            reads.push(list);
        }
        reads.extend(contexts);
        let mut dependencies = Dependencies { group, reads, pulled_by: vec![] };
        for node in 0..group.nodes().len() {
            let context = dependencies.context(node);
            dependencies.reads[node].push(context);
        }
        dependencies.pulled_by = dependencies.pulled_by()?;
        // A node runs after the sources of the overrides that apply to it. This adds no cycle, because the sources of
        // overrides are read outside of these overrides.
        for node in 0..group.nodes().len() {
            if let Some(puller) = dependencies.pulled_by[node] {
                let (own, outer) = (dependencies.context(node), dependencies.context(puller));
                dependencies.reads[own].push(outer);
            }
        }
        Ok(dependencies)
    }

    /// Returns the vertex of the overrides that the sources of a node see.
    fn context(&self, node: NodeIndex) -> usize {
        self.group.nodes().len() + self.group.inputs.len() + node
    }

    /// Orders all inputs, and the nodes on which `wanted` bindings or the group's entries depend. The defaults of `given`
    /// inputs are ignored.
    ///
    /// # Errors
    /// If inputs and nodes depend on each other in a cycle.
    pub(super) fn order(
        &self,
        wanted: &[&Binding],
        given: impl Fn(usize) -> bool,
    ) -> Result<Vec<Step>, GraphError> {
        let group = self.group;
        let mut roots: Vec<usize> = wanted.iter().flat_map(|binding| self.sources(binding)).collect();
        roots.extend(group.entries.iter().filter_map(|name| group.position(name)));
        if !group.entries.is_empty() {
            // Nodes that run unconditionally run in the order in which they were added.
            roots.sort_unstable();
        } else if group.outputs.is_empty() {
            roots = self.ends();
        }
        let inputs = (0..group.inputs.len()).map(|index| group.nodes().len() + index);
        let roots: Vec<usize> = inputs.chain(roots).collect();
        self.sort(&roots, given)
    }

    /// Orders the inputs and nodes on which one binding depends; see [`Dependencies::order`].
    pub(super) fn order_of(
        &self,
        binding: &Binding,
        given: impl Fn(usize) -> bool,
    ) -> Result<Vec<Step>, GraphError> {
        self.sort(&self.sources(binding), given)
    }

    /// Vertices that a binding reads.
    fn sources(&self, binding: &Binding) -> Vec<usize> {
        let group = self.group;
        let mut found = vec![];
        binding.for_each_head(&mut |name| {
            let input = || group.inputs.iter().position(|input| input.name == name);
            found.extend(
                group
                    .position(name)
                    .or_else(|| input().map(|index| group.nodes().len() + index)),
            );
        });
        found
    }

    /// Returns the nodes that no other node reads, because a group without outputs runs for its side effects. If every node
    /// is read, which implies a cycle, returns all nodes.
    fn ends(&self) -> Vec<NodeIndex> {
        let nodes = self.group.nodes().len();
        let mut is_read = vec![false; self.reads.len()];
        self.reads.iter().flatten().for_each(|&vertex| is_read[vertex] = true);
        let ends: Vec<NodeIndex> = (0..nodes).filter(|&node| !is_read[node]).collect();
        if ends.is_empty() { (0..nodes).collect() } else { ends }
    }

    fn sort(&self, roots: &[usize], given: impl Fn(usize) -> bool) -> Result<Vec<Step>, GraphError> {
        let mut sort = Sort {
            dependencies: self,
            state: vec![State::New; self.reads.len()],
            order: vec![],
        };
        let nodes = self.group.nodes().len();
        for index in (0..self.group.inputs.len()).filter(|index| given(*index)) {
            sort.state[nodes + index] = State::Given;
        }
        for &root in roots {
            sort.visit(root)?;
        }
        Ok(sort.order)
    }

    /// Returns the node whose overrides apply to each node, in the whole group.
    fn pulled_by(&self) -> Result<Vec<Option<NodeIndex>>, GraphError> {
        let group = self.group;
        let nodes: Vec<usize> = (0..group.nodes().len()).collect();
        let mut contexts = Contexts {
            parents: vec![None; nodes.len()],
            depths: vec![0; nodes.len()],
        };
        // Defaults of inputs and outputs are read outside of all overrides.
        let roots = group.inputs.iter().filter_map(|input| input.default.as_ref());
        let outputs = group.outputs.iter().filter(|output| !output.is_unrequested);
        let roots = roots.chain(outputs.map(|output| &output.binding));
        for node in roots.flat_map(|binding| self.sources(binding)) {
            contexts.read(node, None);
        }
        let order = self.sort(&nodes, |_| true)?;
        // In reverse order readers precede the nodes that they read, so that the context of every reader is known.
        for step in order.into_iter().rev() {
            let Step::Node(node) = step else { continue };
            let outer = contexts.settle(node);
            let own = match group.nodes()[node].overrides[..] {
                [] => outer,
                _ => Some(node),
            };
            for &read in &self.reads[node] {
                contexts.read(read, own);
            }
            for &read in &self.reads[self.context(node)] {
                contexts.read(read, outer);
            }
        }
        Ok(contexts.parents.into_iter().map(Option::flatten).collect())
    }
}

/// Tree of overriding nodes whose overrides apply to nodes.
struct Contexts {
    /// For each node, the nearest common context of its readers (`Some(None)` for no overrides); `None` if no reader was
    /// seen.
    parents: Vec<Option<Option<NodeIndex>>>,
    /// Depth of nodes all of whose readers are known.
    depths: Vec<usize>,
}

impl Contexts {
    /// Records that a vertex, if it is a node, is read in a context.
    fn read(&mut self, vertex: usize, by: Option<NodeIndex>) {
        let Some(known) = self.parents.get(vertex).copied() else {
            return;
        };
        self.parents[vertex] = Some(match known {
            None => by,
            Some(other) => self.common(other, by),
        });
    }

    /// Returns the context of a node all of whose readers are known.
    fn settle(&mut self, node: NodeIndex) -> Option<NodeIndex> {
        let parent = self.parents[node].flatten();
        self.depths[node] = parent.map_or(0, |parent| self.depths[parent] + 1);
        parent
    }

    /// Returns the nearest common ancestor of two contexts.
    fn common(&self, mut a: Option<NodeIndex>, mut b: Option<NodeIndex>) -> Option<NodeIndex> {
        while a != b {
            let (x, y) = (a?, b?);
            if self.depths[x] >= self.depths[y] {
                a = self.parents[x].flatten();
            } else {
                b = self.parents[y].flatten();
            }
        }
        a
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    /// An input whose default is ignored.
    Given,
    Open,
    Done,
}

/// Depth-first topological sort with an explicit stack, since a chain of ten thousand nodes would overflow the thread's
/// stack.
struct Sort<'a> {
    dependencies: &'a Dependencies<'a>,
    state: Vec<State>,
    order: Vec<Step>,
}

impl Sort<'_> {
    fn visit(&mut self, root: usize) -> Result<(), GraphError> {
        if !self.enter(root) {
            return Ok(());
        }
        let mut stack = vec![(root, 0)];
        while let Some((vertex, next)) = stack.last_mut() {
            let Some(&read) = self.dependencies.reads[*vertex].get(*next) else {
                self.leave(*vertex);
                stack.pop();
                continue;
            };
            *next += 1;
            if self.state[read] == State::Open {
                return Err(self.cycle(&stack, read));
            }
            if self.enter(read) {
                stack.push((read, 0));
            }
        }
        Ok(())
    }

    /// Returns whether the vertices that a vertex reads must be visited.
    fn enter(&mut self, vertex: usize) -> bool {
        match self.state[vertex] {
            State::New => {
                self.state[vertex] = State::Open;
                true
            }
            State::Given => {
                self.leave(vertex);
                false
            }
            State::Open | State::Done => false,
        }
    }

    fn leave(&mut self, vertex: usize) {
        self.state[vertex] = State::Done;
        let group = self.dependencies.group;
        match vertex.checked_sub(group.nodes().len()) {
            None => self.order.push(Step::Node(vertex)),
            Some(input) if input < group.inputs.len() => self.order.push(Step::Input(input)),
            Some(_) => {}
        }
    }

    fn cycle(&self, stack: &[(usize, usize)], back: usize) -> GraphError {
        let start = stack.iter().position(|&(vertex, _)| vertex == back).unwrap_or(0);
        let group = self.dependencies.group;
        let name = |vertex: usize| match group.nodes().get(vertex) {
            Some(node) => Some(node.name.clone()),
            None => group.inputs.get(vertex - group.nodes().len()).map(|input| input.name.clone()),
        };
        // The stack is in reverse order of the flow of values; the chain is reported in that order.
        let mut chain: Vec<String> =
            stack[start..].iter().rev().filter_map(|&(vertex, _)| name(vertex)).collect();
        chain.extend(chain.first().cloned());
        GraphError::Cycle { chain }
    }
}
