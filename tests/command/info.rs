//! Command line tests of `kiln info` and `kiln check`: units, groups, scenes, models, no argument.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::program::folder;
use crate::program::program;
use renderer::material::library;
use renderer::scene::load::{LoadOptions, load};
use serde_json::{Value as Json, json as value};
use tempfile::TempDir;

fn kiln(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = program(folder).args(args).output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

fn json(folder: &Path, args: &[&str]) -> Json {
    let (status, out, err) = kiln(folder, args);
    assert_eq!(status, Some(0), "{err}");
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
}

/// The `name` members of a JSON list.
fn names(list: &Json) -> Vec<&str> {
    let things = list.as_array().unwrap().iter();
    things.map(|thing| thing["name"].as_str().unwrap()).collect()
}

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

#[test]
fn no_argument_lists_all_shipped_units() {
    let here = folder(&[]);
    let (status, out, err) = kiln(here.path(), &["info"]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    let list = json(here.path(), &["info", "--json"]);
    let mut found = names(&list);
    found.sort_unstable();
    let mut all = library::names();
    all.sort_unstable();
    assert_eq!(found, all);
    for unit in list.as_array().unwrap() {
        let of = |key: &str| unit[key].as_str().unwrap();
        let line = out
            .lines()
            .find(|line| line.trim_start().starts_with(&format!("{} ", of("name"))));
        assert!(line.is_some_and(|line| line.ends_with(of("help"))), "{unit}\n{out}");
        assert!(out.lines().any(|line| line == of("category")), "{unit}\n{out}");
        assert_ne!(of("category"), "other", "{unit}");
    }
}

/// Text and JSON list the complete contents of a scene.
#[test]
fn scenes_and_models_list_their_contents() {
    let here = folder(&[("two words.obj", &format!("{TRIANGLE}usemtl red\nf 1 2 3\n"))]);
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes");
    let mut files: Vec<PathBuf> = fs::read_dir(scenes)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "kiln"))
        .collect();
    files.push(here.path().join("two words.obj"));
    for file in files {
        let (desc, _) = load(&file, &LoadOptions::default()).unwrap();
        let file = file.to_str().unwrap();
        let (status, out, err) = kiln(here.path(), &["info", file]);
        assert_eq!((status, err.as_str()), (Some(0), ""), "{file}");
        let list = json(here.path(), &["info", file, "--json"]);
        let expected: [(&str, Vec<&str>); 4] = [
            ("camera", desc.cameras.iter().map(|c| c.name.as_str()).collect()),
            ("light", desc.lights.iter().map(|l| l.name.as_str()).collect()),
            ("shape", desc.shapes.iter().map(|s| &*s.name).collect()),
            ("material", desc.materials.iter().map(|m| m.name.as_str()).collect()),
        ];
        for (keyword, wanted) in expected {
            assert_eq!(names(&list[0][format!("{keyword}s")]), wanted, "{file}");
            for name in wanted {
                assert!(out.contains(&format!("    {keyword} \"{name}\" ")), "{keyword} {name}:\n{out}");
            }
        }
        let has_portal = |light: &Json| light["portals"].as_u64() == Some(1);
        let lights = list[0]["lights"].as_array().unwrap();
        assert_eq!(lights.iter().any(has_portal), out.contains("with a portal"), "{file}");
        assert_eq!(
            file.ends_with("room.kiln") || file.ends_with("light_shafts.kiln"),
            out.contains("with a portal"),
            "{file}"
        );
    }
}

#[test]
fn generated_cameras_of_models_are_marked() {
    let here = folder(&[("a.obj", &format!("{TRIANGLE}f 1 2 3\n"))]);
    let list = json(here.path(), &["info", "a.obj", "--json"]);
    assert_eq!(list[0]["kind"], "model");
    assert_eq!(list[0]["cameras"][0]["made_up"], true);
    assert_eq!(list[0]["shapes"][0]["triangles"], 1);
    assert_eq!(list[0]["bounds"], serde_json::json!([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]]));
}

