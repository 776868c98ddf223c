//! Conservative rasterisation of charts: surface points of each lightmap texel.
//!
//! Every texel that a triangle touches is covered. A texel has up to nine points, on a grid inside its border; if the grid
//! misses all triangles, the point is the centroid of the largest clipped triangle.

use glam::{IVec2, UVec2, Vec2};

use super::atlas::Atlas;
use super::unwrap::Flat;

/// Points along each side of a texel's grid.
const GRID: usize = 3;

/// Offset of the grid [texels]. Edges of objects and texel centres often have round coordinates, and a point in the plane of
/// a wall receives light from only half of the directions.
const OFFSET: Vec2 = Vec2::new(0.0137, 0.0071);

pub(super) const NO_CHART: u32 = u32::MAX;

/// A point of a receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    pub(super) triangle: u32,
    /// Barycentric weights of the second and third vertex.
    pub(super) barycentric: Vec2,
}

/// A texel with its surface points.
#[derive(Clone, Debug)]
pub(super) struct Texel {
    /// Column and row.
    pub(super) at: UVec2,
    /// Index of the receiver.
    pub(super) object: u32,
    /// Range of points in [`Texels::samples`], the nearest to the centre first.
    pub(super) samples: std::ops::Range<u32>,
}

/// Covered texels of an atlas.
pub(super) struct Texels {
    /// Columns and rows.
    pub(super) size: UVec2,
    /// Texels, row by row within each receiver.
    pub(super) list: Vec<Texel>,
    /// Points of the texels.
    pub(super) samples: Vec<Sample>,
    /// Chart of each texel of the atlas, counted over all objects, or [`NO_CHART`].
    pub(super) charts: Vec<u32>,
}

impl Texels {
    /// Index of a texel in images.
    pub(super) fn index(&self, at: UVec2) -> usize {
        (at.y * self.size.x + at.x) as usize
    }

    /// The texels around a texel, those of the atlas.
    pub(super) fn around(&self, index: usize) -> impl Iterator<Item = usize> + use<> {
        around(self.size, index)
    }

    /// The points of a texel.
    pub(super) fn samples_of(&self, texel: &Texel) -> &[Sample] {
        &self.samples[texel.samples.start as usize..texel.samples.end as usize]
    }
}

/// The up to eight texels around a texel of an image.
pub(super) fn around(size: UVec2, index: usize) -> impl Iterator<Item = usize> + use<> {
    let size = size.as_ivec2();
    let at = IVec2::new(index as i32 % size.x, index as i32 / size.x);
    (-1..=1)
        .flat_map(|dy| (-1..=1).map(move |dx| IVec2::new(dx, dy)))
        .filter(|d| *d != IVec2::ZERO)
        .map(move |d| at + d)
        .filter(move |p| p.cmpge(IVec2::ZERO).all() && p.cmplt(size).all())
        .map(move |p| (p.y * size.x + p.x) as usize)
}

/// Rasterises every object. If several objects of a shared rectangle touch a texel, it belongs to the first one.
pub(super) fn rasterise(flats: &[Flat], atlas: &Atlas) -> Texels {
    let mut texels = Texels {
        size: atlas.size,
        list: vec![],
        samples: vec![],
        charts: vec![NO_CHART; (atlas.size.x * atlas.size.y) as usize],
    };
    let mut first_chart = 0;
    for (object, (flat, places)) in flats.iter().zip(&atlas.places).enumerate() {
        let rect = atlas.rects[object];
        let origin = UVec2::new(rect.x0, rect.y0);
        let size = UVec2::new(rect.width(), rect.height());
        let mut cells = vec![Cell::EMPTY; rect.area()];
        for (triangle, corners) in flat.mesh.triangles.iter().enumerate() {
            let corners = corners.map(|index| places[index as usize] - origin.as_vec2());
            let Some(flat_triangle) = FlatTriangle::new(corners) else {
                continue;
            };
            let chart = first_chart + flat.triangle_chart[triangle];
            flat_triangle.visit(size, |at, shape| {
                cells[(at.y * size.x + at.x) as usize].add(at, triangle as u32, chart, shape);
            });
        }
        for (index, cell) in cells.iter().enumerate() {
            let at = origin + UVec2::new(index as u32 % size.x, index as u32 / size.x);
            if texels.charts[texels.index(at)] != NO_CHART {
                continue;
            }
            let start = texels.samples.len() as u32;
            texels.samples.extend(cell.samples());
            let end = texels.samples.len() as u32;
            if end > start {
                let atlas_index = texels.index(at);
                texels.charts[atlas_index] = cell.chart;
                texels.list.push(Texel { at, object: object as u32, samples: start..end });
            }
        }
        first_chart += flat.triangle_chart.iter().max().map_or(0, |&last| last + 1);
    }
    texels
}

