//! Lightmap atlas: a rectangle for each object, and a packed block within it for each chart.
//!
//! A chart's corners lie on texel centres, so that a bilinear lookup on its border reads its border texels. Charts are
//! at least twice the dilation width apart.

use glam::{UVec2, Vec2, swizzles::Vec2Swizzles as _};
use rayon::prelude::*;

use super::error::BakeError;
use super::limit::MAX_SIDE;
use super::outline::{Outline, Span, Turn, outlines};
use super::pack::{PackedPosition, pack};
use super::unwrap::Flat;
use renderer_image::Rect;

/// Size or density of the texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Fixed density; the size follows.
    Density(f32),
    /// Fixed size; the greatest density that fits.
    Resolution(u32),
    /// Fixed density and size; an error if it does not fit.
    Both(f32, u32),
}

/// Layout of all objects.
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

impl Atlas {
    /// The same layout in a texture of `scale` times as many columns and rows.
    pub(super) fn finer(&self, scale: u32) -> Atlas {
        let places = self.places.iter();
        Atlas {
            size: self.size * scale,
            density: self.density * scale as f32,
            rects: (self.rects.iter())
                .map(|rect| Rect {
                    x0: rect.x0 * scale,
                    y0: rect.y0 * scale,
                    x1: rect.x1 * scale,
                    y1: rect.y1 * scale,
                })
                .collect(),
            places: places
                .map(|places| places.iter().map(|&place| place * scale as f32).collect())
                .collect(),
        }
    }
}

/// Lays objects out, with room for a dilation by `margin` texels.
pub(super) fn layout(flats: &[Flat], scale: Scale, margin: u32) -> Result<Atlas, BakeError> {
    if area(flats) <= 0.0 {
        return Err(BakeError::Nothing);
    }
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

/// The layout of objects that keep their coordinates in a texture that they share.
///
/// # Errors
/// When it would be too large.
pub(super) fn layout_in_place(flats: &[Flat], scale: Scale) -> Result<Atlas, BakeError> {
    let surface = area(flats);
    let covered: f64 = (flats.iter())
        .map(|flat| area(std::slice::from_ref(flat)) / f64::from(flat.blocks[0].x).powi(2))
        .sum();
    // Of the whole texture, if texels were equally dense everywhere [m].
    let width = (surface / covered).sqrt() as f32;
    let side = match scale {
        Scale::Resolution(side) | Scale::Both(_, side) => side,
        Scale::Density(density) => {
            let needed = (density * width).ceil();
            if needed > MAX_SIDE as f32 {
                return Err(BakeError::TooLarge {
                    density,
                    needed: f64::from(needed),
                    most: MAX_SIDE,
                });
            }
            round_up(needed as u32)
        }
    };
    let place = |flat: &Flat| {
        let scale = side as f32 / flat.blocks[0].x;
        flat.places.iter().map(|&place| place * scale).collect()
    };
    let whole = Rect {
        x0: 0,
        y0: 0,
        x1: side,
        y1: side,
    };
    Ok(Atlas {
        size: UVec2::splat(side),
        density: side as f32 / width,
        rects: vec![whole; flats.len()],
        places: flats.iter().map(place).collect(),
    })
}

/// Aspect ratios tried for an object's rectangle.
const ASPECTS: [f32; 4] = [1.0, 1.4, 0.7, 2.0];

fn at_density(
    flats: &[Flat],
    density: f32,
    margin: u32,
    side: Option<u32>,
    aspect: f32,
) -> Result<Atlas, BakeError> {
    let most = side.unwrap_or(MAX_SIDE);
    let too_large = |needed: f64| BakeError::TooLarge {
        density,
        needed: needed.ceil(),
        most,
    };
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
        ([_], Some(side)) => Room::Width(side),
        _ => Room::Aspect(aspect),
    };
    let objects: Vec<Object> = (flats.par_iter())
        .map(|flat| Object::new(flat, density, margin, &room))
        .collect();
    let widest = objects.iter().map(|object| object.size.x).max().unwrap_or(1);
    let area: f64 = objects
        .iter()
        .map(|o| f64::from(o.size.x) * f64::from(o.size.y))
        .sum();
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
    Ok(finish(
        flats,
        objects,
        &corners,
        UVec2::new(width, height),
        density,
        margin,
    ))
}

/// The densest layout that fits, to within a hundredth.
fn at_resolution(flats: &[Flat], side: u32, margin: u32) -> Result<Atlas, BakeError> {
    // A single object gets the whole width, for any aspect ratio.
    let aspects = if flats.len() == 1 { &ASPECTS[..1] } else { &ASPECTS };
    let best = aspects
        .par_iter()
        .filter_map(|&aspect| densest(flats, side, margin, aspect));
    best.collect::<Vec<_>>()
        .into_iter()
        .reduce(|a, b| if b.density > a.density { b } else { a })
        .ok_or(BakeError::NoRoom { resolution: side })
}

