//! Validation of a mesh's texture coordinates as those of a lightmap: unit square, no overlap.

use std::fmt;

use glam::Vec2;

use super::overlap::overlaps;
use super::unwrap::Flat;
use renderer_geometry::{DisjointSets, Mesh, Shape};

/// Tolerance outside of the unit square: rounding of exporters.
const TOLERANCE: f32 = 1e-4;

/// Error in a set of texture coordinates.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Unfit {
    /// The set is missing.
    Missing,
    /// A triangle leaves the unit square.
    OutOfRange {
        /// The triangle.
        triangle: usize,
        /// The corner outside.
        uv: Vec2,
        /// Number of triangles outside.
        count: usize,
    },
    /// Triangles overlap.
    Overlap {
        /// An overlapping pair.
        pair: (u32, u32),
        /// Number of overlapping pairs counted; a lower bound if `more`.
        count: usize,
        /// True if the counting ended early.
        more: bool,
    },
    /// The triangles have no area.
    NoArea,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Missing => f.write_str("there is no second set of texture coordinates"),
            Unfit::OutOfRange { triangle, uv, count } => write!(
                f,
                "triangle {triangle} leaves the unit square at ({}, {}){}",
                uv.x,
                uv.y,
                others(*count, "triangle")
            ),
            Unfit::Overlap { pair, count, more } => write!(
                f,
                "triangles {} and {} overlap{}{}",
                pair.0,
                pair.1,
                others(*count, "pair"),
                if *more { " or more" } else { "" }
            ),
            Unfit::NoArea => f.write_str("the triangles have no area"),
        }
    }
}

fn others(count: usize, what: &str) -> String {
    match count {
        0 | 1 => String::new(),
        2 => format!(", and 1 other {what}"),
        n => format!(", and {} other {what}s", n - 1),
    }
}

/// Checks a set of texture coordinates of a mesh.
///
/// # Errors
/// The first problem.
pub(super) fn check(mesh: &Mesh, uvs: &[Vec2]) -> Result<(), Unfit> {
    if uvs.is_empty() {
        return Err(Unfit::Missing);
    }
    check_triangles(&corners(mesh, uvs))
}

/// Checks flat triangles, of which there are some.
///
/// # Errors
/// The first problem.
pub(super) fn check_triangles(triangles: &[[Vec2; 3]]) -> Result<(), Unfit> {
    let outside = |uv: &Vec2| uv.min_element() < -TOLERANCE || uv.max_element() > 1.0 + TOLERANCE;
    let mut leaving = triangles.iter().enumerate().filter(|(_, t)| t.iter().any(outside));
    if let Some((triangle, corners)) = leaving.next() {
        let uv = corners.iter().copied().find(outside).unwrap_or_default();
        let count = 1 + leaving.count();
        return Err(Unfit::OutOfRange { triangle, uv, count });
    }
    if uv_area(triangles) <= 0.0 {
        return Err(Unfit::NoArea);
    }
    const LIMIT: usize = 1000;
    let pairs = overlaps(triangles, LIMIT);
    match pairs.first() {
        None => Ok(()),
        Some(&pair) => Err(Unfit::Overlap { pair, count: pairs.len(), more: pairs.len() == LIMIT }),
    }
}

/// Mesh flattened by a set of its texture coordinates, scaled to preserve its area.
pub(super) fn flatten(mesh: &Mesh, shape: &Shape, uvs: &[Vec2]) -> Flat {
    let side = (f64::from(shape.area()) / uv_area(&corners(mesh, uvs))).sqrt() as f32;
    let triangle_chart = islands(mesh);
    let mut vertex_chart = vec![0; mesh.positions.len()];
    for (triangle, &chart) in mesh.triangles.iter().zip(&triangle_chart) {
        for &index in triangle {
            vertex_chart[index as usize] = chart;
        }
    }
    let flip = |uv: Vec2| Vec2::new(uv.x, 1.0 - uv.y).clamp(Vec2::ZERO, Vec2::ONE) * side;
    Flat {
        mesh: mesh.clone(),
        places: uvs.iter().map(|&uv| flip(uv)).collect(),
        vertex_chart,
        triangle_chart,
        blocks: vec![Vec2::splat(side)],
        fixed: true,
        shared: false,
    }
}

/// The texture coordinates of all corners.
pub(super) fn corners(mesh: &Mesh, uvs: &[Vec2]) -> Vec<[Vec2; 3]> {
    let uv = |index: u32| uvs[index as usize];
    mesh.triangles.iter().map(|t| t.map(uv)).collect()
}

fn uv_area(triangles: &[[Vec2; 3]]) -> f64 {
    let area = |[a, b, c]: &[Vec2; 3]| (*b - *a).as_dvec2().perp_dot((*c - *a).as_dvec2()).abs();
    0.5 * triangles.iter().map(area).sum::<f64>()
}

/// Island of each triangle: connected by vertices.
fn islands(mesh: &Mesh) -> Vec<u32> {
    let mut sets = DisjointSets::new(mesh.positions.len());
    for &[a, b, c] in &mesh.triangles {
        sets.join(a, b);
        sets.join(a, c);
    }
    sets.numbers(mesh.triangles.iter().map(|triangle| triangle[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_square(uvs: &[Vec2]) -> Result<(), Unfit> {
        check(&Mesh::rectangle(), uvs)
    }

    #[test]
    fn fit_and_unfit() {
        let good = vec![Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y];
        assert_eq!(check_square(&good), Ok(()));
        assert_eq!(check_square(&[]), Err(Unfit::Missing));
        assert_eq!(check_square(&[Vec2::ZERO; 4]), Err(Unfit::NoArea));
        let mut wide = good.clone();
        wide[2].x = 1.5;
        let error = check_square(&wide).unwrap_err().to_string();
        assert!(error.starts_with("triangle 0 leaves the unit square at (1.5, 1)"), "{error}");
        let mut folded = good;
        folded[3] = Vec2::new(0.9, 0.1);
        let error = check_square(&folded).unwrap_err().to_string();
        assert_eq!(error, "triangles 0 and 1 overlap");
    }

    #[test]
    fn islands_are_counted() {
        assert_eq!(islands(&Mesh::cube()), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    }
}
