//! Pointers of animations to materials, lights, cameras and visibility: a frame equals the file with the values of that time.

use renderer::scene::desc::{FrameTime, SceneDesc};
use renderer::scene::import::AnimationChoice;
use renderer::scene::load::{LoadOptions, load};
use serde_json::{Value, json};

use super::animation::animate;
use super::{Glb, PNG, plain};

/// A document with an object for each pointer: two materials, cameras and lights of each kind, a luminaire.
fn animated_objects() -> Glb {
    let mut glb = plain();
    let image = glb.view(PNG);
    glb.push("images", json!({ "bufferView": image, "mimeType": "image/png" }));
    let profile =
        glb.view(b"IES:LM-63-2019\nTILT=NONE\n1 -1 1 2 1 1 2 0 0 0\n1 1.00001 9\n0 90\n0\n683 683\n");
    let texture = json!({ "index": 0, "extensions": { "KHR_texture_transform": { "scale": [2, 2] } } });
    glb.json["textures"] = json!([{ "source": 0 }]);
    glb.json["scenes"] = json!([{ "nodes": [0, 1, 2, 3, 4] }]);
    glb.json["nodes"] = json!([
        { "mesh": 0, "name": "shown", "extensions": { "KHR_node_visibility": {} } },
        { "camera": 0, "extensions": { "KHR_lights_punctual": { "light": 0 } } },
        { "camera": 1, "translation": [0, 1, 0] },
        { "extensions": { "KHR_lights_punctual": { "light": 1 } } },
        { "mesh": 0, "name": "lamp", "extensions": { "EXT_lights_ies": { "light": 0 } } },
    ]);
    glb.json["cameras"] = json!([
        { "type": "perspective", "perspective": { "yfov": 0.75, "znear": 0.5, "aspectRatio": 2 } },
        { "type": "orthographic", "orthographic": { "xmag": 4, "ymag": 2, "znear": 0.5, "zfar": 100 } },
    ]);
    glb.json["extensions"] = json!({
        "KHR_lights_punctual": { "lights": [
            { "type": "spot", "intensity": 683, "spot": { "innerConeAngle": 0.125 } },
            { "type": "point" },
        ] },
        "EXT_lights_ies": { "lights": [{ "bufferView": profile }] },
    });
    let volume = json!({ "thicknessFactor": 1, "attenuationColor": [0.5, 1, 1], "attenuationDistance": 2 });
    glb.json["materials"] = json!([
        {
            "name": "rough", "alphaMode": "MASK", "emissiveFactor": [1, 1, 1],
            "normalTexture": texture, "emissiveTexture": texture, "occlusionTexture": texture,
            "extensions": {
                "KHR_materials_anisotropy": { "anisotropyStrength": 0.25 },
                "KHR_materials_clearcoat": { "clearcoatFactor": 0.25, "clearcoatNormalTexture": texture },
                "KHR_materials_diffuse_transmission": { "diffuseTransmissionFactor": 0.25 },
                "KHR_materials_emissive_strength": {},
                "KHR_materials_ior": {},
                "KHR_materials_iridescence": { "iridescenceFactor": 0.25 },
                "KHR_materials_sheen": { "sheenColorFactor": [1, 1, 1] },
                "KHR_materials_specular": {},
                "KHR_materials_transmission": {},
                "KHR_materials_volume": volume,
                "KHR_materials_volume_scatter": { "multiscatterColorFactor": [0.5, 0.5, 0.5] },
            },
        },
        { "name": "old", "extensions": { "KHR_materials_pbrSpecularGlossiness": { "diffuseTexture": texture } } },
    ]);
    glb
}

/// Adds an animation of a pointer.
fn animate_pointer(glb: &mut Glb, pointer: &str, kind: &str, interpolation: &str, keys: [&[f32]; 2]) {
    let target =
        json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": pointer } } });
    animate(glb, target, kind, interpolation, keys);
}

/// The scene at a time, and its warnings.
fn at(glb: &Glb, time: &str) -> Result<(SceneDesc, Vec<String>), String> {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let path = folder.path().join("a.glb");
    std::fs::write(&path, glb.finish()).expect("the file can be written");
    let time: FrameTime = time.parse().expect("it is a time");
    let animation = Some(AnimationChoice::default());
    let options = LoadOptions { animation, at: Some(time), ..LoadOptions::default() };
    let loaded = load(&path, &options).map_err(|errors| errors.to_string())?;
    let warnings = loaded.1.list.into_iter().map(|warning| warning.message);
    Ok((loaded.0, warnings.collect()))
}

