//! PLY files: faces and strips, headers, and round trips.

use super::*;

#[test]
fn all_variants_of_ply_files_give_the_same_mesh() {
    let expected = ply(PLY.as_bytes(), "as it is");
    assert_eq!(expected.triangles, [[0, 1, 2], [0, 2, 3]]);
    let forms: [Form; 18] = [
        ("byte-order mark", |text| format!("\u{feff}{text}")),
        ("CRLF", |text| text.replace('\n', "\r\n")),
        ("CR", |text| text.replace('\n', "\r")),
        ("tabs and blanks", |text| {
            text.replace("element ", "element\t  ").replace("0 0.5", "0 \t0.5  ")
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
            text.replace("float x", "float32 x").replace("uchar int", "uint8 uint32")
        }),
        ("doubles and shorts", |text| {
            text.replace("float y", "double y").replace("uchar int", "int short")
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
                "property list uchar float weights\nproperty int texnumber\nend_header",
            )
            .replace("4 0 1 2 3", "4 0 1 2 3 8 0 0 1 0 1 1 0 1 5")
        }),
        ("lists of nothing", |text| {
            text.replace("end_header", "property list uchar float texcoord\nend_header")
                .replace("4 0 1 2 3", "4 0 1 2 3 0")
        }),
        ("an indented header", |text| {
            let (header, rest) = text.split_once("end_header").expect("it has one");
            format!("{}\n \tend_header{rest}", header.trim_end().replace('\n', "\n  "))
        }),
        ("properties of the same name", |text| {
            text.replace(
                "float x",
                "float x\nproperty uchar pad_2\nproperty uchar pad\nproperty uchar pad",
            )
            .replace("\n0 0 0 0.5", "\n0 7 8 9 0 0 0.5")
            .replace("\n1 0 0 0.5", "\n1 7 8 9 0 0 0.5")
            .replace("\n1 1 0 0.5", "\n1 7 8 9 1 0 0.5")
            .replace("\n0 1 0 0.5", "\n0 7 8 9 1 0 0.5")
        }),
        ("lists of the same name", |text| {
            text.replace("end_header", "property uchar flag\nproperty list uchar int flag\nend_header")
                .replace("4 0 1 2 3", "4 0 1 2 3 7 2 5 6")
        }),
        ("numbers with and without digits", |text| {
            text.replace("1 1 0 0.5", "1.0e0 +1 -0.0 5E-1")
        }),
    ];
    for (name, form) in forms {
        assert!(form(PLY) != PLY, "{name} changes nothing");
        let mut found = ply(form(PLY).as_bytes(), name);
        // Properties with other names are attributes of their own.
        let is_known = |name: &str| expected.attributes.iter().any(|own| own.name == name);
        found.attributes.retain(|attribute| is_known(&attribute.name));
        assert_eq!(found, expected, "{name}");
    }
    let latin1: Vec<u8> = PLY
        .replace("by hand", "@")
        .bytes()
        .map(|b| if b == b'@' { 0xf6 } else { b })
        .collect();
    assert_eq!(ply(&latin1, "Latin-1"), expected);
}

#[test]
fn binary_ply_headers_end_with_any_line_end() {
    let header = PLY.split("0 0 0 0.5").next().expect("it has one");
    for (name, big) in [("binary_little_endian", false), ("binary_big_endian", true)] {
        // The first byte after the header equals a line feed.
        let x = f32::from_le_bytes([b'\n', b'\r', b'\n', 0x3f]);
        let x = if big { f32::from_bits(x.to_bits().swap_bytes()) } else { x };
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
            assert_eq!((mesh.positions[0].x, mesh.triangles.len()), (x, 2), "{name} {end:?}");
        }
    }
}

/// A random mesh with random attributes.
fn random_mesh(rng: &mut Rng) -> Mesh {
    let below = |rng: &mut Rng, n: u64| (rng.next_u64() % n) as usize;
    let (vertices, triangles) = (1 + below(rng, 9), 1 + below(rng, 9));
    let float = |rng: &mut Rng| loop {
        // Any finite bit pattern: denormals, huge numbers, both zeros.
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
        colors: list(4 * vertices).chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]).collect(),
        ..Mesh::default()
    };
    for (name, domain, width) in [
        ("heat", AttributeDomain::Vertex, 1),
        ("tint_color", AttributeDomain::Vertex, 3),
        ("tint_color", AttributeDomain::Face, 3),
        ("color", AttributeDomain::Face, 3),
        ("id_0", AttributeDomain::Face, 1),
    ] {
        let count = if domain == AttributeDomain::Vertex { vertices } else { triangles };
        let values = list(width * count);
        if !values.is_empty() {
            mesh.attributes.push(MeshAttribute {
                name: name.to_owned(),
                domain,
                width,
                values,
                properties: (0..width).map(|i| format!("{name}_{i}")).collect(),
            });
        }
    }
    mesh.positions = (0..vertices).map(|_| Vec3::new(float(rng), float(rng), float(rng))).collect();
    mesh.triangles = (0..triangles)
        .map(|_| [(); 3].map(|()| below(rng, vertices as u64) as u32))
        .collect();
    mesh.validate().expect("all numbers are finite")
}

#[test]
fn ply_strips_become_triangles() {
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
    assert_eq!(found.triangles, faces.unwrap_or_else(|error| panic!("{error}")).triangles);
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
        assert_eq!(ply_bytes(&read), bytes, "round {round}: a zero has changed its sign");
    }
    let directory = tempfile::tempdir().unwrap();
    let (path, mesh) = (directory.path().join("a.ply"), random_mesh(&mut rng));
    write_ply(&path, &mesh).unwrap();
    assert_eq!(load_single(&path).unwrap(), mesh);
}

