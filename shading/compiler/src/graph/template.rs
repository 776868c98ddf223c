//! Templates as data: units, groups, nodes, connections.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Binding, Path, ShaderUnitTemplate};
use crate::builtins::Global;
use crate::hir::Metadata;
use crate::ty::Type;
use shading_syntax::ast;
use shading_syntax::diagnostic::Diagnostics;
use shading_syntax::source::Span;

/// A unit or a group.
#[derive(Clone, Debug)]
pub enum Template {
    /// A unit.
    Unit(Arc<ShaderUnitTemplate>),
    /// A group.
    Group(Arc<ShaderGroupTemplate>),
}

impl Template {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Template::Unit(unit) => &unit.hir.name,
            Template::Group(group) => &group.name,
        }
    }
}

impl From<&Arc<ShaderUnitTemplate>> for Template {
    fn from(unit: &Arc<ShaderUnitTemplate>) -> Template {
        Template::Unit(unit.clone())
    }
}

impl From<&Arc<ShaderGroupTemplate>> for Template {
    fn from(group: &Arc<ShaderGroupTemplate>) -> Template {
        Template::Group(group.clone())
    }
}

/// Where names of units and groups are looked up.
pub trait Templates {
    /// The template of a name; `None` where there is none.
    ///
    /// # Errors
    /// When its source has mistakes.
    fn find(&self, name: &str) -> Result<Option<Template>, Diagnostics>;
    /// All names, for hints.
    fn names(&self) -> Vec<String>;
}

/// What a node is an instance of.
#[derive(Clone, Debug)]
pub enum TemplateRef {
    /// A template at hand.
    Template(Template),
    /// The template of a name, looked up when the group is linked.
    Named(String),
}

impl From<&str> for TemplateRef {
    fn from(name: &str) -> TemplateRef {
        TemplateRef::Named(name.to_owned())
    }
}

impl<T> From<T> for TemplateRef
where
    Template: From<T>,
{
    fn from(template: T) -> TemplateRef {
        TemplateRef::Template(template.into())
    }
}

/// A binding with the input that it feeds.
#[derive(Clone, Debug)]
pub struct Connection {
    /// The input, or the part of it: `albedo`, `albedo[1]`, `s.field`. The head is the parameter.
    pub target: Path,
    /// What feeds it.
    pub binding: Binding,
    /// Whether an attribute of the geometry goes before a constant; without, as the parameter's metadata says.
    pub interpolated: Option<bool>,
    /// Where it is written, in the group's sources.
    pub span: Span,
}

/// An instance of a template in a group.
#[derive(Clone, Debug)]
pub struct Node {
    /// Instance name, unique in the group.
    pub name: String,
    /// What it is an instance of.
    pub template: TemplateRef,
    /// What feeds its inputs; inputs not listed keep their defaults.
    pub inputs: Vec<Connection>,
    /// Globals that it, and what it alone pulls, sees otherwise.
    pub overrides: Vec<(Global, Binding, Span)>,
    /// Where it is written.
    pub span: Span,
}

/// An input that a group shows.
#[derive(Clone, Debug)]
pub struct GroupInput {
    /// Its name.
    pub name: String,
    /// Its type; `None` for an exposed input, which has its target's.
    pub ty: Option<Type>,
    /// Its default; `None` for an exposed input, whose target keeps its own, and for a required one.
    pub default: Option<Binding>,
    /// What is said of it.
    pub metadata: Vec<Metadata>,
    /// Where it is written.
    pub span: Span,
}

/// An output that a group shows.
#[derive(Clone, Debug)]
pub struct GroupOutput {
    /// Its name.
    pub name: String,
    /// Its type; `None` for an exposed output, which has its source's.
    pub ty: Option<Type>,
    /// What gives it.
    pub binding: Binding,
    /// Whether it is shown though nobody asked for it: then it does not count as a connection.
    pub is_unasked: bool,
    /// What is said of it.
    pub metadata: Vec<Metadata>,
    /// Where it is written.
    pub span: Span,
}

/// A group: units and groups with connections, shown to the outside as one unit.
///
/// Built by a program with the methods here, or by [`crate::ShadingSystem`] from a `group` in source.
#[derive(Clone, Debug, Default)]
pub struct ShaderGroupTemplate {
    /// Its name.
    pub name: String,
    pub(super) nodes: Vec<Node>,
    /// The positions of the nodes by name.
    pub(super) positions: FxHashMap<String, usize>,
    /// Inputs shown.
    pub inputs: Vec<GroupInput>,
    /// Outputs shown.
    pub outputs: Vec<GroupOutput>,
    /// Whether inputs before which attributes of the geometry go count as connected.
    pub attributes_connect: bool,
    /// Whether its units share the globals, `Ci` among them, as the layers of OSL's groups do: what one assigns to a global
    /// is what those see that run later. Else each unit has its own.
    pub shares_globals: bool,
    /// Nodes that run even if nobody reads them. Without any, a group that shows no output runs all nodes that no other
    /// reads.
    pub entries: Vec<String>,
    /// What is said of it.
    pub metadata: Vec<Metadata>,
    /// The file that it is written in, which its spans and expressions belong to; `None` when made by a program.
    pub file: Option<Arc<ast::File>>,
    /// Where its name stands.
    pub span: Span,
}
