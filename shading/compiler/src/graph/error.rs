//! Errors of groups, with their messages.

use thiserror::Error;

use crate::ty::Type;
use shading_syntax::diagnostic::{Diagnostic, nearest};

/// A mistake in a group.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GraphError {
    /// The text is no path.
    #[error("`{text}` does not name a parameter (write `node.parameter`)")]
    NotAPath {
        /// The text.
        text: String,
    },
    /// Two nodes of a name.
    #[error("there already is an instance `{node}`")]
    DuplicateNode {
        /// The name.
        node: String,
    },
    /// Two outputs of a name.
    #[error("there already is an output `{output}`")]
    DuplicateOutput {
        /// The name.
        output: String,
    },
    /// No such node.
    #[error("unknown instance `{node}`")]
    UnknownNode {
        /// The name.
        node: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// No such unit or group.
    #[error("unknown unit or group `{name}`")]
    UnknownTemplate {
        /// The name.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// No such parameter.
    #[error("`{template}` has no {} `{path}`", if *.output { "output" } else { "input" })]
    UnknownParam {
        /// The path as written.
        path: String,
        /// The unit or group.
        template: String,
        /// Whether an output was looked for.
        output: bool,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A value does not fit.
    #[error("cannot connect {from} ({found}) to {to} ({expected})")]
    Type {
        /// The source.
        from: String,
        /// Its type.
        found: Type,
        /// The target.
        to: String,
        /// Its type.
        expected: Type,
    },
    /// A parameter to which nothing may be connected.
    #[error("cannot connect to {to} because it has metadata allowconnect=0")]
    NotConnectable {
        /// The parameter.
        to: String,
    },
    /// Nodes that feed each other.
    #[error("cyclic connection: {}", ends(chain))]
    Cycle {
        /// The nodes, the first repeated at the end.
        chain: Vec<String>,
    },
    /// Groups that contain each other.
    #[error("group contains itself: {}", ends(chain))]
    RecursiveGroup {
        /// The groups, the first repeated at the end.
        chain: Vec<String>,
    },
    /// A group that comes to too much code.
    #[error("group `{group}` comes to {count} {what}, but at most {limit} are linked")]
    TooLarge {
        /// The group.
        group: String,
        /// What it is made of.
        what: &'static str,
        /// How many of these.
        count: u64,
        /// The most.
        limit: u64,
    },
    /// A group with too many groups within one another.
    #[error("group `{group}` has groups in groups more than {limit} levels deep")]
    TooDeep {
        /// The group.
        group: String,
        /// The most levels.
        limit: u64,
    },
    /// An input without default that nothing feeds.
    #[error("input `{input}` of `{template}` needs a value")]
    MissingInput {
        /// The input.
        input: String,
        /// The unit or group.
        template: String,
    },
}

/// The names of a chain with arrows between, of a long one those of both ends.
fn ends(chain: &[String]) -> String {
    const SHOWN: usize = 6;
    if chain.len() <= 2 * SHOWN {
        return chain.join(" → ");
    }
    let (head, tail) = (&chain[..SHOWN], &chain[chain.len() - SHOWN..]);
    let between = chain.len() - 2 * SHOWN;
    format!(
        "{} → … ({between} more) … → {}",
        head.join(" → "),
        tail.join(" → ")
    )
}

impl GraphError {
    /// The name that was meant, when one is close.
    pub fn hint(&self) -> Option<String> {
        let (wrong, known) = match self {
            GraphError::UnknownNode { node, known } => (node.as_str(), known),
            GraphError::UnknownTemplate { name, known } => (name.as_str(), known),
            GraphError::UnknownParam { path, known, .. } => (path.rsplit('.').next().unwrap_or(path), known),
            _ => return None,
        };
        let name = nearest(wrong, known.iter().map(String::as_str))?;
        Some(format!("did you mean `{name}`?"))
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
