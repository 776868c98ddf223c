//! glTF primitives (triangles, strips, fans) to meshes.

use glam::{Vec2, Vec3};
use gltf::Semantic;
use gltf::mesh::{Mode, Primitive};

use super::Fault;
use super::accessor::{components, indices, vectors};
use super::buffers::Buffers;
use crate::geometry::Mesh;

/// The mesh of a primitive, not yet validated; `Err` of the inner kind when there is nothing to show, and why.
pub(super) fn mesh(
    primitive: &Primitive<'_>,
    buffers: &Buffers,
) -> Result<Result<Mesh, &'static str>, Fault> {
    let Some(positions) = primitive.get(&Semantic::Positions) else {
        return Ok(Err("it has no positions"));
    };
    let positions: Vec<Vec3> = vectors(&positions, buffers)?
        .into_iter()
        .map(Vec3::from_array)
        .collect();
    let order = match primitive.indices() {
        Some(accessor) => indices(&accessor, buffers)?,
        None => {
            (0..u32::try_from(positions.len()).map_err(|_| "a primitive has too many vertices")?).collect()
        }
    };
    let triangles = match primitive.mode() {
        Mode::Triangles => order.as_chunks().0.to_vec(),
        Mode::TriangleStrip => strip(&order),
        Mode::TriangleFan => fan(&order),
        Mode::Points => return Ok(Err("points are not shown")),
        Mode::Lines | Mode::LineLoop | Mode::LineStrip => return Ok(Err("lines are not shown")),
    };
    if triangles.is_empty() {
        return Ok(Err("it has no triangles"));
    }
    let mut mesh = Mesh {
        positions,
        triangles,
        ..Mesh::default()
    };
    if let Some(accessor) = primitive.get(&Semantic::Normals) {
        mesh.normals = vectors(&accessor, buffers)?
            .into_iter()
            .map(Vec3::from_array)
            .collect();
    }
    for (set, uvs) in [(0, &mut mesh.uvs), (1, &mut mesh.uvs2)] {
        if let Some(accessor) = primitive.get(&Semantic::TexCoords(set)) {
            // In Kiln v runs up on surfaces, in glTF down.
            *uvs = vectors(&accessor, buffers)?
                .into_iter()
                .map(|[u, v]| Vec2::new(u, 1.0 - v))
                .collect();
        }
    }
    if let Some(accessor) = primitive.get(&Semantic::Colors(0)) {
        mesh.colors = if components(accessor.dimensions()) == 3 {
            vectors(&accessor, buffers)?
                .into_iter()
                .map(|[r, g, b]| [r, g, b, 1.0])
                .collect()
        } else {
            vectors(&accessor, buffers)?
        };
    }
    Ok(Ok(mesh))
}

/// glTF 2.0, section 3.7.2.1: every other triangle of a strip is turned, so that all face the same way.
fn strip(order: &[u32]) -> Vec<[u32; 3]> {
    let turn = |(i, t): (usize, &[u32])| {
        if i % 2 == 0 {
            [t[0], t[1], t[2]]
        } else {
            [t[0], t[2], t[1]]
        }
    };
    order
        .windows(3)
        .enumerate()
        .map(turn)
        .filter(|t| !is_degenerate(t))
        .collect()
}

fn fan(order: &[u32]) -> Vec<[u32; 3]> {
    let Some((&hub, rim)) = order.split_first() else {
        return vec![];
    };
    rim.windows(2)
        .map(|edge| [edge[0], edge[1], hub])
        .filter(|t| !is_degenerate(t))
        .collect()
}

/// Strips are joined by triangles without area.
fn is_degenerate([a, b, c]: &[u32; 3]) -> bool {
    a == b || b == c || c == a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans_keep_their_side() {
        assert_eq!(strip(&[0, 1, 2, 3]), [[0, 1, 2], [1, 3, 2]]);
        assert_eq!(strip(&[0, 1, 2, 2, 3, 3, 4, 5]), [[0, 1, 2], [3, 5, 4]]);
        assert_eq!(fan(&[0, 1, 2, 3]), [[1, 2, 0], [2, 3, 0]]);
        assert!(fan(&[]).is_empty() && strip(&[1, 2]).is_empty());
    }
}
