//! Strands or points of a file.

use glam::Vec3;

use renderer_geometry::{AttributeDomain, MeshAttribute};

/// Strands or points as a file has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StrandFile {
    /// Number of points of each strand; empty if the file has points only.
    pub strands: Vec<u32>,
    /// Positions, strand by strand.
    pub positions: Vec<Vec3>,
    /// Radius of each point; empty if the file has none.
    pub radii: Vec<f32>,
    /// Normal at each point; empty if the file has none.
    pub normals: Vec<Vec3>,
    /// Values by name, for each point or strand.
    pub attributes: Vec<MeshAttribute>,
}

/// Values of points by name.
pub(super) fn of_points(name: &str, width: usize, values: Vec<f32>) -> MeshAttribute {
    MeshAttribute {
        name: name.to_owned(),
        domain: AttributeDomain::Vertex,
        width,
        values,
        properties: vec![],
    }
}
