//! Mitsuba 3 importer: a scene for each feature against Mitsuba's image (`mitsuba/make.py` makes both); diagnostics
//! with lines; fuzzing.
//!
//! `KILN_REFERENCE_FACTOR=8 cargo test --release --workspace --test formats mitsuba::` uses eight times the samples;
//! `KILN_FUZZ_SECONDS=600` damages text for ten minutes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use glam::Mat3;
use renderer::render::SampleUnit;
use renderer::scene::desc::{LightKind, SceneDesc};
use renderer::scene::import::SceneImportOptions;
use renderer::scene::load::{LoadOptions, load};
use shading::Diagnostics;
use support::random::Random;
use support::reference::{Effort, judge};

/// Pictures of a scene, and samples of each. The variance of their mean is about half of that of Mitsuba's picture.
const SEEDS: u64 = 4;
const SPP: u64 = 24;
const MIN_ACCEPTED: f64 = 0.99;
/// Minimum accepted share for scenes that differ on purpose at some pixels: Mitsuba is black where a tilted normal
/// faces away from the viewer, Kiln turns the normal towards the viewer.
const DIFFERENT: [(&str, f64); 1] = [("normalmap", 0.97)];
const MAX_MEAN_ERROR: f64 = 0.005;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("mitsuba")
}

/// The scenes with their names.
fn scenes() -> Vec<(String, PathBuf)> {
    let mut scenes: Vec<_> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "xml"))
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path))
        .collect();
    scenes.sort();
    scenes
}

