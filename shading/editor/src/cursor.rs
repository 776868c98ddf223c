//! Context of a cursor, found by tokens, because text being typed may not parse.

use std::ops::Range;

use crate::document::{Document, Language};
use crate::token::{Token, TokenKind};
use shading_syntax::ast::UnitKind;
use shading_syntax::token::ITEM_WORDS;

/// Keywords of scene declarations.
const SCENE_WORDS: [&str; 11] = [
    "film",
    "sampler",
    "scene",
    "integrator",
    "camera",
    "material",
    "shape",
    "light",
    "import",
    "assign",
    "override",
];

pub(crate) struct Cursor<'a> {
    document: &'a Document,
    /// Tokens before the word at the cursor, without comments and directives.
    before: Vec<&'a Token>,
    /// Index in `before` of the item's first token.
    item: usize,
    /// Indices in `before` of the item's open brackets, outermost first.
    open: Vec<usize>,
    /// Part of the word at the cursor that precedes the cursor.
    pub(crate) word: Range<usize>,
    /// String, comment or directive that contains the cursor.
    pub(crate) inside: Option<&'a Token>,
}

/// Call whose arguments contain the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenCall {
    /// Name of the called function or unit.
    pub(crate) name: String,
    /// Word before the name: the unit, if the call declares a layer.
    pub(crate) before: Option<String>,
    pub(crate) argument: usize,
    /// Names of arguments before the cursor.
    pub(crate) given: Vec<String>,
    /// True if the cursor is at the start of an argument.
    pub(crate) at_start: bool,
    /// Name of the argument whose value is typed.
    pub(crate) param: Option<String>,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(document: &'a Document, offset: usize) -> Cursor<'a> {
        let mut cursor = Cursor {
            document,
            before: vec![],
            item: 0,
            open: vec![],
            word: offset..offset,
            inside: None,
        };
        for token in &document.tokens {
            if token.range.start >= offset {
                break;
            }
            let is_open_end =
                token.range.end > offset || token.range.end == offset && !cursor.is_closed(token);
            match token.kind {
                TokenKind::Comment | TokenKind::Directive | TokenKind::Text if is_open_end => {
                    cursor.inside = Some(token);
                }
                TokenKind::Comment | TokenKind::Directive => {}
                TokenKind::Word | TokenKind::Number if token.range.end >= offset => {
                    cursor.word = token.range.start..offset;
                    if token.kind == TokenKind::Number {
                        cursor.inside = Some(token);
                    }
                }
                _ => cursor.push(token),
            }
        }
        cursor
    }

    /// Returns whether a cursor directly after a token is outside the token.
    fn is_closed(&self, token: &Token) -> bool {
        let text = self.document.slice(token);
        match token.kind {
            TokenKind::Comment => text.starts_with("/*") && text.len() > 3 && text.ends_with("*/"),
            TokenKind::Text => text.len() > 1 && text.ends_with('"'),
            TokenKind::Directive => false,
            TokenKind::Word | TokenKind::Number | TokenKind::Sign => true,
        }
    }

    fn push(&mut self, token: &'a Token) {
        let text = self.document.slice(token);
        let at = self.before.len();
        if !self.open.is_empty() && ITEM_WORDS.contains(&text) && self.begins_line(token) {
            // The previous item lacks a closing bracket.
            self.open.clear();
            self.item = at;
        }
        let is_scene = self.document.language() == Language::Scene;
        if is_scene && self.open.is_empty() && SCENE_WORDS.contains(&text) && self.begins_line(token) {
            // The previous declaration lacks its end.
            self.item = at;
        }
        self.before.push(token);
        match text {
            "(" | "{" | "[" => self.open.push(at),
            ")" | "}" | "]" => {
                self.open.pop();
                if text == "}" && self.open.is_empty() {
                    self.item = at + 1;
                }
            }
            ";" if self.open.is_empty() => self.item = at + 1,
            _ => {}
        }
    }

    fn begins_line(&self, token: &Token) -> bool {
        let before = &self.document.text[..token.range.start];
        before.is_empty() || before.ends_with('\n')
    }

    fn text(&self, at: usize) -> &'a str {
        self.before.get(at).map_or("", |token| self.document.slice(token))
    }

    /// Returns the token before the word at the cursor, or an earlier one by `distance`.
    pub(crate) fn previous(&self, distance: usize) -> &'a str {
        match self.before.len().checked_sub(distance + 1) {
            Some(at) if at >= self.item => self.text(at),
            _ => "",
        }
    }

    /// Returns the first word of the item; empty at the start of an item.
    pub(crate) fn item_word(&self) -> &'a str {
        self.text(self.item)
    }

    /// Returns whether the cursor is at the start of an item.
    pub(crate) fn begins_item(&self) -> bool {
        self.item >= self.before.len()
    }

    /// Returns the kind of a declaration: `sphere` in `shape ball : sphere {`.
    pub(crate) fn item_kind(&self) -> Option<&'a str> {
        let end = self.open.first().copied().unwrap_or(self.before.len());
        let colon = (self.item..end).find(|&at| self.text(at) == ":")?;
        Some(self.text(colon + 1)).filter(|kind| !kind.is_empty())
    }

    /// Returns the brackets around the cursor, outermost first.
    pub(crate) fn brackets(&self) -> Vec<&'a str> {
        self.open.iter().map(|&at| self.text(at)).collect()
    }

    /// Returns whether the cursor is in the body of a group.
    pub(crate) fn in_group(&self) -> bool {
        self.item_word() == "group" && self.brackets().first() == Some(&"{")
    }

    /// Returns whether the item is a scene declaration.
    pub(crate) fn in_declaration(&self) -> bool {
        self.document.language() == Language::Scene && SCENE_WORDS.contains(&self.item_word())
    }

    /// Returns whether the item is a unit or a function.
    pub(crate) fn in_code(&self) -> bool {
        let is_unit = UnitKind::from_name(self.item_word()).is_some() && !self.item_is_declaration();
        self.document.language() == Language::Shader && self.item_word() != "group" || is_unit
    }

    /// Returns whether the item has the form of a scene declaration.
    fn item_is_declaration(&self) -> bool {
        matches!(self.text(self.item + 1), ":" | "=" | "{" | "")
    }

    /// Returns the call whose parenthesis is the innermost open bracket.
    pub(crate) fn call(&self) -> Option<OpenCall> {
        let open = *self.open.last()?;
        let name = self.text(open.checked_sub(1)?);
        if self.text(open) != "(" || !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return None;
        }
        let mut depth = 0;
        let (mut argument, mut start) = (0, open + 1);
        let mut given = vec![];
        for at in open + 1..self.before.len() {
            match self.text(at) {
                "(" | "{" | "[" => depth += 1,
                ")" | "}" | "]" => depth -= 1,
                "," if depth == 0 => {
                    argument += 1;
                    start = at + 1;
                }
                "=" if depth == 0 && at == start + 1 => given.push(self.text(start).to_owned()),
                _ => {}
            }
        }
        let before = open.checked_sub(2).map(|at| self.before[at]);
        let before = before.filter(|token| token.kind == TokenKind::Word && open >= self.item + 2);
        let param = (self.text(start + 1) == "=").then(|| self.text(start).to_owned());
        Some(OpenCall {
            name: name.to_owned(),
            before: before.map(|token| self.document.slice(token).to_owned()),
            argument,
            given,
            at_start: start == self.before.len(),
            param,
        })
    }

    /// Returns the word before a dot at the cursor: `b` in `a.b.`.
    pub(crate) fn object(&self) -> Option<&'a str> {
        (self.previous(0) == ".")
            .then(|| self.previous(1))
            .filter(|word| !word.is_empty())
    }
}
