//! NanoVDB files, version 32: segments of grids, plain or compressed, or the raw memory of a grid.
//!
//! The layout follows from the public headers of NanoVDB (`PNanoVDB.h`, `io/IO.h`).

mod layout;
mod segment;
mod tree;

use super::bytes::Bytes;
use super::element::Element;
use super::error::GridFault;
use super::grid::{Border, Grid, GridClass, GridTransform};
use glam::DVec3;
use layout::{GridType, grid};
use renderer_base::files::Budget;
use segment::{Segment, unpack};
use tree::TreeReader;

pub(crate) use segment::is_nanovdb;

/// Contents of a file.
#[derive(Debug)]
pub(crate) struct NanoFile {
    grids: Vec<NanoGrid>,
}

/// A grid that is not decoded yet.
#[derive(Debug)]
pub(crate) struct NanoGrid {
    pub(crate) name: String,
    /// Type of its values and class; or the reason why it is not read.
    pub(crate) kind: Result<(Element, usize, GridClass), GridFault>,
    ty: Result<GridType, GridFault>,
    segment: Segment,
}

impl NanoFile {
    /// Reads the descriptions of all grids.
    pub(crate) fn open(data: &[u8]) -> Result<NanoFile, GridFault> {
        let found = segment::list(data)?;
        let grids = found.into_iter().map(|segment| {
            let ty = GridType::of(segment.ty);
            NanoGrid {
                name: segment.name.clone(),
                kind: (ty.clone()).map(|ty| (ty.element, ty.channels, layout::class(segment.class))),
                ty,
                segment,
            }
        });
        Ok(NanoFile { grids: grids.collect() })
    }

    /// The grids in the order of the file.
    pub(crate) fn grids(&self) -> &[NanoGrid] {
        &self.grids
    }

    /// Decodes a grid; `data` is the file.
    pub(crate) fn load(&self, data: &[u8], index: usize, budget: &Budget) -> Result<Grid, GridFault> {
        let NanoGrid { ty, segment, .. } = &self.grids[index];
        let ty = ty.clone()?;
        let memory = unpack(data, segment, budget)?;
        let bytes = Bytes::new(&memory, "a grid");
        let placement = placement(bytes)?;
        let reader = TreeReader::read(bytes.moved_to(grid::SIZE as u64), &ty, budget)?;
        Ok(Grid {
            name: segment.name.clone(),
            class: layout::class(segment.class),
            element: ty.element,
            not_finite: reader.builder.not_finite(),
            tree: reader.builder.finish(),
            activity: reader.activity,
            border: Border::Background,
            placement,
        })
    }
}

/// The transform of a grid.
fn placement(bytes: Bytes<'_>) -> Result<GridTransform, GridFault> {
    let mut matrix = bytes.moved_to(grid::MATRIX as u64);
    let mut rows = [[0.0; 3]; 3];
    for x in rows.as_flattened_mut() {
        *x = matrix.f64()?;
    }
    let mut vector = bytes.moved_to(grid::TRANSLATION as u64);
    let translation = DVec3::new(vector.f64()?, vector.f64()?, vector.f64()?);
    GridTransform::of_rows(rows, translation)
}
