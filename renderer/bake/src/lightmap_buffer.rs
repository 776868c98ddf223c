//! The lightmap under construction: estimates, chart and coverage by texel.

use std::fmt;

use glam::{UVec2, Vec2};

use super::field::Field;
use super::raster::{Texels, around};

/// Source of a texel's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// No surface, no value.
    Empty,
    /// Hidden surface, no value: its whole chart is hidden.
    Dark,
    /// No surface; value dilated from a neighbouring chart.
    Dilated,
    /// Hidden surface; value from neighbours in its chart.
    Filled,
    /// Visible surface: light was gathered.
    Covered,
}

/// Estimates over an atlas.
pub(super) struct LightmapBuffer {
    /// Columns and rows.
    pub(super) size: UVec2,
    /// Values of texels, row by row.
    pub(super) field: Field,
    /// Chart of each texel, including dilated ones, or [`NO_CHART`](super::raster::NO_CHART).
    pub(super) charts: Vec<u32>,
    /// Source of each texel's value.
    pub(super) coverage: Vec<Coverage>,
}

impl fmt::Debug for LightmapBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LightmapBuffer({})", self.size)
    }
}

/// Four texels with their weights.
pub(super) type Bilinear = [(u32, f32); 4];

impl LightmapBuffer {
    /// Copies the estimates of `texels` to the atlas.
    pub(super) fn new(texels: &Texels, estimates: &Field) -> LightmapBuffer {
        let mut field = Field::new(estimates.order, texels.charts.len());
        let mut coverage = vec![Coverage::Empty; texels.charts.len()];
        for (index, texel) in texels.list.iter().enumerate() {
            let at = texels.index(texel.at);
            field.at_mut(at).copy_from_slice(estimates.at(index));
            field.variance[at] = estimates.variance[index];
            field.valid[at] = estimates.valid[index];
            coverage[at] = match estimates.valid[index] {
                true => Coverage::Covered,
                false => Coverage::Dark,
            };
        }
        LightmapBuffer {
            size: texels.size,
            field,
            charts: texels.charts.clone(),
            coverage,
        }
    }

    /// The texels around a texel, those of the atlas.
    pub(super) fn around(&self, index: usize) -> impl Iterator<Item = usize> + use<> {
        around(self.size, index)
    }

    /// Texels and weights of a bilinear lookup at a position [texels].
    pub(super) fn bilinear(&self, place: Vec2) -> Bilinear {
        let place = place - 0.5;
        let (corner, t) = (place.floor(), place - place.floor());
        let last = self.size.as_ivec2() - 1;
        let index = |dx: i32, dy: i32| {
            let p = (corner.as_ivec2() + glam::IVec2::new(dx, dy)).clamp(glam::IVec2::ZERO, last);
            (p.y * self.size.x as i32 + p.x) as u32
        };
        [
            (index(0, 0), (1.0 - t.x) * (1.0 - t.y)),
            (index(1, 0), t.x * (1.0 - t.y)),
            (index(0, 1), (1.0 - t.x) * t.y),
            (index(1, 1), t.x * t.y),
        ]
    }
}
