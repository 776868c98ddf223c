//! A kd-tree over points, balanced and without pointers: planes halve the points, level by level, until few are left
//! together. The coordinates of a leaf's points lie side by side as well, so that a search looks at all of them at once.
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

    /// How far away searches find it.
    fn reach(&self) -> f32 {
        f32::INFINITY
    }
}

/// A balanced kd-tree.
#[derive(Clone, Debug)]
pub struct KdTree<T> {
    /// Leaf by leaf.
    items: Vec<T>,
    /// The root first, then each level from left to right.
    planes: Vec<Plane>,
    /// From left to right.
    leaves: Vec<Leaf>,
}

/// A leaf's items, as searches look at them.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Leaf {
    /// Coordinates, axis by axis; infinite beyond the last item.
    p: [[f32; LEAF]; 3],
    /// Squares of their reaches.
    reach2: [f32; LEAF],
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
        let mut leaves = vec![Leaf::EMPTY; leaves];
        fill(&items, &mut leaves);
        KdTree {
            items,
            planes: levels.concat(),
            leaves,
        }
    }

    /// The tree of what `change` makes of each item, by its index in the tree's order: things at the same places.
    pub fn map<U: Located>(self, change: impl Fn(usize, &T) -> U) -> KdTree<U> {
        let items = self.items.iter().enumerate();
        let items: Vec<U> = items.map(|(index, item)| change(index, item)).collect();
        let mut leaves = self.leaves;
        fill(&items, &mut leaves);
        KdTree {
            items,
            planes: self.planes,
            leaves,
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
        self.items.capacity() * size_of::<T>()
            + self.planes.capacity() * size_of::<Plane>()
            + self.leaves.capacity() * size_of::<Leaf>()
    }

    /// Shows `visit` the items whose squared distance from `p` is below `r2`, with their index and that distance, the
    /// nearer ones tending to come first. `visit` says what `r2` is from then on: no more than it was.
    #[inline]
    pub fn search(&self, p: Vec3, mut r2: f32, mut visit: impl FnMut(usize, &T, f32) -> f32) {
        let along_axes = [p.x, p.y, p.z, 0.0];
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
                let along = along_axes[plane.axis as usize & 3] - plane.at;
                let (near, far) = range.halves(along >= 0.0);
                let beyond = along * along;
                if beyond < r2 {
                    waiting.push(Range { beyond, ..far });
                }
                range = near;
            }
            let leaf = &self.leaves[range.plane as usize - self.planes.len()];
            let distances = leaf.distances(p);
            let mut within = leaf.within(&distances, r2);
            while within != 0 {
                let slot = within.trailing_zeros() as usize;
                within &= within - 1;
                let (d2, index) = (distances[slot], range.low as usize + slot);
                if d2 < r2 {
                    r2 = visit(index, &self.items[index], d2);
                }
            }
            next = std::iter::from_fn(|| waiting.pop()).find(|range| range.beyond < r2);
        }
    }
}

impl Leaf {
    const EMPTY: Leaf = Leaf {
        p: [[f32::INFINITY; LEAF]; 3],
        reach2: [0.0; LEAF],
    };

    /// The squared distance of each item from `p`.
    #[inline(always)]
    fn distances(&self, p: Vec3) -> [f32; LEAF] {
        let mut distances = [0.0; LEAF];
        for (coordinates, p) in self.p.iter().zip(p.to_array()) {
            for (d2, x) in distances.iter_mut().zip(coordinates) {
                *d2 += (p - x) * (p - x);
            }
        }
        distances
    }

    /// A bit for each item that is nearer than `r2` and reaches as far as its distance, both squared.
    #[inline(always)]
    fn within(&self, distances: &[f32; LEAF], r2: f32) -> u32 {
        let mut bits = 0;
        for (slot, (&d2, &reach2)) in distances.iter().zip(&self.reach2).enumerate() {
            // Without a branch, so that all are looked at at once.
            bits |= u32::from((d2 < r2) & (d2 <= reach2)) << slot;
        }
        bits
    }
}

impl Range {
    /// The half that a point is in, on the `right` or not, and the other one.
    #[inline(always)]
    fn halves(self, right: bool) -> (Range, Range) {
        let middle = self.low.midpoint(self.high);
        let half = |right: bool| Range {
            plane: 2 * self.plane + 1 + u32::from(right),
            low: if right { middle } else { self.low },
            high: if right { self.high } else { middle },
            ..self
        };
        (half(right), half(!right))
    }
}

/// Copies to the leaves of a range what searches look at.
fn fill<T: Located>(items: &[T], leaves: &mut [Leaf]) {
    if let [leaf] = leaves {
        for (slot, item) in items.iter().enumerate() {
            let p = item.p().to_array();
            for (coordinates, x) in leaf.p.iter_mut().zip(p) {
                coordinates[slot] = x;
            }
            leaf.reach2[slot] = item.reach() * item.reach();
        }
        return;
    }
    let (low, high) = items.split_at(items.len() / 2);
    let (left, right) = leaves.split_at_mut(leaves.len() / 2);
    fill(low, left);
    fill(high, right);
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
