//! Documents as other programs write them, and messages about unsupported features.

use renderer::scene::import::ImportError;

use super::*;

#[test]
fn errors_about_unsupported_files_propose_a_solution() {
    let hint = |spoil: &dyn Fn(&mut Glb)| {
        let mut glb = plain();
        spoil(&mut glb);
        let error = parse_gltf(Path::new("test.glb"), &glb.finish()).expect_err("it is spoilt");
        assert!(matches!(error, ImportError::Document { .. }), "{error:?}");
        error.diagnostic().to_string()
    };
    let missing_image = |glb: &mut Glb| {
        glb.json["images"] = json!([{ "uri": "missing.png" }]);
        glb.json["textures"] = json!([{ "source": 0 }]);
        glb.json["materials"] = json!([{ "normalTexture": { "index": 0 } }]);
    };
    let requires = |name: &'static str| move |glb: &mut Glb| glb.json["extensionsRequired"] = json!([name]);
    for (text, word) in [
        (hint(&requires("KHR_spz_gaussian_splats_compression")), "without compression"),
        (hint(&requires("KHR_texture_basisu")), "PNG, JPEG or WebP"),
        (hint(&requires("VENDOR_shape")), "without the extension"),
        (hint(&|glb| glb.json["asset"]["version"] = json!("1.0")), "as glTF 2.0"),
        (
            hint(&|glb| glb.json = json!({ "accessors": { "positions": {} } })),
            "as glTF 2.0",
        ),
        (hint(&missing_image), "relative to it"),
        (hint(&|glb| glb.json["accessors"][0]["count"] = json!(4)), "validator"),
        (hint(&|glb| glb.json["nodes"][0]["mesh"] = json!(4)), "validator"),
    ] {
        assert!(text.contains("hint: ") && text.contains(word), "`{word}` is not in {text}");
    }
}

#[test]
fn unsupported_material_extensions_cause_a_warning() {
    let mut glb = plain();
    glb.json["extensionsUsed"] = json!(["KHR_materials_dispersion"]);
    glb.json["extensionsRequired"] = json!(["KHR_materials_dispersion"]);
    let model = glb.read().expect("it can be shown");
    assert_eq!(
        model.warnings,
        ["the extension KHR_materials_dispersion is not supported and has no effect"]
    );
}

#[test]
fn webp_textures_use_the_image_of_the_extension() {
    let mut glb = plain();
    let view = glb.view(PNG);
    glb.json["extensionsUsed"] = json!(["EXT_texture_webp"]);
    glb.json["extensionsRequired"] = json!(["EXT_texture_webp"]);
    glb.json["images"] = json!([{ "bufferView": view, "mimeType": "image/webp" }]);
    glb.json["textures"] = json!([{ "extensions": { "EXT_texture_webp": { "source": 0 } } }]);
    glb.json["materials"] = json!([{ "normalTexture": { "index": 0 } }]);
    let model = glb.read().expect("it is valid");
    assert!(
        model.materials[0].surface.to_string().contains("image0.raw"),
        "{}",
        model.materials[0].surface
    );
    assert!(model.warnings.is_empty(), "{:?}", model.warnings);
    glb.json["textures"][0]["extensions"]["EXT_texture_webp"]["source"] = json!(7);
    glb.fails("texture 0 uses an image");
}

#[test]
fn unsupported_features_cause_warnings() {
    let mut glb = plain();
    glb.json["extensions"] = json!({ "KHR_lights_punctual": { "lights": [
        { "type": "point", "intensity": -1 }, { "type": "point", "intensity": 0 }
    ] } });
    glb.json["nodes"][0]["extensions"] = json!({ "KHR_lights_punctual": { "light": 0 } });
    let model = glb.read().expect("it is valid");
    assert!(model.lights.is_empty());
    let warnings = model.warnings.join("\n");
    assert!(warnings.contains("negative intensity"), "{warnings}");
    glb.json["extensionsUsed"] =
        json!(["EXT_lights_image_based", "MSFT_texture_dds", "FB_geometry_metadata"]);
    let warnings = glb.read().expect("it is valid").warnings.join("\n");
    for (name, is_missed) in [("EXT_lights", true), ("MSFT_texture", true), ("FB_geometry", false)] {
        assert_eq!(warnings.contains(name), is_missed, "{warnings}");
    }
    glb.json["nodes"][0]["extensions"]["KHR_lights_punctual"]["light"] = json!(1);
    assert_eq!(glb.read().expect("it is valid").lights.len(), 1);
}
