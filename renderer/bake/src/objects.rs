//! Objects of a texture: texture coordinates, notes, and description.

use std::sync::Arc;

use glam::{UVec2, Vec2};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::atlas::Atlas;
use super::error::BakeError;
use super::feature::{Feature, FeatureDesc};
use super::receiver::{Coordinates, Receiver, Side};
use super::tangent_frame::TangentSpace;
use super::unwrap::Flat;
use super::uv::Unfit;
use super::world_mesh::WorldMesh;
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
    /// Page.
    pub page: u32,
    /// Rectangle on the page.
    pub rect: Rect,
    /// True if the coordinates are the mesh's second set.
    pub own_coordinates: bool,
    /// Triangles in object space; the second set of coordinates spans the whole page, v up.
    pub mesh: Mesh,
}

/// Flattened sides of shapes, and the sources of their coordinates.
type FlatShapes = Vec<(Flat, Coordinates)>;

/// Flattens sides of shapes; notes give reasons why existing coordinates are not usable. Shapes of one topology, and both
/// sides of a shape, share the layout of the largest, so that their coordinates differ by an offset.
///
/// # Errors
/// If shapes have no usable coordinates and unwrapping is off.
pub(super) fn flatten(
    receivers: &[Receiver],
    shapes: &[Shape],
    topologies: &[u32],
    unwrap: bool,
) -> Result<(FlatShapes, Vec<String>), BakeError> {
    let shape = |receiver: &Receiver| &shapes[receiver.shape.0 as usize];
    let groups = groups(receivers, topologies);
    let flattened: Vec<_> = (groups.par_iter())
        .map(|members| {
            let areas = members.iter().map(|&member| shape(&receivers[member]).area());
            let largest = areas
                .zip(members)
                .reduce(|a, b| if b.0 > a.0 { b } else { a })
                .map_or(members[0], |(_, &member)| member);
            let (mut flat, coordinates, unfit) = receivers[largest].flatten(shape(&receivers[largest]));
            flat.shared = members.len() > 1;
            (flat, coordinates, unfit)
        })
        .collect();
    let firsts = groups.iter().map(|members| receivers[members[0]].name.as_str());
    let unfit = firsts
        .zip(&flattened)
        .filter_map(|(name, (_, _, unfit))| Some((name, unfit.as_ref()?)));
    let notes = diagnose(unfit, unwrap)?;
    let mut flats: Vec<(usize, (Flat, Coordinates))> = (groups.par_iter().zip(flattened))
        .flat_map_iter(|(members, (flat, coordinates, _))| match members[..] {
            [member] => vec![(member, (flat, coordinates))],
            _ => (members.iter())
                .map(|&member| (member, (flat.of_mesh(&receivers[member].mesh), coordinates)))
                .collect(),
        })
        .collect();
    flats.sort_by_key(|(member, _)| *member);
    Ok((flats.into_iter().map(|(_, flat)| flat).collect(), notes))
}

/// Receivers that share a layout, in the order of their first.
fn groups(receivers: &[Receiver], topologies: &[u32]) -> Vec<Vec<usize>> {
    let mut known: FxHashMap<Topology, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<usize>> = vec![];
    for (index, receiver) in receivers.iter().enumerate() {
        let topology = match topologies.get(receiver.shape.0 as usize) {
            Some(&topology) => Topology::Number(topology),
            None => Topology::Mesh(Arc::as_ptr(&receiver.mesh) as usize),
        };
        let group = *known.entry(topology).or_insert_with(|| {
            groups.push(vec![]);
            groups.len() - 1
        });
        groups[group].push(index);
    }
    groups
}

/// Key of shapes that share a layout.
#[derive(PartialEq, Eq, Hash)]
enum Topology {
    Number(u32),
    /// The address of the mesh.
    Mesh(usize),
}

/// Notes about texture coordinates that could not be used, by name of the shape.
fn diagnose<'a>(
    unfit: impl Iterator<Item = (&'a str, &'a Unfit)>,
    unwrap: bool,
) -> Result<Vec<String>, BakeError> {
    if !unwrap {
        let shapes: Vec<String> = unfit.map(|(name, unfit)| format!("`{name}`: {unfit}")).collect();
        return if shapes.is_empty() {
            Ok(vec![])
        } else {
            Err(BakeError::NoCoordinates { shapes })
        };
    }
    Ok(unfit
        .filter(|(_, unfit)| **unfit != Unfit::Missing)
        .map(|(name, unfit)| {
            format!("`{name}`: the second set of texture coordinates is not valid for a lightmap; the shape is unwrapped: {unfit}")
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
            page: atlas.page(index),
            rect: on_page(atlas, index),
            own_coordinates: *coordinates == Coordinates::Own,
            mesh: Mesh { uvs2: uvs(atlas, index), ..flat.mesh },
        })
        .collect()
}

/// Tangents of all objects, if a feature needs them.
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
                let placed = WorldMesh::new(shape, receiver.side, &flat.mesh);
                TangentSpace::new(&placed, &uvs(atlas, index))
            }
            false => TangentSpace::NONE,
        })
        .collect()
}

/// The rectangle of an object on its page.
fn on_page(atlas: &Atlas, object: usize) -> Rect {
    let rect = atlas.rects[object];
    let top = atlas.page(object) * atlas.page_size().y;
    Rect { y0: rect.y0 - top, y1: rect.y1 - top, ..rect }
}

/// The texture coordinates of an object's vertices on its page, v up.
fn uvs(atlas: &Atlas, object: usize) -> Vec<Vec2> {
    let size = atlas.page_size();
    let top = Vec2::new(0.0, (atlas.page(object) * size.y) as f32);
    (atlas.places[object].iter()).map(|&place| unit(place - top, size)).collect()
}

/// Texels to texture coordinates, v up.
fn unit(place: Vec2, size: UVec2) -> Vec2 {
    let unit = place / size.as_vec2();
    Vec2::new(unit.x, 1.0 - unit.y)
}
