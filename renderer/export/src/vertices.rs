//! Vertices of primitives: a new texture coordinate set, with copies of vertices that need two values.

use glam::Vec2;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::ExportError;
use super::document::{Document, ViewKind};
use super::text::{forget_extension, index, list, remove_extension};
use renderer_import::GltfFile;

/// The extension that compresses primitives.
const DRACO: &str = "KHR_draco_mesh_compression";

/// A primitive with texture coordinates for the corners of its triangles.
pub(super) struct Corners {
    /// Index of the mesh, and of the primitive in it.
    pub(super) place: (usize, usize),
    /// Vertices in the file.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Texture coordinates, v down.
    pub(super) uvs: Vec<[Vec2; 3]>,
}

/// Adds a set of texture coordinates to primitives. Primitives with shared vertices still share them. Copies of vertices
/// with two values are appended; the order does not change.
pub(super) fn add_set(
    document: &mut Document,
    file: &GltfFile,
    primitives: Vec<Corners>,
) -> Result<(), ExportError> {
    let mut domains: Vec<(Value, Vec<Corners>)> = vec![];
    let mut known: FxHashMap<String, usize> = FxHashMap::default();
    for corners in primitives {
        let primitive = primitive(document, corners.place);
        let vertices = json!([primitive["attributes"], primitive["targets"], is_compressed(primitive)]);
        let domain = *known.entry(vertices.to_string()).or_insert_with(|| {
            domains.push((vertices.clone(), vec![]));
            domains.len() - 1
        });
        domains[domain].1.push(corners);
    }
    for (vertices, members) in domains {
        Domain::new(document, file, vertices, members)?.write(document, file)?;
    }
    forget_if_unused(document, DRACO);
    Ok(())
}

/// Number of texture coordinate sets of a primitive, which is the index of the next.
pub(super) fn next_set(primitive: &Value) -> usize {
    let has = |set: &usize| primitive["attributes"].get(format!("TEXCOORD_{set}")).is_some();
    (0..).find(|set| !has(set)).unwrap_or(0)
}

fn primitive(document: &mut Document, (mesh, primitive): (usize, usize)) -> &mut Value {
    &mut document.json["meshes"][mesh]["primitives"][primitive]
}

fn is_compressed(primitive: &Value) -> bool {
    primitive
        .get("extensions")
        .is_some_and(|extensions| extensions.get(DRACO).is_some())
}

fn forget_if_unused(document: &mut Document, name: &str) {
    let meshes = list(&document.json, "meshes").iter();
    let mut primitives = meshes.flat_map(|mesh| list(mesh, "primitives"));
    if !primitives.any(is_compressed) {
        forget_extension(&mut document.json, name);
    }
}

/// Primitives with shared vertices.
struct Domain {
    /// Attributes, including those of morph targets, and whether they are compressed.
    vertices: Value,
    members: Vec<Corners>,
    /// Texture coordinates of each vertex, copies at the end.
    uvs: Vec<Option<Vec2>>,
    /// Copied vertices.
    originals: Vec<u32>,
    /// True for members with corners at copies.
    is_changed: Vec<bool>,
}

impl Domain {
    fn new(
        document: &Document,
        file: &GltfFile,
        vertices: Value,
        mut members: Vec<Corners>,
    ) -> Result<Domain, ExportError> {
        let positions = index(&vertices[0]["POSITION"]).unwrap_or(usize::MAX);
        let is_compressed = vertices[2] == json!(true);
        let count = match is_compressed {
            true => {
                let (bytes, size) = file.elements(positions).map_err(ExportError::Source)?;
                bytes.len() / size
            }
            false => list(&document.json, "accessors")
                .get(positions)
                .and_then(|accessor| index(accessor.get("count")?))
                .unwrap_or(0),
        };
        let mut uvs = vec![None; count];
        let mut originals = vec![];
        let mut copies: FxHashMap<(u32, [u32; 2]), u32> = FxHashMap::default();
        let mut is_changed = vec![];
        for member in &mut members {
            let mut changes = false;
            let corners = member.triangles.iter_mut().flatten();
            for (vertex, &uv) in corners.zip(member.uvs.iter().flatten()) {
                let known = uvs
                    .get_mut(*vertex as usize)
                    .ok_or_else(|| ExportError::Source(format!("there is no vertex {vertex} of {count}")))?;
                if *known.get_or_insert(uv) == uv {
                    continue;
                }
                changes = true;
                let key = (*vertex, uv.to_array().map(f32::to_bits));
                *vertex = *copies.entry(key).or_insert_with(|| {
                    originals.push(*vertex);
                    (count + originals.len() - 1) as u32
                });
                uvs.resize(count + originals.len(), Some(uv));
            }
            is_changed.push(changes);
        }
        Ok(Domain { vertices, members, uvs, originals, is_changed })
    }

    fn write(self, document: &mut Document, file: &GltfFile) -> Result<(), ExportError> {
        let is_compressed = self.vertices[2] == json!(true);
        let mut renamed = FxHashMap::default();
        if is_compressed || !self.originals.is_empty() {
            for (accessor, times) in self.accessors() {
                let new = self.copy_vertices(document, file, accessor, times * self.members.len())?;
                renamed.insert(accessor, new);
            }
        }
        let uvs: Vec<[f32; 2]> = (self.uvs.iter()).map(|uv| uv.unwrap_or(Vec2::ZERO).to_array()).collect();
        let set = document.add_floats(&uvs);
        for (member, is_changed) in self.members.iter().zip(&self.is_changed) {
            let primitive = primitive(document, member.place);
            let name = format!("TEXCOORD_{}", next_set(primitive));
            for named in attribute_lists(primitive) {
                for accessor in named.values_mut() {
                    if let Some(new) = index(accessor).and_then(|old| renamed.get(&old)) {
                        *accessor = json!(new);
                    }
                }
            }
            primitive["attributes"][name] = json!(set);
            if *is_changed || is_compressed {
                write_indices(document, member);
            }
            if is_compressed {
                let primitive = self::primitive(document, member.place);
                let view = primitive["extensions"][DRACO].get("bufferView").and_then(index);
                remove_extension(primitive, DRACO);
                if let Some(view) = view {
                    document.release_view(view);
                }
            }
        }
        Ok(())
    }

