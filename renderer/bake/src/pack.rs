//! Chart packing: places outlines bottom-left into a strip of fixed width, holes included.
// Bottom-left packing as in Lévy, Petitjean, Ray & Maillot 2002, "Least Squares Conformal Maps for Automatic Texture Atlas
// Generation", section 4, with the gaps of every column in place of a horizon.

use glam::UVec2;

use super::outline::{Outline, Span};

/// Position of a packed piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PackedPosition {
    /// Lower corner of the box.
    pub(super) corner: UVec2,
    /// Index of the outline.
    pub(super) way: usize,
}

/// Maximum number of columns tried for a piece; more would be slow for little gain.
const MAX_COLUMNS: usize = 1024;

/// Packs pieces, each given by its outlines in several orientations, into a strip of that width; returns the positions
/// and the height used. `None` if a piece is wider than the strip in all orientations. Large pieces are placed first,
/// equal ones in order.
pub(super) fn pack<P: AsRef<[Outline]>>(pieces: &[P], width: u32) -> Option<(Vec<PackedPosition>, u32)> {
    let mut strip = Strip::new(width);
    let mut places = vec![PackedPosition::default(); pieces.len()];
    let mut height = 0;
    for index in largest_first(pieces) {
        let outlines = pieces[index].as_ref();
        let place = strip.place(outlines, u32::MAX)?;
        places[index] = place;
        height = height.max(place.corner.y + outlines[place.way].size.y);
    }
    Some((places, height))
}

/// Packs pieces onto square pages, stacked vertically, each piece onto the first page with room. Returns the positions and
/// the number of pages; `None` if more than `most` pages are needed, or a piece is larger than a page.
pub(super) fn pack_pages<P: AsRef<[Outline]>>(
    pieces: &[P],
    side: u32,
    most: u32,
) -> Option<(Vec<PackedPosition>, u32)> {
    let mut pages: Vec<Strip> = vec![];
    let mut places = vec![PackedPosition::default(); pieces.len()];
    let limit = side.saturating_add(1);
    for index in largest_first(pieces) {
        let outlines = pieces[index].as_ref();
        let found = (pages.iter_mut().enumerate())
            .find_map(|(page, strip)| Some((page, strip.place(outlines, limit)?)));
        let (page, mut place) = match found {
            Some(found) => found,
            None if pages.len() < most as usize => {
                let mut strip = Strip::new(side);
                let place = strip.place(outlines, limit)?;
                pages.push(strip);
                (pages.len() - 1, place)
            }
            None => return None,
        };
        place.corner.y += side * page as u32;
        places[index] = place;
    }
    Some((places, pages.len() as u32))
}

/// The order in which pieces are packed.
fn largest_first<P: AsRef<[Outline]>>(pieces: &[P]) -> Vec<usize> {
    let size = |index: usize| pieces[index].as_ref()[0].size;
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by_key(|&i| {
        (
            std::cmp::Reverse(size(i).max_element()),
            std::cmp::Reverse(size(i).min_element()),
            i,
        )
    });
    order
}

/// Free space of the strip.
struct Strip {
    /// Start and end of the gaps of each column, upwards. The last gap has no end.
    gaps: Vec<Vec<[u32; 2]>>,
    /// Recently placed outlines, and their top; `u32::MAX` if there was no room. Equal ones cannot be placed lower.
    last: (Vec<Outline>, u32),
}

impl Strip {
    fn new(width: u32) -> Strip {
        Strip {
            gaps: vec![vec![[0, u32::MAX]]; width as usize],
            last: (vec![], 0),
        }
    }

    /// Places a piece at the position with the lowest top, if that is below `limit`.
    fn place(&mut self, outlines: &[Outline], limit: u32) -> Option<PackedPosition> {
        if self.last.0 != outlines {
            self.last = (outlines.to_vec(), 0);
        }
        let place = self.lowest(outlines, self.last.1, limit);
        self.last.1 = place.map_or(u32::MAX, |place| place.corner.y + outlines[place.way].size.y);
        let place = place?;
        self.take(place.corner, &outlines[place.way]);
        Some(place)
    }

