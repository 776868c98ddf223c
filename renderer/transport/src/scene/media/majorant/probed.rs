//! Probes of the cells of a majorant grid, and bounds of their rates.

use glam::{UVec3, Vec3};

use super::field::MediumField;
use super::grid::SPLIT_LOG2;
use super::space::MediumSpace;
use renderer_base::math::Bounds;
use renderer_base::sampler::mix;

/// Margin of a cell's box, relative to its size, for rays that have left the cell by rounding.
const CELL_MARGIN: f32 = 1e-3;

/// A cell with the results of its probes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProbedCell {
    pub(super) level: u32,
    /// Position in the grid of cells of its level.
    pub(super) at: UVec3,
    /// Index of its first child; 0 without children.
    pub(super) child: u32,
    /// Largest rate in the cell [1/m].
    pub(super) max_rate: f32,
    pub(super) sum: f32,
    pub(super) probes: u32,
    /// Number of probes with density.
    pub(super) hits: u32,
    /// Bound on the rate [1/m]; infinite if there is none.
    pub(super) limit: f32,
}

/// Cells to probe.
pub(super) struct CellBlock<I> {
    pub(super) level: u32,
    /// Positions in the grid of cells of the level.
    pub(super) at: I,
    /// Number of probes of a cell.
    pub(super) probes: usize,
    /// Bound on the rates of all cells.
    pub(super) limit: f32,
    /// True if bounds of each cell are evaluated.
    pub(super) is_evaluated: bool,
}

/// Results of the probes of a block of cells.
pub(super) struct ProbedBlock {
    pub(super) cells: Vec<ProbedCell>,
    pub(super) is_faulty: bool,
    /// Number of statements that bounds evaluated.
    pub(super) statements: usize,
}

impl ProbedCell {
    fn add(&mut self, rate: f32) {
        self.max_rate = self.max_rate.max(rate);
        self.sum += rate;
        self.probes += 1;
        self.hits += u32::from(rate > 0.0);
    }
}

/// A medium, and the cells of its grid.
#[derive(Clone, Copy)]
pub(super) struct GridMedium<'a, F> {
    pub(super) space: &'a MediumSpace,
    pub(super) field: &'a F,
    /// Size of a cell of the uniform grid.
    pub(super) size: Vec3,
}

impl<F: MediumField> GridMedium<'_, F> {
    /// Size of the cells of a level.
    pub(super) fn size_of(&self, level: u32) -> Vec3 {
        self.size / (1 << (SPLIT_LOG2 * level)) as f32
    }

    /// Probes cells of a level, and evaluates bounds of their rates.
    pub(super) fn probe(
        &self,
        cells: CellBlock<impl Iterator<Item = UVec3>>,
        context: &mut F::Context,
    ) -> ProbedBlock {
        let mut block = ProbedBlock { cells: vec![], is_faulty: false, statements: 0 };
        for at in cells.at {
            let mut cell = ProbedCell {
                level: cells.level,
                at,
                limit: cells.limit,
                ..ProbedCell::default()
            };
            if cells.is_evaluated {
                block.statements += self.limit(&mut cell);
            }
            for index in 0..cells.probes {
                let found = self.field.probe(self.point(&cell, index as u64, cells.probes), context);
                block.is_faulty |= found.is_faulty;
                cell.add(found.rate);
            }
            block.cells.push(cell);
        }
        block
    }

    /// Evaluates the bound on the rate of a cell; returns the number of statements.
    fn limit(&self, cell: &mut ProbedCell) -> usize {
        let size = self.size_of(cell.level);
        let corner = self.space.bounds.min + cell.at.as_vec3() * size;
        let margin = size * CELL_MARGIN;
        let Some(found) = self.field.bounds(Bounds { min: corner - margin, max: corner + size + margin })
        else {
            return 0;
        };
        cell.limit = cell.limit.min(self.space.rate(found.extinction, found.may_emit));
        found.statements as usize
    }

    /// A probe point of a cell.
    fn point(&self, cell: &ProbedCell, index: u64, probes: usize) -> Vec3 {
        let ProbedCell { level, at, .. } = *cell;
        let seed = [at.x, at.y, at.z].into_iter().fold(u64::from(level), |seed, x| {
            mix(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(x))
        });
        // Fewer than eight probes use opposite octants.
        let octant = if probes < 8 { [0, 7, 2, 5][index as usize % 4] } else { index };
        let local = unit_point(mix(seed ^ index), octant);
        self.space.bounds.min + (at.as_vec3() + local) * self.size_of(level)
    }
}

/// Random point of an octant of the unit cube.
fn unit_point(bits: u64, octant: u64) -> Vec3 {
    let part = |shift: u64| (bits >> (16 * shift) & 0xffff) as f32 / 65536.0;
    let half = |axis: u64| (octant >> axis & 1) as f32;
    Vec3::new(half(0) + part(0), half(1) + part(1), half(2) + part(2)) * 0.5
}
