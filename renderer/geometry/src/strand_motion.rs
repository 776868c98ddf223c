//! Motion of curves and points: positions, radii and normals at uniform times of the shutter interval.

use glam::{Vec3, Vec4};

use super::placement::{MAX_PLACEMENT_KEYS, segment};

/// Vertices of curves or points at uniform times of the shutter interval, both ends included; interpolated linearly.
#[derive(Clone, Debug, PartialEq)]
pub struct StrandMotion {
    /// Positions and radii by key.
    vertices: Vec<Vec<Vec4>>,
    /// Normals by key; empty if there are none.
    normals: Vec<Vec<Vec3>>,
}

impl StrandMotion {
    /// The motion of vertices and normals by key; `None` if nothing moves.
    ///
    /// # Panics
    /// If there are more keys than [`MAX_PLACEMENT_KEYS`].
    pub(super) fn new<'a>(
        keys: impl Iterator<Item = (&'a [Vec4], &'a [Vec3])> + Clone,
    ) -> Option<StrandMotion> {
        let first = keys.clone().next()?;
        if keys.clone().all(|key| key == first) {
            return None;
        }
        let (vertices, mut normals): (Vec<_>, Vec<_>) =
            keys.map(|(vertices, normals)| (vertices.to_vec(), normals.to_vec())).unzip();
        assert!(
            vertices.len() <= MAX_PLACEMENT_KEYS,
            "Embree has a maximum number of time steps"
        );
        if first.1.is_empty() {
            normals.clear();
        }
        Some(StrandMotion { vertices, normals })
    }

    /// Positions and radii by key.
    pub fn vertices(&self) -> &[Vec<Vec4>] {
        &self.vertices
    }

    /// Normals by key; empty if there are none.
    pub fn normals(&self) -> &[Vec<Vec3>] {
        &self.normals
    }

    /// Position and radius of a vertex at a time of the shutter interval.
    #[inline]
    pub(super) fn vertex(&self, index: usize, time: f32) -> Vec4 {
        let (key, fraction) = segment(time, self.vertices.len());
        self.vertices[key][index] * (1.0 - fraction) + self.vertices[key + 1][index] * fraction
    }

    /// Normal of a vertex at a time of the shutter interval, not normalized.
    #[inline]
    pub(super) fn normal(&self, index: usize, time: f32) -> Vec3 {
        let (key, fraction) = segment(time, self.normals.len());
        self.normals[key][index] * (1.0 - fraction) + self.normals[key + 1][index] * fraction
    }

    /// Memory in use [bytes].
    pub(super) fn memory(&self) -> usize {
        let vertices: usize = self.vertices.iter().map(|key| size_of_val(&**key)).sum();
        vertices + self.normals.iter().map(|key| size_of_val(&**key)).sum::<usize>()
    }
}

/// Positions, radii and normals between two keys.
pub(super) fn blended([from, to]: [(&[Vec4], &[Vec3]); 2], part: f32) -> (Vec<Vec4>, Vec<Vec3>) {
    let vertices = from.0.iter().zip(to.0).map(|(a, b)| a.lerp(*b, part));
    let normals = from.1.iter().zip(to.1).map(|(a, b)| a.lerp(*b, part));
    (vertices.collect(), normals.collect())
}
