//! Transforms that flatten a glTF mesh: decals and shadows are made with a scale of zero along one axis. glTF 2.0,
//! section 3.5.3, allows meshes to be left out only if all axes are scaled to zero.

use glam::{Affine3A, DAffine3, DVec3, Vec3};

use super::primitive::TANGENTS;
use renderer_base::math::{in_double, in_single, is_invertible};
use renderer_geometry::Mesh;

/// Relative flatness at which a transform counts as flattening: the size of rounding errors in single-precision
/// matrices.
const ROUNDING: f64 = 1e-6;

/// Height that a flattened mesh keeps, relative to the original. With zero height the two sides of a box would
/// coincide, and rays could hit either.
const HEIGHT: f64 = 1e-5;

/// Placement of a mesh.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Mesh-to-world transform of the flattened mesh; invertible.
    pub(super) world_from_mesh: Affine3A,
    /// Direction in mesh space along which the mesh must be flattened first, if the original transform is flattening.
    pub(super) flat_along: Option<DVec3>,
}

impl Place {
    /// Placement by a transform; `None` if the transformed mesh has no area or the transform is not finite.
    pub(super) fn of(transform: &Affine3A) -> Option<Place> {
        if !transform.is_finite() {
            return None;
        }
        let matrix = in_double(transform).matrix3;
        let volume = matrix.x_axis.length() * matrix.y_axis.length() * matrix.z_axis.length();
        if matrix.determinant().abs() > ROUNDING * volume {
            return Some(Place { world_from_mesh: *transform, flat_along: None });
        }
        Place::flat(&in_double(transform)).filter(|place| is_invertible(&place.world_from_mesh))
    }

    /// Placement by a flattening transform: replaces it by a transform that has the same effect on the flattened mesh
    /// and is invertible, except for extreme values.
    fn flat(transform: &DAffine3) -> Option<Place> {
        let DAffine3 { matrix3, translation } = *transform;
        let [x, y, z] = [matrix3.x_axis, matrix3.y_axis, matrix3.z_axis];
        let sides = [(y, z), (z, x), (x, y)];
        // The cofactors of a flattening matrix are products of components of two vectors: the normal of the flattened mesh,
        // and the direction that the matrix maps to zero.
        let cofactors = sides.map(|(a, b)| a.cross(b));
        let by_length = |a: &usize, b: &usize| {
            let [a, b] = [a, b].map(|&i| cofactors[i].length_squared());
            a.total_cmp(&b)
        };
        let largest = (0..3).max_by(by_length)?;
        let (a, b) = sides[largest];
        if cofactors[largest].length() <= ROUNDING * a.length() * b.length() {
            return None;
        }
        let normal = cofactors[largest].normalize();
        let along = DVec3::from_array(cofactors.map(|column| column.dot(normal)));
        // Geometric mean of the scales of the other two directions. The sign keeps the winding: the determinant becomes
        // positive.
        let scale = along.length().sqrt();
        // The sum removes negative zeros, so that equal directions have equal bits.
        let along = along.normalize() + DVec3::ZERO;
        let lifted = |axis: DVec3, part: f64| axis + scale * part * normal;
        let lifted =
            DAffine3::from_cols(lifted(x, along.x), lifted(y, along.y), lifted(z, along.z), translation);
        Some(Place { world_from_mesh: in_single(&lifted), flat_along: Some(along) })
    }
}

/// Flattens a mesh along a direction of unit length; `None` if no triangle has area then. Vertex normals and tangents
/// are removed, since they would have to be those of the plane: those of the triangles are used.
pub(super) fn flattened(mesh: &Mesh, along: DVec3) -> Option<Mesh> {
    let has_area = |indices: &[u32; 3]| {
        let [a, b, c] = indices.map(|index| mesh.positions[index as usize].as_dvec3());
        let normal = (b - a).cross(c - a);
        normal.dot(along).abs() > ROUNDING * normal.length()
    };
    if !mesh.triangles.iter().any(has_area) {
        return None;
    }
    let height = |p: Vec3| p.as_dvec3().dot(along);
    let heights = mesh.positions.iter().map(|&p| height(p));
    let (low, high) =
        heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)));
    let middle = 0.5 * (low + high);
    let mut flat = mesh.clone();
    flat.normals = vec![];
    flat.attributes.retain(|attribute| !TANGENTS.contains(&attribute.name.as_str()));
    for p in &mut flat.positions {
        let height = height(*p);
        let left = HEIGHT * (height - middle);
        *p = (p.as_dvec3() + (left - height) * along).as_vec3();
    }
    flat.validate().ok()
}
