//! Adaptive refinement of a majorant grid: cells are subdivided where smaller cells save tentative collisions.

use glam::{IVec3, UVec3, Vec3};
use rayon::prelude::*;

use super::field::MediumField;
use super::grid::{CHILDREN, Cell, MajorantGrid, MediumFaults, SPLIT, SPLIT_LOG2};
use super::probed::{CellBlock, GridMedium, ProbedBlock, ProbedCell};
use super::search::{Landmarks, SearchPoints};
use super::space::{MediumProbe, MediumSpace};
use renderer_base::math::{cbrt, sqr};

/// Maximum number of probes of a medium in which they find density.
pub(super) const MAX_PROBES: usize = 1 << 17;

/// Maximum number of cells of the uniform grid along the longest side.
const MAX_CELLS: f32 = 12.0;

/// Maximum level of subdivision.
const MAX_LEVEL: u32 = 4;

/// Minimum number of probes of a cell of the uniform grid, and number of probes of a child.
const MIN_CELL_PROBES: usize = 8;
const CHILD_PROBES: usize = 4;

/// Divisors of the budget: probes of the uniform grid, and of the search at several scales.
const UNIFORM_DIVISOR: usize = 8;
const SEARCH_DIVISOR: usize = 16;

/// Numbers of further probes as long as none finds density.
const FURTHER_PROBES: [usize; 3] = [1 << 15, 1 << 17, 1 << 19];

/// Ratio of the majorant to the largest rate found.
const MARGIN: f32 = 1.25;

/// Minimum majorant of a cell relative to the largest one: density between the probes then causes noise, not bias.
const MIN_RELATIVE_MAJORANT: f32 = 1e-3;

/// Number of null collisions along a cell's diagonal above which the cell is subdivided; the second one is for cells in
/// which most probes are zero, whose neighbours may have density that no probe found.
const MIN_WASTE: f32 = 0.5;
const MIN_SPARSE_WASTE: f32 = 0.02;

/// Number of null collisions above which the priority grows no further: rays hardly reach such cells.
const MAX_WASTE: f32 = 8.0;

/// Number of probes that test the majorants.
const TEST_PROBES: usize = 1 << 13;

/// Number of statements that bounds evaluate, relative to the number of probes.
const STATEMENTS_PER_PROBE: usize = 4;

/// Ratio to the majorant of the probes up to which the bound of a cell is its majorant. In other cells, the shader has
/// much larger bounds than values, so that the null collisions would cost more than the variance of a low majorant.
const MAX_LOOSENESS: f32 = 1.5;

/// Ratio of a cell's bound to its probes up to which bounds of its children are evaluated.
const MAX_PARENT_LOOSENESS: f32 = 8.0;

/// A grid under construction.
struct Builder<'a, F> {
    medium: GridMedium<'a, F>,
    /// Number of cells of the uniform grid.
    count: UVec3,
    cells: Vec<ProbedCell>,
    /// Points with density that the search found, and their rates.
    found: Vec<(Vec3, f32)>,
    /// Number of probes, the search excluded except for its first round.
    probes: usize,
    /// Number of probes of the search.
    searched: usize,
    /// Number of cells whose bounds may still be evaluated.
    evaluations: usize,
    is_faulty: bool,
}

impl MajorantGrid {
    /// Builds the grid of a medium from about `budget` probes.
    pub(crate) fn new(
        space: &MediumSpace,
        budget: usize,
        landmarks: &Landmarks,
        field: &impl MediumField,
    ) -> MajorantGrid {
        let size = (space.bounds.max - space.bounds.min).max(Vec3::splat(f32::MIN_POSITIVE));
        let largest = cbrt((budget / (UNIFORM_DIVISOR * MIN_CELL_PROBES)) as f32).min(MAX_CELLS);
        let count = (size / size.max_element() * largest).ceil().max(Vec3::ONE).as_uvec3();
        let mut builder = Builder {
            medium: GridMedium { space, field, size: size / count.as_vec3() },
            count,
            cells: vec![],
            found: vec![],
            probes: 0,
            searched: 0,
            evaluations: 0,
            is_faulty: false,
        };
        builder.probe_uniform_grid(budget);
        builder.search(budget, landmarks);
        while builder.probes < budget && builder.refine(budget) {}
        builder.finish(budget)
    }
}

