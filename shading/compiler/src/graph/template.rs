//! Templates as data: units, groups, nodes, connections.

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Binding, Path, ShaderUnitTemplate};
use crate::builtins::Global;
use crate::hir::{Metadata, UnitKind};
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
    /// Name.
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

impl From<Arc<ShaderUnitTemplate>> for Template {
    fn from(unit: Arc<ShaderUnitTemplate>) -> Template {
        Template::Unit(unit)
    }
}

impl From<Arc<ShaderGroupTemplate>> for Template {
    fn from(group: Arc<ShaderGroupTemplate>) -> Template {
        Template::Group(group)
    }
}

/// Lookup of units and groups by name.
pub trait Templates {
    /// Returns the template of a name; `None` if there is none.
    ///
    /// # Errors
    /// If its source has errors.
    fn find(&self, name: &str) -> Result<Option<Template>, Diagnostics>;
    /// Returns the known names, for hints.
    fn names(&self) -> Vec<String>;
    /// Returns whether the declaration of a name has errors. An error about such a name is a consequence and not reported.
    fn is_wrong(&self, _name: &str) -> bool {
        false
    }
}

/// Reference of a node to its template.
#[derive(Clone, Debug)]
pub enum TemplateRef {
    /// A template.
    Template(Template),
    /// Name of a template that is looked up when the group is linked.
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

/// An input with its binding.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Input, or part of an input: `albedo`, `albedo[1]`, `s.field`. The head is the parameter.
    pub target: Path,
    /// Source of the value.
    pub binding: Binding,
    /// True if a geometry attribute takes precedence over a constant; `None` follows the parameter's metadata.
    pub interpolated: Option<bool>,
    /// True if it replaces other connections of the same input, or of parts of it.
    pub overrides: bool,
    /// Location in the group's sources.
    pub span: Span,
}

/// Use of a shader in a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupUse {
    /// The material of a surface.
    Surface,
    /// The light of an environment.
    Background,
    /// A medium.
    Volume,
    /// The rays of a camera.
    Camera,
    /// The displacement of a surface.
    Displacement,
}

impl GroupUse {
    /// Returns whether a group for this use can contain shaders of a kind.
    pub fn allows(self, kind: UnitKind) -> bool {
        match kind {
            UnitKind::Shader => true,
            UnitKind::Surface => !matches!(self, GroupUse::Camera | GroupUse::Displacement),
            UnitKind::Background => self == GroupUse::Background,
            UnitKind::Volume => self == GroupUse::Volume,
            UnitKind::Displacement => self == GroupUse::Displacement,
        }
    }
}

impl fmt::Display for GroupUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GroupUse::Surface => "a surface",
            GroupUse::Background => "an environment",
            GroupUse::Volume => "a medium",
            GroupUse::Camera => "a camera",
            GroupUse::Displacement => "a displacement",
        })
    }
}

/// An instance of a template in a group.
#[derive(Clone, Debug)]
pub struct Node {
    /// Instance name, unique in the group.
    pub name: String,
    /// Template.
    pub template: TemplateRef,
    /// Connections of its inputs; inputs not listed keep their defaults.
    pub inputs: Vec<Connection>,
    /// Globals overridden for the node, and for the nodes that only it depends on.
    pub overrides: Vec<(Global, Binding, Span)>,
    /// Source location.
    pub span: Span,
}

/// An input of a group.
#[derive(Clone, Debug)]
pub struct GroupInput {
    /// Name.
    pub name: String,
    /// Type; `None` for an exposed input, which has the type of its target; void for `any`, which has the type of the value.
    pub ty: Option<Type>,
    /// Default; `None` for an exposed input, whose target keeps its own, and for a required input.
    pub default: Option<Binding>,
    /// Location of the default, or of the name if there is none.
    pub default_span: Span,
    /// Metadata.
    pub metadata: Vec<Metadata>,
    /// Source location.
    pub span: Span,
}

/// An output of a group.
#[derive(Clone, Debug)]
pub struct GroupOutput {
    /// Name.
    pub name: String,
    /// Type; `None` for an exposed output, which has the type of its source.
    pub ty: Option<Type>,
    /// Source of the value.
    pub binding: Binding,
    /// Location of the expression of its value, or of its name if there is none.
    pub value_span: Span,
    /// True if the output is exposed but not requested, so that it does not count as a connection.
    pub is_unrequested: bool,
    /// Metadata.
    pub metadata: Vec<Metadata>,
    /// Source location.
    pub span: Span,
}

/// A group: units and groups with connections, used like one unit.
///
/// Built with the methods of this type, or by `shading::ShadingSystem` from a `group` in source.
#[derive(Clone, Debug, Default)]
pub struct ShaderGroupTemplate {
    /// Name.
    pub name: String,
    pub(super) nodes: Vec<Node>,
    /// Indices of the nodes by name.
    pub(super) positions: FxHashMap<String, usize>,
    /// Inputs.
    pub inputs: Vec<GroupInput>,
    /// Outputs.
    pub outputs: Vec<GroupOutput>,
    /// True if inputs with a geometry attribute count as connected.
    pub attributes_connect: bool,
    /// True if its units share globals, including `Ci`, as the layers of OSL's groups do: an assignment is visible to
    /// the units that run later. Otherwise each unit has its own copies.
    pub shares_globals: bool,
    /// Nodes that run even if their outputs are not read. If there are none, a group without outputs runs all nodes
    /// that no other node reads.
    pub entries: Vec<String>,
    /// Use in a scene; `None` for other groups. Whole numbers in scenes are floats for inputs of type `any`.
    pub usage: Option<GroupUse>,
    /// Metadata.
    pub metadata: Vec<Metadata>,
    /// File of the group's spans and expressions; `None` if it was built through the API.
    pub file: Option<Arc<ast::File>>,
    /// Location of its name.
    pub span: Span,
}
