//! glTF importer: contents of documents; damaged documents give errors, never panics.

mod animation;
mod appearance;
mod compressed;
mod exports;
mod flat;
mod layers;
mod luminaires;
mod pointers;
mod pose;
mod strands;
mod tangents;

use std::f64::consts::FRAC_1_SQRT_2;
use std::path::Path;
use std::sync::Arc;

use glam::{Vec2, Vec3};
use renderer::camera::{FovAxis, Projection};
use renderer::scene::desc::{LightKind, SpotFalloff};
use renderer::scene::import::{Model, ModelShape, parse_gltf};
use renderer::scene::load::LoadOptions;
use renderer::texture::{TextureColorSpace, TextureSource};
use serde_json::{Value, json};

/// A document under construction: JSON and the bytes of its single buffer.
struct Glb {
    json: Value,
    bytes: Vec<u8>,
}

impl Glb {
    fn new(json: Value) -> Glb {
        let mut glb = Glb { json, bytes: vec![] };
        glb.json["asset"] = json!({ "version": "2.0" });
        glb
    }

    /// Adds bytes as a buffer view; returns its index.
    fn view(&mut self, bytes: &[u8]) -> usize {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
        let view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        self.bytes.extend(bytes);
        self.push("bufferViews", view)
    }

    fn push(&mut self, list: &str, value: Value) -> usize {
        if self.json[list].is_null() {
            self.json[list] = json!([]);
        }
        let list = self.json[list].as_array_mut().expect("it is a list");
        list.push(value);
        list.len() - 1
    }

    /// Adds floats as an accessor; returns its index.
    fn floats(&mut self, kind: &str, values: &[f32]) -> usize {
        let width = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "MAT4" => 16,
            _ => 4,
        };
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let view = self.view(&bytes);
        let count = values.len() / width;
        let mut accessor = json!({ "bufferView": view, "componentType": 5126, "count": count, "type": kind });
        if kind == "VEC3" {
            let bound = |f: fn(f32, f32) -> f32, start: f32| -> Vec<f32> {
                (0..3)
                    .map(|i| values.iter().skip(i).step_by(3).copied().fold(start, f))
                    .collect()
            };
            accessor["min"] = json!(bound(f32::min, f32::INFINITY));
            accessor["max"] = json!(bound(f32::max, f32::NEG_INFINITY));
        }
        self.push("accessors", accessor)
    }

    fn integers(&mut self, component: u32, bytes: &[u8], count: usize) -> usize {
        let view = self.view(bytes);
        self.push(
            "accessors",
            json!({ "bufferView": view, "componentType": component, "count": count, "type": "SCALAR" }),
        )
    }

    fn finish(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        if !self.bytes.is_empty() {
            let own = json!({ "byteLength": self.bytes.len() });
            match json["buffers"].as_array_mut() {
                Some(others) => others.insert(0, own),
                None => json["buffers"] = json!([own]),
            }
        }
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bytes = self.bytes.clone();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let chunk =
            |kind: &[u8; 4], data: &[u8]| [&(data.len() as u32).to_le_bytes()[..], &kind[..], data].concat();
        let mut chunks = chunk(b"JSON", &text);
        if !bytes.is_empty() {
            chunks.extend(chunk(b"BIN\0", &bytes));
        }
        [b"glTF", &2u32.to_le_bytes()[..], &(12 + chunks.len() as u32).to_le_bytes()[..], &chunks].concat()
    }

    fn read(&self) -> Result<Model, String> {
        parse_gltf(Path::new("test.glb"), &self.finish()).map_err(|error| error.to_string())
    }

    /// Checks that reading fails with a message that contains `message`.
    fn fails(&self, expected: &str) {
        let error = self.read().expect_err(expected);
        assert!(
            error.contains(expected) && error.contains("test.glb"),
            "expected `{expected}` in {error}"
        );
    }
}

const TRIANGLE: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
const SQUARE: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0];
/// One white pixel.
const PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0,
    1, 8, 0, 0, 0, 0, 0x3a, 0x7e, 0x9b, 0x55, 0, 0, 0, 10, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8,
    0x0f, 0, 1, 1, 1, 0, 0x1b, 0xb6, 0xee, 0x56, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];

