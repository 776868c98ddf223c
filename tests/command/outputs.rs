//! Output safety of all commands: inputs are never overwritten, outputs are checked before the render, results of
//! earlier runs are preserved.

#[cfg(target_os = "linux")]
use std::collections::BTreeSet;
#[cfg(target_os = "linux")]
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

use crate::program::{self, done, files, refused, run};
use renderer::color::Rgb;
use renderer::image::Image;
use tempfile::TempDir;

/// A scene that reads files of all kinds.
const SCENE: &str = "import \"part.kiln\";
import \"unit.ksl\";
import \"m.gltf\" as m;
import \"n.obj\" as n;
film { size = (4, 4); }
sampler { spp = 1; }
camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); }
light sky : environment { map = \"sky.exr\"; }
shape p : mesh { file = \"p.ply\"; material = painted; }
shape q : mesh { file = \"p.ply\"; material = units; }
material painted = matte(albedo = image(file = \"t.png\").result);
material units = unit();
";

const GLTF: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0,"TEXCOORD_0":1},"material":0}]}],
"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],
"textures":[{"source":0}],"images":[{"uri":"u.png"}],
"buffers":[{"uri":"m.bin","byteLength":60}],
"bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":24}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]},
{"bufferView":1,"componentType":5126,"count":3,"type":"VEC2"}]}"#;

const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
                   element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

/// Files that the scene reads.
const INPUTS: [&str; 12] = [
    "a.kiln",
    "part.kiln",
    "unit.ksl",
    "m.gltf",
    "m.bin",
    "u.png",
    "n.obj",
    "n.mtl",
    "v.png",
    "sky.exr",
    "p.ply",
    "t.png",
];

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    let positions: [f32; 15] = [0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 1.];
    let bytes: Vec<u8> = positions.iter().flat_map(|v| v.to_le_bytes()).collect();
    let texts = [
        ("a.kiln", SCENE),
        (
            "part.kiln",
            "material grey = matte(albedo = 0.5);\nshape s : sphere { material = grey; }\n",
        ),
        (
            "unit.ksl",
            "shader unit(output closure color surface = 0) { surface = diffuse(N); }\n",
        ),
        ("m.gltf", GLTF),
        (
            "n.obj",
            "mtllib n.mtl\nusemtl red\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n",
        ),
        ("n.mtl", "newmtl red\nKd 1 0 0\nmap_Kd v.png\n"),
        ("p.ply", PLY),
        ("points.txt", "0 0 1\n"),
    ];
    for (name, text) in texts {
        fs::write(at(name), text).unwrap();
    }
    fs::write(at("m.bin"), bytes).unwrap();
    for name in ["u.png", "v.png", "t.png", "sky.exr"] {
        let image = Image::from_fn(4, 2, |x, _| Rgb::splat(0.2 + 0.1 * x as f32));
        renderer::image::write(&at(name), &image, &Default::default()).unwrap();
    }
    fs::create_dir(at("sub")).unwrap();
    folder
}

/// Another path to the file `name`; an image path if `image`.
#[cfg(unix)]
fn spelling(at: &Path, name: &str, number: usize, image: bool) -> String {
    let link = format!("link{number}.png");
    let _ = fs::remove_file(at.join(&link));
    let kinds = if image && !name.ends_with(".png") && !name.ends_with(".exr") {
        2
    } else {
        5
    };
    match number % kinds {
        0 => {
            std::os::unix::fs::symlink(name, at.join(&link)).unwrap();
            link
        }
        1 => {
            fs::hard_link(at.join(name), at.join(&link)).unwrap();
            link
        }
        2 => name.to_owned(),
        3 => format!("./{name}"),
        _ => format!("sub/../{name}"),
    }
}

