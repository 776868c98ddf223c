//! Kiln's renderer: a scene file goes in, its materials are compiled from shader source to machine code, a path
//! tracer turns their closure trees into light, a picture comes out.
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
//! let image = rendered.film.develop();
//! let wall = image.rgb(10, 128); // column, row from the top: the red wall
//! assert!(wall.r > 3.0 * wall.g);
//! # Ok(())
//! # }
//! ```
//!
//! The way of the data, one module a step:
//!
//! 1. [`scene`] reads a file into a description and freezes it into a `Scene`.
//! 2. [`render`] cuts the film into tiles and hands each pixel sample to
//! 3. [`integrator`], which traces rays through [`accel`], asks
//! 4. [`material`] for the [`bsdf`] of a hit (globals → shader instance → closure tree → lobes), and gathers light from
//! 5. [`light`].
//! 6. [`film`] sums the samples exactly and writes the picture.
//!
//! [`bake`] asks the same integrators for the light that arrives at surfaces, and keeps it for engines.
//!
//! Conventions, kept everywhere: linear Rec.709 radiance [W·sr⁻¹·m⁻²], metres, right-handed with y up, radians in code
//! and degrees in files. Directions leave the surface: `wo` towards the viewer, `wi` towards the light.
//!
//! The README lists the layers of these modules: each imports only from those below its own.

#![deny(unsafe_code, missing_docs)]
// Units stand in brackets: `[m]`.
#![allow(rustdoc::broken_intra_doc_links, reason = "units stand in brackets")]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

pub mod accel;
pub mod bake;
pub mod bsdf;
pub mod camera;
pub mod cli;
pub mod color;
pub mod command;
pub mod compare;
pub mod files;
pub mod film;
pub mod geometry;
pub mod image;
pub mod integrator;
pub mod light;
pub mod material;
pub mod math;
pub mod memory;
pub mod part;
pub mod render;
pub mod sampler;
pub mod sampling;
pub mod scene;
pub mod sky;
pub mod spectrum;
pub mod texture;
