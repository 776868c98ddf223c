//! Navigation: definitions, references, and renaming.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use crate::definition::{DefinitionKind, Reference};
use crate::document::Document;
use crate::query::{DefinitionPlace, Query, Resolution};
use crate::token::{TokenKind, is_word};
use crate::vocabulary::Vocabulary;

/// Range of bytes in a file.
#[derive(Clone, Debug)]
pub struct Location {
    /// The text; `None` if the file is not a text.
    pub document: Option<Arc<Document>>,
    /// Path of the file.
    pub path: PathBuf,
    /// Bytes.
    pub range: Range<usize>,
}

impl Location {
    fn of(document: &Arc<Document>, range: Range<usize>) -> Location {
        Location {
            path: document.path.clone(),
            document: Some(document.clone()),
            range,
        }
    }
}

/// Returns the definition of the name at an offset, or the file that a string names.
pub fn definition(query: &Query<'_>, offset: usize) -> Option<Location> {
    let document = query.document;
    let imports = document.index.imports.iter();
    let import = imports.into_iter().find(|i| i.range.start <= offset && offset <= i.range.end);
    if let Some(import) = import {
        return file(query, &import.name);
    }
    if let Some(token) = document.token_at(offset)
        && token.kind == TokenKind::Text
    {
        return file(query, document.slice(token).trim_matches('"'));
    }
    match query.at(offset)?.1 {
        Resolution::Definition(place) => {
            let range = place.definition().name_range.clone();
            Some(Location::of(&place.document, range))
        }
        _ => None,
    }
}

fn file(query: &Query<'_>, name: &str) -> Option<Location> {
    if let Some(document) = query.files.find(name, &query.document.path) {
        return Some(Location::of(&document, 0..0));
    }
    let path = query.files.path(name, &query.document.path)?;
    Some(Location { document: None, path, range: 0..0 })
}

/// Returns the references in the text and in `others` to the name at an offset; with `with_definition`, also its definition.
pub fn references(
    query: &Query<'_>,
    offset: usize,
    others: &[Arc<Document>],
    with_definition: bool,
) -> Vec<Location> {
    let Some((_, Resolution::Definition(place))) = query.at(offset) else {
        return vec![];
    };
    let mut list = uses(query, &place, others);
    if with_definition {
        list.insert(0, Location::of(&place.document, place.definition().name_range.clone()));
    }
    list
}

/// Returns the references to a definition.
fn uses(query: &Query<'_>, place: &DefinitionPlace, others: &[Arc<Document>]) -> Vec<Location> {
    let mut documents = vec![query.document];
    documents.extend(others.iter().filter(|other| other.path != query.document.path));
    if !documents.iter().any(|known| known.path == place.document.path) {
        documents.push(&place.document);
    }
    let mut list = vec![];
    for document in documents {
        let query = Query { document, ..*query };
        let refers = |reference: &&Reference| {
            // Only references with the same name are resolved, because resolution across texts is slow.
            let text = document.text.get(reference.range.clone()).unwrap_or_default();
            text == place.definition().name
                && matches!(query.resolve(&reference.target), Some(Resolution::Definition(found)) if found.is(place))
        };
        let found = document.index.references().iter().filter(refers);
        list.extend(found.map(|reference| Location::of(document, reference.range.clone())));
    }
    list
}

/// Returns the name at an offset and its bytes, or the reason why it cannot be renamed.
pub fn renamable(query: &Query<'_>, offset: usize) -> Result<(Range<usize>, String), String> {
    let (range, found) = query.at(offset).ok_or("there is no name that can be renamed")?;
    let Resolution::Definition(place) = found else {
        return Err("the name is built into the language".to_owned());
    };
    check_renamable(query.vocabulary, &place)?;
    Ok((range, place.definition().name.clone()))
}

fn check_renamable(vocabulary: &Vocabulary, place: &DefinitionPlace) -> Result<(), String> {
    let definition = place.definition();
    let written = place.document.text.get(definition.name_range.clone());
    if vocabulary.shipped_names().any(|name| is_shipped(vocabulary, name, place)) {
        return Err(format!("`{}` ships with Kiln", definition.name));
    }
    if written != Some(definition.name.as_str()) || definition.kind == DefinitionKind::Setting {
        return Err("it has no name that can be renamed".to_owned());
    }
    Ok(())
}

fn is_shipped(vocabulary: &Vocabulary, name: &str, place: &DefinitionPlace) -> bool {
    vocabulary
        .shipped(name)
        .is_some_and(|document| Arc::ptr_eq(document, &place.document))
}

/// Returns the locations that a renaming changes, or the reason why the name cannot be changed.
pub fn rename(
    query: &Query<'_>,
    offset: usize,
    name: &str,
    others: &[Arc<Document>],
) -> Result<Vec<Location>, String> {
    let (_, old) = renamable(query, offset)?;
    let is_name = name.chars().all(is_word) && !name.starts_with(|c: char| c.is_ascii_digit());
    if name.is_empty() || !is_name {
        return Err(format!("`{name}` is not a valid name: names consist of letters, digits and _"));
    }
    if RESERVED.contains(&name) {
        return Err(format!("`{name}` is a word of the language"));
    }
    let Some((_, Resolution::Definition(place))) = query.at(offset) else {
        return Err("there is no name that can be renamed".to_owned());
    };
    let definition = place.definition();
    let clash = place.document.index.definitions().find(|(_, other)| {
        other.name == name
            && other.container == definition.container
            && other.scope.end == definition.scope.end
    });
    if let Some((_, other)) = clash {
        let line = place.document.lines.position(&place.document.text, other.name_range.start).line + 1;
        return Err(format!("`{name}` already exists in line {line}"));
    }
    if in_macros(&place.document, &old) && definition.kind != DefinitionKind::Macro {
        return Err(format!("a macro uses `{old}`: rename it by hand"));
    }
    let mut list = uses(query, &place, others);
    list.push(Location::of(&place.document, definition.name_range.clone()));
    list.sort_by(|a, b| (&a.path, a.range.start).cmp(&(&b.path, b.range.start)));
    list.dedup_by(|a, b| a.path == b.path && a.range == b.range);
    Ok(list)
}

/// Returns whether a preprocessor directive contains the word.
fn in_macros(document: &Document, word: &str) -> bool {
    let directives = document.tokens.iter().filter(|token| token.kind == TokenKind::Directive);
    let mut texts = directives.map(|token| document.slice(token));
    texts.any(|text| text.split(|c: char| !is_word(c)).any(|part| part == word))
}

/// Words that cannot be names.
const RESERVED: [&str; 26] = [
    "and", "bool", "break", "closure", "color", "const", "continue", "do", "double", "else", "false",
    "float", "for", "if", "int", "matrix", "not", "or", "output", "return", "string", "struct", "true",
    "vector", "void", "while",
];
