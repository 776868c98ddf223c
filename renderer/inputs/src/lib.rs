//! Shaders and scenes that the command line names: lookup, options, loading, and scenes that show one shader.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod bake_request;
pub mod checking;
pub mod common_args;
pub mod frame_time;
pub mod metadata;
pub mod named_color;
pub mod names;
pub mod render_request;
pub mod scene_options;
pub mod scene_request;
pub mod shade_request;
pub mod shader_file;
pub mod stage;
pub mod stage_args;
