//! Light transport: the built scene, its BSDFs, materials and lights, the integrators, and rendering.
//!
//! 1. [`scene`] builds a [`Scene`](scene::Scene) from a description: shapes, acceleration structure, materials, lights.
//! 2. [`render`] divides the film into tiles; each thread samples the pixels of a tile.
//! 3. [`integrator`] estimates the radiance along a camera ray: it finds hits, samples lights and BSDF at each, and
//!    combines both by multiple importance sampling.
//! 4. [`material`] shades a hit: globals → shader instance → closure tree → [`bsdf`] lobes, emission and transparency.
//! 5. [`light`] selects lights and samples directions towards them.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// Units stand in brackets: `[m]`.
#![allow(rustdoc::broken_intra_doc_links, reason = "units stand in brackets")]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

pub mod bsdf;
pub mod cloud;
pub mod integrator;
pub mod interior;
pub mod light;
pub mod material;
pub mod medium;
pub mod passes;
pub mod radiance;
pub mod render;
pub mod scene;