#[test]
fn texture_coordinates_of_corners_split_vertices() {
    let text = |faces: &str| {
        format!(
            "ply\nformat ascii 1.0\nelement face 3\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\n\
             element vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\n\
             property uchar green\nproperty uchar blue\nproperty float heat_0\nend_header\n{faces}\n\
             0 0 0 0 0 0 0\n1 0 0 255 0 0 1\n1 1 0 0 255 0 2\n0 1 0 0 0 255 3\n"
        )
    };
    // A square, a triangle with other coordinates at one corner, and one without coordinates.
    let mesh = ply(
        text("4 0 1 2 3 8 0 0 1 0 1 1 0 1\n3 0 1 2 6 0 0 0.5 0 1 1\n3 1 2 3 0").as_bytes(),
        "corners",
    );
    let corners: Vec<([f32; 2], f32, [f32; 2])> = mesh
        .triangles
        .iter()
        .flatten()
        .map(|&index| {
            let index = index as usize;
            let p = mesh.positions[index];
            ([p.x, p.y], mesh.attributes[0].values[index], mesh.uvs[index].to_array())
        })
        .collect();
    let [a, b, c, d] = [([0.0, 0.0], 0.0), ([1.0, 0.0], 1.0), ([1.0, 1.0], 2.0), ([0.0, 1.0], 3.0)];
    let at = |(p, heat): ([f32; 2], f32), uv: [f32; 2]| (p, heat, uv);
    assert_eq!(
        corners,
        [
            at(a, [0.0, 0.0]),
            at(b, [1.0, 0.0]),
            at(c, [1.0, 1.0]),
            at(a, [0.0, 0.0]),
            at(c, [1.0, 1.0]),
            at(d, [0.0, 1.0]),
            at(a, [0.0, 0.0]),
            at(b, [0.5, 0.0]),
            at(c, [1.0, 1.0]),
            at(b, [0.0, 0.0]),
            at(c, [0.0, 0.0]),
            at(d, [0.0, 0.0]),
        ]
    );
    assert_eq!(mesh.positions.len(), 8, "corners that agree share their vertex");
    assert_eq!(mesh.colors[mesh.triangles[2][1] as usize], [1.0, 0.0, 0.0, 1.0]);
    let wrong = text("4 0 1 2 3 6 0 0 1 0 1 1\n3 0 1 2 0\n3 0 1 2 0");
    let error = parse_ply(wrong.as_bytes(), Path::new("test.ply")).expect_err("it has too few");
    assert!(
        error
            .to_string()
            .contains("face 0: its `texcoord` has 6 numbers; 4 corners have 8"),
        "{error}"
    );
}

#[test]
fn images_named_by_ply_files_are_used() {
    let head = "ply\nformat ascii 1.0\ncomment TextureFile A.png\ncomment TextureFile lost.png\ncomment TextureFile <this>_b.png\n\
                element vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\n\
                property list uchar int vertex_indices\nproperty list uchar float texcoord\nproperty int texnumber\n\
                property float heat_0\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n";
    let uv = "6 0 0 1 0 1 1";
    let faces = format!("3 0 1 2 {uv} 2 5\n3 0 2 3 {uv} 0 6\n3 1 2 3 {uv} 2 7\n3 0 1 3 {uv} 1 8\n");
    let folder = folder(&[
        ("two.ply", format!("{head}{faces}").as_bytes()),
        ("a.png", b"an image"),
        ("two_b.png", b"an image"),
        ("bare.ply", PLY.replace("made by hand", "TextureFile a.png").as_bytes()),
    ]);
    let model = read_model(&folder.path().join("two.ply")).unwrap_or_else(|error| panic!("{error}"));
    let of = |shape: usize| {
        let heat = &model.shapes[shape].mesh.attributes[0].values;
        let material = model.shapes[shape]
            .material
            .map(|material| model.materials[material].name.as_str());
        (material, heat.as_slice(), model.shapes[shape].mesh.positions.len())
    };
    assert_eq!(of(0), (Some("a"), &[6.0][..], 3));
    assert_eq!(of(1), (None, &[8.0][..], 3));
    assert_eq!(of(2), (Some("two_b"), &[5.0, 7.0][..], 6));
    assert!(
        model.materials[0].surface.to_string().contains("a.png#color"),
        "{}",
        model.materials[0].surface
    );
    assert_eq!(model.warnings.len(), 1);
    assert!(model.warnings[0].contains("there is no file") && model.warnings[0].contains("lost.png"));
    // Mitsuba reads only the mesh.
    assert_eq!(load_single(&folder.path().join("two.ply")).unwrap().triangles.len(), 4);
    // Without texture coordinates, the image is not used.
    let model = read_model(&folder.path().join("bare.ply")).unwrap_or_else(|error| panic!("{error}"));
    assert!(model.materials.is_empty() && model.warnings.is_empty());
}

#[test]
fn face_colours_are_used() {
    let text = PLY
        .replace(
            "end_header",
            "property uchar red\nproperty uchar green\nproperty uchar blue\nend_header",
        )
        .replace("4 0 1 2 3", "4 0 1 2 3 255 0 128");
    let folder = folder(&[("a.ply", text.as_bytes())]);
    let (desc, _) = load(&folder.path().join("a.ply"), &LoadOptions::default()).unwrap();
    let material = &desc.materials[desc.shapes[0].material.0 as usize];
    assert_eq!(material.name, "a.face colors");
    build(&desc, None, 1).unwrap_or_else(|error| panic!("{error}"));
}
