//! Vertex and index buffers of meshes, read by Embree in place.

use std::sync::Arc;

use glam::Vec3;

use super::mesh::{Mesh, first, is_padded, padded};
use super::shape::Shape;
use super::surface::Vertex;
use super::vertex_motion::VertexMotion;
use super::world_vertices::WorldVertices;

/// Triangles of a mesh in object space, or of a shape in world space. The buffers keep their addresses and contents
/// during the lifetime of this value.
#[derive(Clone, Debug)]
pub struct TracedTriangles {
    mesh: Arc<Mesh>,
    positions: Arc<WorldVertices>,
    /// Positions at uniform times of the shutter interval, which replace `positions`, if the vertices move.
    motion: Option<Arc<VertexMotion>>,
}

/// Vertex buffer of positions. 16 bytes are readable from the address of each position.
#[derive(Clone, Copy, Debug)]
pub struct PositionArray {
    /// Address of the first position.
    pub first: *const Vec3,
    /// Distance between consecutive positions [bytes].
    pub stride: usize,
    /// Number of elements.
    pub count: usize,
}

impl TracedTriangles {
    /// The triangles of a mesh.
    pub fn of_mesh(mesh: &Arc<Mesh>) -> TracedTriangles {
        let positions = if is_padded(&mesh.positions) {
            WorldVertices::InPlace
        } else {
            WorldVertices::Positions(padded(mesh.positions.iter().copied()))
        };
        TracedTriangles {
            mesh: mesh.clone(),
            positions: Arc::new(positions),
            motion: None,
        }
    }

    /// The triangles with moving vertices.
    #[must_use]
    pub(crate) fn with_motion(self, motion: Option<&Arc<VertexMotion>>) -> TracedTriangles {
        TracedTriangles { motion: motion.cloned(), ..self }
    }

    /// The world-space triangles of a shape; `None` on analytic shapes.
    pub fn of_shape(shape: &Shape) -> Option<TracedTriangles> {
        let mesh = shape.mesh()?;
        let positions = match shape.world_vertices() {
            Some(world_vertices) => world_vertices.clone(),
            None => Arc::new(WorldVertices::positions(shape.world_positions(mesh))),
        };
        Some(TracedTriangles { mesh: mesh.clone(), positions, motion: None })
    }

    /// Positions of the vertices by time step; one step if they do not move.
    pub fn steps(&self) -> Vec<PositionArray> {
        let array = |positions: &Vec<Vec3>| PositionArray {
            first: positions.as_ptr(),
            stride: size_of::<Vec3>(),
            count: positions.len(),
        };
        match &self.motion {
            None => vec![self.positions()],
            Some(motion) => motion.positions().iter().map(array).collect(),
        }
    }

    /// Positions of the vertices.
    pub fn positions(&self) -> PositionArray {
        let packed = |positions: &Vec<Vec3>| PositionArray {
            first: positions.as_ptr(),
            stride: size_of::<Vec3>(),
            count: positions.len(),
        };
        match &*self.positions {
            WorldVertices::Full { vertices, .. } => PositionArray {
                first: vertices.as_ptr().cast(),
                stride: size_of::<Vertex>(),
                count: vertices.len(),
            },
            WorldVertices::Positions(positions) => packed(positions),
            WorldVertices::InPlace => packed(&self.mesh.positions),
        }
    }

    /// The vertices of each triangle.
    pub fn indices(&self) -> &[[u32; 3]] {
        &self.mesh.triangles
    }

    /// The first index out of range; `None` for a validated mesh.
    pub fn index_out_of_range(&self) -> Option<u32> {
        let count = self.positions().count;
        let is_outside = |index: &u32| *index as usize >= count;
        let indices = self.mesh.triangles.as_flattened();
        first(indices, is_outside).map(|at| indices[at])
    }
}

#[cfg(test)]
mod tests {
    use glam::Affine3A;

    use super::*;
    use crate::{Geometry, add_world_meshes};

    fn globe() -> Mesh {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
        Mesh::new(positions, vec![[0, 1, 2]]).expect("the mesh is right")
    }

    #[test]
    fn positions_lie_in_one_place() {
        let mesh = Arc::new(globe());
        let traced = TracedTriangles::of_mesh(&mesh);
        assert_eq!(traced.positions().first, mesh.positions.as_ptr());
        assert_eq!(traced.indices().as_ptr(), mesh.triangles.as_ptr());
        // A copy of a list has no room behind its end.
        let tight = Arc::new(Mesh::clone(&mesh));
        assert!(!is_padded(&tight.positions));
        assert_ne!(TracedTriangles::of_mesh(&tight).positions().first, tight.positions.as_ptr());

        let shape = |place| Shape::new(Geometry::Mesh(mesh.clone()), place);
        let mut large = shape(Affine3A::IDENTITY);
        large.add_world_positions();
        let traced = TracedTriangles::of_shape(&large).expect("the shape is a mesh");
        assert_eq!(traced.positions().first, mesh.positions.as_ptr());
        let mut moved = shape(Affine3A::from_translation(Vec3::X));
        moved.add_world_positions();
        assert_eq!(moved.triangle(0)[0], Vec3::X);
        assert_ne!(
            TracedTriangles::of_shape(&moved)
                .expect("the shape is a mesh")
                .positions()
                .first,
            mesh.positions.as_ptr()
        );
        let mut small = [shape(Affine3A::IDENTITY)];
        add_world_meshes(&mut small);
        let traced = TracedTriangles::of_shape(&small[0]).expect("the shape is a mesh");
        assert_eq!((traced.positions().stride, traced.positions().count), (32, 3));
    }
}
