//! New accessors of a document: float vertex attributes, and triangles.

use serde_json::json;

use super::document::{Document, ViewKind};
use renderer_base::math::Bounds;

impl Document {
    /// Adds a vertex attribute of 2, 3 or 4 floats; returns the index of its accessor.
    pub fn add_floats<const N: usize>(&mut self, values: &[[f32; N]]) -> usize {
        let bytes = values.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        let view = self.add_view(bytes, ViewKind::Vertices(None));
        // 5126: float.
        self.add(
            "accessors",
            json!({
                "bufferView": view,
                "componentType": 5126,
                "count": values.len(),
                "type": format!("VEC{N}"),
            }),
        )
    }

    /// Adds vertex positions, with their bounds in the accessor.
    pub fn add_positions(&mut self, positions: &[[f32; 3]]) -> usize {
        let bounds = Bounds::of_points(positions.iter().map(|&p| p.into()));
        let index = self.add_floats(positions);
        let accessor = &mut self.json["accessors"][index];
        accessor["min"] = json!(bounds.min.to_array());
        accessor["max"] = json!(bounds.max.to_array());
        index
    }

    /// Adds the indices of triangles; returns the index of their accessor.
    pub fn add_triangles(&mut self, triangles: &[[u32; 3]]) -> usize {
        let bytes = triangles.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        let view = self.add_view(bytes, ViewKind::Indices);
        // 5125: unsigned int.
        self.add(
            "accessors",
            json!({ "bufferView": view, "componentType": 5125, "count": 3 * triangles.len(), "type": "SCALAR" }),
        )
    }
}
