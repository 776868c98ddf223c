//! Objects of a texture: their coordinates, notes about these, and what is told of them.

use glam::{UVec2, Vec2};
use rayon::prelude::*;

use super::atlas::Atlas;
use super::error::BakeError;
use super::feature::{Feature, FeatureDesc};
use super::placed::PlacedMesh;
use super::receiver::{Coordinates, Receiver, Side};
use super::tangent_frame::TangentSpace;
use super::unwrap::Flat;
use super::uv::Unfit;
use renderer_geometry::{Mesh, Shape, ShapeId};
use renderer_image::Rect;

/// An object in the texture.
#[derive(Clone, Debug)]
pub struct BakedObject {
    /// The shape.
    pub shape: ShapeId,
    /// Its side.
    pub side: Side,
    /// Name of the shape; `NAME.back` for a back.
    pub name: String,
    /// Its rectangle in the texture.
    pub rect: Rect,
    /// True if its coordinates are the mesh's own second set.
    pub own_coordinates: bool,
    /// Triangles in object space; the second set of coordinates spans the whole texture, v up.
    pub mesh: Mesh,
}

/// Shapes laid flat, and whose coordinates these are.
type FlatShapes = Vec<(Flat, Coordinates)>;

/// Lays the fronts of shapes flat; notes say why coordinates of theirs could not be used.
///
/// # Errors
/// When shapes have no usable coordinates and are not to be unwrapped.
pub(super) fn flatten(
    receivers: &[Receiver],
    shapes: &[Shape],
    unwrap: bool,
) -> Result<(FlatShapes, Vec<String>), BakeError> {
    let fronts = receivers.par_iter().zip(shapes);
    let flattened: Vec<_> = fronts.map(|(receiver, shape)| receiver.flatten(shape)).collect();
    let notes = diagnose(receivers, &flattened, unwrap)?;
    let flats = flattened
        .into_iter()
        .map(|(flat, coordinates, _)| (flat, coordinates));
    Ok((flats.collect(), notes))
}

/// Notes about texture coordinates that could not be used.
fn diagnose(
    receivers: &[Receiver],
    flattened: &[(Flat, Coordinates, Option<Unfit>)],
    unwrap: bool,
) -> Result<Vec<String>, BakeError> {
    let unfit = receivers
        .iter()
        .zip(flattened)
        .filter_map(|(r, (_, _, unfit))| Some((r, unfit.as_ref()?)));
    if !unwrap {
        let shapes: Vec<String> = unfit.map(|(r, unfit)| format!("`{}`: {unfit}", r.name)).collect();
        return if shapes.is_empty() {
            Ok(vec![])
        } else {
            Err(BakeError::NoCoordinates { shapes })
        };
    }
    Ok(unfit
        .filter(|(_, unfit)| **unfit != Unfit::Missing)
        .map(|(r, unfit)| {
            format!("`{}`: its second set of texture coordinates is not fit for a lightmap, so it is unwrapped: {unfit}", r.name)
        })
        .collect())
}

/// The objects of an atlas.
pub(super) fn objects(
    receivers: &[Receiver],
    flats: Vec<Flat>,
    coordinates: &[Coordinates],
    atlas: &Atlas,
) -> Vec<BakedObject> {
    (receivers.iter().zip(flats).zip(coordinates).enumerate())
        .map(|(index, ((receiver, flat), coordinates))| BakedObject {
            shape: receiver.shape,
            side: receiver.side,
            name: receiver.name.clone(),
            rect: atlas.rects[index],
            own_coordinates: *coordinates == Coordinates::Own,
            mesh: Mesh {
                uvs2: uvs(atlas, index),
                ..flat.mesh
            },
        })
        .collect()
}

/// The tangents of all objects, if any of the features is in their frame.
pub(super) fn tangents(
    features: &[FeatureDesc],
    shapes: &[Shape],
    receivers: &[Receiver],
    flats: &[Flat],
    atlas: &Atlas,
) -> Vec<TangentSpace> {
    let needed = (features.iter()).any(|desc| matches!(desc.feature, Feature::TangentNormal));
    let objects = receivers.iter().zip(flats).enumerate();
    objects
        .map(|(index, (receiver, flat))| match needed {
            true => {
                let shape = &shapes[receiver.shape.0 as usize];
                let placed = PlacedMesh::new(shape, receiver.side, &flat.mesh);
                TangentSpace::new(&placed, &uvs(atlas, index))
            }
            false => TangentSpace::NONE,
        })
        .collect()
}

/// The texture coordinates of an object's vertices, v up.
fn uvs(atlas: &Atlas, object: usize) -> Vec<Vec2> {
    (atlas.places[object].iter())
        .map(|&place| unit(place, atlas.size))
        .collect()
}

/// Texels to texture coordinates, v up.
fn unit(place: Vec2, size: UVec2) -> Vec2 {
    let unit = place / size.as_vec2();
    Vec2::new(unit.x, 1.0 - unit.y)
}
