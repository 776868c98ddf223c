//! Compressed geometry: streams of the official encoders of meshopt and Draco. Except for filter tests, all contain a
//! grid of 3 × 3 vertices (i, j, ij/4), in rows, and its triangles.

use glam::{Vec2, Vec3};
use serde_json::{Value, json};

use super::Glb;

const TRIANGLES: [[u32; 3]; 8] =
    [[0, 1, 3], [1, 4, 3], [1, 2, 4], [2, 5, 4], [3, 4, 6], [4, 7, 6], [4, 5, 7], [5, 8, 7]];
const POSITIONS: [&str; 2] = [
    "a00000013cf3c000ffffffffffff013bef80007e7f7e7f7e000001030c0000ffff01030800007e00000100f0c000ffffff0100ef00007c7d7e0000000000000000000000000000000000000000000000000000000000000000",
    "a1da6a5a004800ffff007f017f7f017f7f010048007f01004000ff00f0017d017d7e01000000000000000000000000000000000000000000010101",
];
const EXPONENTIAL: &str = "a0000133cfc000403f403f2020000139200000ca0001033c0000401f20000139200000ca000100cfc000100f1010000139200000ca00000000000000000000000000000000000000000000008e0000008e0000008e";
const LIST: &str = "e1fe1e100e4e1e120e0f06007687566778a9866589689801690000";
const SEQUENCE: &str = "d1000408060c02060408060c02020408060c02060408060c0200000000";
const DRACO: &str = "445241434f0202010100000009080208010003efd31aff0111ff028840ff02884003ff0000000000010000010009030000020103090200010201020204000201010101000f031d07275515390e5915059acff94b80ffffff0f00fdfffeffff0300f4ff00000004c0ff030000e0ff0100000080000000ff0f000000000400000000ff3f0000000000000000000000000000000000400e010101000d03ad2a275515032a624cffffffffefff00d0ff020000000000ff0f000000000000000000000000803f0c010101000903ad2a13390e1d07042e5b9e81a0a10e01d0270070c7030000000000000000ff000000";

fn hex(text: &str) -> Vec<u8> {
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    text.as_bytes().chunks(2).map(byte).collect()
}

fn grid() -> Vec<Vec3> {
    let at = |v: u8| (f32::from(v % 3), f32::from(v / 3));
    (0..9).map(at).map(|(i, j)| Vec3::new(i, j, i * j / 4.0)).collect()
}

/// The triangle rotated to begin with its smallest index, because encoders rotate triangles.
fn smallest_first(mut triangle: [u32; 3]) -> [u32; 3] {
    let first = (0..3).min_by_key(|&i| triangle[i]).unwrap_or(0);
    triangle.rotate_left(first);
    triangle
}

/// A document of one primitive.
fn document(extension: &str) -> Glb {
    Glb::new(json!({
        "extensionsUsed": [extension],
        "extensionsRequired": [extension],
        "meshes": [{ "primitives": [{ "attributes": {} }] }],
        "nodes": [{ "mesh": 0 }],
    }))
}

/// Adds an accessor of a meshopt-compressed view; its uncompressed buffer is missing.
fn compressed(glb: &mut Glb, extension: &str, stream: &str, settings: Value, accessor: Value) -> usize {
    let view = glb.view(&hex(stream));
    let place = glb.json["bufferViews"][view].clone();
    let mut settings = settings;
    for (to, from) in [("buffer", "buffer"), ("byteOffset", "byteOffset"), ("byteLength", "byteLength")] {
        settings[to] = place[from].clone();
    }
    let stride = settings["byteStride"].as_u64().unwrap();
    let length = stride * settings["count"].as_u64().unwrap();
    glb.json["bufferViews"][view] = json!({ "buffer": 1, "byteLength": length, "byteStride": stride, "extensions": { extension: settings } });
    let mut accessor = accessor;
    accessor["bufferView"] = json!(view);
    glb.push("accessors", accessor)
}

fn meshopt(extension: &str, positions: (&str, &str), indices: (&str, &str)) -> Glb {
    let mut glb = document(extension);
    let position = compressed(
        &mut glb,
        extension,
        positions.0,
        json!({ "mode": "ATTRIBUTES", "byteStride": 12, "count": 9, "filter": positions.1 }),
        json!({ "componentType": 5126, "count": 9, "type": "VEC3" }),
    );
    let index = compressed(
        &mut glb,
        extension,
        indices.0,
        json!({ "mode": indices.1, "byteStride": 4, "count": 24 }),
        json!({ "componentType": 5125, "count": 24, "type": "SCALAR" }),
    );
    let primitive = &mut glb.json["meshes"][0]["primitives"][0];
    primitive["attributes"]["POSITION"] = json!(position);
    primitive["indices"] = json!(index);
    glb
}

