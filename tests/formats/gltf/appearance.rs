//! Appearance of materials: textures by set and filter, normal maps by their tangents, thin sheets.

use renderer::scene::build::build;
use support::scenes::{Look, mean, spot_meter};

use super::*;

const WHERE_U_GROWS: [f32; 8] = [0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0];
/// Rotated texture coordinates: u grows upwards, v (down in glTF) to the right.
const TURNED: [f32; 8] = [0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0];

/// The unit square in the plane z = 0, with normals along +z and these sets of texture coordinates.
fn square(sets: &[[f32; 8]], material: Value) -> Glb {
    let mut glb = Glb::new(json!({ "nodes": [{ "mesh": 0 }], "scenes": [{ "nodes": [0] }] }));
    let positions = glb.floats("VEC3", &SQUARE);
    let normals = glb.floats("VEC3", [[0.0, 0.0, 1.0]; 4].as_flattened());
    let indices = glb.integers(5121, &[0, 1, 2, 1, 3, 2], 6);
    let mut attributes = json!({ "POSITION": positions, "NORMAL": normals });
    for (set, uvs) in sets.iter().enumerate() {
        attributes[format!("TEXCOORD_{set}")] = json!(glb.floats("VEC2", uvs));
    }
    glb.json["materials"] = json!([material]);
    glb.push(
        "meshes",
        json!({ "primitives": [{ "attributes": attributes, "indices": indices, "material": 0 }] }),
    );
    glb
}

/// Adds a texture with these pixels in one row.
fn paint(glb: &mut Glb, pixels: &[[u8; 3]]) {
    let mut image = format!("P6 {} 1 255\n", pixels.len()).into_bytes();
    image.extend(pixels.as_flattened());
    let view = glb.view(&image);
    glb.push("images", json!({ "bufferView": view, "mimeType": "image/png" }));
    glb.push("textures", json!({ "source": 0 }));
}

/// The red channel at a point of the square, seen along the normal from the front or from behind.
fn radiance(glb: &Glb, x: f32, side: f32, lights: &str) -> f32 {
    pixel_radiance(glb, x, side, lights, 1e-5, 256)
}

/// The red channel at a point, seen through a pixel of the given width [radians].
fn pixel_radiance(glb: &Glb, x: f32, side: f32, lights: &str, width: f32, spp: u64) -> f32 {
    let folder = tempfile::tempdir().expect("a directory");
    std::fs::write(folder.path().join("a.glb"), glb.finish()).expect("written");
    let text = format!("import \"a.glb\" as a;\ncamera main : perspective {{ }}\n{lights}");
    let options = LoadOptions::default();
    let (desc, _) = renderer::scene::load::from_text("test.kiln", &text, folder.path(), &options)
        .unwrap_or_else(|errors| panic!("{errors}"));
    let built = build(&desc, None, 1).unwrap_or_else(|errors| panic!("{errors}"));
    let camera = spot_meter(Vec3::new(x, 0.25, 3.0 * side), Vec3::new(x, 0.25, 0.0), width);
    let look = Look { size: [1, 1], spp, ..Look::default() };
    mean(&built.scene, &camera, look).0.r
}

fn close(found: f32, expected: f32, what: &str) {
    assert!((found - expected).abs() < 0.02, "{what}: {found}, not {expected}");
}

#[test]
fn nearest_samplers_show_square_texels() {
    let unlit = json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } },
        "extensions": { "KHR_materials_unlit": {} } });
    let mut glb = square(&[WHERE_U_GROWS], unlit);
    paint(&mut glb, &[[255, 255, 255], [0, 0, 0]]);
    close(radiance(&glb, 0.4, 1.0, ""), 0.7, "linear");
    glb.json["samplers"] = json!([{ "magFilter": 9728 }]);
    glb.json["textures"][0]["sampler"] = json!(0);
    close(radiance(&glb, 0.4, 1.0, ""), 1.0, "nearest");
}

