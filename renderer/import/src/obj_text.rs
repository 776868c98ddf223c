//! Tokeniser of OBJ and MTL files: lines without comments, continued lines joined, numbers.

use std::borrow::Cow;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use renderer_base::files::Files;

/// Lines of a text with their numbers, from 1: without comments and blank lines, and with lines that end in `\` joined.
pub(super) fn logical_lines(text: &str) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let mut lines = (1..).zip(text.lines());
    std::iter::from_fn(move || {
        loop {
            let (number, line) = lines.next()?;
            let line = without_comment(line);
            let whole = match line.ends_with('\\') {
                false => Cow::Borrowed(line.trim_ascii()),
                true => Cow::Owned(joined(line, &mut lines)),
            };
            if !whole.is_empty() {
                return Some((number, whole));
            }
        }
    })
}

/// Joins a line that ends in `\` with those after it.
fn joined<'a>(line: &str, lines: &mut impl Iterator<Item = (usize, &'a str)>) -> String {
    let mut joined = line.to_owned();
    while joined.ends_with('\\') {
        joined.pop();
        joined.push(' ');
        joined.push_str(lines.next().map_or("", |(_, line)| without_comment(line)));
    }
    joined.trim().to_owned()
}

/// Removes the comment of a line. In lines that end with a name (`usemtl Material #25`) a comment has a blank after
/// `#`.
fn without_comment(line: &str) -> &str {
    if !line.contains('#') {
        return line.trim_ascii_end();
    }
    let keyword = line.split_whitespace().next().unwrap_or_default();
    let is_numbers = matches!(
        keyword,
        "v" | "vt" | "vn" | "f" | "fo" | "Kd" | "Ks" | "Ke" | "Ka" | "Ns" | "Ni" | "d"
    );
    let begins = |&(at, _): &(usize, &str)| {
        let before = line[..at].chars().next_back();
        let after = line[at + 1..].chars().next();
        // In `1.#QNAN`, a NaN as some programs print it, `#` does not begin a comment.
        is_numbers && before != Some('.')
            || before.is_none_or(char::is_whitespace)
                && (line[..at].trim().is_empty() || after.is_none_or(char::is_whitespace))
    };
    let end = line.match_indices('#').find(begins).map_or(line.len(), |(at, _)| at);
    line[..end].trim_end()
}

/// Lookup of the files that statements name; lists each folder once.
pub(super) struct NamedFiles<'a> {
    pub(super) files: &'a dyn Files,
    /// By folder: names of its files by their names in lower case.
    folders: RefCell<FxHashMap<PathBuf, FxHashMap<String, String>>>,
}

