//! Search for the nearest points of a cloud: a heap of the nearest so far, in memory of the caller.

use std::cmp::Ordering;

use glam::Vec3;

use renderer_base::math::{KdTree, Located};

/// A point in the tree.
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

/// Squared distance and number of a point.
type Found = (f32, u32);

/// Fills `found` with the nearest points within a radius; how many there are.
pub(super) fn nearest(
    tree: &KdTree<CloudItem>,
    center: Vec3,
    radius: f32,
    sort: bool,
    found: &mut [Found],
) -> usize {
    let most = found.len();
    if most == 0 || radius.is_nan() || radius < 0.0 || center.is_nan() {
        return 0;
    }
    // The tree's search leaves out what is at its bound; here that counts, and equal distances are told apart.
    let bound = (radius * radius).next_up();
    let mut count = 0;
    tree.search(center, bound, |_, item, distance2| {
        let point = (distance2, item.index);
        if count < most {
            found[count] = point;
            count += 1;
            if count == most {
                (0..most / 2).rev().for_each(|at| sink(found, at));
            }
        } else if is_before(point, found[0]) {
            found[0] = point;
            sink(found, 0);
        }
        if count < most { bound } else { found[0].0.next_up() }
    });
    if sort {
        found[..count].sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }
    count
}

fn is_before(a: Found, b: Found) -> bool {
    a.0 < b.0 || a.0 == b.0 && a.1 < b.1
}

/// Restores the heap, whose first is the farthest, below a place.
fn sink(heap: &mut [Found], mut at: usize) {
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
