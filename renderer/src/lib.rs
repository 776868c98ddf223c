//! Kiln's renderer: loads a scene, compiles its materials from shader source to machine code, and renders an image by
//! path tracing.
//!
//! ```
//! use std::path::Path;
//! use std::sync::atomic::AtomicBool;
//! use renderer::render::{RenderSettings, Silent, render};
//! use renderer::scene::{build::build, load::{LoadOptions, load}};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/cornell_box.kiln");
//! let (desc, _warnings) = load(&path, &LoadOptions::default())?;
//! let built = build(&desc, None, 0)?;
//! let settings = RenderSettings {
//!     samples: 0..4,
//!     ..RenderSettings::new(&desc, &built)
//! };
//! let rendered = render(&built.scene, &settings, &Silent, &AtomicBool::new(false))?;
//! let image = rendered.state.film.develop();
//! let wall = image.rgb(10, 128); // column, row from the top: the red wall
//! assert!(wall.r > 3.0 * wall.g);
//! # Ok(())
//! # }
//! ```
//!
//! The data flow, one module for each step:
//!
//! 1. [`scene`] reads a file into a description and builds a `Scene` from it: shapes, materials, lights, acceleration
//!    structure.
//! 2. [`render`] divides the film into tiles; each thread samples the pixels of a tile: [`sampler`] numbers, then
//!    a ray of the [`camera`].
//! 3. [`integrator`] estimates the radiance along that ray: it finds hits through [`accel`], samples lights and BSDF at
//!    each, and combines both by multiple importance sampling.
//! 4. [`material`] shades a hit: globals → shader instance → closure tree → [`bsdf`] lobes, emission and transparency.
//! 5. [`light`] selects lights and samples directions towards them.
//! 6. [`film`] sums the samples exactly and develops the [`image`].
//!
//! [`bake`] uses the same integrators to compute the light that arrives at surfaces, for real-time engines.
//!
//! Conventions, kept everywhere: linear Rec.709 radiance [W·sr⁻¹·m⁻²], metres, right-handed with y up, radians in code
//! and degrees in files. Directions leave the surface: `wo` towards the viewer, `wi` towards the light.
//!
//! Most modules are re-exports of smaller crates (`renderer-base` to `renderer-bake`); see the crate's `README.md`.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod command;

pub use command::session;
pub use renderer_bake as bake;
pub use renderer_base::{color, files, math, memory, sampler, sampling, sky, spectrum};
pub use renderer_cli as cli;
pub use renderer_denoise as denoise;
pub use renderer_geometry::{self as geometry, accel, camera, ply};
pub use renderer_grid as grid;
pub use renderer_image::{self as image, compare, film, texture};
pub use renderer_pictures::{layers, part};
pub use renderer_transport::{bsdf, cloud, integrator, interior, light, material, medium, render};

/// Passes of pictures: expressions, and their inputs from a scene.
pub mod passes {
    pub use renderer_passes::*;
    pub use renderer_transport::passes::*;
}

/// Scenes: description, loading, import of other formats, and the built scene.
pub mod scene {
    pub use renderer_import as import;
    pub use renderer_import::export;
    pub use renderer_load as load;
    pub use renderer_scene as desc;
    pub use renderer_transport::scene::*;
}