/// `kiln info` describes images and photon maps.
#[test]
fn images_and_photon_maps_are_described() {
    let here = folder(&[("scene.kiln", &format!("{GROUP}{SCENE}shape t : sphere {{ radius = 2; }}\n"))]);
    let crop = ["--size", "8x8", "--crop", "2,3,6,6", "--spp", "2", "--seed", "7", "-q"];
    let outputs = ["-o", "a.exr", "-o", "a.png", "-o", "a.tif", "-o", "a.hdr", "-o", "a.jpg"];
    let photons = ["--integrator", "photon", "--photon-map", "maps", "--set", "integrator.photons=1000"];
    let words = [&["render", "scene.kiln"][..], &crop, &outputs, &photons].concat();
    let (status, _, err) = kiln(here.path(), &words);
    assert_eq!(status, Some(0), "{err}");
    let files = ["a.exr", "a.png", "a.tif", "a.hdr", "a.jpg", "maps"];
    let list = json(here.path(), &[&["info", "--json"], &files[..]].concat());
    let formats: Vec<&Json> = list.as_array().unwrap().iter().map(|entry| &entry["image"]).collect();
    assert_eq!(value!(formats), value!(["EXR", "PNG", "TIFF", "Radiance HDR", "JPEG", null]));
    for image in &list.as_array().unwrap()[..5] {
        assert_eq!(image["size"], value!([4, 3]), "{image}");
    }
    assert_eq!(list[0]["window"], value!({ "position": [2, 3], "size": [8, 8] }));
    assert_eq!(list[0]["channels"][2], value!({ "name": "R", "type": "float" }));
    assert_eq!(list[1]["channels"][0], value!({ "name": "R", "type": "uint8" }));
    let metadata = &list[0]["metadata"];
    let facts = ["kiln.samples", "kiln.seed", "kiln.integrator", "kiln.scene"].map(|key| &metadata[key]);
    assert_eq!(value!(facts), value!(["0..2", "7", "photon", "scene.kiln"]));
    let maps = &list[5]["photon_maps"];
    assert!(
        maps["global"]["stored"].as_u64() > Some(0) && maps["global"]["shot"].as_u64() > Some(0),
        "{maps}"
    );
    assert_eq!(list[5]["scene"].as_str().map(str::len), Some(16));
    let (_, text, _) = kiln(here.path(), &["info", "a.exr", "maps"]);
    for words in ["4 × 3 pixels", "B G R, each a float", "kiln.seed       7", "photon maps", "global"] {
        assert!(text.contains(words), "`{words}` is not in\n{text}");
    }
    // A damaged map is an error.
    let bytes = fs::read(here.path().join("maps")).unwrap();
    fs::write(here.path().join("maps"), &bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(kiln(here.path(), &["info", "maps"]).0, Some(1));
}

/// Files of other formats are not parsed as shader source.
#[test]
fn other_files_are_not_read_as_shaders() {
    let long = format!("{{\"asset\": {{\"version\": \"2.0\"}}, \"x\": \"{}\"", "y".repeat(100_000));
    let here = folder(&[("a.gltf", &long), ("a.png", &long), ("a.glb", &long), ("a.ply", &long)]);
    for command in ["info", "shade", "check"] {
        for file in ["a.gltf", "a.png", "a.glb", "a.ply", "a.gltf:x"] {
            let (status, out, err) = kiln(here.path(), &[command, file]);
            assert_eq!(status, Some(1), "{command} {file}");
            assert!(out.is_empty() && !err.is_empty(), "{command} {file}: {out}");
            assert!(err.len() < 1000, "{command} {file} says {} bytes", err.len());
        }
    }
}

const GROUP: &str = "group a(output closure color surface) { matte m(albedo = 0.5); surface = m.surface; }\n";
const SCENE: &str = "camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); }\nlight l : point { }\n\
                     material x = a();\nshape s : sphere { material = x; }\n";

#[test]
fn check_summarises_its_inputs() {
    let here = folder(&[
        (
            "unit.ksl",
            "surface u(output closure color surface = 0) { surface = diffuse(N); }\n",
        ),
        ("groups.kiln", &GROUP.replace("group a", "group b")),
        ("scene.kiln", &format!("{GROUP}{SCENE}")),
        ("model.obj", &format!("{TRIANGLE}f 1 2 3\n")),
    ]);
    let said = |files: &[&str]| {
        let (status, out, err) = kiln(here.path(), &[&["check"], files].concat());
        assert_eq!((status, err.as_str()), (Some(0), ""), "{files:?}");
        out
    };
    assert_eq!(
        said(&["unit.ksl", "groups.kiln", "scene.kiln", "model.obj"]),
        "4 files: 1 unit, 2 groups, 1 scene, 1 model: no mistakes\n"
    );
    // A file that only declares groups for import is not a scene and needs no camera.
    assert_eq!(said(&["groups.kiln"]), "1 file: 1 group: no mistakes\n");
}

/// A missing camera is reported together with all other errors.
#[test]
fn a_missing_camera_hides_no_other_errors() {
    let scene = SCENE.split_once('\n').unwrap().1;
    let wrong = GROUP.replace("albedo", "albdo");
    let here = folder(&[
        ("blind.kiln", &format!("{GROUP}{scene}")),
        ("wrong.kiln", &format!("{wrong}{scene}")),
        ("groups.kiln", &wrong),
    ]);
    for (file, camera, input) in [("blind.kiln", 1, 0), ("wrong.kiln", 1, 1), ("groups.kiln", 0, 1)] {
        let (status, _, err) = kiln(here.path(), &["check", file]);
        assert_eq!(status, Some(1), "{file}");
        assert_eq!(err.matches("has no camera").count(), camera, "{file}:\n{err}");
        assert_eq!(err.matches("has no input `albdo`").count(), input, "{file}:\n{err}");
    }
}

/// An error in a group is reported once, regardless of the number of groups, materials and files that use it.
#[test]
fn an_error_is_reported_once() {
    let groups = "group a(output closure color surface) { matte m(albdo = 0.5); surface = m.surface; }\n\
                  group b(output closure color surface) { a one(); surface = one.surface; }\n\
                  group c(output closure color surface) { b two(); a three(); surface = two.surface + three.surface; }\n";
    let scene = format!("import \"groups.ksl\";\n{SCENE}material y = c();\nmaterial z = b();\n");
    let here = folder(&[
        ("groups.ksl", groups),
        ("groups.kiln", groups),
        ("one.kiln", &scene),
        ("two.kiln", &scene),
        ("whole.kiln", &format!("{groups}{SCENE}material y = c();\n")),
    ]);
    for files in [
        &["groups.ksl"][..],
        &["groups.kiln"],
        &["one.kiln"],
        &["whole.kiln"],
        &["one.kiln", "two.kiln", "groups.ksl"],
    ] {
        let (status, out, err) = kiln(here.path(), &[&["check"], files].concat());
        assert_eq!((status, out.as_str()), (Some(1), ""), "{files:?}");
        assert_eq!(err.matches("has no input `albdo`").count(), 1, "{files:?}:\n{err}");
        assert!(err.contains(&format!("{} with mistakes", files.len())), "{err}");
    }
    // Equal errors at two places are reported twice.
    let twice = groups.replace(
        "group c",
        "group d(output closure color surface) { matte m(albdo = 0.5); surface = m.surface; }\ngroup c",
    );
    fs::write(here.path().join("groups.ksl"), twice).unwrap();
    let (_, _, err) = kiln(here.path(), &["check", "groups.ksl"]);
    assert_eq!(err.matches("has no input `albdo`").count(), 2, "{err}");
}

/// A warning about a closure without its full effect is reported once, at the call, for all materials that use it.
#[test]
fn closures_without_full_effect_cause_one_warning() {
    let unit = "surface u(output closure color surface = 0) { surface = debug(\"seen\") + diffuse(N); }\n";
    let scene = SCENE.replace("a()", "u()") + "material y = u();\n";
    let here = folder(&[
        ("unit.ksl", unit),
        ("whole.kiln", &format!("{unit}{scene}")),
        ("scene.kiln", &format!("import \"unit.ksl\";\n{scene}")),
    ]);
    for files in [&["unit.ksl"][..], &["whole.kiln"], &["scene.kiln"], &["unit.ksl", "scene.kiln"]] {
        let (status, _, err) = kiln(here.path(), &[&["check"], files].concat());
        assert_eq!(status, Some(0), "{files:?}:\n{err}");
        assert_eq!(err.matches("closure `debug`").count(), 1, "{files:?}:\n{err}");
    }
}

/// Values computed from a number out of range cause no further errors.
#[test]
fn a_number_out_of_range_is_one_error() {
    let scene = "camera main : perspective { fov = 1e39; }\nfilm { size = (1e39, 4); }\n\
                 shape ball : sphere { radius = 1e39; transform = scale(1e39); }\n";
    let here = folder(&[("a.kiln", scene), ("a.ksl", "shader a() { float list[99999999999999999999]; }\n")]);
    for (file, count) in [("a.kiln", 4), ("a.ksl", 1)] {
        let (status, _, err) = kiln(here.path(), &["check", file]);
        assert_eq!(status, Some(1));
        assert_eq!(err.matches("error").count(), count, "{err}");
        assert_eq!(err.matches("is not a number that can be represented").count(), count, "{err}");
    }
}

#[test]
fn param_requires_a_shader() {
    let folder = folder(&[("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")]);
    let (status, out, err) = kiln(folder.path(), &["info", "a.obj", "--param", "scale"]);
    assert_eq!((status, &*out), (Some(1), ""));
    assert!(err.contains("--param"), "{err}");
    // With a shader on the command line, its parameter is shown.
    let (status, out, _) = kiln(folder.path(), &["info", "a.obj", "brick", "--param", "scale"]);
    assert!(status == Some(0) && out.contains("\"scale\""), "{out}");
}

#[cfg(unix)]
#[test]
fn file_names_may_be_invalid_utf8() {
    use std::os::unix::ffi::OsStrExt as _;
    for (extension, text, shown) in [
        ("kiln", "camera a : perspective { }\n", "perspective"),
        ("ksl", "shader s(float scale = 3) { }\n", "\"scale\""),
    ] {
        let name = [b"\xff.", extension.as_bytes()].concat();
        let name = std::ffi::OsStr::from_bytes(&name);
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join(name), text).unwrap();
        for command in ["info", "check"] {
            let mut line = program(folder.path());
            line.args([command.as_ref(), name]);
            let output = line.output().unwrap();
            let out = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{command} {extension}: {output:?}");
            assert!(command == "check" || out.contains(shown), "{extension}: {out}");
        }
    }
}

