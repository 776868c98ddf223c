//! Completion at a cursor.

mod source;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::cursor::{Cursor, OpenCall};
use crate::definition::{Definition, DefinitionKind};
use crate::document::Language;
use crate::hover::{declaration, range_text};
use crate::query::Query;
use crate::token::TokenKind;
use shading_syntax::token::ITEM_WORDS;

/// Kind of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A function or closure.
    Function,
    /// A unit or group.
    Unit,
    /// A parameter, output, key or field.
    Property,
    /// A variable, layer or object.
    Variable,
    /// A word of the language.
    Keyword,
    /// A structure or type.
    Type,
    /// A constant or macro.
    Constant,
    /// A value of a closed set, such as a kind.
    Value,
    /// A file or folder.
    File,
}

/// A completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Name.
    pub label: String,
    /// Kind.
    pub kind: CompletionKind,
    /// Type or signature.
    pub detail: String,
    /// Documentation, in Markdown.
    pub help: String,
    /// Inserted text, if it differs from the label.
    pub insert: Option<String>,
    /// Sort order: smaller ranks come first.
    pub rank: u8,
}

/// Completions at a cursor, and the bytes that they replace.
#[derive(Clone, Debug, Default)]
pub struct Completions {
    /// Bytes of the word typed so far.
    pub range: Range<usize>,
    /// Completions.
    pub list: Vec<Completion>,
}

const TYPES: [&str; 11] = [
    "int", "float", "color", "point", "vector", "normal", "matrix", "string", "closure", "void", "any",
];
const STATEMENTS: [&str; 10] =
    ["if", "else", "for", "while", "do", "break", "continue", "return", "const", "output"];
/// Metadata that Kiln or user interfaces use.
const METADATA: [(&str, &str); 13] = [
    ("string help", "description"),
    ("string label", "name in user interfaces"),
    ("string page", "page in user interfaces"),
    ("string widget", "widget in user interfaces"),
    ("string units", "unit of the value"),
    ("string category", "category of a unit"),
    ("string aliases", "other names that callers may use"),
    ("string primvar", "geometry attributes that provide its value"),
    ("float min", "minimum"),
    ("float max", "maximum"),
    ("int interpolated", "1: value from the geometry attribute of its name"),
    ("int lockgeom", "0: value from the geometry attribute of its name"),
    ("int allowconnect", "0: connections are not allowed"),
];

/// Returns the completions at an offset.
pub fn completions(query: &Query<'_>, offset: usize) -> Completions {
    let cursor = Cursor::new(query.document, offset);
    let mut list = List { query, found: BTreeMap::new() };
    let mut range = cursor.word.clone();
    match cursor.inside {
        Some(token) if matches!(token.kind, TokenKind::Text | TokenKind::Directive) => {
            range = list.files(&cursor, token.range.start, offset);
        }
        Some(_) => {}
        None => list.at(&cursor, offset),
    }
    Completions { range, list: list.found.into_values().collect() }
}

struct List<'a> {
    query: &'a Query<'a>,
    found: BTreeMap<String, Completion>,
}

