//! Rectangles into a strip: the lowest place first, then the leftmost.
// Jylänki 2010, "A Thousand Ways to Pack the Bin", section 2.2.3 (skyline, bottom-left).

use glam::UVec2;

/// Where each rectangle goes in a strip of that width, and the height that they take. `None` when one is wider than the
/// strip. Higher ones are placed first; equal ones in order.
pub(super) fn pack(sizes: &[UVec2], width: u32) -> Option<(Vec<UVec2>, u32)> {
    if sizes.iter().any(|size| size.x > width) {
        return None;
    }
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(sizes[i].y), std::cmp::Reverse(sizes[i].x), i));
    let mut places = vec![UVec2::ZERO; sizes.len()];
    let mut skyline = Skyline::new(width);
    for index in order {
        places[index] = skyline.place(sizes[index]);
    }
    let height = places.iter().zip(sizes).map(|(place, size)| place.y + size.y);
    let height = height.max().unwrap_or(0);
    Some((places, height))
}

/// The upper outline of what has been placed: steps from left to right.
struct Skyline {
    width: u32,
    steps: Vec<Step>,
}

#[derive(Clone, Copy)]
struct Step {
    x: u32,
    y: u32,
}

impl Skyline {
    fn new(width: u32) -> Skyline {
        Skyline {
            width,
            steps: vec![Step { x: 0, y: 0 }],
        }
    }

    /// Puts a rectangle, no wider than the strip, where its top is lowest.
    fn place(&mut self, size: UVec2) -> UVec2 {
        let fits = |first: usize| {
            let x = self.steps[first].x;
            (x + size.x <= self.width).then(|| UVec2::new(x, self.rest(first, size.x)))
        };
        let place = (0..self.steps.len())
            .filter_map(fits)
            .min_by_key(|place| (place.y, place.x))
            .expect("the first step is at the left end");
        self.raise(place, size);
        place
    }

    /// How high a rectangle of that width lies whose left side is at that step.
    fn rest(&self, first: usize, width: u32) -> u32 {
        let end = self.steps[first].x + width;
        let below = self.steps[first..].iter().take_while(|step| step.x < end);
        below.map(|step| step.y).max().unwrap_or(0)
    }

    fn raise(&mut self, place: UVec2, size: UVec2) {
        let end = place.x + size.x;
        let after = self.steps.iter().rposition(|step| step.x <= end);
        let height_after = self.steps[after.unwrap_or(0)].y;
        let starts_at_end = self.steps.iter().any(|step| step.x == end);
        self.steps.retain(|step| step.x < place.x || step.x >= end);
        let at = self.steps.partition_point(|step| step.x < place.x);
        self.steps.insert(
            at,
            Step {
                x: place.x,
                y: place.y + size.y,
            },
        );
        if !starts_at_end && end < self.width {
            self.steps.insert(
                at + 1,
                Step {
                    x: end,
                    y: height_after,
                },
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_overlaps_and_little_is_wasted() {
        let sizes: Vec<UVec2> = (0..200u32)
            .map(|i| UVec2::new(1 + i * 7919 % 23, 1 + i * 104_729 % 31))
            .collect();
        let (places, height) = pack(&sizes, 128).unwrap();
        let mut taken = vec![false; 128 * height as usize];
        for (place, size) in places.iter().zip(&sizes) {
            for y in place.y..place.y + size.y {
                for x in place.x..place.x + size.x {
                    let cell = &mut taken[(y * 128 + x) as usize];
                    assert!(!*cell, "({x}, {y}) is taken twice");
                    *cell = true;
                }
            }
        }
        let used = taken.iter().filter(|&&t| t).count() as f32 / taken.len() as f32;
        assert!(used > 0.8, "{used}");
    }

    #[test]
    fn too_wide_is_refused() {
        assert!(pack(&[UVec2::new(9, 1)], 8).is_none());
        assert_eq!(pack(&[], 8), Some((vec![], 0)));
    }
}