#[cfg(unix)]
#[test]
fn inputs_are_not_overwritten() {
    let folder = folder();
    let at = folder.path();
    done(at, "render a.kiln -o first.exr");
    let bake = "bake a.kiln -o out --resolution 64 --samples 1 --integrator path";
    let lines = [
        ("render a.kiln -o", true),
        ("render a.kiln -o o.png --stats", false),
        (
            "render a.kiln -o o.png --integrator photon --set integrator.photons=100 --photon-map",
            false,
        ),
        (&format!("{bake} --stats"), false),
        (&format!("{bake} --checkpoint"), false),
        (&format!("{bake} --resume --checkpoint"), false),
    ];
    let mut number = 0;
    for input in INPUTS {
        for (line, image) in lines {
            let path = spelling(at, input, number, image);
            refused(at, &format!("{line} {path}"), &[&path]);
            number += 1;
        }
    }
    // Files named by options are also inputs.
    for stats in ["points.txt", "sub/../points.txt"] {
        let line = format!("bake a.kiln -o out --target probes --probe-points points.txt --stats {stats}");
        refused(at, &line, &["reads it"]);
    }
    // The default output has the name of the scene.
    fs::copy(at.join("a.kiln"), at.join("t.kiln")).unwrap();
    refused(at, "render t.kiln", &["t.png", "reads it"]);
}

#[test]
fn shaders_and_textures_are_not_overwritten() {
    let folder = folder();
    let at = folder.path();
    fs::write(
        at.join("s.ksl"),
        "shader s(output color Cout = 0) { Cout = texture(\"t.png\", u, v); }\n",
    )
    .unwrap();
    for line in [
        "shade s.ksl --stats=s.ksl",
        "shade s.ksl:s --stats=./s.ksl",
        "shade s.ksl -o Cout t.png",
        "compare t.png u.png -o u.png",
        "compare t.png u.png -o sub/../t.png",
    ] {
        refused(at, line, &["reads it"]);
    }
}

#[cfg(unix)]
#[test]
fn a_bake_into_the_folder_of_its_scene_preserves_the_scene() {
    let folder = folder();
    let at = folder.path();
    let bake = "bake a.kiln --resolution 64 --samples 1 --integrator path";
    for flags in [
        "--layout channels",
        "--layout coefficients --order 2",
        "--layout packed --order 2",
        "--target vertex",
        "--target probes",
    ] {
        let out = at.join("out");
        let _ = fs::remove_dir_all(&out);
        done(at, &format!("{bake} {flags} -o out"));
        for name in files(&out).into_keys() {
            fs::rename(out.join(&name), at.join("aside")).unwrap();
            std::os::unix::fs::symlink("../a.kiln", out.join(&name)).unwrap();
            // Without its manifest, the folder does not belong to a bake.
            let words = match name.as_str() {
                "bake.json" => ["no earlier", "kiln bake"],
                name => [name, "reads it"],
            };
            refused(at, &format!("{bake} {flags} -o out"), &words);
            fs::remove_file(out.join(&name)).unwrap();
            fs::rename(at.join("aside"), out.join(&name)).unwrap();
        }
    }
    done(at, &format!("{bake} --target vertex -o ."));
    refused(at, "bake scene.glb -o .", &["scene.glb", "reads it"]);
}

#[test]
fn outputs_with_the_same_file_are_refused() {
    let folder = folder();
    let at = folder.path();
    let bake = "bake a.kiln --resolution 64 --samples 1 --integrator path -o out";
    for line in [
        "render a.kiln -o o.png -o o.png",
        "render a.kiln -o o.png -o sub/../o.png",
        "render a.kiln -o o.png --stats ./o.png",
        "render a.kiln -o o.png --integrator photon --photon-map o.png",
        "render a.kiln -o o.png --stats s --integrator photon --photon-map s",
        &format!("{bake} --stats c --checkpoint c"),
        "shade unit.ksl -o surface o.png -o surface o.png",
    ] {
        refused(at, line, &["a file of its own"]);
    }
    fs::create_dir(at.join("out")).unwrap();
    refused(at, &format!("{bake} --stats out/bake.json"), &["a file of its own"]);
    refused(at, &format!("{bake} --checkpoint out/scene.glb"), &["a file of its own"]);
}