/// Values of a scene that pointers can change, as text.
fn values(glb: &Glb, time: &str) -> String {
    let (desc, warnings) = at(glb, time).unwrap_or_else(|error| panic!("{error}"));
    assert!(
        warnings.iter().all(|warning| !warning.contains("is not played")),
        "{warnings:?}"
    );
    let materials: Vec<String> = desc
        .materials
        .iter()
        .map(|material| {
            let surface = material.surface.to_string();
            // The name of the folder.
            surface.split('"').filter(|part| !part.contains("#image")).collect()
        })
        .collect();
    let shapes: Vec<&str> = desc.shapes.iter().map(|shape| &*shape.name).collect();
    let cameras: Vec<String> = desc.cameras.iter().map(|of| format!("{:?}", of.camera)).collect();
    let lights: Vec<String> = desc.lights.iter().map(|light| format!("{:?}", light.kind)).collect();
    let size = desc.film.size.value;
    format!(
        "{size:?}\n{}\n{shapes:?}\n{}\n{}",
        materials.join("\n"),
        cameras.join("\n"),
        lights.join("\n")
    )
}

fn set(glb: &mut Glb, pointer: &str, value: Value) {
    let (object, name) = pointer.rsplit_once('/').expect("it is a pointer");
    if let Some(material) = object.strip_suffix("/pbrMetallicRoughness") {
        let material = glb.json.pointer_mut(material).expect("the material exists");
        material["pbrMetallicRoughness"] = material.get("pbrMetallicRoughness").cloned().unwrap_or(json!({}));
    }
    glb.json.pointer_mut(object).expect("the object exists")[name] = value;
}

#[test]
fn pointers_set_the_values_of_a_frame() {
    let perspective = ["yfov", "aspectRatio"].map(|name| format!("/cameras/0/perspective/{name}"));
    let orthographic = ["/cameras/1/orthographic/xmag".to_owned()];
    let lights = [
        "0/color",
        "1/color",
        "0/intensity",
        "1/intensity",
        "0/spot/innerConeAngle",
        "0/spot/outerConeAngle",
    ]
    .map(|name| format!("/extensions/KHR_lights_punctual/lights/{name}"));
    let core = [
        "alphaCutoff",
        "emissiveFactor",
        "normalTexture/scale",
        "pbrMetallicRoughness/baseColorFactor",
        "pbrMetallicRoughness/metallicFactor",
        "pbrMetallicRoughness/roughnessFactor",
        "normalTexture/extensions/KHR_texture_transform/offset",
        "normalTexture/extensions/KHR_texture_transform/rotation",
        "emissiveTexture/extensions/KHR_texture_transform/scale",
        "extensions/KHR_materials_clearcoat/clearcoatNormalTexture/extensions/KHR_texture_transform/scale",
    ]
    .map(|name| format!("/materials/0/{name}"));
    let extensions = [
        "anisotropy/anisotropyRotation",
        "anisotropy/anisotropyStrength",
        "clearcoat/clearcoatFactor",
        "clearcoat/clearcoatRoughnessFactor",
        "clearcoat/clearcoatNormalTexture/scale",
        "diffuse_transmission/diffuseTransmissionColorFactor",
        "diffuse_transmission/diffuseTransmissionFactor",
        "emissive_strength/emissiveStrength",
        "ior/ior",
        "iridescence/iridescenceFactor",
        "iridescence/iridescenceIor",
        "iridescence/iridescenceThicknessMaximum",
        "iridescence/iridescenceThicknessMinimum",
        "sheen/sheenColorFactor",
        "sheen/sheenRoughnessFactor",
        "specular/specularColorFactor",
        "specular/specularFactor",
        "transmission/transmissionFactor",
        "volume/attenuationColor",
        "volume/attenuationDistance",
        "volume_scatter/multiscatterColorFactor",
        "volume_scatter/scatterAnisotropy",
    ]
    .map(|name| format!("/materials/0/extensions/KHR_materials_{name}"));
    let old = [
        "diffuseFactor",
        "glossinessFactor",
        "specularFactor",
        "diffuseTexture/extensions/KHR_texture_transform/offset",
    ]
    .map(|name| format!("/materials/1/extensions/KHR_materials_pbrSpecularGlossiness/{name}"));
    let luminaires = ["color", "multiplier"].map(|name| format!("/nodes/4/extensions/EXT_lights_ies/{name}"));
    let groups: [&[String]; 7] =
        [&perspective, &orthographic, &lights, &core, &extensions, &old, &luminaires];
    let rest = values(&animated_objects(), "0");
    for pointer in groups.concat() {
        let name = pointer.rsplit('/').next().unwrap_or_default();
        let width = match name {
            "offset" => 2,
            "scale" if pointer.contains("transform") => 2,
            "baseColorFactor" | "diffuseFactor" => 4,
            "specularFactor" if pointer.contains("Glossiness") => 3,
            "color" | "emissiveFactor" | "attenuationColor" => 3,
            _ if name.ends_with("ColorFactor") => 3,
            _ => 1,
        };
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][width - 1];
        // At 1 second, the value of each component is 0.375, a different one of the next.
        let keys: Vec<f32> = (0..width).map(|i| 0.25 + 0.125 * i as f32).collect();
        let keys = [&keys[..], &keys.iter().map(|key| key + 0.5).collect::<Vec<_>>()].concat();
        let middle: Vec<f32> = keys[..width].iter().map(|key| key + 0.125).collect();
        let mut animated = animated_objects();
        animate_pointer(&mut animated, &pointer, kind, "LINEAR", [&[0.5, 2.5], &keys]);
        let mut fixed = animated_objects();
        set(&mut fixed, &pointer, if width == 1 { json!(middle[0]) } else { json!(middle) });
        let expected = values(&fixed, "0");
        assert_ne!(expected, rest, "{pointer} has no effect");
        assert_eq!(values(&animated, "1s"), expected, "{pointer}");
    }
}