#[test]
fn scenes_match_mitsubas_pictures() {
    let factor = number("KILN_REFERENCE_FACTOR").unwrap_or(1);
    let scenes = scenes();
    assert!(scenes.len() > 70, "{} scenes", scenes.len());
    let mut wrong = vec![];
    for (name, path) in scenes {
        let effort = Effort {
            seeds: SEEDS,
            spp: SPP * factor,
            unit: SampleUnit::Path,
            shrink: 1,
        };
        let verdict = judge(&name, &path, &folder(), effort);
        println!("{}", verdict.text);
        let mean_is_wrong = verdict.mean_error.abs() > MAX_MEAN_ERROR.max(3.0 * verdict.mean_sigma);
        let different = DIFFERENT.iter().find(|(different, _)| *different == name);
        let min_accepted = different.map_or(MIN_ACCEPTED, |&(_, accepted)| accepted);
        if mean_is_wrong || verdict.accepted < min_accepted {
            wrong.push(format!("{}; pictures are in {}", verdict.text, verdict.dump().display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn scenes_have_no_warnings() {
    for (name, path) in scenes() {
        let (_, warnings) =
            load(&path, &LoadOptions::default()).unwrap_or_else(|errors| panic!("{name}: {errors}"));
        assert!(warnings.list.is_empty(), "{name}: {warnings}");
    }
}

/// A scene in a folder of its own.
fn loaded(text: &str, options: SceneImportOptions) -> Result<(SceneDesc, Diagnostics), Diagnostics> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.xml");
    fs::write(&path, text).unwrap();
    // An included file that includes the scene.
    fs::write(
        folder.path().join("circle.xml"),
        "<scene version=\"3.0.0\"><include filename=\"scene.xml\"/></scene>",
    )
    .unwrap();
    let options = LoadOptions { import: options, ..LoadOptions::default() };
    load(&path, &options)
}

/// A scene whose third line is `line`.
fn around(line: &str) -> String {
    format!(
        "<scene version=\"3.0.0\">\n<sensor type=\"perspective\"/>\n{line}\n<shape type=\"sphere\" id=\"ball\"/>\n</scene>\n"
    )
}

#[test]
fn emitters_may_be_referenced_and_projectors_need_no_texture() {
    let emitters = "<emitter type=\"area\" id=\"glow\"><rgb name=\"radiance\" value=\"3\"/></emitter>
        <shape type=\"sphere\"><ref id=\"glow\"/></shape>
        <emitter type=\"projector\"><rgb name=\"irradiance\" value=\"2\"/></emitter>";
    let (desc, warnings) =
        loaded(&around(emitters), SceneImportOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    assert!(warnings.list.is_empty(), "{warnings}");
    assert_eq!((desc.shapes.len(), desc.lights.len()), (2, 1));
    let lost = "<emitter type=\"area\"/>";
    let errors = loaded(&around(lost), SceneImportOptions::default())
        .map(|_| ())
        .expect_err("it has no shape");
    assert!(errors.to_string().contains("is part of a shape"), "{errors}");
}

#[test]
fn errors_have_their_line() {
    let laughs = "<!DOCTYPE lolz [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>\n<scene version=\"3.0.0\">&b;</scene>";
    let shape = |inner: &str| around(&format!("<shape type=\"sphere\">{inner}</shape>"));
    let cases: &[(String, &[&str])] = &[
        ("no XML at all".to_owned(), &["scene.xml:1", "not well-formed XML"]),
        (laughs.to_owned(), &["scene.xml:1", "not well-formed XML"]),
        ("<scene>\n</scene>".to_owned(), &["scene.xml:1", "`version`"]),
        (
            "<bsdf version=\"3.0.0\" type=\"diffuse\"/>".to_owned(),
            &["scene.xml:1", "begins with <scene>"],
        ),
        (
            around("<shap type=\"sphere\"/>"),
            &["scene.xml:3", "<shap>", "did you mean `shape`"],
        ),
        (around("<shape/>"), &["scene.xml:3", "needs the attribute `type`"]),
        (around("<shape typ=\"sphere\"/>"), &["scene.xml:3", "no attribute `typ`"]),
        (
            shape("<float name=\"radius\" value=\"abc\"/>"),
            &["scene.xml:3", "`abc` is not a number"],
        ),
        (
            shape("<float name=\"radius\" value=\"-1\"/>"),
            &["scene.xml:3", "`radius` is to be more than 0"],
        ),
        (
            shape("<string name=\"radius\" value=\"1\"/>"),
            &["scene.xml:3", "`radius` is to be a number"],
        ),
        (
            shape("<boolean name=\"flip_normals\" value=\"yes\"/>"),
            &["scene.xml:3", "`yes` is neither"],
        ),
        (
            shape("<point name=\"center\" value=\"1 2\"/>"),
            &["scene.xml:3", "one number or three"],
        ),
        (
            shape("<transform name=\"to_world\"><scale value=\"0\"/></transform>"),
            &["scene.xml:3", "has no inverse"],
        ),
        (
            shape("<transform name=\"to_world\"><matrix value=\"1 2 3\"/></transform>"),
            &["scene.xml:3", "9 numbers or 16"],
        ),
        (
            shape(
                "<transform name=\"to_world\"><lookat origin=\"0,0,0\" target=\"0,0,0\" up=\"0,1,0\"/></transform>",
            ),
            &["scene.xml:3", "`lookat`"],
        ),
        (shape("<ref id=\"nobody\"/>"), &["scene.xml:3", "no object `nobody`"]),
        (
            shape("<float name=\"radius\" value=\"$size\"/>"),
            &["scene.xml:3", "no parameter `$size`", "--define"],
        ),
        (
            shape("<bsdf type=\"diffuse\"><rgb name=\"reflectance\" value=\"2\"/></bsdf>"),
            &["scene.xml:3", "between 0 and 1"],
        ),
        (
            shape("<bsdf type=\"dielectric\"><string name=\"int_ior\" value=\"watr\"/></bsdf>"),
            &["scene.xml:3", "`watr`", "did you mean `water`"],
        ),
        (
            shape("<bsdf type=\"conductor\"><string name=\"material\" value=\"Xx\"/></bsdf>"),
            &["scene.xml:3", "no metal `Xx`"],
        ),
        (
            around("<shape type=\"ply\"><string name=\"filename\" value=\"none.ply\"/></shape>"),
            &["scene.xml:3", "none.ply"],
        ),
        (around("<shape type=\"ply\"/>"), &["scene.xml:3", "needs a `filename`"]),
        (
            around("<emitter type=\"envmap\"><string name=\"filename\" value=\"none.exr\"/></emitter>"),
            &["scene.xml:3", "none.exr"],
        ),
        (around("<include filename=\"circle.xml\"/>"), &["deep"]),
        (around("<include filename=\"none.xml\"/>"), &["scene.xml:3", "none.xml"]),
        (
            around(
                "<bsdf type=\"twosided\" id=\"a\"><ref id=\"b\"/></bsdf><bsdf type=\"mask\" id=\"b\"><ref id=\"a\"/></bsdf>",
            ),
            &["scene.xml:3", "is a part of itself"],
        ),
        (
            around("<shape type=\"cube\" id=\"ball\"/>"),
            &["scene.xml:4", "two objects `ball`"],
        ),
        (
            around("<alias id=\"nobody\" as=\"a\"/>"),
            &["scene.xml:3", "no object `nobody`"],
        ),
        (around("some text"), &["scene.xml:2", "some text"]),
    ];
    for (text, words) in cases {
        let Err(errors) = loaded(text, SceneImportOptions::default()) else {
            panic!("accepted:\n{text}");
        };
        let message = errors.to_string();
        for word in *words {
            assert!(message.contains(word), "`{word}` is not in:\n{message}\nof\n{text}");
        }
    }
}

/// Errors that the loader finds after the translation are also reported with their location in the XML.
#[test]
fn errors_after_translation_have_their_line() {
    let tiny = "<shape type=\"sphere\"><float name=\"radius\" value=\"1e-60\"/></shape>";
    let bright = "<emitter type=\"constant\"><spectrum type=\"d65\" name=\"radiance\"><rgb name=\"color\" value=\"1e30\"/>\
        <float name=\"scale\" value=\"1e30\"/></spectrum></emitter>";
    for (line, word) in [(tiny, "`radius` is 0"), (bright, "not finite")] {
        let errors = loaded(&around(line), SceneImportOptions::default()).expect_err(line);
        let message = errors.to_string();
        assert!(message.contains(word) && message.contains("scene.xml:3"), "{message}");
    }
}

/// Errors in included files are reported with their lines; file names in them are relative to the scene.
#[test]
fn errors_in_included_files_name_the_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("parts")).unwrap();
    let part = |radius: &str| {
        format!(
            "<scene version=\"3.0.0\">\n\n\n\n<shape type=\"sphere\"><float name=\"radius\" value=\"{radius}\"/></shape></scene>"
        )
    };
    let path = folder.path().join("scene.xml");
    fs::write(&path, around("<include filename=\"parts/part.xml\"/>")).unwrap();
    fs::write(folder.path().join("parts/part.xml"), part("2")).unwrap();
    let (desc, _) = load(&path, &LoadOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(desc.shapes.len(), 2);
    fs::write(folder.path().join("parts/part.xml"), part("1e-60")).unwrap();
    let errors = load(&path, &LoadOptions::default())
        .map(|_| ())
        .expect_err("the sphere is a point");
    assert!(errors.to_string().contains("part.xml:5"), "{errors}");
}

/// References make large materials from short files.
#[test]
fn exponentially_large_materials_are_refused() {
    let ball = |id: usize| format!("<shape type=\"sphere\"><ref id=\"m{id}\"/></shape>");
    let reference = |id: usize| format!("<ref id=\"m{id}\"/>");
    let chain = |first: &str, next: &dyn Fn(usize) -> String, count: usize| {
        let links: String = (1..=count).map(next).collect();
        around(&format!("{first}{links}{}", ball(count)))
    };
    let diffuse = "<bsdf type=\"diffuse\" id=\"m0\"/>";
    let blend = |id: usize| {
        let part = reference(id - 1);
        format!(
            "<bsdf type=\"blendbsdf\" id=\"m{id}\"><float name=\"weight\" value=\"0.5\"/>{part}{part}</bsdf>"
        )
    };
    let mask = |id: usize| format!("<bsdf type=\"mask\" id=\"m{id}\">{}</bsdf>", reference(id - 1));
    let checkers = |count: usize| {
        let square = "<texture type=\"checkerboard\" id=\"t0\"/>".to_owned();
        let next = |id: usize| {
            let part = |name: &str| format!("<ref name=\"{name}\" id=\"t{}\"/>", id - 1);
            let [a, b] = ["color0", "color1"].map(part);
            format!("<texture type=\"checkerboard\" id=\"t{id}\">{a}{b}</texture>")
        };
        let links: String = (1..=count).map(next).collect();
        let bsdf =
            format!("<bsdf type=\"diffuse\" id=\"m0\"><ref name=\"reflectance\" id=\"t{count}\"/></bsdf>");
        around(&format!("{square}{links}{bsdf}{}", ball(0)))
    };
    for good in [chain(diffuse, &blend, 4), chain(diffuse, &mask, 30), checkers(4)] {
        let loaded = loaded(&good, SceneImportOptions::default());
        let (desc, _) = loaded.unwrap_or_else(|errors| panic!("{errors}"));
        assert!(renderer::scene::build::check(&desc).is_ok());
    }
    for (text, word) in [
        (chain(diffuse, &blend, 60), "refer to each other so often"),
        (checkers(60), "refer to each other so often"),
        (chain(diffuse, &mask, 5000), "nested too deeply"),
    ] {
        let begin = Instant::now();
        let errors = loaded(&text, SceneImportOptions::default()).map(|_| ()).expect_err(word);
        let message = errors.to_string();
        assert!(message.contains(word) && message.contains("scene.xml:3"), "{message}");
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?} for `{word}`", begin.elapsed());
    }
}

#[test]
fn unsupported_features_are_warnings_or_in_strict_mode_errors() {
    let heights = concat!(env!("CARGO_MANIFEST_DIR"), "/mitsuba/data/heights.exr");
    let texture =
        format!("<texture type=\"bitmap\"><string name=\"filename\" value=\"{heights}\"/></texture>");
    let relief = |plugin: &str, inner: &str| format!("<bsdf type=\"{plugin}\">{texture}{inner}</bsdf>");
    let bent_twice = relief("normalmap", &relief("bumpmap", "<bsdf type=\"diffuse\"/>"));
    let cases = [
        (around("<shape type=\"sdfgrid\"/>"), "`sdfgrid`"),
        (around("<shape type=\"sphere\"><bsdf type=\"hair\"/></shape>"), "`hair`"),
        (
            around(
                "<shape type=\"sphere\"><medium type=\"homogeneous\" name=\"interior\"><phase type=\"sggx\"/></medium></shape>",
            ),
            "`sggx`",
        ),
        (
            around(
                "<shape type=\"sphere\"><medium type=\"homogeneous\" name=\"exterior\"/></shape><shape type=\"cube\"><medium type=\"homogeneous\" name=\"exterior\"/></shape>",
            ),
            "in one medium",
        ),
        (
            around(
                "<shape type=\"sphere\"><medium type=\"homogeneous\" name=\"exterior\"/></shape><emitter type=\"constant\"/>",
            ),
            "without an end",
        ),
        (
            around(
                "<shape type=\"sphere\"><medium type=\"heterogeneous\" name=\"interior\"><volume type=\"cloudvolume\" name=\"sigma_t\"/></medium></shape>",
            ),
            "`cloudvolume`",
        ),
        (
            around(
                "<shape type=\"sphere\"><medium type=\"homogeneous\" name=\"interior\"><phase type=\"tabphase\"><string name=\"values\" value=\"0, 0, 9, 0, 0\"/></phase></medium></shape>",
            ),
            "tables of phase functions",
        ),
        (around("<emitter type=\"volumetric\"/>"), "`volumetric`"),
        (
            around("<integrator type=\"stokes\"><integrator type=\"path\"/></integrator>"),
            "`stokes`",
        ),
        (around("<integrator type=\"spectrum\"/>"), "`spectrum`"),
        (
            around(
                "<shape type=\"sphere\"><bsdf type=\"measured\"><string name=\"filename\" value=\"a\"/></bsdf></shape>",
            ),
            "`measured`",
        ),
        (
            around(
                "<shape type=\"cube\"><bsdf type=\"diffuse\"><texture type=\"mesh_attribute\" name=\"reflectance\"><string name=\"name\" value=\"vertex_heat\"/></texture></bsdf></shape>",
            ),
            "`vertex_heat`",
        ),
        (
            around(&format!("<shape type=\"sphere\">{bent_twice}</shape>")),
            "one alone bends normals",
        ),
    ];
    for (text, word) in cases {
        let (desc, warnings) =
            loaded(&text, SceneImportOptions::default()).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
        assert!(
            desc.shapes.iter().any(|shape| &*shape.name == "ball"),
            "the rest of the scene is there"
        );
        let message = warnings.to_string();
        assert!(!message.contains("is unknown in"), "{message}");
        assert!(message.contains(word) && message.contains("scene.xml:3"), "{message}");
        let strict = SceneImportOptions { strict: true, ..SceneImportOptions::default() };
        let errors = loaded(&text, strict).expect_err("strictness");
        assert!(errors.to_string().contains(word), "{errors}");
    }
}

/// A medium that is the exterior of one shape and the interior of another causes no warning.
#[test]
fn exterior_media_may_be_interior_media_of_other_shapes() {
    let amber = |inside: &str| format!("<medium type=\"homogeneous\" id=\"amber\">{inside}</medium>");
    let text = around(&format!(
        "{}<shape type=\"sphere\"><ref name=\"interior\" id=\"amber\"/></shape>
         <shape type=\"cube\"><ref name=\"exterior\" id=\"amber\"/>
           <emitter type=\"area\"><ref id=\"amber\"/></emitter></shape>
         <emitter type=\"point\"><ref id=\"amber\"/></emitter>",
        amber("<rgb name=\"albedo\" value=\"0\"/>")
    ));
    let (_, warnings) =
        loaded(&text, SceneImportOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(warnings.list.is_empty(), "{warnings}");
}

#[test]
fn media_of_old_files_and_sensors_are_read() {
    let old = "<scene version=\"0.5.0\">
        <sensor type=\"perspective\"><ref id=\"fog\"/></sensor>
        <medium type=\"homogeneous\" id=\"fog\"><rgb name=\"sigmaA\" value=\"1 2 3\"/><rgb name=\"sigmaS\" value=\"1\"/></medium>
        <shape type=\"sphere\"><ref name=\"exterior\" id=\"fog\"/>
          <medium type=\"homogeneous\" name=\"interior\"><rgb name=\"sigmaS\" value=\"2\"/></medium></shape>
        </scene>";
    let (desc, warnings) =
        loaded(old, SceneImportOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(warnings.list.is_empty(), "{warnings}");
    let medium = desc.medium.expect("it is in fog");
    assert_eq!(desc.materials[medium.0 as usize].name, "scene.medium");
    // The shape has no bsdf: in an old file it is a null interface.
    let ball = format!("{:?}", desc.materials);
    assert!(ball.contains("cutout"), "{ball}");
}

#[test]
fn declared_latin_1_texts_are_read() {
    let scene = "<!-- T\u{f6}nung --><scene version=\"3.0.0\"><shape type=\"sphere\"/></scene>";
    let read = |declaration: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scene.xml");
        let text = format!("{declaration}{scene}");
        fs::write(&path, text.chars().map(|c| c as u8).collect::<Vec<_>>()).unwrap();
        load(&path, &LoadOptions::default()).map_err(|errors| errors.to_string())
    };
    read("<?xml version=\"1.0\" encoding='ISO-8859-1'?>").unwrap_or_else(|errors| panic!("{errors}"));
    for declaration in ["", "<?xml version=\"1.0\" encoding=\"koi8-r\"?>"] {
        let errors = read(declaration).expect_err("it is not a text");
        assert!(errors.contains("save it in UTF-8"), "{errors}");
    }
}

#[test]
fn scenes_without_a_sensor_cause_an_error_with_a_hint() {
    let (desc, _) = loaded(
        "<scene version=\"3.0.0\"><shape type=\"sphere\"/></scene>",
        SceneImportOptions::default(),
    )
    .unwrap_or_else(|errors| panic!("{errors}"));
    let error = desc.camera(None).expect_err("it has no camera").to_string();
    assert!(error.contains("hint: add one: `<sensor"), "{error}");
}

#[test]
fn transforms_with_other_effects_cause_warnings() {
    let placed = |tag: &str, plugin: &str, scale: &str| {
        let scale = format!("<transform name=\"to_world\"><scale value=\"{scale}\"/></transform>");
        around(&format!("<{tag} type=\"{plugin}\">{scale}</{tag}>"))
    };
    for (tag, plugin, scale, word) in [
        ("shape", "sphere", "2, 1, 1", "ellipsoid"),
        ("emitter", "spot", "2, 1, 1", "stretches this light"),
        ("emitter", "projector", "2, 1, 1", "stretches this light"),
    ] {
        let (_, warnings) = loaded(&placed(tag, plugin, scale), SceneImportOptions::default())
            .unwrap_or_else(|errors| panic!("{errors}"));
        assert!(warnings.to_string().contains(word), "{plugin}: {warnings}");
        let (_, warnings) = loaded(&placed(tag, plugin, "-2.0003, 2, 2"), SceneImportOptions::default())
            .unwrap_or_else(|errors| panic!("{errors}"));
        assert!(warnings.list.is_empty(), "{plugin}: {warnings}");
    }
}

#[test]
fn files_before_version_2_spell_look_at_with_a_capital() {
    let camera = |version: &str, to_world: &str, step: &str| {
        let text = format!(
            "<scene version=\"{version}\"><sensor type=\"perspective\"><transform name=\"{to_world}\"><{step} \
             origin=\"1, 2, 5\" target=\"0, 1, 0\" up=\"0, 1, 0\"/></transform></sensor><shape type=\"sphere\"/></scene>"
        );
        let (desc, warnings) =
            loaded(&text, SceneImportOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
        assert!(warnings.list.is_empty(), "{warnings}");
        format!("{:?}", desc.cameras[0].camera)
    };
    let today = camera("3.0.0", "to_world", "lookat");
    assert_eq!(camera("0.5.0", "toWorld", "lookAt"), today);
    assert_eq!(camera("0.5.0", "toWorld", "lookat"), today);
}

#[test]
fn environment_maps_are_only_rotated() {
    let sky = folder().join("data/sky.exr");
    let text = |steps: &str| {
        around(&format!(
            "<emitter type=\"envmap\"><string name=\"filename\" value=\"{}\"/><transform name=\"to_world\">{steps}\
             </transform></emitter>",
            sky.display()
        ))
    };
    let turn = "<rotate y=\"1\" angle=\"30\"/>";
    for (steps, warns) in [
        (turn.to_owned(), false),
        (format!("<scale value=\"1.0004\"/>{turn}"), false),
        (format!("<scale value=\"2\"/>{turn}"), true),
        (format!("<scale value=\"1, 3, 2\"/>{turn}"), true),
    ] {
        let (desc, warnings) = loaded(&text(&steps), SceneImportOptions::default())
            .unwrap_or_else(|errors| panic!("{steps}: {errors}"));
        assert_eq!(!warnings.list.is_empty(), warns, "{steps}: {warnings}");
        let LightKind::Environment { world_from_map, .. } = &desc.lights[0].kind else {
            panic!("{steps}: it is not an environment")
        };
        let turn = Mat3::from_rotation_y(30_f32.to_radians());
        assert!(world_from_map.abs_diff_eq(turn, 1e-5), "{steps}: {world_from_map}");
    }
}

#[test]
fn escaped_dollar_signs_are_literal() {
    let text = around("<default name=\"a\" value=\"b\"/><shape type=\"sphere\" id=\"$a\\$a\"/>");
    let (desc, _) = loaded(&text, SceneImportOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(desc.shapes.iter().any(|shape| &*shape.name == "b$a"));
}

#[test]
fn command_line_parameters_override_defaults() {
    let text = around(
        "<default name=\"size\" value=\"2\"/><shape type=\"sphere\" id=\"big\"><float name=\"radius\" value=\"$size\"/></shape>",
    );
    for (define, radius) in [(None, 2.0), (Some("3"), 3.0)] {
        let defines = define.map(|value| ("size".to_owned(), value.to_owned()));
        let options = SceneImportOptions {
            defines: defines.into_iter().collect(),
            ..SceneImportOptions::default()
        };
        let (desc, _) = loaded(&text, options).unwrap();
        let shape = desc.shapes.iter().find(|shape| &*shape.name == "big").unwrap();
        let (_, placed) = shape.geometry.build();
        assert_eq!((shape.world_from_object * placed).matrix3.x_axis.length(), radius);
    }
}

/// A copy of a text with a few bytes or words changed.
fn damaged(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(3) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        let length = (1 + random.below(20)).min(bytes.len() - at);
        match random.below(7) {
            0 => drop(bytes.drain(at..at + length)),
            1 => bytes[at] = random.below(256) as u8,
            2 => {
                let copy = bytes[at..at + length].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, copy);
            }
            3 => {
                if let Some(digit) = bytes[at..].iter_mut().find(|byte| byte.is_ascii_digit()) {
                    *digit = b'0' + random.below(10) as u8;
                }
            }
            _ => {
                const WORDS: &[&str] = &[
                    "<",
                    ">",
                    "\"",
                    "/>",
                    "$",
                    "-1",
                    "0",
                    "1e30",
                    "nan",
                    "99999999999",
                    "<ref id=\"ball\"/>",
                    "&lt;",
                    "\u{feff}",
                    "<bsdf type=\"twosided\">",
                    "</bsdf>",
                    "name=\"to_world\"",
                    "<!--",
                    "-->",
                    "type=\"mask\"",
                    "type=\"obj\"",
                ];
                let word = WORDS[random.below(WORDS.len())];
                bytes.splice(at..at, word.bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_scenes_load_or_cause_errors() {
    let time = number("KILN_FUZZ_SECONDS").map(Duration::from_secs);
    let start = Instant::now();
    let texts: Vec<String> = scenes().iter().map(|(_, path)| fs::read_to_string(path).unwrap()).collect();
    let folder = tempfile::tempdir_in(folder()).unwrap();
    let path = folder.path().join("scene.xml");
    let mut random = Random(number("KILN_FUZZ_SEED").unwrap_or(9));
    let (mut accepted, mut count) = (0, 0);
    while time.map_or(count < 600, |time| start.elapsed() < time) {
        let text = &texts[random.below(texts.len())];
        // The data files are outside the folder.
        let text = damaged(&text.replace("\"data/", "\"../data/"), &mut random);
        fs::write(&path, &text).unwrap();
        let begin = Instant::now();
        if let Ok((desc, _)) = load(&path, &LoadOptions::default()) {
            accepted += 1;
            // The shaders of the scene compile or are rejected.
            let _ = renderer::scene::build::check(&desc);
        }
        let is_slow = begin.elapsed() > Duration::from_secs(20);
        assert!(!is_slow, "{:?} for\n{text}", begin.elapsed());
        count += 1;
    }
    println!("{count} texts, {accepted} of them accepted");
    assert!(accepted > count / 100 && accepted < count, "{accepted} of {count} are accepted");
}
