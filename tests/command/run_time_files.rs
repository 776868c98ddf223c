//! Files found while a scene is read or a shader runs: tiles of sets, selected and composed names, headers, spectra.
//! Such files are part of a picture's identity, and outputs do not overwrite them.

use std::fs;
use std::path::Path;

use crate::program::{done, message, refused, run, write_ramp};
use tempfile::TempDir;

const SCENE: &str = "import \"u.ksl\";
camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); fov = 40; }
film { size = (12, 9); }
sampler { spp = 4; }
light sky : environment { color = 1; }
material m = x();
shape s : sphere { radius = 0.6; material = m; }
";

/// Shaders that look up files at run time, and one of these files for each.
const SHADERS: [(&str, &str, &str); 5] = [
    ("tiles", "ud.1002.png", "texture(\"ud.<UDIM>.png\", u * 2, v)"),
    ("chosen", "b.png", "texture(u > 0.5 ? \"a.png\" : \"b.png\", u, v)"),
    ("listed", "b.png", "texture(names[int(u * 2)], u, v)"),
    (
        "chosen set",
        "ud.1001.png",
        "texture(u > 0.5 ? \"a.png\" : \"ud.<UDIM>.png\", u, v)",
    ),
    ("subimage", "a.png", "texture(\"a.png\", u, v, \"subimage\", int(u * 0.9))"),
];

/// A shader that composes a file name.
const COMPOSED: (&str, &str) = ("b.png", "texture(concat(u > 0.5 ? \"a\" : \"b\", \".png\"), u, v)");

fn folder(lookup: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let unit = format!(
        "surface x(output closure color surface = 0) {{ string names[2] = {{ \"a.png\", \"b.png\" }};
             surface = (color){lookup} * diffuse(N); }}\n"
    );
    fs::write(at.join("u.ksl"), unit).unwrap();
    fs::write(at.join("a.kiln"), SCENE).unwrap();
    for name in ["a.png", "b.png", "ud.1001.png", "ud.1002.png"] {
        write_ramp(&at.join(name), 0.3);
    }
    folder
}

const PHOTONS: &str =
    "render a.kiln --integrator photon --set integrator.photons=500 -o o.png --photon-map m";
const BAKE: &str = "bake a.kiln --resolution 32 --samples 1 --integrator path -o out --checkpoint c";

#[test]
fn files_found_at_run_time_belong_to_the_picture() {
    type Change = fn(&Path);
    let changes: [Change; 2] = [|path| write_ramp(path, 0.4), |path| fs::remove_file(path).unwrap()];
    for (name, file, lookup) in SHADERS {
        for change in changes {
            let folder = folder(lookup);
            let at = folder.path();
            done(at, "render a.kiln --samples 0..2 -o a.part");
            done(at, "render a.kiln --samples 2..4 -o b.part");
            done(at, "merge a.part b.part -o o.exr");
            done(at, PHOTONS);
            done(at, BAKE);
            change(&at.join(file));
            if !at.join(file).exists() && name == "subimage" {
                continue;
            }
            done(at, "render a.kiln --samples 2..4 -o c.part -q");
            refused(at, "merge a.part c.part -o m.exr", &["the scene is another one"]);
            let resume = "render a.kiln --checkpoint a.part --resume -o r.exr";
            refused(at, resume, &["the scene is another one"]);
            refused(at, PHOTONS, &["another scene"]);
            refused(at, &format!("{BAKE} --resume"), &["another scene"]);
        }
    }
}

