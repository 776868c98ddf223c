//! Names in pages: each file, folder and crate that a page names exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{packages, root};

/// The pages for users and developers, with their folders.
fn pages() -> Vec<String> {
    let mut pages: Vec<String> = [
        "README.md",
        "CONTRIBUTING.md",
        "scenes/README.md",
        "tests/README.md",
        "benches/README.md",
        "renderer/web/README.md",
        "shading/src/guide.md",
    ]
    .map(str::to_owned)
    .into();
    for entry in fs::read_dir(root().join("renderer/docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".md") {
            pages.push(format!("renderer/docs/{name}"));
        }
    }
    pages.extend(packages().iter().map(|package| format!("{package}/README.md")));
    pages
}

/// The texts in single backticks outside of code blocks.
fn spans(text: &str) -> Vec<String> {
    let outside_fences = text.split("\n```").step_by(2);
    let quoted = outside_fences.flat_map(|part| part.split('`').skip(1).step_by(2));
    quoted.map(|span| span.replace('\n', " ")).collect()
}

/// Returns whether a span has the form of a path in the repository: a folder of its root or of the page, and more.
fn is_path(span: &str, folder: &Path) -> bool {
    let is_plain = span.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    let Some((first, rest)) = span.split_once('/') else {
        return is_plain && [".rs", ".mjs"].iter().any(|end| span.len() > end.len() && span.ends_with(end));
    };
    let is_placeholder = span
        .split(['/', '.'])
        .any(|part| part.len() > 1 && part.chars().all(|c| c.is_ascii_uppercase()));
    let is_known = |base: &Path| base.join(first).is_dir();
    let is_inside = !first.is_empty() && !first.starts_with('.') && first != "target";
    is_plain
        && is_inside
        && !rest.is_empty()
        && !is_placeholder
        && (is_known(&root()) || is_known(&folder.join("src")))
}

/// Returns whether the file or folder of a span exists: from the root, the page's folder, or its `src`; a file name alone
/// anywhere below the page's folder.
fn exists(span: &str, folder: &Path) -> bool {
    let bases = [root(), folder.to_owned(), folder.join("src")];
    let is_there = |base: &Path| base.join(span).exists() || base.join(format!("{span}.rs")).exists();
    bases.iter().any(|base| is_there(base)) || !span.contains('/') && contains_file(folder, span)
}

/// Returns whether a folder contains a file of this name at any depth.
fn contains_file(folder: &Path, name: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        let is_skipped = path.ends_with("target") || path.ends_with("node_modules");
        path.ends_with(name) || path.is_dir() && !is_skipped && contains_file(&path, name)
    })
}

/// The names of the packages of the workspace.
fn crates() -> BTreeSet<String> {
    let manifests = packages().into_iter().map(|package| format!("{package}/Cargo.toml"));
    let texts = manifests.map(|manifest| fs::read_to_string(root().join(manifest)).unwrap());
    let name = |text: String| {
        let line = text.lines().find_map(|line| line.strip_prefix("name = \"")).unwrap().to_owned();
        line.trim_end_matches('"').to_owned()
    };
    texts.map(name).collect()
}

/// Returns a message for each name in a page that does not exist.
fn missing(page: &str, text: &str) -> Vec<String> {
    let path = root().join(page);
    let folder = path.parent().unwrap();
    let crates = crates();
    let mut missing = vec![];
    for span in spans(text) {
        let is_crate = ["renderer-", "shading-"].iter().any(|start| span.starts_with(start))
            && span.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        if is_crate && !crates.contains(&span) {
            missing.push(format!("{page}: there is no crate `{span}`"));
        }
        if is_path(&span, folder) && !exists(&span, folder) {
            missing.push(format!("{page}: there is no file `{span}`"));
        }
    }
    missing
}

#[test]
fn files_and_crates_of_pages_exist() {
    let list: Vec<String> = pages()
        .iter()
        .flat_map(|page| missing(page, &fs::read_to_string(root().join(page)).unwrap()))
        .collect();
    assert!(list.is_empty(), "{}", list.join("\n"));
}

#[test]
fn missing_names_are_reported() {
    let text = "`renderer/gone` and `shading/syntax`, `renderer-scene` and `renderer-gone`, `gone.rs`, `lib.rs`,\n\
                `shaders/NAME.ksl`, `1/2`.\n";
    assert_eq!(missing("renderer/README.md", text).len(), 3);
}

/// The number of shipped units that a page states.
#[test]
fn units_are_counted() {
    let files = fs::read_dir(root().join("shaders")).unwrap();
    let is_unit = |path: &Path| path.extension().is_some_and(|end| end == "ksl");
    let count = files.filter(|file| is_unit(&file.as_ref().unwrap().path())).count();
    let page = fs::read_to_string(root().join("renderer/docs/materials.md")).unwrap();
    let stated = format!("the shipped library: {count} units");
    assert!(page.contains(&stated), "renderer/docs/materials.md does not say `{stated}`");
}
