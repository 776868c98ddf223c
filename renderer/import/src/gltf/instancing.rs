//! glTF extension EXT_mesh_gpu_instancing: many transforms of a node's mesh.

use glam::{Affine3A, DAffine3, DQuat, DVec3};
use gltf::{Accessor, Document, Node};
use rayon::prelude::*;

use super::GltfError;
use super::accessor::vectors;
use super::buffers::Buffers;

const NAME: &str = "EXT_mesh_gpu_instancing";

/// Mesh-to-world transforms of a node's instances, in the order of the file; `None` if the node is not instanced.
pub(super) fn places(
    node: &Node<'_>,
    world_from_node: &DAffine3,
    document: &Document,
    buffers: &Buffers,
) -> Result<Option<Vec<Affine3A>>, GltfError> {
    let Some(attributes) = node.extension_value(NAME).and_then(|value| value.get("attributes")) else {
        return Ok(None);
    };
    let accessor = |name: &str| -> Result<Option<Accessor<'_>>, GltfError> {
        let Some(index) = attributes.get(name) else {
            return Ok(None);
        };
        let index = index.as_u64().and_then(|index| usize::try_from(index).ok());
        let found = index.and_then(|index| document.accessors().nth(index));
        found
            .map(Some)
            .ok_or_else(|| format!("{name} of the instances of node {} does not exist", node.index()))
    };
    let (translations, rotations, scales) =
        (accessor("TRANSLATION")?, accessor("ROTATION")?, accessor("SCALE")?);
    let most = [&translations, &rotations, &scales].into_iter().flatten();
    let most = most.map(Accessor::count).max().unwrap_or(0);
    buffers
        .budget
        .allocate("instances", most, size_of::<Affine3A>())
        .map_err(|excess| format!("node {}: {excess}", node.index()))?;
    let translations = read::<3>(translations, buffers)?;
    let rotations = read::<4>(rotations, buffers)?;
    let scales = read::<3>(scales, buffers)?;
    let counts = [
        translations.as_ref().map(Vec::len),
        rotations.as_ref().map(Vec::len),
        scales.as_ref().map(Vec::len),
    ];
    let Some(count) = counts.into_iter().flatten().next() else {
        return Ok(None);
    };
    if counts.into_iter().flatten().any(|other| other != count) {
        return Err(format!(
            "the attributes of the instances of node {} differ in length",
            node.index()
        ));
    }
    let double = |v: [f32; 3]| DVec3::from_array(v.map(f64::from));
    let place = |i: usize| {
        let at =
            |list: &Option<Vec<[f32; 3]>>, default| list.as_ref().map_or(default, |list| double(list[i]));
        let rotation = rotations.as_ref().map(|list| DQuat::from_array(list[i].map(f64::from)));
        let rotation = match rotation {
            Some(rotation) if rotation.length_squared() > 0.0 => rotation.normalize(),
            _ => DQuat::IDENTITY,
        };
        let scale = at(&scales, DVec3::ONE);
        let place =
            DAffine3::from_scale_rotation_translation(scale, rotation, at(&translations, DVec3::ZERO));
        let place = *world_from_node * place;
        Affine3A::from_mat3_translation(place.matrix3.as_mat3(), place.translation.as_vec3())
    };
    let places: Vec<Affine3A> = (0..count).into_par_iter().with_min_len(1024).map(place).collect();
    match places.par_iter().position_first(|place| !place.is_finite()) {
        Some(i) => Err(format!("the transform of instance {i} of node {} is not finite", node.index())),
        None => Ok(Some(places)),
    }
}

fn read<const N: usize>(
    accessor: Option<Accessor<'_>>,
    buffers: &Buffers,
) -> Result<Option<Vec<[f32; N]>>, GltfError> {
    accessor.map(|accessor| vectors(&accessor, buffers)).transpose()
}
