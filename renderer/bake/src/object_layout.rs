//! Layout of a single object: its charts packed into a rectangle.

use glam::{UVec2, Vec2, swizzles::Vec2Swizzles as _};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::outline::{Outline, QuarterTurn, Span, outlines};
use super::pack::{PackedPosition, pack};
use super::unwrap::Flat;
use renderer_image::Rect;

/// Width of an object's rectangle.
pub(super) enum RectWidth {
    /// Fixed width in texels.
    Width(u32),
    /// Relative to the side of a square of the object's area.
    Aspect(f32),
}

impl RectWidth {
    fn width(&self, pieces: &[Vec<Outline>]) -> u32 {
        match *self {
            RectWidth::Width(width) => width,
            RectWidth::Aspect(aspect) => {
                let covered = |span: &Span| f64::from(span.hi - span.lo);
                let area: f64 = pieces.iter().flat_map(|piece| &piece[0].spans).map(covered).sum();
                ((1.2 * area).sqrt() as f32 * aspect) as u32
            }
        }
    }
}

/// Layout of a single object.
#[derive(Clone)]
pub(super) struct ObjectLayout {
    /// Columns and rows.
    pub(super) size: UVec2,
    blocks: Vec<Block>,
}

/// Position of a block in its object.
#[derive(Clone)]
struct Block {
    /// Lower corner of the box, including the margin.
    corner: UVec2,
    /// Columns and rows of the box before rotation, including the margin.
    size: UVec2,
    turn: QuarterTurn,
    /// Texels from the first to the last centre.
    extent: Vec2,
}

/// Results of `lay_out` for all objects, which runs once for shapes with one layout, such as instances of a mesh.
pub(super) fn layout_once<T: Clone + Send>(
    flats: &[Flat],
    lay_out: impl Fn(usize, &Flat) -> T + Sync,
) -> Vec<T> {
    let mut known: FxHashMap<*const Vec2, usize> = FxHashMap::default();
    let mut distinct = vec![];
    let layouts: Vec<usize> = (flats.iter().enumerate())
        .map(|(index, flat)| {
            *known.entry(flat.places.as_ptr()).or_insert_with(|| {
                distinct.push(index);
                distinct.len() - 1
            })
        })
        .collect();
    let laid: Vec<T> = (distinct.par_iter()).map(|&index| lay_out(index, &flats[index])).collect();
    layouts.into_iter().map(|layout| laid[layout].clone()).collect()
}

impl ObjectLayout {
    /// Computes the layout of an object at a density [texels/m], with room for a dilation by `margin` texels.
    pub(super) fn new(flat: &Flat, density: f32, margin: u32, room: &RectWidth) -> ObjectLayout {
        let extents: Vec<Vec2> = (flat.blocks.iter())
            .map(|block| {
                let extent = *block * density;
                if flat.fixed { extent } else { extent.ceil().max(Vec2::ONE) }
            })
            .collect();
        let sizes: Vec<UVec2> = (extents.iter())
            .map(|extent| extent.ceil().as_uvec2() + UVec2::splat(1 + 2 * margin))
            .collect();
        let pieces: Vec<Vec<Outline>> = if flat.fixed {
            sizes.iter().map(|&size| vec![Outline::full(size)]).collect()
        } else {
            let mut triangles = vec![vec![]; sizes.len()];
            for (corners, &chart) in flat.mesh.triangles.iter().zip(&flat.triangle_chart) {
                let chart = chart as usize;
                let scale = extents[chart] / flat.blocks[chart].max(Vec2::splat(f32::MIN_POSITIVE));
                let place = |index: u32| flat.places[index as usize] * scale + (margin as f32 + 0.5);
                triangles[chart].push(corners.map(place));
            }
            let outlines = |(triangles, &size): (&Vec<_>, _)| outlines(triangles, size, margin).to_vec();
            triangles.iter().zip(&sizes).map(outlines).collect()
        };
        let narrowest = sizes.iter().map(|size| if flat.fixed { size.x } else { size.min_element() });
        let width = room.width(&pieces).max(narrowest.max().unwrap_or(1));
        let (places, height) = pack(&pieces, width).expect("nothing is wider than the widest");
        let blocks: Vec<Block> = (places.iter().zip(sizes).zip(extents))
            .map(|((place, size), extent)| Block {
                corner: place.corner,
                size,
                turn: QuarterTurn::ALL[place.way],
                extent,
            })
            .collect();
        let right =
            |(place, piece): (&PackedPosition, &Vec<Outline>)| place.corner.x + piece[place.way].size.x;
        let used = places.iter().zip(&pieces).map(right).max();
        ObjectLayout { size: UVec2::new(used.unwrap_or(1), height.max(1)), blocks }
    }

    /// The box, and the rotated box if rotation is allowed.
    pub(super) fn outlines(&self, flat: &Flat) -> Vec<Outline> {
        let upright = Outline::full(self.size);
        if flat.fixed || flat.shared {
            vec![upright]
        } else {
            vec![upright, Outline::full(self.size.yx())]
        }
    }

    /// Rectangle, and position of each vertex, for the outline at `spot` [texels].
    pub(super) fn placed(&self, flat: &Flat, spot: &PackedPosition, margin: u32) -> (Rect, Vec<Vec2>) {
        let turn = QuarterTurn::ALL[spot.way];
        let end = spot.corner + if spot.way == 0 { self.size } else { self.size.yx() };
        let rect = Rect { x0: spot.corner.x, y0: spot.corner.y, x1: end.x, y1: end.y };
        let place = |(&place, &chart): (&Vec2, &u32)| {
            let index = if flat.fixed { 0 } else { chart as usize };
            let block = &self.blocks[index];
            let unit = place / flat.blocks[index].max(Vec2::splat(f32::MIN_POSITIVE));
            let in_box = unit * block.extent + (margin as f32 + 0.5);
            let in_object = block.corner.as_vec2() + block.turn.apply(in_box, block.size.as_vec2());
            spot.corner.as_vec2() + turn.apply(in_object, self.size.as_vec2())
        };
        let places = flat.places.iter().zip(&flat.vertex_chart);
        (rect, places.map(place).collect())
    }
}
