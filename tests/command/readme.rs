//! The pages for users: code blocks compile; command lines, options and links are valid; pictures are small; the
//! commands of a page run in order in one folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{has_denoiser, program};
use clap::CommandFactory as _;
use renderer::cli::Cli;
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// Pages whose code blocks and command lines are tested.
fn pages() -> Vec<String> {
    let mut pages = ["README.md", "CONTRIBUTING.md", "scenes/README.md"].map(str::to_owned).to_vec();
    for entry in fs::read_dir(root().join("renderer/docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        pages.push(format!("renderer/docs/{name}"));
    }
    pages.sort();
    assert!(pages.len() >= 10, "{pages:?}");
    pages
}

/// Pages of which only links are tested.
const MORE_PAGES: [&str; 6] = [
    "CHANGELOG.md",
    "renderer/README.md",
    "shading/README.md",
    "tests/README.md",
    "tests/fuzz/README.md",
    "benches/README.md",
];

/// The READMEs of crates, whose commands and options are tried.
fn crate_pages() -> Vec<String> {
    let folders = ["renderer", "shading"].map(|folder| (folder, fs::read_dir(root().join(folder)).unwrap()));
    let pages = folders.into_iter().flat_map(|(folder, entries)| {
        entries
            .map(move |entry| format!("{folder}/{}/README.md", entry.unwrap().file_name().to_str().unwrap()))
    });
    pages
        .chain(["renderer/README.md".to_owned()])
        .filter(|page| root().join(page).is_file())
        .collect()
}

/// The blocks of Kiln's language, fenced as C.
fn blocks(text: &str) -> Vec<String> {
    let mut parts = text.split("\n```c\n");
    parts.next();
    parts.map(|part| part.split("\n```").next().unwrap().to_owned()).collect()
}

/// Commands on indented lines of their own, without comments; `cargo run` is the same as `kiln`.
fn command_lines(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("    "));
    lines
        .flat_map(|line| line.split(" # ").next().unwrap().split(" && "))
        .map(|line| line.trim().replace("cargo run --release -- ", "kiln "))
        .filter(|line| line.starts_with("kiln "))
        .collect()
}

/// Returns the text of all spans in single backticks.
fn spans(text: &str) -> Vec<String> {
    let outside_fences = text.split("\n```").step_by(2);
    let quoted = outside_fences.flat_map(|part| part.split('`').skip(1).step_by(2));
    quoted.map(|span| span.replace('\n', " ")).collect()
}

/// Splits a command line into words; double quotes group words.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![];
    for (index, part) in line.split('"').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
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

const EMBREE: &str = "<scene><Hair><positions>0 0 0 1 1 0 0 1 2 0 0 1 3 0 0 1</positions><indices>0 0</indices></Hair></scene>";
const MITSUBA: &str = r#"<scene version="3.0.0">
    <sensor type="perspective">
        <transform name="to_world"><lookat origin="0, 1, 4" target="0, 0, 0" up="0, 1, 0"/></transform>
        <film type="hdrfilm"><integer name="width" value="24"/><integer name="height" value="16"/></film>
    </sensor>
    <emitter type="constant"/>
    <shape type="sphere"/>
</scene>"#;

/// A file with a group next to the scene that imports it.
const CAR_PAINT: &str = "surface car_paint(color tint = 1, output closure color surface = 0)\n\
                         { surface = tint * diffuse(N); }\n";

/// A cube of quadrilaterals.
const CAGE: &str = "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n\
                    f 1 4 3 2\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\nf 5 6 7 8\n";

/// A luminaire of rotational symmetry.
const IES: &str = "IESNA:LM-63-2002\nTILT=NONE\n1 1000 1 2 1 1 2 0 0 0\n1 1 10\n0 90\n0\n300 0\n";

/// A folder with the files that the pages assume: a clone of the repository and a few of the reader's own files.
fn sample_folder() -> TempDir {
    let sample_folder = TempDir::new().unwrap();
    let at = |name: &str| sample_folder.path().join(name);
    for folder in ["scenes", "scenes/meshes", "shaders"] {
        fs::create_dir(at(folder)).unwrap();
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                fs::copy(&path, at(folder).join(path.file_name().unwrap())).unwrap();
            }
        }
    }
    fs::write(at("model.glb"), glb()).unwrap();
    fs::copy(root().join("scenes/sun_sky.exr"), at("sky.exr")).unwrap();
    for name in ["downlight.ies", "wash.ies"] {
        fs::write(at(name), IES).unwrap();
    }
    fs::write(at("cage.obj"), CAGE).unwrap();
    fs::write(at("paint.ksl"), CAR_PAINT).unwrap();
    fs::write(at("box.xml"), MITSUBA).unwrap();
    fs::write(at("hair.xml"), EMBREE).unwrap();
    sample_folder
}