/// Voxel models use a texture as palette, with one texel for each triangle.
#[test]
fn palette_texels_are_not_blended_with_neighbours() {
    let unlit = json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } },
        "extensions": { "KHR_materials_unlit": {} } });
    let wide = |uvs: [f32; 8]| {
        let mut glb = square(&[uvs], unlit.clone());
        paint(&mut glb, &[[255, 255, 255], [0, 0, 0], [255, 255, 255], [0, 0, 0]]);
        pixel_radiance(&glb, 0.25, 1.0, "", 0.15, 256)
    };
    close(wide([0.625, 0.5].repeat(4).try_into().unwrap()), 1.0, "a place");
    close(wide([0.375, 0.5].repeat(4).try_into().unwrap()), 0.0, "its neighbour");
    // A row of the palette is filtered along u over the footprint: black and white in equal parts.
    let line = [0.0, 0.1, 1.0, 0.1, 0.0, 0.1, 1.0, 0.1];
    close(wide(line), 0.5, "a line");
}

#[test]
fn four_sets_of_texture_coordinates_are_read() {
    let middle_of = |texel: f32| [texel + 0.5, 2.0, texel + 0.5, 2.0, texel + 0.5, 2.0, texel + 0.5, 2.0];
    let sets: Vec<[f32; 8]> = (0..5).map(|set| middle_of(set as f32).map(|x| x / 4.0)).collect();
    for set in 0..4 {
        let unlit = json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0, "texCoord": set } },
            "extensions": { "KHR_materials_unlit": {} } });
        let mut glb = square(&sets, unlit);
        let mut pixels = [[0; 3]; 4];
        pixels[set] = [255; 3];
        paint(&mut glb, &pixels);
        close(radiance(&glb, 0.4, 1.0, ""), 1.0, &format!("set {set}"));
        assert!(glb.read().expect("it is valid").warnings.is_empty());

        // A material that needs a UV set that the mesh lacks or that is not read.
        glb.json["meshes"][0]["primitives"][0]["attributes"]
            .as_object_mut()
            .expect("it is one")
            .remove(&format!("TEXCOORD_{set}"));
        let warnings = glb.read().expect("it is valid").warnings.join("\n");
        assert!(warnings.contains(&format!("no TEXCOORD_{set}")), "{warnings}");
        glb.json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["texCoord"] = json!(4);
        let warnings = glb.read().expect("it is valid").warnings.join("\n");
        assert!(
            warnings.contains("TEXCOORD_4, which its material uses, is not read"),
            "{warnings}"
        );
    }
}

/// A white square whose normal map tilts by 37 degrees where the texture is red: (0.6, 0, 0.8).
fn leaning(sets: &[[f32; 8]], set: usize) -> Glb {
    let white = json!({ "doubleSided": true, "normalTexture": { "index": 0, "texCoord": set },
        "pbrMetallicRoughness": { "metallicFactor": 0 },
        "extensions": { "KHR_materials_specular": { "specularFactor": 0 } } });
    let mut glb = square(sets, white);
    paint(&mut glb, &[[204, 128, 230]]);
    glb
}

/// A directional light along (x, 0, z) that gives a facing surface the radiance 1.
fn sun(x: f32, z: f32) -> String {
    format!("light sun : directional {{ direction = ({x}, 0, {z}); irradiance = 3.14159; }}")
}

#[test]
fn normal_maps_tilt_along_their_uv_set() {
    let sun = sun(-0.6, -0.8);
    close(radiance(&leaning(&[WHERE_U_GROWS], 0), 0.4, 1.0, &sun), 1.0, "set 0");
    let turned = leaning(&[WHERE_U_GROWS, TURNED], 1);
    close(radiance(&turned, 0.4, 1.0, &sun), 0.64, "set 1");
    let back = leaning(&[TURNED, WHERE_U_GROWS], 1);
    close(radiance(&back, 0.4, 1.0, &sun), 1.0, "set 1, as set 0 is usually");
}