/// The document with its second buffer, a placeholder for the decompressed bytes.
fn with_fallback(mut glb: Glb, extension: &str) -> Glb {
    glb.push(
        "buffers",
        json!({ "byteLength": 4096, "extensions": { extension: { "fallback": true } } }),
    );
    glb
}

fn is_grid(glb: &Glb) {
    let model = glb.read().expect("it is valid");
    assert!(model.warnings.is_empty(), "{:?}", model.warnings);
    let mesh = &model.shapes[0].mesh;
    let triangles: Vec<_> = mesh.triangles.iter().copied().map(smallest_first).collect();
    assert_eq!(triangles, TRIANGLES.map(smallest_first));
    for (found, expected) in mesh.positions.iter().zip(grid()) {
        assert!(found.distance(expected) < 1e-3, "{:?}", mesh.positions);
    }
}

#[test]
fn meshopt_views_are_decompressed() {
    for extension in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        for positions in [(POSITIONS[0], "NONE"), (POSITIONS[1], "NONE"), (EXPONENTIAL, "EXPONENTIAL")] {
            for indices in [(LIST, "TRIANGLES"), (SEQUENCE, "INDICES")] {
                is_grid(&with_fallback(meshopt(extension, positions, indices), extension));
            }
        }
        // Some documents do not mark that buffer as a fallback.
        let mut glb = meshopt(extension, (POSITIONS[0], "NONE"), (LIST, "TRIANGLES"));
        glb.push("buffers", json!({ "byteLength": 4096 }));
        is_grid(&glb);
    }
}

#[test]
fn meshopt_filters_give_vectors_and_colours() {
    let extension = "KHR_meshopt_compression";
    let mut glb = document(extension);
    let positions = glb.floats("VEC3", &super::TRIANGLE);
    let normals = compressed(
        &mut glb,
        extension,
        "a0013c000000fe6b010c000000fd00000000000000000000000000000000000000000000000000000000000000007f00",
        json!({ "mode": "ATTRIBUTES", "byteStride": 4, "count": 3, "filter": "OCTAHEDRAL" }),
        json!({ "componentType": 5120, "normalized": true, "count": 3, "type": "VEC3" }),
    );
    let colors = compressed(
        &mut glb,
        extension,
        "a1ff0080ff00847e007e00007d3f00000000000000000000000000000000000000407fc1ff00",
        json!({ "mode": "ATTRIBUTES", "byteStride": 4, "count": 3, "filter": "COLOR" }),
        json!({ "componentType": 5121, "normalized": true, "count": 3, "type": "VEC4" }),
    );
    glb.json["meshes"][0]["primitives"][0]["attributes"] =
        json!({ "POSITION": positions, "NORMAL": normals, "COLOR_0": colors });
    let rotations = compressed(
        &mut glb,
        extension,
        "a0013c000000b2b1013c0000000b0c013c000000b1df013c0000000a17013c000000b1b2013c0000000a09013c000000050600000000000000000000000000000000000000000000000000000000000000ff07",
        json!({ "mode": "ATTRIBUTES", "byteStride": 8, "count": 3, "filter": "QUATERNION" }),
        json!({ "componentType": 5122, "normalized": true, "count": 3, "type": "VEC4" }),
    );
    glb.json["extensionsUsed"] = json!([extension, "EXT_mesh_gpu_instancing"]);
    glb.json["nodes"][0]["extensions"] =
        json!({ "EXT_mesh_gpu_instancing": { "attributes": { "ROTATION": rotations } } });
    let model = with_fallback(glb, extension).read().expect("it is valid");
    let mesh = &model.shapes[0].mesh;
    for (found, expected) in mesh.normals.iter().zip([Vec3::Z, Vec3::X, Vec3::new(0.0, -0.6, -0.8)]) {
        assert!(found.distance(expected) < 0.02, "{:?}", mesh.normals);
    }
    for (found, expected) in
        mesh.colors
            .iter()
            .zip([[1.0, 0.0, 0.0, 1.0], [0.25, 0.5, 0.75, 0.5], [0.0, 0.0, 0.0, 0.25]])
    {
        let error = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(error < 0.02, "{:?}", mesh.colors);
    }
    let turned: Vec<Vec3> = model
        .shapes
        .iter()
        .map(|s| s.world_from_object.transform_vector3(Vec3::X))
        .collect();
    // Quaternions (0, 0, 0, 1), (½, -½, ½, ½) and (0, 0.6, 0, -0.8).
    for (found, expected) in
        turned
            .iter()
            .zip([Vec3::X, Vec3::new(0.0, 0.0, 1.0), Vec3::new(0.28, 0.0, 0.96)])
    {
        assert!(found.distance(expected) < 0.01, "{turned:?}");
    }
}

