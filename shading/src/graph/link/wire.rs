//! Values on their way: from where they are made to the input that they feed, and the instance that has that input.

use crate::builtins::Global;
use crate::graph::{Path, ShaderGroupTemplate};
use crate::hir::Operand;
use crate::source::{SourceId, SourceMap, Span};
use crate::ty::Type;

/// A value with a name: that of an output, or the suffix of a part of a wire.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) operand: Operand,
    pub(super) ty: Type,
}

/// A value in the linked code: one part named `""`, or one part for each field of a structure, named `.field` with the
/// path of fields.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    pub(super) parts: Vec<Part>,
}

impl Wire {
    pub(super) fn single(operand: Operand, ty: Type) -> Wire {
        let name = String::new();
        Wire {
            parts: vec![Part { name, operand, ty }],
        }
    }
}

/// Where a mistake is written, and the instance that it is in.
#[derive(Clone)]
pub(super) struct Place<'a> {
    pub(super) sources: Option<&'a SourceMap>,
    pub(super) span: Span,
    /// The names of the nodes that lead to the instance, with dots; `""` for the outermost.
    pub(super) instance: String,
}

impl Place<'_> {
    pub(super) const NONE: Place<'static> = Place {
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
    pub(super) place: Place<'a>,
}

impl Feed<'_> {
    /// The part that is all of the input `name`.
    pub(super) fn whole(&self, name: &str) -> Option<&Part> {
        let target = self.target.to_string();
        let suffix = name.strip_prefix(&target)?;
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
    pub(super) place: &'a Place<'a>,
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
    /// Other nodes of a group, and who asks for its outputs.
    Group(&'a ShaderGroupTemplate, &'a str),
}

impl Readers<'_> {
    /// Whether somebody reads an output.
    pub(super) fn read(&self, output: &str) -> bool {
        match self {
            Readers::Caller(wanted) => wanted.is_some_and(|list| list.iter().any(|name| names(output, name))),
            Readers::Group(group, node) => {
                let inputs = group.nodes.iter().flat_map(|node| {
                    let overrides = node.overrides.iter().map(|(_, binding, _)| binding);
                    node.inputs
                        .iter()
                        .map(|connection| &connection.binding)
                        .chain(overrides)
                });
                let shown = group.outputs.iter().filter(|output| !output.is_unasked);
                inputs
                    .chain(shown.map(|output| &output.binding))
                    .any(|binding| binding.reads(node, output))
            }
        }
    }
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
