//! Shader groups: units are composed into groups, a group is itself a unit, and a group is linked into one function of
//! HIR.
//!
//! - [`ShaderUnitTemplate`]: a checked unit.
//! - [`ShaderGroupTemplate`]: named nodes (units or groups), the sources of their inputs, and the inputs and outputs
//!   that the group exposes.
//! - [`link()`]: a template, some of its outputs and values for its inputs → one [`crate::hir::Unit`] without inputs.
//!
//! A group may refer to a unit or group that is declared later or elsewhere: names are resolved when it is linked, so
//! an edit of an inner group affects all users. Cycles and type errors are diagnostics that name both ends.

mod alias;
mod binding;
mod error;
mod group;
mod input;
pub mod inspect;
mod interface;
mod lazy;
mod link;
mod literal;
mod order;
mod param;
mod path;
mod size;
pub mod source;
mod splice;
mod template;
mod unit;

pub use crate::hir::UNIFORM_OBJECT;
pub use binding::{Binding, Value};
pub use error::GraphError;
pub use link::{LinkedUnit, check_all, link};
pub use param::ParamInfo;
pub use path::{Accessor, Path};
pub use size::instances;
pub use template::{
    Connection, GroupInput, GroupOutput, GroupUse, Node, ShaderGroupTemplate, Template, TemplateRef,
    Templates,
};
pub use unit::{Adaptive, ShaderUnitTemplate};
