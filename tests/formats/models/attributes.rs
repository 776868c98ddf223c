//! Attributes and vertex colours, in files and in shaders.

use super::*;

/// Radiance of a square in front of a white sky. Its vertices have the given bytes of red, green, blue and alpha.
fn seen_of_colors(colors: &str, square: &str) -> Vec3 {
    let properties = ["red", "green", "blue", "alpha"].map(|name| format!("property uchar {name}"));
    let text = PLY.replace("property float quality", &properties.join("\n"));
    let text = text.replace(" 0.5\n", &format!(" {colors}\n"));
    let folder = folder(&[("a.ply", text.as_bytes())]);
    let desc = scene(&format!("{square}\nlight sky : environment {{}}"), folder.path());
    let built = build(&desc.unwrap_or_else(|errors| panic!("{errors}")), None, 1);
    let camera = spot_meter(Vec3::new(0.5, 0.5, 3.0), Vec3::new(0.5, 0.5, 0.0), 1e-5);
    let look = Look { size: [1, 1], spp: 1024, ..Look::default() };
    let built = built.unwrap_or_else(|errors| panic!("{errors}"));
    let (radiance, _) = mean(&built.scene, &camera, look);
    Vec3::from(radiance.to_array())
}

#[test]
fn vertex_colors_are_the_default_material() {
    let seen = seen_of_colors("255 0 188 51", "import \"a.ply\" as a;");
    let off = seen - Vec3::new(1.0, 0.0, 0.503);
    assert!(off.abs().max_element() < 0.02, "{seen}");
}

