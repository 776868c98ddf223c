//! OBJ, MTL and PLY importers: all valid forms of a file give the same model.

mod attributes;
mod obj;
mod ply;

use std::f32::consts::FRAC_1_SQRT_2;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use glam::{Affine3A, Vec2, Vec3};
use renderer::geometry::{AttributeDomain, Mesh, MeshAttribute};
use renderer::scene::build::build;
use renderer::scene::desc::{GeometryDesc, SceneDesc};
use renderer::scene::export::{ply_bytes, write_ply};
use renderer::scene::import::{load_obj, load_single, parse_ply, read_model};
use renderer::scene::load::{LoadOptions, load};
use support::scenes::{Look, mean, spot_meter};
use support::stats::Rng;

/// A variant of a file format: its name, and a function that rewrites a plain file.
type Form = (&'static str, fn(&str) -> String);

const OBJ: &str = "\
# a square with colours
mtllib some wood.mtl
v 0 0 0 1 0 0
v 1 0 0 0 1 0
v 1 1 0 0 0 1
v 0 1 0 1 1 1
vt 0 0
vt 1 0
vt 1 1
vt 0 1
vn 0 0 1
o square
usemtl Material #25
f 1/1/1 2/2/1 3/3/1 4/4/1
";

const MTL: &str = "newmtl Material #25\nKd 0.25 0.5 0.75\nmap_Ks\nnewmtl Material #26\nKd 1 0 0\n";

/// The mesh of an OBJ file, and the diffuse colour of its material.
fn obj(text: &[u8], mtl: &[u8]) -> (Mesh, Option<[f32; 3]>) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.obj");
    fs::write(&path, text).unwrap();
    fs::write(directory.path().join("some wood.mtl"), mtl).unwrap();
    let text = String::from_utf8_lossy(text);
    let obj = load_obj(&path).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(obj.warnings, Vec::<String>::new(), "{text}");
    let [part] = &obj.parts[..] else {
        panic!("{} parts of\n{text}", obj.parts.len())
    };
    let material = obj.materials.iter().find(|m| Some(&m.name) == part.material.as_ref());
    (part.mesh.clone(), material.and_then(|m| m.diffuse))
}

/// An L-shaped polygon whose first corner does not see all of it.
const CORNERS: [[f32; 2]; 6] = [[2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0], [0.0, 0.0]];

#[test]
fn concave_polygons_are_triangulated_exactly() {
    let count = CORNERS.len();
    let rows = |before: &str| CORNERS.map(|[x, y]| format!("{before}{x} {y} 0\n")).concat();
    let (of_obj, _) = obj(format!("{}f 1 2 3 4 5 6\n", rows("v ")).as_bytes(), MTL.as_bytes());
    let head = "ply\nformat ascii 1.0\n";
    let vertex = format!("element vertex {count}\nproperty float x\nproperty float y\nproperty float z\n");
    let face = |faces: usize| format!("element face {faces}\nproperty list uchar int vertex_indices\n");
    let end = "end_header\n";
    let polygon = "6 0 1 2 3 4 5\n";
    let plain = format!("{head}{vertex}{}{end}{}{polygon}", face(1), rows(""));
    let faces_first = format!("{head}{}{vertex}{end}{polygon}3 0 1 5\n{}", face(2), rows(""));
    let mut binary = plain.replace("ascii", "binary_little_endian").into_bytes();
    binary.truncate(binary.len() - rows("").len() - polygon.len());
    binary.extend(CORNERS.iter().flat_map(|&[x, y]| [x, y, 0.0]).flat_map(f32::to_le_bytes));
    binary.push(6);
    binary.extend((0..6_i32).flat_map(i32::to_le_bytes));
    for (name, mesh) in [
        ("OBJ", of_obj),
        ("PLY", ply(plain.as_bytes(), "plain")),
        ("PLY, faces first", ply(faces_first.as_bytes(), "faces first")),
        ("binary PLY", ply(&binary, "binary")),
    ] {
        let doubled = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|vertex| mesh.positions[vertex as usize]);
            (b - a).cross(c - a).z
        };
        let areas: Vec<f32> = mesh.triangles.iter().take(4).map(doubled).collect();
        assert!(areas.iter().all(|&area| area >= 0.0), "{name}: {areas:?}");
        assert_eq!(areas.iter().sum::<f32>(), 6.0, "{name}: {areas:?}");
    }
}

