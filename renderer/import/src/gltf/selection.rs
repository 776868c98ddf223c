//! Vertices of accessors that a primitive uses.

/// The vertices that a mesh has: all vertices of the accessors, or those that triangles use, in ascending order.
///
/// Primitives often share the accessors of a whole model. Each then reads its own vertices only.
#[derive(Debug)]
pub(super) struct VertexSelection(Option<Vec<u32>>);

impl VertexSelection {
    /// Selects from `count` vertices. If these are more than the triangles have corners, the unused ones are dropped, and
    /// the triangles are renumbered.
    pub(super) fn of(count: usize, triangles: &mut [[u32; 3]]) -> VertexSelection {
        if count <= 3 * triangles.len() {
            return VertexSelection(None);
        }
        let mut used = triangles.as_flattened().to_vec();
        used.sort_unstable();
        used.dedup();
        for index in triangles.as_flattened_mut() {
            // Each index was inserted above.
            *index = used.partition_point(|known| known < index) as u32;
        }
        VertexSelection(Some(used))
    }

    /// Indices of the selected vertices; `None` for all.
    pub(super) fn picked(&self) -> Option<&[u32]> {
        self.0.as_deref()
    }

    /// Number of selected vertices, of `count`.
    pub(super) fn count(&self, count: usize) -> usize {
        self.0.as_ref().map_or(count, Vec::len)
    }

    /// Values of the selected vertices; missing ones are left out.
    pub(super) fn pick<T: Copy>(&self, values: &[T]) -> Vec<T> {
        match &self.0 {
            None => values.to_vec(),
            Some(used) => {
                let picked = used.iter().filter_map(|&index| values.get(index as usize));
                picked.copied().collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_vertices_are_dropped() {
        let mut triangles = [[7, 2, 900], [2, 7, 3]];
        let selection = VertexSelection::of(1000, &mut triangles);
        assert_eq!(selection.picked(), Some(&[2, 3, 7, 900][..]));
        assert_eq!(triangles, [[2, 0, 3], [0, 2, 1]]);
        assert_eq!(VertexSelection::of(6, &mut triangles).picked(), None);
    }
}