#[test]
fn vertex_alpha_is_opacity_if_the_material_blends() {
    for (mode, passes) in [("opaque", 0.0), ("blend", 0.8)] {
        let square = format!(
            "material thin = gltf_pbr(metallic = 0, specular = 0.0, alpha_mode = \"{mode}\");
            shape square : mesh {{ file = \"a.ply\"; material = thin; }}"
        );
        let seen = seen_of_colors("255 0 0 51", &square);
        let off = seen - Vec3::new(1.0, passes, passes);
        assert!(off.abs().max_element() < 0.03, "{mode}: {seen}");
    }
}

const ATTRIBUTES_PLY: &str = "\
ply
format ascii 1.0
element vertex 4
property float x
property float y
property float z
property float r
property float g
property float b
property float heat_0
element face 2
property list uchar int vertex_indices
property float tint_r
property float tint_g
property float tint_b
property float id_0
end_header
-1 -1 0 0.1 0.2 0.3 1
1 -1 0 0.9 0.5 0.1 2
1 1 0 0.3 0.8 0.6 4
-1 1 0 0.7 0.1 0.9 8
3 0 1 2 0.25 0.5 0.75 3
3 0 2 3 0.6 0.4 0.2 7
";

#[test]
fn properties_of_ply_files_become_attributes() {
    let names = |properties: &str| -> Vec<(String, usize)> {
        let properties: Vec<&str> = properties.split(' ').collect();
        let declared: String = properties.iter().map(|name| format!("property float {name}\n")).collect();
        let values: String = (0..properties.len()).map(|i| format!(" {i}")).collect();
        let text = PLY
            .replace("property float quality\n", &declared)
            .replace(" 0.5\n", &format!("{values}\n"));
        let mesh = ply(text.as_bytes(), &declared);
        let attributes = mesh.attributes.iter();
        attributes.map(|a| (a.name.clone(), a.width)).collect()
    };
    let cases: [(&str, &[(&str, usize)]); 8] = [
        ("foo_r foo_g foo_b temp_0", &[("foo_color", 3), ("temp", 1)]),
        ("bar_x bar_y bar_z one_1 q", &[("bar", 3), ("one", 1), ("q", 1)]),
        ("a_b_0 a_b_1 a_b_2", &[("a_b", 3)]),
        ("a_1 a_2 a_3 s_r", &[("a", 3), ("s_color", 1)]),
        ("foo_x foo_y g_0", &[("foo", 2), ("g", 1)]),
        ("foo_x foo_y foo_z foo_w", &[("foo", 4)]),
        // Components in another order or without the first are attributes of their own; `r` and `g` are colours.
        ("foo_y foo_z c_z", &[("foo_y", 1), ("foo_z", 1), ("c_z", 1)]),
        ("_x quality r g", &[("_x", 1), ("quality", 1)]),
    ];
    for (properties, expected) in cases {
        let found = names(properties);
        let found: Vec<(&str, usize)> = found.iter().map(|(name, width)| (name.as_str(), *width)).collect();
        assert_eq!(found, expected, "{properties}");
    }
    let mesh = ply(ATTRIBUTES_PLY.replace("3 0 1 2", "4 0 1 2 3").as_bytes(), "a polygon");
    let id = mesh.attributes.iter().find(|a| a.name == "id").unwrap();
    assert_eq!(id.values, [3.0, 3.0, 7.0], "each triangle of a polygon has its value");
}

/// The radiance at a point of a square of [`ATTRIBUTES_PLY`] with the given emission, without texture filtering.
fn glow(files: &Path, call: &str, [x, y]: [f32; 2]) -> Vec3 {
    let text = format!(
        "group lamp(output closure color surface) {{ attribute_color a({call}); emitter e(radiance = a.result); \
         surface = e.surface; }}\nshape s : mesh {{ file = \"a.ply\"; material = lamp(); }}"
    );
    let desc = scene(&text, files).unwrap_or_else(|errors| panic!("{errors}"));
    let built = build(&desc, None, 1).unwrap_or_else(|errors| panic!("{errors}"));
    let camera = spot_meter(Vec3::new(x, y, 3.0), Vec3::new(x, y, 0.0), 1e-5);
    let look = Look { size: [1, 1], spp: 4, ..Look::default() };
    let (radiance, _) = mean(&built.scene, &camera, look);
    Vec3::from(radiance.to_array())
}

#[test]
fn mesh_attributes_match_mitsuba() {
    let files = folder(&[("a.ply", ATTRIBUTES_PLY.as_bytes())]);
    // `eval` of Mitsuba's texture `mesh_attribute` with `scale` 0.5, by `scene.ray_intersect` from above.
    let points = [[0.5, -0.25], [-0.5, 0.75], [-0.9, -0.95], [0.1, 0.9]];
    let cases = [
        (
            "vertex_color",
            [
                [0.2375, 0.26875, 0.16875],
                [0.2625, 0.14375, 0.375],
                [0.0625, 0.11125, 0.15125],
                [0.225, 0.245, 0.3525],
            ],
        ),
        ("vertex_heat", [[1.25; 3], [3.0625; 3], [0.55; 3], [2.725; 3]]),
        (
            "face_tint_color",
            [[0.125, 0.25, 0.375], [0.3, 0.2, 0.1], [0.125, 0.25, 0.375], [0.3, 0.2, 0.1]],
        ),
        ("face_id", [[1.5; 3], [3.5; 3], [1.5; 3], [3.5; 3]]),
    ];
    for (name, values) in cases {
        for (point, expected) in points.into_iter().zip(values) {
            let found = glow(files.path(), &format!("name = \"{name}\", scale = 0.5"), point);
            let error = (found - Vec3::from(expected)).abs().max_element();
            assert!(error < 2e-5, "{name} at {point:?}: {found} is not {expected:?}");
        }
    }
    // By the name without its prefix; and an unknown name.
    assert_eq!(glow(files.path(), "name = \"id\"", points[0]), Vec3::splat(3.0));
    let missing = glow(files.path(), "name = \"vertex_id\", missing = (1, 2, 3)", points[0]);
    assert_eq!(missing, Vec3::new(1.0, 2.0, 3.0));
}