#[test]
fn unwritable_outputs_are_errors_before_the_render() {
    let folder = folder();
    let at = folder.path();
    fs::create_dir(at.join("folder.png")).unwrap();
    // So many samples that a render would visibly delay the test.
    let render = "render a.kiln --spp 100000000";
    let bake = "bake a.kiln -o out --resolution 512 --samples 100000000 --integrator path";
    let mut lines = vec![
        format!("{render} -o folder.png"),
        format!("{render} -o nowhere/o.png"),
        format!("{render} -o wide.jpg --size 65536x1"),
        format!("{render} -o o.png --stats nowhere/s.json"),
        format!("{render} -o o.png --stats sub"),
        format!("{render} -o o.png --integrator photon --photon-map nowhere/m"),
        format!("{render} -o o.png --integrator photon --photon-map t.png"),
        format!("{bake} --stats nowhere/s.json"),
        format!("{bake} --stats sub"),
        format!("{bake} --checkpoint nowhere/c"),
        format!("{bake} --checkpoint sub"),
        "shade unit.ksl --iters 4000000000 --stats=nowhere/s.json".to_owned(),
        "compare t.png u.png -o folder.png".to_owned(),
    ];
    if Path::new("/dev/full").exists() {
        lines.extend([
            format!("{render} -o o.png --stats /dev/full"),
            format!("{render} -o o.png --stats /dev/null"),
            format!("{bake} --checkpoint /dev/null"),
            format!("{render} -o /proc/o.png"),
        ]);
        let made = Command::new("mkfifo").arg(at.join("fifo.png")).status();
        if made.is_ok_and(|status| status.success()) {
            lines.push(format!("{render} -o fifo.png"));
            lines.push(format!("{render} -o o.png --integrator photon --photon-map fifo.png"));
            lines.push(format!("{bake} --checkpoint fifo.png"));
        }
    }
    for line in lines {
        refused(at, &line, &["error"]);
        // Messages do not contain names of temporary files.
        let message = program::message(&run(at, &line));
        assert!(!message.contains(".tmp"), "{message}");
    }
}

#[test]
fn results_of_earlier_runs_are_preserved() {
    let folder = folder();
    let at = folder.path();
    let bake = "bake a.kiln -o out --resolution 64 --samples 1 --integrator path";
    done(at, &format!("{bake} --checkpoint c"));
    refused(at, &format!("{bake} --checkpoint c"), &["--resume"]);
    refused(at, &format!("{bake} --checkpoint c --seed 7"), &["--resume"]);
    refused(at, &format!("{bake} --checkpoint c --seed 7 --resume"), &["other settings"]);
    done(at, &format!("{bake} --checkpoint c --resume"));
    for text in ["", "a", "a letter to a friend that is longer than any header"] {
        fs::write(at.join("letter"), text).unwrap();
        for flags in ["", "--resume"] {
            if text.is_empty() {
                done(at, &format!("{bake} --checkpoint letter {flags}"));
                fs::write(at.join("letter"), text).unwrap();
            } else {
                refused(at, &format!("{bake} --checkpoint letter {flags}"), &["not a checkpoint"]);
            }
        }
    }
    let render = "render a.kiln --integrator photon --set integrator.photons=100 -o o.png";
    done(at, &format!("{render} --photon-map m"));
    refused(at, &format!("{render} --photon-map m --seed 7"), &["does not fit"]);
    refused(at, &format!("{render} --photon-map c"), &["not a photon map"]);
}

#[test]
fn films_beyond_the_memory_are_refused() {
    let folder = folder();
    let at = folder.path();
    if !Path::new("/proc/meminfo").exists() {
        return;
    }
    // A memory limit of the process counts like the machine's memory.
    let program = program::PROGRAM;
    for (line, what) in [
        ("render a.kiln -o o.exr --size 16384x16384", "16384 × 16384 pixels take about"),
        ("render a.kiln -o o.exr --set film.size=(16384,16384)", "pixels take about"),
        (
            "render a.kiln -o o.exr --integrator photon --set integrator.photons=1073741824",
            "photon maps take about",
        ),
        (
            "bake a.kiln -o out --set integrator.photons=1073741824",
            "photon maps take about",
        ),
        (
            "bake a.kiln -o out --resolution 8192 --samples 1",
            "8192 × 8192 texels take about",
        ),
        ("bake a.kiln -o out --texels-per-unit 900 --samples 1", "texels take about"),
    ] {
        let limited = format!(
            "ulimit -v 8000000; exec {program} {}",
            line.replace('(', "'(").replace(')', ")'")
        );
        let before = files(at);
        let output = Command::new("sh").args(["-c", &limited]).current_dir(at).output().unwrap();
        let message = program::message(&output);
        assert_eq!(output.status.code(), Some(1), "{line}: {message}");
        assert!(message.contains(what), "{line}: {message}");
        program::same(&files(at), &before, line);
    }
    // A part of a large film is small.
    done(at, "render a.kiln -o o.exr --size 16384x16384 --crop 0,0,4,4 --spp 1");
}

