//! The structure of the crates: layers of modules, import cycles between files, a short README for each; names and prose of
//! pages.

#[path = "layout/imports.rs"]
mod imports;
#[path = "layout/module.rs"]
mod module;
#[path = "layout/pages.rs"]
mod pages;
#[path = "layout/tokens.rs"]
mod tokens;
#[path = "layout/words.rs"]
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use imports::Imports;

/// The folders that hold crates.
const FOLDERS: [&str; 2] = ["shading", "renderer"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The crates by their folders: `renderer`, `renderer/base` and so on.
fn packages() -> Vec<String> {
    let mut packages = vec![];
    for folder in FOLDERS {
        packages.push(folder.to_owned());
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let entry = entry.unwrap();
            if entry.path().join("Cargo.toml").is_file() {
                packages.push(format!("{folder}/{}", entry.file_name().to_str().unwrap()));
            }
        }
    }
    packages.sort();
    packages
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
                let name = path.strip_prefix(&folder).unwrap().to_str().unwrap().replace('\\', "/");
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// No file of the crates under `folder` outside `rooms` holds one of `words`, comments aside. A room is a crate, or a crate
/// with a path in its `src`: `renderer/geometry:accel/embree/`.
fn only_in(folder: &str, rooms: &[&str], words: &[&str]) {
    for package in packages().iter().filter(|package| package.starts_with(folder)) {
        for (name, text) in sources(package) {
            let place = format!("{package}:{name}");
            if rooms
                .iter()
                .any(|room| place.starts_with(room) && (room.contains(':') || package == room))
            {
                continue;
            }
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for (line, word) in code.flat_map(|line| words.iter().map(move |word| (line, word))) {
                assert!(!line.contains(word), "{place} names `{word}`: {line}");
            }
        }
    }
}

#[test]
fn tools_stay_in_their_rooms() {
    only_in("shading", &["shading/syntax:lower/"], &["pest::", "pest_derive"]);
    only_in(
        "shading",
        &["shading:codegen/", "shading:runtime/shims/"],
        &["cranelift_jit", "cranelift_frontend", "cranelift_codegen"],
    );
    only_in("shading", &["shading/raster:glsl.rs", "shading/raster:library.rs"], &["naga::"]);
    only_in("renderer", &["renderer/python"], &["pyo3::", "numpy::"]);
    only_in("renderer", &["renderer/geometry:accel/embree/"], &["rtcIntersect", "RTCScene"]);
    only_in(
        "renderer",
        &[
            "renderer/geometry:accel/embree/",
            "renderer/base:memory/huge_pages.rs",
            "renderer/denoise:ffi.rs",
        ],
        &["unsafe "],
    );
    only_in(
        "renderer/transport",
        &[
            "renderer/transport:cloud/",
            "renderer/transport:light/",
            "renderer/transport:material/",
            "renderer/transport:scene/",
        ],
        &["shading::"],
    );
}

#[test]
fn scenes_find_files_in_one_place() {
    let readers = [
        "renderer/image:read.rs",
        "renderer/image:tiled_picture.rs",
        "renderer/image:exr_tiles.rs",
        "renderer/image:texture/",
        "renderer/scene:",
        "renderer/import:",
        "renderer/load:",
        "renderer/transport:light/",
        "renderer/transport:material/",
        "renderer/transport:scene/",
    ];
    let words = ["fs::read", "fs::metadata", "File::open", "canonicalize()", ".exists()"];
    for package in packages() {
        for (name, text) in sources(&package) {
            let place = format!("{package}:{name}");
            if !readers.iter().any(|reader| place.starts_with(reader)) {
                continue;
            }
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for word in words {
                // A word of its own: `SerializedFile::open` is another one.
                let begins = |at: usize| !code[..at].ends_with(|c: char| c.is_alphanumeric());
                let asks = code.match_indices(word).any(|(at, _)| begins(at));
                assert!(!asks, "{place} names `{word}`: ask `files` instead");
            }
        }
    }
}

fn readme(package: &str) -> String {
    let path = root().join(package).join("README.md");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The layers of a package's modules as its README lists them, the topmost first.
fn layers(package: &str) -> Vec<Vec<String>> {
    let readme = readme(package).split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, list) = readme
        .split_once("only from the layers below its own: ")
        .unwrap_or_else(|| panic!("{package}/README.md does not list the layers"));
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
    for package in packages() {
        let layers = layers(&package);
        let layer_of = |module: &str| {
            let found = (0..).zip(&layers).find(|(_, layer)| layer.iter().any(|m| m == module));
            let Some((index, _)) = found else {
                panic!("{package}/README.md lists no layer of `{module}`");
            };
            index
        };
        let imports = Imports::new(&sources(&package));
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
        assert!(wrong.is_empty(), "{package}: these imports do not go to lower layers:\n{wrong}");
    }
}

#[test]
fn every_crate_has_a_short_readme() {
    for package in packages() {
        let lines = readme(&package).lines().count();
        assert!((5..=60).contains(&lines), "{package}/README.md has {lines} lines");
    }
}

#[test]
fn no_files_import_each_other() {
    for package in packages() {
        let imports = Imports::new(&sources(&package));
        let rings = imports.rings();
        assert!(rings.is_empty(), "{package}: files import each other:\n{}", rings.join("\n"));
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
            ("a/y.rs", "use crate::a; pub fn make() { assert!(a::X::new() == \"'\"); }"),
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
