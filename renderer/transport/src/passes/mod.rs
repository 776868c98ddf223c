//! Passes of a picture: light by path, values of the first surface, and coverage by identifiers, all from the one shading
//! call of each hit that makes the picture.
//!
//! [`PassPlan`] is what a film's passes need of a scene, frozen; a [`PassSink`] collects them for a sample. Without passes
//! an integrator's sink is a colour, whose further methods are empty: nothing is asked and nothing is paid.

mod event;
mod light_groups;
mod plan;
mod sink;
mod track;

pub use plan::{PassPlan, PlanError};
pub use sink::PassSink;
