//! Errors of groups, with their messages.

use thiserror::Error;

use super::GroupUse;
use crate::hir::UnitKind;
use crate::ty::Type;
use shading_syntax::diagnostic::{Diagnostic, nearest};

/// An error in a group.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GraphError {
    /// Invalid path syntax.
    #[error("`{text}` does not name a parameter (write `node.parameter`)")]
    NotAPath {
        /// Path as written.
        text: String,
    },
    /// Two nodes with the same name.
    #[error("there already is an instance `{node}`")]
    DuplicateNode {
        /// Name.
        node: String,
    },
    /// Two outputs with the same name.
    #[error("there already is an output `{output}`")]
    DuplicateOutput {
        /// Name.
        output: String,
    },
    /// Unknown node.
    #[error("unknown instance `{node}`")]
    UnknownNode {
        /// Name.
        node: String,
        /// Existing names.
        known: Vec<String>,
    },
    /// Unknown unit or group.
    #[error("unknown unit or group `{name}`")]
    UnknownTemplate {
        /// Name.
        name: String,
        /// Existing names.
        known: Vec<String>,
    },
    /// Unknown parameter.
    #[error("`{template}` has no {} `{path}`", if *.output { "output" } else { "input" })]
    UnknownParam {
        /// Path as written.
        path: String,
        /// Name of the unit or group.
        template: String,
        /// True if an output was looked up.
        output: bool,
        /// Existing names.
        known: Vec<String>,
    },
    /// Type mismatch.
    #[error("cannot connect {from} ({found}) to {to} ({expected})")]
    Type {
        /// Source of the value.
        from: String,
        /// Type of the source.
        found: Type,
        /// Target.
        to: String,
        /// Type of the target.
        expected: Type,
    },
    /// A connection to a parameter that forbids connections.
    #[error("cannot connect to {to} because it has metadata allowconnect=0")]
    NotConnectable {
        /// Parameter.
        to: String,
    },
    /// A cycle of connections.
    #[error("cyclic connection: {}", ends(chain))]
    Cycle {
        /// Nodes of the cycle, the first repeated at the end.
        chain: Vec<String>,
    },
    /// A group that contains itself.
    #[error("group contains itself: {}", ends(chain))]
    RecursiveGroup {
        /// Chain of groups, the first repeated at the end.
        chain: Vec<String>,
    },
    /// A group whose linked code would be too large.
    #[error("group `{group}` has {count} {what} in total, but at most {limit} are linked")]
    TooLarge {
        /// Name of the group.
        group: String,
        /// Counted quantity.
        what: &'static str,
        /// Count.
        count: u64,
        /// Limit.
        limit: u64,
    },
    /// Groups nested too deeply.
    #[error("group `{group}` has groups in groups more than {limit} levels deep")]
    TooDeep {
        /// Name of the group.
        group: String,
        /// Maximum number of levels.
        limit: u64,
    },
    /// `{ … }` with the wrong number of elements for a structure.
    #[error("the structure has {expected} fields, but {found} values are given")]
    FieldCount {
        /// Number of fields.
        expected: usize,
        /// Number of values.
        found: usize,
    },
    /// A text that is not among the options of an input.
    #[error("`{input}` has no option \"{found}\"")]
    UnknownChoice {
        /// Name of the input.
        input: String,
        /// The text.
        found: String,
        /// The options.
        known: Vec<String>,
    },
    /// An alias of several inputs.
    #[error("`{alias}` is an alias of several inputs of `{template}`: {}", names(params))]
    AmbiguousAlias {
        /// Alias as written.
        alias: String,
        /// Name of the unit or group.
        template: String,
        /// Names of the inputs.
        params: Vec<String>,
    },
    /// An input, or a part of it, that is set under two names.
    #[error("`{input}` is given twice, as `{first}` and as `{second}`")]
    SetTwice {
        /// The input.
        input: String,
        /// The first name.
        first: String,
        /// The second name.
        second: String,
    },
    /// A kind of shader that a group cannot contain.
    #[error("`{unit}` is a {} shader, not {usage}", kind.name())]
    WrongKind {
        /// Name of the unit.
        unit: String,
        /// Its kind.
        kind: UnitKind,
        /// Use of the group.
        usage: GroupUse,
    },
    /// A value of another type than stated.
    #[error("the value of `{input}` is not of the type {ty} that it is given with")]
    InvalidValue {
        /// Name of the input.
        input: String,
        /// Type of the value.
        ty: Type,
    },
    /// A required input without a value.
    #[error("input `{input}` of `{template}` needs a value")]
    MissingInput {
        /// Name of the input.
        input: String,
        /// Name of the unit or group.
        template: String,
    },
}

