//! Embree 4 behind a safe interface; its unsafe code is only for calling C.
//!
//! - [`library`]: the shared library, found and opened at run time.
//! - [`bundle`]: the copy of it that the program carries.
//! - [`sys`]: its C interface.
//! - [`device`]: a device, with its errors collected.
//! - [`scene`]: `SceneBuilder` → `CommittedScene`: only a committed scene answers queries.
//! - [`instances`]: many instances of one scene as a single geometry.
//! - [`all_hits`]: queries for all hits of a ray, which [`hit_list`] collects.
//! - [`user_geometry`]: analytic surfaces, curves and points.

mod all_hits;
mod bundle;
mod device;
mod hit_list;
mod instance_probe;
mod instances;
mod library;
mod scene;
mod sys;
mod user_geometry;

pub use bundle::{Bundle, PackedFile, carried};
pub(super) use device::Device;
pub(super) use instance_probe::instance_field;
pub(super) use instances::InstanceArray;
pub(super) use scene::{CommittedScene, SceneBuilder};
pub(super) use user_geometry::UserSurface;