#[test]
fn values_follow_the_interpolation_of_their_keys() {
    const STRENGTH: &str = "/materials/0/extensions/KHR_materials_emissive_strength/emissiveStrength";
    let with = |interpolation: &str, keys: &[f32], time: &str| {
        let mut glb = animated_objects();
        animate_pointer(&mut glb, STRENGTH, "SCALAR", interpolation, [&[0.0, 1.0], keys]);
        values(&glb, time)
    };
    let fixed = |pointer: &str, value: Value| {
        let mut glb = animated_objects();
        set(&mut glb, pointer, value);
        values(&glb, "0")
    };
    assert_eq!(with("STEP", &[1.5, 4.0], "23"), fixed(STRENGTH, json!(1.5)));
    assert_eq!(with("STEP", &[1.5, 4.0], "24"), fixed(STRENGTH, json!(4)));
    // With tangents of zero, the cubic has 0.15625 of the difference at a quarter of the time.
    let spline = [0.0, 1.0, 0.0, 0.0, 33.0, 0.0];
    assert_eq!(with("CUBICSPLINE", &spline, "6"), fixed(STRENGTH, json!(6)));
    // Normalized integers are fractions.
    let mut glb = animated_objects();
    const COLOR: &str = "/extensions/KHR_lights_punctual/lights/1/color";
    animate_pointer(&mut glb, COLOR, "VEC3", "STEP", [&[0.0], &[0.0; 3]]);
    let bytes = glb.view(&[255, 0, 51, 0]);
    let last = glb.json["accessors"]
        .as_array_mut()
        .expect("it is a list")
        .last_mut()
        .expect("it has one");
    *last =
        json!({ "bufferView": bytes, "componentType": 5121, "normalized": true, "count": 1, "type": "VEC3" });
    assert_eq!(values(&glb, "0"), fixed(COLOR, json!([1, 0, 51.0f32 / 255.0])));
    // Animations of different objects are played together.
    let mut glb = animated_objects();
    let pointers =
        ["/materials/0/alphaCutoff", "/materials/1/alphaCutoff", "/materials/0/normalTexture/scale"];
    for pointer in pointers {
        animate_pointer(&mut glb, pointer, "SCALAR", "LINEAR", [&[0.0], &[0.125]]);
    }
    let mut expected = animated_objects();
    pointers[..2]
        .iter()
        .for_each(|pointer| set(&mut expected, pointer, json!(0.125)));
    assert_eq!(values(&glb, "0"), values(&expected, "0"));
}

#[test]
fn nodes_are_shown_and_hidden() {
    let mut glb = animated_objects();
    const VISIBLE: &str = "/nodes/0/extensions/KHR_node_visibility/visible";
    animate_pointer(&mut glb, VISIBLE, "SCALAR", "STEP", [&[0.0, 1.0], &[1.0, 0.0]]);
    let names = |frame: &str| -> Vec<String> {
        let (desc, _) = at(&glb, frame).expect("it is valid");
        assert!(desc.has_animated_values);
        desc.shapes.iter().map(|shape| shape.name.to_string()).collect()
    };
    assert_eq!(names("23"), ["a.shown", "a.lamp"]);
    assert_eq!(names("24"), ["a.lamp"]);
}

