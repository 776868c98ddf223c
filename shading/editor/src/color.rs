//! Colours in a text, for colour pickers.

use std::ops::Range;

use crate::definition::{DefinitionKind, Target};
use crate::query::{Query, Resolution};
use crate::token::{Token, TokenKind};

/// Colour that a text states by three numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct ColorPlace {
    /// Bytes of the expression: `color(1, 0, 0)` or `(1, 0, 0)`.
    pub range: Range<usize>,
    /// Colour in sRGB, each channel from 0 to 1.
    pub srgb: [f32; 3],
}

/// Returns the colours in a text: calls of `color`, and triples assigned to parameters and keys of type colour. Colours
/// brighter than white are omitted, because colour pickers cannot show them.
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

/// Returns whether a word before `=` is a parameter or key of type colour.
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
        Some(Resolution::Definition(place)) => place.definition().ty == "color",
        _ => false,
    }
}

/// Returns the source text of a colour, in the form of the replaced text `old`.
pub fn color_text(srgb: [f32; 3], old: &str) -> String {
    let channels = srgb.map(|channel| {
        let rounded = (decoded(channel) * 1000.0).round() / 1000.0;
        rounded.to_string()
    });
    let head = if old.starts_with("color") { "color" } else { "" };
    format!("{head}({})", channels.join(", "))
}

/// Converts linear light to sRGB.
fn encoded(x: f32) -> f32 {
    if x <= 0.003_130_8 {
        x * 12.92
    } else {
        1.055 * libm::powf(x, 1.0 / 2.4) - 0.055
    }
}

/// Converts sRGB to linear light.
fn decoded(x: f32) -> f32 {
    if x <= 0.040_45 {
        x / 12.92
    } else {
        libm::powf((x + 0.055) / 1.055, 2.4)
    }
}