const PLY: &str = "\
ply
format ascii 1.0
comment made by hand
element vertex 4
property float x
property float y
property float z
property float quality
element face 1
property list uchar int vertex_indices
end_header
0 0 0 0.5
1 0 0 0.5
1 1 0 0.5
0 1 0 0.5
4 0 1 2 3
";

fn ply(bytes: &[u8], name: &str) -> Mesh {
    parse_ply(bytes, Path::new("a.ply")).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn file_names_may_contain_capitals_blanks_and_unicode() {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in [("Größe 1.OBJ", OBJ), ("a b.Ply", PLY), ("日本 #1.PLY", PLY)] {
        let path = directory.path().join(name);
        fs::write(&path, text).unwrap();
        let model = read_model(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(model.shapes.len(), 1, "{name}");
        load(&path, &LoadOptions::default()).unwrap_or_else(|errors| panic!("{name}: {errors}"));
    }
}

#[test]
fn scenes_may_have_a_byte_order_mark_and_any_line_ends() {
    let directory = tempfile::tempdir().unwrap();
    let text = "// a remark\ncamera main : perspective { from = (0, 0, 5); } // another\n\
                shader a(output closure color c = 0) { c = diffuse(N); }\nmaterial m = a();\nshape s : sphere { material = m; }\n";
    for (name, text) in [
        ("plain", text.to_owned()),
        ("byte-order mark", format!("\u{feff}{text}")),
        ("CRLF", text.replace('\n', "\r\n")),
        ("CR", text.replace('\n', "\r")),
    ] {
        let path = directory.path().join("a.kiln");
        fs::write(&path, text).unwrap();
        let (desc, _) =
            load(&path, &LoadOptions::default()).unwrap_or_else(|errors| panic!("{name}: {errors}"));
        assert_eq!((desc.shapes.len(), desc.cameras.len()), (1, 1), "{name}");
    }
}

/// A pyramid over five vertices, in two groups, with a seam of texture coordinates.
const PYRAMID_OBJ: &str = "\
v 0 0 0
v 2 0 0
v 2 1 0
v 0 1 0.5
v 1 0.5 1
vt 0 0
vt 1 0
vt 1 1
vt 0 0.25
vt 0.5 0.5
g one
f 1/1 2/2 5/5
f 2/3 3/1 5/5
g two
usemtl x
f 3/1 4/2 5/4
f 4/2 1/3 5/5
";

/// The pyramid without the seam.
const PYRAMID_PLY: &str = "\
ply
format ascii 1.0
element vertex 5
property float x
property float y
property float z
property float u
property float v
element face 4
property list uchar int vertex_indices
end_header
0 0 0 0 0
2 0 0 1 0
2 1 0 1 1
0 1 0.5 0 0.25
1 0.5 1 0.5 0.5
3 0 1 4
3 1 2 4
3 2 3 4
3 3 0 4
";

/// Writes files into a folder.
fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(directory.path().join(name), bytes).unwrap();
    }
    directory
}

/// Compares vectors with values of `mi.traverse(mi.load_dict({"type": "obj" or "ply", …}))` of Mitsuba 3.9.1.
fn check_vectors(found: &[Vec3], expected: &[[f32; 3]], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (*found - Vec3::from(*expected)).length();
        assert!(error < 2e-6, "{what}, vertex {index}: {found} is not {expected:?}");
    }
}

