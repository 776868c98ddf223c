//! Wires: values between an output and an input, and the environment of a linked instance.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use crate::builtins::Global;
use crate::graph::path::is_in;
use crate::graph::{Binding, Node, ShaderGroupTemplate};
use crate::hir::Operand;
use crate::ty::Type;
use shading_syntax::source::{SourceId, SourceMap, Span};

/// A named value: an output, or a part of a wire with its suffix.
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
        Wire { parts: vec![WirePart { name, operand, ty }] }
    }
}

/// Source location of an error, with the instance that it belongs to.
#[derive(Clone)]
pub(super) struct LinkPlace<'a> {
    pub(super) sources: Option<&'a SourceMap>,
    pub(super) span: Span,
    /// Dotted path of node names to the instance; `""` for the outermost.
    pub(super) instance: String,
}

impl LinkPlace<'_> {
    pub(super) const NONE: LinkPlace<'static> = LinkPlace {
        sources: None,
        span: Span { source: SourceId(0), start: 0, end: 0 },
        instance: String::new(),
    };
}

/// Readers of the outputs of an instance.
#[derive(Clone, Copy)]
pub(super) enum Readers<'a> {
    /// The caller of [`link`](super::link), who requests outputs by name; `None` for no reader.
    Caller(Option<&'a [String]>),
    /// Other nodes of a group and the readers of the group's outputs; with the name of the instance's node.
    Group(&'a GroupReaders<'a>, &'a str),
}

impl Readers<'_> {
    /// Returns whether an output of a unit is read. `outputs` are all its outputs.
    pub(super) fn read(&self, output: &str, outputs: &[(&str, Type)]) -> bool {
        match self {
            Readers::Caller(wanted) => wanted.is_some_and(|list| list.iter().any(|name| is_in(output, name))),
            Readers::Group(readers, node) => readers.read(node, output, outputs),
        }
    }
}

/// Readers of the nodes of a group, computed on first use.
pub(super) struct GroupReaders<'g> {
    pub(super) group: &'g ShaderGroupTemplate,
    by_node: OnceCell<FxHashMap<String, Vec<Reader>>>,
}

/// Reader of a node: another node, or an output of the group, by index.
#[derive(Clone, Copy)]
enum Reader {
    Node(usize),
    Output(usize),
}

impl<'g> GroupReaders<'g> {
    pub(super) fn new(group: &'g ShaderGroupTemplate) -> GroupReaders<'g> {
        GroupReaders { group, by_node: OnceCell::new() }
    }

    fn read(&self, node: &str, output: &str, outputs: &[(&str, Type)]) -> bool {
        let by_node = self.by_node.get_or_init(|| self.by_node());
        let readers = by_node.get(node).map_or(&[][..], Vec::as_slice);
        readers.iter().any(|reader| match *reader {
            Reader::Node(index) => {
                bindings(&self.group.nodes()[index]).any(|binding| binding.reads(node, output, outputs))
            }
            Reader::Output(index) => self.group.outputs[index].binding.reads(node, output, outputs),
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
            if !output.is_unrequested {
                note(&output.binding, Reader::Output(index));
            }
        }
        by_node
    }
}

fn bindings(node: &Node) -> impl Iterator<Item = &Binding> {
    let overrides = node.overrides.iter().map(|(_, binding, _)| binding);
    node.inputs.iter().map(|connection| &connection.binding).chain(overrides)
}

/// Maximum length in bytes of an instance name. Longer names lose their beginning, because the names of deeply nested
/// instances would take more memory than their code.
const MAX_NAME: usize = 200;

/// Returns the qualified name of `name` in the instance `prefix`.
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

#[derive(Clone, Copy)]
pub(super) struct BindingSite<'a> {
    pub(super) place: &'a LinkPlace<'a>,
    pub(super) overrides: &'a [(Global, Operand)],
    /// Expected type, if known.
    pub(super) expected: Option<Type>,
}
