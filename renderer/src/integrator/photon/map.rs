//! A kd-tree over points, balanced and without pointers: planes halve the points, level by level, until few are left
//! together.
//!
//! Which points go where follows from a total order on coordinate and contents, so the tree is the same whatever the order
//! of the items was and however many threads build it.
// Jensen 2001, "Realistic Image Synthesis Using Photon Mapping", chapter 6, with several points to a leaf: planes stay in
// the cache, and points that are asked together lie together.

use arrayvec::ArrayVec;
use glam::Vec3;

/// Something at a place, with an order for those at the same.
pub trait Located: Copy + Ord + Send {
    /// Where it is.
    fn p(&self) -> Vec3;
}

/// A balanced kd-tree.
#[derive(Clone, Debug)]
pub struct KdTree<T> {
    /// Leaf by leaf.
    items: Vec<T>,
    /// The root first, then each level from left to right.
    planes: Vec<Plane>,
}

/// What parts a range of items: those before its middle are not above it, the others not below.
#[derive(Clone, Copy, Debug, Default)]
struct Plane {
    axis: u32,
    at: f32,
}

/// A range of items that a search has still to look at.
#[derive(Clone, Copy)]
struct Range {
    /// Its plane; beyond the last plane it is a leaf.
    plane: u32,
    low: u32,
    high: u32,
    /// Squared distance to it, or less.
    beyond: f32,
}

/// The most items of a leaf.
const LEAF: usize = 8;

/// Ranges below this are built by one thread.
const PARALLEL: usize = 1 << 12;

impl<T: Located> KdTree<T> {
    /// A tree over `items`, built on the present `rayon` pool.
    pub fn new(mut items: Vec<T>) -> KdTree<T> {
        let leaves = items.len().div_ceil(LEAF).next_power_of_two();
        let mut levels: Vec<Vec<Plane>> = (0..leaves.trailing_zeros())
            .map(|level| vec![Plane::default(); 1 << level])
            .collect();
        let mut rows: Vec<&mut [Plane]> = levels.iter_mut().map(Vec::as_mut_slice).collect();
        build(&mut items, &mut rows);
        KdTree {
            items,
            planes: levels.concat(),
        }
    }

    /// The tree of what `change` makes of each item, by its index in the tree's order: things at the same places.
    pub fn map<U: Located>(self, change: impl Fn(usize, &T) -> U) -> KdTree<U> {
        let items = self.items.iter().enumerate();
        KdTree {
            items: items.map(|(index, item)| change(index, item)).collect(),
            planes: self.planes,
        }
    }

    /// The items in the tree's order.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// How many levels it has, that of the leaves included.
    pub fn depth(&self) -> u32 {
        match self.items.is_empty() {
            true => 0,
            false => self.planes.len().count_ones() + 1,
        }
    }

    /// Memory that it holds [bytes].
    pub fn memory(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.planes.capacity() * size_of::<Plane>()
    }

    /// Shows `visit` the items whose squared distance from `p` is below `r2`, with their index and that distance, the
    /// nearer ones tending to come first. `visit` says what `r2` is from then on: no more than it was.
    #[inline]
    pub fn search(&self, p: Vec3, mut r2: f32, mut visit: impl FnMut(usize, &T, f32) -> f32) {
        // The far half of a range waits. There is one of them a level.
        let mut waiting: ArrayVec<Range, 32> = ArrayVec::new_const();
        let mut next = Some(Range {
            plane: 0,
            low: 0,
            high: self.items.len() as u32,
            beyond: 0.0,
        });
        while let Some(mut range) = next {
            while let Some(plane) = self.planes.get(range.plane as usize) {
                let along = p[plane.axis as usize] - plane.at;
                let (left, right) = range.halves();
                let (near, far) = if along < 0.0 { (left, right) } else { (right, left) };
                let beyond = along * along;
                if beyond < r2 {
                    waiting.push(Range { beyond, ..far });
                }
                range = near;
            }
            for index in range.low as usize..range.high as usize {
                let item = &self.items[index];
                let d2 = (p - item.p()).length_squared();
                if d2 < r2 {
                    r2 = visit(index, item, d2);
                }
            }
            next = std::iter::from_fn(|| waiting.pop()).find(|range| range.beyond < r2);
        }
    }
}

impl Range {
    #[inline(always)]
    fn halves(self) -> (Range, Range) {
        let middle = self.low.midpoint(self.high);
        let left = Range {
            plane: 2 * self.plane + 1,
            high: middle,
            ..self
        };
        let right = Range {
            plane: 2 * self.plane + 2,
            low: middle,
            ..self
        };
        (left, right)
    }
}

/// Builds a range whose planes are `levels`: one of the first, two of the next, and so on.
fn build<T: Located>(items: &mut [T], levels: &mut [&mut [Plane]]) {
    let Some((own, below)) = levels.split_first_mut() else {
        items.sort_unstable();
        return;
    };
    let axis = longest_axis(items);
    let middle = items.len() / 2;
    if !items.is_empty() {
        items.select_nth_unstable_by(middle, |a, b| {
            a.p()[axis].total_cmp(&b.p()[axis]).then_with(|| a.cmp(b))
        });
        own[0] = Plane {
            axis: axis as u32,
            at: items[middle].p()[axis],
        };
    }
    let large = items.len() > PARALLEL;
    let (low, high) = items.split_at_mut(middle);
    let (mut left, mut right): (Vec<&mut [Plane]>, Vec<&mut [Plane]>) = below
        .iter_mut()
        .map(|level| level.split_at_mut(level.len() / 2))
        .unzip();
    if large {
        rayon::join(|| build(low, &mut left), || build(high, &mut right));
    } else {
        build(low, &mut left);
        build(high, &mut right);
    }
}

fn longest_axis<T: Located>(items: &[T]) -> usize {
    let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for item in items {
        (min, max) = (min.min(item.p()), max.max(item.p()));
    }
    let extent = max - min;
    if extent.x >= extent.y && extent.x >= extent.z {
        0
    } else if extent.y >= extent.z {
        1
    } else {
        2
    }
}
