//! Vertex motion: positions and normals of a mesh at uniform times of the shutter interval, as of skins and morph targets.

use std::sync::Arc;

use glam::Vec3;

use super::mesh::padded;
use super::placement::{MAX_PLACEMENT_KEYS, segment};
use super::{Mesh, MeshError};
use renderer_base::math::Bounds;

/// Vertices of a mesh at uniform times of the shutter interval, both ends included; interpolated linearly.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexMotion {
    /// Positions by key, object space; each list is padded for Embree.
    positions: Vec<Vec<Vec3>>,
    /// Normals by key; empty if the mesh has none.
    normals: Vec<Vec<Vec3>>,
}

impl VertexMotion {
    /// The motion of meshes with the same triangles; `None` if nothing moves.
    ///
    /// # Errors
    /// If the meshes differ in their numbers of vertices.
    ///
    /// # Panics
    /// If there is no mesh, or more than [`MAX_PLACEMENT_KEYS`].
    pub fn new(keys: &[Arc<Mesh>]) -> Result<Option<VertexMotion>, MeshError> {
        assert!(keys.len() <= MAX_PLACEMENT_KEYS, "Embree has a maximum number of time steps");
        let first = &keys[0];
        let vertices = first.positions.len();
        for key in keys {
            for (attribute, found) in [("positions", key.positions.len()), ("normals", key.normals.len())] {
                if found != vertices && !(attribute == "normals" && found == first.normals.len()) {
                    return Err(MeshError::AttributeLength { attribute, found, vertices });
                }
            }
        }
        let is_constant = keys
            .iter()
            .all(|key| key.positions == first.positions && key.normals == first.normals);
        if is_constant {
            return Ok(None);
        }
        let has_normals = !first.normals.is_empty();
        let normals = keys.iter().filter(|_| has_normals).map(|key| key.normals.clone());
        Ok(Some(VertexMotion {
            positions: keys.iter().map(|key| padded(key.positions.iter().copied())).collect(),
            normals: normals.collect(),
        }))
    }

    /// Positions by key.
    pub fn positions(&self) -> &[Vec<Vec3>] {
        &self.positions
    }

    /// Normals by key; empty if the mesh has none.
    pub fn normals(&self) -> &[Vec<Vec3>] {
        &self.normals
    }

    /// Position of a vertex at a time of the shutter interval.
    #[inline]
    pub(super) fn position(&self, index: usize, time: f32) -> Vec3 {
        interpolated(&self.positions, index, time)
    }

    /// Normal of a vertex at a time of the shutter interval, not normalized; zero if the mesh has none.
    #[inline]
    pub(super) fn normal(&self, index: usize, time: f32) -> Vec3 {
        match self.normals.is_empty() {
            true => Vec3::ZERO,
            false => interpolated(&self.normals, index, time),
        }
    }

    /// Object-space bounds over the shutter interval.
    pub(super) fn bounds(&self) -> Bounds {
        Bounds::of_points(self.positions.iter().flatten().copied())
    }

    /// Memory in use [bytes].
    pub(super) fn memory(&self) -> usize {
        self.positions.iter().chain(&self.normals).map(|key| size_of_val(&**key)).sum()
    }
}

fn interpolated(keys: &[Vec<Vec3>], index: usize, time: f32) -> Vec3 {
    let (key, fraction) = segment(time, keys.len());
    keys[key][index] * (1.0 - fraction) + keys[key + 1][index] * fraction
}
