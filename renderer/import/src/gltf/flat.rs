//! Places that flatten a glTF mesh: a scale of zero along one axis is how decals and shadows are made. glTF 2.0, section
//! 3.5.3, only lets what is scaled to zero along all axes be left out.

use glam::{Affine3A, DAffine3, DVec3, Vec3};

use super::primitive::TANGENTS;
use renderer_base::math::{in_double, in_single, is_invertible};
use renderer_geometry::Mesh;

/// What is flatter than this, as a part of its size, is flat but for the rounding of matrices in single precision.
const ROUNDING: f64 = 1e-6;

/// What is left of the height of a flat mesh. With nothing left, the two sides of a box would fall into one plane, and
/// either might be met.
const HEIGHT: f64 = 1e-5;

/// A place of a mesh.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Where the mesh is, once it is flat; invertible.
    pub(super) world_from_mesh: Affine3A,
    /// The direction, in the space of the mesh, along which the mesh has to be flattened first.
    pub(super) flat_along: Option<DVec3>,
}

impl Place {
    /// The place of a transform; `None` where nothing has area or the transform is not finite.
    pub(super) fn of(transform: &Affine3A) -> Option<Place> {
        if !transform.is_finite() {
            return None;
        }
        let matrix = in_double(transform).matrix3;
        let volume = matrix.x_axis.length() * matrix.y_axis.length() * matrix.z_axis.length();
        if matrix.determinant().abs() > ROUNDING * volume {
            return Some(Place {
                world_from_mesh: *transform,
                flat_along: None,
            });
        }
        Place::flat(&in_double(transform)).filter(|place| is_invertible(&place.world_from_mesh))
    }

    /// The place of a transform that flattens: a transform that does not, but does the same to what is flat already. It is
    /// invertible, but for extremes.
    fn flat(transform: &DAffine3) -> Option<Place> {
        let DAffine3 { matrix3, translation } = *transform;
        let [x, y, z] = [matrix3.x_axis, matrix3.y_axis, matrix3.z_axis];
        let sides = [(y, z), (z, x), (x, y)];
        // Of a matrix that flattens, all cofactors are products of the components of two vectors: the normal of what is
        // flat, and the direction that becomes zero.
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
        // As much as the other directions are scaled. Its sign keeps the winding: the determinant becomes positive.
        let scale = along.length().sqrt();
        // The sum has no negative zeros, so that equal directions have equal bits.
        let along = along.normalize() + DVec3::ZERO;
        let lifted = |axis: DVec3, part: f64| axis + scale * part * normal;
        let lifted = DAffine3::from_cols(
            lifted(x, along.x),
            lifted(y, along.y),
            lifted(z, along.z),
            translation,
        );
        Some(Place {
            world_from_mesh: in_single(&lifted),
            flat_along: Some(along),
        })
    }
}

/// A mesh flattened along a direction of unit length; `None` where no triangle has area then. Normals and tangents, which
/// would have to be those of the plane, are left out: those of the triangles take their place.
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
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| {
        (low.min(h), high.max(h))
    });
    let middle = 0.5 * (low + high);
    let mut flat = mesh.clone();
    flat.normals = vec![];
    flat.attributes
        .retain(|attribute| !TANGENTS.contains(&attribute.name.as_str()));
    for p in &mut flat.positions {
        let height = height(*p);
        let left = HEIGHT * (height - middle);
        *p = (p.as_dvec3() + (left - height) * along).as_vec3();
    }
    flat.validate().ok()
}
