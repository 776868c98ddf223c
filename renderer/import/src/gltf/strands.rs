//! Lines and points of glTF primitives.

use glam::Vec3;
use gltf::Semantic;
use gltf::mesh::{Mode, Primitive};

use super::GltfError;
use super::accessor::{components, indices, vectors};
use super::buffers::Buffers;
use crate::model::{StrandKind, StrandSet};

/// Memory of a vertex of a line, with its colour [bytes].
const VERTEX_BYTES: usize = 32;

/// Lines or points of a primitive; `None` for triangles and without positions.
pub(super) fn strands(
    mesh: &gltf::Mesh<'_>,
    primitive: &Primitive<'_>,
    buffers: &Buffers,
) -> Result<Option<StrandSet>, GltfError> {
    let kind = match primitive.mode() {
        Mode::Points => StrandKind::Points,
        Mode::Lines | Mode::LineLoop | Mode::LineStrip => StrandKind::Lines,
        Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan => return Ok(None),
    };
    let Some(accessor) = primitive.get(&Semantic::Positions) else {
        return Ok(None);
    };
    let count = primitive.indices().map_or(accessor.count(), |indices| indices.count());
    let allocate = |vertices: usize| buffers.budget.allocate("lines and points", vertices, VERTEX_BYTES);
    allocate(count + accessor.count()).map_err(|excess| excess.to_string())?;
    let positions: Vec<[f32; 3]> = vectors(&accessor, buffers)?;
    let mut order = match primitive.indices() {
        Some(accessor) => indices(&accessor, buffers)?,
        None => (0..positions.len() as u32).collect(),
    };
    order.retain(|&index| (index as usize) < positions.len());
    let counts = match primitive.mode() {
        Mode::Lines => {
            order.truncate(order.len() / 2 * 2);
            vec![2; order.len() / 2]
        }
        Mode::LineLoop if order.len() > 2 => {
            order.push(order[0]);
            vec![order.len() as u32]
        }
        Mode::LineLoop | Mode::LineStrip => vec![order.len() as u32],
        _ => vec![],
    };
    let colors = match primitive.get(&Semantic::Colors(0)) {
        Some(accessor) if components(accessor.dimensions()) == 3 => vectors(&accessor, buffers)?,
        Some(accessor) => (vectors::<4>(&accessor, buffers)?.into_iter())
            .map(|[r, g, b, _]| [r, g, b])
            .collect(),
        None => vec![],
    };
    let color = |&index: &u32| colors.get(index as usize).copied().unwrap_or([1.0; 3]);
    Ok(Some(StrandSet {
        kind,
        counts,
        colors: match colors.is_empty() {
            true => vec![],
            false => order.iter().flat_map(color).collect(),
        },
        positions: order.iter().map(|&index| Vec3::from_array(positions[index as usize])).collect(),
        radius: radius(primitive.extras()).or_else(|| radius(mesh.extras())),
    }))
}

/// The positive number `radius` of extras.
fn radius(extras: &gltf::json::Extras) -> Option<f32> {
    let extras: serde_json::Value = serde_json::from_str(extras.as_ref()?.get()).ok()?;
    let radius = extras.get("radius")?.as_f64()? as f32;
    (radius > 0.0 && radius.is_finite()).then_some(radius)
}
