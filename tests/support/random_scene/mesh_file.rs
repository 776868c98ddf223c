//! Mesh files: PLY (text and binary), OBJ and GLB.

use std::fmt::Write as _;

use serde_json::json;

use super::TriangleMesh;

/// File format of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    PlyText,
    /// PLY, binary, little-endian.
    PlyBinary,
    /// Wavefront OBJ.
    Obj,
    /// Binary glTF.
    Glb,
}

impl MeshFormat {
    /// Every format.
    pub const ALL: [MeshFormat; 4] =
        [MeshFormat::PlyText, MeshFormat::PlyBinary, MeshFormat::Obj, MeshFormat::Glb];

    /// The file name extension.
    pub fn extension(self) -> &'static str {
        match self {
            MeshFormat::PlyText | MeshFormat::PlyBinary => "ply",
            MeshFormat::Obj => "obj",
            MeshFormat::Glb => "glb",
        }
    }

    /// The file's bytes.
    pub fn encode(self, mesh: &TriangleMesh) -> Vec<u8> {
        match self {
            MeshFormat::PlyText => ply_text(mesh),
            MeshFormat::PlyBinary => ply_binary(mesh),
            MeshFormat::Obj => obj(mesh),
            MeshFormat::Glb => glb(mesh),
        }
    }
}

/// The values of a vertex in the order of the file.
fn vertex(mesh: &TriangleMesh, index: usize) -> Vec<f32> {
    let mut values: Vec<f64> = mesh.positions[index].to_array().to_vec();
    if let Some(n) = mesh.normals.get(index) {
        values.extend(n.to_array());
    }
    if let Some(uv) = mesh.uvs.get(index) {
        values.extend(uv.to_array());
    }
    values.into_iter().map(|v| v as f32).collect()
}

fn ply_header(mesh: &TriangleMesh, format: &str) -> String {
    let mut text = format!("ply\nformat {format} 1.0\nelement vertex {}\n", mesh.positions.len());
    let mut names = vec!["x", "y", "z"];
    if !mesh.normals.is_empty() {
        names.extend(["nx", "ny", "nz"]);
    }
    if !mesh.uvs.is_empty() {
        names.extend(["u", "v"]);
    }
    for name in names {
        let _ = writeln!(text, "property float {name}");
    }
    let _ = write!(
        text,
        "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.triangles.len()
    );
    text
}

fn ply_text(mesh: &TriangleMesh) -> Vec<u8> {
    let mut text = ply_header(mesh, "ascii");
    for index in 0..mesh.positions.len() {
        let values: Vec<String> = vertex(mesh, index).iter().map(|v| format!("{v:e}")).collect();
        let _ = writeln!(text, "{}", values.join(" "));
    }
    for [a, b, c] in &mesh.triangles {
        let _ = writeln!(text, "3 {a} {b} {c}");
    }
    text.into_bytes()
}

fn ply_binary(mesh: &TriangleMesh) -> Vec<u8> {
    let mut bytes = ply_header(mesh, "binary_little_endian").into_bytes();
    for index in 0..mesh.positions.len() {
        bytes.extend(vertex(mesh, index).iter().flat_map(|v| v.to_le_bytes()));
    }
    for triangle in &mesh.triangles {
        bytes.push(3);
        bytes.extend(triangle.iter().flat_map(|i| i.to_le_bytes()));
    }
    bytes
}

fn obj(mesh: &TriangleMesh) -> Vec<u8> {
    let mut text = String::new();
    for p in &mesh.positions {
        let _ = writeln!(text, "v {:e} {:e} {:e}", p.x as f32, p.y as f32, p.z as f32);
    }
    for uv in &mesh.uvs {
        let _ = writeln!(text, "vt {} {}", uv.x as f32, uv.y as f32);
    }
    for n in &mesh.normals {
        let _ = writeln!(text, "vn {} {} {}", n.x as f32, n.y as f32, n.z as f32);
    }
    let corner = |i: u32| {
        let i = i + 1;
        match (mesh.uvs.is_empty(), mesh.normals.is_empty()) {
            (true, true) => format!("{i}"),
            (false, true) => format!("{i}/{i}"),
            (true, false) => format!("{i}//{i}"),
            (false, false) => format!("{i}/{i}/{i}"),
        }
    };
    for triangle in &mesh.triangles {
        let _ = writeln!(text, "f {}", triangle.map(corner).join(" "));
    }
    text.into_bytes()
}

fn glb(mesh: &TriangleMesh) -> Vec<u8> {
    let mut buffer: Vec<u8> = vec![];
    let mut views = vec![];
    let mut accessors = vec![];
    let mut attributes = serde_json::Map::new();
    let mut add = |bytes: Vec<u8>, accessor: serde_json::Value| {
        let mut accessor = accessor;
        accessor["bufferView"] = json!(views.len());
        views.push(json!({ "buffer": 0, "byteOffset": buffer.len(), "byteLength": bytes.len() }));
        buffer.extend(bytes);
        accessors.push(accessor);
        accessors.len() - 1
    };
    let floats =
        |values: Vec<f64>| -> Vec<u8> { values.into_iter().flat_map(|v| (v as f32).to_le_bytes()).collect() };
    let count = mesh.positions.len();
    let low = mesh.positions.iter().fold(glam::DVec3::INFINITY, |a, &b| a.min(b)).as_vec3();
    let high = mesh
        .positions
        .iter()
        .fold(glam::DVec3::NEG_INFINITY, |a, &b| a.max(b))
        .as_vec3();
    let positions = floats(mesh.positions.iter().flat_map(|p| p.to_array()).collect());
    let accessor = json!({ "componentType": 5126, "count": count, "type": "VEC3",
        "min": low.to_array(), "max": high.to_array() });
    attributes.insert("POSITION".to_owned(), json!(add(positions, accessor)));
    if !mesh.normals.is_empty() {
        // glTF requires unit normals.
        let normals = mesh.normals.iter().flat_map(|n| n.normalize_or_zero().to_array()).collect();
        let accessor = json!({ "componentType": 5126, "count": count, "type": "VEC3" });
        attributes.insert("NORMAL".to_owned(), json!(add(floats(normals), accessor)));
    }
    if !mesh.uvs.is_empty() {
        let uvs = mesh.uvs.iter().flat_map(|uv| [uv.x, 1.0 - uv.y]).collect();
        let accessor = json!({ "componentType": 5126, "count": count, "type": "VEC2" });
        attributes.insert("TEXCOORD_0".to_owned(), json!(add(floats(uvs), accessor)));
    }
    let indices = mesh.triangles.iter().flatten().flat_map(|i| i.to_le_bytes()).collect();
    let accessor = json!({ "componentType": 5125, "count": 3 * mesh.triangles.len(), "type": "SCALAR" });
    let indices = add(indices, accessor);
    let json = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": attributes, "indices": indices }] }],
        "buffers": [{ "byteLength": buffer.len() }],
        "bufferViews": views,
        "accessors": accessors,
    });
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    buffer.resize(buffer.len().next_multiple_of(4), 0);
    let total = 12 + 8 + text.len() + 8 + buffer.len();
    let mut file = b"glTF".to_vec();
    for word in [2, total as u32, text.len() as u32, 0x4e4f_534a] {
        file.extend(word.to_le_bytes());
    }
    file.extend(text);
    for word in [buffer.len() as u32, 0x004e_4942] {
        file.extend(word.to_le_bytes());
    }
    file.extend(buffer);
    file
}
