//! A kd-tree over points, balanced and without pointers: the root of a range of items is its middle one.
//!
//! Which item that is follows from a total order on coordinate and contents, so the tree is the same whatever the order
//! of the items was and however many threads build it.
// Jensen 2001, "Realistic Image Synthesis Using Photon Mapping", chapter 6.

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
    items: Vec<T>,
    /// The axis that each item splits its range by.
    axes: Vec<u8>,
}

/// Ranges below this are built by one thread.
const PARALLEL: usize = 1 << 12;

impl<T: Located> KdTree<T> {
    /// A tree over `items`, built on the present `rayon` pool.
    pub fn new(mut items: Vec<T>) -> KdTree<T> {
        let mut axes = vec![0; items.len()];
        build(&mut items, &mut axes);
        KdTree { items, axes }
    }

    /// The items in the tree's order.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// How many levels it has.
    pub fn depth(&self) -> u32 {
        usize::BITS - self.items.len().leading_zeros()
    }

    /// Memory that it holds [bytes].
    pub fn memory(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.axes.capacity()
    }

    /// Shows `visit` the items whose squared distance from `p` is below `r2`, with their index and that distance, the
    /// nearer ones tending to come first. `visit` says what `r2` is from then on: no more than it was.
    #[inline]
    pub fn search(&self, p: Vec3, mut r2: f32, mut visit: impl FnMut(usize, &T, f32) -> f32) {
        // A range's far half waits with the squared distance to it. There is one of them a level.
        let mut waiting: ArrayVec<(u32, u32, f32), 32> = ArrayVec::new_const();
        waiting.push((0, self.items.len() as u32, 0.0));
        while let Some((mut low, mut high, beyond)) = waiting.pop() {
            if beyond >= r2 {
                continue;
            }
            while low < high {
                let middle = low.midpoint(high);
                let item = &self.items[middle as usize];
                let offset = p - item.p();
                let d2 = offset.length_squared();
                if d2 < r2 {
                    r2 = visit(middle as usize, item, d2);
                }
                let along = offset[usize::from(self.axes[middle as usize])];
                let (near, far) = if along < 0.0 {
                    ((low, middle), (middle + 1, high))
                } else {
                    ((middle + 1, high), (low, middle))
                };
                if far.0 < far.1 && along * along < r2 {
                    waiting.push((far.0, far.1, along * along));
                }
                (low, high) = near;
            }
        }
    }
}

fn build<T: Located>(items: &mut [T], axes: &mut [u8]) {
    if items.len() < 2 {
        return;
    }
    let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for item in &*items {
        (min, max) = (min.min(item.p()), max.max(item.p()));
    }
    let extent = max - min;
    let axis = if extent.x >= extent.y && extent.x >= extent.z {
        0
    } else if extent.y >= extent.z {
        1
    } else {
        2
    };
    let middle = items.len() / 2;
    items.select_nth_unstable_by(middle, |a, b| {
        a.p()[axis].total_cmp(&b.p()[axis]).then_with(|| a.cmp(b))
    });
    axes[middle] = axis as u8;
    let large = items.len() > PARALLEL;
    let (low, rest) = items.split_at_mut(middle);
    let (low_axes, rest_axes) = axes.split_at_mut(middle);
    let (high, high_axes) = (&mut rest[1..], &mut rest_axes[1..]);
    if large {
        rayon::join(|| build(low, low_axes), || build(high, high_axes));
    } else {
        build(low, low_axes);
        build(high, high_axes);
    }
}