/// Points of a texel during rasterisation.
#[derive(Clone)]
struct Cell {
    chart: u32,
    /// Grid points, the middle one first.
    points: [Option<Sample>; GRID * GRID],
    /// Centroid and area of the largest clipped triangle.
    piece: Option<(f32, Sample)>,
}

/// Grid points in the order of their distance from the centre, as offsets from it [texels].
fn grid_points() -> [Vec2; GRID * GRID] {
    let mut points: [Vec2; GRID * GRID] = std::array::from_fn(|i| {
        let cell = Vec2::new((i % GRID) as f32, (i / GRID) as f32);
        (cell + 0.5) / GRID as f32 - 0.5
    });
    points.sort_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
    points.map(|point| point + OFFSET)
}

impl Cell {
    const EMPTY: Cell = Cell { chart: NO_CHART, points: [None; GRID * GRID], piece: None };

    fn add(&mut self, at: UVec2, triangle: u32, chart: u32, shape: &FlatTriangle) {
        let center = at.as_vec2() + 0.5;
        // A texel belongs to one chart: the one at its centre, else the first.
        if self.chart != chart && self.points[0].is_none() && shape.inside(center).is_some() {
            *self = Cell::EMPTY;
        }
        for (slot, offset) in grid_points().into_iter().enumerate() {
            let Some(barycentric) = shape.inside(center + offset) else {
                continue;
            };
            if self.is_bare() {
                self.chart = chart;
            }
            if self.chart == chart && self.points[slot].is_none() {
                self.points[slot] = Some(Sample { triangle, barycentric });
            }
        }
        if self.is_bare() {
            let (area, middle) = shape.piece(center);
            if area > self.piece.as_ref().map_or(0.0, |piece| piece.0) {
                let barycentric = shape.inset(shape.barycentric(middle));
                self.piece = Some((area, Sample { triangle, barycentric }));
                self.chart = chart;
            }
        }
    }

    fn is_bare(&self) -> bool {
        self.points.iter().all(Option::is_none)
    }

    fn samples(&self) -> impl Iterator<Item = Sample> + '_ {
        let any = self.points.iter().any(Option::is_some);
        let piece = self.piece.as_ref().filter(|_| !any).map(|piece| piece.1);
        self.points.iter().flatten().copied().chain(piece)
    }
}

/// A triangle in the texture, with area.
struct FlatTriangle {
    corners: [Vec2; 3],
    /// Twice the area, with sign.
    area2: f32,
    /// Minimum barycentric weight of points.
    inset: [f32; 3],
}

/// Inset of points from the border of their triangle [texels]: in the corner of a room, the border is inside the wall.
const INSET: f32 = 0.03;

/// Minimum thickness of triangles [texels]: normals of thinner slivers are arbitrary.
const MIN_THICKNESS: f32 = 1e-4;

impl FlatTriangle {
    fn new(corners: [Vec2; 3]) -> Option<FlatTriangle> {
        let [a, b, c] = corners;
        let area2 = (b - a).perp_dot(c - a);
        let longest = (b - a).length().max((c - b).length()).max((a - c).length());
        if area2.is_nan() || area2.abs() <= MIN_THICKNESS * longest {
            return None;
        }
        // The height over the side that faces the corner.
        let least = |p: Vec2, q: Vec2| (INSET * (q - p).length() / area2.abs()).min(0.3);
        Some(FlatTriangle {
            corners,
            area2,
            inset: [least(b, c), least(c, a), least(a, b)],
        })
    }

    /// The weights of the corners.
    fn barycentric(&self, p: Vec2) -> [f32; 3] {
        let [a, b, c] = self.corners;
        let b1 = (p - a).perp_dot(c - a) / self.area2;
        let b2 = (b - a).perp_dot(p - a) / self.area2;
        [1.0 - b1 - b2, b1, b2]
    }

    /// The weights of a point in the triangle, moved off its border.
    fn inside(&self, p: Vec2) -> Option<Vec2> {
        let weights = self.barycentric(p);
        // If this is not zero, no point on a common edge is missed by both triangles.
        weights.iter().all(|&w| w >= -1e-4).then(|| self.inset(weights))
    }

    fn inset(&self, mut weights: [f32; 3]) -> Vec2 {
        for (weight, least) in weights.iter_mut().zip(self.inset) {
            *weight = weight.max(least);
        }
        let sum: f32 = weights.iter().sum();
        Vec2::new(weights[1], weights[2]) / sum
    }