/// A document with every supported feature.
fn rich() -> Glb {
    let mut glb = Glb::new(json!({
        "scene": 0,
        "scenes": [{ "nodes": [0, 3, 4, 5] }],
        "nodes": [
            { "name": "parent", "translation": [0, 1, 0], "children": [1, 2] },
            { "name": "left", "mesh": 0, "translation": [-2, 0, 0] },
            { "name": "right", "mesh": 0, "scale": [-1, 1, 1], "rotation": [0, 0, FRAC_1_SQRT_2, FRAC_1_SQRT_2] },
            { "name": "eye", "camera": 0, "translation": [0, 0, 5] },
            { "name": "lamp", "extensions": { "KHR_lights_punctual": { "light": 0 } }, "translation": [0, 3, 0] },
            { "name": "sun", "extensions": { "KHR_lights_punctual": { "light": 1 } } }
        ],
        "cameras": [{ "type": "perspective", "perspective": { "yfov": 0.8, "znear": 0.1 } }],
        "extensionsUsed": ["KHR_lights_punctual", "KHR_texture_transform", "KHR_materials_ior", "KHR_materials_dispersion"],
        "extensions": { "KHR_lights_punctual": { "lights": [
            { "type": "spot", "intensity": 683, "color": [1, 0.5, 0.25], "spot": { "innerConeAngle": 0.2, "outerConeAngle": 0.4 } },
            { "type": "directional", "intensity": 1366 }
        ] } },
        "materials": [{
            "name": "Body \"A\"",
            "doubleSided": true,
            "alphaMode": "MASK",
            "alphaCutoff": 0.25,
            "pbrMetallicRoughness": {
                "baseColorFactor": [0.5, 0.25, 0.125, 0.75],
                "baseColorTexture": { "index": 0, "texCoord": 1, "extensions": { "KHR_texture_transform": { "offset": [0.5, 0], "scale": [2, 2] } } },
                "metallicFactor": 0.25,
                "roughnessFactor": 0.5
            },
            "normalTexture": { "index": 0, "scale": 0.5 },
            "emissiveFactor": [1, 0, 0],
            "extensions": { "KHR_materials_ior": { "ior": 1.25 }, "KHR_materials_emissive_strength": { "emissiveStrength": 4 } }
        }],
        "samplers": [{ "wrapS": 33071, "wrapT": 33648 }],
        "textures": [{ "source": 0, "sampler": 0 }],
        "meshes": []
    }));
    let image = glb.view(PNG);
    glb.push("images", json!({ "bufferView": image, "mimeType": "image/png" }));
    let positions = glb.floats("VEC3", &SQUARE);
    let normals = glb.floats("VEC3", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    let uvs = glb.floats("VEC2", &[0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    let colors = glb.view(&[255, 0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 0, 255, 255, 255, 0]);
    glb.json["bufferViews"][colors]["byteStride"] = json!(4);
    let colors = glb.push(
        "accessors",
        json!({ "bufferView": colors, "componentType": 5121, "normalized": true, "count": 4, "type": "VEC3" }),
    );
    let indices = glb.integers(5121, &[0, 1, 2, 1, 3, 2], 6);
    let strip = glb.integers(5123, &[0, 0, 1, 0, 2, 0, 3, 0], 4);
    glb.push(
        "meshes",
        json!({ "name": "quad", "primitives": [
            { "attributes": { "POSITION": positions, "NORMAL": normals, "TEXCOORD_0": uvs, "COLOR_0": colors }, "indices": indices, "material": 0 },
            { "attributes": { "POSITION": positions, "TEXCOORD_1": uvs }, "indices": strip, "mode": 5 },
            { "attributes": { "POSITION": positions }, "mode": 0 }
        ] }),
    );
    glb
}

#[test]
fn reads_a_whole_document() {
    let model = rich().read().expect("it is valid");
    let names: Vec<&str> = model.shapes.iter().map(|shape| &*shape.name).collect();
    assert_eq!(names, ["left.0", "left.1", "right.0", "right.1"]);
    let [left, strip, right, _] = &model.shapes[..] else {
        panic!("there are four")
    };
    assert!(Arc::ptr_eq(&left.mesh, &right.mesh), "instances share their mesh");
    assert_eq!((left.material, strip.material), (Some(0), None));
    assert_eq!(left.mesh.triangles, [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(strip.mesh.triangles, left.mesh.triangles);
    assert_eq!(left.mesh.uvs[0], Vec2::ZERO, "v runs up");
    assert_eq!(strip.mesh.uvs2[3], Vec2::ONE);
    assert_eq!(left.mesh.colors[1], [0.0, 1.0, 0.0, 1.0]);
    assert_eq!(left.world_from_object.transform_point3(Vec3::X), Vec3::new(-1.0, 1.0, 0.0));
    // Mirrored, rotated by 90°, translated.
    let corner = right.world_from_object.transform_point3(Vec3::X);
    assert!((corner - Vec3::new(0.0, 0.0, 0.0)).length() < 1e-6, "{corner}");

    let (name, camera) = &model.cameras[0];
    assert_eq!(name, "eye");
    assert!(matches!(
        camera.projection,
        Projection::Perspective { fov: 0.8, fov_axis: FovAxis::Y, .. }
    ));

    let LightKind::Spot {
        intensity, direction, cutoff: 0.4, beam_width: 0.2, falloff, ..
    } = model.lights[0].1
    else {
        panic!("{:?}", model.lights[0])
    };
    assert_eq!(intensity.to_array(), [1.0, 0.5, 0.25]);
    assert_eq!((direction, falloff), (Vec3::NEG_Z, SpotFalloff::SquaredCosine));
    assert!(matches!(model.lights[1].1, LightKind::Directional { irradiance, .. } if irradiance.r == 2.0));

    let warnings = model.warnings.join("\n");
    assert!(
        warnings.contains("KHR_materials_dispersion") && !warnings.contains("points"),
        "{warnings}"
    );
}

#[test]
fn materials_become_calls() {
    let model = rich().read().expect("it is valid");
    let material = &model.materials[0];
    assert!(material.emissive && !material.culled);
    let surface = material.surface.to_string();
    for part in [
        "gltf_pbr(base_color = (0.5, 0.25, 0.125)",
        "metallic = 0.25",
        "roughness = 0.5",
        "base_color_texture = \"test.glb#image0.color\"",
        "base_color_set = 1",
        "base_color_wrap = 7",
        "base_color_uv = matrix(2.0, -0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0, 0.0, 1.0)",
        "normal_texture = \"test.glb#image0.raw\"",
        "normal_scale = 0.5",
        "emissive = (4.0, 0.0, 0.0)",
        "alpha_mode = \"mask\"",
        "alpha_cutoff = 0.25",
        "alpha = 0.75",
        "ior = 1.25",
    ] {
        assert!(surface.contains(part), "`{part}` is not in {surface}");
    }
    assert_eq!(model.textures.len(), 2);
    assert!(matches!(&model.textures[0].source, TextureSource::Memory { bytes, .. } if &bytes[..] == PNG));
    assert_eq!(model.textures[1].color_space, TextureColorSpace::Raw);

    // glTF culls back faces unless a material is double-sided; Kiln's own scenes never cull.
    assert!(one_sided().read().expect("it is valid").materials[0].culled);
}

fn one_sided() -> Glb {
    let mut glb = rich();
    glb.json["materials"][0]["doubleSided"] = json!(false);
    glb
}

#[test]
fn a_model_makes_a_scene() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("2 quads.glb");
    std::fs::write(&path, rich().finish()).expect("written");
    let options = LoadOptions {
        set: vec!["material.\"_2_quads.Body \\\"A\\\"\".roughness=0.125".into()],
        ..LoadOptions::default()
    };
    let (desc, warnings) =
        renderer::scene::load::from_model(&path, &options).unwrap_or_else(|error| panic!("{error}"));
    assert!(
        warnings
            .list
            .iter()
            .any(|warning| warning.message.contains("points are not shown"))
    );
    assert_eq!(desc.cameras.len(), 1);
    assert_eq!(desc.cameras[0].name, "_2_quads.eye");
    assert_eq!(desc.lights.len(), 2, "it brings its own light");
    assert_eq!(&*desc.shapes[0].name, "_2_quads.left.0");
    let material = desc.material(desc.shapes[0].material);
    assert_eq!(material.name, "_2_quads.Body \"A\"");
    assert!(format!("{:?}", material.surface).contains("0.125"));
    assert!(!material.culled);
    assert_eq!(desc.material(desc.shapes[1].material).name, "default");
    std::fs::write(&path, one_sided().finish()).expect("written");
    let (desc, _) = renderer::scene::load::from_model(&path, &LoadOptions::default())
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(desc.material(desc.shapes[0].material).culled);

    // The film has the aspect ratio of the camera.
    let film_of = |camera: Value| {
        let mut glb = rich();
        glb.json["cameras"] = json!([camera]);
        std::fs::write(&path, glb.finish()).expect("written");
        let (desc, _) = renderer::scene::load::from_model(&path, &LoadOptions::default())
            .unwrap_or_else(|error| panic!("{error}"));
        desc.film.size.value
    };
    let perspective = |aspect: f64| {
        film_of(
            json!({ "type": "perspective", "perspective": { "yfov": 1, "znear": 1, "aspectRatio": aspect } }),
        )
    };
    assert_eq!(perspective(16.0 / 9.0), [1280, 720]);
    assert_eq!(perspective(0.5), [360, 720]);
    assert_eq!(perspective(4.0), [1280, 320]);
    let parallel = json!({ "xmag": 1, "ymag": 2, "znear": 0, "zfar": 9 });
    assert_eq!(film_of(json!({ "type": "orthographic", "orthographic": parallel })), [360, 720]);

    let mut bare = Glb::new(json!({ "nodes": [{ "mesh": 0 }], "scenes": [{ "nodes": [0] }] }));
    let positions = bare.floats("VEC3", &TRIANGLE);
    bare.push("meshes", json!({ "primitives": [{ "attributes": { "POSITION": positions } }] }));
    std::fs::write(&path, bare.finish()).expect("written");
    let (desc, _) = renderer::scene::load::from_model(&path, &LoadOptions::default())
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(desc.film.size.value, [1280, 720]);
    assert!(matches!(desc.lights[0].kind, LightKind::Environment { .. }));
    // The whole model is in the picture and fills much of it.
    let camera = renderer::camera::Camera::new(&desc.cameras[0].camera, 1280, 720).expect("it is a camera");
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y].map(|p| camera.project(p).expect("it is in front"));
    assert!(
        corners
            .iter()
            .all(|p| (0.0..1280.0).contains(&p.x) && (0.0..720.0).contains(&p.y)),
        "{corners:?}"
    );
    assert!(corners[1].distance(corners[2]) > 300.0, "{corners:?}");
}

/// A mesh of one triangle, to be damaged.
fn plain() -> Glb {
    let mut glb = Glb::new(json!({ "nodes": [{ "mesh": 0 }], "scenes": [{ "nodes": [0] }] }));
    let positions = glb.floats("VEC3", &TRIANGLE);
    let indices = glb.integers(5123, &[0, 0, 1, 0, 2, 0], 3);
    glb.push(
        "meshes",
        json!({ "primitives": [{ "attributes": { "POSITION": positions }, "indices": indices }] }),
    );
    glb
}

#[test]
fn errors_name_the_invalid_element() {
    assert_eq!(plain().read().expect("it is valid").shapes.len(), 1);
    let spoilt = |spoil: &dyn Fn(&mut Glb), expected: &str| {
        let mut glb = plain();
        spoil(&mut glb);
        glb.fails(expected);
    };
    spoilt(
        &|glb| glb.json["extensionsRequired"] = json!(["KHR_texture_basisu"]),
        "KHR_texture_basisu",
    );
    spoilt(&|glb| glb.bytes[36] = 9, "uses vertex 9");
    spoilt(&|glb| glb.bytes[2..4].copy_from_slice(&[0xc0, 0x7f]), "not finite");
    spoilt(
        &|glb| glb.json["accessors"][0]["count"] = json!(4_000_000_000_u32),
        "reach beyond buffer view 0",
    );
    spoilt(
        &|glb| glb.json["accessors"][0]["count"] = json!(4),
        "reach beyond buffer view 0",
    );
    spoilt(&|glb| glb.json["accessors"][0]["byteOffset"] = json!(u64::MAX), "accessor 0");
    spoilt(
        &|glb| glb.json["bufferViews"][0]["byteLength"] = json!(1000),
        "reaches beyond its buffer",
    );
    spoilt(&|glb| glb.json["accessors"][1]["bufferView"] = json!(77), "accessors[1]");
    spoilt(&|glb| glb.json["nodes"][0]["children"] = json!([0]), "is its own ancestor");
    spoilt(
        &|glb| glb.json["nodes"][0]["matrix"] = json!([1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]),
        "not affine",
    );
    spoilt(
        &|glb| {
            glb.json["images"] = json!([{ "uri": "missing.png" }]);
            glb.json["textures"] = json!([{ "source": 0 }]);
            glb.json["materials"] = json!([{ "normalTexture": { "index": 0 } }]);
        },
        "there is no file missing.png",
    );
    let file = plain().finish();
    let error = parse_gltf(Path::new("test.glb"), &file[..file.len() - 5])
        .expect_err("it is cut")
        .to_string();
    assert!(error.contains("cut short"), "{error}");
    let error = parse_gltf(Path::new("test.gltf"), b"{ \"asset\": ")
        .expect_err("it is cut")
        .to_string();
    assert!(error.contains("test.gltf"), "{error}");
}

#[test]
fn optional_parts_of_glb_files_may_be_missing() {
    let mut glb = plain();
    // A channel of KHR_animation_pointer has no node, and an empty scene no list of nodes.
    glb.json["animations"] = json!([{
        "channels": [{ "sampler": 0, "target": {
            "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": "/materials/0/alphaCutoff" } }
        } }],
        "samplers": [{ "input": 0, "output": 0 }],
    }]);
    glb.push("scenes", json!({ "name": "empty" }));
    glb.json["extensionsRequired"] = json!(["KHR_materials_variants", "KHR_animation_pointer"]);
    assert_eq!(glb.read().expect("it is valid").shapes.len(), 1);
    glb.json["scene"] = json!(1);
    assert_eq!(glb.read().expect("it is valid").shapes.len(), 0);
}

#[test]
fn primitives_without_positions_are_skipped() {
    let mut glb = plain();
    let uvs = glb.floats("VEC2", &[0.0; 6]);
    let bare = json!({ "attributes": { "TEXCOORD_0": uvs }, "indices": 1 });
    let whole = glb.json["meshes"][0]["primitives"][0].clone();
    glb.json["meshes"] = json!([
        { "name": "bare", "primitives": [bare, { "attributes": {} }] },
        { "name": "both", "primitives": [whole, bare, whole] },
    ]);
    glb.json["nodes"] =
        json!([{ "mesh": 0, "children": [1, 2] }, { "mesh": 1, "name": "a" }, { "mesh": 1, "name": "b" }]);
    let model = glb.read().expect("the rest is shown");
    // Shapes are named by the index of the primitive in the file.
    let names: Vec<&str> = model.shapes.iter().map(|shape| &*shape.name).collect();
    assert_eq!(names, ["a.0", "a.2", "b.0", "b.2"]);
    assert_eq!(
        model.warnings,
        [
            "mesh `bare`, primitive 0: it has no positions and is not shown",
            "mesh `bare`, primitive 1: it has no positions and is not shown",
            "mesh `both`, primitive 1: it has no positions and is not shown",
        ]
    );
    // An accessor of positions that does not exist is an error.
    glb.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(77);
    glb.fails("uses accessor 77, which does not exist");
}

#[test]
fn hidden_nodes_hide_their_children() {
    let mut glb = plain();
    glb.json["nodes"] = json!([
        { "mesh": 0, "name": "shown", "children": [1] },
        { "children": [2], "extensions": { "KHR_node_visibility": { "visible": false } } },
        { "mesh": 0, "name": "hidden" },
    ]);
    let model = glb.read().expect("it is valid");
    let names: Vec<&str> = model.shapes.iter().map(|shape| &*shape.name).collect();
    assert_eq!(names, ["shown"]);
}

/// The plain mesh in three places: translated, rotated, and scaled to zero.
fn instanced() -> Glb {
    let mut glb = plain();
    let translations = glb.floats("VEC3", &[1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 5.0, 5.0, 5.0]);
    let half = FRAC_1_SQRT_2 as f32;
    let rotations = glb.floats("VEC4", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half, 0.0, 0.0, 0.0, 0.0]);
    let scales = glb.floats("VEC3", &[2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    glb.json["extensionsRequired"] = json!(["EXT_mesh_gpu_instancing"]);
    glb.json["nodes"][0]["name"] = json!("tree");
    glb.json["nodes"][0]["translation"] = json!([100, 0, 0]);
    glb.json["nodes"][0]["extensions"] = json!({ "EXT_mesh_gpu_instancing": { "attributes": {
        "TRANSLATION": translations, "ROTATION": rotations, "SCALE": scales, "_ID": 0
    } } });
    glb
}

#[test]
fn instances_of_a_node_share_mesh_and_name() {
    let model = instanced().read().expect("it is valid");
    let [first, second] = &model.shapes[..] else {
        panic!("two are to be seen: {:?}", model.shapes)
    };
    assert!(Arc::ptr_eq(&first.mesh, &second.mesh) && Arc::ptr_eq(&first.name, &second.name));
    assert_eq!(&*first.name, "tree");
    let corner = |shape: &ModelShape| shape.world_from_object.transform_point3(Vec3::X);
    assert_eq!(corner(first), Vec3::new(103.0, 2.0, 3.0));
    assert!(corner(second).distance(Vec3::new(100.0, 1.0, 0.0)) < 1e-5);
    assert_eq!(
        model.warnings,
        ["1 of 3 instances of `tree` are scaled to nothing and not shown"]
    );

    let spoilt = |name: &str, value: Value, expected: &str| {
        let mut glb = instanced();
        glb.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"][name] = value;
        glb.fails(expected);
    };
    spoilt("SCALE", json!(77), "SCALE of the instances of node 0 does not exist");
    spoilt("ROTATION", json!(-1), "ROTATION of the instances of node 0 does not exist");
    spoilt("ROTATION", json!(0), "fewer than 4 components");
    spoilt("SCALE", json!(1), "fewer than 3 components");
    let mut glb = instanced();
    let two = glb.floats("VEC3", &[0.0; 6]);
    glb.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]["SCALE"] = json!(two);
    glb.fails("differ in length");
    let mut glb = instanced();
    let infinite = glb.floats("VEC3", &[f32::MAX, 0.0, 0.0, 0.0, f32::INFINITY, 0.0, 0.0, 0.0, 0.0]);
    glb.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]["TRANSLATION"] =
        json!(infinite);
    glb.fails("instance 1 of node 0 is not finite");
}

