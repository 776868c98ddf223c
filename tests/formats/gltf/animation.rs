//! Animations: tracks of nodes, skins and morph targets, at the frames of a scene.

use glam::Vec3;
use renderer::scene::desc::{GeometryDesc, SceneDesc};
use renderer::scene::import::AnimationChoice;
use renderer::scene::load::{LoadOptions, load};
use serde_json::{Value, json};

use super::pose::posed;
use super::{Glb, plain};

/// Loads a document with an animation, at rest if there is no choice.
fn loaded(glb: &Glb, choice: Option<AnimationChoice>) -> Result<SceneDesc, String> {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let path = folder.path().join("a.glb");
    std::fs::write(&path, glb.finish()).expect("the file can be written");
    let options = LoadOptions { animation: choice, ..LoadOptions::default() };
    load(&path, &options).map(|(desc, _)| desc).map_err(|errors| errors.to_string())
}

fn played(glb: &Glb) -> SceneDesc {
    loaded(glb, Some(AnimationChoice::default())).unwrap_or_else(|error| panic!("{error}"))
}

/// World-space position of a vertex of the first shape at a time in seconds; there are 24 frames per second.
fn vertex(desc: &SceneDesc, vertex: usize, seconds: f64) -> Vec3 {
    let mut desc = desc.clone();
    desc.set_frame(24.0 * seconds);
    let shape = &desc.shapes[0];
    let GeometryDesc::Mesh(mesh) = &shape.geometry else {
        panic!("the shape is a mesh")
    };
    shape.world_from_object.transform_point3(mesh.positions[vertex])
}

fn near(found: Vec3, expected: Vec3) {
    assert!(found.distance(expected) < 1e-5, "{found}, not {expected}");
}

/// Adds an animation with one channel.
pub(super) fn animate(
    glb: &mut Glb,
    target: Value,
    kind: &str,
    interpolation: &str,
    [times, values]: [&[f32]; 2],
) {
    let (input, output) = (glb.floats("SCALAR", times), glb.floats(kind, values));
    let sampler = json!({ "input": input, "output": output, "interpolation": interpolation });
    let channel = json!({ "sampler": 0, "target": target });
    glb.push(
        "animations",
        json!({ "name": "walk", "samplers": [sampler], "channels": [channel] }),
    );
}

#[test]
fn nodes_follow_their_tracks_and_parents() {
    let moved = |interpolation: &str, values: &[f32]| {
        let mut glb = plain();
        glb.json["scenes"] = json!([{ "nodes": [0] }]);
        glb.json["nodes"] =
            json!([{ "children": [1], "scale": [2, 2, 2] }, { "mesh": 0, "translation": [0, 1, 0] }]);
        let target = json!({ "node": 0, "path": "translation" });
        animate(&mut glb, target, "VEC3", interpolation, [&[1.0, 3.0], values]);
        glb
    };
    let linear = moved("LINEAR", &[0.0, 0.0, 0.0, 4.0, 0.0, 0.0]);
    let desc = played(&linear);
    for (time, x) in [(0.0, 0.0), (1.0, 0.0), (1.5, 1.0), (3.0, 4.0), (9.0, 4.0)] {
        near(vertex(&desc, 0, time), Vec3::new(x, 2.0, 0.0));
    }
    assert!(!loaded(&linear, None).expect("it is valid").has_motion());
    let desc = played(&moved("STEP", &[0.0, 0.0, 0.0, 4.0, 0.0, 0.0]));
    near(vertex(&desc, 0, 2.9), Vec3::new(0.0, 2.0, 0.0));
    // Tangents of zero: at a quarter of the time, the value has changed by 0.15625 of the difference.
    let mut spline = [0.0; 18];
    spline[12] = 4.0;
    let desc = played(&moved("CUBICSPLINE", &spline));
    near(vertex(&desc, 0, 1.5), Vec3::new(4.0 * 0.15625, 2.0, 0.0));

    let named = |name: &str| loaded(&linear, Some(AnimationChoice { name: Some(name.into()) }));
    assert!(named("walk").is_ok());
    let error = named("run").expect_err("there is no such animation");
    assert!(error.contains("no animation `run`; there are: walk"), "{error}");
    let unordered = {
        let mut glb = plain();
        animate(
            &mut glb,
            json!({ "node": 0, "path": "scale" }),
            "VEC3",
            "LINEAR",
            [&[1.0, 0.0], &[1.0; 6]],
        );
        glb
    };
    let error = loaded(&unordered, Some(AnimationChoice::default())).expect_err("times descend");
    assert!(error.contains("do not ascend"), "{error}");
}

