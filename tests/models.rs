//! OBJ, MTL and PLY importers: all valid forms of a file give the same model.

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

/// A way to write a file: its name, and what it makes of a plain one.
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
    let material = obj
        .materials
        .iter()
        .find(|m| Some(&m.name) == part.material.as_ref());
    (part.mesh.clone(), material.and_then(|m| m.diffuse))
}

#[test]
fn obj_files_mean_the_same_however_they_are_written() {
    let expected = obj(OBJ.as_bytes(), MTL.as_bytes());
    assert_eq!(
        expected.0.positions,
        [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y]
    );
    assert_eq!(expected.1, Some([0.25, 0.5, 0.75]));
    let forms: [Form; 11] = [
        ("byte-order mark", |text| format!("\u{feff}{text}")),
        ("CRLF", |text| text.replace('\n', "\r\n")),
        ("CR", |text| text.replace('\n', "\r")),
        ("CR after a mark", |text| {
            format!("\u{feff}{}", text.replace('\n', "\r"))
        }),
        ("tabs and blanks", |text| {
            text.replace("v ", "\tv\t  ")
                .replace("f ", "  f \t ")
                .replace("Kd ", "\tKd\t")
        }),
        ("blank lines", |text| text.replace('\n', "\n\n   \n")),
        ("no end of the last line", |text| text.trim_end().to_owned()),
        ("lines that go on", |text| text.replace(" 3/3/1", " \\\n 3/3/1")),
        ("indices from the end", |text| {
            text.replace(
                "f 1/1/1 2/2/1 3/3/1 4/4/1",
                "f -4/-4/-1 -3/-3/-1 -2/-2/-1 -1/-1/-1",
            )
        }),
        ("comments after numbers", |text| {
            text.replace("\nvt ", " #a\nvt ")
                .replace("f 1/1/1", "f  1/1/1")
                .replace("4/4/1", "4/4/1# b")
        }),
        ("weights before colours", |text| {
            let weigh = |line: &str| match line
                .strip_prefix("v ")
                .map(|rest| rest.split(' ').collect::<Vec<_>>())
            {
                Some(w) => format!("v {} {} {} 1.0 {} {} {}", w[0], w[1], w[2], w[3], w[4], w[5]),
                None => line.to_owned(),
            };
            text.lines().map(|line| weigh(line) + "\n").collect()
        }),
    ];
    for (name, form) in forms {
        assert!(form(OBJ) != OBJ, "{name} changes nothing");
        assert_eq!(obj(form(OBJ).as_bytes(), MTL.as_bytes()), expected, "OBJ: {name}");
        assert_eq!(obj(OBJ.as_bytes(), form(MTL).as_bytes()), expected, "MTL: {name}");
    }
    let latin1: Vec<u8> = OBJ
        .replace("a square", "ein Viereck, sch@n")
        .bytes()
        .map(|b| if b == b'@' { 0xf6 } else { b })
        .collect();
    assert_eq!(obj(&latin1, MTL.as_bytes()), expected, "Latin-1");
}

#[test]
fn obj_faces_have_any_number_of_corners() {
    let count = 1000;
    let corner = |i: usize| (i as f32 / count as f32 * std::f32::consts::TAU).sin_cos();
    let vertices: String = (0..count)
        .map(|i| format!("v {} {} 0\n", corner(i).0, corner(i).1))
        .collect();
    let face: String = (1..=count).map(|i| format!(" {i}")).collect();
    let (mesh, _) = obj(format!("{vertices}f{face}\n").as_bytes(), MTL.as_bytes());
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (count, count - 2));
}

/// An L whose first corner does not see all of it.
const CORNERS: [[f32; 2]; 6] = [
    [2.0, 0.0],
    [2.0, 1.0],
    [1.0, 1.0],
    [1.0, 2.0],
    [0.0, 2.0],
    [0.0, 0.0],
];