#[test]
fn one_mesh_of_a_file_has_mitsubas_vertices_and_normals() {
    let files = folder(&[("a.obj", PYRAMID_OBJ.as_bytes()), ("a.ply", PYRAMID_PLY.as_bytes())]);
    let obj = load_single(&files.path().join("a.obj")).unwrap();
    // Corners with equal indices share a vertex, also across groups.
    assert_eq!(obj.triangles, [[0, 1, 2], [3, 4, 2], [4, 5, 6], [5, 7, 2]]);
    assert!(obj.normals.is_empty());
    let flipped = obj.clone().with_flipped_uvs();
    let uvs: Vec<[f32; 2]> = flipped.uvs.iter().map(|uv| uv.to_array()).collect();
    let expected = [
        [0.0, 1.0],
        [1.0, 1.0],
        [0.5, 0.5],
        [1.0, 0.0],
        [0.0, 1.0],
        [1.0, 1.0],
        [0.0, 0.75],
        [1.0, 0.0],
    ];
    assert_eq!(uvs, expected);
    let normals = obj.clone().with_vertex_normals(&Affine3A::IDENTITY).normals;
    let expected = [
        [0.0, -0.894_427, 0.447_214],
        [0.0, -0.894_427, 0.447_214],
        [0.009_441, -0.678_431, 0.734_603],
        [FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2],
        [0.586_288, 0.317_775, 0.745_175],
        [-0.408_389, 0.091_439, 0.908_217],
        [0.137_361, 0.824_163, 0.549_442],
        [-0.557_086, -0.371_391, 0.742_781],
    ];
    check_vectors(&normals, &expected, "the OBJ file's normals");

    // Angles are those of the transformed mesh. A mirror flips the faces, in Mitsuba also the normals.
    let place = Affine3A::from_scale(Vec3::new(1.0, -2.0, 0.5));
    let normals: Vec<Vec3> = obj.with_vertex_normals(&place).normals;
    let to_world = |n: &Vec3| -(place.matrix3.inverse().transpose() * *n).normalize();
    let normals: Vec<Vec3> = normals.iter().map(to_world).collect();
    let expected = [
        [0.0, -0.447_214, -0.894_427],
        [0.0, -0.447_214, -0.894_427],
        [-0.030_490, -0.201_885, -0.978_935],
        [-0.447_214, 0.0, -0.894_427],
        [-0.295_472, 0.174_196, -0.939_336],
        [0.123_092, 0.123_092, -0.984_732],
        [-0.116_248, 0.348_743, -0.929_981],
        [0.348_743, -0.116_248, -0.929_981],
    ];
    check_vectors(&normals, &expected, "normals of the stretched mesh");

    let ply = load_single(&files.path().join("a.ply")).unwrap();
    let normals = ply.clone().with_vertex_normals(&Affine3A::IDENTITY).normals;
    let expected = [
        [-0.320_903, -0.678_925, 0.660_365],
        [0.513_127, -0.443_478, 0.734_866],
        [0.586_288, 0.317_775, 0.745_175],
        [-0.408_389, 0.091_439, 0.908_217],
        [0.095_081, -0.075_396, 0.992_610],
    ];
    check_vectors(&normals, &expected, "the PLY file's normals");
    assert_eq!(ply.uvs[3].to_array(), [0.0, 0.25]);
}

/// A `.serialized` file of version 4, with a triangle of that size for each number.
fn serialized(sizes: &[f32]) -> Vec<u8> {
    let (mut file, mut table) = (vec![], vec![]);
    for size in sizes {
        table.extend((file.len() as u64).to_le_bytes());
        file.extend([0x1c, 0x04, 4, 0]);
        let mut zlib = flate2::write::ZlibEncoder::new(&mut file, flate2::Compression::default());
        let mut put = |bytes: &[u8]| zlib.write_all(bytes).unwrap();
        put(&0x1000u32.to_le_bytes());
        put(b"\0");
        put(&3u64.to_le_bytes());
        put(&1u64.to_le_bytes());
        for value in [0.0, 0.0, 0.0, *size, 0.0, 0.0, 0.0, *size, 0.0] {
            put(&value.to_le_bytes());
        }
        [0u32, 1, 2].iter().for_each(|index| put(&index.to_le_bytes()));
        zlib.finish().unwrap();
    }
    file.extend(table);
    file.extend((sizes.len() as u32).to_le_bytes());
    file
}