#[test]
fn normal_maps_tilt_along_the_tangents_of_the_file() {
    let sun = sun(-0.6, -0.8);
    let mut glb = leaning(&[WHERE_U_GROWS], 0);
    let tangents = glb.floats("VEC4", [[0.0, 1.0, 0.0, 1.0]; 4].as_flattened());
    glb.json["meshes"][0]["primitives"][0]["attributes"]["TANGENT"] = json!(tangents);
    close(radiance(&glb, 0.4, 1.0, &sun), 0.64, "upwards");

    // In a mirrored transform, a tilt to the right is a tilt to the left.
    let tangents = glb.floats("VEC4", [[1.0, 0.0, 0.0, 1.0]; 4].as_flattened());
    glb.json["meshes"][0]["primitives"][0]["attributes"]["TANGENT"] = json!(tangents);
    glb.json["nodes"][0]["scale"] = json!([-1, 1, 1]);
    close(radiance(&glb, -0.4, 1.0, &sun), 0.28, "mirrored");

    // Green tilts along the bitangent, whose sign is the fourth component.
    let leaning_up = |sign: f32| {
        let mut glb = leaning(&[WHERE_U_GROWS], 0);
        let tangents = glb.floats("VEC4", [[0.0, 1.0, 0.0, sign]; 4].as_flattened());
        glb.json["meshes"][0]["primitives"][0]["attributes"]["TANGENT"] = json!(tangents);
        glb.json["images"] = json!([]);
        glb.json["textures"] = json!([]);
        paint(&mut glb, &[[128, 204, 230]]);
        radiance(&glb, 0.4, 1.0, &sun)
    };
    close(leaning_up(-1.0), 1.0, "bitangent to the right");
    close(leaning_up(1.0), 0.28, "bitangent to the left");
}

#[test]
fn normal_maps_have_the_same_relief_from_behind() {
    let glb = leaning(&[WHERE_U_GROWS], 0);
    close(radiance(&glb, 0.4, -1.0, &sun(0.6, 0.8)), 1.0, "along the normal");
    close(radiance(&glb, 0.4, -1.0, &sun(-0.6, 0.8)), 0.28, "across it");
}

#[test]
fn roughness_spreads_light_through_thin_sheets() {
    for (roughness, is_spread) in [(0.0, false), (0.5, true)] {
        let sheet = json!({
            "pbrMetallicRoughness": { "metallicFactor": 0, "roughnessFactor": roughness },
            "extensions": { "KHR_materials_transmission": { "transmissionFactor": 1 } }
        });
        let lit = radiance(&square(&[], sheet), 0.4, 1.0, &sun(0.1, 1.0));
        assert_eq!(lit > 0.1, is_spread, "{roughness}: {lit}");
    }
}

#[test]
fn absorption_of_bodies_follows_the_path_length() {
    let jelly = json!({ "extensions": {
        "KHR_materials_ior": { "ior": 1 },
        "KHR_materials_transmission": { "transmissionFactor": 1 },
        "KHR_materials_volume": { "thicknessFactor": 1, "attenuationColor": [0.3, 1, 1], "attenuationDistance": 2 }
    }, "pbrMetallicRoughness": { "metallicFactor": 0, "roughnessFactor": 0 } });
    let mut glb = square(&[], jelly);
    // The back of the body, 3 m behind its front.
    glb.push(
        "nodes",
        json!({ "mesh": 0, "rotation": [0, 1, 0, 0], "translation": [1, 0, -3] }),
    );
    glb.json["scenes"][0]["nodes"] = json!([0, 1]);
    let sky = "light sky : environment { color = 1; }";
    close(radiance(&glb, 0.5, 1.0, sky), 0.3_f32.powf(1.5), "three metres");
    for (key, value, left) in [
        ("attenuationColor", json!([0, 1, 1]), 0.0),
        ("attenuationDistance", Value::Null, 1.0),
        ("thicknessFactor", json!(0), 1.0),
    ] {
        glb.json["materials"][0]["extensions"]["KHR_materials_volume"][key] = value;
        close(radiance(&glb, 0.5, 1.0, sky), left, key);
    }
}

