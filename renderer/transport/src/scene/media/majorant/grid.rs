//! Adaptive grid of majorants: a uniform grid whose cells may be subdivided recursively into 4³ cells.

use glam::{UVec3, Vec3};

use renderer_base::math::Bounds;

/// Subdivisions of a cell along an axis, as a power of two.
pub(super) const SPLIT_LOG2: u32 = 2;
pub(super) const SPLIT: u32 = 1 << SPLIT_LOG2;

/// Number of children of a cell.
pub(super) const CHILDREN: usize = (SPLIT * SPLIT * SPLIT) as usize;

/// Bounds on the extinction of a medium.
#[derive(Clone, Debug)]
pub(crate) struct MajorantGrid {
    pub(super) bounds: Bounds,
    /// Number of cells of the uniform grid.
    pub(super) count: UVec3,
    /// Size of a cell of the uniform grid.
    pub(super) cell: Vec3,
    /// Cells of the uniform grid, x fastest, then y, then z; then blocks of [`CHILDREN`] children.
    pub(super) cells: Vec<Cell>,
    /// Faults found by the probes.
    pub(super) faults: MediumFaults,
}

/// A cell: its majorant [1/m], or the index of its first child.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell(u32);

/// Faults of a medium that probes found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MediumFaults {
    /// True if there are coefficients below zero or that are not numbers.
    pub(crate) is_faulty: bool,
    /// Number of probes, if none found density.
    pub(crate) empty: Option<usize>,
    /// Fraction of the volume in which the extinction exceeds the majorant.
    pub(crate) missed: f32,
    /// Largest diagonal of a cell whose majorant is too low [m].
    pub(crate) detail: f32,
}

impl Cell {
    const INNER: u32 = 1 << 31;

    pub(super) fn leaf(bound: f32) -> Cell {
        // Bounds are not negative.
        Cell(bound.to_bits() & !Cell::INNER)
    }

    pub(super) fn inner(first_child: u32) -> Cell {
        Cell(first_child | Cell::INNER)
    }
}

impl MajorantGrid {
    /// Faults found by the probes.
    pub(crate) fn faults(&self) -> &MediumFaults {
        &self.faults
    }

    /// Number of cells.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Distance up to which the majorant at `t` holds, and that majorant; 0 outside.
    pub(super) fn bound_from(&self, origin: Vec3, direction: Vec3, t: f32) -> (f32, f32) {
        let inverse = direction.recip();
        let (a, b) = ((self.bounds.min - origin) * inverse, (self.bounds.max - origin) * inverse);
        let enters = a.min(b).max_element();
        let leaves = a.max(b).min_element();
        if t >= leaves || enters > leaves {
            return (f32::INFINITY, 0.0);
        }
        if t < enters {
            return (enters, 0.0);
        }
        let step = Vec3::ONE.copysign(direction);
        let is_moving = direction.cmpne(Vec3::ZERO);
        let is_upwards = direction.cmpgt(Vec3::ZERO);
        let p = origin + direction * t;
        let (mut min, mut size, mut count) = (self.bounds.min, self.cell, self.count);
        let mut first = 0;
        loop {
            let last = (count - UVec3::ONE).as_vec3();
            // On the face of a cell, the cell ahead counts.
            let local = (p - min) / size + step * 1e-4;
            let mut index = local.floor().clamp(Vec3::ZERO, last);
            let sides = |index: Vec3| {
                let ahead = Vec3::select(is_upwards, index + 1.0, index);
                let sides = (min + ahead * size - origin) * inverse;
                Vec3::select(is_moving, sides, Vec3::INFINITY)
            };
            // Far from the origin, points are less exact than distances: if the ray has already left the cell, the next
            // cell counts.
            let passed = sides(index).cmple(Vec3::splat(t));
            index = Vec3::select(passed, (index + step).clamp(Vec3::ZERO, last), index);
            let end = sides(index).min_element();
            let at = index.as_uvec3();
            let Cell(content) = self.cells[first + (at.x + count.x * (at.y + count.y * at.z)) as usize];
            if content & Cell::INNER == 0 {
                let end = match end {
                    end if end > t => end,
                    _ => {
                        let min_step = 0.01 * (size / direction.abs()).min_element();
                        leaves.min(t + min_step).max(t.next_up())
                    }
                };
                return (end, f32::from_bits(content));
            }
            first = (content & !Cell::INNER) as usize;
            min += index * size;
            size *= 1.0 / SPLIT as f32;
            count = UVec3::splat(SPLIT);
        }
    }
}
