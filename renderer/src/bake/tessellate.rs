//! Analytic shapes as triangles: engines know no others.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3};

use crate::geometry::{Analytic, Mesh};

/// Segments of a full turn.
const SEGMENTS: u32 = 64;

/// A mesh whose vertices lie on the surface, with its normals and surface parameters.
pub(super) fn tessellate(surface: Analytic) -> Mesh {
    match surface {
        Analytic::Sphere => grid(SEGMENTS, SEGMENTS / 2, |u, v| {
            let (sin, cos) = (PI * v).sin_cos();
            // The poles close to the last bit, as the seam does.
            let p = about_z(u, if v == 1.0 { 0.0 } else { sin }, -cos);
            (p, p)
        }),
        // u is the radius: the centre is a vertex for each wedge.
        Analytic::Disk => grid(1, SEGMENTS, |u, v| (about_z(v, u, 0.0), Vec3::Z)),
        Analytic::Cylinder => grid(SEGMENTS, 1, |u, v| {
            let n = about_z(u, 1.0, 0.0);
            (n.with_z(v), n)
        }),
    }
}

fn about_z(turns: f32, radius: f32, z: f32) -> Vec3 {
    // The seam closes to the last bit.
    let turns = if turns == 1.0 { 0.0 } else { turns };
    let (sin, cos) = (TAU * turns).sin_cos();
    Vec3::new(radius * cos, radius * sin, z)
}

/// A grid of `columns × rows` cells over the surface parameters; `at` gives position and normal.
fn grid(columns: u32, rows: u32, at: impl Fn(f32, f32) -> (Vec3, Vec3)) -> Mesh {
    let mut mesh = Mesh::default();
    for row in 0..=rows {
        for column in 0..=columns {
            let uv = Vec2::new(column as f32 / columns as f32, row as f32 / rows as f32);
            let (p, n) = at(uv.x, uv.y);
            mesh.positions.push(p);
            mesh.normals.push(n.normalize_or(Vec3::Z));
            mesh.uvs.push(uv);
        }
    }
    for row in 0..rows {
        for column in 0..columns {
            let a = row * (columns + 1) + column;
            let (b, c, d) = (a + 1, a + columns + 2, a + columns + 1);
            for triangle in [[a, b, c], [a, c, d]] {
                let [p, q, r] = triangle.map(|i| mesh.positions[i as usize]);
                // At a pole two corners fall together.
                if (q - p).cross(r - p).length_squared() > 1e-12 {
                    mesh.triangles.push(triangle);
                }
            }
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_the_way_the_surface_does() {
        for surface in [Analytic::Sphere, Analytic::Disk, Analytic::Cylinder] {
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