/// A body of diffuse albedo ½ when deep, and one without scattering, in the same light: scattering does not reduce the
/// attenuated light.
#[test]
fn scattering_does_not_reduce_attenuated_light() {
    let body = |scatter: Value| {
        json!({ "extensions": {
            "KHR_materials_ior": { "ior": 1 },
            "KHR_materials_transmission": { "transmissionFactor": 1 },
            "KHR_materials_volume": { "thicknessFactor": 1, "attenuationColor": [0.001, 1, 1], "attenuationDistance": 0.1 },
            "KHR_materials_volume_scatter": scatter
        }, "pbrMetallicRoughness": { "metallicFactor": 0, "roughnessFactor": 0 } })
    };
    let sky = "light sky : environment { color = 1; }";
    let deep = |scatter: Value| {
        let mut glb = square(&[], body(scatter));
        glb.push(
            "nodes",
            json!({ "mesh": 0, "rotation": [0, 1, 0, 0], "translation": [1, 0, -3] }),
        );
        glb.json["scenes"][0]["nodes"] = json!([0, 1]);
        pixel_radiance(&glb, 0.4, 1.0, sky, 1e-5, 16384)
    };
    close(deep(json!({})), 0.0, "nothing scatters");
    let half = deep(json!({ "multiscatterColorFactor": [0.5, 0, 0] }));
    // Along the normal, the albedo is below the mean: 1 - H(1) √(1 - albedo) by Chandrasekhar.
    assert!((half - 0.44).abs() < 0.03, "{half}");
    let most = deep(json!({ "multiscatterColorFactor": [0.9, 0, 0], "scatterAnisotropy": 0.5 }));
    // The body is 1 m wide, so that some light leaves through its sides.
    assert!(most > half && most < 1.0, "{most}");
}

#[test]
fn thin_films_colour_metal() {
    // Reference values: Airy's formula over the spectrum, with the CIE 1931 matching functions and the white of
    // Rec.709.
    for (ior, thickness, expected) in [(1.8, 300.0, 0.322), (1.3, 400.0, 0.353), (1.8, 0.0, 0.5)] {
        let metal = json!({
            "pbrMetallicRoughness": { "baseColorFactor": [0.5, 0.5, 0.5, 1], "roughnessFactor": 0 },
            "extensions": { "KHR_materials_iridescence": {
                "iridescenceFactor": 1, "iridescenceIor": ior, "iridescenceThicknessMaximum": thickness
            } }
        });
        let sky = "light sky : environment { color = 1; }";
        let found = radiance(&square(&[], metal), 0.4, 1.0, sky);
        close(found, expected, &format!("{thickness} nm of {ior}"));
    }
}

#[test]
fn diffuse_transmission_has_its_own_colour() {
    let leaf = json!({ "doubleSided": true,
    "pbrMetallicRoughness": { "metallicFactor": 0 },
    "extensions": {
        "KHR_materials_specular": { "specularFactor": 0 },
        "KHR_materials_diffuse_transmission": {
            "diffuseTransmissionFactor": 0.75, "diffuseTransmissionColorFactor": [0.5, 1, 1]
        }
    } });
    let leaf = square(&[], leaf);
    close(radiance(&leaf, 0.4, 1.0, &sun(0.0, -1.0)), 0.25, "lit from the front");
    close(radiance(&leaf, 0.4, 1.0, &sun(0.0, 1.0)), 0.375, "lit from behind");
}

#[test]
fn bodies_without_refraction_keep_their_brightness() {
    let amber = json!({
        "pbrMetallicRoughness": { "metallicFactor": 0, "roughnessFactor": 0 },
        "extensions": {
            "KHR_materials_specular": { "specularFactor": 0 },
            "KHR_materials_transmission": { "transmissionFactor": 0.5 },
            "KHR_materials_volume": { "thicknessFactor": 1 }
        }
    });
    // A smooth surface does not reflect the sun towards the camera.
    close(radiance(&square(&[], amber), 0.4, 1.0, &sun(0.0, -1.0)), 0.5, "amber");
}