    /// Accessors of all attributes, with their number of references by members.
    fn accessors(&self) -> Vec<(usize, usize)> {
        let targets = self.vertices[1].as_array().into_iter().flatten();
        let lists = std::iter::once(&self.vertices[0]).chain(targets);
        let mut accessors: Vec<usize> = lists
            .filter_map(Value::as_object)
            .flat_map(|named| named.values().filter_map(index))
            .collect();
        accessors.sort_unstable();
        accessors.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect()
    }

    /// Writes the elements of an accessor with those of copies; returns the index of the accessor, which does not change if
    /// these are all its `uses`.
    fn copy_vertices(
        &self,
        document: &mut Document,
        file: &GltfFile,
        accessor: usize,
        uses: usize,
    ) -> Result<usize, ExportError> {
        let (mut bytes, size) = file.elements(accessor).map_err(ExportError::Source)?;
        for &original in &self.originals {
            let at = original as usize * size;
            if at + size > bytes.len() {
                return Err(ExportError::Source(format!("accessor {accessor} is too short")));
            }
            bytes.extend_from_within(at..at + size);
        }
        let count = bytes.len() / size;
        // Elements of vertices are at multiples of four bytes.
        let stride = size.next_multiple_of(4);
        if stride != size {
            let padded = bytes.chunks_exact(size).flat_map(|element| {
                let padding = std::iter::repeat_n(0, stride - size);
                element.iter().copied().chain(padding)
            });
            bytes = padded.collect();
        }
        let kind = ViewKind::Vertices((stride != size).then_some(stride));
        let mut new = document.json["accessors"][accessor].clone();
        let is_last = (0..uses).fold(false, |_, _| document.uses.is_last_of_accessor(accessor));
        if is_last {
            release_views(document, &new);
        }
        if let Value::Object(members) = &mut new {
            members.remove("byteOffset");
            members.remove("sparse");
        }
        new["bufferView"] = json!(document.add_view(bytes, kind));
        new["count"] = json!(count);
        Ok(match is_last {
            true => {
                document.json["accessors"][accessor] = new;
                accessor
            }
            false => document.add("accessors", new),
        })
    }
}

/// Attributes of a primitive and of its morph targets.
fn attribute_lists(primitive: &mut Value) -> Vec<&mut serde_json::Map<String, Value>> {
    let Value::Object(members) = primitive else {
        return vec![];
    };
    let mut lists = vec![];
    for (name, member) in members.iter_mut() {
        match member {
            Value::Object(attributes) if name == "attributes" => lists.push(attributes),
            Value::Array(targets) if name == "targets" => {
                lists.extend(targets.iter_mut().filter_map(Value::as_object_mut));
            }
            _ => {}
        }
    }
    lists
}

/// Releases a reference to the views of an accessor.
fn release_views(document: &mut Document, accessor: &Value) {
    let parts = ["/bufferView", "/sparse/indices/bufferView", "/sparse/values/bufferView"];
    for view in parts.iter().filter_map(|part| index(accessor.pointer(part)?)) {
        document.release_view(view);
    }
}

/// Writes the triangles of a primitive as its indices, in the previous index type if they fit.
fn write_indices(document: &mut Document, corners: &Corners) {
    let known = index(&primitive(document, corners.place)["indices"]);
    let old = known.map(|accessor| document.json["accessors"][accessor].clone());
    let indices = || corners.triangles.iter().flatten();
    let largest = indices().copied().max().unwrap_or(0);
    let width = old.as_ref().and_then(|old| old["componentType"].as_u64());
    // The maximum value of a type restarts strips. 5121, 5123, 5125: unsigned integers of 8, 16, 32 bits.
    let (kind, bytes): (u32, Vec<u8>) = match width {
        Some(5121) if largest < 255 => (5121, indices().map(|&i| i as u8).collect()),
        Some(5121 | 5123) if largest < 65_535 => {
            (5123, indices().flat_map(|&i| (i as u16).to_le_bytes()).collect())
        }
        _ => (5125, indices().flat_map(|&i| i.to_le_bytes()).collect()),
    };
    let is_last = known.is_some_and(|accessor| document.uses.is_last_of_accessor(accessor));
    if let Some(old) = old.as_ref().filter(|_| is_last) {
        release_views(document, old);
    }
    let view = document.add_view(bytes, ViewKind::Indices);
    let mut new = old.unwrap_or_else(|| json!({ "type": "SCALAR" }));
    if let Value::Object(members) = &mut new {
        for stale in ["byteOffset", "sparse", "min", "max"] {
            members.remove(stale);
        }
    }
    new["bufferView"] = json!(view);
    new["componentType"] = json!(kind);
    new["count"] = json!(3 * corners.triangles.len());
    let accessor = match known.filter(|_| is_last) {
        Some(accessor) => {
            document.json["accessors"][accessor] = new;
            accessor
        }
        None => document.add("accessors", new),
    };
    let primitive = primitive(document, corners.place);
    primitive["indices"] = json!(accessor);
    // 4: triangles, the default.
    if primitive.get("mode").is_some() {
        primitive["mode"] = json!(4);
    }
}
