//! Templates: what can be put into a group.

use std::sync::Arc;

use super::{ParamInfo, ShaderGroupTemplate, interface};
use crate::diagnostic::Diagnostics;
use crate::hir;
use crate::source::SourceMap;

/// A unit: parsed, checked and lowered once, shared by all that use it.
#[derive(Clone, Debug)]
pub struct ShaderUnitTemplate {
    /// The checked unit.
    pub hir: hir::Unit,
    /// The sources that its spans point into.
    pub sources: Arc<SourceMap>,
}

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

    /// Its parameters, inputs and outputs; `None` for a group that shows an input or output of a template given by name,
    /// whose type is known when it is linked only.
    pub fn params(&self) -> Option<Vec<ParamInfo>> {
        interface::params(self)
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
