//! Partition of space into cells with similar numbers of points.

use glam::Vec3;

use super::kd_split::{Located, Plane, arrange, halves};

/// Cells at the leaves of a kd-tree without points.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The root first, then each level from left to right.
    planes: Box<[Plane]>,
}

impl Cells {
    /// Divides space so that each cell has at most `most` of `items`, and sorts the items by cell.
    pub fn new<T: Located>(items: &mut [T], most: usize) -> Cells {
        let cells = items.len().div_ceil(most).next_power_of_two();
        Cells { planes: arrange(items, cells).into_boxed_slice() }
    }

    /// The items of each cell. `items` are sorted by cell.
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
        let mut index = 0;
        while let Some(plane) = self.planes.get(index) {
            let above = p[plane.axis as usize] >= plane.at;
            index = 2 * index + 1 + usize::from(above);
        }
        index - self.planes.len()
    }

    /// Memory that they hold [bytes].
    pub fn memory(&self) -> usize {
        size_of_val(&*self.planes)
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
        let far = [Vec3::splat(1e30), Vec3::splat(-1e30), Vec3::NAN];
        assert!(far.iter().all(|p| cells.find(*p) < parts.len()));
        assert_eq!(Cells::new::<Point>(&mut [], 64).find(Vec3::ONE), 0);
    }
}