/// The file name that the first line of a block states: `// paint.kiln`.
fn file_name(block: &str) -> Option<&str> {
    let name = block.lines().next()?.strip_prefix("// ")?;
    let is_file = [".kiln", ".ksl", ".osl"].iter().any(|end| name.ends_with(end));
    (is_file && !name.contains(' ')).then_some(name)
}

fn kiln(folder: &Path, args: &[String]) {
    let output = program(folder).args(args).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "kiln {}:\n{message}", args.join(" "));
}

fn check(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).unwrap();
    kiln(folder, &words(&format!("check {name}")));
}

/// Every code block is a file of its own.
#[test]
fn code_blocks_check() {
    let mut count = 0;
    for page in pages() {
        let sample_folder = sample_folder();
        for block in blocks(&read(&page)) {
            // The commands of the page produce the files that the block reads.
            if block.contains("import \"box/scene.glb\"") {
                kiln(sample_folder.path(), &small("kiln bake scenes/cornell_box.kiln -o box"));
            }
            count += 1;
            check(sample_folder.path(), &format!("block{count}.kiln"), &block);
        }
    }
    assert!(count >= 8, "only {count} blocks were found");
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
    for name in pages() {
        let text = read(&name);
        let whole = |span: &String| span.starts_with("kiln ") && span.split(' ').count() > 2;
        for line in command_lines(&text).into_iter().chain(spans(&text).into_iter().filter(whole)) {
            if line.contains("COMMAND") || line.contains("--light LIGHT") {
                continue;
            }
            let read = Cli::read(words(&line).into_iter().map(Into::into));
            if let Err(error) = read {
                panic!("{name} says `{line}`: {error}");
            }
            count += 1;
        }
    }
    for name in pages().into_iter().chain(crate_pages()) {
        let text = read(&name);
        for span in spans(&text)
            .iter()
            .filter(|span| span.starts_with("--") || span.starts_with("kiln "))
        {
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

/// A smaller number of samples.
fn fewer(samples: &str) -> u64 {
    samples.parse::<u64>().unwrap() / 128
}

/// A lower density of texels.
fn fewer_texels(density: &str) -> f32 {
    density.parse::<f32>().unwrap() / 4.0
}

/// Returns whether a command uses photon maps for a picture.
fn has_photons(line: &str) -> bool {
    let scene = line.split(' ').find(|word| word.ends_with(".kiln"));
    line.contains("--integrator photon")
        || !line.contains("--integrator") && scene.is_some_and(|scene| scene.ends_with("scenes/glass.kiln"))
}

/// Changes a command so that it runs for seconds: a small film, few samples.
fn small(line: &str) -> Vec<String> {
    let mut args = words(line);
    args.remove(0);
    // No file changes during the test.
    args.retain(|arg| arg != "--watch");
    for i in 1..args.len() {
        match args[i - 1].as_str() {
            "--spp" => args[i] = fewer(&args[i]).max(1).to_string(),
            "--size" => args[i] = "24x16".to_owned(),
            "--resolution" if line.contains("--pages") => args[i] = "64".to_owned(),
            "--resolution" => args[i] = "128".to_owned(),
            "--texels-per-unit" => args[i] = fewer_texels(&args[i]).to_string(),
            // Rounds are unchanged and end early.
            "--noise" => args[i] = "0.5".to_owned(),
            "--quality" => args[i] = "draft".to_owned(),
            "--samples" if args[0] == "render" && !line.contains("--noise") => {
                let (a, b) = args[i].split_once("..").unwrap();
                args[i] = format!("{}..{}", fewer(a), fewer(b));
            }
            _ => {}
        }
    }
    let mut more: Vec<&str> = match args[0].as_str() {
        "render" if line.contains("--size") => vec![],
        "gallery" if !line.contains("--size") => vec!["--size", "8x8", "--spp", "1"],
        "render" => vec!["--size", "24x16"],
        "bake" if line.contains("probes") => vec!["--samples", "1", "--probe-spacing", "2"],
        "bake" if line.contains("--texels-per-unit") || line.contains("--resolution") => {
            vec!["--samples", "1"]
        }
        "bake" => vec!["--samples", "1", "--resolution", "128"],
        _ => vec![],
    };
    let has_end = ["--spp", "--noise", "--quality"].iter().any(|option| line.contains(option));
    if args[0] == "render" && !has_end {
        more.extend(["--spp", "1"]);
    }
    if args[0] == "bake" && !line.contains("--include none") && !line.contains("--from")
        || args[0] == "render" && has_photons(line)
    {
        more.extend(["--set", "integrator.photons=4096", "--set", "integrator.caustic_photons=4096"]);
    }
    args.extend(more.into_iter().map(str::to_owned));
    args
}

/// Runs a page's commands in order, in a folder with the code blocks that the page says to save.
#[test]
fn commands_run() {
    let mut count = 0;
    for page in pages() {
        let (sample_folder, text) = (sample_folder(), read(&page));
        for block in blocks(&text) {
            if let Some(name) = file_name(&block) {
                fs::write(sample_folder.path().join(name), &block).unwrap();
            }
        }
        for line in command_lines(&text) {
            // The archive has a test of its own; denoising needs a library that may be missing.
            if !line.starts_with("kiln archive") && (!line.contains("denoise") || has_denoiser()) {
                kiln(sample_folder.path(), &small(&line));
                count += 1;
            }
        }
    }
    assert!(count >= 30, "only {count} commands were found");
}

/// Options that clap adds, which need no documentation.
const OWN_WORDS: [&str; 2] = ["help", "version"];

/// Every option of every command is described on some page; the options of `shade` are those of `testshade`.
#[test]
fn every_option_is_described() {
    let pages: String = pages().iter().map(|page| read(page)).collect();
    let words: BTreeSet<&str> = pages
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .filter(|word| word.starts_with('-'))
        .collect();
    let mut missing = vec![];
    for command in Cli::command().get_subcommands() {
        if command.get_name() == "shade" {
            continue;
        }
        for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
            let long = argument.get_long().map(|long| format!("--{long}"));
            let short = argument.get_short().map(|short| format!("-{short}"));
            let mut names = long.iter().chain(&short).peekable();
            let is_own = OWN_WORDS.contains(&argument.get_id().as_str());
            if names.peek().is_some() && !is_own && !names.any(|name| words.contains(name.as_str())) {
                missing.push(format!("kiln {} {}", command.get_name(), argument.get_id()));
            }
        }
    }
    assert!(missing.is_empty(), "no page describes {missing:?}");
}

/// The anchor that GitHub generates for a heading.
fn anchor(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-' || *c == '_');
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// The anchors of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let outside_fences: String = text.split("\n```").step_by(2).collect();
    let headings = outside_fences.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

/// Targets of links and images in a page.
fn links(text: &str) -> Vec<String> {
    let outside_fences: String = text.split("\n```").step_by(2).collect();
    let parts = outside_fences.split("](").skip(1);
    parts.map(|part| part.split(')').next().unwrap().to_owned()).collect()
}

#[test]
fn link_targets_exist() {
    let mut count = 0;
    let more = MORE_PAGES.map(str::to_owned);
    for page in pages().into_iter().chain(more) {
        let text = read(&page);
        for link in links(&text).iter().filter(|link| !link.starts_with("http")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let path = if file.is_empty() {
                root().join(&page)
            } else {
                root().join(&page).parent().unwrap().join(file)
            };
            assert!(path.exists(), "{page} links to {link}: there is no such file");
            if !anchor.is_empty() {
                let target = fs::read_to_string(&path).unwrap();
                assert!(
                    anchors(&target).contains(anchor),
                    "{page} links to {link}: there is no such heading"
                );
            }
            count += 1;
        }
    }
    assert!(count >= 50, "only {count} links were found");
}

/// The README has five pictures, and a clone stays small.
#[test]
fn pictures_are_small() {
    let readme = read("README.md");
    let pictures: Vec<String> = links(&readme).into_iter().filter(|link| link.ends_with(".jpg")).collect();
    assert_eq!(pictures.len(), 5, "{pictures:?}");
    let mut bytes = 0;
    for picture in &pictures {
        let path = root().join(picture);
        let image = renderer::image::read(&path).unwrap();
        assert!(image.width <= 960, "{picture} has {} columns", image.width);
        bytes += fs::metadata(&path).unwrap().len();
    }
    assert!(bytes <= 700_000, "the pictures have {bytes} bytes");
    let listed = fs::read_dir(root().join("scenes/gallery")).unwrap().count();
    assert_eq!(listed, 5, "scenes/gallery holds the README's pictures and nothing else");
}
