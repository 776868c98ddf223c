//! Lines and points of glTF.

use glam::Vec3;
use renderer::scene::desc::{GeometryDesc, SceneDesc};
use renderer::scene::import::StrandKind;
use renderer::scene::load::{LoadOptions, from_model, load};
use serde_json::json;

use super::{Glb, SQUARE};

/// Lines, a loop, a strip by indices, and points with a radius of their own.
fn wires() -> Glb {
    let mut glb = Glb::new(json!({
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "name": "wires", "mesh": 0, "translation": [0, 0, -3] }]
    }));
    let positions = glb.floats("VEC3", &SQUARE);
    let colors = glb.floats("VEC3", &[[1.0, 0.5, 0.25]; 4].concat());
    let order = glb.integers(5121, &[3, 1, 0], 3);
    glb.json["meshes"] = json!([{ "primitives": [
        { "attributes": { "POSITION": positions }, "mode": 1, "extras": { "radius": 0.1 } },
        { "attributes": { "POSITION": positions, "COLOR_0": colors }, "mode": 2, "extras": { "radius": 0.1 } },
        { "attributes": { "POSITION": positions }, "indices": order, "mode": 3, "extras": { "radius": -1 } },
        { "attributes": { "POSITION": positions }, "mode": 0, "extras": { "radius": 0.25 } }
    ] }]);
    glb
}

#[test]
fn lines_and_points_are_read() {
    let model = wires().read().expect("it is valid");
    assert!(model.shapes.is_empty() && model.warnings.is_empty(), "{:?}", model.warnings);
    let [lines, closed, strip, points] = &model.strands[..] else {
        panic!("{:?}", model.strands)
    };
    let corner = |index: usize| Vec3::from_slice(&SQUARE[3 * index..]);
    assert_eq!((lines.set.kind, &lines.set.counts[..]), (StrandKind::Lines, &[2, 2][..]));
    assert_eq!(closed.set.counts, [5]);
    assert_eq!(closed.set.positions[4], corner(0));
    assert_eq!(closed.set.colors, [[1.0, 0.5, 0.25]; 5].concat());
    assert_eq!(strip.set.positions, [3, 1, 0].map(corner));
    assert_eq!((points.set.kind, points.set.positions.len()), (StrandKind::Points, 4));
    assert_eq!([lines, strip, points].map(|of| of.set.radius), [Some(0.1), None, Some(0.25)]);
    assert_eq!(model.bounds().max, Vec3::new(1.0, 1.0, -3.0));
    assert_eq!(points.world_from_object.translation, Vec3::new(0.0, 0.0, -3.0).into());
}

fn geometries(desc: &SceneDesc) -> Vec<&'static str> {
    let kind = |geometry: &GeometryDesc| match geometry {
        GeometryDesc::Curves(_) => "curves",
        GeometryDesc::Points(_) => "points",
        _ => "other",
    };
    desc.shapes
        .iter()
        .filter(|shape| shape.name.contains("wires"))
        .map(|shape| kind(&shape.geometry))
        .collect()
}

#[test]
fn lines_and_points_with_a_radius_are_shapes() {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let path = folder.path().join("wires.glb");
    std::fs::write(&path, wires().finish()).expect("the model can be written");
    let (desc, warnings) = from_model(&path, &LoadOptions::default()).expect("it is read");
    assert_eq!(geometries(&desc), ["curves", "curves", "points"]);
    let warning = warnings.to_string();
    assert!(warning.contains("`wires.2`: lines are not shown without a radius"), "{warning}");

    let scene = folder.path().join("scene.kiln");
    let text = "import \"wires.glb\" as model { radius = 0.02; } camera main { }";
    std::fs::write(&scene, text).expect("the scene can be written");
    let (desc, warnings) = load(&scene, &LoadOptions::default()).expect("it is read");
    assert!(warnings.list.is_empty(), "{warnings}");
    assert_eq!(geometries(&desc), ["curves", "curves", "curves", "points"]);
    let GeometryDesc::Points(points) = &desc.shapes[3].geometry else {
        panic!("points")
    };
    assert!(points.vertices().iter().all(|vertex| vertex.w == 0.02));
}
