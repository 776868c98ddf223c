//! Command line tests of `kiln`: invalid input gives one clear message, exit status 1 and no output; an invalid command
//! line gives status 2; valid input gives the same bytes for any number of threads.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use crate::program::program;
use renderer::color::Rgb;
use renderer::image::Image;
use tempfile::TempDir;

/// A small scene that contains `body`.
fn scene(body: &str) -> String {
    format!(
        "film {{ size = (8, 6); }}\ncamera main : perspective {{ from = (0, 0, 4); to = (0, 0, 0); }}\n\
         light sky : environment {{ color = 1; }}\nmaterial grey = matte(albedo = 0.5);\n\
         shape ball : sphere {{ radius = 1; material = grey; }}\n{body}\n"
    )
}

fn run(folder: &Path, args: &[&str]) -> Output {
    program(folder).args(args).output().expect("the program starts")
}

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

/// Renders `files[0]` and expects an error that contains all of `words`.
fn refused(files: &[(&str, &[u8])], words: &[&str]) {
    let folder = folder(files);
    let output = run(folder.path(), &["render", files[0].0, "-o", "out.png", "--spp", "1"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{}: {message}", files[0].0);
    for word in words {
        assert!(message.contains(word), "`{word}` is not in:\n{message}");
    }
    assert!(!message.contains("panicked"), "{message}");
    let left: Vec<PathBuf> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(left.len(), files.len(), "something was written: {left:?}");
}

fn refused_scene(body: &str, words: &[&str]) {
    refused(&[("a.kiln", scene(body).as_bytes())], words);
}

const TRIANGLE: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
                        element face 1\nproperty list uchar int vertex_indices\nend_header\n";

#[test]
fn missing_files() {
    let empty = folder(&[]);
    let output = run(empty.path(), &["render", "nowhere.kiln", "-o", "out.png"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nowhere.kiln"));
    refused_scene(
        "shape m : mesh { file = \"nowhere.ply\"; material = grey; }",
        &["nowhere.ply", "a.kiln:6"],
    );
    refused_scene("light e : environment { map = \"nowhere.exr\"; }", &["nowhere.exr", "a.kiln:6"]);
}

#[test]
fn sets_of_tiles_are_found_in_the_working_folder() {
    let tile = [b"P6 1 1 255\n", &[0, 255, 0][..]].concat();
    let body =
        "material green = matte(albedo = image(file = \"skin.<UDIM>.ppm\").result);\nassign ball = green;";
    let folder = folder(&[("a.kiln", scene(body).as_bytes()), ("skin.1001.ppm", &tile)]);
    let output = run(folder.path(), &["check", "a.kiln"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{message}");
}

#[test]
fn damaged_files() {
    let body = scene("shape m : mesh { file = \"m.ply\"; material = grey; }");
    let with = |rest: &str| format!("{TRIANGLE}{rest}").into_bytes();
    let cases: [(&str, &[&str]); 4] = [
        ("0 0 0\n1 0 0\n", &["m.ply", "cut short"]),
        ("0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n", &["m.ply", "vertex 7"]),
        ("0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n", &["m.ply:11", "nan"]),
        ("0 0 0\n1 0 0\n0 1 0\n3 0 1\n", &["m.ply"]),
    ];
    for (rest, words) in cases {
        refused(&[("a.kiln", body.as_bytes()), ("m.ply", &with(rest))], words);
    }
    refused(&[("m.glb", b"glTF\x02\0\0\0\xff\0\0\0")], &["m.glb"]);
    let sky = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/sun_sky.exr")).unwrap();
    let body = scene("light e : environment { map = \"sky.exr\"; }");
    refused(&[("a.kiln", body.as_bytes()), ("sky.exr", &sky[..sky.len() / 2])], &["sky.exr"]);
}

/// An unreadable picture is reported at its name in the scene, or else at the lookup in the shader.
#[test]
fn damaged_textures_are_errors_with_locations() {
    let looks = "surface own() { color c = texture(\"own.png\", u, v); Ci = c * diffuse(N); }\n\
                 surface given(string map = \"\") { color c = texture(map, u, v); Ci = c * diffuse(N); }\n\
                 material a = own();\nmaterial b = given(map = \"tiles.<UDIM>.png\");\n\
                 shape s : sphere { radius = 1; material = a; }\nshape t : sphere { radius = 2; material = b; }\n";
    let body = scene(looks);
    let files: [(&str, &[u8]); 3] =
        [("a.kiln", body.as_bytes()), ("own.png", b"no picture"), ("tiles.1001.png", b"")];
    refused(
        &files,
        &[
            "material `a`: image 'own.png' is truncated or damaged",
            "a.kiln:6:27",
            "in this material",
            "tiles.1001.png' is truncated or damaged",
            "a.kiln:9:26",
        ],
    );
}

#[test]
fn mistakes_in_scenes() {
    refused_scene(
        "shape b : sphere { radios = 2; material = grey; }",
        &["radios", "radius", "a.kiln:6"],
    );
    refused_scene("shape b : sphere { radius = 2; material = gray; }", &["gray", "grey"]);
    refused_scene(
        "material m = mate(albedo = 1);\nshape b : sphere { material = m; }",
        &["mate", "matte"],
    );
    refused_scene("film { size = (0, 10); }", &["size"]);
    refused_scene("shape b : cube { material = grey; transform = scale(1, 0, 1); }", &["a.kiln:6"]);
}

#[test]
fn a_change_of_an_unknown_name_lists_the_known_names() {
    let folder = folder(&[("a.kiln", scene("").as_bytes()), ("b.kiln", b"film { }")]);
    for (scene, hint) in [("a.kiln", "the names are: sky"), ("b.kiln", "the scene has none")] {
        let output = run(folder.path(), &["render", scene, "--set", "light.lamp.scale=2"]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains(hint), "{message}");
    }
}

#[test]
fn mistakes_in_groups() {
    let cyclic = "group a(output closure color surface) { b x(); surface = x.surface; }\n\
                  group b(output closure color surface) { a x(); surface = x.surface; }\nmaterial m = a();\n\
                  shape s : sphere { material = m; }";
    refused_scene(cyclic, &["contains itself", "a", "b"]);
    let connections = "group g(output closure color surface) {\n remap p(input = q.result);\n remap q(input = p.result);\n\
                       matte m(albedo = p.result);\n surface = m.surface;\n}\nmaterial m = g();\nshape s : sphere { material = m; }";
    refused_scene(connections, &["cyclic", "p", "q"]);
    let mismatch = "group g(output closure color surface) {\n matte a();\n matte b(albedo = a.surface);\n surface = b.surface;\n}\n\
                    material m = g();\nshape s : sphere { material = m; }";
    refused_scene(mismatch, &["closure color", "color", "albedo"]);
}

#[test]
fn unwritable_output() {
    let folder = folder(&[("a.kiln", scene("").as_bytes())]);
    for out in ["nowhere/out.png", "out.psd", "out"] {
        let output = run(folder.path(), &["render", "a.kiln", "-o", out]);
        assert_eq!(output.status.code(), Some(1), "{out}");
        assert!(!output.stderr.is_empty());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn invalid_command_lines() {
    let folder = folder(&[("a.kiln", scene("").as_bytes())]);
    let lines = [
        &["rendr"][..],
        &["render"],
        &["render", "a.kiln", "--size", "0x4"],
        &["render", "a.kiln", "--spp", "0"],
        &["render", "a.kiln", "--wrong"],
        // Every comparison would pass the first threshold and fail the second.
        &["compare", "a.exr", "a.exr", "--threshold", "nan"],
        &["compare", "a.exr", "a.exr", "--threshold=-1"],
        &["render", "a.kiln", "-U", ""],
        &["farm", "a.kiln", "-o", "a.exr", "--engine", "slurm", "--tasks", "1", "--program", ""],
    ];
    for line in lines {
        assert_eq!(run(folder.path(), line).status.code(), Some(2), "{line:?}");
    }
}

#[test]
fn negative_numbers_are_values() {
    let folder = folder(&[("a.kiln", scene("").as_bytes())]);
    for (flag, value) in [("--seed", "-1"), ("--exposure", "-2.5"), ("--spp", "-4")] {
        let output = run(folder.path(), &["render", "a.kiln", "-o", "a.png", flag, value]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), flag == "--exposure", "{message}");
        assert!(!message.contains("-- -"), "{message}");
    }
}

#[test]
fn the_exposure_of_the_film_is_added_to_that_of_the_command() {
    let folder = folder(&[("a.kiln", scene("").as_bytes())]);
    let picture = |name: &str, more: &[&str]| {
        let args = [&["render", "a.kiln", "-o", name, "--spp", "1", "--size", "8x8"], more].concat();
        let output = run(folder.path(), &args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read(folder.path().join(name)).unwrap()
    };
    let film = |value: &str| format!("film.exposure={value}");
    let two = picture("two.png", &["--exposure", "-2"]);
    assert_eq!(picture("film.png", &["--set", &film("-2")]), two);
    assert_eq!(picture("both.png", &["--set", &film("-3"), "--exposure", "1"]), two);
    // Sunny 16: a white wall in the sun, 100 klx / π, is nearly white. A luminance of 1 is 683 cd/m².
    let stops = (683.0f32 / (1.2 * 16.0 * 16.0 * 100.0)).log2().to_string();
    let sunny = picture("sunny.png", &["--set", &film("photographic(16, 1/100, 100)")]);
    assert_eq!(sunny, picture("stops.png", &["--exposure", &stops]));
    assert_ne!(sunny, picture("plain.png", &[]));
}

#[test]
fn values_may_begin_with_a_hyphen() {
    let folder = folder(&[("a.kiln", scene("").as_bytes())]);
    let said = |words: &[&str]| {
        let output = run(folder.path(), words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    for (option, value) in [("-o", "-a.png"), ("--output", "-a.png"), ("-o", "--a.png")] {
        let message = said(&["render", "a.kiln", option, value]);
        assert!(message.contains(&format!("write '{option}={value}'")), "{message}");
        let output = run(
            folder.path(),
            &["render", "a.kiln", &format!("{option}={value}"), "--size", "2x2", "--spp", "1"],
        );
        assert!(output.status.success(), "{option}={value}");
        assert!(folder.path().join(value).is_file());
    }
    // Arguments that are not values cause clap's usual tip.
    assert!(said(&["render", "-a.kiln"]).contains("-- -a"));
    assert!(said(&["render", "a.kiln", "--spp", "--siz", "4x4"]).contains("--size"));
}

#[test]
fn messages_name_their_options() {
    let folder = folder(&[("a.kiln", scene("").as_bytes())]);
    let output = run(folder.path(), &["render", "a.kiln", "--size", "8x8", "--crop", "0,0,9,8"]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("beyond the film of 8 x 8"), "{message}");
    assert!(message.contains("--crop:1:1") && message.contains("0,0,9,8"), "{message}");
    assert!(!message.contains("--set"), "{message}");
}

#[test]
fn endless_shaders_are_stopped() {
    let body = "shader spin(output color result = 0) { while (1) result += 1; }\n\
                material m = matte(albedo = spin().result);\nshape s : sphere { radius = 1.5; material = m; }";
    let folder = folder(&[("a.kiln", scene(body).as_bytes())]);
    let output = run(folder.path(), &["render", "a.kiln", "-o", "out.png", "--spp", "1"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{message}");
    assert!(message.contains("warning") && message.contains("takes too long"), "{message}");
    assert!(folder.path().join("out.png").is_file());
}

#[test]
fn same_bytes_for_any_threads() {
    let body = "material glossy = coated(base = grey_base().surface, alpha = 0.1);\n\
                group grey_base(output closure color surface) { checker c(); matte m(albedo = c.result); surface = m.surface; }\n\
                shape floor : plane { size = 8; material = glossy; }";
    let folder = folder(&[("a.kiln", scene(body).as_bytes())]);
    let render = |name: &str, threads: &str| {
        let args = ["render", "a.kiln", "-o", name, "--size", "64x48", "--spp", "8", "--threads", threads];
        let output = run(folder.path(), &args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read(folder.path().join(name)).unwrap()
    };
    let first = render("a.exr", "1");
    for (name, threads) in [("b.exr", "2"), ("c.exr", "3"), ("d.exr", "1")] {
        assert!(render(name, threads) == first, "{threads} threads give other bytes");
    }
}

#[test]
fn closed_standard_streams_are_no_errors() {
    let folder = folder(&[("a.kiln", scene("").as_bytes())]);
    let image = folder.path().join("a.exr");
    let image = image.to_str().unwrap();
    let rendered = run(folder.path(), &["render", "a.kiln", "-o", "a.exr", "--spp", "1", "--quiet"]);
    assert_eq!(rendered.status.code(), Some(0));
    for args in [
        &["compare", image, image][..],
        &["info", "matte"],
        &["render", "a.kiln", "-o", "b.exr", "--spp", "1", "--verbose"],
    ] {
        let mut child = program(folder.path())
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop((child.stdout.take(), child.stderr.take()));
        assert_eq!(child.wait().unwrap().code(), Some(0), "{args:?}");
    }
}

#[test]
fn shader_sources_may_be_in_older_encodings_and_have_any_extension() {
    let latin =
        b"// R\xe9mi\r#include \"H.H\"\rshader unit(float gain = GAIN, output color result = gain) { }\r";
    let header = b"/* \xa9 */\n#define GAIN 2\n";
    let body = scene("import \"U.TSL\";\nmaterial m = matte(albedo = unit(gain = 0.5).result);");
    let wide = b"s\0h\0a\0d\0e\0r\0";
    let folder =
        folder(&[("U.TSL", latin), ("H.H", header), ("a.kiln", body.as_bytes()), ("wide.osl", wide)]);
    let output = run(folder.path(), &["check", "U.TSL", "a.kiln"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text, "2 files: 2 units, 1 scene: no mistakes\n", "{errors}");
    let output = run(folder.path(), &["check", "wide.osl"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("cannot read wide.osl: it is not text"), "{errors}");
}

/// Windows programs write UTF-16 with a byte-order mark.
#[test]
fn texts_may_be_in_utf16() {
    let texts = [
        ("a.kiln", scene("shape m : mesh { file = \"m.obj\"; }\nimport \"u.ksl\";\n")),
        ("u.ksl", "surface unit() { Ci = diffuse(N); } // Tönung\n".to_owned()),
        (
            "m.obj",
            "mtllib m.mtl\nv -1 -1 0\nv 1 -1 0\nv 0 1 0\nusemtl red\nf 1 2 3\n".to_owned(),
        ),
        ("m.mtl", "newmtl red\nKd 1 0 0\n".to_owned()),
        (
            "a.xml",
            "<scene version=\"3.0.0\"><sensor type=\"perspective\"/><shape type=\"sphere\"/></scene>\n"
                .to_owned(),
        ),
        ("points.txt", "0 0 3\n# Mitte\n0 0 2\n".to_owned()),
    ];
    let utf16 = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let marked = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        marked.encode_utf16().flat_map(bytes).collect()
    };
    let bake = "bake a.kiln --target probes --probe-points points.txt --samples 1 -o baked --seed 1";
    let probes = [None, Some(u16::to_le_bytes as fn(u16) -> [u8; 2]), Some(u16::to_be_bytes)].map(|bytes| {
        let encoded = texts.each_ref().map(|(name, text)| {
            let bytes = bytes.map_or_else(|| text.clone().into_bytes(), |bytes| utf16(text, bytes));
            (*name, bytes)
        });
        let folder = folder(&encoded.each_ref().map(|(name, bytes)| (*name, bytes.as_slice())));
        for words in [vec!["check", "a.kiln", "u.ksl", "m.obj", "a.xml"], bake.split(' ').collect()] {
            let output = run(folder.path(), &words);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{words:?}\n{errors}");
        }
        fs::read(folder.path().join("baked/probes.json")).unwrap()
    });
    assert!(probes[0] == probes[1] && probes[0] == probes[2]);
}

#[test]
fn ray_rates_count_rays_of_the_measured_time() {
    let folder = folder(&[("a.kiln", scene("").as_bytes())]);
    let args = "render a.kiln --spp 4 --integrator photon --stats s.json -v -o a.png";
    let output = run(folder.path(), &args.split(' ').collect::<Vec<_>>());
    let text = String::from_utf8(output.stderr).unwrap();
    let stats = fs::read_to_string(folder.path().join("s.json")).unwrap();
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    let rays = |kind: &str| stats["rays"][kind].as_f64().unwrap();
    let traced: f64 = ["camera", "shadow", "indirect", "gather"].map(rays).iter().sum();
    let reported = stats["rays_per_s"].as_f64().unwrap() * stats["stages_s"]["render"].as_f64().unwrap();
    assert!(rays("photon") > 1e4 && (traced / reported - 1.0).abs() < 1e-6, "{stats:#}");
    // Small counts are printed exactly.
    let camera = format!("  camera  {:>9}\n", rays("camera"));
    assert!(text.contains(&camera), "{text}");
}

#[test]
fn compare_prints_numbers_of_any_size() {
    let folder = folder(&[]);
    let write = |name: &str, values: [f32; 3]| {
        let image = Image::from_fn(2, 1, |x, _| Rgb::splat(values[x] * values[2]));
        renderer::image::write(&folder.path().join(name), &image, &Default::default()).unwrap();
    };
    write("dim.exr", [1.0, 3.0, 1e-9]);
    write("dimmer.exr", [1.0, 1.0, 1e-9]);
    write("bright.exr", [f32::INFINITY, 1.0, 1e30]);
    let compared = |reference: &str| {
        let args = ["compare", "dim.exr", reference, "--threshold", "0.5"];
        let output = run(folder.path(), &args);
        let text = [output.stdout, output.stderr].concat();
        String::from_utf8(text).unwrap()
    };
    let text = compared("dimmer.exr");
    for words in ["mean red      2.000000e-9 and 1.000000e-9, +100.000 %", "error: the relative MSE "] {
        assert!(text.contains(words), "{text}");
    }
    let text = compared("bright.exr");
    for words in [" and 1.000000e30", "bright.exr has 3 values that are not finite"] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn probable_mistakes_cause_warnings() {
    let dark = scene("").replace("light sky : environment { color = 1; }", "");
    let black = scene("").replace("color = 1", "color = 0");
    let bright = scene("").replace("albedo = 0.5", "albedo = (0.5, 1.5, 0.5)");
    let files = [
        ("a.kiln", scene("").into_bytes()),
        ("dark.kiln", dark.into_bytes()),
        ("black.kiln", black.into_bytes()),
        ("bright.kiln", bright.into_bytes()),
        ("points.txt", b"0 0 2\n".to_vec()),
    ];
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
    let folder = folder(&files);
    let bake = "bake a.kiln -o out --integrator path --samples 1";
    let lines = [
        ("render dark.kiln -o o.exr --spp 1", "nothing emits light"),
        ("render black.kiln -o o.exr --spp 1", "nothing emits light"),
        (
            "bake dark.kiln -o out --integrator path --samples 1 --resolution 32",
            "nothing emits light",
        ),
        (
            "render bright.kiln -o o.exr --spp 1",
            "`grey` scatters (0.500, 1.500, 0.500) times",
        ),
        ("render a.kiln -o o.exr --spp 1 --exposure 2", "--exposure has no effect"),
        (
            "render a.kiln -o o.exr --spp 1 --size 4x4 --set film.size=(5,5)",
            "`--set film.size=(5,5)` has no effect: `--size 4x4` changes the same value",
        ),
        (
            "render a.kiln -o o.exr --spp 1 --set camera.main.fov=30 --set camera.main.fov=40",
            "`--set camera.main.fov=30` has no effect",
        ),
        (
            "render a.kiln -o o.exr --spp 1 --integrator path --set integrator=photon",
            "`--integrator path` has no effect",
        ),
        (
            "pack a.kiln -o a.zip --set film.size=(5,5) --set film.size=(5,5)",
            "has no effect",
        ),
        (
            "BAKE --target vertex --part 1/2 --checkpoint c --resolution 64",
            "--resolution has no effect",
        ),
        ("BAKE --target vertex --resolution 64", "--resolution has no effect"),
        ("BAKE --target vertex --texels-per-unit 5", "--texels-per-unit has no effect"),
        ("BAKE --target vertex --dilation 2", "--dilation has no effect"),
        ("BAKE --target vertex --no-unwrap", "--no-unwrap has no effect"),
        ("BAKE --target vertex --denoise", "--denoise has no effect"),
        ("BAKE --target probes --layout packed", "--layout has no effect"),
        ("BAKE --target probes --sides front", "--sides has no effect"),
        ("BAKE --resolution 32 --probe-spacing 1", "--probe-spacing has no effect"),
        ("BAKE --resolution 32 --probe-points points.txt", "--probe-points has no effect"),
        ("BAKE --resolution 32 --depth 2", "depth 2 bring no light"),
        ("BAKE --resolution 32 --include both --depth 1", "depth 1 bring no light"),
    ];
    for (line, words) in lines {
        let line = line.replace("BAKE", bake);
        let line = match line.contains("--part") {
            true => line.replace("-o out ", ""),
            false => line,
        };
        let output = run(folder.path(), &line.split(' ').collect::<Vec<_>>());
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{line}: {message}");
        assert!(message.contains("warning") && message.contains(words), "{line}: {message}");
    }
    for line in [
        "render a.kiln -o o.exr --spp 1".to_owned(),
        "render a.kiln -o o.exr --spp 1 --size 4x4 --integrator path --set integrator.depth=3".to_owned(),
        "render a.kiln -o o.exr --spp 8 --noise 0.5".to_owned(),
        "render a.kiln -o o.exr -o o.png --spp 1 --exposure -1".to_owned(),
        format!("{bake} --resolution 32 --dilation 3 --depth 3"),
        format!("{bake} --target vertex --sides front"),
        format!("{bake} --target probes --probe-spacing 1"),
    ] {
        let output = run(folder.path(), &line.split(' ').collect::<Vec<_>>());
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{line}: {message}");
        assert!(!message.contains("warning"), "{line}: {message}");
    }
}

#[test]
fn minimum_samples_above_the_maximum_are_refused() {
    let folder = folder(&[("a.kiln", scene("").as_bytes())]);
    let line = "render a.kiln -o o.exr --noise 0.1 --min-spp 64 --spp 16";
    let output = run(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("--min-spp 64 is above --spp 16"), "{message}");
}

#[test]
fn units_of_one_name_in_several_files_cause_a_warning() {
    let unit = |color: f32| format!("surface x() {{ Ci = {color} * diffuse(N); }}\n");
    let both = |text: &str| format!("import \"common.ksl\";\n{text}");
    let files = [
        ("common.ksl", unit(0.1)),
        ("b.ksl", both("surface b() { }\n")),
        ("c.ksl", both("surface c() { }\n")),
        ("again.ksl", unit(0.3)),
        (
            "imports.kiln",
            scene("import \"b.ksl\";\nimport \"again.ksl\";\nmaterial a = x();\n"),
        ),
        ("own.kiln", scene(&both(&format!("{}material a = x();\n", unit(0.2))))),
        (
            "once.kiln",
            scene("import \"b.ksl\";\nimport \"c.ksl\";\nimport \"common.ksl\";\nmaterial a = x();\n"),
        ),
    ];
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    let folder = folder(&files);
    let checked = |name: &str| {
        let output = run(folder.path(), &["check", name]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{message}");
        message
    };
    for (name, place) in [("imports.kiln", "again.ksl:1:9"), ("own.kiln", "own.kiln:")] {
        let message = checked(name);
        assert_eq!(message.matches("warning: `x` is declared again").count(), 1, "{message}");
        assert!(message.contains(place) && message.contains("common.ksl:1:9"), "{message}");
    }
    let message = checked("once.kiln");
    assert!(!message.contains("declared again"), "{message}");
}

#[test]
fn shader_sources_include_and_import() {
    let files: [(&str, &[u8]); 5] = [
        (
            "main.osl",
            b"#include \"near.h\"\n#include <far.h>\nshader main(output float r = near() + far() + EXTRA) { }\n",
        ),
        ("near.h", b"float near() { return 1; }\n"),
        ("far.h", b"#error the wrong one\n"),
        ("lib.ksl", b"float half(float x) { return x / 2; }\nsurface lib_matte() { Ci = diffuse(N); }\n"),
        (
            "user.ksl",
            b"import \"lib.ksl\";\nsurface user(float x = half(1)) { Ci = x * diffuse(N); }\n",
        ),
    ];
    let folder = folder(&files);
    fs::create_dir(folder.path().join("headers")).unwrap();
    fs::write(folder.path().join("headers/far.h"), "float far() { return 20; }\n").unwrap();
    let shade = |args: &[&str]| {
        let output = run(folder.path(), &[&["shade", "--print", "main.osl"], args].concat());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text + &String::from_utf8_lossy(&output.stderr))
    };
    let (code, text) = shade(&["-I", "headers", "-DEXTRA=300"]);
    assert!(code == Some(0) && text.contains("r : 321"), "{text}");
    let (code, text) = shade(&["-Iheaders", "-D", "EXTRA", "-UUNKNOWN"]);
    assert!(code == Some(0) && text.contains("r : 22"), "{text}");
    let (code, text) = shade(&["-Iheaders", "-DEXTRA", "-UEXTRA"]);
    assert!(code == Some(1) && text.contains("unknown name `EXTRA`"), "{text}");
    let (code, text) = shade(&["-DEXTRA"]);
    assert!(code == Some(1) && text.contains("the wrong one"), "{text}");
    let (code, text) = shade(&["-Inone", "-I", "far.h", "-Iheaders", "-DEXTRA=300"]);
    assert!(code == Some(0) && text.contains("r : 321"), "{text}");
    for words in ["warning: 'none' (-I) does not exist", "'far.h' (-I) is not a folder"] {
        assert!(text.contains(words), "{text}");
    }
    assert!(!text.contains("'headers'"), "{text}");

    // A scene reads the same sources, and units imported by a file are available to the scene.
    let text = scene("import \"user.ksl\";\nmaterial a = user();\nmaterial b = lib_matte();\n");
    fs::write(folder.path().join("a.kiln"), text).unwrap();
    let output = run(folder.path(), &["check", "-I", "headers", "-DEXTRA=1", "a.kiln", "main.osl"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    fs::write(folder.path().join("b.ksl"), "import \"missing.ksl\";\nimport \"a.kiln\";\n").unwrap();
    let output = run(folder.path(), &["check", "b.ksl"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("cannot find `missing.ksl`"), "{message}");
}