#[test]
fn nodes_grow_from_nothing() {
    let grown = |rest: [f32; 3], scales: &[f32]| {
        let mut glb = plain();
        glb.json["nodes"] = json!([{ "mesh": 0, "scale": rest }]);
        let target = json!({ "node": 0, "path": "scale" });
        animate(&mut glb, target, "VEC3", "LINEAR", [&[0.0, 1.0], scales]);
        played(&glb)
    };
    let from_nothing = [0.0, 0.0, 0.0, 4.0, 4.0, 4.0];
    for desc in [grown([0.0; 3], &from_nothing), grown([1.0; 3], &from_nothing)] {
        near(vertex(&desc, 1, 0.0), Vec3::ZERO);
        near(vertex(&desc, 1, 0.5), Vec3::X * 2.0);
        let mut desc = desc.clone();
        desc.set_frame(0.0);
        assert!(desc.shapes[0].world_from_object.inverse().is_finite());
    }
    // Flat at rest.
    let desc = grown([0.0, 1.0, 1.0], &[0.0, 1.0, 1.0, 4.0, 1.0, 1.0]);
    near(vertex(&desc, 1, 0.5), Vec3::X * 2.0);
}

#[test]
fn animations_of_different_nodes_are_played_together() {
    let mut glb = plain();
    glb.json["scenes"] = json!([{ "nodes": [0] }]);
    glb.json["nodes"] = json!([{ "children": [1] }, { "mesh": 0 }]);
    // The third moves a node of the first, and is not played unless it is named.
    for (node, value) in [(0, [2.0, 0.0, 0.0]), (1, [0.0, 4.0, 0.0]), (0, [0.0, 0.0, 9.0])] {
        let target = json!({ "node": node, "path": "translation" });
        animate(&mut glb, target, "VEC3", "LINEAR", [&[0.0], &value]);
    }
    glb.json["animations"][2]["name"] = json!("other");
    near(vertex(&played(&glb), 0, 1.0), Vec3::new(2.0, 4.0, 0.0));
    let named = |name: &str| AnimationChoice { name: Some(name.into()) };
    for (name, expected) in [("walk", Vec3::X * 2.0), ("other", Vec3::Z * 9.0)] {
        let desc = loaded(&glb, Some(named(name))).expect("it is valid");
        near(vertex(&desc, 0, 1.0), expected);
    }
}

#[test]
fn pointers_to_nodes_are_played() {
    let mut glb = plain();
    let pointer = json!({ "path": "pointer", "extensions":
        { "KHR_animation_pointer": { "pointer": "/nodes/0/rotation" } } });
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let turns = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half];
    animate(&mut glb, pointer, "VEC4", "LINEAR", [&[0.0, 1.0], &turns]);
    let desc = played(&glb);
    near(vertex(&desc, 1, 1.0), Vec3::Y);
    near(vertex(&desc, 1, 0.5), Vec3::new(half, half, 0.0));
}

#[test]
fn pointers_to_weights_of_meshes_are_played() {
    let mut glb = posed();
    glb.json["nodes"] = json!([{ "mesh": 0 }]);
    glb.json["scenes"] = json!([{ "nodes": [0] }]);
    glb.json.as_object_mut().expect("it is one").remove("skins");
    let pointer = json!({ "path": "pointer", "extensions":
        { "KHR_animation_pointer": { "pointer": "/meshes/0/weights" } } });
    animate(&mut glb, pointer, "SCALAR", "LINEAR", [&[0.0, 1.0], &[0.0, 1.0]]);
    near(vertex(&played(&glb), 1, 0.25), Vec3::X * 1.5);
    // Weights of a node replace those of its mesh.
    glb.json["nodes"][0]["weights"] = json!([0.5]);
    near(vertex(&played(&glb), 1, 0.25), Vec3::X * 2.0);
}

#[test]
fn skins_and_morph_targets_are_played() {
    let mut glb = posed();
    animate(
        &mut glb,
        json!({ "node": 1, "path": "translation" }),
        "VEC3",
        "LINEAR",
        [&[0.0, 1.0], &[0.0, 0.0, 5.0, 0.0, 0.0, 9.0]],
    );
    let desc = played(&glb);
    near(vertex(&desc, 0, 0.0), Vec3::new(0.0, 0.0, 5.0));
    near(vertex(&desc, 0, 0.5), Vec3::new(0.0, 0.0, 7.0));
    let mut glb = posed();
    glb.json["nodes"] = json!([{ "mesh": 0 }]);
    glb.json["scenes"] = json!([{ "nodes": [0] }]);
    glb.json.as_object_mut().expect("it is one").remove("skins");
    animate(
        &mut glb,
        json!({ "node": 0, "path": "weights" }),
        "SCALAR",
        "LINEAR",
        [&[0.0, 1.0], &[0.0, 1.0]],
    );
    let desc = played(&glb);
    near(vertex(&desc, 1, 0.0), Vec3::X);
    near(vertex(&desc, 1, 0.25), Vec3::X * 1.5);
    // While the shutter is open, the vertex moves by half a frame.
    let mut at_rest = desc.clone();
    at_rest.set_frame(0.0);
    let shape = at_rest.shapes[0].build(&at_rest.film.shutter);
    let keys = shape.vertex_motion().expect("the vertices move").positions();
    near(keys[keys.len() - 1][1], Vec3::X * (1.0 + 2.0 * 0.5 / 24.0));
}