/// The meshes of a scene's shapes, with their names.
fn meshes(desc: &SceneDesc) -> Vec<(&str, &Arc<Mesh>)> {
    let named = desc.shapes.iter().filter_map(|shape| match &shape.geometry {
        GeometryDesc::Mesh(mesh) => Some((&*shape.name, mesh)),
        _ => None,
    });
    named.collect()
}

fn scene(text: &str, directory: &Path) -> Result<SceneDesc, String> {
    let text = format!("camera main : perspective {{ from = (0, 0, 5); }}\n{text}");
    renderer::scene::load::from_text("test.kiln", &text, directory, &LoadOptions::default())
        .map(|(desc, _)| desc)
        .map_err(|errors| errors.to_string())
}

#[test]
fn shapes_select_one_mesh_of_a_serialized_file_and_imports_all() {
    let files = folder(&[("a.serialized", &serialized(&[1.0, 2.0, 3.0]))]);
    let text = "shape x : mesh { file = \"a.serialized\"; }\nshape y : mesh { file = \"a.serialized\"; part = 2; }\n\
                import \"a.serialized\" as all;";
    let desc = scene(text, files.path()).unwrap();
    let sizes: Vec<(&str, f32)> = meshes(&desc)
        .into_iter()
        .map(|(name, mesh)| (name, mesh.positions[1].x))
        .collect();
    let expected = [
        ("all.part0", 1.0),
        ("all.part1", 2.0),
        ("all.part2", 3.0),
        ("x.part0", 1.0),
        ("y.part2", 3.0),
    ];
    assert_eq!(sizes, expected);
    let (alone, _) = load(&files.path().join("a.serialized"), &LoadOptions::default()).unwrap();
    assert_eq!(alone.shapes.len(), 3);
    for part in ["3", "-1", "0.5"] {
        let text = format!("shape x : mesh {{ file = \"a.serialized\"; part = {part}; }}");
        let message = scene(&text, files.path()).expect_err("there is no such part");
        assert!(message.contains("test.kiln:2"), "{message}");
    }
}

/// An STL file with one triangle as a model, as a mesh of a scene, and as an import.
#[test]
fn stl_files_are_models() {
    let text = "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 2 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid t\n";
    let files = folder(&[("Print.STL", text.as_bytes())]);
    let desc = scene(
        "shape x : mesh { file = \"Print.STL\"; }\nimport \"Print.STL\" as all;",
        files.path(),
    )
    .unwrap();
    for (name, mesh) in meshes(&desc) {
        assert!(
            mesh.normals.is_empty() && mesh.positions[1] == Vec3::new(2.0, 0.0, 0.0),
            "{name}"
        );
    }
    let (alone, _) = load(&files.path().join("Print.STL"), &LoadOptions::default()).unwrap();
    assert_eq!(alone.shapes.len(), 1);
    assert!(load_single(&files.path().join("Print.STL")).is_ok());
    let marked = folder(&[("a.stl", format!("\u{feff}{text}").as_bytes())]);
    assert!(load_single(&marked.path().join("a.stl")).is_ok());
}

/// Clones of model repositories contain LFS pointers until their owner fetches the files.
#[test]
fn git_lfs_pointers_are_recognised() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    for name in ["a.stl", "a.ply", "a.obj", "a.glb", "a.gltf", "a.serialized"] {
        let files = folder(&[(name, pointer)]);
        let error = read_model(&files.path().join(name)).expect_err("it is not a model");
        assert!(error.to_string().contains("`git lfs pull`"), "{name}: {error}");
    }
    let image = folder(&[("a.png", pointer)]);
    let error = renderer::image::read(&image.path().join("a.png")).expect_err("it is not an image");
    assert!(error.to_string().contains("`git lfs pull`"), "{error}");
}

