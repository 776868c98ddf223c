//! One texture for many objects: a rectangle for each, and in it a block for each chart.
//!
//! A chart's corners come to lie on texel centres, so that a bilinear lookup on its border sees the border. Around every
//! chart there is room to dilate it, twice the dilation's width between any two.

use glam::{UVec2, Vec2};

use super::BakeError;
use super::pack::pack;
use super::unwrap::Flat;
use crate::image::Rect;

/// The most texels along a side: beyond that a bake would want tens of gigabytes.
pub(super) const MAX_SIDE: u32 = 8192;

/// How large the texture is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// So many texels a metre, and as many as it takes.
    Density(f32),
    /// So many texels along a side, and as dense as that allows.
    Resolution(u32),
    /// So many texels a metre on so many texels along a side, if they fit.
    Both(f32, u32),
}

/// Where everything lies.
pub(super) struct Atlas {
    /// Columns and rows.
    pub(super) size: UVec2,
    /// Texels a metre.
    pub(super) density: f32,
    /// By object: its rectangle, its margin included.
    pub(super) rects: Vec<Rect>,
    /// By object and vertex: where it lies [texels], the texture's top left corner at zero, y down.
    pub(super) places: Vec<Vec<Vec2>>,
}

/// Lays objects out, with room for a dilation by `margin` texels.
pub(super) fn layout(flats: &[Flat], scale: Scale, margin: u32) -> Result<Atlas, BakeError> {
    match scale {
        Scale::Density(density) => at_density(flats, density, margin, None, 1.0),
        Scale::Both(density, side) => {
            let attempt = |&aspect: &f32| at_density(flats, density, margin, Some(side), aspect);
            let [first, rest @ ..] = &ASPECTS;
            rest.iter().fold(attempt(first), |best, aspect| {
                best.or_else(|error| attempt(aspect).map_err(|_| error))
            })
        }
        Scale::Resolution(side) => at_resolution(flats, side, margin),
    }
}

/// How much wider than a square an object's rectangle aims to be: what suits depends on the objects.
const ASPECTS: [f32; 4] = [1.0, 1.4, 0.7, 2.0];

fn at_density(
    flats: &[Flat],
    density: f32,
    margin: u32,
    side: Option<u32>,
    aspect: f32,
) -> Result<Atlas, BakeError> {
    let texels: f64 = flats
        .iter()
        .flat_map(|flat| &flat.blocks)
        .map(|block| {
            f64::from((block.x * density + 2.0).floor()) * f64::from((block.y * density + 2.0).floor())
        })
        .sum();
    let most = side.unwrap_or(MAX_SIDE);
    let too_large = |needed: f64| BakeError::TooLarge {
        density,
        needed: needed.ceil(),
        most,
    };
    // Before anything is laid out that no memory holds.
    if texels > f64::from(most) * f64::from(most) {
        return Err(too_large(texels.sqrt()));
    }
    let objects: Vec<Object> = flats
        .iter()
        .map(|flat| Object::new(flat, density, margin, aspect))
        .collect();
    let widest = objects.iter().map(|object| object.size.x).max().unwrap_or(1);
    let area: f64 = objects
        .iter()
        .map(|o| f64::from(o.size.x) * f64::from(o.size.y))
        .sum();
    let width = side.unwrap_or_else(|| round_up((area.sqrt() * 1.05) as u32).max(round_up(widest)));
    let sizes: Vec<UVec2> = objects.iter().map(|object| object.size).collect();
    let (corners, height) = pack(&sizes, width).ok_or_else(|| too_large(f64::from(widest)))?;
    let height = if side.is_some() && height <= width {
        width
    } else {
        round_up(height)
    };
    if width.max(height) > most {
        return Err(too_large(f64::from(width.max(height))));
    }
    Ok(finish(
        flats,
        objects,
        &corners,
        UVec2::new(width, height),
        density,
    ))
}

