//! Points of a mesh: places that vertices share.

use rustc_hash::FxHashMap;

use crate::TessellationError;
use renderer_geometry::{Mesh, weld};

/// Points of a mesh: places that vertices share.
pub(crate) struct Points {
    /// Point of each vertex.
    pub(crate) of_vertex: Vec<u32>,
    /// A vertex at each point.
    pub(crate) vertex_of_point: Vec<u32>,
    /// Point of each index in the file.
    of_index: FxHashMap<u32, u32>,
}

impl Points {
    pub(crate) fn of(mesh: &Mesh) -> Points {
        let given = mesh
            .faces
            .as_ref()
            .map(|faces| &faces.points)
            .filter(|points| !points.is_empty());
        let numbers = match given {
            Some(points) => points.clone(),
            None => weld(&mesh.positions),
        };
        let mut known = FxHashMap::default();
        let mut vertex_of_point = vec![];
        let number = |(vertex, &number): (usize, &u32)| {
            *known.entry(number).or_insert_with(|| {
                vertex_of_point.push(vertex as u32);
                vertex_of_point.len() as u32 - 1
            })
        };
        let of_vertex: Vec<u32> = numbers.iter().enumerate().map(number).collect();
        // Without indices of the file, those of the vertices are meant.
        let of_index = given.map_or_else(
            || {
                of_vertex
                    .iter()
                    .enumerate()
                    .map(|(vertex, &point)| (vertex as u32, point))
                    .collect()
            },
            |_| known,
        );
        Points { of_vertex, vertex_of_point, of_index }
    }

    /// Point of an index in the file.
    pub(crate) fn of_file(&self, index: u32) -> Result<u32, TessellationError> {
        self.of_index.get(&index).copied().ok_or(TessellationError::OutOfRange {
            what: "point",
            index,
            count: self.vertex_of_point.len(),
        })
    }
}
