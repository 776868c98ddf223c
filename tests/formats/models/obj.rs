//! OBJ files and their materials.

use super::*;

#[test]
fn all_variants_of_obj_files_give_the_same_model() {
    let expected = obj(OBJ.as_bytes(), MTL.as_bytes());
    assert_eq!(expected.0.positions, [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y]);
    assert_eq!(expected.1, Some([0.25, 0.5, 0.75]));
    let forms: [Form; 11] = [
        ("byte-order mark", |text| format!("\u{feff}{text}")),
        ("CRLF", |text| text.replace('\n', "\r\n")),
        ("CR", |text| text.replace('\n', "\r")),
        ("CR after a mark", |text| format!("\u{feff}{}", text.replace('\n', "\r"))),
        ("tabs and blanks", |text| {
            text.replace("v ", "\tv\t  ").replace("f ", "  f \t ").replace("Kd ", "\tKd\t")
        }),
        ("blank lines", |text| text.replace('\n', "\n\n   \n")),
        ("no end of the last line", |text| text.trim_end().to_owned()),
        ("lines that go on", |text| text.replace(" 3/3/1", " \\\n 3/3/1")),
        ("indices from the end", |text| {
            text.replace("f 1/1/1 2/2/1 3/3/1 4/4/1", "f -4/-4/-1 -3/-3/-1 -2/-2/-1 -1/-1/-1")
        }),
        ("comments after numbers", |text| {
            text.replace("\nvt ", " #a\nvt ")
                .replace("f 1/1/1", "f  1/1/1")
                .replace("4/4/1", "4/4/1# b")
        }),
        ("weights before colours", |text| {
            let weigh =
                |line: &str| match line.strip_prefix("v ").map(|rest| rest.split(' ').collect::<Vec<_>>()) {
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
    let vertices: String = (0..count).map(|i| format!("v {} {} 0\n", corner(i).0, corner(i).1)).collect();
    let face: String = (1..=count).map(|i| format!(" {i}")).collect();
    let (mesh, _) = obj(format!("{vertices}f{face}\n").as_bytes(), MTL.as_bytes());
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (count, count - 2));
}

#[test]
fn materials_of_obj_files_have_their_opacity() {
    let folder = folder(&[
        ("a.obj", OBJ.replace("some wood", "a").as_bytes()),
        ("mask.png", b"an image"),
        ("wood.png", b"an image"),
    ]);
    let cases: [(&str, Option<&str>, bool); 9] = [
        ("", None, false),
        ("d 0.25", Some("alpha = 0.25"), false),
        ("Tr 0.25", Some("alpha = 0.75"), false),
        // The value of `d` has precedence, in any order.
        ("d 0.25\nTr 0", Some("alpha = 0.25"), false),
        ("Tr 1\nd 1", None, false),
        // These programs write the opacity in `Tr`.
        ("Tr 1", None, true),
        ("map_d -imfchan m mask.png", Some("mask.png#raw"), false),
        ("map_d -colorspace linear mask.png", Some("mask.png#raw"), false),
        ("map_Kd wood.png\nmap_d wood.png", Some("alpha_mode = \"blend\""), false),
    ];
    for (lines, expected, warns) in cases {
        fs::write(folder.path().join("a.mtl"), format!("newmtl Material #25\n{lines}\n")).unwrap();
        let model = read_model(&folder.path().join("a.obj")).unwrap_or_else(|error| panic!("{error}"));
        let call = model.materials[0].surface.to_string();
        assert!(expected.is_none_or(|text| call.contains(text)), "{lines}: {call}");
        assert_eq!(call.contains("alpha"), expected.is_some(), "{lines}: {call}");
        assert_eq!(!model.warnings.is_empty(), warns, "{lines}: {:?}", model.warnings);
    }
}

#[test]
fn maps_of_obj_materials_become_arguments() {
    let folder = folder(&[("a.obj", OBJ.replace("some wood", "a").as_bytes()), ("my map.png", b"an image")]);
    let cases: [(&str, &[&str]); 8] = [
        (
            "Pm 0\nmap_Pm my map.png",
            &["metallic = 1.0 * image(file = ", "my map.png#raw\").result[0]"],
        ),
        ("Pm 0.5\nmap_Pm \"my map.png\"", &["metallic = 0.5 * image("]),
        ("Pm 1\nmap_Pr my\\ map.png", &["metallic = 1.0", "roughness = 1.0 * image("]),
        // The exponent `Ns` belongs to another shading model.
        ("Ns 100\nmap_Pr my map.png", &["roughness = 1.0 * image("]),
        (
            "map_Pr -s 2 3 -o 0.25 -clamp on my map.png",
            &["s = 2.0 * u + 0.25, t = 1 - (3.0 * v + 0.0), wrap = \"clamp\""],
        ),
        (
            "map_Kd -s 2 3 1 -o 0.25 0.5 my map.png",
            &[
                "base_color_uv = matrix(2.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.25, -2.5, 0.0, 1.0)",
            ],
        ),
        ("map_Kd -clamp on my map.png", &["my map.png#color\"", "base_color_wrap = 4"]),
        ("map_Kd -clamp off -s 1 1 1 my map.png", &["my map.png#color\")"]),
    ];
    for (lines, expected) in cases {
        let mtl = format!("newmtl Material #25\n{lines}\n");
        fs::write(folder.path().join("a.mtl"), mtl).unwrap();
        let model = read_model(&folder.path().join("a.obj")).unwrap_or_else(|error| panic!("{error}"));
        let call = model.materials[0].surface.to_string();
        assert!(expected.iter().all(|text| call.contains(text)), "{lines}: {call}");
        assert!(model.warnings.is_empty(), "{lines}: {:?}", model.warnings);
        shows(&folder.path().join("a.obj"));
    }
}

#[test]
fn bump_statements_accept_normal_maps() {
    let folder = folder(&[("a.obj", OBJ.replace("some wood", "a").as_bytes())]);
    // Nearly flat normals, and grey heights.
    for (name, pixels) in
        [("normals", [128, 120, 255, 120, 140, 250u8]), ("heights", [200, 200, 200, 90, 90, 90])]
    {
        let image = [b"P6 2 1 255\n", &pixels[..]].concat();
        fs::write(folder.path().join(format!("{name}.ppm")), image).unwrap();
    }
    let read = |lines: &str| {
        fs::write(folder.path().join("a.mtl"), format!("newmtl Material #25\n{lines}\n")).unwrap();
        read_model(&folder.path().join("a.obj")).unwrap_or_else(|error| panic!("{error}"))
    };
    for lines in [
        "map_Bump -bm 0.5 normals.ppm",
        "norm -bm 0.5 normals.ppm",
        "norm -bm 0.5 normals.ppm\nbump heights.ppm",
    ] {
        let model = read(lines);
        let call = model.materials[0].surface.to_string();
        assert!(call.contains("normals.ppm#raw\", normal_scale = 0.5"), "{lines}: {call}");
        assert_eq!(
            model.warnings.len(),
            usize::from(lines.contains("heights")),
            "{:?}",
            model.warnings
        );
        shows(&folder.path().join("a.obj"));
    }
    let model = read("bump -bm 2 heights.ppm\nmap_Ns heights.ppm");
    assert!(!model.materials[0].surface.to_string().contains("heights"));
    let warnings = model.warnings.join("\n");
    assert!(
        warnings.contains("`bump` has no effect: its heights have no unit")
            && warnings.contains("`map_Pr` is for roughness"),
        "{warnings}"
    );
}

/// The call of the only material of a library with these lines, and the warnings.
fn material(folder: &Path, mtl: &str) -> (String, Vec<String>) {
    fs::write(folder.join("a.mtl"), mtl).unwrap();
    let model = read_model(&folder.join("a.obj")).unwrap_or_else(|error| panic!("{error}"));
    shows(&folder.join("a.obj"));
    (model.materials[0].surface.to_string(), model.warnings)
}

#[test]
fn refraction_is_distinguished_from_default_statements() {
    let folder = folder(&[("a.obj", OBJ.replace("some wood", "a").as_bytes()), ("map.png", b"an image")]);
    let cases = [
        ("illum 7\nNi 1.5\nKd 0 0 0\nd 0.1", true),
        ("illum 7\nNi 1.2\nKd 0 0 1\nTf 1 1 1", true),
        ("illum 4\nTf 0.5 0.5 0.5\nd 0.5\nNi 1.5\nKd 0.1 0.2 0.3", true),
        ("illum 9", true),
        ("illum 9\nKd 0 0 0\nd 0.1", true),
        // Maya.
        ("illum 4\nKd 0.5 0.2 0.2\nKa 0 0 0\nTf 1.00 1.00 1.00\nNi 1.00", false),
        // Other programs, with a colour or an image only.
        ("illum 7\nKd 0.5 0.2 0.2\nKs 1 1 1\nNs 50", false),
        ("illum 7\nKd 0 0 0\nmap_Kd map.png", false),
        // Blender, with an opacity of 0.5.
        ("illum 9\nKd 0.8 0.1 0.1\nNi 1.5\nd 0.5", false),
        ("illum 9\nKd 0.8 0.1 0.1\nNi 1.5\nTr 0.5", false),
    ];
    for (lines, refracts) in cases {
        let (call, warnings) = material(folder.path(), &format!("newmtl Material #25\n{lines}\n"));
        assert_eq!(call.contains("thick = 1"), refracts, "{lines}: {call}");
        let is_half = !refracts && (lines.ends_with("d 0.5") || lines.ends_with("Tr 0.5"));
        assert_eq!(call.contains("alpha = 0.5"), is_half, "{lines}: {call}");
        assert!(warnings.is_empty(), "{warnings:?}");
    }
}

#[test]
fn blender_materials_become_principled_bsdfs() {
    let folder = folder(&[("a.obj", OBJ.replace("some wood", "a").as_bytes()), ("map.png", b"an image")]);
    let body = "newmtl Material #25\nNs 250\nKa 0.75 0.75 0.75\nKd 0.8 0.6 0.2\nKs 0.5 0.5 0.5\nNi 1.5\nd 1\nillum 3\n";
    let (call, _) = material(folder.path(), &format!("# Blender 4.5.0 MTL File: 'a.blend'\n{body}"));
    assert!(call.contains("metallic = 0.75") && call.contains("roughness = 0.5"), "{call}");
    let (call, _) = material(folder.path(), body);
    assert!(call.contains("metallic = 0.0") && call.contains("roughness = 0.0"), "{call}");
    let maps =
        "# Blender 3.6.2 MTL File\nnewmtl Material #25\nNs 0\nillum 3\nmap_Ns map.png\nmap_refl map.png\n";
    let (call, warnings) = material(folder.path(), maps);
    assert!(
        call.contains("metallic = 1.0 * image(") && call.contains("roughness = 1.0 * image("),
        "{call}"
    );
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn layers_of_physically_based_obj_materials_are_arguments() {
    let folder = folder(&[("a.obj", OBJ.replace("some wood", "a").as_bytes())]);
    let lines = "newmtl Material #25\nPr 0.3\nPs 0.4\nPc 0.6\nPcr 0.1\naniso 0.3\nanisor 0.25\nTf 0.7 0.7 0.7\nillum 2\n";
    let (call, _) = material(folder.path(), lines);
    for argument in [
        "transmission = 0.7",
        "thick = 1",
        "clearcoat = 0.6, clearcoat_roughness = 0.1",
        "sheen_color = (0.4, 0.4, 0.4)",
        "anisotropy = 0.3, anisotropy_rotation = 1.5707964",
    ] {
        assert!(call.contains(argument), "`{argument}` is not in {call}");
    }
    // Programs also write `Tf 1 1 1` for opaque materials of the classic model.
    let (call, _) = material(folder.path(), "newmtl Material #25\nTf 1 1 1\nillum 2\n");
    assert!(!call.contains("transmission"), "{call}");
}

#[test]
fn factors_of_zero_leave_images_of_obj_materials_visible() {
    let folder = folder(&[("a.obj", OBJ.replace("some wood", "a").as_bytes()), ("map.png", b"an image")]);
    for (lines, expected) in [
        ("Kd 0 0 0\nmap_Kd map.png", "base_color = (1.0, 1.0, 1.0)"),
        ("Kd 0 0 0", "base_color = (0.0, 0.0, 0.0)"),
        ("map_Ke map.png", "emissive = (1.0, 1.0, 1.0)"),
        ("Ke 0 0 0\nmap_Ke map.png", "emissive = (1.0, 1.0, 1.0)"),
        ("Ke 0 0.5 0\nmap_Ke map.png", "emissive = (0.0, 0.5, 0.0)"),
        ("map_Ks map.png", "specular_color_texture"),
    ] {
        let (call, _) = material(folder.path(), &format!("newmtl Material #25\n{lines}\n"));
        assert!(call.contains(expected), "{lines}: {call}");
        assert!(!call.contains("specular = 0.0") || !lines.contains("Ks"), "{lines}: {call}");
    }
}

#[test]
fn invalid_statements_of_libraries_are_ignored() {
    let folder = folder(&[("a.obj", OBJ.replace("some wood", "a").as_bytes())]);
    let lines =
        "Kd 1 1 1\nnewmtl Material #25\nKd 0.25 0.5 0.75 1\nKs spectral ward.rfl\nNs\nillum two\nNi nan\n";
    let (call, warnings) = material(folder.path(), lines);
    assert!(call.contains("base_color = (0.25, 0.5, 0.75)"), "{call}");
    for (line, warning) in [(1, "`Kd`"), (4, "`Ks`"), (5, "`Ns`"), (6, "`illum`"), (7, "`Ni`")] {
        let place = format!("a.mtl:{line}: {warning} is left out: ");
        assert!(warnings.iter().any(|w| w.contains(&place)), "{place}: {warnings:?}");
    }
    assert_eq!(warnings.len(), 5, "{warnings:?}");
}

#[test]
fn images_of_unsupported_formats_cause_warnings() {
    let folder = folder(&[
        ("a.obj", OBJ.replace("some wood", "a").as_bytes()),
        ("map.dds", b"DDS |"),
        ("map.png", b"an image"),
    ]);
    let (call, warnings) = material(folder.path(), "newmtl Material #25\nmap_Kd map.dds\nmap_Ks map.png\n");
    assert!(call.contains("map.png#color") && !call.contains("map.dds"), "{call}");
    assert!(
        warnings[0].contains("map.dds is of no format of images that is read"),
        "{warnings:?}"
    );
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}

#[test]
fn paths_of_other_operating_systems_are_resolved() {
    let folder = folder(&[
        ("a.obj", OBJ.replace("some wood", "Wood").as_bytes()),
        (
            "WOOD.MTL",
            b"newmtl Material #25\nmap_Kd C:\\Users\\me\\Tex\\Bark.PNG\nmap_Ks tex/bark.png\n",
        ),
        ("bark.png", b"an image"),
    ]);
    let model = read_model(&folder.path().join("a.obj")).unwrap_or_else(|error| panic!("{error}"));
    assert!(model.warnings.is_empty(), "{:?}", model.warnings);
    let call = model.materials[0].surface.to_string();
    assert_eq!(call.matches("bark.png#color").count(), 2, "{call}");
}

/// Checks that the materials of a model are read.
fn shows(path: &Path) {
    load(path, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
}
