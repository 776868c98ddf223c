//! Displacement of a mesh by a shader.

use std::fmt;
use std::sync::Arc;

use glam::{Affine3A, Vec3};
use rayon::prelude::*;
use shading::ShadingContext;

use crate::material::{DisplacedVertex, DisplacementShader, Host};
use renderer_base::math::inverse;
use renderer_geometry::{Mesh, ShapeId};

/// Displacement of a mesh.
pub(super) struct Displacer {
    pub(super) host: Arc<Host>,
    pub(super) shader: DisplacementShader,
    /// First shape with the mesh, whose transform and attributes the shader sees.
    pub(super) shape: ShapeId,
    pub(super) world_from_object: Affine3A,
    /// True if the mesh keeps the places before displacement as attributes, for bumps.
    pub(super) keeps_places: bool,
}

impl fmt::Debug for Displacer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Displacer of shape {}", self.shape.0)
    }
}

impl Displacer {
    /// The positions of the vertices after displacement, in object space.
    pub(super) fn displaced(&self, mesh: &Mesh) -> Vec<Vec3> {
        const VERTICES: usize = 1 << 12;
        let triangles = first_triangles(mesh);
        let object_from_world = inverse(&self.world_from_object);
        let mut positions = mesh.positions.clone();
        positions.par_chunks_mut(VERTICES).enumerate().for_each(|(chunk, positions)| {
            let mut context = ShadingContext::new(self.host.clone());
            for (index, position) in positions.iter_mut().enumerate() {
                let vertex = chunk * VERTICES + index;
                let at = self.vertex(mesh, vertex, triangles[vertex], &object_from_world);
                *position = object_from_world.transform_point3(self.shader.displaced(&at, &mut context));
            }
        });
        positions
    }

    /// A vertex as seen by the shader.
    fn vertex(
        &self,
        mesh: &Mesh,
        vertex: usize,
        triangle: u32,
        object_from_world: &Affine3A,
    ) -> DisplacedVertex {
        let corners = mesh.triangles.get(triangle as usize).copied().unwrap_or([vertex as u32; 3]);
        let own = corners.iter().position(|&corner| corner as usize == vertex).unwrap_or(0);
        let [a, b, c] = [0, 1, 2].map(|i| corners[(own + i) % 3] as usize);
        let world = |i: usize| self.world_from_object.transform_point3(mesh.positions[i]);
        let p = world(a);
        let edges = [world(b) - p, world(c) - p];
        let uv = |i: usize| mesh.uvs.get(i).map_or([0.0; 2], |uv| uv.to_array());
        let uv_edge = |i: usize| [0, 1].map(|axis| uv(i)[axis] - uv(a)[axis]);
        let normal = mesh
            .normals
            .get(a)
            .map(|&n| (object_from_world.matrix3.transpose() * n).normalize_or_zero());
        DisplacedVertex {
            shape: self.shape,
            triangle,
            p,
            n: normal.unwrap_or_else(|| edges[0].cross(edges[1]).normalize_or_zero()),
            uv: uv(a),
            edges,
            uv_edges: [uv_edge(b), uv_edge(c)],
        }
    }
}

/// The first triangle at each vertex.
fn first_triangles(mesh: &Mesh) -> Vec<u32> {
    let mut first = vec![u32::MAX; mesh.positions.len()];
    for (index, triangle) in mesh.triangles.iter().enumerate().rev() {
        for &vertex in triangle {
            first[vertex as usize] = index as u32;
        }
    }
    first
}