#[test]
fn excessive_thread_counts_work() {
    let folder = folder();
    let at = folder.path();
    done(at, "render a.kiln -o o.exr --threads 1");
    done(at, "render a.kiln -o p.exr --threads 1024");
    assert_eq!(fs::read(at.join("o.exr")).unwrap(), fs::read(at.join("p.exr")).unwrap());
    assert_eq!(run(at, "render a.kiln -o o.exr --threads 1025").status.code(), Some(2));
}

#[cfg(target_os = "linux")]
#[test]
fn thread_limits_apply_to_reading_and_writing() {
    let folder = folder();
    let mut render = program::kiln(folder.path(), "render a.kiln --spp 100000000 --threads 1 -o o.png");
    let mut render = render.env("RAYON_NUM_THREADS", "32").spawn().unwrap();
    let tasks = format!("/proc/{}/task", render.id());
    let threads = |name: &str| {
        let tasks = fs::read_dir(&tasks).into_iter().flatten().flatten();
        let names = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
        let names: Vec<String> = names.collect();
        (names.iter().any(|found| found.starts_with(name)), names.len())
    };
    let start = Instant::now();
    while !threads("render").0 && start.elapsed() < program::HANG {
        std::thread::sleep(Duration::from_millis(10));
    }
    let (renders, count) = threads("render");
    render.kill().unwrap();
    render.wait().unwrap();
    assert!(renders && count < 16, "{count} threads");
}

/// File size limits as set by cluster schedulers.
#[cfg(target_os = "linux")]
#[test]
fn a_file_beyond_the_limit_is_an_error_and_leaves_nothing() {
    let folder = folder();
    let at = folder.path();
    let mitsuba = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/mitsuba/obj.xml");
    for (command, unwritten) in [
        ("render a.kiln --size 64x64 -o o.tif", "o.tif"),
        ("bake a.kiln --target vertex --samples 1 -o deep/baked", "deep/baked/"),
        ("farm a.kiln --engine slurm --tasks 1 -o o.exr", "o.farm/"),
        (&format!("convert {mitsuba} new.kiln"), "new_files/"),
        ("pack a.kiln -o o.zip", "o.zip"),
    ] {
        let before = entries(at);
        let program = program::PROGRAM;
        let output = Command::new("sh")
            .args(["-c", &format!("ulimit -f 1; exec {program} {command}")])
            .current_dir(at)
            .output()
            .unwrap();
        let message = program::message(&output);
        assert_eq!(output.status.code(), Some(1), "{command}: {message}");
        let expected = ["error: cannot write '", unwritten];
        let is_reported = expected.iter().all(|part| message.contains(part));
        assert!(is_reported, "{command}: {message}");
        assert!(!message.contains("ZipWriter"), "{message}");
        assert_eq!(entries(at), before, "{command}");
    }
}

/// The names of files and folders in a folder.
#[cfg(target_os = "linux")]
fn entries(folder: &Path) -> BTreeSet<OsString> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name()).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn unwritable_standard_output_is_an_error() {
    let folder = folder();
    let at = folder.path();
    done(at, "render a.kiln -o o.exr");
    for line in [
        "info",
        "info a.kiln --json",
        "check a.kiln",
        "compare o.exr o.exr",
        "shade matte --print",
        "pack a.kiln -o o.zip",
        "--help",
        "render --help",
        "--version",
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = program::kiln(at, line).stdout(full).output().unwrap();
        let message = program::message(&output);
        assert_eq!(output.status.code(), Some(1), "{line}: {message}");
        assert!(message.contains("standard output"), "{line}: {message}");
    }
}