/// Lights of a model replace the default light; emissive surfaces do not.
#[test]
fn lights_of_models_replace_the_default_light() {
    for (emission, lights) in [("Ke 0 0 0.1", 1), ("Ke 1 1 1", 1), ("Ke 17 12 4", 0)] {
        let files = folder(&[
            ("a.obj", OBJ.replace("some wood", "a").as_bytes()),
            ("a.mtl", format!("newmtl Material #25\n{emission}\n").as_bytes()),
        ]);
        let (scene, _) = load(&files.path().join("a.obj"), &LoadOptions::default()).unwrap();
        assert_eq!(scene.lights.len(), lights, "{emission}");
    }
}

#[test]
fn shapes_can_modify_normals_and_texture_coordinates() {
    let files = folder(&[("a.ply", PYRAMID_PLY.as_bytes())]);
    let text = "shape a : mesh { file = \"a.ply\"; }\nshape b : mesh { file = \"a.ply\"; smooth = true; flip_uvs = true; }\n\
                shape c : mesh { file = \"a.ply\"; flip_uvs = true; smooth = true; }\n\
                shape d : mesh { file = \"a.ply\"; smooth = true; face_normals = true; }\n";
    let desc = scene(text, files.path()).unwrap();
    let [a, b, c, d] = meshes(&desc)[..] else { panic!("four shapes") };
    assert!(a.1.normals.is_empty() && d.1.normals.is_empty());
    assert_eq!(b.1.normals, a.1.smooth_normals());
    assert_eq!((a.1.uvs[3].y, b.1.uvs[3].y), (0.25, 0.75));
    assert!(Arc::ptr_eq(b.1, c.1), "shapes with the same changes share their mesh");
}

/// A triangle of that size, as text of a PLY file.
fn triangle(size: f32) -> String {
    format!(
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n\
         property list uchar int vertex_indices\nend_header\n0 0 0\n{size:?} 0 0\n0 {size:?} 0\n3 0 1 2\n"
    )
}

#[test]
fn models_of_any_size_are_framed_or_rejected() {
    let sizes: [f32; 6] = [0.0, 1e-30, 1.0, 1e17, 1e19, 3e38];
    for (size, fits) in sizes.into_iter().zip([true, true, true, true, false, false]) {
        let folder = folder(&[("a.ply", triangle(size).as_bytes())]);
        let loaded = load(&folder.path().join("a.ply"), &LoadOptions::default());
        match loaded {
            Ok((desc, _)) => {
                assert!(fits, "{size} is too large");
                let built = build(&desc, None, 1).unwrap_or_else(|error| panic!("{size}: {error}"));
                assert_eq!(built.warnings.list.len(), 0, "{size}: {}", built.warnings);
            }
            Err(error) => {
                assert!(!fits, "{size}: {error}");
                assert!(error.to_string().contains("no camera can be placed"), "{error}");
            }
        }
    }
}

/// A box of an OBJ file, from its lower corner and its size.
fn obj_box(first: usize, [x, y, z]: [f32; 3], [a, b, c]: [f32; 3]) -> String {
    let corner = |i: usize| {
        let at = |bit: usize, low: f32, size: f32| if i & bit == 0 { low } else { low + size };
        format!("v {} {} {}\n", at(1, x, a), at(2, y, b), at(4, z, c))
    };
    let faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    let face = |corners: [usize; 4]| format!("f {}\n", corners.map(|i| (first + i).to_string()).join(" "));
    (0..8).map(corner).chain(faces.map(face)).collect()
}