impl<'a> NamedFiles<'a> {
    pub(super) fn new(files: &'a dyn Files) -> NamedFiles<'a> {
        NamedFiles { files, folders: RefCell::default() }
    }

    /// Path of a file named in a statement, relative to `path`. Names may be quoted; `\` separates folders, or escapes
    /// a blank. If the file does not exist, a file whose name differs in case only, or a file in the folder of `path`, is
    /// used: files come from case-insensitive systems and contain the folders of their authors.
    pub(super) fn find(&self, path: &Path, name: &str) -> PathBuf {
        let name = name.trim();
        let quoted = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
        let name = quoted.unwrap_or(name);
        let beside = |name: &str| path.with_file_name(name.replace('\\', "/"));
        let plain = beside(name);
        if self.files.is_file(&plain) {
            return plain;
        }
        let unescaped = beside(&name.replace("\\ ", " "));
        let folders = [plain.parent(), path.parent()];
        let mut others = folders
            .into_iter()
            .flatten()
            .filter_map(|folder| self.find_ignoring_case(folder, &plain));
        match self.files.is_file(&unescaped) {
            true => unescaped,
            false => others.next().unwrap_or(unescaped),
        }
    }

    /// Finds a file in a folder whose name differs in case only.
    fn find_ignoring_case(&self, folder: &Path, file: &Path) -> Option<PathBuf> {
        let name = file.file_name()?.to_str()?.to_lowercase();
        let mut folders = self.folders.borrow_mut();
        let names = folders.entry(folder.to_owned()).or_insert_with(|| {
            // The first of several names counts.
            let names = self.files.list(folder).into_iter().rev();
            names.map(|name| (name.to_lowercase(), name)).collect()
        });
        let found = folder.join(names.get(&name)?);
        self.files.is_file(&found).then_some(found)
    }

    /// Paths of the files of an `mtllib` statement, relative to `path`: one or several, with names that may contain
    /// blanks.
    pub(super) fn libraries(&self, path: &Path, names: &str) -> Vec<PathBuf> {
        let whole = self.find(path, names);
        if self.files.is_file(&whole) {
            return vec![whole];
        }
        let (mut list, mut name) = (vec![], String::new());
        let words: Vec<&str> = names.split_whitespace().collect();
        // A name ends with `.mtl` or with a closing quote.
        let is_library = |word: &&str| word.to_ascii_lowercase().ends_with(".mtl");
        let last_library = words.iter().rposition(is_library);
        for (index, word) in words.iter().enumerate() {
            name.push_str(word);
            let is_whole = match name.strip_prefix('"') {
                Some(rest) => rest.ends_with('"'),
                None => is_library(word) || last_library.is_none_or(|last| last <= index),
            };
            if is_whole || index + 1 == words.len() {
                list.push(self.find(path, &name));
                name.clear();
            } else {
                name.push(' ');
            }
        }
        list
    }
}

/// Parses the first `N` numbers of `text`, which must be finite; also returns the number of numbers.
pub(super) fn numbers<const N: usize>(text: &str) -> Result<([f32; N], usize), String> {
    let (values, count) = any_numbers(text)?;
    match text.split_ascii_whitespace().zip(values).find(|(_, v)| !v.is_finite()) {
        Some((word, _)) => Err(format!("`{word}` is not finite")),
        None => Ok((values, count)),
    }
}

/// Parses the first `N` numbers of `text`, which may be infinite or NaN; also returns the number of numbers.
pub(super) fn any_numbers<const N: usize>(text: &str) -> Result<([f32; N], usize), String> {
    let (mut values, mut count) = ([0.0; N], 0);
    for word in text.split_ascii_whitespace() {
        let value = word.parse().ok().or_else(|| parse_windows_nan(word));
        let value = value.ok_or_else(|| format!("`{word}` is not a number"))?;
        if let Some(place) = values.get_mut(count) {
            *place = value;
        }
        count += 1;
    }
    Ok((values, count))
}

/// Parses NaN and infinity as printed on Windows: `-nan(ind)`, `1.#INF`.
fn parse_windows_nan(word: &str) -> Option<f32> {
    let word = word.trim_start_matches(['-', '+']).to_ascii_lowercase();
    let is_one = word.starts_with("nan(") || word.starts_with("1.#");
    is_one.then_some(f32::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_libraries_may_have_blanks() {
        for (names, expected) in [
            ("a.mtl", &["a.mtl"][..]),
            ("a.mtl b.MTL", &["a.mtl", "b.MTL"]),
            ("old wood.mtl", &["old wood.mtl"]),
            ("old wood.mtl new  wood.mtl", &["old wood.mtl", "new wood.mtl"]),
            ("\"old wood.mtl\"", &["old wood.mtl"]),
            ("\"old wood.mtl\" b.mtl \"c\"", &["old wood.mtl", "b.mtl", "c"]),
            ("old\\ wood.mtl b.mtl", &["old wood.mtl", "b.mtl"]),
            ("tex\\old wood.mtl", &["tex/old wood.mtl"]),
            ("one two", &["one", "two"]),
            ("\"open", &["\"open"]),
        ] {
            let found =
                NamedFiles::new(&renderer_base::files::DiskFiles).libraries(Path::new("dir/a.obj"), names);
            let expected: Vec<PathBuf> = expected.iter().map(|name| Path::new("dir").join(name)).collect();
            assert_eq!(found, expected, "{names}");
        }
    }
}
