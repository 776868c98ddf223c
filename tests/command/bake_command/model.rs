//! `model.glb`: the user's file with only the documented additions; scenes as models.

use std::fs;
use std::path::Path;

use renderer::files::SharedFiles;
use renderer::image::read;
use renderer::scene::import::{GltfFile, ModelShape, load_gltf};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{done, run};

/// A glTF file under construction.
pub(super) struct Glb {
    json: Value,
    bytes: Vec<u8>,
}

impl Glb {
    fn view(&mut self, bytes: &[u8], more: &Value) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        view.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.bytes.extend(bytes);
        push(&mut self.json["bufferViews"], view)
    }

    fn accessor(&mut self, bytes: &[u8], kind: (u32, &str), count: usize, more: &Value) -> usize {
        let stride = more.get("stride").map_or(json!({}), |stride| json!({ "byteStride": stride }));
        let view = self.view(bytes, &stride);
        let mut accessor =
            json!({ "bufferView": view, "componentType": kind.0, "type": kind.1, "count": count });
        let mut more = more.as_object().unwrap().clone();
        more.remove("stride");
        accessor.as_object_mut().unwrap().extend(more);
        push(&mut self.json["accessors"], accessor)
    }

    fn floats(&mut self, kind: &str, values: &[f32], count: usize, more: &Value) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.accessor(&bytes, (5126, kind), count, more)
    }

    pub(super) fn write(mut self, path: &Path) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.json["buffers"] = json!([{ "byteLength": self.bytes.len() }]);
        let mut text = self.json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut file = b"glTF\x02\0\0\0".to_vec();
        file.extend(((12 + 8 + text.len() + 8 + self.bytes.len()) as u32).to_le_bytes());
        file.extend((text.len() as u32).to_le_bytes());
        file.extend(b"JSON");
        file.extend(text);
        file.extend((self.bytes.len() as u32).to_le_bytes());
        file.extend(b"BIN\0");
        file.extend(self.bytes);
        fs::write(path, file).unwrap();
    }
}

fn push(list: &mut Value, element: Value) -> usize {
    if list.is_null() {
        *list = json!([]);
    }
    let list = list.as_array_mut().unwrap();
    list.push(element);
    list.len() - 1
}