#[test]
fn composed_names_cause_a_warning_when_work_is_reused() {
    let warning = "compose names";
    let folder = folder(COMPOSED.1);
    let at = folder.path();
    let warns = |line: &str| {
        let output = run(at, line);
        let message = message(&output);
        assert!(output.status.success(), "{line}\n{message}");
        message.contains(warning)
    };
    assert!(!warns("render a.kiln --samples 0..2 -o a.part"));
    assert!(!warns("render a.kiln --samples 2..4 -o b.part"));
    assert!(!warns("merge a.part -o o.exr --allow-gaps"));
    assert!(warns("merge a.part b.part -o o.exr"));
    assert!(warns("render a.kiln --checkpoint a.part --resume -o r.exr"));
    for again in [false, true] {
        assert_eq!(warns(PHOTONS), again);
    }
    assert!(!warns(BAKE));
    assert!(warns(&format!("{BAKE} --resume")));
}

#[test]
fn files_read_by_running_shaders_are_not_overwritten() {
    for (_, file, lookup) in SHADERS {
        let folder = folder(lookup);
        let at = folder.path();
        refused(at, &format!("render a.kiln -o {file}"), &[file, "reads it"]);
        refused(at, &format!("render a.kiln -o o.exr --stats {file}"), &[file, "reads it"]);
        let bake = format!("{BAKE} --stats {file}");
        refused(at, &bake, &[file, "reads it"]);
    }
    for (file, lookup) in SHADERS.map(|(_, file, lookup)| (file, lookup)).into_iter().chain([COMPOSED]) {
        let folder = folder(lookup);
        let at = folder.path();
        let unit = format!(
            "shader y(output color result = 0) {{ string names[2] = {{ \"a.png\", \"b.png\" }}; result = {lookup}; }}\n"
        );
        fs::write(at.join("y.ksl"), unit).unwrap();
        for engine in ["", "--interpret"] {
            let line = format!("shade y.ksl {engine} -g 8 8 -o result");
            refused(at, &format!("{line} {file}"), &[file, "reads it"]);
            refused(at, &format!("{line} o.exr --stats={file}"), &[file, "reads it"]);
        }
    }
}

#[test]
fn headers_imports_and_spectra_are_not_overwritten() {
    let folder = folder("0.5");
    let at = folder.path();
    fs::create_dir(at.join("inc")).unwrap();
    for (name, text) in [
        ("q.spd", "400 0.5\n700 0.6\n"),
        (
            "m.xml",
            "<scene version=\"3.0.0\"><sensor type=\"perspective\"/><emitter type=\"constant\"/><shape type=\"sphere\">\
             <bsdf type=\"diffuse\"><spectrum name=\"reflectance\" filename=\"q.spd\"/></bsdf></shape></scene>",
        ),
        ("inc/stdosl.h", "// mine\n"),
        ("my.h", "#define Q 1\n"),
        ("imp.ksl", "float q() { return 1; }\n"),
        (
            "o.osl",
            "#include \"my.h\"\nsurface x(output closure color surface = 0) { surface = Q * diffuse(N); }\n",
        ),
        (
            "i.ksl",
            "import \"imp.ksl\";\n#include \"my.h\"\nshader y(output color result = Q) { result = q(); }\n",
        ),
        ("p.osl", "shader y(output color result = 0) { result = 1; }\n"),
        ("o.kiln", &SCENE.replace("u.ksl", "o.osl")),
    ] {
        fs::write(at.join(name), text).unwrap();
    }
    for (line, file) in [
        ("render m.xml --size 4x4 --spp 1 -o o.png --stats", "q.spd"),
        ("render o.kiln -o o.png -I inc --stats", "inc/stdosl.h"),
        ("render o.kiln -o o.png --stats", "my.h"),
        ("bake o.kiln -o out --stats", "my.h"),
        ("shade i.ksl -g 2 2 -o result o.exr --stats", "my.h"),
        ("shade i.ksl -g 2 2 -o result o.exr --stats", "imp.ksl"),
        ("shade p.osl -g 2 2 -o result o.exr -I inc --stats", "inc/stdosl.h"),
    ] {
        let line = if line.starts_with("shade") {
            format!("{line}={file}")
        } else {
            format!("{line} {file}")
        };
        refused(at, &line, &[file, "reads it"]);
    }
}