#[test]
fn param_belongs_to_the_last_shader_of_a_file() {
    let folder = folder(&[(
        "two.ksl",
        "shader first(float x = 1, float y = 2, output float r = 0) { r = x + y; }
        shader last(float x = 3, output float r = 0) { r = x; }\n",
    )]);
    let (status, out, err) = kiln(folder.path(), &["info", "two.ksl", "--param", "x"]);
    assert_eq!(status, Some(0), "{err}");
    assert!(out.contains('3') && !out.contains('1'), "{out}");
    let (status, _, err) = kiln(folder.path(), &["info", "two.ksl", "--param", "y"]);
    assert_eq!(status, Some(1));
    assert!(err.contains("`last` has no parameter `y`"), "{err}");
    let (status, out, _) = kiln(folder.path(), &["info", "two.ksl:first", "--param", "y"]);
    assert_eq!(status, Some(0));
    assert!(out.contains('2'), "{out}");
}

#[test]
fn unused_instances_are_checked() {
    let folder = folder(&[
        (
            "wrong.ksl",
            "group g(output closure color surface) { matte m(); nothing n(); surface = m.surface; }\n",
        ),
        (
            "unread.ksl",
            "group g(output closure color surface) { matte m(); matte n(); surface = m.surface; }\n",
        ),
    ]);
    for command in [&["check", "wrong.ksl"][..], &["graph", "wrong.ksl", "-o", "a.svg"]] {
        let (status, _, err) = kiln(folder.path(), command);
        assert_eq!(status, Some(1), "{command:?}");
        assert!(
            err.contains("unknown unit or group `nothing`") && err.contains("wrong.ksl:1:"),
            "{err}"
        );
    }
    let (status, _, err) = kiln(folder.path(), &["check", "unread.ksl"]);
    assert_eq!(status, Some(0));
    assert!(err.contains("no output depends on instance `n`"), "{err}");
    assert_eq!(kiln(folder.path(), &["check", "--Werror", "unread.ksl"]).0, Some(1));
}

