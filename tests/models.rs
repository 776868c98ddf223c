//! OBJ, MTL and PLY files as other programs write them: whatever form is valid means the same.

use std::fs;
use std::path::Path;

use glam::Vec3;
use renderer::geometry::Mesh;
use renderer::scene::import::{load_obj, parse_ply, read_model};
use renderer::scene::load::{LoadOptions, load};

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