#[test]
fn pointers_to_nothing_cause_warnings() {
    let rest = values(&animated_objects(), "0");
    let warning = |pointer: &str, kind: &str, interpolation: &str, values: &[f32], expected: &str| {
        let mut glb = animated_objects();
        animate_pointer(&mut glb, pointer, kind, interpolation, [&[0.0], values]);
        let (_, warnings) = at(&glb, "0").unwrap_or_else(|error| panic!("{pointer}: {error}"));
        let expected = format!("the animation of {pointer} is not played{expected}");
        assert!(
            warnings.iter().any(|warning| warning.ends_with(&expected)),
            "{expected}: {warnings:?}"
        );
        glb.json.as_object_mut().expect("it is one").remove("animations");
        assert_eq!(self::values(&glb, "0"), rest);
    };
    for unknown in [
        "",
        "/",
        "/materials",
        "/materials/-/alphaCutoff",
        "/materials/0/name",
        "/materials~10/alphaCutoff",
    ] {
        warning(unknown, "SCALAR", "LINEAR", &[1.0], "");
    }
    warning(
        "/materials/0/extensions/KHR_materials_dispersion/dispersion",
        "SCALAR",
        "LINEAR",
        &[1.0],
        "",
    );
    for (pointer, object) in [
        ("/materials/2/alphaCutoff", "/materials/2"),
        ("/materials/00/alphaCutoff", "/materials/00"),
        ("/materials/18446744073709551616/alphaCutoff", "/materials/18446744073709551616"),
        (
            "/materials/2/pbrMetallicRoughness/metallicFactor",
            "/materials/2/pbrMetallicRoughness",
        ),
        ("/cameras/0/orthographic/xmag", "/cameras/0/orthographic"),
        (
            "/materials/1/extensions/KHR_materials_ior/ior",
            "/materials/1/extensions/KHR_materials_ior",
        ),
    ] {
        warning(pointer, "SCALAR", "LINEAR", &[1.0], &format!(": there is no {object}"));
    }
    let color = "/materials/0/emissiveFactor";
    warning(
        color,
        "VEC4",
        "LINEAR",
        &[1.0; 4],
        ": the values of its keys have 4 components, not 3",
    );
    warning(
        color,
        "MAT4",
        "LINEAR",
        &[1.0; 16],
        ": the values of its keys have 16 components, not 3",
    );
    let visible = "/nodes/0/extensions/KHR_node_visibility/visible";
    let reason = ": the property is true or false, and its interpolation is not STEP";
    warning(visible, "SCALAR", "LINEAR", &[0.0], reason);
    for values in [&[f32::NAN, 0.0, 0.0][..], &[0.0; 6]] {
        let mut glb = animated_objects();
        animate_pointer(&mut glb, color, "VEC3", "LINEAR", [&[0.0], values]);
        let error = at(&glb, "0").err().unwrap_or_default();
        assert!(error.contains("do not match its values, or a value is not finite"), "{error}");
    }
    // Values out of range are mistakes as in a file without an animation.
    let mut glb = animated_objects();
    animate_pointer(&mut glb, "/cameras/0/perspective/yfov", "SCALAR", "LINEAR", [&[0.0], &[4.0]]);
    let error = at(&glb, "0").err().unwrap_or_default();
    assert!(
        error.contains("a field of view that is not between 0 and 180 degrees"),
        "{error}"
    );
}

#[test]
fn the_time_of_values_is_that_of_the_film() {
    let mut glb = animated_objects();
    animate_pointer(
        &mut glb,
        "/materials/0/alphaCutoff",
        "SCALAR",
        "LINEAR",
        [&[0.0, 1.0], &[0.0, 1.0]],
    );
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    std::fs::write(folder.path().join("a.glb"), glb.finish()).expect("the file can be written");
    let cutoff = |file: &str, at: Option<&str>, set: &[&str]| {
        let options = LoadOptions {
            animation: Some(AnimationChoice::default()),
            at: at.map(|time| time.parse().expect("it is a time")),
            set: set.iter().map(|change| (*change).into()).collect(),
            ..LoadOptions::default()
        };
        let (desc, _) = load(&folder.path().join(file), &options).unwrap_or_else(|error| panic!("{error}"));
        let surface = desc.materials.iter().find(|material| material.name.ends_with("rough"));
        let surface = surface.expect("the material exists").surface.to_string();
        let (_, rest) = surface.split_once("alpha_cutoff = ").expect("it is not the default");
        rest.split([',', ')']).next().unwrap_or_default().to_owned()
    };
    std::fs::write(
        folder.path().join("a.kiln"),
        "film { fps = 8; frame = 1; } import \"a.glb\" as a; light sky : environment { color = 1; }",
    )
    .expect("the file can be written");
    for (file, at, set, expected) in [
        ("a.kiln", None, &[][..], "0.125"),
        ("a.kiln", Some("2"), &[], "0.25"),
        ("a.kiln", Some("0.75s"), &["film.fps=7"], "0.75"),
        ("a.kiln", Some("2"), &["film.fps=16"], "0.125"),
        ("a.glb", Some("6"), &[], "0.25"),
        ("a.glb", Some("6"), &["film.fps=16"], "0.375"),
    ] {
        assert_eq!(cutoff(file, at, set), expected, "{file} {at:?} {set:?}");
    }
}
