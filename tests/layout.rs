//! The house itself: what may import what, and that every file has its line in its crate's README.

use std::fs;
use std::path::{Path, PathBuf};

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

/// No file in `rooms` of `package` holds one of `words`.
fn never_in(package: &str, rooms: &[&str], words: &[&str]) {
    for (name, text) in sources(package) {
        if !rooms.iter().any(|room| name.starts_with(room)) {
            continue;
        }
        for word in words {
            assert!(!text.contains(word), "{package}/src/{name} names `{word}`");
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
    only_in(
        "renderer",
        &["accel/embree/"],
        &["rtcIntersect", "RTCScene", "unsafe "],
    );
    only_in(
        "renderer",
        &["material/", "light/", "scene/", "command/", "cli"],
        &["shading::"],
    );
}

#[test]
fn layers_import_downwards() {
    never_in(
        "renderer",
        &["bsdf/"],
        &[
            "crate::scene",
            "crate::texture",
            "crate::material",
            "crate::light",
        ],
    );
    never_in(
        "renderer",
        &["math/", "color.rs", "sampling/", "sampler/"],
        &["crate::scene", "crate::geometry", "crate::bsdf"],
    );
    never_in(
        "renderer",
        &["accel/", "geometry/"],
        &["crate::scene", "crate::bsdf", "crate::material", "crate::light"],
    );
    never_in(
        "renderer",
        &["material/", "light/"],
        &["crate::scene", "crate::integrator", "crate::render"],
    );
    never_in(
        "renderer",
        &["scene/mod.rs", "integrator/"],
        &["crate::render::", "crate::command", "crate::cli"],
    );
    never_in(
        "shading",
        &["hir/", "syntax/", "check/"],
        &["crate::codegen", "crate::opt", "crate::graph"],
    );
    never_in(
        "shading",
        &["preprocess/", "source"],
        &["crate::syntax", "crate::check", "crate::hir"],
    );
    never_in(
        "shading",
        &["opt/", "interp/"],
        &["crate::codegen", "crate::graph", "crate::syntax"],
    );
    never_in(
        "shading",
        &["codegen/", "runtime/"],
        &["crate::graph", "crate::syntax", "crate::check"],
    );
}

#[test]
fn every_file_has_its_line() {
    for package in ["shading", "renderer"] {
        let readme = fs::read_to_string(root().join(package).join("README.md")).unwrap();
        for (name, _) in sources(package) {
            assert!(
                readme.contains(&format!("`{name}`")),
                "{package}/README.md has no line for `{name}`"
            );
        }
    }
}
