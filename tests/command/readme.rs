//! The READMEs: code blocks compile, command lines and flags exist, and short commands run, in their order, in one
//! folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::CommandFactory as _;
use renderer::cli::Cli;
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

const READMES: [&str; 2] = ["README.md", "scenes/README.md"];

/// The blocks of Kiln's language, fenced as C.
fn blocks(text: &str) -> Vec<String> {
    let mut parts = text.split("\n```c\n");
    parts.next();
    parts
        .map(|part| part.split("\n```").next().unwrap().to_owned())
        .collect()
}

/// The commands that stand on lines of their own, indented, without their comments; `cargo run` is the same as `kiln`.
fn command_lines(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("    "));
    lines
        .flat_map(|line| line.split(" # ").next().unwrap().split(" && "))
        .map(|line| line.trim().replace("cargo run --release -- ", "kiln "))
        .filter(|line| line.starts_with("kiln "))
        .collect()
}

/// What stands between single backticks.
fn spans(text: &str) -> Vec<String> {
    let outside_fences = text.split("\n```").step_by(2);
    let quoted = outside_fences.flat_map(|part| part.split('`').skip(1).step_by(2));
    quoted.map(|span| span.replace('\n', " ")).collect()
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace()
        .map(|word| word.trim_matches('"').to_owned())
        .collect()
}

/// A model of one triangle called `Body`, as a GLB file.
fn glb() -> Vec<u8> {
    let mut json = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
        "nodes":[{"name":"Body","mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
        "bufferViews":[{"buffer":0,"byteLength":36}],
        "buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}"#
        .to_owned();
    while !json.len().is_multiple_of(4) {
        json.push(' ');
    }
    let size = json.len() as u32;
    let mut bytes = b"glTF".to_vec();
    for number in [2, 20 + size, size, 0x4e4f_534a] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(json.bytes());
    bytes
}

/// What the READMEs take for granted: a folder of the sources, somebody's models and maps, and units of other files.
fn desk() -> TempDir {
    let desk = TempDir::new().unwrap();
    let at = |name: &str| desk.path().join(name);
    for folder in ["scenes", "shaders"] {
        fs::create_dir(at(folder)).unwrap();
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                fs::copy(&path, at(folder).join(path.file_name().unwrap())).unwrap();
            }
        }
    }
    fs::create_dir(at("scenes/meshes")).unwrap();
    for entry in fs::read_dir(root().join("scenes/meshes")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, at("scenes/meshes").join(path.file_name().unwrap())).unwrap();
    }
    for name in ["model.glb", "shaderball.glb"] {
        fs::write(at(name), glb()).unwrap();
    }
    for name in ["sun_sky.exr", "sky.exr"] {
        fs::copy(root().join("scenes/sun_sky.exr"), at(name)).unwrap();
    }
    fs::write(at("my_shaders.ksl"), CAR_PAINT).unwrap();
    desk
}

/// The group of `scenes/material_ball.kiln` that the README's group uses.
const CAR_PAINT: &str = "surface car_paint(color tint = 1, output closure color surface = 0)\n\
                         { surface = tint * diffuse(N); }\n";

fn kiln(folder: &Path, args: &[String]) {
    let output = Command::new(env!("CARGO_BIN_EXE_kiln"))
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        output.status.code(),
        Some(0),
        "kiln {}:\n{message}",
        args.join(" ")
    );
}

fn check(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).unwrap();
    kiln(folder, &words(&format!("check {name}")));
}

/// The tour's blocks are one scene, told in parts; those of the format are a scene each.
#[test]
fn code_blocks_check() {
    let desk = desk();
    let readme = read("README.md");
    let tour = blocks(readme.split("\n## Commands").next().unwrap());
    assert!(tour.len() >= 3);
    check(
        desk.path(),
        "tour.kiln",
        &format!("{CAR_PAINT}{}", tour.join("\n")),
    );
    let format = blocks(&read("scenes/README.md"));
    assert!(format.len() >= 2);
    for (index, block) in format.iter().enumerate() {
        check(desk.path(), &format!("format{index}.kiln"), block);
    }
}