/// The densest layout that fits, to within a hundredth.
fn at_resolution(flats: &[Flat], side: u32, margin: u32) -> Result<Atlas, BakeError> {
    let best = ASPECTS
        .iter()
        .filter_map(|&aspect| densest(flats, side, margin, aspect));
    best.reduce(|a, b| if b.density > a.density { b } else { a })
        .ok_or(BakeError::NoRoom { resolution: side })
}

fn densest(flats: &[Flat], side: u32, margin: u32, aspect: f32) -> Option<Atlas> {
    let area: f32 = flats
        .iter()
        .flat_map(|flat| &flat.blocks)
        .map(|b| b.x * b.y)
        .sum();
    let fits = |density: f32| at_density(flats, density, margin, Some(side), aspect).ok();
    let mut high = side as f32 / area.max(f32::MIN_POSITIVE).sqrt();
    let mut low = high;
    let mut best = fits(low);
    // Long thin charts take more than their area, and every chart takes a texel; sixty halvings end any search.
    for _ in 0..60 {
        if best.is_some() {
            break;
        }
        (high, low) = (low, 0.5 * low);
        best = fits(low);
    }
    let mut best = best?;
    while high / low > 1.01 {
        let middle = (low * high).sqrt();
        match fits(middle) {
            Some(atlas) => (best, low) = (atlas, middle),
            None => high = middle,
        }
    }
    Some(best)
}

fn round_up(n: u32) -> u32 {
    n.max(1).next_multiple_of(4)
}

/// An object laid out by itself.
struct Object {
    size: UVec2,
    /// By block: its lower corner without margin, and the texels from its first to its last centre.
    blocks: Vec<(UVec2, Vec2)>,
}

impl Object {
    fn new(flat: &Flat, density: f32, margin: u32, aspect: f32) -> Object {
        let extents: Vec<Vec2> = (flat.blocks.iter())
            .map(|block| {
                let extent = *block * density;
                if flat.fixed {
                    extent
                } else {
                    extent.ceil().max(Vec2::ONE)
                }
            })
            .collect();
        let sizes: Vec<UVec2> = (extents.iter())
            .map(|extent| extent.ceil().as_uvec2() + UVec2::splat(1 + 2 * margin))
            .collect();
        let area: f64 = sizes.iter().map(|s| f64::from(s.x) * f64::from(s.y)).sum();
        let widest = sizes.iter().map(|size| size.x).max().unwrap_or(1);
        let width = ((area.sqrt() * 1.05) as f32 * aspect) as u32;
        let width = width.max(widest);
        let (corners, height) = pack(&sizes, width).expect("nothing is wider than the widest");
        let used = corners.iter().zip(&sizes).map(|(corner, size)| corner.x + size.x);
        let corners = corners.iter().map(|corner| corner + UVec2::splat(margin));
        Object {
            size: UVec2::new(used.max().unwrap_or(1), height.max(1)),
            blocks: corners.zip(extents).collect(),
        }
    }
}

fn finish(flats: &[Flat], objects: Vec<Object>, corners: &[UVec2], size: UVec2, density: f32) -> Atlas {
    let mut rects = vec![];
    let mut places = vec![];
    for ((flat, object), &corner) in flats.iter().zip(objects).zip(corners) {
        let end = corner + object.size;
        rects.push(Rect {
            x0: corner.x,
            y0: corner.y,
            x1: end.x,
            y1: end.y,
        });
        let place = |(&place, &chart): (&Vec2, &u32)| {
            let block = if flat.fixed { 0 } else { chart as usize };
            let (first, extent) = object.blocks[block];
            let unit = place / flat.blocks[block].max(Vec2::splat(f32::MIN_POSITIVE));
            (corner + first).as_vec2() + 0.5 + unit * extent
        };
        places.push(flat.places.iter().zip(&flat.vertex_chart).map(place).collect());
    }
    Atlas {
        size,
        density,
        rects,
        places,
    }
}
