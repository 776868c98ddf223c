//! Generated tangents of files without tangents.

use glam::{Vec2, Vec3};
use renderer::geometry::Mesh;
use serde_json::json;

use super::{Glb, plain};

/// A strip of two squares along x with these positions, normals and texture coordinates (v upwards), with a material
/// that needs tangents.
fn strip(vertices: [(Vec3, Vec3, Vec2); 6]) -> Glb {
    let mut glb = plain();
    let list =
        |part: fn(&(Vec3, Vec3, Vec2)) -> Vec<f32>| vertices.iter().flat_map(part).collect::<Vec<f32>>();
    let positions = glb.floats("VEC3", &list(|v| v.0.to_array().to_vec()));
    let normals = glb.floats("VEC3", &list(|v| v.1.to_array().to_vec()));
    let uvs = glb.floats("VEC2", &list(|v| vec![v.2.x, 1.0 - v.2.y]));
    let indices = glb.integers(5121, &[0, 2, 1, 1, 2, 3, 2, 4, 3, 3, 4, 5], 12);
    glb.json["extensionsUsed"] = json!(["KHR_materials_anisotropy"]);
    glb.json["materials"] =
        json!([{ "extensions": { "KHR_materials_anisotropy": { "anisotropyStrength": 0.5 } } }]);
    glb.json["meshes"] = json!([{ "primitives": [{
        "attributes": { "POSITION": positions, "NORMAL": normals, "TEXCOORD_0": uvs, "TEXCOORD_2": uvs },
        "indices": indices,
        "material": 0,
    }] }]);
    glb
}

fn value(mesh: &Mesh, name: &str, index: u32) -> Vec3 {
    let attribute = mesh.attributes.iter().find(|attribute| attribute.name == name);
    let [x, y, z, _] = attribute.expect(name).value(index as usize);
    Vec3::new(x, y, z)
}

/// A flat strip whose texture is mirrored about its middle.
fn mirrored() -> Glb {
    strip([0, 1, 2, 3, 4, 5].map(|i| {
        let p = Vec3::new((i / 2) as f32 - 1.0, (i % 2) as f32, 0.0);
        (p, Vec3::Z, Vec2::new(p.x.abs(), p.y))
    }))
}

#[test]
fn vertices_at_seams_of_mirrored_textures_are_split() {
    let model = mirrored().read().expect("it is valid");
    let mesh = &model.shapes[0].mesh;
    assert_eq!(mesh.positions.len(), 8, "both vertices of the seam are there twice");
    for (triangle, side) in mesh.triangles.iter().zip([-1.0, -1.0, 1.0, 1.0]) {
        for &index in triangle {
            assert!(value(mesh, "tangent", index).distance(side * Vec3::X) < 1e-5);
            assert!(value(mesh, "bitangent", index).distance(Vec3::Y) < 1e-5);
            let uv = mesh.uvs[index as usize];
            assert_eq!(value(mesh, "uv3", index), uv.extend(0.0));
            assert_eq!(uv, mesh.positions[index as usize].abs().truncate());
        }
    }
}

#[test]
fn tangents_of_curved_surfaces_average_adjacent_faces() {
    let angles = [-0.5f32, -0.5, 0.0, 0.0, 0.5, 0.5];
    let mut side = 1.0;
    let glb = strip(angles.map(|a| {
        side = 1.0 - side;
        let normal = Vec3::new(a.sin(), 0.0, a.cos());
        (normal.with_y(side), normal, Vec2::new(a, side))
    }));
    let model = glb.read().expect("it is valid");
    let mesh = &model.shapes[0].mesh;
    assert_eq!(mesh.positions.len(), 6);
    for (index, a) in (0..).zip(angles) {
        let expected = Vec3::new(a.cos(), 0.0, -a.sin());
        let tangent = value(mesh, "tangent", index);
        assert!(tangent.distance(expected) < 1e-5, "{tangent}, not {expected}");
    }
}

#[test]
fn tangents_are_generated_only_if_needed() {
    let without = |part: &str| {
        let mut glb = mirrored();
        let primitive = &mut glb.json["meshes"][0]["primitives"][0];
        let parts = if part == "material" {
            primitive
        } else {
            &mut primitive["attributes"]
        };
        parts.as_object_mut().expect("it is one").remove(part);
        glb
    };
    for part in ["NORMAL", "TEXCOORD_0", "material"] {
        let model = without(part).read().expect("it is valid");
        let mesh = &model.shapes[0].mesh;
        assert_eq!(mesh.positions.len(), 6, "{part}");
        let is_tangent = |name: &str| name.ends_with("tangent");
        assert!(!mesh.attributes.iter().any(|attribute| is_tangent(&attribute.name)), "{part}");
    }
}
