//! Instances during linking: connections of their inputs, and the state of groups.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::wire::{GroupReaders, LinkPlace, Readers, Wire, WirePart, join};
use crate::builtins::Global;
use crate::graph::literal::plain;
use crate::graph::order::{Dependencies, NodeIndex};
use crate::graph::path::longest_name;
use crate::graph::splice::Overrides;
use crate::graph::{Accessor, Binding, Connection, Node, Path, ShaderGroupTemplate, Value};
use crate::hir::Operand;
use crate::ty::Type;
use shading_syntax::source::Span;

/// A value connected to an input.
pub(super) struct Feed<'a> {
    pub(super) target: Path,
    /// `None` after an error, which is reported.
    pub(super) wire: Option<Wire>,
    /// True if the value comes from another instance, a global or an expression, so that it is not constant.
    pub(super) is_fed: bool,
    /// As [`crate::graph::Connection::interpolated`].
    pub(super) interpolated: Option<bool>,
    pub(super) place: LinkPlace<'a>,
    pub(super) source: FeedSource<'a>,
}

/// Source of an input's value, for units that evaluate it again.
#[derive(Clone)]
pub(super) enum FeedSource<'a> {
    /// A value that does not depend on the shading point.
    Fixed,
    /// A value.
    Value(&'a Value),
    /// A binding in a group.
    Group(GroupSource<'a>),
}

/// A binding in a group, and the node that reads it.
#[derive(Clone)]
pub(super) struct GroupSource<'a> {
    pub(super) scope: &'a GroupScope<'a>,
    pub(super) reader: NodeIndex,
    pub(super) binding: &'a Binding,
    pub(super) expected: Option<Type>,
    /// For a list `{ … }` of a structure, the paths and types of the structure's fields.
    pub(super) fields: Option<Rc<[(String, Type)]>>,
}

impl Feed<'_> {
    /// Returns the part that is the whole input `name`.
    pub(super) fn whole(&self, name: &str) -> Option<&WirePart> {
        let suffix = name.strip_prefix(self.target.head.as_str())?;
        let suffix = match &self.target.rest[..] {
            [] => suffix,
            rest => suffix.strip_prefix(&rest.iter().map(Accessor::to_string).collect::<String>())?,
        };
        self.wire.as_ref()?.parts.iter().find(|part| part.name == suffix)
    }

    /// Name of the target in messages.
    pub(super) fn target_name(&self) -> String {
        join(&self.place.instance, &self.target.to_string())
    }
}

pub(super) struct Instance<'a> {
    /// Location, which also names the instance.
    pub(super) place: &'a LinkPlace<'a>,
    /// Values of its inputs.
    pub(super) feeds: Vec<Feed<'a>>,
    pub(super) overrides: &'a [(Global, Operand)],
    /// Names of the requested outputs of a group; `None` for all.
    pub(super) wanted: Option<&'a [String]>,
    /// Readers of the outputs.
    pub(super) readers: Readers<'a>,
    /// True if inputs with a geometry attribute count as connected.
    pub(super) attributes_connect: bool,
}

/// Maximum number of elements of an array that grows by values for elements after its end.
const MAX_GROWN: u32 = 1 << 12;

impl Instance<'_> {
    /// Returns the length of an input array of any length for the given elements.
    pub(super) fn grown(&self, input: &str) -> u32 {
        let lengths = self.feeds.iter().filter_map(|feed| {
            let (name, rest) = longest_name(&feed.target, |name| name == input);
            match rest.first() {
                Some(Accessor::Index(index)) if name == input && *index < MAX_GROWN => Some(index + 1),
                _ => None,
            }
        });
        lengths.max().unwrap_or(0)
    }

    /// Prefix of the names of its variables.
    pub(super) fn prefix(&self) -> &str {
        &self.place.instance
    }
}

