//! A balanced kd-tree over points, stored in arrays without pointers, with up to eight points to a leaf.
//!
//! Points are split by a total order on coordinate and content, so the tree does not depend on the order of the items
//! or the number of threads.
// Jensen 2001, "Realistic Image Synthesis Using Photon Mapping", chapter 6, with several points to a leaf: planes stay
// in the cache, and neighbouring points are adjacent in memory.

use arrayvec::ArrayVec;
use glam::Vec3;
use wide::f32x8;

use super::kd_split::{Located, Plane, arrange, halves};

/// A balanced kd-tree.
#[derive(Clone, Debug)]
pub struct KdTree<T> {
    /// Leaf by leaf.
    items: Vec<T>,
    /// The root first, then each level from left to right.
    planes: Vec<Plane>,
    /// Leaves from left to right.
    leaves: Vec<Leaf>,
}

/// Positions of a leaf's items as vectors, for computing all distances at once. Unused lanes are infinitely far away.
#[derive(Clone, Copy, Debug)]
struct Leaf([f32x8; 3]);

/// Maximum squared search distance of each item of a tree.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Largest limit of the items below each plane, then of each leaf.
    ranges: Vec<f32>,
    /// Limits of the items of each leaf.
    leaves: Vec<f32x8>,
}

impl Limits {
    /// Memory that they hold [bytes].
    pub fn memory(&self) -> usize {
        self.ranges.capacity() * size_of::<f32>() + self.leaves.capacity() * size_of::<f32x8>()
    }
}

/// A range of items that a search has yet to visit.
#[derive(Clone, Copy)]
struct Range {
    /// Index of the splitting plane; beyond the last plane the range is a leaf.
    plane: u32,
    low: u32,
    high: u32,
    /// Squared distance to it, or less.
    beyond: f32,
}

/// Maximum number of items of a leaf.
const MAX_LEAF_ITEMS: usize = 8;

impl<T: Located> KdTree<T> {
    /// Builds a tree over `items` on the current `rayon` pool.
    pub fn new(mut items: Vec<T>) -> KdTree<T> {
        let leaves = items.len().div_ceil(MAX_LEAF_ITEMS).next_power_of_two();
        let planes = arrange(&mut items, leaves);
        let mut ranges = vec![&items[..]];
        while ranges.len() < leaves {
            ranges = halves(&ranges);
        }
        KdTree {
            leaves: ranges.into_iter().map(Leaf::new).collect(),
            items,
            planes,
        }
    }

    /// Replaces each item by `change(index, item)`, which must have the same position.
    pub fn map<U: Located>(self, change: impl Fn(usize, &T) -> U) -> KdTree<U> {
        let items = self.items.iter().enumerate();
        KdTree {
            items: items.map(|(index, item)| change(index, item)).collect(),
            planes: self.planes,
            leaves: self.leaves,
        }
    }

    /// The items in the tree's order.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Number of levels, including that of the leaves.
    pub fn depth(&self) -> u32 {
        match self.items.is_empty() {
            true => 0,
            false => self.planes.len().count_ones() + 1,
        }
    }

    /// Builds limits from the maximum squared distance of each item, given by its index.
    pub fn limits(&self, of_item: impl Fn(usize) -> f32) -> Limits {
        let first = self.planes.len();
        let mut ranges = vec![f32::NEG_INFINITY; first + self.leaves.len()];
        let mut leaves = vec![f32x8::splat(f32::NEG_INFINITY); self.leaves.len()];
        let mut waiting = vec![Range { plane: 0, low: 0, high: self.items.len() as u32, beyond: 0.0 }];
        while let Some(range) = waiting.pop() {
            let number = range.plane as usize;
            if number < first {
                let (left, right) = range.halves();
                waiting.extend([left, right]);
                continue;
            }
            let mut limits = [f32::NEG_INFINITY; MAX_LEAF_ITEMS];
            for (limit, index) in limits.iter_mut().zip(range.low..range.high) {
                *limit = of_item(index as usize);
            }
            leaves[number - first] = f32x8::from(limits);
            ranges[number] = limits.into_iter().fold(f32::NEG_INFINITY, f32::max);
        }
        for range in (0..first).rev() {
            ranges[range] = ranges[2 * range + 1].max(ranges[2 * range + 2]);
        }
        Limits { ranges, leaves }
    }

    /// Memory that it holds [bytes].
    pub fn memory(&self) -> usize {
        self.items.capacity() * size_of::<T>()
            + self.planes.capacity() * size_of::<Plane>()
            + self.leaves.capacity() * size_of::<Leaf>()
    }

    /// Calls `visit` with each item whose squared distance from `p` is below `r2`, its index and that distance; nearer
    /// items tend to come first. `visit` returns the new, not larger `r2`.
    #[inline]
    pub fn search(&self, p: Vec3, r2: f32, visit: impl FnMut(usize, &T, f32) -> f32) {
        self.search_about(p, r2, 1.0, visit);
    }

