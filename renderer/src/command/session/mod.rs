//! Kiln inside of another program: scenes, pictures, bakes and shaders with the options of the command line, in memory.
//!
//! The Python package uses it. A picture of a [`Scene`] has the bytes of `kiln render` with equal options. Nothing is
//! printed and no signal is caught: warnings are part of results, and a [`Stop`] ends work.
//!
//! ```
//! use renderer::session::{RenderRequest, Scene, SceneRequest, StageArgs, Stop};
//!
//! # fn main() -> Result<(), renderer::command::Failure> {
//! let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenes/cornell_box.kiln");
//! let scene = SceneRequest { path: path.into(), ..SceneRequest::default() };
//! let scene = Scene::open(scene, StageArgs::default())?;
//! let picture = RenderRequest {
//!     spp: Some(2),
//!     size: Some((32, 32)),
//!     aov: vec!["albedo".to_owned()],
//!     ..RenderRequest::default()
//! };
//! let picture = scene.render(&picture, &renderer::render::Silent, &Stop::default())?;
//! assert_eq!(picture.layers(), ["color", "albedo"]);
//! # Ok(())
//! # }
//! ```

mod bake;
mod picture;
mod scene;
mod stop;

pub use bake::bake;
pub use picture::Picture;
pub use renderer_bake_files::BakeStatistics;
pub use renderer_inputs::bake_request::{BakeRequest, INCLUDES, ORDERS, SIDES};
pub use renderer_inputs::common_args::{ImportArgs, SourceArgs, parse_define};
pub use renderer_inputs::names::{named, variant};
pub use renderer_inputs::render_request::{DenoiseQuality, LightGroups, Quality, RenderRequest};
pub use renderer_inputs::scene_request::{BUILD_QUALITIES, SceneRequest};
pub use renderer_inputs::shade_request::ShadeRequest;
pub use renderer_inputs::shade_request::steps::{Setup, Step};
pub use renderer_inputs::stage_args::{On, StageArgs, parse_param};
pub use renderer_shade::{Evaluated, Instance, OutputInfo, PointInput, Points, Unit};
pub use scene::Scene;
pub use stop::Stop;

use std::sync::Arc;

use shading::Preprocessor;

use renderer_info::Shipped;
use renderer_transport::material::Host;
use renderer_transport::scene::build::shading_system;

/// The units and groups that ship with Kiln, as JSON: name, category and help of each.
pub fn shipped() -> String {
    let system = shading_system(Arc::new(Host::new(vec![])), Preprocessor::default());
    Shipped::list(&system).json().to_string()
}
