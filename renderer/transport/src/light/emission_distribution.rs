//! Emission distribution of a shape: a piecewise-constant density over its primitives, from probes of the emission
//! shader.
//!
//! - Each primitive has an area-preserving parameter square: [`Shape::sample_area`]'s on analytic shapes,
//!   [`triangle`](renderer_base::sampling::triangle)'s on triangles. It is divided into a grid of cells, large
//!   primitives into many, so that a small bright part of a large screen is a separate cell.
//! - A cell is selected in proportion to the power that the shader emits at a few probed points and directions, blended
//!   with its area: cells without observed emission have a lower density, but never zero.
//! - Uniform emission is not probed; the primitives are the cells.

use glam::Vec2;
use rayon::prelude::*;

use renderer_base::math::ONE_MINUS_EPSILON;
use renderer_base::sampler::Sampler;
use renderer_base::sampling::{AliasSample, AliasTable};

/// Density over the parameter squares of a shape's primitives.
#[derive(Clone, Debug)]
pub(super) struct EmissionDistribution {
    /// Distribution over the cells.
    table: AliasTable,
    /// Grids of the primitives; empty if every primitive is one cell.
    grids: Vec<Grid>,
    /// Primitive of each cell; empty if `grids` is.
    owners: Vec<u32>,
}

/// Grid of cells of a primitive.
#[derive(Clone, Copy, Debug)]
struct Grid {
    first: u32,
    /// Number of cells along each side.
    side: u32,
}

/// Sampled point of a primitive's parameter square.
pub(super) struct EmissionSample {
    pub(super) primitive: u32,
    pub(super) u: Vec2,
    /// Density over all parameter squares.
    pub(super) density: f32,
    /// Rescaled random number, for reuse.
    pub(super) rest: f64,
}

/// Random numbers of a probe: a point of a primitive, a direction and a side, each in `[0,1)`.
pub(super) struct EmissionProbe {
    pub(super) primitive: u32,
    pub(super) point: Vec2,
    pub(super) direction: Vec2,
    pub(super) side: f32,
}

/// Result of a probe, per unit of the parameter square.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProbeResult {
    /// Luminance of the radiant power [W].
    pub(super) power: f32,
    /// Area [m²].
    pub(super) area: f32,
}

/// Numbers of probes of a light.
#[derive(Clone, Copy, Debug)]
pub struct Probing {
    /// Initial number.
    first: usize,
    /// Maximum number, used if few probes find emission. Every primitive gets at least one.
    max: usize,
    /// True if large primitives have several cells.
    divides: bool,
}

impl Probing {
    /// Number of probes per light, for this number of lights; all probes together take about a second.
    pub fn shared_by(lights: usize) -> Probing {
        const TOTAL_PROBES: usize = 1 << 20;
        let share = TOTAL_PROBES / lights.max(1);
        Probing {
            first: share.clamp(16, 1 << 13),
            max: share.clamp(16, 1 << 17),
            divides: true,
        }
    }

    /// The probing with one cell for each primitive.
    #[must_use]
    pub(super) fn undivided(self) -> Probing {
        Probing { divides: false, ..self }
    }
}

/// Number of probes per cell for lights with few primitives.
const PROBES_PER_CELL: usize = 4;

/// Number of probes with emission after which probing stops.
const MAX_LIT_PROBES: usize = 64;

impl EmissionDistribution {
    /// Distribution by area.
    pub(super) fn by_area(areas: &[f32]) -> EmissionDistribution {
        EmissionDistribution { table: AliasTable::new(areas), grids: vec![], owners: vec![] }
    }

    /// Probes the emission on primitives of these areas; returns the distribution and the luminance of the power [W].
    /// Values that are not finite or not positive count as zero. `context` creates the per-thread state for `probe`.
    pub(super) fn probed<C>(
        areas: &[f32],
        probing: Probing,
        context: impl Fn() -> C + Sync,
        probe: impl Fn(&EmissionProbe, &mut C) -> ProbeResult + Sync,
    ) -> (EmissionDistribution, f32) {
        let mut probes = probing.first;
        loop {
            let cells = if probing.divides { probes / PROBES_PER_CELL } else { 0 };
            let (grids, owners) = divide(areas, cells);
            let per_cell = (probes / owners.len()).clamp(1, PROBES_PER_CELL);
            let cells: Vec<Cell> = (0..owners.len() as u32)
                .into_par_iter()
                .with_min_len(1024)
                .map_init(&context, |context, index| {
                    let primitive = owners[index as usize];
                    let grid = grids[primitive as usize];
                    Cell::probed(grid, primitive, index, per_cell, |seen| probe(seen, context))
                })
                .collect();
            let lit: usize = cells.iter().map(|cell| cell.lit as usize).sum();
            if lit >= MAX_LIT_PROBES || probes >= probing.max || probes * 4 <= owners.len() {
                return (
                    EmissionDistribution::of(&cells, grids, owners, per_cell),
                    total(&cells, |cell| cell.power) as f32,
                );
            }
            probes = (probes * 4).min(probing.max);
        }
    }

