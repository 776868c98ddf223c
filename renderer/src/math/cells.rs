//! Cells of space with about as many points in each, found by a grid that leads into their tree.

use glam::Vec3;

use super::Bounds;
use super::kd_tree::{Located, Plane, arrange, halves};

/// Cells that space is divided into.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The root first, then each level from left to right.
    planes: Box<[Plane]>,
    /// Lower corner of the grid [m].
    min: Vec3,
    /// Voxels of a metre.
    scale: Vec3,
    /// For each voxel the deepest node of the tree that holds it: a search begins there.
    starts: Box<[u32]>,
}

/// Voxels of the grid along an axis.
const SIDE: usize = 16;

/// How far voxels count as reaching beyond their borders, as a share of their size: places of points are rounded.
const MARGIN: f32 = 1e-3;

impl Cells {
    /// Divides space so that each cell has at most `most` of `items`, and puts these in the order of their cells.
    pub fn new<T: Located>(items: &mut [T], most: usize) -> Cells {
        let cells = items.len().div_ceil(most).next_power_of_two();
        let planes = arrange(items, cells).into_boxed_slice();
        let bounds = Bounds::of_points(items.iter().map(Located::p));
        let (min, max) = match bounds.is_empty() {
            true => (Vec3::ZERO, Vec3::ONE),
            false => (bounds.min, bounds.max),
        };
        let extent = (max - min).max(Vec3::splat(f32::MIN_POSITIVE.sqrt()));
        let scale = Vec3::splat(SIDE as f32) / extent;
        let mut grid = Cells {
            planes,
            min,
            scale,
            starts: [].into(),
        };
        let voxels =
            (0..SIDE.pow(3)).map(|voxel| [voxel, voxel / SIDE, voxel / (SIDE * SIDE)].map(|i| i % SIDE));
        grid.starts = voxels.map(|voxel| grid.start(voxel)).collect();
        grid
    }

    /// The items of each cell, where they are in the order of the cells.
    pub fn parts<'a, T>(&self, items: &'a [T]) -> Vec<&'a [T]> {
        let mut parts = vec![items];
        while parts.len() <= self.planes.len() {
            parts = halves(&parts);
        }
        parts
    }

    /// The number of the cell that holds `p`.
    #[inline]
    pub fn find(&self, p: Vec3) -> usize {
        let at = (p - self.min) * self.scale;
        let [x, y, z] = at.to_array().map(|x| (x.max(0.0) as usize).min(SIDE - 1));
        let mut index = self.starts[(z * SIDE + y) * SIDE + x] as usize;
        while let Some(plane) = self.planes.get(index) {
            let above = p[plane.axis as usize] >= plane.at;
            index = 2 * index + 1 + usize::from(above);
        }
        index - self.planes.len()
    }

    /// The deepest node that holds a voxel; those at the border reach to infinity.
    fn start(&self, voxel: [usize; 3]) -> u32 {
        let mut index = 0;
        while let Some(plane) = self.planes.get(index) {
            let axis = plane.axis as usize;
            let at = (plane.at - self.min[axis]) * self.scale[axis];
            let place = voxel[axis] as f32;
            let is_above = voxel[axis] > 0 && at < place - MARGIN;
            let is_below = voxel[axis] < SIDE - 1 && at > place + 1.0 + MARGIN;
            if !is_above && !is_below {
                break;
            }
            index = 2 * index + 1 + usize::from(is_above);
        }
        index as u32
    }

    /// Memory that they hold [bytes].
    pub fn memory(&self) -> usize {
        size_of_val(&*self.planes) + size_of_val(&*self.starts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    struct Point([i32; 3]);

    impl Located for Point {
        fn p(&self) -> Vec3 {
            // Dense at one end of each axis.
            Vec3::from_array(self.0.map(|x| (x as f32 * 1e-3).powi(2)))
        }
    }

    #[test]
    fn the_cell_of_a_point_has_it() {
        // No two points share a coordinate, but for the third: a side without extent.
        let point = |i: i32| Point([(i * 7919) % 100_003, (i * 10_007) % 100_003, 5]);
        let mut points: Vec<Point> = (0..20_000).map(point).collect();
        let cells = Cells::new(&mut points, 64);
        let parts = cells.parts(&points);
        assert!(parts.len() > 256 && parts.iter().all(|part| part.len() <= 64));
        for (number, part) in parts.iter().enumerate() {
            assert!(part.iter().all(|point| cells.find(point.p()) == number));
        }
        let is_ahead = cells.starts.iter().filter(|&&start| start > 14).count();
        assert!(
            is_ahead > SIDE.pow(3) / 2,
            "the grid leads to the fifth level and beyond"
        );
        let far = [Vec3::splat(1e30), Vec3::splat(-1e30), Vec3::NAN];
        assert!(far.iter().all(|p| cells.find(*p) < parts.len()));
        assert_eq!(Cells::new::<Point>(&mut [], 64).find(Vec3::ONE), 0);
    }
}
