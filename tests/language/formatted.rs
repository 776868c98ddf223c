//! Formatting preserves the meaning of texts: the checked code of all units and the syntax tree of everything else. The
//! texts are those that ship, those of the tests, and those of the folder `OSL_TESTSUITE`, if it is set.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use language_support::{Folder, data, shipped};
use shading::check::{self, Environment};
use shading::hir::print::print;
use shading::{ClosureRegistry, Preprocessor, Source, syntax};

/// Returns the code of the units of a text, and the tree of its items.
fn meaning(path: &Path, text: &str, registry: &ClosureRegistry) -> Option<(Vec<String>, String)> {
    let preprocessor = Preprocessor::new(Arc::new(Folder(data("shaders/include"))));
    let (source, diagnostics) = preprocessor.run(Source::new(path.display().to_string(), text));
    let (file, mistakes) = syntax::parse(source);
    if diagnostics.has_errors() || mistakes.has_errors() {
        return None;
    }
    let checked = check::check(&file, &Environment::new(registry));
    // Messages contain the line numbers of their calls.
    let place = format!("{}:", path.display());
    let units = checked.units.iter().map(|unit| {
        let text = print(unit);
        let parts: Vec<&str> = text.split(&place).collect();
        let parts = parts.iter().map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()));
        parts.collect()
    });
    let units = units.collect();
    Some((units, without_places(&format!("{:?}", file.items))))
}

/// Prints a tree without its spans.
fn without_places(text: &str) -> String {
    let mut parts = text.split("Span {");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('}').map_or("", |(_, rest)| rest))
}

fn walk(folder: &Path, list: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let is_text = path
            .extension()
            .is_some_and(|end| ["ksl", "osl", "tsl", "kiln"].iter().any(|known| end == *known));
        if path.is_dir() {
            walk(&path, list);
        } else if is_text {
            list.push(path);
        }
    }
}

#[test]
fn formatted_texts_mean_the_same() {
    let mut files = vec![];
    for folder in ["../shaders", "../scenes", "shaders"] {
        walk(&data(folder), &mut files);
    }
    if let Some(suite) = std::env::var_os("OSL_TESTSUITE") {
        walk(Path::new(&suite), &mut files);
    }
    let registry = shipped::closures();
    let (mut compared, mut units) = (0, 0);
    for path in files {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        // Some tests print line numbers and arguments of macros as written.
        if text.contains("__LINE__") || text.contains("osl-unittest.h") {
            continue;
        }
        let Some(before) = meaning(&path, &text, &registry) else {
            continue;
        };
        let mut texts = vec![text.clone()];
        // Removes all indentation, except in texts that continue after a backslash.
        if !text.contains("\\\n") {
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            texts.push(lines.join("\n"));
        }
        for text in texts {
            let formatted = match shading_format::format(&path.display().to_string(), &text) {
                Ok(formatted) => formatted,
                Err(error) => panic!("{}: {error}", path.display()),
            };
            let after = meaning(&path, &formatted, &registry);
            let Some(after) = after else {
                panic!("{}: errors", path.display());
            };
            for (before, after) in before.0.iter().zip(&after.0) {
                let differs = before.lines().zip(after.lines()).find(|(a, b)| a != b);
                assert!(before == after, "{}: {differs:?}", path.display());
            }
            assert!(before == after, "{}: another tree", path.display());
        }
        compared += 1;
        units += before.0.len();
    }
    assert!(compared > 150 && units > 100, "{compared} files, {units} units");
}