    /// The position with the lowest top, if that is below `limit`; among equals that of the first orientation, leftmost.
    /// No top is below `floor`.
    fn lowest(&self, outlines: &[Outline], floor: u32, limit: u32) -> Option<PackedPosition> {
        let mut best: Option<(u32, PackedPosition)> = None;
        let step = (self.gaps.len() / MAX_COLUMNS).max(1);
        for (way, outline) in outlines.iter().enumerate() {
            if outlines[..way].contains(outline) {
                continue;
            }
            let Some(last) = self.gaps.len().checked_sub(outline.size.x as usize) else {
                continue;
            };
            for x in (0..=last).step_by(step) {
                let below = best.map_or(limit, |(top, _)| top);
                if below <= floor {
                    break;
                }
                if let Some(y) = self.rest(x, outline, below) {
                    let corner = UVec2::new(x as u32, y);
                    best = Some((y + outline.size.y, PackedPosition { corner, way }));
                }
            }
        }
        best.map(|(_, place)| place)
    }

    /// The lowest height of a piece whose left side is at `x`; `None` unless its top is below `below`.
    fn rest(&self, x: usize, outline: &Outline, below: u32) -> Option<u32> {
        let (mut y, mut next, mut fitting) = (0, 0, 0);
        // Raised until all spans fit.
        while fitting < outline.spans.len() {
            let span = outline.spans[next];
            let higher = fit(&self.gaps[x + span.x as usize], span, y);
            fitting = if higher > y { 1 } else { fitting + 1 };
            y = higher;
            if y + outline.size.y >= below {
                return None;
            }
            next = (next + 1) % outline.spans.len();
        }
        Some(y)
    }

    fn take(&mut self, corner: UVec2, outline: &Outline) {
        for span in &outline.spans {
            let gaps = &mut self.gaps[(corner.x + span.x) as usize];
            let (from, to) = (corner.y + span.lo, corner.y + span.hi);
            let index = gaps.partition_point(|gap| gap[1] <= from);
            let [start, end] = gaps[index];
            debug_assert!(start <= from && to <= end, "pieces go into gaps");
            let left = [[start, from], [to, end]].into_iter().filter(|gap| gap[0] < gap[1]);
            gaps.splice(index..=index, left);
        }
    }
}

/// Minimum height of a piece, from `y` on, at which its span fits into a gap.
fn fit(gaps: &[[u32; 2]], Span { lo, hi, .. }: Span, y: u32) -> u32 {
    let mut heights = gaps.iter().filter_map(|&[start, end]| {
        let y = y.max(start.saturating_sub(lo));
        (y + hi <= end).then_some(y)
    });
    heights.next().expect("the last gap has no end")
}

#[cfg(test)]
mod tests {
    use super::super::outline::outlines;
    use super::*;
    use glam::Vec2;

    fn boxes(count: u32) -> Vec<Vec<Outline>> {
        (0..count)
            .map(|i| UVec2::new(1 + i * 7919 % 23, 1 + i * 104_729 % 31))
            .map(|size| vec![Outline::full(size)])
            .collect()
    }

    /// Covered fraction of the strip, after a check that nothing is covered twice.
    fn used(pieces: &[Vec<Outline>], width: u32) -> f32 {
        let (places, height) = pack(pieces, width).unwrap();
        let mut taken = vec![false; (width * height) as usize];
        for (place, piece) in places.iter().zip(pieces) {
            for span in &piece[place.way].spans {
                let x = place.corner.x + span.x;
                for y in place.corner.y + span.lo..place.corner.y + span.hi {
                    let cell = &mut taken[(y * width + x) as usize];
                    assert!(!*cell, "({x}, {y}) is taken twice");
                    *cell = true;
                }
            }
        }
        taken.iter().filter(|&&t| t).count() as f32 / taken.len() as f32
    }

    #[test]
    fn boxes_waste_little() {
        assert!(used(&boxes(200), 128) > 0.8);
    }

    #[test]
    fn triangles_interlock() {
        let size = UVec2::new(21, 14);
        let corners = [Vec2::new(0.5, 0.5), Vec2::new(20.5, 0.5), Vec2::new(0.5, 13.5)];
        let pieces = vec![outlines(&[corners], size, 0).to_vec(); 40];
        let used = used(&pieces, 100);
        assert!(used > 0.75, "{used}");
    }

    #[test]
    fn what_is_too_wide_is_turned_or_refused() {
        let wide = Outline::full(UVec2::new(9, 1));
        assert!(pack(&[vec![wide.clone()]], 8).is_none());
        let (places, height) = pack(&[vec![wide, Outline::full(UVec2::new(1, 9))]], 8).unwrap();
        assert_eq!((places[0].way, height), (1, 9));
        assert_eq!(pack::<Vec<Outline>>(&[], 8), Some((vec![], 0)));
    }
}
