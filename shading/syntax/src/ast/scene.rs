//! AST of groups and of scene declarations.

use super::{Argument, Expr, Metadata, Name, Param};
use crate::source::Span;

/// A group: instances of units and what its outputs are.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its name.
    pub name: Name,
    /// What is said of it.
    pub metadata: Vec<Metadata>,
    /// What it exposes.
    pub params: Vec<Param>,
    /// Its instances and assignments; their order means nothing.
    pub body: Vec<GroupStmt>,
    /// All of it.
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
    /// What it is an instance of.
    pub unit: Name,
    /// Its name.
    pub name: Name,
    /// What its parameters are given. An argument without a name is a mistake that the group's builder reports.
    pub args: Vec<Argument>,
    /// The globals as it sees them.
    pub overrides: Vec<GroupAssign>,
    /// All of it.
    pub span: Span,
}

/// `target = value;`
#[derive(Clone, Debug, PartialEq)]
pub struct GroupAssign {
    /// What is given a value.
    pub target: Path,
    /// The value.
    pub value: Expr,
    /// All of it.
    pub span: Span,
}

/// Names joined by dots; each may be a quoted string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// The names; a quoted one without its quotes.
    pub parts: Vec<PathPart>,
    /// All of it.
    pub span: Span,
}

/// A name of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPart {
    /// The word or the text of the string.
    pub text: String,
    /// Whether it was quoted.
    pub quoted: bool,
    /// Its place.
    pub span: Span,
}

impl Path {
    /// The names joined by dots.
    pub fn joined(&self) -> String {
        let parts: Vec<&str> = self.parts.iter().map(|p| p.text.as_str()).collect();
        parts.join(".")
    }
}

/// A declaration of a scene file:
/// `keyword target : kind = value { key = value; … } as alias;` where all but the keyword may be missing.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// `camera`, `import`, `assign` …
    pub keyword: Name,
    /// What it declares or is about: `main`, `"shaderball.glb"`, `ball."Body"`.
    pub target: Option<Path>,
    /// After the colon: `perspective`.
    pub kind: Option<Name>,
    /// After `=`.
    pub value: Option<Expr>,
    /// Between braces.
    pub body: Option<Vec<Entry>>,
    /// After `as`.
    pub alias: Option<Name>,
    /// All of it.
    pub span: Span,
}

/// `key = value;` or `key : kind { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: Path,
    /// The value.
    pub value: EntryValue,
    /// All of it.
    pub span: Span,
}

/// The value of an [`Entry`].
#[derive(Clone, Debug, PartialEq)]
pub enum EntryValue {
    /// A number, string, tuple, list, name, path or call.
    Expr(Expr),
    /// A nested block.
    Block {
        /// After the colon.
        kind: Option<Name>,
        /// Between the braces.
        entries: Vec<Entry>,
    },
}
