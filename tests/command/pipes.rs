//! Pipes and devices in place of files: no command blocks on a pipe, and endless devices are not read.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{HANG, kiln};
use tempfile::TempDir;

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Exit status and messages of a command, which must exit by itself.
fn ends(at: &Path, args: &str) -> (Option<i32>, String) {
    let errors = at.join("errors");
    let mut command = kiln(at, args);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(fs::File::create(&errors).unwrap());
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), fs::read_to_string(&errors).unwrap());
        }
        if start.elapsed() > HANG {
            child.kill().unwrap();
            panic!("kiln {args} waits");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

const SCENE: &str = "camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); fov = 40; }
film { size = (4, 3); }
sampler { spp = 1; }
light sky : environment { color = 1; }
";

/// Scenes that reference a file in every possible statement, by name.
fn scenes(file: &str) -> Vec<(&'static str, String)> {
    let xml = |content: &str| {
        format!(
            "<scene version='3.0.0'>{content}<sensor type='perspective'/><emitter type='constant'/></scene>"
        )
    };
    let kiln = |line: &str| format!("{SCENE}{line}\nmaterial m = matte();\n");
    let gltf = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"buffers":[{"uri":"FILE","byteLength":36}],
"bufferViews":[{"buffer":0,"byteLength":36}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,1]}]}"#;
    vec![
        ("u.kiln", kiln("import \"u.ksl\";")),
        ("i.kiln", kiln(&format!("import \"{file}\";"))),
        ("map.kiln", kiln(&format!("light map : environment {{ map = \"{file}\"; }}"))),
        (
            "mesh.kiln",
            kiln(&format!("shape s : mesh {{ file = \"{file}.ply\"; material = m; }}")),
        ),
        (
            "image.kiln",
            kiln(&format!(
                "material m2 = matte(albedo = image(file = \"{file}\").result);\nshape s : sphere {{ material = m2; }}"
            )),
        ),
        ("m.obj", format!("mtllib {file}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")),
        ("m.gltf", gltf.replace("FILE", file)),
        ("include.xml", xml(&format!("<include filename='{file}'/>"))),
        (
            "spectrum.xml",
            xml(&format!(
                "<shape type='sphere'><bsdf type='diffuse'>\
                 <spectrum name='reflectance' filename='{file}'/></bsdf></shape>"
            )),
        ),
        (
            "ply.xml",
            xml(&format!("<shape type='ply'><string name='filename' value='{file}'/></shape>")),
        ),
        (
            "obj.xml",
            xml(&format!("<shape type='obj'><string name='filename' value='{file}'/></shape>")),
        ),
        (
            "serialized.xml",
            xml(&format!(
                "<shape type='serialized'><string name='filename' value='{file}'/></shape>"
            )),
        ),
        (
            "bitmap.xml",
            xml(&format!(
                "<emitter type='envmap'><string name='filename' value='{file}'/></emitter>"
            )),
        ),
    ]
}

#[test]
fn scenes_that_name_pipes_and_devices_are_refused_at_once() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    for name in ["pipe", "pipe.ply", "pipe.zip", "pipe.kiln", "pipe.glb", "pipe.xml"] {
        make_pipe(&at.join(name));
    }
    for file in ["pipe", "/dev/zero"] {
        let unit = format!("#include \"{file}\"\nsurface x(output closure color surface = 0) {{ }}\n");
        fs::write(at.join("u.ksl"), unit).unwrap();
        for (name, text) in scenes(file) {
            fs::write(at.join(name), text).unwrap();
            let (status, message) = ends(at, &format!("render {name} --spp 1 -o o.png"));
            // An OBJ model renders without its material library.
            let expected = if name == "m.obj" { 0 } else { 1 };
            assert_eq!(status, Some(expected), "{name} with {file}: {message}");
            assert!(!message.is_empty(), "{name} with {file}");
        }
    }
    for name in ["pipe.zip", "pipe.kiln", "pipe.glb", "pipe.xml", "pipe.ply"] {
        assert_eq!(ends(at, &format!("render {name} -o o.png")).0, Some(1), "{name}");
        assert_eq!(ends(at, &format!("info {name}")).0, Some(1), "{name}");
    }
}

#[test]
fn pipes_next_to_an_output_do_not_block() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::write(at.join("a.kiln"), SCENE).unwrap();
    make_pipe(&at.join(".kiln-o.png-x.tmp"));
    let (status, message) = ends(at, "render a.kiln -o o.png");
    assert_eq!(status, Some(0), "{message}");
    let unit = "shader y(output float r = 0) { fprintf(\"pipe\", \"text\"); }\n";
    fs::write(at.join("y.ksl"), unit).unwrap();
    make_pipe(&at.join("pipe"));
    ends(at, "shade y.ksl");
}
