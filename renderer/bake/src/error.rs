//! Errors of baking: nothing to bake, size limits, unusable checkpoints.

use std::path::PathBuf;

use thiserror::Error;

use super::limit::{MAX_PROBES, MAX_SIDE};
use renderer_base::memory::OutOfMemory;
use renderer_denoise::DenoiseError;
use renderer_transport::integrator::PrepareError;

/// Errors of baking.
#[derive(Debug, Error)]
pub enum BakeError {
    /// There are no shapes, or none with area.
    #[error("there is nothing to bake: the scene has no surfaces with area")]
    Nothing,
    /// Shapes have no usable lightmap coordinates and unwrapping is off.
    #[error("shapes have no texture coordinates for a lightmap, and --no-unwrap forbids unwrapping:{}", list(.shapes))]
    NoCoordinates {
        /// The shapes, each with the reason.
        shapes: Vec<String>,
    },
    /// The texture would be too large.
    #[error("{density} texels/m need a texture of about {needed} texels along a side, and the maximum is {most}; lower --texels-per-unit{}", if *.most < MAX_SIDE { " or raise --resolution" } else { ", or allow several pages with --max-size" })]
    TooLarge {
        /// Density [texels/m].
        density: f32,
        /// Approximate number of texels along a side.
        needed: f64,
        /// Maximum number of texels along a side.
        most: u32,
    },
    /// An object does not fit on a page.
    #[error(
        "`{name}` needs about {needed} texels along a side at {density} texels/m, and a page has {side}\n  hint: lower --texels-per-unit, raise --max-size, or cut the object into several: each is on one page"
    )]
    ObjectTooLarge {
        /// Its name.
        name: String,
        /// Density [texels/m].
        density: f32,
        /// Approximate number of texels along a side.
        needed: f64,
        /// Texels along a side of a page.
        side: u32,
    },
    /// Objects need more pages than allowed.
    #[error("{density} texels/m need more than {most} {} of {side} × {side} texels\n  hint: lower --texels-per-unit, or raise --pages or --max-size", if *.most == 1 { "page" } else { "pages" })]
    TooManyPages {
        /// Density [texels/m].
        density: f32,
        /// Texels along a side of a page.
        side: u32,
        /// Maximum number of pages.
        most: u32,
    },
    /// Not even the smallest charts fit.
    #[error(
        "the charts of the scene do not fit on {resolution} × {resolution} texels, however small; raise --resolution"
    )]
    NoRoom {
        /// Texels along a side.
        resolution: u32,
    },
    /// Too many probes.
    #[error("a grid with a spacing of {spacing} m has {count} probes, and the maximum is {most}; raise --probe-spacing", most = MAX_PROBES)]
    TooManyProbes {
        /// Distance between probes.
        spacing: f32,
        /// Number of probes.
        count: f64,
    },
    /// The checkpoint cannot be used.
    #[error("cannot use the checkpoint '{}': {reason}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A cage does not match its mesh.
    #[error(
        "`{cage}` is no cage of `{low}`: {reason}\n  hint: a cage is a copy of the mesh whose vertices are moved outward; export it with the same faces in the same order"
    )]
    Cage {
        /// Name of the cage.
        cage: String,
        /// Name of the mesh.
        low: String,
        /// The reason.
        reason: CageError,
    },
    /// Open Image Denoise fails.
    #[error(transparent)]
    Denoise(#[from] DenoiseError),
    /// The threads could not be started.
    #[error("cannot start threads: {reason}")]
    Threads {
        /// Error message of the operating system.
        reason: String,
    },
    /// The result does not fit into memory.
    #[error("{0}\n  hint: bake fewer of them")]
    Memory(#[from] OutOfMemory),
    /// The integrator cannot be prepared.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
}

/// Reason why a mesh is not a cage of another one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CageError {
    /// Different numbers of triangles.
    #[error("it has {cage} triangles where the mesh has {low}")]
    Count {
        /// Triangles of the mesh.
        low: usize,
        /// Triangles of the cage.
        cage: usize,
    },
    /// Adjacent triangles of the mesh are not adjacent in the cage.
    #[error(
        "its triangles are in another order, or connected differently: triangle {triangle} does not continue the previous ones"
    )]
    Order {
        /// The first triangle that differs.
        triangle: usize,
    },
}

fn list(lines: &[String]) -> String {
    lines.iter().map(|line| format!("\n  {line}")).collect()
}
