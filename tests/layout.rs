//! The structure of the crates: layers, import cycles, and a README line for every file.

#[path = "layout/imports.rs"]
mod imports;
#[path = "layout/module.rs"]
mod module;
#[path = "layout/tokens.rs"]
mod tokens;

use std::fs;
use std::path::{Path, PathBuf};

use imports::Imports;

/// The crates whose structure is checked.
const PACKAGES: [&str; 2] = ["shading", "renderer"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Source files of a crate with their paths from `src` on.
fn sources(package: &str) -> Vec<(String, String)> {
    let folder = root().join(package).join("src");
    let mut files = vec![];
    let mut folders = vec![folder.clone()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path
                    .strip_prefix(&folder)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .replace('\\', "/");
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// No file of `package` outside `rooms` holds one of `words`, comments aside.
fn only_in(package: &str, rooms: &[&str], words: &[&str]) {
    for (name, text) in sources(package) {
        if rooms.iter().any(|room| name.starts_with(room)) {
            continue;
        }
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for (line, word) in code.flat_map(|line| words.iter().map(move |word| (line, word))) {
            assert!(
                !line.contains(word),
                "{package}/src/{name} names `{word}`: {line}"
            );
        }
    }
}

#[test]
fn tools_stay_in_their_rooms() {
    only_in("shading", &["syntax/"], &["pest::", "pest_derive"]);
    only_in(
        "shading",
        &["codegen/", "runtime/shims/"],
        &["cranelift_jit", "cranelift_frontend", "cranelift_codegen"],
    );
    only_in("renderer", &["accel/embree/"], &["rtcIntersect", "RTCScene"]);
    only_in(
        "renderer",
        &["accel/embree/", "memory/huge_pages.rs"],
        &["unsafe "],
    );
    only_in(
        "renderer",
        &["material/", "light/", "scene/", "command/", "cli"],
        &["shading::"],
    );
}

#[test]
fn scenes_find_files_in_one_place() {
    let readers = [
        "scene/",
        "material/",
        "texture/",
        "light/",
        "image/read.rs",
        "image/tiled_picture.rs",
        "image/exr_tiles.rs",
    ];
    let words = [
        "fs::read",
        "fs::metadata",
        "File::open",
        "canonicalize()",
        ".exists()",
    ];
    for (name, text) in sources("renderer") {
        if !readers.iter().any(|reader| name.starts_with(reader)) {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for word in words {
            // A word of its own: `SerializedFile::open` is another one.
            let begins = |at: usize| !code[..at].ends_with(|c: char| c.is_alphanumeric());
            let asks = code.match_indices(word).any(|(at, _)| begins(at));
            assert!(!asks, "renderer/src/{name} names `{word}`: ask `files` instead");
        }
    }
}

/// The layers of a package's modules as its README lists them, the topmost first.
fn layers(package: &str) -> Vec<Vec<String>> {
    let readme = fs::read_to_string(root().join(package).join("README.md")).unwrap();
    let (_, list) = readme
        .split_once("only from the layers below its own: ")
        .expect("the README lists the layers");
    let (list, _) = list.split_once("`.").expect("the list ends with a full stop");
    let layers = list.split('`').skip(1).step_by(2);
    layers
        .map(|layer| layer.split_whitespace().map(str::to_owned).collect())
        .collect()
}

/// The module of a crate that a file belongs to; none for the crate's root and the program.
fn top_module(file: &str) -> Option<&str> {
    let first = file.split('/').next()?;
    let module = first.strip_suffix(".rs").unwrap_or(first);
    (!["lib", "main"].contains(&module)).then_some(module)
}

#[test]
fn layers_import_downwards() {
    for package in PACKAGES {
        let layers = layers(package);
        let layer_of = |module: &str| {
            let found = (0..)
                .zip(&layers)
                .find(|(_, layer)| layer.iter().any(|m| m == module));
            let Some((index, _)) = found else {
                panic!("{package}/README.md lists no layer of `{module}`");
            };
            index
        };
        let imports = Imports::new(&sources(package));
        let mut wrong = String::new();
        for (file, needed, items) in imports.all() {
            let (Some(from), Some(to)) = (top_module(file), top_module(needed)) else {
                continue;
            };
            let (upper, lower): (i32, i32) = (layer_of(from), layer_of(to));
            if from != to && upper >= lower {
                wrong += &format!("  {file} -> {needed}: {items}\n");
            }
        }
        assert!(
            wrong.is_empty(),
            "{package}: these imports do not go to lower layers:\n{wrong}"
        );
    }
}

#[test]
fn no_files_import_each_other() {
    for package in PACKAGES {
        let imports = Imports::new(&sources(package));
        let rings = imports.rings();
        assert!(
            rings.is_empty(),
            "{package}: files import each other:\n{}",
            rings.join("\n")
        );
    }
}

/// Checks that the files, in which `rings` import each other, are found to do so.
fn check_rings(sources: &[(&str, &str)], rings: &[&str]) {
    let sources: Vec<(String, String)> = sources
        .iter()
        .map(|(file, text)| ((*file).to_owned(), (*text).to_owned()))
        .collect();
    assert_eq!(Imports::new(&sources).rings(), rings);
}

#[test]
fn rings_are_found() {
    let lib = ("lib.rs", "mod a; mod b;");
    check_rings(
        &[
            lib,
            ("a.rs", "use crate::b::{self, Y}; pub struct X;"),
            ("b.rs", "pub struct Y; fn f() -> super::a::X {}"),
        ],
        &["  a.rs -> b.rs: Y\n  b.rs -> a.rs: X\n"],
    );
    // Through re-exports, module aliases and paths in macros.
    check_rings(
        &[
            lib,
            ("a/mod.rs", "mod x; mod y; pub use x::X; pub use y::make as made;"),
            ("a/x.rs", "use super::made; pub struct X;"),
            (
                "a/y.rs",
                "use crate::a; pub fn make() { assert!(a::X::new() == \"'\"); }",
            ),
        ],
        &["  a/x.rs -> a/y.rs: make\n  a/y.rs -> a/x.rs: X\n"],
    );
    // The code of a folder's `mod.rs` uses what it re-exports.
    check_rings(
        &[
            lib,
            ("a/mod.rs", "mod x; pub use x::X; pub struct W; fn f(_: X) {}"),
            ("a/x.rs", "use super::W; pub struct X;"),
        ],
        &["  a/mod.rs -> a/x.rs: X\n  a/x.rs -> a/mod.rs: W\n"],
    );
}

#[test]
fn what_is_no_ring_is_not_found() {
    let lib = ("lib.rs", "mod a; mod b;");
    // Declaring a module and re-exporting its items is not using them.
    check_rings(
        &[
            lib,
            ("a/mod.rs", "mod x; pub use x::X; pub struct W;"),
            (
                "a/x.rs",
                "use super::W; pub struct X; impl X { fn x(&self) { self.b::<i32>(); } }",
            ),
        ],
        &[],
    );
    // Comments, literals, tests and other crates of the same name do not count.
    check_rings(
        &[
            lib,
            ("a.rs", "use crate::b::Y; pub struct X;"),
            (
                "b.rs",
                "pub struct Y; // crate::a::X\n/* crate::a::X /* */ crate::a::X */ const T: &str = r#\"crate::a::X\"#; \
                 fn f() { '\\''; ::a::X; } #[cfg(test)] mod tests { use crate::a::X; }",
            ),
        ],
        &[],
    );
}

#[test]
fn every_file_has_its_line() {
    for package in PACKAGES {
        let readme = fs::read_to_string(root().join(package).join("README.md")).unwrap();
        let lines = readme
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
        let listed: Vec<&str> = lines
            .map(|(file, _)| file)
            .filter(|file| file.ends_with(".rs"))
            .collect();
        let sources = sources(package);
        for (name, _) in &sources {
            let lines = listed.iter().filter(|file| *file == name).count();
            assert_eq!(lines, 1, "{package}/README.md: lines for `{name}`");
        }
        for file in listed {
            assert!(
                sources.iter().any(|(name, _)| name == file),
                "{package}/README.md has a line for `{file}`, which does not exist"
            );
        }
    }
}
