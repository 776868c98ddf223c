//! Wires: values between an output and an input, and the environment of a linked instance.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use crate::builtins::Global;
use crate::graph::{Accessor, Binding, Node, Path, ShaderGroupTemplate};
use crate::hir::Operand;
use crate::ty::Type;
use shading_syntax::source::{SourceId, SourceMap, Span};

/// A value with a name: that of an output, or the suffix of a part of a wire.
#[derive(Clone, Debug)]
pub(super) struct WirePart {
    pub(super) name: String,
    pub(super) operand: Operand,
    pub(super) ty: Type,
}

/// A value in the linked code: one part named `""`, or one part for each field of a structure, named `.field` with the
/// path of fields.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    pub(super) parts: Vec<WirePart>,
}

impl Wire {
    pub(super) fn single(operand: Operand, ty: Type) -> Wire {
        let name = String::new();
        Wire {
            parts: vec![WirePart { name, operand, ty }],
        }
    }
}

/// Where a mistake is written, and the instance that it is in.
#[derive(Clone)]
pub(super) struct LinkPlace<'a> {
    pub(super) sources: Option<&'a SourceMap>,
    pub(super) span: Span,
    /// The names of the nodes that lead to the instance, with dots; `""` for the outermost.
    pub(super) instance: String,
}

impl LinkPlace<'_> {
    pub(super) const NONE: LinkPlace<'static> = LinkPlace {
        sources: None,
        span: Span {
            source: SourceId(0),
            start: 0,
            end: 0,
        },
        instance: String::new(),
    };
}

/// A value on its way into an input.
pub(super) struct Feed<'a> {
    pub(super) target: Path,
    /// `None` after a mistake, which is reported.
    pub(super) wire: Option<Wire>,
    /// Whether it comes from another instance, a global or an expression: it is no constant.
    pub(super) is_fed: bool,
    /// As [`crate::graph::Connection::interpolated`].
    pub(super) interpolated: Option<bool>,
    pub(super) place: LinkPlace<'a>,
}

impl Feed<'_> {
    /// The part that is all of the input `name`.
    pub(super) fn whole(&self, name: &str) -> Option<&WirePart> {
        let suffix = name.strip_prefix(self.target.head.as_str())?;
        let suffix = match &self.target.rest[..] {
            [] => suffix,
            rest => suffix.strip_prefix(&rest.iter().map(Accessor::to_string).collect::<String>())?,
        };
        self.wire.as_ref()?.parts.iter().find(|part| part.name == suffix)
    }

    /// What the target is called in messages.
    pub(super) fn target_name(&self) -> String {
        join(&self.place.instance, &self.target.to_string())
    }
}

/// A use of a template.
pub(super) struct Instance<'a> {
    /// Where it stands; it is the instance that is named there.
    pub(super) place: &'a LinkPlace<'a>,
    /// What its inputs are given.
    pub(super) feeds: Vec<Feed<'a>>,
    /// Globals that have another value for it.
    pub(super) overrides: &'a [(Global, Operand)],
    /// The names of the outputs that a group has to make; all without.
    pub(super) wanted: Option<&'a [String]>,
    /// Who reads the outputs.
    pub(super) readers: Readers<'a>,
    /// Whether inputs before which attributes of the geometry go count as connected.
    pub(super) attributes_connect: bool,
}

/// Who reads the outputs of an instance.
#[derive(Clone, Copy)]
pub(super) enum Readers<'a> {
    /// Whoever asks for them by name; nobody without.
    Caller(Option<&'a [String]>),
    /// Other nodes of a group, and who asks for its outputs; and the name of the instance's node.
    Group(&'a GroupReaders<'a>, &'a str),
}

impl Readers<'_> {
    /// Whether somebody reads an output.
    pub(super) fn read(&self, output: &str) -> bool {
        match self {
            Readers::Caller(wanted) => wanted.is_some_and(|list| list.iter().any(|name| names(output, name))),
            Readers::Group(readers, node) => readers.read(node, output),
        }
    }
}

/// What reads the nodes of a group, found when somebody first asks.
pub(super) struct GroupReaders<'g> {
    pub(super) group: &'g ShaderGroupTemplate,
    by_node: OnceCell<FxHashMap<String, Vec<Reader>>>,
}

/// What reads a node: another node, or an output of the group, by its position.
#[derive(Clone, Copy)]
enum Reader {
    Node(usize),
    Output(usize),
}

impl<'g> GroupReaders<'g> {
    pub(super) fn new(group: &'g ShaderGroupTemplate) -> GroupReaders<'g> {
        GroupReaders {
            group,
            by_node: OnceCell::new(),
        }
    }

    fn read(&self, node: &str, output: &str) -> bool {
        let by_node = self.by_node.get_or_init(|| self.by_node());
        let readers = by_node.get(node).map_or(&[][..], Vec::as_slice);
        readers.iter().any(|reader| match *reader {
            Reader::Node(index) => {
                bindings(&self.group.nodes()[index]).any(|binding| binding.reads(node, output))
            }
            Reader::Output(index) => self.group.outputs[index].binding.reads(node, output),
        })
    }

    fn by_node(&self) -> FxHashMap<String, Vec<Reader>> {
        let mut by_node: FxHashMap<String, Vec<Reader>> = FxHashMap::default();
        let mut note = |binding: &Binding, reader| {
            binding.for_each_head(&mut |head| by_node.entry(head.to_owned()).or_default().push(reader));
        };
        for (index, node) in self.group.nodes().iter().enumerate() {
            bindings(node).for_each(|binding| note(binding, Reader::Node(index)));
        }
        for (index, output) in self.group.outputs.iter().enumerate() {
            if !output.is_unasked {
                note(&output.binding, Reader::Output(index));
            }
        }
        by_node
    }
}

/// All that a node reads.
fn bindings(node: &Node) -> impl Iterator<Item = &Binding> {
    let overrides = node.overrides.iter().map(|(_, binding, _)| binding);
    node.inputs
        .iter()
        .map(|connection| &connection.binding)
        .chain(overrides)
}

impl Instance<'_> {
    /// What the names of its variables begin with.
    pub(super) fn prefix(&self) -> &str {
        &self.place.instance
    }
}

/// Whether `name` is `whole` or a field of it.
pub(super) fn names(name: &str, whole: &str) -> bool {
    name.strip_prefix(whole)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Longest name of an instance (bytes); of a longer one the beginning is left out, since names of instances many levels
/// deep would take more memory than their code.
const MAX_NAME: usize = 200;

/// The name of what is called `name` in the instance `prefix`.
pub(super) fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() {
        return name.to_owned();
    }
    let prefix = prefix.trim_start_matches('…');
    match (prefix.len() + name.len()).checked_sub(MAX_NAME) {
        None | Some(0) => format!("{prefix}.{name}"),
        Some(excess) => format!("…{}.{name}", &prefix[prefix.ceil_char_boundary(excess)..]),
    }
}

/// Where a value is asked for.
pub(super) struct BindingSite<'a> {
    pub(super) place: &'a LinkPlace<'a>,
    /// Globals that have another value there.
    pub(super) overrides: &'a [(Global, Operand)],
    /// The type asked for, where it is known.
    pub(super) expected: Option<Type>,
}
