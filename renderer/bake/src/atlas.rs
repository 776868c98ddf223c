//! Lightmap atlas: rectangles of all objects in a texture, and the size of the texture.
//!
//! Until they are written, several pages are stacked vertically in one texture. Each object is on one page.

use glam::{UVec2, Vec2};

use super::object_layout::ObjectLayout;
use super::pack::PackedPosition;
use super::unwrap::Flat;
use renderer_image::Rect;

/// Size or density of the texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Fixed density; the size results.
    Density(f32),
    /// Fixed size; the highest density that fits.
    Resolution(u32),
    /// Fixed density and size; an error if it does not fit.
    Both(f32, u32),
    /// Several pages.
    Pages(PageScale),
}

/// Size of pages, and density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageScale {
    /// Density of all pages [texels/m]; the highest that fits if `None`.
    pub density: Option<f32>,
    /// Maximum number of texels along each side.
    pub side: u32,
    /// Maximum number of pages.
    pub most: u32,
}

impl Scale {
    /// Columns and rows of all pages, if known before the layout.
    pub fn size(self) -> Option<(u32, u32)> {
        match self {
            Scale::Resolution(side) | Scale::Both(_, side) => Some((side, side)),
            Scale::Pages(PageScale { density: None, side, most }) => Some((side, side.saturating_mul(most))),
            Scale::Density(_) | Scale::Pages(_) => None,
        }
    }
}

/// Layout of all objects.
pub(super) struct Atlas {
    /// Columns and rows of all pages, stacked vertically.
    pub(super) size: UVec2,
    pub(super) pages: u32,
    /// Density [texels/m].
    pub(super) density: f32,
    /// Rectangle of each object, including its margin.
    pub(super) rects: Vec<Rect>,
    /// Position of each vertex of each object [texels], from the texture's top left corner, y down.
    pub(super) places: Vec<Vec<Vec2>>,
}

impl Atlas {
    /// Columns and rows of a page.
    pub(super) fn page_size(&self) -> UVec2 {
        UVec2::new(self.size.x, self.size.y / self.pages)
    }

    pub(super) fn page(&self, object: usize) -> u32 {
        self.rects[object].y0 / self.page_size().y
    }

    /// Layout in a texture with `scale` times the columns and rows.
    pub(super) fn finer(&self, scale: u32) -> Atlas {
        let places = self.places.iter();
        Atlas {
            size: self.size * scale,
            pages: self.pages,
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

/// Atlas of objects on one page at given positions.
pub(super) fn finish(
    flats: &[Flat],
    objects: &[ObjectLayout],
    spots: &[PackedPosition],
    size: UVec2,
    density: f32,
    margin: u32,
) -> Atlas {
    let placed = flats.iter().zip(objects).zip(spots);
    let (rects, places) = placed.map(|((flat, object), spot)| object.placed(flat, spot, margin)).unzip();
    Atlas { size, pages: 1, density, rects, places }
}

/// Returns the total area of the charts in the plane [m²].
pub(super) fn area(flats: &[Flat]) -> f64 {
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
