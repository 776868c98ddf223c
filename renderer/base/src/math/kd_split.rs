//! Splitting planes of balanced kd-trees.

use glam::Vec3;

use super::bounds::Bounds;

/// An item with a position, and an order among items at the same position.
pub trait Located: Copy + Ord + Send {
    /// Position.
    fn p(&self) -> Vec3;
}

/// A splitting plane of a range of items: items before the middle are not above it, the others not below.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plane {
    pub(super) axis: u32,
    pub(super) at: f32,
}

/// Ranges below this are built by one thread.
const MIN_PARALLEL_ITEMS: usize = 1 << 12;

/// Splits each range of items at its middle.
pub(super) fn halves<'a, T>(ranges: &[&'a [T]]) -> Vec<&'a [T]> {
    let halves = ranges.iter().map(|range| range.split_at(range.len() / 2));
    halves.flat_map(|(low, high)| [low, high]).collect()
}

/// Sorts items into `leaves` leaves, a power of two, and returns the splitting planes, level by level.
pub(super) fn arrange<T: Located>(items: &mut [T], leaves: usize) -> Vec<Plane> {
    let mut levels: Vec<Vec<Plane>> = (0..leaves.trailing_zeros())
        .map(|level| vec![Plane::default(); 1 << level])
        .collect();
    let mut rows: Vec<&mut [Plane]> = levels.iter_mut().map(Vec::as_mut_slice).collect();
    build(items, &mut rows);
    levels.concat()
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
        own[0] = Plane { axis: axis as u32, at: items[middle].p()[axis] };
    }
    let large = items.len() > MIN_PARALLEL_ITEMS;
    let (low, high) = items.split_at_mut(middle);
    let (mut left, mut right): (Vec<&mut [Plane]>, Vec<&mut [Plane]>) =
        below.iter_mut().map(|level| level.split_at_mut(level.len() / 2)).unzip();
    if large {
        rayon::join(|| build(low, &mut left), || build(high, &mut right));
    } else {
        build(low, &mut left);
        build(high, &mut right);
    }
}

fn longest_axis<T: Located>(items: &[T]) -> usize {
    let bounds = Bounds::of_points(items.iter().map(Located::p));
    let extent = bounds.max - bounds.min;
    if extent.x >= extent.y && extent.x >= extent.z {
        0
    } else if extent.y >= extent.z {
        1
    } else {
        2
    }
}
