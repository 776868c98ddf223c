//! Lightmap coordinates as the second set of primitives, for engines that use only this set.
//!
//! - `TEXCOORD_1` of each lit primitive contains the lightmap coordinates; an existing `TEXCOORD_1` swaps numbers with them.
//! - Each node has one rectangle for all of its primitives, or coordinates of the whole texture. Nodes whose primitives have
//!   other placements get a separate mesh.
//! - Lightmap extras of the document are removed: the engine reads separate files.

use serde_json::{Value, json};

use super::ExportError;
use super::document::{Document, ViewKind};
use super::text::{forget_extension, index, list, remove_extension};
use renderer_import::GltfFile;

/// Lit node: placement of the second set of its mesh in the texture, v down.
#[derive(Clone, Debug, PartialEq)]
pub struct LitNode {
    /// Index of the node.
    pub node: usize,
    /// Left and top of the rectangle.
    pub offset: [f32; 2],
    /// Factor of the coordinates.
    pub scale: [f32; 2],
    /// Lightmap page of each primitive of the mesh, if it is lit.
    pub pages: Vec<Option<usize>>,
}

/// Lit nodes of a document.
#[derive(Clone, Debug, Default)]
pub struct LitNodes {
    /// Nodes with a rectangle.
    pub lit: Vec<LitNode>,
    /// Nodes without a rectangle, since joints or instances place their mesh, or it is on several pages.
    pub left_out: Vec<usize>,
}

/// Coordinate set of a primitive, and its placement.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Said {
    set: u64,
    offset: [f32; 2],
    scale: [f32; 2],
    page: usize,
}

impl Said {
    fn of(value: &Value) -> Option<Said> {
        let pair = |value: &Value| -> Option<[f32; 2]> {
            Some([value.get(0)?.as_f64()? as f32, value.get(1)?.as_f64()? as f32])
        };
        Some(Said {
            set: value.get("texCoord")?.as_u64()?,
            offset: pair(value.get("offset")?)?,
            scale: pair(value.get("scale")?)?,
            page: value.get("page").and_then(index).unwrap_or(0),
        })
    }
}

/// Placement of nodes that an engine supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeRectangles {
    /// Rectangle in the texture: nodes can share a mesh.
    Known,
    /// No placement: the mesh has coordinates of the whole texture.
    Unknown,
}

/// Makes the lightmap coordinates the second set in a document with a lightmap.
///
/// # Errors
/// If coordinates of the file cannot be read.
pub fn use_second_set(
    document: &mut Document,
    file: &GltfFile,
    rectangles: NodeRectangles,
) -> Result<LitNodes, ExportError> {
    let mut found = LitNodes::default();
    let mut shared: Vec<(usize, Vec<Option<Said>>)> = vec![];
    for node in 0..list(&document.json, "nodes").len() {
        let Some((mesh, said)) = take_said(document, node, rectangles, &mut found) else {
            continue;
        };
        let mut places = said.iter().flatten().map(|said| (said.offset, said.scale));
        let Some(first) = places.next() else { continue };
        let pages = said.iter().map(|said| Some(said.as_ref()?.page)).collect();
        let whole = ([0.0; 2], [1.0; 2]);
        let can_share = rectangles == NodeRectangles::Known || first == whole && users(document, mesh) == 1;
        let (offset, scale) = if can_share && places.all(|place| place == first) {
            shared.push((mesh, said));
            first
        } else {
            let copy = own_mesh(document, node, mesh);
            move_coordinates(document, file, copy, &said)?;
            whole
        };
        found.lit.push(LitNode { node, offset, scale, pages });
    }
    let mut done = vec![];
    for (mesh, said) in shared {
        if !done.contains(&mesh) {
            done.push(mesh);
            renumber(document, mesh, &said);
        }
    }
    forget_lightmap(document);
    Ok(found)
}

/// Removes and returns the placements of a node's primitives.
fn take_said(
    document: &mut Document,
    node: usize,
    rectangles: NodeRectangles,
    found: &mut LitNodes,
) -> Option<(usize, Vec<Option<Said>>)> {
    let element = &mut document.json["nodes"][node];
    let said = match element.get_mut("extras") {
        Some(Value::Object(extras)) => extras.remove("lightmap")?,
        _ => return None,
    };
    let mesh = element.get("mesh").and_then(index)?;
    let primitives = said.get("primitives")?.as_array()?;
    let is_instanced = primitives.iter().any(|said| said.get("instances").is_some());
    let mut pages = primitives.iter().filter_map(|said| Some(Said::of(said)?.page));
    let first = pages.next();
    let is_apart = rectangles == NodeRectangles::Known && pages.any(|page| Some(page) != first);
    if is_instanced || is_apart || element.get("skin").is_some() {
        found.left_out.push(node);
        return None;
    }
    Some((mesh, primitives.iter().map(Said::of).collect()))
}