    fn of(cells: &[Cell], grids: Vec<Grid>, owners: Vec<u32>, per_cell: usize) -> EmissionDistribution {
        let [power, area] = [total(cells, |cell| cell.power), total(cells, |cell| cell.area)];
        // Smoothing: counts one more probe of each cell, with the shape's mean.
        let by_area = if power > 0.0 { 1.0 / (1.0 + per_cell as f64) } else { 1.0 };
        let weights: Vec<f32> = cells
            .iter()
            .map(|cell| {
                let dim = by_area * f64::from(cell.area) / area;
                let bright = (1.0 - by_area) * f64::from(cell.power) / power.max(f64::MIN_POSITIVE);
                (dim + bright) as f32
            })
            .collect();
        let table = AliasTable::new(&weights);
        if owners.len() == grids.len() {
            return EmissionDistribution { table, grids: vec![], owners: vec![] };
        }
        EmissionDistribution { table, grids, owners }
    }

    /// Samples a point: `u_cell` selects the cell, `u` the point within it.
    #[inline(always)]
    pub(super) fn sample(&self, u_cell: f64, u: Vec2) -> EmissionSample {
        let choice = self.table.sample(u_cell);
        if self.grids.is_empty() {
            EmissionSample {
                primitive: choice.index as u32,
                u,
                density: choice.probability,
                rest: choice.u,
            }
        } else {
            self.sample_in_cell(choice, u)
        }
    }

    fn sample_in_cell(&self, choice: AliasSample, u: Vec2) -> EmissionSample {
        let cell = choice.index as u32;
        let primitive = self.owners[cell as usize];
        let grid = self.grids[primitive as usize];
        EmissionSample {
            primitive,
            u: grid.point(cell, u),
            density: choice.probability * grid.cells() as f32,
            rest: choice.u,
        }
    }

    /// Probability of a primitive, if each is one cell.
    #[inline]
    pub(super) fn probability(&self, primitive: u32) -> f32 {
        self.table.probability(primitive as usize)
    }

    /// Density of sampling a point of that primitive; `point` returns the point of its parameter square.
    #[inline]
    pub(super) fn density(&self, primitive: u32, point: impl FnOnce() -> Vec2) -> f32 {
        match self.grids.get(primitive as usize) {
            None => self.table.probability(primitive as usize),
            Some(grid) => self.table.probability(grid.cell(point()) as usize) * grid.cells() as f32,
        }
    }
}

impl Grid {
    fn cells(self) -> u32 {
        self.side * self.side
    }

    /// Maps `u` to a cell of the grid.
    #[inline]
    fn point(self, cell: u32, u: Vec2) -> Vec2 {
        let index = cell - self.first;
        let corner = Vec2::new((index % self.side) as f32, (index / self.side) as f32);
        ((corner + u) / self.side as f32).min(Vec2::splat(ONE_MINUS_EPSILON))
    }

    /// Index of the cell that contains a point.
    #[inline]
    fn cell(self, point: Vec2) -> u32 {
        let along = |x: f32| ((x * self.side as f32) as u32).min(self.side - 1);
        self.first + along(point.y) * self.side + along(point.x)
    }
}

/// Probe results of a cell.
struct Cell {
    power: f32,
    area: f32,
    /// Number of probes that found emission.
    lit: u32,
}

impl Cell {
    fn probed(
        grid: Grid,
        primitive: u32,
        index: u32,
        probes: usize,
        mut probe: impl FnMut(&EmissionProbe) -> ProbeResult,
    ) -> Cell {
        let mut cell = Cell { power: 0.0, area: 0.0, lit: 0 };
        let share = 1.0 / (probes as f32 * grid.cells() as f32);
        let mut sampler = Sampler::new(0);
        for sample in 0..probes as u64 {
            sampler.start(glam::UVec2::new(index, 0), sample);
            let found = probe(&EmissionProbe {
                primitive,
                point: grid.point(index, sampler.next_2d()),
                direction: sampler.next_2d(),
                side: sampler.next_1d(),
            });
            if found.power > 0.0 && found.power.is_finite() {
                cell.power += found.power * share;
                cell.lit += 1;
            }
            if found.area.is_finite() {
                cell.area += found.area * share;
            }
        }
        cell
    }
}

/// Divides primitives into about `cells` cells in total, in proportion to their areas; returns the grids and the
/// primitive of each cell.
fn divide(areas: &[f32], cells: usize) -> (Vec<Grid>, Vec<u32>) {
    let area: f64 = areas.iter().copied().map(f64::from).sum();
    let mut owners = vec![];
    let grids = (0u32..)
        .zip(areas)
        .map(|(primitive, &own)| {
            let share = cells as f64 * f64::from(own) / area;
            let grid = Grid {
                first: owners.len() as u32,
                side: (share.sqrt() as u32).max(1),
            };
            owners.resize(owners.len() + grid.cells() as usize, primitive);
            grid
        })
        .collect();
    (grids, owners)
}

fn total(cells: &[Cell], part: impl Fn(&Cell) -> f32) -> f64 {
    cells.iter().map(|cell| f64::from(part(cell))).sum()
}
