//! Colours in a text, and how they are written.

use std::ops::Range;

use crate::definition::{DefinitionKind, Target};
use crate::query::{Found, Query};
use crate::token::{Token, TokenKind};

/// A colour that a text gives by three numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct ColorPlace {
    /// Bytes of the whole: `color(1, 0, 0)`, `(1, 0, 0)`.
    pub range: Range<usize>,
    /// The colour as screens have it: sRGB, each from 0 to 1.
    pub srgb: [f32; 3],
}

/// Finds the colours: calls of `color`, and triples that are given to parameters and keys that are colours. Light brighter
/// than white has no place in an editor's picker, and is left out.
pub fn colors(query: &Query<'_>) -> Vec<ColorPlace> {
    let document = query.document;
    let tokens: Vec<&Token> = document
        .tokens
        .iter()
        .filter(|token| token.kind != TokenKind::Comment)
        .collect();
    let text = |at: usize| tokens.get(at).map_or("", |token| document.slice(token));
    let mut list = vec![];
    for open in 0..tokens.len() {
        if text(open) != "(" || text(open + 2) != "," || text(open + 4) != "," || text(open + 6) != ")" {
            continue;
        }
        let before = open.checked_sub(1).map_or("", text);
        let start = match before {
            "color" => open - 1,
            "=" if open > 1 && is_color(query, tokens[open - 2]) => open,
            _ => continue,
        };
        let number = |at: usize| text(at).trim_end_matches('f').parse::<f32>().ok();
        let (Some(r), Some(g), Some(b)) = (number(open + 1), number(open + 3), number(open + 5)) else {
            continue;
        };
        if [r, g, b].iter().all(|channel| (0.0..=1.0).contains(channel)) {
            list.push(ColorPlace {
                range: tokens[start].range.start..tokens[open + 6].range.end,
                srgb: [r, g, b].map(encoded),
            });
        }
    }
    list
}

/// Returns whether a word before an equals sign is a parameter or a key whose value is a colour.
fn is_color(query: &Query<'_>, word: &Token) -> bool {
    let index = &query.document.index;
    let Some(reference) = index.reference_at(word.range.start) else {
        let definition = index.definition_at(word.range.start).map(|id| index.get(id));
        return definition
            .is_some_and(|definition| definition.ty == "color" && definition.kind == DefinitionKind::Param);
    };
    if let Target::Key { name, .. } = &reference.target {
        return matches!(name.as_str(), "color" | "ground");
    }
    match query.resolve(&reference.target) {
        Some(Found::Definition(place)) => place.definition().ty == "color",
        _ => false,
    }
}

/// How a colour of a picker is written in place of what `old` says.
pub fn color_text(srgb: [f32; 3], old: &str) -> String {
    let channels = srgb.map(|channel| {
        let rounded = (decoded(channel) * 1000.0).round() / 1000.0;
        rounded.to_string()
    });
    let head = if old.starts_with("color") { "color" } else { "" };
    format!("{head}({})", channels.join(", "))
}

/// Linear light as sRGB.
fn encoded(x: f32) -> f32 {
    if x <= 0.003_130_8 {
        x * 12.92
    } else {
        1.055 * libm::powf(x, 1.0 / 2.4) - 0.055
    }
}

/// sRGB as linear light.
fn decoded(x: f32) -> f32 {
    if x <= 0.040_45 {
        x / 12.92
    } else {
        libm::powf((x + 0.055) / 1.055, 2.4)
    }
}
