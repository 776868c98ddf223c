//! Layers of materials: clear coat, sheen, anisotropy; and the specular-glossiness model.

use super::*;

/// The call for a material with these extensions and an image.
fn call(material: &Value) -> Result<Model, String> {
    let mut glb = plain();
    let view = glb.view(PNG);
    glb.json["images"] = json!([{ "bufferView": view, "mimeType": "image/png" }]);
    glb.json["textures"] = json!([{ "source": 0 }]);
    let names: Vec<String> = material["extensions"]
        .as_object()
        .map(|extensions| extensions.keys().cloned().collect())
        .unwrap_or_default();
    glb.json["extensionsUsed"] = json!(names);
    glb.json["extensionsRequired"] = json!(names);
    glb.json["materials"] = json!([material]);
    glb.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    let uvs = glb.floats("VEC2", &[0.0; 6]);
    for set in ["TEXCOORD_0", "TEXCOORD_1"] {
        glb.json["meshes"][0]["primitives"][0]["attributes"][set] = json!(uvs);
    }
    glb.read()
}

fn has(material: &Value, parts: &[&str]) {
    let model = call(material).unwrap_or_else(|error| panic!("{error}"));
    assert!(model.warnings.is_empty(), "{:?}", model.warnings);
    let text = model.materials[0].surface.to_string();
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in {text}");
    }
}

#[test]
fn layers_become_arguments() {
    has(
        &json!({ "extensions": { "KHR_materials_clearcoat": {
            "clearcoatFactor": 0.5,
            "clearcoatRoughnessFactor": 0.25,
            "clearcoatTexture": { "index": 0, "texCoord": 1 },
            "clearcoatRoughnessTexture": { "index": 0, "extensions": { "KHR_texture_transform": { "offset": [0.5, 0] } } },
            "clearcoatNormalTexture": { "index": 0, "scale": 2 }
        } } }),
        &[
            "clearcoat = 0.5",
            "clearcoat_roughness = 0.25",
            "clearcoat_texture = \"test.glb#image0.raw\"",
            "clearcoat_set = 1",
            "clearcoat_roughness_texture = \"test.glb#image0.raw\"",
            "clearcoat_roughness_uv = matrix(1.0, -0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0, 0.0, 1.0)",
            "clearcoat_normal_texture = \"test.glb#image0.raw\"",
            "clearcoat_normal_scale = 2.0",
        ],
    );
    has(
        &json!({ "extensions": { "KHR_materials_sheen": {
            "sheenColorFactor": [0.5, 0.25, 1],
            "sheenRoughnessFactor": 0.75,
            "sheenColorTexture": { "index": 0 },
            "sheenRoughnessTexture": { "index": 0 }
        } } }),
        &[
            "sheen_color = (0.5, 0.25, 1.0)",
            "sheen_roughness = 0.75",
            "sheen_color_texture = \"test.glb#image0.color\"",
            "sheen_roughness_texture = \"test.glb#image0.raw\"",
        ],
    );
    has(
        &json!({ "extensions": { "KHR_materials_anisotropy": {
            "anisotropyStrength": 0.5, "anisotropyRotation": 1, "anisotropyTexture": { "index": 0 }
        } } }),
        &[
            "anisotropy = 0.5",
            "anisotropy_rotation = 1.0",
            "anisotropy_texture = \"test.glb#image0.raw\"",
        ],
    );
}

#[test]
fn films_and_diffuse_transmission_become_arguments() {
    has(
        &json!({ "extensions": { "KHR_materials_iridescence": {
            "iridescenceFactor": 0.5,
            "iridescenceIor": 1.5,
            "iridescenceThicknessMinimum": 200,
            "iridescenceThicknessMaximum": 300,
            "iridescenceTexture": { "index": 0 },
            "iridescenceThicknessTexture": { "index": 0, "texCoord": 1 }
        } } }),
        &[
            "iridescence = 0.5",
            "iridescence_ior = 1.5",
            "iridescence_thickness_min = 200.0",
            "iridescence_thickness_max = 300.0",
            "iridescence_texture = \"test.glb#image0.raw\"",
            "iridescence_thickness_texture = \"test.glb#image0.raw\"",
            "iridescence_thickness_set = 1",
        ],
    );
    has(
        &json!({ "extensions": {
            "KHR_materials_diffuse_transmission": {
                "diffuseTransmissionFactor": 0.5,
                "diffuseTransmissionColorFactor": [0.5, 0.25, 1],
                "diffuseTransmissionTexture": { "index": 0 },
                "diffuseTransmissionColorTexture": { "index": 0 }
            },
            "KHR_materials_volume": { "thicknessFactor": 1, "attenuationColor": [0.5, 0.5, 1], "attenuationDistance": 2 }
        } }),
        &[
            "diffuse_transmission = 0.5",
            "diffuse_transmission_color = (0.5, 0.25, 1.0)",
            "diffuse_transmission_texture = \"test.glb#image0.raw\"",
            "diffuse_transmission_color_texture = \"test.glb#image0.color\"",
            "attenuation_distance = 2.0",
        ],
    );
    for key in ["multiscatterColorFactor", "multiscatterColor"] {
        has(
            &json!({ "extensions": {
                "KHR_materials_transmission": { "transmissionFactor": 1 },
                "KHR_materials_volume": {
                    "thicknessFactor": 1, "attenuationColor": [0.5, 0.5, 1], "attenuationDistance": 2
                },
                "KHR_materials_volume_scatter": { key: [0.5, 0.25, 1], "scatterAnisotropy": 0.5 }
            } }),
            &[
                "attenuation_distance = 2.0",
                "multiscatter_color = (0.5, 0.25, 1.0)",
                "scatter_anisotropy = 0.5",
            ],
        );
    }
}

#[test]
fn specular_glossiness_becomes_a_call() {
    has(
        &json!({
            "alphaMode": "BLEND",
            "pbrMetallicRoughness": { "baseColorFactor": [0, 0, 1, 1] },
            "extensions": { "KHR_materials_pbrSpecularGlossiness": {
                "diffuseFactor": [0.5, 0.25, 0.125, 0.75],
                "specularFactor": [0.25, 0.5, 0.75],
                "glossinessFactor": 0.75,
                "diffuseTexture": { "index": 0 },
                "specularGlossinessTexture": { "index": 0 }
            } }
        }),
        &[
            "base_color = (0.5, 0.25, 0.125)",
            "metallic = 0.0",
            "ior = 0.0",
            "specular_color = (0.25, 0.5, 0.75)",
            "roughness = 0.25",
            "alpha = 0.75",
            "base_color_texture = \"test.glb#image0.color\"",
            "specular_color_texture = \"test.glb#image0.color\"",
            "glossiness_texture = \"test.glb#image0.color\"",
        ],
    );
}

#[test]
fn textures_of_extensions_have_to_exist() {
    let with = |texture: Value| json!({ "name": "felt", "extensions": { "KHR_materials_sheen": { "sheenColorFactor": [1, 1, 1], "sheenColorTexture": texture } } });
    for (texture, reason) in [
        (json!({ "index": 3 }), "`sheenColorTexture` is texture 3"),
        (json!({}), "does not say which texture"),
    ] {
        let error = call(&with(texture)).expect_err("there is no such texture");
        assert!(error.contains("`felt`") && error.contains(reason), "{error}");
    }
}
