//! AST of groups and of scene declarations.

use super::{Argument, Expr, Metadata, Name, Param};
use crate::source::Span;

/// A shader group: instances of units, and assignments to its outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Name.
    pub name: Name,
    /// Metadata.
    pub metadata: Vec<Metadata>,
    /// Exposed parameters.
    pub params: Vec<Param>,
    /// Instances and assignments; their order has no meaning.
    pub body: Vec<GroupStmt>,
    /// Span of the whole group.
    pub span: Span,
}

/// A statement of a group.
#[derive(Clone, Debug, PartialEq)]
pub enum GroupStmt {
    /// `unit name(arg = expr, …) with { P = expr; … };`
    Instance(Instance),
    /// `output = expr;`
    Assign(GroupAssign),
}

/// An instance of a unit or of another group.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Name of the unit or group.
    pub unit: Name,
    /// Name of the instance.
    pub name: Name,
    /// Arguments of its parameters. The group builder reports an argument without a name as an error.
    pub args: Vec<Argument>,
    /// Overrides of globals for this instance (`with { … }`).
    pub overrides: Vec<GroupAssign>,
    /// Span of the whole statement.
    pub span: Span,
}

/// `target = value;`
#[derive(Clone, Debug, PartialEq)]
pub struct GroupAssign {
    /// Target of the assignment.
    pub target: Path,
    /// Value.
    pub value: Expr,
    /// Span of the whole assignment.
    pub span: Span,
}

/// Names joined by dots; each may be quoted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// Names; quoted ones without their quotes.
    pub parts: Vec<PathPart>,
    /// Span of the whole path.
    pub span: Span,
}

/// A name of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPart {
    /// Identifier, or contents of the quoted string.
    pub text: String,
    /// True if it was quoted.
    pub quoted: bool,
    /// Source location.
    pub span: Span,
}

impl Path {
    /// Returns the names joined by dots.
    pub fn joined(&self) -> String {
        let parts: Vec<&str> = self.parts.iter().map(|p| p.text.as_str()).collect();
        parts.join(".")
    }
}

/// A declaration of a scene file: `keyword target : kind = value { key = value; … } as alias;`. All parts but the
/// keyword are optional.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// Keyword: `camera`, `import`, `assign` …
    pub keyword: Name,
    /// Name or path of the declared or referenced object: `main`, `"shaderball.glb"`, `ball."Body"`.
    pub target: Option<Path>,
    /// Kind, after the colon: `perspective`.
    pub kind: Option<Name>,
    /// Value, after `=`.
    pub value: Option<Expr>,
    /// Entries between the braces.
    pub body: Option<Vec<Entry>>,
    /// Alias, after `as`.
    pub alias: Option<Name>,
    /// Span of the whole declaration.
    pub span: Span,
}

/// `key = value;` or `key : kind { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Key.
    pub key: Path,
    /// Value.
    pub value: EntryValue,
    /// Span of the whole entry.
    pub span: Span,
}

/// The value of an [`Entry`].
#[derive(Clone, Debug, PartialEq)]
pub enum EntryValue {
    /// A number, string, tuple, list, name, path or call.
    Expr(Expr),
    /// A nested block.
    Block {
        /// Kind, after the colon.
        kind: Option<Name>,
        /// Entries between the braces.
        entries: Vec<Entry>,
    },
}
