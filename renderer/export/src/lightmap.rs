//! Lightmap of a document: texture coordinates of primitives, their placement by node, and `MOZ_lightmap` for viewers.
//!
//! - Primitives without valid lightmap coordinates get the next set of `TEXCOORD`.
//! - `extras.lightmap` of a node places its primitives in the texture: nodes that share a mesh have several placements of
//!   one layout.
//! - Materials get the extension `MOZ_lightmap` if all their primitives have one placement.
//! - Each page of a lightmap is a texture; if there are several, placements contain the page.

use std::collections::BTreeMap;

use glam::Vec2;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::ExportError;
use super::document::Document;
use super::placement::Placement;
use super::text::{extras, index, list};
use super::vertices::{Corners, add_set, next_set};
use renderer_geometry::Mesh;
use renderer_import::GltfFile;
use renderer_scene::ModelPart;

/// Baked side of a primitive of the document.
#[derive(Clone, Copy)]
pub struct BakedPart<'a> {
    /// The primitive.
    pub part: ModelPart,
    /// True for the back.
    pub is_back: bool,
    /// Page.
    pub page: u32,
    /// Triangles, in the order of the document; the second set of coordinates spans the whole page, v up.
    pub mesh: &'a Mesh,
    /// True if the second and third vertex of the triangles are swapped relative to the document.
    pub is_turned: bool,
    /// Texture coordinates of the document's second set, by vertex, v up, if the lightmap uses it.
    pub own: Option<&'a [Vec2]>,
}

/// Lightmap as 8-bit images.
#[derive(Clone, Debug)]
pub struct LightmapImages {
    /// PNG file of each page.
    pub pages: Vec<Vec<u8>>,
    /// Factor from linear values to irradiance [W/m²].
    pub intensity: f32,
}

/// A lightmap in a document.
pub struct AddedLightmap {
    /// Texture index of each page, if a material uses it.
    pub textures: Vec<Option<usize>>,
    places: BTreeMap<usize, Vec<Place>>,
}

impl AddedLightmap {
    /// Page of the first shape of a material.
    pub fn page(&self, material: usize) -> u32 {
        let places = self.places.get(&material);
        places.and_then(|places| places.first()).map_or(0, |place| place.page)
    }

    /// Texture reference of a material, with the lightmap coordinates of its first shape.
    pub fn reference(&self, document: &mut Document, material: usize, texture: usize) -> Value {
        let places = self.places.get(&material);
        match places.and_then(|places| places.first()) {
            Some(place) => place.reference(document, texture),
            None => json!({ "index": texture }),
        }
    }
}

/// Set of texture coordinates and its placement in the lightmap.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    set: usize,
    page: u32,
    placement: Placement,
}

impl Place {
    fn reference(&self, document: &mut Document, texture: usize) -> Value {
        let mut said = json!({ "index": texture, "texCoord": self.set });
        if self.placement != Placement::IDENTITY {
            said["extensions"] = json!({ "KHR_texture_transform": self.placement.json() });
            document.use_extension("KHR_texture_transform");
        }
        said
    }
}

