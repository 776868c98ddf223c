//! Skins and morph targets.

use std::f64::consts::FRAC_1_SQRT_2;

use glam::{Affine3A, Vec3};
use serde_json::{Value, json};

use super::{Glb, plain};

/// A triangle with a morph target, moved by two joints. The first scales by 2 and translates by (0, 0, 5); the second,
/// which is hidden, is bound at x = 1 and rotates by 90 degrees about z.
pub(super) fn posed() -> Glb {
    let mut glb = plain();
    let joints = glb.view(&[0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 9]);
    let joints = glb.push(
        "accessors",
        json!({ "bufferView": joints, "componentType": 5121, "count": 3, "type": "VEC4" }),
    );
    let weights = [[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.25, 0.25, 0.0, 0.0]];
    let weights = glb.floats("VEC4", weights.as_flattened());
    let normals = glb.floats("VEC3", &[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    let target = glb.floats("VEC3", &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    #[rustfmt::skip]
    let bound = glb.floats("MAT4", &[
        1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 1.0,
    ]);
    let primitive = &mut glb.json["meshes"][0]["primitives"][0];
    primitive["attributes"]["JOINTS_0"] = json!(joints);
    primitive["attributes"]["WEIGHTS_0"] = json!(weights);
    primitive["attributes"]["NORMAL"] = json!(normals);
    primitive["targets"] = json!([{ "POSITION": target }]);
    glb.json["meshes"][0]["weights"] = json!([0.5]);
    glb.json["skins"] = json!([{ "joints": [1, 2], "inverseBindMatrices": bound }]);
    glb.json["scenes"] = json!([{ "nodes": [0, 1, 2] }]);
    glb.json["nodes"] = json!([
        // Skinning ignores the node's own transform.
        { "mesh": 0, "skin": 0, "translation": [70, 70, 70] },
        { "scale": [2, 2, 2], "translation": [0, 0, 5] },
        { "rotation": [0, 0, FRAC_1_SQRT_2, FRAC_1_SQRT_2],
            "extensions": { "KHR_node_visibility": { "visible": false } } },
    ]);
    glb
}

#[test]
fn skins_and_morph_targets_deform_meshes() {
    let close = |found: &[Vec3], expected: &[Vec3]| {
        let far = found.iter().zip(expected).any(|(a, b)| a.distance(*b) > 1e-5);
        assert!(!far && found.len() == expected.len(), "{found:?}, not {expected:?}");
    };
    let model = posed().read().expect("it is valid");
    assert!(model.warnings.is_empty(), "{:?}", model.warnings);
    let shape = &model.shapes[0];
    assert_eq!(shape.world_from_object, Affine3A::IDENTITY);
    // The second vertex is at x = 2, one unit from the joint. The third is halfway between (0, 2, 5) and (-1, -1, 0).
    let expected = [Vec3::new(0.0, 0.0, 5.0), Vec3::Y, Vec3::new(-0.5, 0.5, 2.5)];
    close(&shape.mesh.positions, &expected);
    assert_eq!(shape.mesh.normals.len(), 3);
    close(&shape.mesh.normals[..2], &[Vec3::Z, Vec3::Y]);

    // A node may override the weights, without an effect on other nodes of the mesh.
    let mut glb = posed();
    glb.json["nodes"] = json!([{ "mesh": 0, "weights": [-1] }, { "mesh": 0 }, { "mesh": 0, "weights": [0] }]);
    let model = glb.read().expect("it is valid");
    let x = |i: usize| model.shapes[i].mesh.positions[1].x;
    assert_eq!([x(0), x(1), x(2)], [-1.0, 2.0, 1.0]);

    let spoilt = |change: fn(&mut Value), expected: &str| {
        let mut glb = posed();
        change(&mut glb.json);
        glb.fails(expected);
    };
    spoilt(
        |json| json["skins"][0]["joints"] = json!([1]),
        "a vertex has joint 1; the skin has 1",
    );
    spoilt(
        |json| json["scenes"] = json!([{ "nodes": [0] }]),
        "node 1, a joint of skin 0, is not in the scene",
    );
    spoilt(
        |json| json["accessors"][5]["count"] = json!(2),
        "a morph target has 2 offsets for 3 vertices",
    );
    let mut glb = posed();
    let attributes = &mut glb.json["meshes"][0]["primitives"][0]["attributes"];
    attributes.as_object_mut().expect("it is one").remove("JOINTS_0");
    glb.fails("vertex 0 has no joint");
}

#[test]
fn vertices_without_weights_follow_their_first_joint() {
    let mut glb = posed();
    let weights = glb.floats("VEC4", &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    glb.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = json!(weights);
    let model = glb.read().expect("exporters write it");
    // The vertex's first joint, the second of the skin, rotates it from its rest position.
    let moved = model.shapes[0].mesh.positions[1];
    assert!(moved.distance(Vec3::Y) < 1e-5, "{moved}");
}

#[test]
fn morph_targets_change_texture_coordinates_and_colours() {
    let morphed = |weights: [f32; 2]| {
        let mut glb = plain();
        let uvs = glb.floats("VEC2", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        let colors = glb.floats("VEC3", &[0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        let moved = glb.floats("VEC2", &[0.0, 0.0, 0.5, 0.25, 0.0, 0.0]);
        let tinted = glb.floats("VEC4", &[0.25, 0.0, -1.0, -0.5, 0.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        let primitive = &mut glb.json["meshes"][0]["primitives"][0];
        for set in ["TEXCOORD_0", "TEXCOORD_1", "TEXCOORD_2"] {
            primitive["attributes"][set] = json!(uvs);
        }
        primitive["attributes"]["COLOR_0"] = json!(colors);
        primitive["targets"] = json!([
            { "TEXCOORD_0": moved, "TEXCOORD_1": moved, "TEXCOORD_2": moved },
            { "TEXCOORD_0": moved, "COLOR_0": tinted, "TEXCOORD_3": moved },
        ]);
        glb.json["meshes"][0]["weights"] = json!(weights);
        glb
    };
    let model = morphed([2.0, 1.0]).read().expect("it is valid");
    let mesh = &model.shapes[0].mesh;
    // In Kiln, v points up.
    assert_eq!(mesh.uvs[1].to_array(), [2.5, 0.25]);
    assert_eq!(mesh.uvs2[1].to_array(), [2.0, 0.5]);
    assert_eq!(mesh.attributes[0].value(1), [2.0, 0.5, 0.0, 0.0]);
    let expected = [[0.75, 0.5, 0.0, 0.5], [0.0, 0.5, 0.0, 1.0], [1.0; 4]];
    assert_eq!(mesh.colors, expected);

    let mut glb = morphed([1.0, 0.0]);
    glb.json["meshes"][0]["primitives"][0]["targets"][0]["TEXCOORD_0"] = json!(99);
    glb.fails("TEXCOORD_0 of a morph target is accessor 99");
    let mut glb = morphed([1.0, 0.0]);
    let short = glb.floats("VEC2", &[0.0, 0.0]);
    glb.json["meshes"][0]["primitives"][0]["targets"][0]["TEXCOORD_0"] = json!(short);
    glb.fails("a morph target has 1 offsets for 3 vertices");
}