#[test]
fn names_stand_for_all_instances_of_a_node() {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    std::fs::write(folder.path().join("forest.glb"), instanced().finish())
        .expect("a temporary file can be written");
    let text = "import \"forest.glb\" as forest;
        shape copy : instance { of = forest; transform = translate(0, 0, 10); }
        assign forest.tree = matte(albedo = 0.25); assign copy.tree = matte(albedo = 0.75);";
    let (desc, warnings) =
        renderer::scene::load::from_text("test.kiln", text, folder.path(), &LoadOptions::default())
            .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(warnings.list.len(), 1, "{warnings}");
    let names: Vec<&str> = desc.shapes.iter().map(|shape| &*shape.name).collect();
    assert_eq!(names, ["forest.tree", "forest.tree", "copy.tree", "copy.tree"]);
    let material = |index: usize| desc.shapes[index].material;
    assert!(material(0) == material(1) && material(2) == material(3) && material(0) != material(2));
}

#[test]
fn sparse_accessors_replace_elements() {
    let mut glb = plain();
    let places = glb.view(&[2]);
    let values: Vec<u8> = [5f32, 6.0, 7.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let values = glb.view(&values);
    glb.json["accessors"][0]["sparse"] = json!({
        "count": 1,
        "indices": { "bufferView": places, "componentType": 5121 },
        "values": { "bufferView": values }
    });
    let model = glb.read().expect("it is valid");
    assert_eq!(model.shapes[0].mesh.positions, [Vec3::ZERO, Vec3::X, Vec3::new(5.0, 6.0, 7.0)]);
    glb.json["accessors"][0]["sparse"]["count"] = json!(2);
    glb.fails("sparse");
    // Without a buffer view, all other elements are zero.
    glb.json["accessors"][0]["sparse"]["count"] = json!(1);
    glb.json["accessors"][0]
        .as_object_mut()
        .expect("it is one")
        .remove("bufferView");
    assert_eq!(glb.read().expect("it is valid").shapes[0].mesh.positions[1], Vec3::ZERO);
    // Only vertices with an index are read.
    glb.json["accessors"][0]["count"] = json!(4_000_000_000_u32);
    let model = glb.read().expect("it is valid");
    assert_eq!(model.shapes[0].mesh.positions[2], Vec3::new(5.0, 6.0, 7.0));
    let primitive = &mut glb.json["meshes"][0]["primitives"][0];
    primitive.as_object_mut().expect("it is one").remove("indices");
    glb.fails("is the most for a file of");
}

#[test]
fn accessors_without_data_are_zeros() {
    let mut glb = plain();
    // glTF 2.0, section 3.6.2.1: neither a view nor sparse elements are needed.
    let zeros = json!({ "componentType": 5126, "count": 3, "type": "VEC2" });
    let uvs = glb.push("accessors", zeros);
    glb.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = json!(uvs);
    let model = glb.read().expect("it is valid");
    assert_eq!(model.shapes[0].mesh.uvs, [Vec2::Y; 3]);
    // An index of a missing buffer view is still an error.
    glb.json["accessors"][uvs]["bufferView"] = json!(77);
    glb.fails("accessors[2]");
}

#[test]
fn text_may_begin_with_a_byte_order_mark() {
    let text = br#"{ "asset": { "version": "2.0" }, "scenes": [{ "nodes": [] }] }"#;
    let marked = [b"\xef\xbb\xbf", &text[..]].concat();
    let shapes = |bytes: &[u8]| {
        parse_gltf(Path::new("a.gltf"), bytes)
            .map(|model| model.shapes.len())
            .map_err(|e| e.to_string())
    };
    assert_eq!(shapes(&marked), shapes(text));
}

#[test]
fn damaged_documents_cause_no_panic() {
    survives_damage(&rich().finish());
    survives_damage(&pose::posed().finish());
}

fn survives_damage(file: &[u8]) {
    let read = |bytes: &[u8]| parse_gltf(Path::new("test.glb"), bytes).is_ok();
    assert!(read(file));
    for length in 0..file.len() {
        assert!(!read(&file[..length]), "{length} of {} bytes are not a file", file.len());
    }
    // Damage may give another valid file, but never a panic.
    let mut state = 1u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let mut survivors = 0;
    for _ in 0..20_000 {
        let mut damaged = file.to_vec();
        for _ in 0..=random() % 3 {
            let at = random() % damaged.len();
            damaged[at] = match random() % 3 {
                0 => random() as u8,
                1 => damaged[at] ^ (1 << (random() % 8)),
                _ => b"0123456789-[]{},\""[random() % 17],
            };
        }
        survivors += u32::from(read(&damaged));
    }
    assert!(survivors > 100, "the damage is too great to test anything: {survivors}");
}