/// Adds a lightmap to the document of a file.
///
/// # Errors
/// If parts of the file cannot be used.
pub fn add_lightmap(
    document: &mut Document,
    file: &GltfFile,
    parts: &[BakedPart<'_>],
    images: LightmapImages,
) -> Result<AddedLightmap, ExportError> {
    let is_paged = images.pages.len() > 1;
    let mut firsts: Vec<&BakedPart<'_>> = vec![];
    let mut first_of: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for part in parts {
        first_of.entry((part.part.mesh, part.part.primitive)).or_insert_with(|| {
            firsts.push(part);
            firsts.len() - 1
        });
    }
    let mut sets = vec![];
    let mut unwrapped = vec![];
    for first in &firsts {
        let place = (first.part.mesh, first.part.primitive);
        if first.own.is_some() {
            sets.push(1);
            continue;
        }
        sets.push(next_set(&document.json["meshes"][place.0]["primitives"][place.1]));
        unwrapped.push(corners(file, place, first)?);
    }
    add_set(document, file, unwrapped)?;

    let mut nodes: FxHashMap<usize, Vec<Option<Value>>> = FxHashMap::default();
    let mut materials = BTreeMap::new();
    for part in parts {
        let first = first_of[&(part.part.mesh, part.part.primitive)];
        let placement = match part.own {
            Some(own) => Placement::between(own, &part.mesh.uvs2),
            None => Placement::moved(&firsts[first].mesh.uvs2, &part.mesh.uvs2),
        };
        let place = Place { set: sets[first], page: part.page, placement };
        let primitives = list(&document.json["meshes"][part.part.mesh], "primitives");
        let slots = nodes.entry(part.part.node).or_insert_with(|| vec![None; primitives.len()]);
        put(&mut slots[part.part.primitive], part, &place, is_paged);
        if !part.is_back
            && let Some(material) = index(&primitives[part.part.primitive]["material"])
        {
            let places: &mut Vec<Place> = materials.entry(material).or_default();
            places.push(place);
        }
    }
    for (node, slots) in nodes {
        extras(&mut document.json["nodes"][node])["lightmap"] = node_extras(slots);
    }
    let textures = add_to_materials(document, &materials, images);
    Ok(AddedLightmap { textures, places: materials })
}

/// Corners of a primitive, with the texture coordinates of its baked triangles.
fn corners(file: &GltfFile, place: (usize, usize), part: &BakedPart<'_>) -> Result<Corners, ExportError> {
    let mesh = part.mesh;
    let wrong = |what: &str| ExportError::Source(format!("primitive {} of mesh {} {what}", place.1, place.0));
    let triangles = file.triangles(place.0, place.1).map_err(ExportError::Source)?;
    let triangles = triangles.ok_or_else(|| wrong("has no triangles"))?;
    if triangles.len() != mesh.triangles.len() {
        return Err(wrong("has other triangles than were baked"));
    }
    let turn = |[a, b, c]: [u32; 3]| if part.is_turned { [a, c, b] } else { [a, b, c] };
    let down = |index: u32| {
        let uv = mesh.uvs2[index as usize];
        Vec2::new(uv.x, 1.0 - uv.y)
    };
    Ok(Corners {
        place,
        triangles,
        uvs: mesh.triangles.iter().map(|corners| turn(*corners).map(down)).collect(),
    })
}

/// Adds a placement of a primitive to the extras of a node.
fn put(slot: &mut Option<Value>, part: &BakedPart<'_>, place: &Place, is_paged: bool) {
    let said = slot.get_or_insert_with(|| {
        let mut said = Placement::IDENTITY.json();
        said["texCoord"] = json!(place.set);
        said
    });
    let mut here = place.placement.json();
    if is_paged {
        here["page"] = json!(place.page);
    }
    match part.part.instance {
        Some(instance) => {
            if !said["instances"].is_array() {
                said["instances"] = json!([]);
            }
            let Value::Array(instances) = &mut said["instances"] else {
                return;
            };
            let length = instances.len().max(instance + 1);
            instances.resize(length, Value::Null);
            match part.is_back {
                true if instances[instance].is_object() => instances[instance]["back"] = here,
                true => {}
                false => instances[instance] = here,
            }
        }
        None if part.is_back => said["back"] = here,
        None => {
            here["texCoord"] = json!(place.set);
            if let Some(back) = said.get("back") {
                here["back"] = back.clone();
            }
            *said = here;
        }
    }
}

/// Extras of a node: placement of each primitive, and the common coordinate set, if any.
fn node_extras(slots: Vec<Option<Value>>) -> Value {
    let sets = slots.iter().flatten().map(|said| &said["texCoord"]);
    let first = sets.clone().next().cloned();
    let is_same = sets.clone().all(|set| Some(set) == first.as_ref());
    let primitives: Vec<Value> = slots.into_iter().map(Option::unwrap_or_default).collect();
    let mut said = json!({ "primitives": primitives });
    if let Some(set) = first.filter(|_| is_same) {
        said["texCoord"] = set;
    }
    said
}

/// Adds the lightmap to materials with a single placement. Returns the texture index of each page, if any.
fn add_to_materials(
    document: &mut Document,
    places: &BTreeMap<usize, Vec<Place>>,
    images: LightmapImages,
) -> Vec<Option<usize>> {
    let mut primitives: BTreeMap<usize, usize> = BTreeMap::new();
    let meshes = list(&document.json, "meshes").iter();
    for primitive in meshes.flat_map(|mesh| list(mesh, "primitives")) {
        if let Some(material) = primitive.get("material").and_then(index) {
            *primitives.entry(material).or_default() += 1;
        }
    }
    let one_place = |(material, places): (&usize, &Vec<Place>)| {
        let first = *places.first()?;
        let is_same = places.iter().all(|place| *place == first);
        (is_same && primitives[material] <= places.len()).then_some((*material, first))
    };
    let lit: Vec<(usize, Place)> = places.iter().filter_map(one_place).collect();
    let is_paged = images.pages.len() > 1;
    let mut add = |(page, bytes): (usize, Vec<u8>)| {
        let is_used = lit.iter().any(|(_, place)| place.page as usize == page);
        let name = match is_paged {
            true => format!("lightmap.{page}"),
            false => "lightmap".to_owned(),
        };
        is_used.then(|| document.add_texture(&name, bytes))
    };
    let textures: Vec<Option<usize>> = images.pages.into_iter().enumerate().map(&mut add).collect();
    for (material, place) in lit {
        let Some(texture) = textures.get(place.page as usize).copied().flatten() else {
            continue;
        };
        document.use_extension("MOZ_lightmap");
        let mut slot = place.reference(document, texture);
        slot["intensity"] = json!(images.intensity);
        document.json["materials"][material]["extensions"]["MOZ_lightmap"] = slot;
    }
    textures
}
