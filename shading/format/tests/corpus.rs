//! Properties that hold for all texts: the texts of this repository, unchanged, with other white space, and damaged; and the
//! texts of the folder `OSL_TESTSUITE`, if it is set.

use std::fs;
use std::path::{Path, PathBuf};

use shading_format::{FormatError, LineChange, changes, edits, format};
use shading_syntax::token::{TokenKind, tokens};

fn walk(folder: &Path, list: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            walk(&path, list);
        } else if [".ksl", ".osl", ".tsl", ".kiln"].iter().any(|end| name.ends_with(end)) {
            list.push(path);
        }
    }
}

fn corpus() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![];
    for folder in ["shaders", "scenes", "shading", "tests", "benches"] {
        walk(&root.join(folder), &mut files);
    }
    if let Some(suite) = std::env::var_os("OSL_TESTSUITE") {
        walk(Path::new(&suite), &mut files);
    }
    assert!(files.len() > 150, "only {} files", files.len());
    let text = |path: &PathBuf| Some((path.display().to_string(), fs::read_to_string(path).ok()?));
    files.iter().filter_map(text).collect()
}

/// Content that formatting must preserve: tokens of code, and words of comments.
fn content(text: &str) -> Vec<String> {
    let mut list = vec![];
    for token in tokens(text) {
        let slice = &text[token.range];
        match token.kind {
            TokenKind::Space | TokenKind::Newline | TokenKind::Splice => {}
            TokenKind::Comment => list.extend(slice.split_whitespace().map(str::to_owned)),
            _ => list.push(slice.to_owned()),
        }
    }
    list
}

/// Checks the properties of a formatted text, and returns it.
fn formatted(name: &str, text: &str) -> Option<String> {
    let new = match format(name, text) {
        Ok(new) => new,
        Err(FormatError::Syntax(_)) => return None,
        Err(FormatError::Changed) => panic!("{name}: other tokens:\n{text}"),
    };
    assert_eq!(content(text), content(&new), "{name}");
    let again = format(name, &new).unwrap_or_else(|error| panic!("{name}: {error}\n{new}"));
    if again != new {
        let differs = changes(&new, &again);
        panic!("{name}: formatted twice: {:?}", &differs[..differs.len().min(6)]);
    }
    let no_trailing = new.lines().zip(1..).find(|(line, _)| line.ends_with([' ', '\t']));
    let has_code = |line: &str| !line.trim_start().starts_with(['#', '*']);
    assert!(no_trailing.is_none_or(|(line, _)| !has_code(line)), "{name}: {no_trailing:?}");
    let mut edited = text.to_owned();
    for edit in edits(text, &new).into_iter().rev() {
        edited.replace_range(edit.range, &edit.text);
    }
    assert_eq!(edited, new, "{name}");
    Some(new)
}

/// Number of changes per text: `KILN_FUZZ_ROUNDS`, or `usual`.
fn rounds(usual: usize) -> usize {
    let rounds = std::env::var("KILN_FUZZ_ROUNDS").ok();
    rounds.and_then(|rounds| rounds.parse().ok()).unwrap_or(usual)
}

/// Pseudorandom numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

#[test]
fn each_text_has_one_form() {
    let texts = corpus();
    let count = texts.iter().filter(|(name, text)| formatted(name, text).is_some()).count();
    // Texts of `tests/shaders/fail` have errors.
    assert!(count + 10 > texts.len(), "{count} of {}", texts.len());
}

/// Replaces the white space between tokens.
fn respaced(text: &str, dice: &mut Dice) -> String {
    let mut new = String::new();
    for token in tokens(text) {
        let slice = &text[token.range];
        match token.kind {
            // Line ends of directives are significant.
            TokenKind::Newline
                if new.rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with('#')) =>
            {
                new.push('\n');
            }
            TokenKind::Newline
                if new.ends_with('\\') || new.rsplit('\n').next().is_some_and(|line| line.contains("//")) =>
            {
                new.push('\n');
            }
            TokenKind::Space | TokenKind::Newline => {
                let kinds = ["", " ", "  ", "\t", "\n", "\n\n\n", "\n      ", " \n\t", "   "];
                let space = kinds[dice.roll(kinds.len())];
                new.push_str(if space.is_empty() { " " } else { space });
            }
            _ => new.push_str(slice),
        }
        // White space is optional except between names and numbers.
        let is_sign =
            token.kind == TokenKind::Punctuation && matches!(slice, "(" | ")" | "{" | "}" | ";" | ",");
        if is_sign && dice.roll(4) == 0 {
            new.push_str(["\n", "  ", "\n\n\n\n"][dice.roll(3)]);
        }
    }
    new
}

#[test]
fn other_white_space_has_a_stable_form() {
    let mut dice = Dice(7);
    for (name, text) in corpus() {
        for round in 0..rounds(3) {
            formatted(&format!("{name} ({round})"), &respaced(&text, &mut dice));
        }
    }
}

/// Removes some tokens and repeats others. The directive prevents parsing.
fn damaged(text: &str, dice: &mut Dice) -> String {
    let mut new = "#define DAMAGED\n#if 1\n".to_owned();
    for token in tokens(text) {
        let slice = &text[token.range];
        match dice.roll(40) {
            0 => {}
            1 => {
                new.push_str(slice);
                new.push_str(slice);
            }
            2 => {
                let sign = [
                    "{",
                    "}",
                    "(",
                    ")",
                    "[",
                    "]]",
                    "[[",
                    ";",
                    "else ",
                    "\n#else\n",
                    "// x\n",
                    "/* y */",
                    "if ",
                ];
                new.push_str(sign[dice.roll(sign.len())]);
                new.push_str(slice);
            }
            _ => new.push_str(slice),
        }
    }
    new
}

#[test]
fn damaged_texts_have_a_stable_form_or_none() {
    let mut dice = Dice(11);
    let mut count = 0;
    for (name, text) in corpus() {
        for round in 0..rounds(2) {
            let text = damaged(&text, &mut dice);
            count += usize::from(formatted(&format!("{name} ({round})"), &text).is_some());
        }
    }
    assert!(count > 100, "only {count} are formatted");
}

#[test]
fn changed_lines_are_listed_in_order() {
    let old = "a();\nb( );\n\n\n// c\nd();\n";
    let new = "a();\nb();\n\n// c\nd();\n";
    let list = changes(old, new);
    assert_eq!(
        list,
        [LineChange::Old(2, "b( );"), LineChange::New("b();"), LineChange::Old(4, "")]
    );
}
