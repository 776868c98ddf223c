//! Division of patches into cells, whose sides take few triangles.
//!
//! The number of triangles along a side depends on the side alone, and a side that one cell splits is split for its
//! neighbour too. Adjacent cells therefore have the same points on their common side, and the surface has no cracks.
// As DiagSplit: Fisher et al. 2009, "DiagSplit: Parallel, Crack-Free, Adaptive Tessellation for Micropolygon Rendering".

use glam::Vec3;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::TessellationError;
use crate::line::{EDGE, Line, SIDE, Segment};
use crate::patch::{Cell, Location, Patches, Side};
use renderer_base::memory;

/// Lengths of the edges of triangles.
#[derive(Clone, Copy)]
pub enum Dicing<'a> {
    /// Each edge of a polygon is divided into 2^level parts.
    Level(u32),
    /// The number of edges between two points of the surface, in object space.
    Edges(&'a (dyn Fn(Vec3, Vec3) -> f32 + Sync)),
}

/// Maximum number of triangles along a side of a cell.
const MAX_EDGES: u32 = 16;

/// Memory of a triangle, with its part of the acceleration structure [bytes].
const TRIANGLE_BYTES: f64 = 150.0;

/// Division of a surface: its triangles, but for their positions.
#[derive(Debug, Default)]
pub struct Cells {
    pub(crate) list: Vec<Cell>,
    /// Number of edges along each side of a cell.
    edges: FxHashMap<Segment, u32>,
    /// Sides that are split.
    split: FxHashSet<Segment>,
}

impl Cells {
    /// Divides patches; `position` evaluates the surface.
    ///
    /// # Errors
    /// If the triangles do not fit into memory.
    pub(crate) fn new(
        patches: &Patches<'_>,
        dicing: Dicing<'_>,
        position: impl Fn(Location) -> Vec3 + Sync,
    ) -> Result<Cells, TessellationError> {
        let mut cells = Cells { split: patches.halved_edges().collect(), ..Cells::default() };
        let whole = |patch| Cell { patch, x: 0, y: 0, size: SIDE };
        let mut active: Vec<Cell> = (0..patches.list.len() as u32).map(whole).collect();
        let mut triangles = 0.0;
        while !active.is_empty() {
            cells.measure(patches, &active, dicing, &position);
            let mut parts = vec![];
            let mut coming = 0.0;
            for cell in active {
                let edges = cells.edges_of(patches, cell);
                let [bottom, right, top, left] = edges.map(f64::from);
                if edges.into_iter().all(|edges| edges <= MAX_EDGES) || cell.size == 1 {
                    triangles += 2.0 * bottom.max(top) * left.max(right);
                    cells.list.push(cell);
                    continue;
                }
                coming += 2.0 * bottom.min(top) * left.min(right);
                cells.split.extend(Side::ALL.map(|side| patches.segment(cell, side).0));
                parts.extend(quarters(cell));
            }
            refuse_too_many(triangles + coming)?;
            active = parts;
        }
        Ok(cells)
    }

    /// Determines the number of edges along the sides of cells.
    fn measure(
        &mut self,
        patches: &Patches<'_>,
        cells: &[Cell],
        dicing: Dicing<'_>,
        position: &(impl Fn(Location) -> Vec3 + Sync),
    ) {
        // A side is measured on the patch of the first cell.
        let mut new = vec![];
        for &cell in cells {
            for side in Side::ALL {
                let (segment, is_reversed) = patches.segment(cell, side);
                if let std::collections::hash_map::Entry::Vacant(entry) = self.edges.entry(segment) {
                    entry.insert(0);
                    new.push((segment, is_reversed, cell, side));
                }
            }
        }
        let count = |&(segment, is_reversed, cell, side): &(Segment, bool, Cell, Side)| {
            let edges = match dicing {
                Dicing::Level(level) => {
                    let length = f64::from(segment.end - segment.start);
                    let is_whole = patches.list[cell.patch as usize].is_whole;
                    let edge = match segment.line {
                        Line::Horizontal(..) | Line::Vertical(..) if is_whole => SIDE,
                        _ => EDGE,
                    };
                    length / f64::from(edge) * (1u64 << level.min(32)) as f64
                }
                Dicing::Edges(between) => {
                    let at = |along: f32| {
                        let along = if is_reversed { 1.0 - along } else { along };
                        position(location(cell, side, along))
                    };
                    let points = [0.0, 0.5, 1.0].map(at);
                    f64::from(between(points[0], points[1])) + f64::from(between(points[1], points[2]))
                }
            };
            (segment, (edges - 1e-3).ceil().clamp(1.0, f64::from(u32::MAX)) as u32)
        };
        let counted: Vec<(Segment, u32)> = new.par_iter().map(count).collect();
        self.edges.extend(counted);
    }

    /// Number of edges along the sides of a cell, if neighbours do not split them.
    pub(crate) fn edges_of(&self, patches: &Patches<'_>, cell: Cell) -> [u32; 4] {
        Side::ALL.map(|side| self.edges_along(patches.segment(cell, side).0))
    }

    /// Number of edges along a segment that is not split.
    pub(crate) fn edges_along(&self, segment: Segment) -> u32 {
        self.edges.get(&segment).copied().unwrap_or(1)
    }

    /// Calls `visit` for the parts of a segment that are not split, in the segment's direction.
    pub(crate) fn parts(&self, segment: Segment, visit: &mut impl FnMut(Segment)) {
        if self.split.contains(&segment) {
            segment.halves().into_iter().for_each(|half| self.parts(half, visit));
        } else {
            visit(segment);
        }
    }
}

/// Location on the side of a cell; `along` is from 0 to 1.
pub(crate) fn location(cell: Cell, side: Side, along: f32) -> Location {
    let scaled = |x: u32| x as f32 / SIDE as f32;
    let size = scaled(cell.size);
    Location {
        patch: cell.patch,
        st: side.at([scaled(cell.x), scaled(cell.y)], size, along * size),
    }
}

fn quarters(cell: Cell) -> [Cell; 4] {
    let size = cell.size / 2;
    [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| Cell {
        x: cell.x + x * size,
        y: cell.y + y * size,
        size,
        ..cell
    })
}

/// Refuses more triangles than indices or memory allow.
pub(crate) fn refuse_too_many(triangles: f64) -> Result<(), TessellationError> {
    if triangles >= f64::from(u32::MAX) / 2.0 {
        return Err(TessellationError::TooMany { triangles });
    }
    let bytes = (triangles * TRIANGLE_BYTES) as u64;
    Ok(memory::check(format!("{triangles:.2e} triangles"), bytes)?)
}
