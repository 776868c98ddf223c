//! Tessellation of spheres, disks, cylinders and cones for baking.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3};
use rustc_hash::FxHashMap;

use renderer_base::math::sin_cos;
use renderer_geometry::{Analytic, Mesh};

/// Segments of a full turn.
const SEGMENTS: u32 = 64;

/// Mesh whose vertices are on the surface, with its normals and surface parameters.
pub(super) fn tessellate(surface: Analytic) -> Mesh {
    match surface {
        Analytic::Sphere => grid(SEGMENTS, SEGMENTS / 2, |u, v| {
            let (sin, cos) = sin_cos(PI * v);
            // Poles and seam are closed exactly.
            let p = about_z(u, if v == 1.0 { 0.0 } else { sin }, -cos);
            (p, p)
        }),
        // u is the radius: the centre is a vertex for each wedge.
        Analytic::Disk => grid(1, SEGMENTS, |u, v| (about_z(v, u, 0.0), Vec3::Z)),
        Analytic::Cylinder => grid(SEGMENTS, 1, |u, v| {
            let n = about_z(u, 1.0, 0.0);
            (n.with_z(v), n)
        }),
        Analytic::Cone(top) => grid(SEGMENTS, 1, |u, v| {
            let slope = 1.0 - top;
            (about_z(u, 1.0 - slope * v, v), about_z(u, 1.0, slope).normalize())
        }),
    }
}

fn about_z(turns: f32, radius: f32, z: f32) -> Vec3 {
    // The seam is closed exactly.
    let turns = if turns == 1.0 { 0.0 } else { turns };
    let (sin, cos) = sin_cos(TAU * turns);
    Vec3::new(radius * cos, radius * sin, z)
}

/// A grid of `columns × rows` cells over the surface parameters; `at` returns position and normal. Cells at a pole are
/// triangles, and every vertex is used.
fn grid(columns: u32, rows: u32, at: impl Fn(f32, f32) -> (Vec3, Vec3)) -> Mesh {
    let mut mesh = Mesh::default();
    let mut known = FxHashMap::default();
    let mut vertex = |column: u32, row: u32| {
        *known.entry((column, row)).or_insert_with(|| {
            let uv = Vec2::new(column as f32 / columns as f32, row as f32 / rows as f32);
            let (p, n) = at(uv.x, uv.y);
            mesh.positions.push(p);
            mesh.normals.push(n.normalize_or(Vec3::Z));
            mesh.uvs.push(uv);
            mesh.positions.len() as u32 - 1
        })
    };
    let place = |(column, row): (u32, u32)| at(column as f32 / columns as f32, row as f32 / rows as f32).0;
    let mut triangles = vec![];
    for row in 0..rows {
        for column in 0..columns {
            let [a, b, c, d] = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(i, j)| (column + i, row + j));
            for corners in [[a, b, c], [a, c, d]] {
                let [p, q, r] = corners.map(place);
                if (q - p).cross(r - p).length_squared() > 1e-12 {
                    triangles.push(corners.map(|(column, row)| vertex(column, row)));
                }
            }
        }
    }
    mesh.triangles = triangles;
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_the_way_the_surface_does() {
        for surface in [
            Analytic::Sphere,
            Analytic::Disk,
            Analytic::Cylinder,
            Analytic::Cone(0.0),
            Analytic::Cone(0.3),
        ] {
            let mesh = tessellate(surface).validate().unwrap();
            let area = f64::from(mesh.area());
            assert!((area / surface.area() - 1.0).abs() < 0.01, "{surface:?}: {area}");
            for triangle in &mesh.triangles {
                let [a, b, c] = triangle.map(|i| mesh.positions[i as usize]);
                let n = mesh.normals[triangle[0] as usize];
                assert!((b - a).cross(c - a).dot(n) > 0.0, "{surface:?}: {triangle:?}");
            }
        }
    }
}