fn densest(flats: &[Flat], side: u32, margin: u32, aspect: f32) -> Option<Atlas> {
    let fits = |density: f32| at_density(flats, density, margin, Some(side), aspect).ok();
    let mut high = side as f32 / (area(flats) as f32).max(f32::MIN_POSITIVE).sqrt();
    let mut low = high;
    let mut best = fits(low);
    // Long thin charts take more than their area, and every chart takes at least a texel; sixty bisection steps end any
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

/// Returns the total area of the charts in the plane [m²].
fn area(flats: &[Flat]) -> f64 {
    let area = |flat: &Flat| -> f64 {
        let corners = flat
            .mesh
            .triangles
            .iter()
            .map(|t| t.map(|index| flat.places[index as usize].as_dvec2()));
        corners.map(|[a, b, c]| 0.5 * (b - a).perp_dot(c - a).abs()).sum()
    };
    flats.iter().map(area).sum()
}

fn round_up(n: u32) -> u32 {
    n.max(1).next_multiple_of(4)
}

/// Width of an object's rectangle.
enum Room {
    /// Fixed width in texels.
    Width(u32),
    /// Relative to the side of a square of the object's area.
    Aspect(f32),
}

impl Room {
    fn width(&self, pieces: &[Vec<Outline>]) -> u32 {
        match *self {
            Room::Width(width) => width,
            Room::Aspect(aspect) => {
                let covered = |span: &Span| f64::from(span.hi - span.lo);
                let area: f64 = pieces.iter().flat_map(|piece| &piece[0].spans).map(covered).sum();
                ((1.2 * area).sqrt() as f32 * aspect) as u32
            }
        }
    }
}

/// An object laid out by itself.
struct Object {
    size: UVec2,
    blocks: Vec<Block>,
}

/// A block laid out in its object.
struct Block {
    /// The lower corner of its box, margin included.
    corner: UVec2,
    /// Columns and rows of its box before it is turned, margin included.
    size: UVec2,
    turn: Turn,
    /// Texels from its first to its last centre.
    extent: Vec2,
}

impl Object {
    fn new(flat: &Flat, density: f32, margin: u32, room: &Room) -> Object {
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
        let narrowest = sizes
            .iter()
            .map(|size| if flat.fixed { size.x } else { size.min_element() });
        let width = room.width(&pieces).max(narrowest.max().unwrap_or(1));
        let (places, height) = pack(&pieces, width).expect("nothing is wider than the widest");
        let blocks: Vec<Block> = (places.iter().zip(sizes).zip(extents))
            .map(|((place, size), extent)| Block {
                corner: place.corner,
                size,
                turn: Turn::ALL[place.way],
                extent,
            })
            .collect();
        let right =
            |(place, piece): (&PackedPosition, &Vec<Outline>)| place.corner.x + piece[place.way].size.x;
        let used = places.iter().zip(&pieces).map(right).max();
        Object {
            size: UVec2::new(used.unwrap_or(1), height.max(1)),
            blocks,
        }
    }

    /// Its box, and where that may be turned, the turned box.
    fn outlines(&self, flat: &Flat) -> Vec<Outline> {
        let upright = Outline::full(self.size);
        if flat.fixed || flat.shared {
            vec![upright]
        } else {
            vec![upright, Outline::full(self.size.yx())]
        }
    }
}

fn finish(
    flats: &[Flat],
    objects: Vec<Object>,
    corners: &[PackedPosition],
    size: UVec2,
    density: f32,
    margin: u32,
) -> Atlas {
    let mut rects = vec![];
    let mut places = vec![];
    for ((flat, object), spot) in flats.iter().zip(objects).zip(corners) {
        let turn = Turn::ALL[spot.way];
        let end = spot.corner
            + if spot.way == 0 {
                object.size
            } else {
                object.size.yx()
            };
        rects.push(Rect {
            x0: spot.corner.x,
            y0: spot.corner.y,
            x1: end.x,
            y1: end.y,
        });
        let place = |(&place, &chart): (&Vec2, &u32)| {
            let index = if flat.fixed { 0 } else { chart as usize };
            let block = &object.blocks[index];
            let unit = place / flat.blocks[index].max(Vec2::splat(f32::MIN_POSITIVE));
            let in_box = unit * block.extent + (margin as f32 + 0.5);
            let in_object = block.corner.as_vec2() + block.turn.apply(in_box, block.size.as_vec2());
            spot.corner.as_vec2() + turn.apply(in_object, object.size.as_vec2())
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

#[cfg(test)]
mod tests {
    use glam::{Affine3A, Vec3};

    use super::super::unwrap::unwrap;
    use super::*;
    use renderer_geometry::Mesh;

    #[test]
    fn what_no_memory_holds_is_refused_before_it_is_laid_out() {
        let hair = Affine3A::from_scale(Vec3::new(1e3, 1e-6, 1.0));
        let flats = [unwrap(&Mesh::rectangle(), &hair)];
        let refused = layout(&flats, Scale::Density(1e6), 2).err();
        assert!(matches!(refused, Some(BakeError::TooLarge { .. })));
        assert!(layout(&flats, Scale::Density(1.0), 2).is_ok());
        assert!(layout(&flats, Scale::Resolution(64), 2).is_ok());
    }
}
