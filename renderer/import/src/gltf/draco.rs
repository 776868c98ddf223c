//! glTF extension KHR_draco_mesh_compression: decompresses primitives to the bytes of their accessors.

use draco_core::{DecoderBuffer, Mesh, MeshDecoder};
use gltf::accessor::DataType;
use gltf::mesh::Mode;
use gltf::{Accessor, Document, Primitive};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::GltfError;
use super::accessor::components;
use super::buffers::Buffers;
use renderer_base::files::OverBudget;

const NAME: &str = "KHR_draco_mesh_compression";

/// Packed elements of all accessors without a buffer view in compressed primitives, by accessor index.
pub(super) fn decode(document: &Document, buffers: &Buffers) -> Result<FxHashMap<usize, Vec<u8>>, GltfError> {
    let meshes = document.meshes();
    let primitives: Vec<(usize, Primitive<'_>)> = meshes
        .flat_map(|mesh| mesh.primitives().map(move |primitive| (mesh.index(), primitive)))
        .collect();
    // Primitives that differ in their materials alone share the compressed data.
    let mut seen = FxHashSet::default();
    let mut is_new = |primitive: &Primitive<'_>| {
        let attributes: Vec<(String, usize)> = primitive
            .attributes()
            .map(|(semantic, accessor)| (semantic.to_string(), accessor.index()))
            .collect();
        let indices = primitive.indices().map(|accessor| accessor.index());
        let extension = primitive.extension_value(NAME).map(Value::to_string);
        seen.insert((extension, attributes, indices))
    };
    let primitives: Vec<_> = (primitives.into_iter())
        .filter(|(_, primitive)| primitive.extension_value(NAME).is_some() && is_new(primitive))
        .collect();
    let decoded = primitives.into_par_iter().map(|(mesh, primitive)| {
        let Some(extension) = primitive.extension_value(NAME) else {
            return Ok(vec![]);
        };
        elements(&primitive, extension, document, buffers)
            .map_err(|reason| format!("mesh {mesh}, primitive {}, {NAME}: {reason}", primitive.index()))
    });
    let decoded: Vec<_> = decoded.collect::<Result<_, GltfError>>()?;
    Ok(decoded.into_iter().flatten().collect())
}

fn elements(
    primitive: &Primitive<'_>,
    extension: &Value,
    document: &Document,
    buffers: &Buffers,
) -> Result<Vec<(usize, Vec<u8>)>, GltfError> {
    let number = |value: Option<&Value>| value.and_then(Value::as_u64).and_then(|v| u32::try_from(v).ok());
    let view = number(extension.get("bufferView"))
        .and_then(|view| document.views().nth(view as usize))
        .ok_or("its view does not exist")?;
    if primitive.mode() != Mode::Triangles {
        return Err("only triangles are read".to_owned());
    }
    /// Time of a compressed byte, in bytes of other data.
    const COST: usize = 64;
    /// Memory of a corner or a value [bytes].
    const VALUE: usize = 12;
    let excess = |excess: OverBudget| excess.to_string();
    let budget = &buffers.budget;
    budget
        .decode("Draco meshes", buffers.view(&view)?.len(), COST)
        .map_err(excess)?;
    let mut mesh = Mesh::new();
    MeshDecoder::new()
        .decode(&mut DecoderBuffer::new(buffers.view(&view)?), &mut mesh)
        .map_err(|error| error.to_string())?;
    let mut list = vec![];
    budget
        .allocate("Draco triangles", mesh.faces().len(), 3 * VALUE)
        .map_err(excess)?;
    if let Some(accessor) = primitive.indices().filter(|accessor| accessor.view().is_none()) {
        let corners = mesh.faces().iter().flatten();
        list.push((accessor.index(), packed(&accessor, corners.map(|corner| f64::from(corner.0)))));
    }
    for (semantic, accessor) in primitive.attributes() {
        let name = semantic.to_string();
        let id = number(extension.get("attributes").and_then(|attributes| attributes.get(&name)));
        let Some(id) = id.filter(|_| accessor.view().is_none()) else {
            continue;
        };
        let attribute = mesh
            .attribute_by_unique_id(id)
            .ok_or_else(|| format!("it has no attribute {id} for {name}"))?;
        let components = components(accessor.dimensions());
        budget
            .allocate("Draco vertices", mesh.num_points(), components * VALUE)
            .map_err(excess)?;
        let values = attribute.read_f32s(mesh.num_points(), components);
        list.push((accessor.index(), packed(&accessor, values.into_iter().map(f64::from))));
    }
    Ok(list)
}

/// Converts numbers to the component type of an accessor.
fn packed(accessor: &Accessor<'_>, values: impl Iterator<Item = f64>) -> Vec<u8> {
    match accessor.data_type() {
        DataType::I8 => values.flat_map(|v| (v as i8).to_le_bytes()).collect(),
        DataType::U8 => values.flat_map(|v| (v as u8).to_le_bytes()).collect(),
        DataType::I16 => values.flat_map(|v| (v as i16).to_le_bytes()).collect(),
        DataType::U16 => values.flat_map(|v| (v as u16).to_le_bytes()).collect(),
        DataType::U32 => values.flat_map(|v| (v as u32).to_le_bytes()).collect(),
        DataType::F32 => values.flat_map(|v| (v as f32).to_le_bytes()).collect(),
    }
}
