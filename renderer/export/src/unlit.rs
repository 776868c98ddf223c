//! Unlit materials with lit base colours.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::document::Document;
use super::text::{index, list};

/// Alpha of glass, so that objects behind it are visible.
const GLASS: f64 = 0.3;

/// Assigns unlit materials to all primitives with a placement in the lightmap, with the texture of their page in lightmap
/// coordinates. Nodes that share a mesh with several placements get separate meshes with the same vertices. Instances of
/// EXT_mesh_gpu_instancing look like the first of them, and backs like fronts.
pub fn make_unlit(document: &mut Document, pages: &[usize]) {
    let mut meshes: BTreeMap<(usize, String), usize> = BTreeMap::new();
    let mut materials: BTreeMap<String, usize> = BTreeMap::new();
    let mut taken: Vec<usize> = vec![];
    for node in 0..list(&document.json, "nodes").len() {
        let said = &document.json["nodes"][node];
        let (Some(mesh), Some(lightmap)) =
            (said.get("mesh").and_then(index), said.pointer("/extras/lightmap").cloned())
        else {
            continue;
        };
        let places = lightmap["primitives"].clone();
        let key = (mesh, places.to_string());
        let unlit = match meshes.get(&key) {
            Some(&known) => known,
            None => {
                let mut copy = document.json["meshes"][mesh].clone();
                for (primitive, place) in places.as_array().into_iter().flatten().enumerate() {
                    if place.is_null() {
                        continue;
                    }
                    let before = copy["primitives"][primitive].get("material").and_then(index);
                    let material = material(document, before, place, pages, &mut materials);
                    copy["primitives"][primitive]["material"] = json!(material);
                    // Vertex colours would multiply the texture.
                    if let Value::Object(attributes) = &mut copy["primitives"][primitive]["attributes"] {
                        attributes.remove("COLOR_0");
                    }
                }
                let unlit = match taken.contains(&mesh) {
                    // The first node of a mesh replaces it.
                    false => {
                        taken.push(mesh);
                        document.json["meshes"][mesh] = copy;
                        mesh
                    }
                    true => document.add("meshes", copy),
                };
                meshes.insert(key, unlit);
                unlit
            }
        };
        document.json["nodes"][node]["mesh"] = json!(unlit);
    }
    document.use_extension("KHR_materials_unlit");
    document.remove_unused_materials();
    document.remove_unused_textures();
}

/// Unlit replacement of a material.
fn material(
    document: &mut Document,
    before: Option<usize>,
    place: &Value,
    pages: &[usize],
    known: &mut BTreeMap<String, usize>,
) -> usize {
    let place = match place.pointer("/instances/0") {
        Some(first) if first.is_object() => {
            let mut first = first.clone();
            first["texCoord"] = place["texCoord"].clone();
            first
        }
        _ => place.clone(),
    };
    let before = before.map_or(json!({}), |material| document.json["materials"][material].clone());
    let page = place.get("page").and_then(index).unwrap_or(0);
    let mut reference = json!({ "index": pages.get(page), "texCoord": place["texCoord"] });
    let is_moved = place["offset"] != json!([0.0, 0.0]) || place["scale"] != json!([1.0, 1.0]);
    if is_moved {
        reference["extensions"]["KHR_texture_transform"] =
            json!({ "offset": place["offset"], "scale": place["scale"] });
        document.use_extension("KHR_texture_transform");
    }
    let mut said = json!({
        "pbrMetallicRoughness": { "baseColorTexture": reference, "metallicFactor": 0.0 },
        "extensions": { "KHR_materials_unlit": {} },
    });
    for key in ["name", "alphaMode", "alphaCutoff", "doubleSided"] {
        if let Some(value) = before.get(key) {
            said[key] = value.clone();
        }
    }
    let transmission = before.pointer("/extensions/KHR_materials_transmission/transmissionFactor");
    if transmission.and_then(Value::as_f64).is_some_and(|share| share > 0.5) {
        said["alphaMode"] = json!("BLEND");
        said["pbrMetallicRoughness"]["baseColorFactor"] = json!([1.0, 1.0, 1.0, GLASS]);
    }
    let key = said.to_string();
    *known.entry(key).or_insert_with(|| document.add("materials", said))
}