#[test]
fn details_of_a_missing_example_are_an_error() {
    let folder = folder(&[(
        "wavy.ksl",
        "shader wavy\n[[ string example_on = \"cloth\" ]]\n(output color r = 0) { r = u; }\n",
    )]);
    let (status, _, err) = kiln(folder.path(), &["render", "wavy.ksl", "--example", "-o", "a.png"]);
    assert_eq!(status, Some(1));
    assert!(err.contains("`wavy` has `example_on` without `example`"), "{err}");
    assert!(err.contains("wavy.ksl:1:8"), "{err}");
}

/// Intensity 300 (1 − 2θ/π) cd down to the horizon: the flux is 600π (1 − 2/π) lm.
#[test]
fn luminaires_are_described() {
    let lamp = "IESNA:LM-63-2002\n[LUMCAT] cone\nTILT=NONE\n1 1000 1 2 1 1 2 0 0 0\n1 1 10\n0 90\n0\n300 0\n";
    let here = folder(&[("a.ies", lamp), ("b.ies", &lamp[..lamp.len() - 6])]);
    let found = json(here.path(), &["info", "a.ies", "--json"]);
    let lumens = found[0]["lumens"].as_f64().unwrap();
    let expected = 600.0 * std::f64::consts::PI * (1.0 - 2.0 / std::f64::consts::PI);
    assert!((lumens / expected - 1.0).abs() < 1e-4, "{lumens} for {expected}");
    assert_eq!(found[0]["max_candela"], 300.0);
    let (status, out, _) = kiln(here.path(), &["info", "a.ies"]);
    assert_eq!(status, Some(0));
    assert!(out.contains("type C") && out.contains("300.0 cd, at 0.0° to the axis"), "{out}");
    // The curve ends in the row of the centre: nothing is above the horizon.
    let rows: Vec<&str> = out
        .lines()
        .filter(|line| line.contains(['o', '*']) && line.starts_with("    "))
        .collect();
    assert!((11..=14).contains(&rows.len()), "{out}");
    let (status, _, err) = kiln(here.path(), &["info", "b.ies"]);
    assert_eq!(status, Some(1));
    assert!(err.contains("the file ends before"), "{err}");
}

#[test]
fn light_links_are_listed() {
    let scene = "light key : point { illuminates = (ball, \"b*\"); shadows = none; visible_to = glossy; }
        shape ball : sphere { material = emitter(); excludes = floor; shadow_excludes = ball; }
        shape floor : plane { }";
    let here = folder(&[("a.kiln", scene)]);
    let (_, out, err) = kiln(here.path(), &["info", "a.kiln"]);
    let has = |text: &str| assert!(out.contains(text), "{text}: {out} {err}");
    has("point, illuminates \"ball\", \"b*\", shadows of nothing, visible to glossy\n");
    has(", does not illuminate \"floor\", no shadows of \"ball\"\n");
    let list = json(here.path(), &["info", "a.kiln", "--json"]);
    let shapes = &list[0]["shapes"];
    assert_eq!(shapes[0]["links"], "does not illuminate \"floor\", no shadows of \"ball\"");
    assert_eq!(shapes[1]["links"], Json::Null);
}