/// Number of nodes with a mesh.
fn users(document: &Document, mesh: usize) -> usize {
    let nodes = list(&document.json, "nodes").iter();
    nodes.filter(|node| node.get("mesh").and_then(index) == Some(mesh)).count()
}

/// Mesh of this node only.
fn own_mesh(document: &mut Document, node: usize, mesh: usize) -> usize {
    if users(document, mesh) < 2 {
        return mesh;
    }
    let copy = document.json["meshes"][mesh].clone();
    let copy = document.add("meshes", copy);
    document.json["nodes"][node]["mesh"] = json!(copy);
    copy
}

/// Swaps the lightmap coordinates with set 1.
fn renumber(document: &mut Document, mesh: usize, said: &[Option<Said>]) {
    for (number, said) in said.iter().enumerate() {
        let Some(set) = said.map(|said| said.set).filter(|&set| set != 1) else {
            continue;
        };
        let attributes = &mut document.json["meshes"][mesh]["primitives"][number]["attributes"];
        let Value::Object(attributes) = attributes else {
            continue;
        };
        let name = format!("TEXCOORD_{set}");
        let Some(coordinates) = attributes.get(&name).cloned() else {
            continue;
        };
        let before = attributes.insert("TEXCOORD_1".to_owned(), coordinates);
        if let Some(before) = before {
            attributes.insert(name, before);
        }
    }
}

/// Writes the placed coordinates of a node's mesh as its second set.
fn move_coordinates(
    document: &mut Document,
    file: &GltfFile,
    mesh: usize,
    said: &[Option<Said>],
) -> Result<(), ExportError> {
    for (number, said) in said.iter().enumerate() {
        let Some(said) = said else { continue };
        let attributes = &document.json["meshes"][mesh]["primitives"][number]["attributes"];
        let accessor = attributes.get(format!("TEXCOORD_{}", said.set)).and_then(index);
        let accessor = accessor.ok_or_else(|| {
            ExportError::Source(format!("primitive {number} of mesh {mesh} has no set {}", said.set))
        })?;
        let mut bytes = vec![];
        for place in coordinates(document, file, accessor)? {
            let [u, v] = [0, 1].map(|axis: usize| said.offset[axis] + said.scale[axis] * place[axis]);
            bytes.extend(u.to_le_bytes().into_iter().chain(v.to_le_bytes()));
        }
        let count = bytes.len() / 8;
        let view = document.add_view(bytes, ViewKind::Vertices(None));
        // 5126: float.
        let moved = document.add(
            "accessors",
            json!({ "bufferView": view, "componentType": 5126, "count": count, "type": "VEC2" }),
        );
        let primitive = &mut document.json["meshes"][mesh]["primitives"][number];
        let name = format!("TEXCOORD_{}", said.set);
        if said.set > 1
            && let Some(before) = primitive["attributes"].get("TEXCOORD_1").cloned()
        {
            primitive["attributes"][name] = before;
        }
        primitive["attributes"]["TEXCOORD_1"] = json!(moved);
        let packed = primitive.pointer_mut("/extensions/KHR_draco_mesh_compression/attributes");
        if let Some(Value::Object(packed)) = packed {
            packed.remove("TEXCOORD_1");
        }
    }
    Ok(())
}

/// The values of an accessor of texture coordinates.
fn coordinates(document: &Document, file: &GltfFile, accessor: usize) -> Result<Vec<[f32; 2]>, ExportError> {
    let kind = document.json["accessors"][accessor]["componentType"].as_u64();
    let (bytes, size) = file.elements(accessor).map_err(ExportError::Source)?;
    let width = size / 2;
    let number = |bytes: &[u8]| match (kind, bytes) {
        (Some(5121), &[a, ..]) => Some(f32::from(a) / 255.0),
        (Some(5123), &[a, b]) => Some(f32::from(u16::from_le_bytes([a, b])) / 65535.0),
        (Some(5126), &[a, b, c, d]) => Some(f32::from_le_bytes([a, b, c, d])),
        _ => None,
    };
    let element = |bytes: &[u8]| Some([number(bytes.get(..width)?)?, number(bytes.get(width..)?)?]);
    let all: Option<Vec<[f32; 2]>> = bytes.chunks_exact(size.max(1)).map(element).collect();
    all.ok_or_else(|| ExportError::Source(format!("accessor {accessor} has no texture coordinates")))
}

/// Removes lightmap references of materials and the document.
fn forget_lightmap(document: &mut Document) {
    if let Some(Value::Object(extras)) = document.json.get_mut("extras") {
        extras.remove("lightmap");
    }
    if let Some(Value::Array(materials)) = document.json.get_mut("materials") {
        for material in materials {
            remove_extension(material, "MOZ_lightmap");
        }
    }
    forget_extension(&mut document.json, "MOZ_lightmap");
    document.remove_unused_textures();
}
