//! Meshes flattened by their transforms.

use std::f32::consts::FRAC_PI_4;
use std::sync::Arc;

use glam::{Affine3A, Quat, Vec3};
use renderer::math::is_invertible;
use renderer::scene::import::ModelShape;
use serde_json::json;

use super::pose::posed;
use super::{Glb, plain};

/// Maximum extent of a flat mesh out of its plane.
const THIN: f32 = 1e-4;

/// Two triangles that face away from each other: up at z = 1, and down at z = 0.
fn slab() -> Glb {
    let mut glb = plain();
    let primitive = json!({
        "attributes": {
            "POSITION": glb.floats("VEC3", &[
                0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0,
                0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0,
            ]),
            "NORMAL": glb.floats("VEC3", &[
                0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0,
                0.0, 0.0, -1.0, 0.0, 0.0, -1.0, 0.0, 0.0, -1.0,
            ]),
            "TEXCOORD_0": glb.floats("VEC2", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0]),
            "COLOR_0": glb.floats("VEC4", &[0.5; 24]),
        },
        "material": 0,
    });
    glb.json["meshes"][0]["primitives"] = json!([primitive]);
    // The appearance of this material depends on tangents.
    glb.json["extensionsUsed"] = json!(["KHR_materials_anisotropy"]);
    glb.json["materials"] =
        json!([{ "extensions": { "KHR_materials_anisotropy": { "anisotropyStrength": 0.5 } } }]);
    glb
}

fn in_world(shape: &ModelShape) -> Vec<Vec3> {
    let positions = shape.mesh.positions.iter();
    positions.map(|&p| shape.world_from_object.transform_point3(p)).collect()
}

#[track_caller]
fn close(found: &[Vec3], expected: &[Vec3]) {
    let far = found.iter().zip(expected).any(|(a, b)| a.distance(*b) > THIN);
    assert!(!far && found.len() == expected.len(), "{found:?}, not {expected:?}");
}

#[test]
fn a_scale_of_zero_along_one_axis_flattens() {
    for mirror in [1.0, -1.0] {
        let mut glb = slab();
        glb.json["nodes"] = json!([
            { "mesh": 0 },
            { "mesh": 0, "scale": [2.0 * mirror, 1, 0], "translation": [0, 0, 5] },
        ]);
        glb.json["scenes"] = json!([{ "nodes": [0, 1] }]);
        let model = glb.read().expect("it is valid");
        assert!(model.warnings.is_empty(), "{:?}", model.warnings);
        let [whole, flat] = &model.shapes[..] else {
            panic!("both are to be seen: {:?}", model.shapes)
        };
        assert!(is_invertible(&flat.world_from_object));
        let x = 2.0 * mirror;
        let [a, b, c] = [[0.0, 0.0, 5.0], [x, 0.0, 5.0], [0.0, 1.0, 5.0]].map(Vec3::from_array);
        let positions = in_world(flat);
        close(&positions, &[a, b, c, a, c, b]);
        // The two sides have a gap between them: each is seen from its front.
        let normal = |t: usize| {
            let [a, b, c] = flat.mesh.triangles[t].map(|index| positions[index as usize]);
            (b - a).cross(c - a).normalize()
        };
        close(&[normal(0), normal(1)], &[Vec3::Z * mirror, Vec3::NEG_Z * mirror]);
        let apart = positions[0] - positions[3];
        assert!(apart.dot(normal(0)) > 0.0, "{apart}");
        // Vertex normals and tangents are removed; other attributes are unchanged.
        let has_tangents =
            |shape: &ModelShape| (shape.mesh.attributes.iter()).any(|values| values.name == "tangent");
        assert!(has_tangents(whole) && !whole.mesh.normals.is_empty());
        assert!(!has_tangents(flat) && flat.mesh.normals.is_empty());
        assert_eq!(flat.mesh.uvs, whole.mesh.uvs);
        assert_eq!(flat.mesh.colors, whole.mesh.colors);
    }
}

