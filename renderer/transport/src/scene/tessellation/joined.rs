//! Meshes joined to one cage, and divided again.

use std::sync::Arc;

use glam::Vec2;

use renderer_geometry::{AttributeDomain, Faces, Mesh, MeshAttribute};
use renderer_tessellation::Diced;

/// A mesh of several parts.
#[derive(Clone, Debug)]
pub(super) struct Joined {
    pub(super) mesh: Arc<Mesh>,
    /// First triangle of each part.
    pub(super) starts: Vec<u32>,
}

/// Triangles and vertices of one part of a diced mesh.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) mesh: Mesh,
    /// Vertex of the joined mesh at each vertex of the part.
    pub(super) vertices: Vec<u32>,
}

impl Joined {
    /// Joins meshes; values that only some of them have are zero in the others, and colours white.
    pub(super) fn new(parts: &[Arc<Mesh>]) -> Joined {
        if let [mesh] = parts {
            return Joined { mesh: mesh.clone(), starts: vec![0] };
        }
        let mut joined = Mesh::default();
        let mut faces = Faces::default();
        let mut starts = vec![];
        for part in parts {
            let first = joined.positions.len() as u32;
            starts.push(joined.triangles.len() as u32);
            joined.positions.extend_from_slice(&part.positions);
            joined
                .triangles
                .extend(part.triangles.iter().map(|triangle| triangle.map(|vertex| first + vertex)));
            if let Some(of_part) = &part.faces {
                faces.sizes.extend_from_slice(&of_part.sizes);
                faces.corners.extend(of_part.corners.iter().map(|corner| first + corner));
                faces.points.extend_from_slice(&of_part.points);
            }
        }
        if parts.iter().all(|part| part.faces.is_some()) {
            joined.faces = Some(Arc::new(faces));
        }
        joined.uvs = values(parts, |part| &part.uvs, Vec2::ZERO);
        joined.uvs2 = values(parts, |part| &part.uvs2, Vec2::ZERO);
        joined.colors = values(parts, |part| &part.colors, [1.0; 4]);
        joined.attributes = attributes(parts);
        Joined { mesh: Arc::new(joined), starts }
    }

    /// The parts of the joined mesh after dicing.
    pub(super) fn split(&self, diced: &Diced) -> Vec<Part> {
        if self.starts.len() == 1 {
            let vertices = (0..diced.mesh.positions.len() as u32).collect();
            return vec![Part { mesh: diced.mesh.clone(), vertices }];
        }
        let mut triangles = vec![vec![]; self.starts.len()];
        for (triangle, &source) in diced.sources.iter().enumerate() {
            triangles[self.starts.partition_point(|&first| first <= source) - 1].push(triangle);
        }
        let part = |taken: &Vec<usize>| {
            let mut is_known = vec![false; diced.mesh.positions.len()];
            let corners = taken.iter().flat_map(|&triangle| diced.mesh.triangles[triangle]);
            let is_new = |vertex: &u32| !std::mem::replace(&mut is_known[*vertex as usize], true);
            Part {
                vertices: corners.filter(is_new).collect(),
                mesh: diced.mesh.part(taken),
            }
        };
        triangles.iter().map(part).collect()
    }
}

/// Values of the vertices of all parts; empty if no part has any.
fn values<T: Copy>(parts: &[Arc<Mesh>], of: impl Fn(&Mesh) -> &Vec<T>, default: T) -> Vec<T> {
    if parts.iter().all(|part| of(part).is_empty()) {
        return vec![];
    }
    let each = parts.iter().flat_map(|part| match of(part).is_empty() {
        true => vec![default; part.positions.len()],
        false => of(part).clone(),
    });
    each.collect()
}

fn attributes(parts: &[Arc<Mesh>]) -> Vec<MeshAttribute> {
    let mut joined: Vec<MeshAttribute> = vec![];
    for attribute in parts.iter().flat_map(|part| &part.attributes) {
        let is_same =
            |other: &&MeshAttribute| other.name == attribute.name && other.domain == attribute.domain;
        if joined.iter().any(|known| is_same(&known)) {
            continue;
        }
        let of_part = |part: &Arc<Mesh>| {
            let count = match attribute.domain {
                AttributeDomain::Vertex => part.positions.len(),
                AttributeDomain::Face => part.triangles.len(),
            };
            let found = part
                .attributes
                .iter()
                .find(is_same)
                .filter(|found| found.width == attribute.width);
            found.map_or_else(|| vec![0.0; count * attribute.width], |found| found.values.clone())
        };
        let values = parts.iter().flat_map(of_part).collect();
        joined.push(MeshAttribute { values, ..attribute.clone() });
    }
    joined
}