fn names(list: &[String]) -> String {
    let list: Vec<String> = list.iter().map(|name| format!("`{name}`")).collect();
    list.join(", ")
}

/// Formats the names of a chain with arrows between them. A long chain is shortened in the middle.
fn ends(chain: &[String]) -> String {
    const SHOWN: usize = 6;
    if chain.len() <= 2 * SHOWN {
        return chain.join(" → ");
    }
    let (head, tail) = (&chain[..SHOWN], &chain[chain.len() - SHOWN..]);
    let between = chain.len() - 2 * SHOWN;
    format!("{} → … ({between} more) … → {}", head.join(" → "), tail.join(" → "))
}

impl GraphError {
    /// Returns the names of the declarations that an error is about.
    pub(super) fn subjects(&self) -> Vec<&str> {
        match self {
            GraphError::UnknownNode { node: name, .. } | GraphError::UnknownTemplate { name, .. } => {
                vec![name]
            }
            GraphError::UnknownParam { path, template, .. } => {
                path.split(['.', '[']).chain([template.as_str()]).collect()
            }
            GraphError::MissingInput { input, template } => vec![input, template],
            _ => vec![],
        }
    }

    /// Returns a known name similar to the wrong one.
    pub fn hint(&self) -> Option<String> {
        let (wrong, known) = match self {
            GraphError::UnknownNode { node, known } => (node.as_str(), known),
            GraphError::UnknownTemplate { name, known } => (name.as_str(), known),
            GraphError::UnknownParam { path, known, .. } => (path.rsplit('.').next().unwrap_or(path), known),
            GraphError::WrongKind { unit, kind, .. } => return kind_hint(unit, *kind),
            GraphError::UnknownChoice { found, known, .. } => return Some(choice_hint(found, known)),
            GraphError::AmbiguousAlias { params, .. } => {
                return Some(format!("name the input itself: {}", params.join(" or ")));
            }
            GraphError::SetTwice { .. } => return Some("leave one of them out".to_owned()),
            _ => return None,
        };
        let name = nearest(wrong, known.iter().map(String::as_str))?;
        Some(format!("did you mean `{name}`?"))
    }
}

/// Suggests the nearest option, or lists all options.
fn choice_hint(found: &str, known: &[String]) -> String {
    match nearest(found, known.iter().map(String::as_str)) {
        Some(name) => format!("did you mean \"{name}\"?"),
        None => format!("its options are {}", known.join(", ")),
    }
}

/// Describes the use of a kind of shader.
fn kind_hint(unit: &str, kind: UnitKind) -> Option<String> {
    match kind {
        UnitKind::Shader | UnitKind::Surface => None,
        UnitKind::Displacement => Some(format!(
            "it moves surfaces: `material NAME {{ surface = matte(); displacement = {unit}(); }}`"
        )),
        UnitKind::Volume => Some(format!(
            "it fills bodies: `material NAME {{ surface = glass(); interior = {unit}(); }}`"
        )),
        UnitKind::Background => Some(format!(
            "it lights an environment: `light sky : environment {{ shader = {unit}(); }}`"
        )),
    }
}

impl From<GraphError> for Diagnostic {
    fn from(error: GraphError) -> Diagnostic {
        let diagnostic = Diagnostic::error(error.to_string());
        match error.hint() {
            Some(hint) => diagnostic.hint(hint),
            None => diagnostic,
        }
    }
}
