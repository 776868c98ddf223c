//! Nearest-neighbour search in a cloud, with a heap in memory of the caller.

use std::cmp::Ordering;

use glam::Vec3;

use renderer_base::math::{KdTree, Located};

/// Point of the search tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct CloudItem {
    pub(super) p: Vec3,
    pub(super) index: u32,
}

impl Located for CloudItem {
    fn p(&self) -> Vec3 {
        self.p
    }
}

impl PartialEq for CloudItem {
    fn eq(&self, other: &CloudItem) -> bool {
        self.index == other.index
    }
}

impl Eq for CloudItem {}

impl PartialOrd for CloudItem {
    fn partial_cmp(&self, other: &CloudItem) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for CloudItem {
    fn cmp(&self, other: &CloudItem) -> Ordering {
        self.index.cmp(&other.index)
    }
}

/// Squared distance and index of a point.
type Found = (f32, u32);

/// Finds the nearest points within a radius; fills `found` and returns their number.
pub(super) fn nearest(
    tree: &KdTree<CloudItem>,
    center: Vec3,
    radius: f32,
    sort: bool,
    found: &mut [Found],
) -> usize {
    let capacity = found.len();
    if capacity == 0 || radius.is_nan() || radius < 0.0 || center.is_nan() {
        return 0;
    }
    // The tree's search excludes points at its bound; here they are included, and ties are broken by index.
    let bound = (radius * radius).next_up();
    let mut count = 0;
    tree.search(center, bound, |_, item, distance2| {
        let point = (distance2, item.index);
        if count < capacity {
            found[count] = point;
            count += 1;
            if count == capacity {
                (0..capacity / 2).rev().for_each(|at| sift_down(found, at));
            }
        } else if is_before(point, found[0]) {
            found[0] = point;
            sift_down(found, 0);
        }
        if count < capacity { bound } else { found[0].0.next_up() }
    });
    if sort {
        found[..count].sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }
    count
}

fn is_before(a: Found, b: Found) -> bool {
    a.0 < b.0 || a.0 == b.0 && a.1 < b.1
}

/// Restores the max-heap below index `at`.
fn sift_down(heap: &mut [Found], mut at: usize) {
    loop {
        let mut child = 2 * at + 1;
        if child >= heap.len() {
            return;
        }
        if child + 1 < heap.len() && is_before(heap[child], heap[child + 1]) {
            child += 1;
        }
        if !is_before(heap[at], heap[child]) {
            return;
        }
        heap.swap(at, child);
        at = child;
    }
}
