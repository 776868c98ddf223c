//! Meshes over a grid, as OBJ texts.

use std::fmt::Write as _;

use glam::{Vec2, Vec3};

/// A grid of `columns` × `rows` cells whose vertices are at `place` of (0, 0) to (1, 1), with smooth normals.
pub(super) fn obj(columns: usize, rows: usize, place: impl Fn(Vec2) -> Vec3) -> String {
    let mut text = String::new();
    let size = Vec2::new(columns as f32, rows as f32);
    let step = 0.25 / size;
    for row in 0..=rows {
        for column in 0..=columns {
            let uv = Vec2::new(column as f32, row as f32) / size;
            let p = place(uv);
            let along = |step: Vec2| place(uv + step) - place(uv - step);
            let n = along(step * Vec2::Y).cross(along(step * Vec2::X)).normalize_or(Vec3::Y);
            let _ = writeln!(
                text,
                "v {} {} {}\nvt {} {}\nvn {} {} {}",
                p.x, p.y, p.z, uv.x, uv.y, n.x, n.y, n.z
            );
        }
    }
    for row in 0..rows {
        for column in 0..columns {
            let a = row * (columns + 1) + column + 1;
            let corners = [a, a + columns + 1, a + columns + 2, a + 1];
            let corners = corners.map(|index| format!("{index}/{index}/{index}"));
            let _ = writeln!(text, "f {}", corners.join(" "));
        }
    }
    text
}