impl<F: MediumField> Builder<'_, F> {
    fn probe_uniform_grid(&mut self, budget: usize) {
        let count = self.count;
        let cells = count.element_product() as usize;
        let probes = (budget / UNIFORM_DIVISOR / cells).clamp(MIN_CELL_PROBES, 8 * MIN_CELL_PROBES);
        let blocks: Vec<ProbedBlock> = (0..count.z)
            .into_par_iter()
            .map_init(
                || self.medium.field.context(),
                |context, z| {
                    let at = (0..count.y).flat_map(|y| (0..count.x).map(move |x| UVec3::new(x, y, z)));
                    let cells = CellBlock {
                        level: 0,
                        at,
                        probes,
                        limit: f32::INFINITY,
                        is_evaluated: true,
                    };
                    self.medium.probe(cells, context)
                },
            )
            .collect();
        self.cells.reserve(cells);
        let mut statements = 0;
        for block in blocks {
            self.is_faulty |= block.is_faulty;
            self.probes += block.cells.len() * probes;
            self.cells.extend(block.cells);
            statements += block.statements;
        }
        if statements > 0 {
            self.evaluations = STATEMENTS_PER_PROBE * budget / statements.div_ceil(cells);
        }
    }

    /// Diagonal of the cells of a level [m].
    fn diagonal(&self, level: u32) -> f32 {
        self.medium.size_of(level).length() * self.medium.space.scale
    }

    /// Probes the medium at several scales, with more points as long as there is no density.
    fn search(&mut self, budget: usize, landmarks: &Landmarks) {
        let points = SearchPoints { space: self.medium.space, landmarks };
        for count in [budget / SEARCH_DIVISOR].into_iter().chain(FURTHER_PROBES) {
            let found: Vec<(Vec3, MediumProbe)> = (0..count)
                .into_par_iter()
                .with_min_len(256)
                .map_init(
                    || self.medium.field.context(),
                    |context, index| {
                        let p = points.at((self.searched + index) as u64)?;
                        let probe = self.medium.field.probe(p, context);
                        (probe.rate > 0.0 || probe.is_faulty).then_some((p, probe))
                    },
                )
                .flatten()
                .collect();
            self.searched += count;
            for (p, probe) in found {
                self.is_faulty |= probe.is_faulty;
                self.record(p, probe.rate);
            }
            if self.cells.iter().any(|cell| cell.max_rate > 0.0)
                || self.cells.iter().all(|cell| cell.limit.is_finite())
            {
                break;
            }
        }
    }

    /// Adds a rate at a point to the cells that contain it.
    fn record(&mut self, p: Vec3, rate: f32) {
        let local = ((p - self.medium.space.bounds.min) / self.medium.size).max(Vec3::ZERO);
        let at = local.as_uvec3().min(self.count - UVec3::ONE);
        let index = (at.x + self.count.x * (at.y + self.count.y * at.z)) as usize;
        if rate > self.cells[index].max_rate {
            self.cells[index].max_rate = rate;
            self.found.push((p, rate));
        }
    }

    /// Index of the cell of a level at a position, or of the smallest cell that contains it.
    fn find(&self, level: u32, at: UVec3) -> usize {
        let ancestor = |levels: u32| at / (1 << (SPLIT_LOG2 * levels));
        let root = ancestor(level);
        let mut index = (root.x + self.count.x * (root.y + self.count.y * root.z)) as usize;
        for levels in (0..level).rev() {
            let child = self.cells[index].child as usize;
            if child == 0 {
                break;
            }
            index = child + child_index(ancestor(levels) % SPLIT);
        }
        index
    }

    /// Majorant of a cell: its bound if that is tight, or else the largest rate in the cell and its neighbours, times
    /// [`MARGIN`].
    fn bound(&self, cell: &ProbedCell) -> f32 {
        let probed = self.probed_bound(cell);
        let waste = (cell.limit - probed) * self.diagonal(cell.level);
        let is_tight = cell.limit <= MAX_LOOSENESS * probed || waste <= MIN_SPARSE_WASTE;
        if is_tight { cell.limit } else { probed }
    }

    fn probed_bound(&self, cell: &ProbedCell) -> f32 {
        let size = (self.count * (1 << (SPLIT_LOG2 * cell.level))).as_ivec3();
        let (low, high) = (cell.at.as_ivec3() - 1, cell.at.as_ivec3() + 1);
        let (low, high) = (low.max(IVec3::ZERO), high.min(size - 1));
        let mut largest = cell.max_rate;
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    let at = IVec3::new(x, y, z).as_uvec3();
                    largest = largest.max(self.cells[self.find(cell.level, at)].max_rate);
                }
            }
        }
        MARGIN * largest
    }

    /// Priority of subdividing a leaf; `None` if it does not pay.
    fn priority(&self, cell: &ProbedCell) -> Option<f32> {
        if cell.child != 0 || cell.level == MAX_LEVEL {
            return None;
        }
        let diagonal = self.diagonal(cell.level);
        let (bound, mean) = (self.bound(cell), cell.sum / cell.probes as f32);
        let waste = (bound - mean) * diagonal;
        let is_sparse = 2 * cell.hits < cell.probes;
        let threshold = if is_sparse { MIN_SPARSE_WASTE } else { MIN_WASTE };
        // Most light enters where density begins, where the mean is small relative to the majorant.
        (waste > threshold).then(|| waste.min(MAX_WASTE) * sqr(diagonal * (1.0 - mean / bound)))
    }

    /// Subdivides the leaves of highest priority; returns whether there were any.
    fn refine(&mut self, budget: usize) -> bool {
        let leaves = (0..self.cells.len()).into_par_iter().with_min_len(256);
        let priority = |index| Some((self.priority(&self.cells[index])?, index));
        let mut chosen: Vec<(f32, usize)> = leaves.filter_map(priority).collect();
        chosen.sort_unstable_by(|(a, first), (b, second)| b.total_cmp(a).then(first.cmp(second)));
        let left = budget.saturating_sub(self.probes);
        chosen.truncate(left.div_ceil(CHILDREN * CHILD_PROBES));
        let is_evaluated: Vec<bool> =
            chosen.iter().map(|&(_, index)| self.evaluates_children(index)).collect();
        let blocks: Vec<ProbedBlock> = chosen
            .par_iter()
            .zip(is_evaluated)
            .map_init(
                || self.medium.field.context(),
                |context, (&(_, index), is_evaluated)| {
                    let ProbedCell { level, at, limit, .. } = self.cells[index];
                    let local = |i: u32| UVec3::new(i % SPLIT, i / SPLIT % SPLIT, i / (SPLIT * SPLIT));
                    let children = CellBlock {
                        level: level + 1,
                        at: (0..CHILDREN as u32).map(|i| at * SPLIT + local(i)),
                        probes: CHILD_PROBES,
                        limit,
                        is_evaluated,
                    };
                    self.medium.probe(children, context)
                },
            )
            .collect();
        for (&(_, index), block) in chosen.iter().zip(blocks) {
            self.is_faulty |= block.is_faulty;
            self.probes += CHILDREN * CHILD_PROBES;
            let first = self.cells.len();
            self.cells.extend(block.cells);
            self.cells[index].child = first as u32;
            self.propagate(first);
        }
        !chosen.is_empty()
    }

    /// Reserves the evaluation of bounds of a cell's children; returns false if they would be loose, or if there have been
    /// too many evaluations.
    fn evaluates_children(&mut self, index: usize) -> bool {
        let cell = &self.cells[index];
        let is_loose = cell.limit > MAX_PARENT_LOOSENESS * MARGIN * cell.max_rate;
        let may_pay = cell.limit > 0.0 && (!is_loose || cell.limit.is_infinite() || cell.max_rate == 0.0);
        let is_evaluated = may_pay && self.evaluations >= CHILDREN;
        if is_evaluated {
            self.evaluations -= CHILDREN;
        }
        is_evaluated
    }

    /// Propagates rates found by the search to a block of children, and the largest rate of the block to its ancestors.
    fn propagate(&mut self, first: usize) {
        let ProbedCell { level, at, .. } = self.cells[first];
        let size = self.medium.size_of(level);
        for &(p, rate) in &self.found {
            let inside = ((p - self.medium.space.bounds.min) / size).floor() - at.as_vec3();
            let is_inside = inside.cmpge(Vec3::ZERO).all() && inside.cmplt(Vec3::splat(SPLIT as f32)).all();
            if is_inside {
                let child = &mut self.cells[first + child_index(inside.as_uvec3())];
                child.max_rate = child.max_rate.max(rate);
            }
        }
        let largest = self.cells[first..]
            .iter()
            .fold(0.0, |largest: f32, cell| largest.max(cell.max_rate));
        for levels in 1..=level {
            let index = self.find(level - levels, at / (1 << (SPLIT_LOG2 * levels)));
            let cell = &mut self.cells[index];
            cell.max_rate = cell.max_rate.max(largest);
        }
    }

    fn finish(self, budget: usize) -> MajorantGrid {
        let bounds: Vec<f32> = self.cells.par_iter().with_min_len(256).map(|cell| self.bound(cell)).collect();
        let largest = bounds.iter().copied().fold(0.0, f32::max);
        let min_majorant = MIN_RELATIVE_MAJORANT * largest;
        let (missed, detail) = match budget < MAX_PROBES {
            // With few probes, majorants are too low in any medium.
            true => (0.0, 0.0),
            false => self.missed(&bounds, min_majorant),
        };
        let faults = MediumFaults {
            is_faulty: self.is_faulty,
            empty: (largest == 0.0).then_some(self.probes + self.searched),
            missed,
            detail,
        };
        let cell = |(cell, bound): (&ProbedCell, &f32)| match cell.child {
            0 => Cell::leaf(bound.max(min_majorant).min(cell.limit)),
            child => Cell::inner(child),
        };
        MajorantGrid {
            bounds: self.medium.space.bounds,
            count: self.count,
            cell: self.medium.size,
            cells: self.cells.iter().zip(&bounds).map(cell).collect(),
            faults,
        }
    }

    /// Fraction of the volume where the rate of a test probe exceeds the majorant, and the largest diagonal of such a
    /// cell [m].
    fn missed(&self, bounds: &[f32], min_majorant: f32) -> (f32, f32) {
        let size = self.medium.size_of(MAX_LEVEL);
        let last = self.count * (1 << (SPLIT_LOG2 * MAX_LEVEL)) - UVec3::ONE;
        let missed: Vec<f32> = (0..TEST_PROBES)
            .into_par_iter()
            .with_min_len(256)
            .map_init(
                || self.medium.field.context(),
                |context, index| {
                    let p = self.medium.space.spread((TEST_PROBES + index) as u64);
                    let at = ((p - self.medium.space.bounds.min) / size).max(Vec3::ZERO);
                    let leaf = self.find(MAX_LEVEL, at.as_uvec3().min(last));
                    let rate = self.medium.field.probe(p, context).rate;
                    let ProbedCell { level, limit, .. } = self.cells[leaf];
                    (rate > bounds[leaf].max(min_majorant).min(limit)).then(|| self.diagonal(level))
                },
            )
            .flatten()
            .collect();
        let detail = missed.iter().copied().fold(0.0, f32::max);
        (missed.len() as f32 / TEST_PROBES as f32, detail)
    }
}

/// Index of a child in its block, by its position.
fn child_index(at: UVec3) -> usize {
    (at.x + SPLIT * (at.y + SPLIT * at.z)) as usize
}