/// A smooth cube of eight vertices in two primitives, with colours of three bytes and a sparse morph target, at two
/// nodes; a strip with two UV sets, the second for a lightmap, instanced; and other glTF features.
pub(super) fn everything() -> Glb {
    let mut glb = Glb {
        json: json!({
            "asset": { "version": "2.0", "generator": "hand", "extras": { "a": 1 } },
            "scene": 0,
            "scenes": [{ "nodes": [0, 2, 3, 4], "name": "all" }],
            "extensionsUsed": ["EXT_mesh_gpu_instancing", "KHR_lights_punctual", "ACME_unknown"],
            "extensions": {
                "KHR_lights_punctual": { "lights": [{ "type": "point", "intensity": 20000.0 }] },
                "ACME_unknown": { "what": [1, 2, { "x": 0.1 }] },
            },
            "extras": "a word",
            "materials": [
                { "name": "red", "pbrMetallicRoughness": { "baseColorFactor": [0.8, 0.2, 0.1, 1.0], "metallicFactor": 0.0 } },
                { "name": "blue", "doubleSided": true, "extras": { "mine": true },
                  "pbrMetallicRoughness": { "baseColorFactor": [0.1, 0.3, 0.8, 1.0], "metallicFactor": 0.1 } },
            ],
            "cameras": [{ "type": "perspective", "perspective": { "yfov": 0.8, "znear": 0.1 } }],
        }),
        bytes: vec![],
    };
    let corners: Vec<f32> = (0..8u8)
        .flat_map(|i| [0, 1, 2].map(|axis| if i >> axis & 1 == 1 { 0.5 } else { -0.5 }))
        .collect();
    let normals: Vec<f32> = corners.iter().map(|v| v * 1.154_700_5).collect();
    let bounds = json!({ "min": [-0.5, -0.5, -0.5], "max": [0.5, 0.5, 0.5], "name": "corners" });
    let positions = glb.floats("VEC3", &corners, 8, &bounds);
    let normals = glb.floats("VEC3", &normals, 8, &json!({}));
    let colors: Vec<u8> = (0..8u8).flat_map(|i| [255 - 20 * i, 30 * i, 200, 0]).collect();
    let normalized = json!({ "normalized": true, "stride": 4 });
    let colors = glb.accessor(&colors, (5121, "VEC3"), 8, &normalized);
    let places = glb.view(&[7, 0], &json!({}));
    let moved: Vec<u8> = [0.2f32, 0.1, 0.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let moved = glb.view(&moved, &json!({}));
    let target = push(
        &mut glb.json["accessors"],
        json!({
            "componentType": 5126, "type": "VEC3", "count": 8, "min": [0.0, 0.0, 0.0], "max": [0.2, 0.1, 0.0],
            "sparse": {
                "count": 1,
                "indices": { "bufferView": places, "componentType": 5123 },
                "values": { "bufferView": moved },
            },
        }),
    );
    let faces: [[u8; 6]; 6] = [
        [0, 2, 3, 0, 3, 1],
        [4, 5, 7, 4, 7, 6],
        [0, 1, 5, 0, 5, 4],
        [2, 6, 7, 2, 7, 3],
        [0, 4, 6, 0, 6, 2],
        [1, 3, 7, 1, 7, 5],
    ];
    let primitives: Vec<Value> = [0, 1]
        .into_iter()
        .map(|half| {
            let indices: Vec<u8> = faces[3 * half..3 * half + 3].iter().flatten().copied().collect();
            let indices = glb.accessor(&indices, (5121, "SCALAR"), 18, &json!({}));
            json!({
                "attributes": { "POSITION": positions, "NORMAL": normals, "COLOR_0": colors },
                "targets": [{ "POSITION": target }],
                "indices": indices,
                "material": half,
            })
        })
        .collect();
    let plane = [-1.0, 0.0, 1.0, 1.0, 0.0, 1.0, -1.0, 0.0, -1.0, 1.0, 0.0, -1.0];
    let bounds = json!({ "min": [-1.0, 0.0, -1.0], "max": [1.0, 0.0, 1.0] });
    let plane = glb.floats("VEC3", &plane, 4, &bounds);
    let uvs = glb.floats("VEC2", &[0.0, 3.0, 3.0, 3.0, 0.0, 0.0, 3.0, 0.0], 4, &json!({}));
    let own = glb.floats("VEC2", &[0.1, 0.9, 0.9, 0.9, 0.1, 0.1, 0.9, 0.1], 4, &json!({}));
    let places = glb.floats("VEC3", &[0.0, -0.6, 0.0, 2.2, -0.6, 0.0], 2, &json!({}));
    let times = glb.floats("SCALAR", &[0.0, 1.0], 2, &json!({ "min": [0.0], "max": [1.0] }));
    let path = glb.floats("VEC3", &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0], 2, &json!({}));
    glb.json["meshes"] = json!([
        { "name": "cube", "primitives": primitives, "weights": [0.5] },
        { "name": "strip", "primitives": [{
            "attributes": { "POSITION": plane, "TEXCOORD_0": uvs, "TEXCOORD_1": own }, "mode": 5,
        }] },
    ]);
    glb.json["nodes"] = json!([
        { "name": "a", "mesh": 0, "children": [1], "extras": { "tag": "kept" } },
        { "name": "b", "mesh": 0, "translation": [1.5, 0.2, 0.3], "scale": [0.5, 0.5, 0.5], "rotation": [0.0, 0.6, 0.0, 0.8] },
        { "name": "c", "mesh": 1, "extensions": { "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": places } } } },
        { "name": "eye", "camera": 0, "translation": [0.6, 1.0, 4.0] },
        { "name": "lamp", "translation": [1.0, 3.0, 2.0], "extensions": { "KHR_lights_punctual": { "light": 0 } } },
    ]);
    glb.json["animations"] = json!([{
        "samplers": [{ "input": times, "output": path }],
        "channels": [{ "sampler": 0, "target": { "node": 1, "path": "translation" } }],
    }]);
    glb
}

pub(super) fn json_of(path: &Path) -> Value {
    let bytes = fs::read(path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).unwrap()
}

/// Additions of `after` to `before`, then other differences, as JSON pointers.
fn differences(before: &Value, after: &Value, at: &str, found: &mut [Vec<String>; 2]) {
    match (before, after) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                let at = format!("{at}/{key}");
                match b.get(key) {
                    Some(other) => differences(value, other, &at, found),
                    None => found[1].push(at),
                }
            }
            let added = b.keys().filter(|key| !a.contains_key(*key));
            found[0].extend(added.map(|key| format!("{at}/{key}")));
        }
        (Value::Array(a), Value::Array(b)) => {
            for (index, value) in a.iter().enumerate() {
                let at = format!("{at}/{index}");
                match b.get(index) {
                    Some(other) => differences(value, other, &at, found),
                    None => found[1].push(at),
                }
            }
            found[0].extend((a.len()..b.len()).map(|index| format!("{at}/{index}")));
        }
        _ if before == after => {}
        _ => found[1].push(at.to_owned()),
    }
}

