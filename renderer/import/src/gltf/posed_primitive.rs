//! Mesh of a primitive in the pose of a node, with tangents where its material needs them.

use std::path::Path;
use std::sync::Arc;

use gltf::Primitive;

use super::buffers::Buffers;
use super::error::VALIDATOR_HINT;
use super::pose::Pose;
use super::primitive::TANGENTS;
use super::{GltfError, primitive, tangents};
use crate::ImportError;
use renderer_geometry::Mesh;

/// Primitive that was read; the inner `Err` is the reason why there is nothing to render.
pub(super) type ReadPrimitive = Result<Result<Arc<Mesh>, &'static str>, ImportError>;

pub(super) fn read_primitive(
    part: &str,
    primitive: &Primitive<'_>,
    pose: Option<&Pose>,
    buffers: &Buffers,
    path: &Path,
) -> ReadPrimitive {
    let document_error = |reason: GltfError| ImportError::Document {
        path: path.to_owned(),
        reason: format!("{part}: {reason}"),
        hint: VALIDATOR_HINT,
    };
    let invalid = |source| ImportError::Mesh { path: path.to_owned(), part: Some(part.to_owned()), source };
    match primitive::mesh(primitive, buffers).map_err(document_error)? {
        Ok((mut triangles, selection)) => {
            if let Some(pose) = pose {
                pose.deform(&mut triangles, primitive, &selection, buffers)
                    .map_err(document_error)?;
            }
            let mut triangles = triangles.validate().map_err(invalid)?;
            let has_tangents = (triangles.attributes.iter()).any(|attribute| attribute.name == TANGENTS[0]);
            if let Some(set) = primitive::tangent_set(&primitive.material()).filter(|_| !has_tangents) {
                tangents::generate(&mut triangles, set);
            }
            Ok(Ok(Arc::new(triangles)))
        }
        Err(reason) => Ok(Err(reason)),
    }
}