/// Too little address space for thread stacks is an error, not a panic.
#[cfg(target_os = "linux")]
#[test]
fn too_little_address_space_is_an_error() {
    let folder = folder();
    for kilobytes in [75_000, 100_000, 200_000, 300_000] {
        let kiln = program::PROGRAM;
        let script = format!("ulimit -v {kilobytes} && exec timeout 60 {kiln} info");
        let mut command = Command::new("sh");
        let output = command.args(["-c", &script]).current_dir(folder.path()).output().unwrap();
        let message = program::message(&output);
        assert_eq!(output.status.code(), Some(1), "{kilobytes}: {message}");
        assert!(message.contains("address space"), "{kilobytes}: {message}");
    }
}

/// Before the render, the program tests whether the file can be replaced, because permissions of the folder do not
/// suffice to know.
#[cfg(target_os = "linux")]
#[test]
fn irreplaceable_outputs_are_errors_before_the_render() {
    let folder = folder();
    let at = folder.path();
    let render = "render a.kiln --spp 100000000 -o also.exr -o o.png";
    fs::write(at.join("o.png"), "mine").unwrap();
    let attribute = |sign: &str| {
        let flag = format!("{sign}i");
        let changed = Command::new("chattr").arg(flag).arg(at.join("o.png")).output();
        changed.is_ok_and(|output| output.status.success())
    };
    // If the tests may set the attribute and the file system supports it.
    if attribute("+") {
        let output = run(at, render);
        assert!(attribute("-"));
        let message = program::message(&output);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("o.png") && message.contains("hint"), "{message}");
    }
    let kiln = program::PROGRAM;
    let script = format!(
        "mount --bind a.kiln o.png || exit 77; exec timeout 60 {kiln} {}",
        render.replace("100000000", "1")
    );
    let mut command = Command::new("unshare");
    let output = command.args(["-m", "sh", "-c", &script]).current_dir(at).output();
    if let Ok(output) = output
        && output.status.code() != Some(77)
        && !program::message(&output).contains("unshare")
    {
        let message = program::message(&output);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("mounted") || message.contains("reads it"), "{message}");
        assert!(!at.join("also.exr").exists());
    }
    assert_eq!(fs::read(at.join("o.png")).unwrap(), b"mine");
}

/// After the render, an output that cannot be written affects no other output and is saved under another name.
#[cfg(target_os = "linux")]
#[test]
fn finished_work_is_saved_elsewhere_if_its_output_fails() {
    let folder = folder();
    let at = folder.path();
    fs::create_dir(at.join("gone")).unwrap();
    let stem = format!("kiln-lost-{}", std::process::id());
    let line = format!(
        "render a.kiln --spp 1000000 --time 1s -o o.png -o gone/{stem}.exr -o last.exr -o o.part --stats s.json"
    );
    let mut child = program::kiln(at, &line).stderr(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(600));
    fs::create_dir(at.join("o.png")).unwrap();
    fs::remove_dir_all(at.join("gone")).unwrap();
    fs::create_dir(at.join("s.json")).unwrap();
    let status = child.wait().unwrap();
    let message = program::message(&child.wait_with_output().unwrap());
    assert_eq!(status.code(), Some(1), "{message}");
    for name in ["'o-1.png'", &format!("{stem}-1.exr"), "'s-1.json'"] {
        assert!(message.contains(name), "{name}: {message}");
    }
    for path in [
        at.join("o-1.png"),
        at.join("last.exr"),
        std::env::temp_dir().join(format!("{stem}-1.exr")),
    ] {
        assert_eq!(renderer::image::read(&path).unwrap().width, 4, "{}", path.display());
    }
    assert!(at.join("o.part").exists() && at.join("s-1.json").exists());
    fs::remove_file(std::env::temp_dir().join(format!("{stem}-1.exr"))).unwrap();
}