impl List<'_> {
    fn add(
        &mut self,
        label: &str,
        kind: CompletionKind,
        detail: impl Into<String>,
        help: impl Into<String>,
        rank: u8,
    ) {
        self.insert(label, kind, detail, help, None, rank);
    }

    fn insert(
        &mut self,
        label: &str,
        kind: CompletionKind,
        detail: impl Into<String>,
        help: impl Into<String>,
        insert: Option<String>,
        rank: u8,
    ) {
        let completion = Completion {
            label: label.to_owned(),
            kind,
            detail: detail.into(),
            help: help.into(),
            insert,
            rank,
        };
        self.found.entry(label.to_owned()).or_insert(completion);
    }

    fn words(&mut self, words: &[&str], kind: CompletionKind) {
        for word in words {
            self.add(word, kind, "", "", 5);
        }
    }

    fn at(&mut self, cursor: &Cursor<'_>, offset: usize) {
        if let Some(object) = cursor.object() {
            return self.members(object, offset);
        }
        if cursor.begins_item() {
            return self.items();
        }
        let brackets = cursor.brackets();
        if let [.., "[", "["] = brackets.as_slice() {
            for (label, help) in METADATA {
                self.insert(
                    label,
                    CompletionKind::Property,
                    "metadata",
                    help,
                    Some(format!("{label} = ")),
                    1,
                );
            }
            return;
        }
        if cursor.in_code() {
            return self.code(cursor, offset, &brackets);
        }
        if let Some(call) = cursor.call()
            && (cursor.in_group() || cursor.item_word() != "group")
        {
            return self.argument(&call, cursor, offset);
        }
        if cursor.item_word() == "group" {
            return self.group(cursor, offset, &brackets);
        }
        self.scene(cursor, &brackets);
    }

    /// Adds the words that begin top-level items.
    fn items(&mut self) {
        self.words(&ITEM_WORDS, CompletionKind::Keyword);
        self.words(&["import"], CompletionKind::Keyword);
        if self.query.document.language() == Language::Scene {
            for keyword in &self.query.vocabulary.keywords {
                self.add(&keyword.name, CompletionKind::Keyword, "", &keyword.help, 1);
            }
        } else {
            self.words(&TYPES, CompletionKind::Type);
            self.structures();
        }
    }

    fn code(&mut self, cursor: &Cursor<'_>, offset: usize, brackets: &[&str]) {
        self.words(&TYPES, CompletionKind::Type);
        self.structures();
        if brackets.first() != Some(&"{") && matches!(cursor.previous(0), "(" | ",") {
            // Parameters of a unit or function.
            return self.words(&["output", "const"], CompletionKind::Keyword);
        }
        self.values(offset, true);
        self.words(&STATEMENTS, CompletionKind::Keyword);
    }

    /// Adds the parameters of a unit, or values.
    fn argument(&mut self, call: &OpenCall, cursor: &Cursor<'_>, offset: usize) {
        let unit = match &call.before {
            // `matte base(`: a layer.
            Some(unit) if cursor.in_group() && self.query.unit(unit).is_some() => Some(unit.as_str()),
            _ => Some(call.name.as_str()),
        };
        let place = unit.and_then(|unit| self.query.unit(unit));
        if let (Some(place), true) = (&place, call.at_start) {
            for param in place.document.index.members(place.id) {
                let is = |name: &String| *name == param.name || param.aliases().any(|alias| alias == name);
                if param.kind == DefinitionKind::Param && !call.given.iter().any(is) {
                    self.param(param, Some(format!("{} = ", param.name)));
                }
            }
            return;
        }
        self.values(offset, cursor.in_group());
        if !cursor.in_group() {
            self.units();
            self.objects();
        }
    }

    fn param(&mut self, param: &Definition, insert: Option<String>) {
        let mut help = param.help().unwrap_or_default().to_owned();
        if let Some(range) = range_text(param) {
            help += &format!(" ({range})");
        }
        self.insert(&param.name, CompletionKind::Property, declaration(param), help, insert, 0);
    }

    fn group(&mut self, cursor: &Cursor<'_>, offset: usize, brackets: &[&str]) {
        match brackets {
            ["{"] if matches!(cursor.previous(0), "{" | ";" | "}") => {
                self.units();
                self.values(offset, false);
            }
            ["{"] if cursor.previous(0) == ")" => self.words(&["with"], CompletionKind::Keyword),
            ["{", "{"] if matches!(cursor.previous(0), "{" | ";") => self.globals(),
            ["{", ..] => self.values(offset, true),
            _ => self.words(&TYPES, CompletionKind::Type),
        }
    }

    fn scene(&mut self, cursor: &Cursor<'_>, brackets: &[&str]) {
        let keyword = cursor.item_word();
        match (brackets, cursor.previous(0)) {
            ([], ":") => {
                let known = self.query.vocabulary.keywords.iter().find(|known| known.name == keyword);
                for kind in known.into_iter().flat_map(|keyword| &keyword.kinds) {
                    self.add(kind, CompletionKind::Value, format!("{keyword} : {kind}"), "", 0);
                }
            }
            (["{"], "{" | ";" | "}") => {
                for (name, help) in self.query.vocabulary.keys_of(keyword, cursor.item_kind()) {
                    self.insert(name, CompletionKind::Property, "", help, Some(format!("{name} = ")), 0);
                }
            }
            (["{"] | ["{", ..], "=" | "," | "(" | "{") | ([], "=") => {
                if cursor.previous(0) == "=" && matches!(cursor.previous(1), "of" | "portals" | "except") {
                    return self.objects();
                }
                for (name, help) in self.query.vocabulary.keys_of("", None) {
                    self.add(name, CompletionKind::Function, "", help, 3);
                }
                self.units();
                self.objects();
                self.words(&["true", "false"], CompletionKind::Value);
            }
            _ if keyword == "assign" => self.objects(),
            _ => {}
        }
    }
}