    /// Like [`search`](KdTree::search), but skips subtrees farther away than `reach` times the radius, except for the
    /// leaf where the search begins: if any near item will do, most of the tree need not be visited.
    // Arya & Mount 1993, "Approximate Nearest Neighbor Queries in Fixed Dimensions".
    #[inline]
    pub fn search_about(&self, p: Vec3, r2: f32, reach: f32, visit: impl FnMut(usize, &T, f32) -> f32) {
        self.search_by(p, r2, reach, |_| f32::INFINITY, |_| f32x8::splat(f32::INFINITY), visit);
    }

    /// Calls `visit` with each item within its own limit of a ray of this `length`, the distance along the ray of the
    /// nearest point, and the squared distance from it. `direction` is a unit vector.
    pub fn search_along(
        &self,
        origin: Vec3,
        direction: Vec3,
        length: f32,
        limits: &Limits,
        mut visit: impl FnMut(&T, f32, f32),
    ) {
        let mut waiting: ArrayVec<(Range, f32, f32), 40> = ArrayVec::new_const();
        let all = Range { plane: 0, low: 0, high: self.items.len() as u32, beyond: 0.0 };
        waiting.push((all, 0.0, length));
        while let Some((range, first, last)) = waiting.pop() {
            let Some(plane) = self.planes.get(range.plane as usize) else {
                let leaf = range.plane as usize - self.planes.len();
                let (along, beside) = self.leaves[leaf].along(origin, direction);
                let on_ray = along.simd_ge(f32x8::ZERO) & along.simd_le(f32x8::splat(length));
                let mut near = (on_ray & beside.simd_lt(limits.leaves[leaf])).to_bitmask();
                let (along, beside) = (along.to_array(), beside.to_array());
                while near != 0 {
                    let lane = near.trailing_zeros() as usize;
                    near &= near - 1;
                    visit(&self.items[range.low as usize + lane], along[lane], beside[lane]);
                }
                continue;
            };
            let axis = plane.axis as usize;
            let (left, right) = range.halves();
            for (half, side) in [(left, 1.0), (right, -1.0)] {
                let limit = limits.ranges[half.plane as usize];
                if limit < 0.0 {
                    continue;
                }
                // Where the ray is no farther than that beyond the plane.
                let excess = side * (origin[axis] - plane.at) - limit.sqrt();
                let slope = side * direction[axis];
                let (first, last) = match slope {
                    _ if slope > 0.0 => (first, last.min(-excess / slope)),
                    _ if slope < 0.0 => (first.max(-excess / slope), last),
                    _ if excess > 0.0 => continue,
                    _ => (first, last),
                };
                if first <= last {
                    waiting.push((half, first, last));
                }
            }
        }
    }

    /// Like [`search_about`](KdTree::search_about), but skips items beyond their own limits.
    #[inline]
    pub fn search_limited(
        &self,
        p: Vec3,
        r2: f32,
        reach: f32,
        limits: &Limits,
        visit: impl FnMut(usize, &T, f32) -> f32,
    ) {
        let of_range = |range: usize| limits.ranges[range];
        self.search_by(p, r2, reach, of_range, |leaf| limits.leaves[leaf], visit);
    }

    /// Searches with limits: `of_range` returns the largest squared distance of a range, `of_leaf` those of the items
    /// of a leaf.
    #[inline(always)]
    fn search_by(
        &self,
        p: Vec3,
        mut r2: f32,
        reach: f32,
        of_range: impl Fn(usize) -> f32,
        of_leaf: impl Fn(usize) -> f32x8,
        mut visit: impl FnMut(usize, &T, f32) -> f32,
    ) {
        let share = reach * reach;
        // Stack of the far halves, one for each level.
        let mut waiting: ArrayVec<Range, 32> = ArrayVec::new_const();
        let mut next = Some(Range { plane: 0, low: 0, high: self.items.len() as u32, beyond: 0.0 });
        while let Some(mut range) = next {
            while let Some(plane) = self.planes.get(range.plane as usize) {
                let along = p[plane.axis as usize] - plane.at;
                let (left, right) = range.halves();
                let (near, far) = if along < 0.0 { (left, right) } else { (right, left) };
                let beyond = along * along;
                if beyond < share * r2 && beyond <= of_range(far.plane as usize) {
                    waiting.push(Range { beyond, ..far });
                }
                range = near;
            }
            let leaf = range.plane as usize - self.planes.len();
            let distances = self.leaves[leaf].distances(p);
            let counts = distances.simd_lt(f32x8::splat(r2)) & distances.simd_le(of_leaf(leaf));
            let mut near = counts.to_bitmask();
            let distances = distances.to_array();
            while near != 0 {
                let lane = near.trailing_zeros() as usize;
                near &= near - 1;
                if distances[lane] < r2 {
                    let index = range.low as usize + lane;
                    r2 = visit(index, &self.items[index], distances[lane]);
                }
            }
            next = std::iter::from_fn(|| waiting.pop()).find(|range| range.beyond < share * r2);
        }
    }
}