/// The default camera of a model frames the objects on the ground, even if they are one mesh with it.
#[test]
fn the_default_camera_ignores_grounds_and_skies() {
    let table = || obj_box(1, [20.0, 0.0, -7.0], [1.0, 0.8, 0.5]);
    let ground = |y: f32| obj_box(9, [-50.0, y, -50.0], [100.0, 0.01, 100.0]);
    let tilted = "v -50 -25 -50\nv 50 25 -50\nv 50 25 50\nv -50 -25 50\nf 9 12 11 10\n";
    let sky = obj_box(17, [-900.0, -900.0, -900.0], [1800.0, 1800.0, 1800.0]);
    for text in [
        format!("o table\n{}o ground\n{}", table(), ground(-0.02)),
        // A single mesh.
        format!("{}{}", table(), ground(-0.02)),
        format!("o table\n{}o slope\n{tilted}", table()),
        format!("o table\n{}o ground\n{}o sky\n{sky}", table(), ground(-0.02)),
    ] {
        let folder = folder(&[("a.obj", text.as_bytes())]);
        let (desc, _) = load(&folder.path().join("a.obj"), &LoadOptions::default())
            .unwrap_or_else(|error| panic!("{error}"));
        let camera =
            renderer::camera::Camera::new(&desc.cameras[0].camera, 1280, 720).expect("it is a camera");
        let ends =
            [[20.0, 0.0, -7.0], [21.0, 0.8, -6.5]].map(|p| camera.project(Vec3::from(p)).expect("in front"));
        let is_within = |p: &Vec2| (0.0..1280.0).contains(&p.x) && (0.0..720.0).contains(&p.y);
        assert!(
            ends.iter().all(is_within) && ends[0].distance(ends[1]) > 300.0,
            "{ends:?}: {text}"
        );
    }
    // A floor about as large as the furniture is framed with it.
    let room = format!(
        "o table\n{}o ground\n{}",
        table(),
        obj_box(9, [19.0, -0.1, -8.0], [3.0, 0.01, 3.0])
    );
    let folder = folder(&[("a.obj", room.as_bytes())]);
    let (desc, _) =
        load(&folder.path().join("a.obj"), &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let camera = renderer::camera::Camera::new(&desc.cameras[0].camera, 1280, 720).expect("it is a camera");
    let corners =
        [[19.0, -0.1, -8.0], [22.0, -0.1, -5.0]].map(|p| camera.project(Vec3::from(p)).expect("in front"));
    assert!(corners.iter().all(|p| (0.0..1280.0).contains(&p.x)), "{corners:?}");
}

#[test]
fn errors_of_files_read_in_parallel_are_in_scene_order() {
    let names: Vec<String> = (0..40).map(|i| format!("mesh{i}.ply")).collect();
    let whole = triangle(1.0);
    let wrong = whole.replace("3 0 1 2", "3 0 1 7");
    let content = |i: usize| {
        if i % 3 == 1 { wrong.as_bytes() } else { whole.as_bytes() }
    };
    let files: Vec<(&str, &[u8])> = (0..).zip(&names).map(|(i, name)| (name.as_str(), content(i))).collect();
    let folder = folder(&files);
    let shapes = names.iter().enumerate();
    let text: String = shapes
        .map(|(i, name)| format!("shape s{i} : mesh {{ file = \"{name}\"; }}\n"))
        .collect();
    let error = scene(&text, folder.path()).expect_err("many are wrong");
    let reported: Vec<usize> = names
        .iter()
        .filter_map(|name| error.find(&format!("/{name}: triangle 0 uses vertex 7")))
        .collect();
    assert_eq!(reported.len(), 13, "{error}");
    assert!(reported.is_sorted(), "{error}");
}

#[test]
fn coarsely_rounded_positions_cause_a_warning() {
    let at = |place: [f64; 3]| {
        let corner = |[x, y, z]: [f64; 3]| format!("v {} {} {}\n", place[0] + x, place[1] + y, place[2] + z);
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(corner).concat();
        let folder = folder(&[("a.obj", format!("{corners}f 1 2 3\n").as_bytes())]);
        let model = read_model(&folder.path().join("a.obj")).unwrap_or_else(|error| panic!("{error}"));
        model.warnings.join("\n")
    };
    assert_eq!(at([0.0; 3]), "");
    assert_eq!(at([500.0, -500.0, 0.0]), "");
    // Eastings and northings of a survey.
    let warning = at([500_000.25, 4_649_776.5, 120.0]);
    assert!(
        warning.contains("1 m apart at most, are 4649777.5 m from the origin"),
        "{warning}"
    );
}