#[test]
fn meshes_flattened_along_any_direction_are_shown() {
    let turned = Quat::from_rotation_x(1.0) * Quat::from_rotation_y(0.5);
    let inner = Quat::from_rotation_x(FRAC_PI_4);
    let mut glb = slab();
    glb.json["nodes"] = json!([
        { "rotation": turned.to_array(), "children": [1] },
        { "scale": [1, 3, 0], "translation": [1, 2, 3], "children": [2] },
        { "mesh": 0, "rotation": inner.to_array() },
    ]);
    let model = glb.read().expect("it is valid");
    assert!(model.warnings.is_empty(), "{:?}", model.warnings);
    let shape = &model.shapes[0];
    assert!(is_invertible(&shape.world_from_object));
    let place = Affine3A::from_quat(turned)
        * Affine3A::from_translation(Vec3::new(1.0, 2.0, 3.0))
        * Affine3A::from_scale(Vec3::new(1.0, 3.0, 0.0))
        * Affine3A::from_quat(inner);
    let corners = [[0., 0., 1.], [1., 0., 1.], [0., 1., 1.], [0.; 3], [0., 1., 0.], [1., 0., 0.]];
    let expected = corners.map(|p| place.transform_point3(Vec3::from_array(p)));
    close(&in_world(shape), &expected);
}

#[test]
fn meshes_scaled_to_a_line_are_not_shown() {
    for scale in [[1, 0, 0], [0, 0, 2], [0, 0, 0]] {
        let mut glb = slab();
        glb.json["nodes"][0]["scale"] = json!(scale);
        let model = glb.read().expect("it is valid");
        assert!(model.shapes.is_empty(), "{scale:?}: {:?}", model.shapes);
        assert_eq!(model.warnings, ["`node0` is scaled to nothing and not shown"], "{scale:?}");
    }
    // A primitive perpendicular to the other one.
    let mut glb = slab();
    let upright = glb.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    let primitives = glb.json["meshes"][0]["primitives"].as_array_mut().expect("a list");
    primitives.push(json!({ "attributes": { "POSITION": upright } }));
    glb.json["nodes"][0]["scale"] = json!([1, 1, 0]);
    let model = glb.read().expect("it is valid");
    let names: Vec<&str> = model.shapes.iter().map(|shape| &*shape.name).collect();
    assert_eq!(names, ["node0.0"]);
    assert_eq!(model.warnings, ["`node0.1` is scaled to nothing and not shown"]);
}

#[test]
fn instances_may_be_flat() {
    let mut glb = slab();
    #[rustfmt::skip]
    let scales = glb.floats("VEC3", &[
        3.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 1.0, 1.0,
    ]);
    glb.json["nodes"][0]["name"] = json!("tree");
    glb.json["nodes"][0]["extensions"] =
        json!({ "EXT_mesh_gpu_instancing": { "attributes": { "SCALE": scales } } });
    let model = glb.read().expect("it is valid");
    // A scale of zero along x turns both triangles into lines.
    assert_eq!(
        model.warnings,
        [
            "1 of 5 instances of `tree` are scaled to nothing and not shown",
            "1 of 4 instances of `tree` are scaled to nothing and not shown",
        ]
    );
    let [first, whole, second] = &model.shapes[..] else {
        panic!("three are to be seen: {:?}", model.shapes)
    };
    assert!(Arc::ptr_eq(&first.name, &second.name) && Arc::ptr_eq(&first.name, &whole.name));
    assert!(
        Arc::ptr_eq(&first.mesh, &second.mesh),
        "what is flat along the same axis shares its mesh"
    );
    assert_eq!(whole.world_from_object, Affine3A::IDENTITY);
    close(&in_world(first)[1..3], &[Vec3::new(3.0, 0.0, 0.0), Vec3::Y]);
    close(&in_world(second)[1..3], &[Vec3::X, Vec3::new(0.0, 2.0, 0.0)]);
}

#[test]
fn skinned_meshes_are_flattened_after_skinning() {
    let mut glb = posed();
    glb.json["nodes"] = json!([
        { "mesh": 0, "weights": [-1], "scale": [1, 1, 0] },
        { "mesh": 0, "scale": [1, 1, 0] },
        { "mesh": 0 },
    ]);
    let model = glb.read().expect("it is valid");
    let x = |i: usize| in_world(&model.shapes[i])[1].x;
    assert_eq!([x(0), x(1), x(2)], [-1.0, 2.0, 2.0]);
    assert!(model.shapes[1].mesh.normals.is_empty() && !model.shapes[2].mesh.normals.is_empty());
}
