//! Idioms that make comments and pages hard to read: paragraphs that begin without a noun, words that replace a term of the
//! field. The number of paragraphs with an idiom has a maximum for each crate.

use std::fs;
use std::path::{Path, PathBuf};

use super::{packages, root};

/// Words that begin a paragraph without naming its subject.
const STARTS: [&str; 9] = ["What", "That", "Those", "It", "The same", "All", "None", "Nothing", "One of"];

/// Phrases anywhere in a paragraph, as whole words; "way to" is plain English.
const PHRASES: [&str; 24] = [
    "way",
    "ways",
    "lamp",
    "lamps",
    "told",
    "tell",
    "tells",
    "go on",
    "goes on",
    "gone on",
    "takes",
    "took",
    "of what",
    "to what",
    "by what",
    "in what",
    "once more",
    "all the same",
    "that is there",
    "so many",
    "as many",
    "chance",
    "the same everywhere",
    "beside",
];

/// Maximum number of paragraphs with an idiom: crates, tests, benchmarks, pages; 0 for all others. A number may only decrease.
const MAXIMA: [(&str, usize); 4] =
    [("renderer", 2), ("renderer/transport", 1), ("shading/compiler", 3), ("tests", 6)];

/// Returns whether a text begins with a phrase as whole words.
fn begins(text: &str, phrase: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.strip_prefix(phrase).is_some_and(|rest| !rest.starts_with(is_word))
}

/// Returns whether a paragraph contains a phrase as whole words.
fn contains(paragraph: &str, phrase: &str) -> bool {
    paragraph.match_indices(phrase).any(|(at, _)| {
        let is_start = !paragraph[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let is_plain = phrase.starts_with("way") && begins(&paragraph[at + phrase.len()..], " to");
        is_start && begins(&paragraph[at..], phrase) && !is_plain
    })
}

/// The text of a line that belongs to a comment, or to a paragraph of a page.
fn prose(line: &str, is_page: bool) -> Option<&str> {
    let text = if is_page {
        let is_code = ["    ", "```", "|"].iter().any(|start| line.starts_with(start));
        (!is_code).then_some(line)
    } else {
        let comment = line.trim_start().strip_prefix("//");
        comment.map(|text| text.strip_prefix(['/', '!']).unwrap_or(text))
    };
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// Counts the paragraphs of a file that have an idiom.
fn count(text: &str, is_page: bool) -> usize {
    let (mut count, mut paragraph) = (0, String::new());
    for line in text.lines().chain([""]) {
        match prose(line, is_page) {
            Some(words) if paragraph.is_empty() => paragraph = words.to_owned(),
            Some(words) => paragraph = format!("{paragraph} {words}"),
            None => {
                let has_idiom = STARTS.iter().any(|start| begins(&paragraph, start))
                    || PHRASES.iter().any(|phrase| contains(&paragraph, phrase));
                count += usize::from(has_idiom);
                paragraph.clear();
            }
        }
    }
    count
}

/// Sources and pages below a folder.
fn texts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if !["target", "node_modules", "dist"].contains(&name) && !name.starts_with('.') {
                texts(&path, found);
            }
        } else if name.ends_with(".rs") || name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// The entry of the table that a file counts for: the innermost crate, or all pages outside of crates.
fn entry(file: &str, packages: &[String]) -> String {
    if file.starts_with("tests/") || file.starts_with("benches/") {
        return file.split('/').next().unwrap().to_owned();
    }
    let is_inside = |package: &&String| file.starts_with(&format!("{package}/"));
    let package = packages.iter().filter(is_inside).max_by_key(|package| package.len());
    match package {
        Some(package) if !file.starts_with("renderer/docs/") => package.clone(),
        _ => "pages".to_owned(),
    }
}

#[test]
fn prose_has_fewer_idioms() {
    let (packages, root) = (packages(), root());
    let mut files = vec![];
    texts(&root, &mut files);
    let mut counts = std::collections::BTreeMap::new();
    for path in files {
        let file = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        let text = fs::read_to_string(&path).unwrap();
        *counts.entry(entry(&file, &packages)).or_insert(0) += count(&text, file.ends_with(".md"));
    }
    let is_over = |(name, count): &(&String, &usize)| {
        let maximum = MAXIMA.iter().find(|(known, _)| known == name);
        **count > maximum.map_or(0, |(_, maximum)| *maximum)
    };
    let over: Vec<_> = counts.iter().filter(is_over).collect();
    let table: String = counts
        .iter()
        .map(|(name, count)| format!("    (\"{name}\", {count}),\n"))
        .collect();
    println!("counts, to paste into MAXIMA:\n{table}");
    assert!(over.is_empty(), "more idioms than allowed: {over:?}\ncounts:\n{table}");
}

#[test]
fn idioms_are_found() {
    let text =
        "/// What a ray meets.\n\n// A path on its way\n// goes far.\n//\n// The way to go.\nlet lamp = 1;\n";
    assert_eq!(count(text, false), 2);
    assert_eq!(count("Beside others, a lamps\nshade.\n\n| way |\n\n    took\n", true), 1);
}