#[test]
fn command_lines_and_flags_are_known() {
    let command = Cli::command();
    let known: Vec<String> = command
        .get_subcommands()
        .flat_map(|command| command.get_arguments())
        .filter_map(|argument| argument.get_long().map(|long| format!("--{long}")))
        .chain(["--help", "--version"].map(str::to_owned))
        .collect();
    let mut count = 0;
    for name in READMES {
        let text = read(name);
        let whole = |span: &String| span.starts_with("kiln ") && span.split(' ').count() > 2;
        for line in command_lines(&text)
            .into_iter()
            .chain(spans(&text).into_iter().filter(whole))
        {
            if line.contains("COMMAND") || line.contains("--light LIGHT") {
                continue;
            }
            let read = Cli::read(words(&line).into_iter().map(Into::into));
            if let Err(error) = read {
                panic!("{name} says `{line}`: {error}");
            }
            count += 1;
        }
        for span in spans(&text).iter().filter(|span| span.starts_with("--")) {
            for flag in span.split([' ', '=']).filter(|word| word.starts_with("--")) {
                assert!(
                    known.iter().any(|known| known == flag),
                    "{name} says `{span}`: there is no {flag}"
                );
                count += 1;
            }
        }
        for span in spans(&text).iter().filter(|span| span.starts_with("kiln ")) {
            let subcommand = span.split(' ').nth(1).unwrap();
            let is_known = command.find_subcommand(subcommand).is_some() || subcommand == "COMMAND";
            assert!(is_known, "{name} says `{span}`");
        }
    }
    assert!(count > 50, "only {count} were found");
}

/// A number of samples, made small.
fn fewer(samples: &str) -> String {
    (samples.parse::<u64>().unwrap() / 128).to_string()
}

/// What makes a command take seconds: a small film, few samples.
fn small(line: &str) -> Vec<String> {
    let mut args = words(line);
    args.remove(0);
    for i in 1..args.len() {
        match args[i - 1].as_str() {
            "--spp" => args[i] = fewer(&args[i]),
            // Rounds stay as they are, and end soon.
            "--noise" => args[i] = "0.5".to_owned(),
            "--samples" if args[0] == "render" && !line.contains("--noise") => {
                args[i] = args[i].split("..").map(fewer).collect::<Vec<_>>().join("..");
            }
            _ => {}
        }
    }
    let more: &[&str] = match args[0].as_str() {
        "render" if line.contains("--spp") || line.contains("--noise") => &["--size", "24x16"],
        "render" => &["--spp", "1", "--size", "24x16"],
        "bake" if line.contains("probes") => &["--samples", "1", "--probe-spacing", "2"],
        "bake" if line.contains("--texels-per-unit") => &["--samples", "1"],
        "bake" => &["--samples", "1", "--resolution", "128"],
        _ => &[],
    };
    args.extend(more.iter().map(|&word| word.to_owned()));
    args
}

/// The README from its first command to its last: baked light goes back into a picture, too.
#[test]
fn commands_run() {
    let desk = desk();
    let readme = read("README.md");
    let baking = blocks(readme.split("\n## Commands").nth(1).unwrap());
    assert!(!baking.is_empty());
    let camera = "camera main : perspective { from = (1.55, 1.45, 2.75); to = (-0.45, 0.95, -1.2); fov = 62; }\n\
                  light sky : environment { }\n";
    let baked = format!("{camera}{}", baking.join("\n"));
    fs::write(desk.path().join("baked.kiln"), baked).unwrap();
    kiln(desk.path(), &small("kiln render scenes/room.kiln -o full.exr"));
    for line in command_lines(&readme) {
        // The archive has a test of its own.
        if !line.starts_with("kiln archive") {
            kiln(desk.path(), &small(&line));
        }
    }
}