/// State of linking one group instance.
pub(super) struct GroupScope<'g> {
    pub(super) group: &'g ShaderGroupTemplate,
    pub(super) readers: &'g GroupReaders<'g>,
    /// Names of the nodes that run unconditionally.
    pub(super) entries: FxHashSet<&'g str>,
    pub(super) dependencies: &'g Dependencies<'g>,
    /// The instance; the whole group runs under its overrides.
    pub(super) instance: &'g Instance<'g>,
    pub(super) inputs: FxHashMap<String, Wire>,
    /// Outputs of each node; empty if it is not linked yet.
    pub(super) nodes: Vec<Vec<WirePart>>,
    /// Overrides of each node, once known.
    pub(super) contexts: Vec<Option<Overrides>>,
}

impl<'g> GroupScope<'g> {
    pub(super) fn new(
        readers: &'g GroupReaders<'g>,
        dependencies: &'g Dependencies<'g>,
        instance: &'g Instance<'g>,
    ) -> GroupScope<'g> {
        let group = readers.group;
        let count = group.nodes().len();
        GroupScope {
            group,
            readers,
            entries: group.entries.iter().map(String::as_str).collect(),
            dependencies,
            instance,
            inputs: FxHashMap::default(),
            nodes: vec![vec![]; count],
            contexts: vec![None; count],
        }
    }

    /// Returns the scope of copies of the nodes that `reader` evaluates again. The overrides of the new instance apply to
    /// the copies wherever those of `reader`, or of nodes that it depends on, applied to the nodes.
    pub(super) fn again(&self, reader: NodeIndex, instance: &'g Instance<'g>) -> GroupScope<'g> {
        let mut copy = GroupScope::new(self.readers, self.dependencies, instance);
        let mut next = Some(reader);
        while let Some(node) = next {
            copy.contexts[node] = Some(instance.overrides.to_vec());
            next = self.dependencies.pulled_by[node];
        }
        copy
    }

    /// Returns whether an input of the group has a value as a whole.
    pub(super) fn is_given(&self, index: usize) -> bool {
        let name = &self.group.inputs[index].name;
        let mut feeds = self.instance.feeds.iter();
        feeds.any(|feed| feed.target.head == *name && feed.target.rest.is_empty())
    }

    /// Location in the group itself.
    pub(super) fn place(&self, span: Span) -> LinkPlace<'g> {
        LinkPlace {
            sources: self.group.file.as_deref().map(|file| &file.sources),
            span,
            instance: self.instance.prefix().to_owned(),
        }
    }

    /// Location in the declaration of a node.
    pub(super) fn node_place(&self, node: &Node, span: Span) -> LinkPlace<'g> {
        LinkPlace {
            instance: join(self.instance.prefix(), &node.name),
            ..self.place(span)
        }
    }

    /// Returns whether the source of an input is computed at run time.
    pub(super) fn is_fed(&self, binding: &Binding) -> bool {
        match binding {
            Binding::Value(Value::Const(..) | Value::Uniform(..)) => false,
            Binding::Value(Value::Global(_)) => true,
            Binding::Expression(expr) => plain(expr).is_none(),
            Binding::Path(path) if self.group.position(&path.head).is_some() => true,
            Binding::Path(path) => {
                let mut feeds = self.instance.feeds.iter();
                feeds.any(|feed| feed.target.head == path.head && feed.is_fed)
            }
        }
    }

    /// For a connection to an exposed input whose parts alone are set, returns the values of the parts, for the same parts
    /// of the target. `None` for other connections.
    pub(super) fn parts_of_exposed(&self, connection: &Connection) -> Option<Vec<Feed<'g>>> {
        let Binding::Path(path) = &connection.binding else {
            return None;
        };
        let is_input = self.group.position(&path.head).is_none() && self.has_input(&path.head);
        if !is_input || self.inputs.contains_key(&path.head) {
            return None;
        }
        let feeds = self.instance.feeds.iter();
        let parts = feeds.filter(|feed| path.rest.is_empty() && feed.target.head == path.head);
        let parts = parts.filter(|feed| !feed.target.rest.is_empty()).map(|feed| {
            let mut target = connection.target.clone();
            target.rest.extend(feed.target.rest.iter().cloned());
            Feed {
                target,
                wire: feed.wire.clone(),
                place: feed.place.clone(),
                source: feed.source.clone(),
                ..*feed
            }
        });
        Some(parts.collect())
    }

    pub(super) fn has_input(&self, name: &str) -> bool {
        self.group.inputs.iter().any(|input| input.name == name)
    }
}
