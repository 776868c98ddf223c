//! Layouts on one page: at a density, or the densest that fits.

use glam::UVec2;
use rayon::prelude::*;

use super::atlas::{Atlas, area, finish};
use super::error::BakeError;
use super::limit::MAX_SIDE;
use super::object_layout::{ObjectLayout, RectWidth, layout_once};
use super::outline::Outline;
use super::pack::pack;
use super::unwrap::Flat;

/// Aspect ratios tried for an object's rectangle.
pub(super) const ASPECTS: [f32; 4] = [1.0, 1.4, 0.7, 2.0];

/// Layout at a density, on a page of at most these columns and rows, or of minimum size.
pub(super) fn at_density(
    flats: &[Flat],
    density: f32,
    margin: u32,
    side: Option<u32>,
    aspect: f32,
) -> Result<Atlas, BakeError> {
    let most = side.unwrap_or(MAX_SIDE);
    let too_large = |needed: f64| BakeError::TooLarge { density, needed: needed.ceil(), most };
    // Checks memory before layout: a chart covers its area plus a texel for each texel of its length.
    let lengths = || {
        let blocks = flats.iter().flat_map(|flat| &flat.blocks);
        blocks.map(|block| f64::from(block.max_element()) * f64::from(density))
    };
    let texels = (area(flats) * f64::from(density) * f64::from(density)).max(lengths().sum());
    let needed = lengths().fold(texels.sqrt(), f64::max);
    if needed > f64::from(most) {
        return Err(too_large(needed));
    }
    let room = match (flats, side) {
        ([_], Some(side)) => RectWidth::Width(side),
        _ => RectWidth::Aspect(aspect),
    };
    let objects = layout_once(flats, |_, flat| ObjectLayout::new(flat, density, margin, &room));
    let widest = objects.iter().map(|object| object.size.x).max().unwrap_or(1);
    let area: f64 = objects.iter().map(|o| f64::from(o.size.x) * f64::from(o.size.y)).sum();
    let width = side.unwrap_or_else(|| round_up((area.sqrt() * 1.05) as u32).max(round_up(widest)));
    let boxes: Vec<Vec<Outline>> = (objects.iter().zip(flats))
        .map(|(object, flat)| object.outlines(flat))
        .collect();
    let (corners, height) = pack(&boxes, width).ok_or_else(|| too_large(f64::from(widest)))?;
    let height = if side.is_some() && height <= width {
        width
    } else {
        round_up(height)
    };
    if width.max(height) > most {
        return Err(too_large(f64::from(width.max(height))));
    }
    Ok(finish(flats, &objects, &corners, UVec2::new(width, height), density, margin))
}

/// Densest layout on a number of pages, within one percent; `fits` computes the layout for a density and an aspect ratio.
pub(super) fn densest_layout(
    flats: &[Flat],
    side: u32,
    pages: u32,
    fits: impl Fn(f32, f32) -> Option<Atlas> + Sync,
) -> Result<Atlas, BakeError> {
    // A single object gets the whole width, for any aspect ratio.
    let aspects = if flats.len() == 1 { &ASPECTS[..1] } else { &ASPECTS };
    let texels = (pages as f32).sqrt() * side as f32;
    let best = aspects
        .par_iter()
        .filter_map(|&aspect| densest(flats, texels, |density| fits(density, aspect)));
    best.collect::<Vec<_>>()
        .into_iter()
        .reduce(|a, b| if b.density > a.density { b } else { a })
        .ok_or(BakeError::NoRoom { resolution: side })
}

/// `side` is the side of a square of all texels.
fn densest(flats: &[Flat], side: f32, fits: impl Fn(f32) -> Option<Atlas>) -> Option<Atlas> {
    let mut high = side / (area(flats) as f32).max(f32::MIN_POSITIVE).sqrt();
    let mut low = high;
    let mut best = fits(low);
    // Long thin charts need more than their area, and every chart needs at least a texel; sixty bisection steps bound the
    // search.
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

/// Rounds to a valid number of texels along a side.
pub(super) fn round_up(n: u32) -> u32 {
    n.max(1).next_multiple_of(4)
}
