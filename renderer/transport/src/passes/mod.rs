//! Passes of a picture: light by path, values of the first surface, and coverage by identifiers. All passes use the
//! shading results of the picture itself.
//!
//! [`PassPlan`] compiles a film's passes for a scene; [`PassSink`] collects the passes of a sample. Without passes, the
//! integrator's sink is a colour, whose further methods are empty and cost nothing.

mod event;
mod frame_motion;
mod light_groups;
mod plan;
mod sink;
mod track;
mod values;

pub use frame_motion::FrameMotion;
pub use plan::{PassPlan, PlanError};
pub use sink::PassSink;