/// The elements of an attribute at all corners of a primitive.
fn corners(path: &Path, mesh: usize, primitive: usize, attribute: &str) -> Vec<Vec<u8>> {
    let file = GltfFile::open(&SharedFiles::default(), path).unwrap();
    let json = json_of(path);
    let accessor = json.pointer(&format!("/meshes/{mesh}/primitives/{primitive}/{attribute}"));
    let (bytes, size) = file.elements(accessor.unwrap().as_u64().unwrap() as usize).unwrap();
    let triangles = file.triangles(mesh, primitive).unwrap().unwrap();
    let element = |&index: &u32| bytes[index as usize * size..][..size].to_vec();
    triangles.iter().flatten().map(element).collect()
}

const QUICK: &str = "--samples 4 --resolution 64 --integrator path --quiet";

#[test]
fn a_baked_model_has_only_the_documented_additions() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    everything().write(&at.join("in.glb"));
    done(at, &format!("bake in.glb -o out --include both {QUICK}"));
    let (before, after) = (json_of(&at.join("in.glb")), json_of(&at.join("out/model.glb")));
    let mut found = [vec![], vec![]];
    for part in [
        "meshes",
        "nodes",
        "materials",
        "scenes",
        "cameras",
        "animations",
        "extensions",
        "asset",
        "scene",
    ] {
        differences(&before[part], &after[part], &format!("/{part}"), &mut found);
    }
    let [mut added, changed] = found;
    added.sort();
    let expected = [
        "/materials/0/extensions",
        "/materials/1/extensions",
        "/meshes/0/primitives/0/attributes/TEXCOORD_0",
        "/meshes/0/primitives/1/attributes/TEXCOORD_0",
        "/nodes/0/extras/lightmap",
        "/nodes/1/extras",
        "/nodes/2/extras",
    ];
    // The cube is at two nodes, so that none of its materials has a unique lightmap rectangle.
    let is_expected = |added: &String| expected.contains(&added.as_str()) && !added.starts_with("/materials");
    assert!(added.iter().all(is_expected), "{added:?}");
    assert_eq!(added.len(), 5);
    assert!(changed.is_empty(), "{changed:?}");
    assert_eq!(after["extras"]["value"], "a word");
    // Vertices of both primitives are unchanged; the first eight come first.
    let attributes =
        |json: &Value, primitive: usize| json["meshes"][0]["primitives"][primitive]["attributes"].clone();
    assert_eq!(attributes(&after, 0), attributes(&after, 1));
    for primitive in [0, 1] {
        for attribute in
            ["attributes/POSITION", "attributes/NORMAL", "attributes/COLOR_0", "targets/0/POSITION"]
        {
            let [before, after] =
                ["in.glb", "out/model.glb"].map(|name| corners(&at.join(name), 0, primitive, attribute));
            assert!(before == after, "{attribute} of primitive {primitive}");
        }
    }
    for name in ["in", "out/model"] {
        done(at, &format!("render {name}.glb -o {name}.exr --spp 1 --size 48x36 --quiet"));
    }
    let [before, after] = ["in.exr", "out/model.exr"].map(|name| read(&at.join(name)).unwrap().data);
    assert!(before == after, "the picture differs");
}

/// Rectangles of nodes in the lightmap: the UVs of two nodes of a mesh are the same layout, translated; the file's own
/// UVs are scaled into each instance's rectangle.
#[test]
fn nodes_have_their_lightmap_rectangles() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    everything().write(&at.join("in.glb"));
    done(at, &format!("bake in.glb -o out --include both {QUICK}"));
    let model = json_of(&at.join("out/model.glb"));
    let file = GltfFile::open(&SharedFiles::default(), &at.join("out/model.glb")).unwrap();
    let baked = load_gltf(&at.join("out/scene.glb")).unwrap();
    let bake: Value = serde_json::from_slice(&fs::read(at.join("out/bake.json")).unwrap()).unwrap();
    let height = bake["atlas"]["height"].as_f64().unwrap();
    for object in bake["atlas"]["objects"].as_array().unwrap() {
        let name = object["name"].as_str().unwrap();
        let (node, primitive) = (
            object["node"].as_u64().unwrap() as usize,
            object["primitive"].as_u64().unwrap() as usize,
        );
        let said = &model["nodes"][node]["extras"]["lightmap"]["primitives"][primitive];
        let place = match object["instance"].as_u64() {
            Some(instance) => &said["instances"][instance as usize],
            None => said,
        };
        let place = if object["side"] == "back" { &place["back"] } else { place };
        let number =
            |key: &str, index: usize| place[key][index].as_f64().unwrap_or_else(|| panic!("{name}: {said}"));
        let set = said["texCoord"].as_u64().unwrap();
        let mesh = model["nodes"][node]["mesh"].as_u64().unwrap() as usize;
        let attribute = format!("/meshes/{mesh}/primitives/{primitive}/attributes/TEXCOORD_{set}");
        let (bytes, _) = file
            .elements(model.pointer(&attribute).unwrap().as_u64().unwrap() as usize)
            .unwrap();
        let uvs: Vec<[f32; 2]> = bytes
            .chunks_exact(8)
            .map(|b| [0, 4].map(|i| f32::from_le_bytes(b[i..i + 4].try_into().unwrap())))
            .collect();
        let triangles = file.triangles(mesh, primitive).unwrap().unwrap();
        let shape: &ModelShape = baked.shapes.iter().find(|shape| *shape.name == *name).unwrap();
        assert_eq!(triangles.len(), shape.mesh.triangles.len());
        for (corner, expected) in triangles.iter().flatten().zip(shape.mesh.triangles.iter().flatten()) {
            // The triangles of a back are reversed, so that only first corners correspond.
            if object["side"] == "back" {
                continue;
            }
            let uv = uvs[*corner as usize];
            let expected = shape.mesh.uvs2[*expected as usize];
            let u = number("offset", 0) + number("scale", 0) * f64::from(uv[0]);
            let v = number("offset", 1) + number("scale", 1) * f64::from(uv[1]);
            let off = (u - f64::from(expected.x)).abs().max((v - f64::from(1.0 - expected.y)).abs());
            assert!(off * height < 1e-2, "{name}: {u} {v}, {expected}");
        }
    }
}