impl Leaf {
    fn new<T: Located>(items: &[T]) -> Leaf {
        Leaf(std::array::from_fn(|axis| {
            f32x8::from(std::array::from_fn(|lane| {
                items.get(lane).map_or(f32::INFINITY, |item| item.p()[axis])
            }))
        }))
    }

    /// Distances along a ray of the points nearest to the items, and the squared distances from them.
    #[inline(always)]
    fn along(&self, origin: Vec3, direction: Vec3) -> (f32x8, f32x8) {
        let offset: [f32x8; 3] = std::array::from_fn(|axis| self.0[axis] - f32x8::splat(origin[axis]));
        let [x, y, z] = std::array::from_fn(|axis| offset[axis] * f32x8::splat(direction[axis]));
        let along = x + y + z;
        let [x, y, z] = std::array::from_fn(|axis| {
            let beside = offset[axis] - along * f32x8::splat(direction[axis]);
            beside * beside
        });
        (along, x + y + z)
    }

    /// Squared distances of its items from `p`.
    #[inline(always)]
    fn distances(&self, p: Vec3) -> f32x8 {
        let [x, y, z] = std::array::from_fn(|axis| {
            let along = f32x8::splat(p[axis]) - self.0[axis];
            along * along
        });
        x + y + z
    }
}

impl Range {
    #[inline(always)]
    fn halves(self) -> (Range, Range) {
        let middle = self.low.midpoint(self.high);
        let left = Range { plane: 2 * self.plane + 1, high: middle, ..self };
        let right = Range { plane: 2 * self.plane + 2, low: middle, ..self };
        (left, right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    struct Point([i32; 3]);

    impl Located for Point {
        fn p(&self) -> Vec3 {
            Vec3::from_array(self.0.map(|x| x as f32))
        }
    }

    #[test]
    fn limits_leave_out_items_that_are_too_far_for_themselves() {
        for count in [0, 1, 8, 9, 500] {
            let items = (0..count).map(|i| Point([i * 37 % 101, i * 53 % 97, i * 71 % 89]));
            let tree = KdTree::new(items.collect());
            let limit = |index: usize| (index * 29 % 41) as f32 * (index % 3) as f32 * 20.0;
            let limits = tree.limits(limit);
            for at in (0..60).map(|i| Vec3::new((i * 7 % 100) as f32, (i * 11 % 90) as f32, 40.0)) {
                let mut found = vec![];
                tree.search_limited(at, 900.0, 1.0, &limits, |index, _, d2| {
                    found.push((index, d2));
                    900.0
                });
                found.sort_by_key(|(index, _)| *index);
                let all = tree.items().iter().enumerate();
                let distances = all.map(|(index, item)| (index, (item.p() - at).length_squared()));
                let near: Vec<_> =
                    distances.filter(|&(index, d2)| d2 < 900.0 && d2 <= limit(index)).collect();
                assert_eq!(found, near);
            }
        }
    }

    #[test]
    fn searches_along_rays_find_what_is_beside_them() {
        for count in [0, 1, 9, 700] {
            let items = (0..count).map(|i| Point([i * 37 % 101, i * 53 % 97, i * 71 % 89]));
            let tree = KdTree::new(items.collect());
            let limit = |item: &Point| (item.0[0] % 13) as f32 * 9.0;
            let limits = tree.limits(|index| limit(&tree.items()[index]));
            for (i, axis) in (0..60).zip([Vec3::X, Vec3::Y, -Vec3::Z].into_iter().cycle()) {
                let origin = Vec3::new((i * 7 % 100) as f32, (i * 11 % 90) as f32, 40.5);
                let direction = match i % 2 {
                    0 => axis,
                    _ => Vec3::new((i % 5) as f32 - 2.0, (i % 7) as f32 - 3.2, 1.0).normalize(),
                };
                let length = if i % 3 == 0 { f32::INFINITY } else { 30.0 };
                let mut found = vec![];
                tree.search_along(origin, direction, length, &limits, |item, _, _| found.push(*item));
                found.sort_unstable();
                let is_near = |item: &&Point| {
                    let offset = item.p() - origin;
                    let t = offset.dot(direction);
                    t >= 0.0 && t <= length && (offset - direction * t).length_squared() < limit(item)
                };
                let mut near: Vec<Point> = tree.items().iter().filter(is_near).copied().collect();
                near.sort_unstable();
                assert_eq!(found, near);
            }
        }
    }
}