#[test]
fn concave_polygons_are_filled_and_no_more() {
    let count = CORNERS.len();
    let rows = |before: &str| CORNERS.map(|[x, y]| format!("{before}{x} {y} 0\n")).concat();
    let (of_obj, _) = obj(
        format!("{}f 1 2 3 4 5 6\n", rows("v ")).as_bytes(),
        MTL.as_bytes(),
    );
    let head = "ply\nformat ascii 1.0\n";
    let vertex = format!("element vertex {count}\nproperty float x\nproperty float y\nproperty float z\n");
    let face = |faces: usize| format!("element face {faces}\nproperty list uchar int vertex_indices\n");
    let end = "end_header\n";
    let polygon = "6 0 1 2 3 4 5\n";
    let plain = format!("{head}{vertex}{}{end}{}{polygon}", face(1), rows(""));
    let faces_first = format!("{head}{}{vertex}{end}{polygon}3 0 1 5\n{}", face(2), rows(""));
    let mut binary = plain.replace("ascii", "binary_little_endian").into_bytes();
    binary.truncate(binary.len() - rows("").len() - polygon.len());
    binary.extend(
        CORNERS
            .iter()
            .flat_map(|&[x, y]| [x, y, 0.0])
            .flat_map(f32::to_le_bytes),
    );
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

#[test]
fn materials_of_obj_files_have_their_opacity() {
    let folder = folder(&[
        ("a.obj", OBJ.replace("some wood", "a").as_bytes()),
        ("mask.png", b"an image"),
        ("wood.png", b"an image"),
    ]);
    let cases: [(&str, Option<&str>, bool); 8] = [
        ("", None, false),
        ("d 0.25", Some("alpha = 0.25"), false),
        ("Tr 0.25", Some("alpha = 0.75"), false),
        // What `d` says counts, wherever it stands.
        ("d 0.25\nTr 0", Some("alpha = 0.25"), false),
        ("Tr 1\nd 1", None, false),
        // Programs that mean the opacity.
        ("Tr 1", None, true),
        ("map_d -imfchan m mask.png", Some("mask.png#raw"), false),
        (
            "map_Kd wood.png\nmap_d wood.png",
            Some("alpha_mode = \"blend\""),
            false,
        ),
    ];
    for (lines, expected, warns) in cases {
        fs::write(
            folder.path().join("a.mtl"),
            format!("newmtl Material #25\n{lines}\n"),
        )
        .unwrap();
        let model = read_model(&folder.path().join("a.obj")).unwrap_or_else(|error| panic!("{error}"));
        let call = &model.materials[0].call;
        assert!(expected.is_none_or(|text| call.contains(text)), "{lines}: {call}");
        assert_eq!(call.contains("alpha"), expected.is_some(), "{lines}: {call}");
        assert_eq!(!model.warnings.is_empty(), warns, "{lines}: {:?}", model.warnings);
    }
}

/// What is seen of a square whose vertices have the given bytes of red, green, blue and alpha, before a white sky.
fn seen_of_colors(colors: &str, square: &str) -> Vec3 {
    let properties = ["red", "green", "blue", "alpha"].map(|name| format!("property uchar {name}"));
    let text = PLY.replace("property float quality", &properties.join("\n"));
    let text = text.replace(" 0.5\n", &format!(" {colors}\n"));
    let folder = folder(&[("a.ply", text.as_bytes())]);
    let desc = scene(&format!("{square}\nlight sky : environment {{}}"), folder.path());
    let built = build(&desc.unwrap_or_else(|errors| panic!("{errors}")), None, 1);
    let camera = spot_meter(Vec3::new(0.5, 0.5, 3.0), Vec3::new(0.5, 0.5, 0.0), 1e-5);
    let look = Look {
        size: [1, 1],
        spp: 1024,
        ..Look::default()
    };
    let built = built.unwrap_or_else(|errors| panic!("{errors}"));
    let (radiance, _) = mean(&built.scene, &camera, look);
    Vec3::from(radiance.to_array())
}

#[test]
fn vertex_colors_show_where_there_is_no_material() {
    let seen = seen_of_colors("255 0 188 51", "import \"a.ply\" as a;");
    let off = seen - Vec3::new(1.0, 0.0, 0.503);
    assert!(off.abs().max_element() < 0.02, "{seen}");
}

#[test]
fn the_alpha_of_vertex_colors_lets_light_pass_where_the_material_blends() {
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
fn ply_files_mean_the_same_however_they_are_written() {
    let expected = ply(PLY.as_bytes(), "as it is");
    assert_eq!(expected.triangles, [[0, 1, 2], [0, 2, 3]]);
    let forms: [Form; 15] = [
        ("byte-order mark", |text| format!("\u{feff}{text}")),
        ("CRLF", |text| text.replace('\n', "\r\n")),
        ("CR", |text| text.replace('\n', "\r")),
        ("tabs and blanks", |text| {
            text.replace("element ", "element\t  ")
                .replace("0 0.5", "0 \t0.5  ")
        }),
        ("blank lines", |text| {
            text.replace("format", "\nformat").replace("\n1 0 0", "\n\n1 0 0")
        }),
        ("blanks at the ends of lines", |text| text.replace('\n', "  \n")),
        ("no end of the last line", |text| text.trim_end().to_owned()),
        ("obj_info", |text| {
            text.replace("comment made by hand", "obj_info num_cols 5\ncomment\nobj_info")
        }),
        ("other names of types", |text| {
            text.replace("float x", "float32 x")
                .replace("uchar int", "uint8 uint32")
        }),
        ("doubles and shorts", |text| {
            text.replace("float y", "double y")
                .replace("uchar int", "int short")
        }),
        ("the other name of the list", |text| {
            text.replace("vertex_indices", "vertex_index")
        }),
        ("more elements", |text| {
            text.replace(
                "element face",
                "element camera 1\nproperty list uchar float view\nproperty int id\nelement face",
            )
            .replace("4 0 1 2 3", "3 0.5 1 2 7\n4 0 1 2 3")
        }),
        ("more lists", |text| {
            text.replace(
                "end_header",
                "property list uchar float texcoord\nproperty int texnumber\nend_header",
            )
            .replace("4 0 1 2 3", "4 0 1 2 3 8 0 0 1 0 1 1 0 1 5")
        }),
        ("lists of nothing", |text| {
            text.replace("end_header", "property list uchar float texcoord\nend_header")
                .replace("4 0 1 2 3", "4 0 1 2 3 0")
        }),
        ("numbers with and without digits", |text| {
            text.replace("1 1 0 0.5", "1.0e0 +1 -0.0 5E-1")
        }),
    ];
    for (name, form) in forms {
        assert!(form(PLY) != PLY, "{name} changes nothing");
        assert_eq!(ply(form(PLY).as_bytes(), name), expected, "{name}");
    }
    let latin1: Vec<u8> = PLY
        .replace("by hand", "@")
        .bytes()
        .map(|b| if b == b'@' { 0xf6 } else { b })
        .collect();
    assert_eq!(ply(&latin1, "Latin-1"), expected);
}

#[test]
fn binary_ply_headers_end_as_their_lines_do() {
    let header = PLY.split("0 0 0 0.5").next().expect("it has one");
    for (name, big) in [("binary_little_endian", false), ("binary_big_endian", true)] {
        // The first byte after the header is that of a line feed.
        let x = f32::from_le_bytes([b'\n', b'\r', b'\n', 0x3f]);
        let x = if big {
            f32::from_bits(x.to_bits().swap_bytes())
        } else {
            x
        };
        let mut data = vec![];
        let mut put = |bytes: &[u8]| {
            let bytes = bytes.iter().copied();
            if big {
                data.extend(bytes.rev());
            } else {
                data.extend(bytes);
            }
        };
        for v in [[x, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]] {
            v.iter().chain([&0.5]).for_each(|c| put(&c.to_le_bytes()));
        }
        put(&[4]);
        (0..4).for_each(|i: i32| put(&i.to_le_bytes()));
        for end in ["\n", "\r\n"] {
            let mut file = header.replace("ascii", name).replace('\n', end).into_bytes();
            file.extend(&data);
            let mesh = ply(&file, name);
            assert_eq!(
                (mesh.positions[0].x, mesh.triangles.len()),
                (x, 2),
                "{name} {end:?}"
            );
        }
    }
}

#[test]
fn names_of_files_may_have_capitals_blanks_and_letters_of_all_kinds() {
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
fn scene_texts_may_begin_with_a_mark_and_end_lines_in_any_way() {
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

/// The same without the seam.
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

/// Holds vectors to what `mi.traverse(mi.load_dict({"type": "obj" or "ply", …}))` of Mitsuba 3.9.1 gives.
fn check_vectors(found: &[Vec3], expected: &[[f32; 3]], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (*found - Vec3::from(*expected)).length();
        assert!(
            error < 2e-6,
            "{what}, vertex {index}: {found} is not {expected:?}"
        );
    }
}

#[test]
fn one_mesh_of_a_file_has_mitsubas_vertices_and_normals() {
    let files = folder(&[
        ("a.obj", PYRAMID_OBJ.as_bytes()),
        ("a.ply", PYRAMID_PLY.as_bytes()),
    ]);
    let obj = load_single(&files.path().join("a.obj")).unwrap();
    // Corners of equal indices share a vertex, across groups.
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

    // Angles are those of the mesh where it is. A mirror turns the faces, in Mitsuba the normals too.
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
    SceneDesc::from_text("test.kiln", &text, directory, &LoadOptions::default())
        .map(|(desc, _)| desc)
        .map_err(|errors| errors.to_string())
}

#[test]
fn shapes_take_one_mesh_of_a_serialized_file_and_imports_all() {
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

#[test]
fn shapes_change_normals_and_texture_coordinates_of_their_files() {
    let files = folder(&[("a.ply", PYRAMID_PLY.as_bytes())]);
    let text = "shape a : mesh { file = \"a.ply\"; }\nshape b : mesh { file = \"a.ply\"; smooth = true; flip_uvs = true; }\n\
                shape c : mesh { file = \"a.ply\"; flip_uvs = true; smooth = true; }\n\
                shape d : mesh { file = \"a.ply\"; smooth = true; face_normals = true; }\n";
    let desc = scene(text, files.path()).unwrap();
    let [a, b, c, d] = meshes(&desc)[..] else {
        panic!("four shapes")
    };
    assert!(a.1.normals.is_empty() && d.1.normals.is_empty());
    assert_eq!(b.1.normals, a.1.smooth_normals());
    assert_eq!((a.1.uvs[3].y, b.1.uvs[3].y), (0.25, 0.75));
    assert!(
        Arc::ptr_eq(b.1, c.1),
        "shapes with the same changes share their mesh"
    );
}

/// A mesh of random numbers with random attributes.
fn random_mesh(rng: &mut Rng) -> Mesh {
    let below = |rng: &mut Rng, n: u64| (rng.next_u64() % n) as usize;
    let (vertices, triangles) = (1 + below(rng, 9), 1 + below(rng, 9));
    let float = |rng: &mut Rng| loop {
        // Any bits that are a number: tiny ones, huge ones, both zeros.
        let number = f32::from_bits(rng.next_u64() as u32);
        if number.is_finite() {
            return number;
        }
    };
    let mut list = |count: usize| -> Vec<f32> {
        let some = rng.next_u64().is_multiple_of(2);
        (0..if some { count } else { 0 }).map(|_| float(rng)).collect()
    };
    let vec2s = |values: Vec<f32>| values.chunks_exact(2).map(Vec2::from_slice).collect();
    let vec3s = |values: Vec<f32>| values.chunks_exact(3).map(Vec3::from_slice).collect();
    let mut mesh = Mesh {
        normals: vec3s(list(3 * vertices)),
        uvs: vec2s(list(2 * vertices)),
        uvs2: vec2s(list(2 * vertices)),
        colors: list(4 * vertices)
            .chunks_exact(4)
            .map(|c| [c[0], c[1], c[2], c[3]])
            .collect(),
        ..Mesh::default()
    };
    for (name, domain, width) in [
        ("heat", AttributeDomain::Vertex, 1),
        ("tint_color", AttributeDomain::Vertex, 3),
        ("tint_color", AttributeDomain::Face, 3),
        ("color", AttributeDomain::Face, 3),
        ("id_0", AttributeDomain::Face, 1),
    ] {
        let count = if domain == AttributeDomain::Vertex {
            vertices
        } else {
            triangles
        };
        let values = list(width * count);
        if !values.is_empty() {
            mesh.attributes.push(MeshAttribute {
                name: name.to_owned(),
                domain,
                width,
                values,
            });
        }
    }
    mesh.positions = (0..vertices)
        .map(|_| Vec3::new(float(rng), float(rng), float(rng)))
        .collect();
    mesh.triangles = (0..triangles)
        .map(|_| [(); 3].map(|()| below(rng, vertices as u64) as u32))
        .collect();
    mesh.validate().expect("all numbers are finite")
}

#[test]
fn strips_of_ply_files_are_the_faces_they_stand_for() {
    let square = |element: &str| {
        let header =
            "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n";
        let text = format!("{header}{element}0 0 0\n1 0 0\n0 1 0\n1 1 0\n");
        text.into_bytes()
    };
    let read = |element: &str, rows: &str| {
        let text = [&square(element)[..], rows.as_bytes()].concat();
        parse_ply(&text, Path::new("a.ply"))
    };
    let faces = read(
        "element face 2\nproperty list uchar int vertex_indices\nend_header\n",
        "3 0 1 2\n3 2 1 3\n",
    );
    let strips = "element tristrips 1\nproperty list int int vertex_indices\nend_header\n";
    let found = read(strips, "5 0 1 2 3 -1\n").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        found.triangles,
        faces.unwrap_or_else(|error| panic!("{error}")).triangles
    );
    for (rows, words) in [("4 0 1 2 -7\n", "not whole numbers from 0"), ("4 0 1 2 9\n", "9")] {
        let error = read(strips, rows).expect_err("no such vertex").to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn written_ply_files_read_back_bit_for_bit() {
    let mut rng = Rng::new(1);
    for round in 0..2000 {
        let mesh = random_mesh(&mut rng);
        let bytes = ply_bytes(&mesh);
        let read = ply(&bytes, "written");
        assert_eq!(read, mesh, "round {round}");
        assert_eq!(
            ply_bytes(&read),
            bytes,
            "round {round}: a zero has changed its sign"
        );
    }
    let directory = tempfile::tempdir().unwrap();
    let (path, mesh) = (directory.path().join("a.ply"), random_mesh(&mut rng));
    write_ply(&path, &mesh).unwrap();
    assert_eq!(load_single(&path).unwrap(), mesh);
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
fn properties_of_ply_files_become_attributes_by_mitsubas_names() {
    let names = |properties: &str| -> Vec<(String, usize)> {
        let properties: Vec<&str> = properties.split(' ').collect();
        let declared: String = properties
            .iter()
            .map(|name| format!("property float {name}\n"))
            .collect();
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
        ("bar_x bar_y bar_z one_1 q", &[("bar", 3), ("one", 1)]),
        ("a_b_0 a_b_1 a_b_2", &[("a_b", 3)]),
        ("a_1 a_2 a_3 s_r", &[("a", 3), ("s_color", 1)]),
        // Two or four numbers are none, nor are those in another order, or from the middle.
        ("foo_x foo_y g_0", &[("g", 1)]),
        ("foo_x foo_y foo_z foo_w", &[]),
        ("foo_y foo_z c_z", &[]),
        ("_x quality r g", &[]),
    ];
    for (properties, expected) in cases {
        let found = names(properties);
        let found: Vec<(&str, usize)> = found
            .iter()
            .map(|(name, width)| (name.as_str(), *width))
            .collect();
        assert_eq!(found, expected, "{properties}");
    }
    let mesh = ply(
        ATTRIBUTES_PLY.replace("3 0 1 2", "4 0 1 2 3").as_bytes(),
        "a polygon",
    );
    let id = mesh.attributes.iter().find(|a| a.name == "id").unwrap();
    assert_eq!(
        id.values,
        [3.0, 3.0, 7.0],
        "each triangle of a polygon has its value"
    );
}

/// The radiance of a square of [`ATTRIBUTES_PLY`] that glows by that expression, at a point, without interpolating texels.
fn glow(files: &Path, call: &str, [x, y]: [f32; 2]) -> Vec3 {
    let text = format!(
        "group lamp(output closure color surface) {{ attribute_color a({call}); emitter e(radiance = a.result); \
         surface = e.surface; }}\nshape s : mesh {{ file = \"a.ply\"; material = lamp(); }}"
    );
    let desc = scene(&text, files).unwrap_or_else(|errors| panic!("{errors}"));
    let built = build(&desc, None, 1).unwrap_or_else(|errors| panic!("{errors}"));
    let camera = spot_meter(Vec3::new(x, y, 3.0), Vec3::new(x, y, 0.0), 1e-5);
    let look = Look {
        size: [1, 1],
        spp: 4,
        ..Look::default()
    };
    let (radiance, _) = mean(&built.scene, &camera, look);
    Vec3::from(radiance.to_array())
}

#[test]
fn attributes_of_meshes_reach_shaders_as_in_mitsuba() {
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
            [
                [0.125, 0.25, 0.375],
                [0.3, 0.2, 0.1],
                [0.125, 0.25, 0.375],
                [0.3, 0.2, 0.1],
            ],
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
    // By the bare name, and none of that name.
    assert_eq!(glow(files.path(), "name = \"id\"", points[0]), Vec3::splat(3.0));
    let missing = glow(
        files.path(),
        "name = \"vertex_id\", missing = (1, 2, 3)",
        points[0],
    );
    assert_eq!(missing, Vec3::new(1.0, 2.0, 3.0));
}

/// A triangle of that size, as text of a PLY file.
fn triangle(size: f32) -> String {
    format!(
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n\
         property list uchar int vertex_indices\nend_header\n0 0 0\n{size:?} 0 0\n0 {size:?} 0\n3 0 1 2\n"
    )
}

#[test]
fn models_of_any_size_are_framed_or_refused() {
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

#[test]
fn files_are_read_at_once_and_mistakes_told_in_the_order_of_the_scene() {
    let names: Vec<String> = (0..40).map(|i| format!("mesh{i}.ply")).collect();
    let whole = triangle(1.0);
    let wrong = whole.replace("3 0 1 2", "3 0 1 7");
    let content = |i: usize| {
        if i % 3 == 1 {
            wrong.as_bytes()
        } else {
            whole.as_bytes()
        }
    };
    let files: Vec<(&str, &[u8])> = (0..)
        .zip(&names)
        .map(|(i, name)| (name.as_str(), content(i)))
        .collect();
    let folder = folder(&files);
    let shapes = names.iter().enumerate();
    let text: String = shapes
        .map(|(i, name)| format!("shape s{i} : mesh {{ file = \"{name}\"; }}\n"))
        .collect();
    let error = scene(&text, folder.path()).expect_err("many are wrong");
    let told: Vec<usize> = names
        .iter()
        .filter_map(|name| error.find(&format!("/{name}: triangle 0 uses vertex 7")))
        .collect();
    assert_eq!(told.len(), 13, "{error}");
    assert!(told.is_sorted(), "{error}");
}