#[test]
fn scenes_become_models_with_materials_textures_cameras_and_lights() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::write(
        at.join("a.kiln"),
        "film { size = (8, 6); }
camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); fov = 40; fov_axis = y; }
material brass = metal(alpha = 0.25);
material paint = matte(albedo = (0.2, 0.4, 0.6));
material tiles = matte(albedo = checker(columns = 4, rows = 4, a = 0.1, b = 0.8).result);
material lamp = emitter(radiance = (5, 10, 5));
shape floor : plane { size = 3; material = tiles; }
shape ball : sphere { center = (0, 0.5, 0); radius = 0.5; material = brass; }
shape box : cube { material = paint; transform = translate(1, 0.5, 0) * scale(0.3, 0.3, 0.3); flip_normals = true; }
shape other : cube { material = paint; transform = translate(-1, 0.5, 0) * scale(0.2, 0.4, 0.2); }
shape light : rectangle { size = (1, 1); material = lamp; transform = translate(0, 2, 0) * rotate((1, 0, 0), 90); }
light spark : point { position = (0, 1.5, 1); intensity = (2, 1, 1); }
",
    )
    .unwrap();
    let output = run(at, &format!("bake a.kiln -o out --textures 64 {QUICK}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let model = json_of(&at.join("out/model.glb"));
    let material = |shape: &str| {
        let nodes = model["nodes"].as_array().unwrap();
        let node = nodes.iter().find(|node| node["name"] == shape).unwrap();
        let mesh = &model["meshes"][node["mesh"].as_u64().unwrap() as usize];
        &model["materials"][mesh["primitives"][0]["material"].as_u64().unwrap() as usize]
    };
    let near = |value: &Value, expected: f64, within: f64| {
        let value = value.as_f64().unwrap();
        assert!((value - expected).abs() < within, "{value} {expected}");
    };
    let brass = &material("ball")["pbrMetallicRoughness"];
    near(&brass["metallicFactor"], 1.0, 0.01);
    near(&brass["roughnessFactor"], 0.5, 0.01);
    near(&brass["baseColorFactor"][0], 0.957, 0.05);
    near(&brass["baseColorFactor"][2], 0.408, 0.06);
    let paint = material("box");
    assert_eq!(paint, material("other"));
    near(&paint["pbrMetallicRoughness"]["baseColorFactor"][1], 0.4, 1e-4);
    near(&paint["extensions"]["KHR_materials_specular"]["specularFactor"], 0.0, 1e-4);
    assert!(material("floor")["pbrMetallicRoughness"]["baseColorTexture"].is_object());
    let lamp = material("light");
    near(
        &lamp["extensions"]["KHR_materials_emissive_strength"]["emissiveStrength"],
        10.0,
        1e-3,
    );
    near(&lamp["emissiveFactor"][0], 0.5, 1e-3);
    near(&model["cameras"][0]["perspective"]["yfov"], 40f64.to_radians(), 1e-4);
    let light = &model["extensions"]["KHR_lights_punctual"]["lights"][0];
    near(&light["intensity"], 2.0 * 683.0, 0.1);
    near(&light["color"][1], 0.5, 1e-4);
    // The written model is valid.
    let read = load_gltf(&at.join("out/model.glb")).unwrap();
    assert_eq!(read.shapes.len(), 5);
    assert_eq!((read.cameras.len(), read.lights.len()), (1, 1));
}
