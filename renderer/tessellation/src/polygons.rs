//! Bilinear interpolation over the parts of polygons.

use glam::{Vec2, Vec3};

use crate::attributes::AttributeBasis;
use crate::cage::Cage;
use crate::patch::Patch;
use crate::point::Point;

/// Weights of the corners of a patch.
fn bilinear(st: Vec2) -> [f32; 4] {
    let (s, t) = (st.x, st.y);
    [(1.0 - s) * (1.0 - t), s * (1.0 - t), s * t, (1.0 - s) * t]
}

/// The point of a polygonal surface; `points` are those of the cage.
pub(crate) fn point(cage: &Cage, patch: Patch, points: &[[f32; 3]], st: Vec2) -> Point {
    let at = |corner: u32| Vec3::from_array(points[cage.points[corner as usize] as usize]);
    let corners = patch_corners(cage, patch, at);
    let [a, b, c, d] = corners;
    let sum = |weights: [f32; 4]| corners.iter().zip(weights).map(|(&p, w)| p * w).sum();
    Point {
        p: sum(bilinear(st)),
        dpds: (b - a).lerp(c - d, st.y),
        dpdt: (d - a).lerp(c - b, st.x),
    }
}

/// The values at the corners of a patch.
fn patch_corners(cage: &Cage, patch: Patch, at: impl Fn(u32) -> Vec3) -> [Vec3; 4] {
    let corners = cage.face(patch.face);
    let count = corners.end - corners.start;
    let around = |offset: u32| at(corners.start + (patch.corner - corners.start + offset) % count);
    let (own, next, last) = (around(0), around(1), around(count - 1));
    match patch.is_whole {
        true => [own, next, around(2), last],
        false => {
            let center = corners.map(&at).sum::<Vec3>() / count as f32;
            [own, own.midpoint(next), center, own.midpoint(last)]
        }
    }
}

/// Weights of the vertices at the corners of the polygon.
pub(crate) fn attribute_basis(cage: &Cage, patch: Patch, st: Vec2) -> AttributeBasis {
    let corners = cage.face(patch.face);
    let count = corners.end - corners.start;
    let [own, next, opposite, last] = bilinear(st);
    let mut weights = vec![0.0; count as usize];
    let place = |offset: u32| ((patch.corner - corners.start + offset) % count) as usize;
    if patch.is_whole {
        for (offset, weight) in [own, next, opposite, last].into_iter().enumerate() {
            weights[place(offset as u32)] += weight;
        }
    } else {
        weights.fill(opposite / count as f32);
        weights[place(0)] += own + 0.5 * (next + last);
        weights[place(1)] += 0.5 * next;
        weights[place(count - 1)] += 0.5 * last;
    }
    AttributeBasis {
        indices: corners.map(|corner| cage.vertices[corner as usize]).collect(),
        weights,
    }
}