    /// Calls `f` with every texel that the triangle touches.
    fn visit(&self, size: UVec2, mut f: impl FnMut(UVec2, &FlatTriangle)) {
        let [a, b, c] = self.corners;
        let (min, max) = (a.min(b).min(c), a.max(b).max(c));
        let first = min.floor().max(Vec2::ZERO).as_uvec2();
        let last = max.floor().max(Vec2::ZERO).as_uvec2().min(size.saturating_sub(UVec2::ONE));
        for y in first.y..=last.y {
            for x in first.x..=last.x {
                let at = UVec2::new(x, y);
                if self.touches(at.as_vec2() + 0.5) {
                    f(at, self);
                }
            }
        }
    }

    /// Returns whether the texel around `center` touches the triangle (no edge has all of it outside).
    fn touches(&self, center: Vec2) -> bool {
        (0..3).all(|i| {
            let (p, q) = (self.corners[i], self.corners[(i + 1) % 3]);
            let inward = (q - p).perp() * self.area2.signum();
            inward.dot(center - p) + 0.5 * (inward.x.abs() + inward.y.abs()) > 0.0
        })
    }

    /// Area and centroid of the triangle clipped to the texel around `center`.
    fn piece(&self, center: Vec2) -> (f32, Vec2) {
        let mut polygon: Vec<Vec2> = self.corners.iter().map(|&p| p - center).collect();
        // Sutherland & Hodgman 1974, "Reentrant Polygon Clipping".
        for (axis, sign) in [(Vec2::X, 1.0), (Vec2::X, -1.0), (Vec2::Y, 1.0), (Vec2::Y, -1.0)] {
            let inside = |p: Vec2| 0.5 - sign * p.dot(axis);
            let mut clipped = Vec::with_capacity(polygon.len() + 1);
            for (i, &p) in polygon.iter().enumerate() {
                let q = polygon[(i + 1) % polygon.len()];
                let (at_p, at_q) = (inside(p), inside(q));
                if at_p >= 0.0 {
                    clipped.push(p);
                }
                if (at_p >= 0.0) != (at_q >= 0.0) {
                    clipped.push(p.lerp(q, at_p / (at_p - at_q)));
                }
            }
            polygon = clipped;
        }
        let Some(&first) = polygon.first() else {
            return (0.0, center);
        };
        let (mut area, mut moment) = (0.0, Vec2::ZERO);
        for side in polygon.windows(2).skip(1) {
            let part = 0.5 * (side[0] - first).perp_dot(side[1] - first).abs();
            area += part;
            moment += (first + side[0] + side[1]) * (part / 3.0);
        }
        (area, center + if area > 0.0 { moment / area } else { first })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_touched_texel_has_a_point_within() {
        let corners = [Vec2::new(0.2, 0.3), Vec2::new(7.9, 1.1), Vec2::new(2.4, 6.2)];
        let shape = FlatTriangle::new(corners).unwrap();
        let mut area = 0.0;
        shape.visit(UVec2::new(8, 8), |at, shape| {
            let mut cell = Cell::EMPTY;
            cell.add(at, 0, 0, shape);
            let (piece, _) = shape.piece(at.as_vec2() + 0.5);
            area += piece;
            assert!(piece < 1e-5 || cell.samples().count() > 0, "{at} has no point");
            for sample in cell.samples() {
                let [b1, b2] = sample.barycentric.to_array();
                assert!(b1 > 0.0 && b2 > 0.0 && b1 + b2 < 1.0);
            }
        });
        assert!((area - 0.5 * shape.area2.abs()).abs() < 1e-3, "{area}");
    }

    #[test]
    fn the_chart_at_the_centre_has_the_texel() {
        let left =
            FlatTriangle::new([Vec2::new(-2.0, -2.0), Vec2::new(0.4, -2.0), Vec2::new(0.4, 9.0)]).unwrap();
        let right =
            FlatTriangle::new([Vec2::new(0.4, -9.0), Vec2::new(9.0, 0.5), Vec2::new(0.4, 9.0)]).unwrap();
        let mut cell = Cell::EMPTY;
        cell.add(UVec2::ZERO, 0, 0, &left);
        assert_eq!(cell.chart, 0);
        cell.add(UVec2::ZERO, 1, 1, &right);
        cell.add(UVec2::ZERO, 0, 0, &left);
        assert!(cell.chart == 1 && cell.samples().all(|sample| sample.triangle == 1));
    }

    #[test]
    fn the_middle_comes_first() {
        assert_eq!(grid_points()[0], OFFSET);
    }
}