fn draco() -> Glb {
    let extension = "KHR_draco_mesh_compression";
    let mut glb = document(extension);
    let view = glb.view(&hex(DRACO));
    let mut accessor = |kind: &str, component: u32, count: u32, normalized: bool| {
        glb.push(
            "accessors",
            json!({ "componentType": component, "count": count, "type": kind, "normalized": normalized }),
        )
    };
    let position = accessor("VEC3", 5126, 9, false);
    let uv = accessor("VEC2", 5126, 9, false);
    let color = accessor("VEC4", 5121, 9, true);
    let indices = accessor("SCALAR", 5123, 24, false);
    glb.json["meshes"][0]["primitives"][0] = json!({
        "attributes": { "POSITION": position, "TEXCOORD_0": uv, "COLOR_0": color },
        "indices": indices,
        "extensions": { extension: {
            "bufferView": view, "attributes": { "POSITION": 0, "TEXCOORD_0": 1, "COLOR_0": 2 }
        } },
    });
    glb
}

#[test]
fn draco_primitives_are_decompressed() {
    let model = draco().read().expect("it is valid");
    assert!(model.warnings.is_empty(), "{:?}", model.warnings);
    let mesh = &model.shapes[0].mesh;
    // The encoder reorders vertices.
    let number = |p: Vec3| (p.x.round() + 3.0 * p.y.round()) as u32;
    for (i, p) in mesh.positions.iter().enumerate() {
        let v = number(*p);
        assert!(p.distance(grid()[v as usize]) < 1e-3, "{p}");
        assert!(mesh.uvs[i].distance(Vec2::new(p.x, 2.0 - p.y) / 2.0) < 1e-3);
        let expected = [v * 20, 255 - v * 20, 7, 255].map(|c| c as f32 / 255.0);
        assert!(mesh.colors[i].iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6));
    }
    let renumbered = |t: &[u32; 3]| smallest_first(t.map(|i| number(mesh.positions[i as usize])));
    let mut triangles: Vec<_> = mesh.triangles.iter().map(renumbered).collect();
    let mut expected = TRIANGLES.map(smallest_first);
    triangles.sort_unstable();
    expected.sort_unstable();
    assert_eq!(triangles, expected);
}

#[test]
fn errors_in_compressed_geometry_are_named() {
    let mut glb = draco();
    glb.json["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"]["attributes"]["COLOR_0"] =
        json!(9);
    glb.fails("mesh 0, primitive 0, KHR_draco_mesh_compression: it has no attribute 9 for COLOR_0");
    let extension = "EXT_meshopt_compression";
    let spoilt = |name: &str, value: Value, expected: &str| {
        let mut glb = meshopt(extension, (POSITIONS[0], "NONE"), (LIST, "TRIANGLES"));
        glb.json["bufferViews"][0]["extensions"][extension][name] = value;
        with_fallback(glb, extension).fails(expected);
    };
    spoilt("byteLength", json!(40), "compressed buffer view 0: cut short");
    spoilt(
        "byteLength",
        json!(4000),
        "compressed buffer view 0: it reaches beyond its buffer",
    );
    spoilt("mode", json!("TRIANGLES"), "the mode TRIANGLES with elements of 12 bytes");
    spoilt("filter", json!("QUATERNION"), "the filter QUATERNION of elements of 12 bytes");
    spoilt("count", json!(1_u64 << 60), "are more than the 108 bytes of the view");
}

#[test]
fn damaged_compressed_geometry_causes_no_panic() {
    let extension = "KHR_meshopt_compression";
    let of_meshopt = |positions, indices| with_fallback(meshopt(extension, positions, indices), extension);
    for mut glb in [
        draco(),
        of_meshopt((POSITIONS[0], "NONE"), (LIST, "TRIANGLES")),
        of_meshopt((POSITIONS[1], "NONE"), (SEQUENCE, "INDICES")),
    ] {
        for place in 0..glb.bytes.len() {
            for change in [0x01, 0x10, 0x80, 0xff] {
                glb.bytes[place] ^= change;
                // Damage may give other valid geometry, but never a panic.
                let _ = glb.read();
                glb.bytes[place] ^= change;
            }
        }
    }
}
