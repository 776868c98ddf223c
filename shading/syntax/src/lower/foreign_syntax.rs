//! Syntax of other languages, and the syntax that replaces it in Kiln.

use std::ops::Range;

use super::lexeme::{is_type, tokens};

/// A form of another language.
pub(super) struct ForeignSyntax {
    /// Bytes of the form.
    pub(super) range: Range<usize>,
    /// Expected syntax, for the message.
    pub(super) expected: &'static str,
    pub(super) hint: &'static str,
}

/// First words of statements of other languages, with the expected syntax and a hint.
const STATEMENTS: [(&[&str], &str, &str); 5] = [
    (&["elif", "elseif", "elsif"], "`else if`", "write `else if (condition)`"),
    (
        &["switch"],
        "a statement",
        "a choice of many is `if (x == 1) … else if (x == 2) … else …`",
    ),
    (&["foreach"], "a statement", "a loop is `for (int i = 0; i < n; ++i) …`"),
    (
        &["illuminance", "illuminate"],
        "a statement",
        "there are no loops over lights: a surface is a closure, `Ci = diffuse(N);`",
    ),
    (
        &["def", "fn"],
        "a declaration",
        "a function begins with the type of its result: `float name(float x) { … }`",
    ),
];

/// Operators of other languages with the expected syntax and a hint.
const OPERATORS: [(&str, &str, &str); 6] = [
    ("**", "an expression", "a power is `pow(x, y)`"),
    ("===", "an expression", "equality is `==`"),
    ("!==", "an expression", "inequality is `!=`"),
    ("<>", "an expression", "inequality is `!=`"),
    (":=", "`=`", "an assignment is `x = value`"),
    ("??", "an expression", "a choice is `condition ? x : y`"),
];

/// Returns the form of another language that causes an error at the token `found`.
pub(super) fn foreign_syntax(text: &str, found: &Range<usize>) -> Option<ForeignSyntax> {
    let tokens = statement(text, found.start);
    operator(text, found)
        .or_else(|| array_type(text, &tokens, found))
        .or_else(|| first_word(text, &tokens, found))
}

/// Returns the tokens of the statement or item that contains an offset, up to the offset.
fn statement(text: &str, at: usize) -> Vec<Range<usize>> {
    let mut statement = vec![];
    for range in tokens(text, at) {
        if matches!(&text[range.clone()], ";" | "{" | "}") {
            statement.clear();
        } else {
            statement.push(range);
        }
    }
    statement
}

/// Returns an operator of another language whose last character is unexpected.
fn operator(text: &str, found: &Range<usize>) -> Option<ForeignSyntax> {
    let of_symbol = |&(symbol, expected, hint): &(&str, &'static str, &'static str)| {
        let starts = found.start.saturating_sub(symbol.len() - 1)..=found.start;
        let start = starts.into_iter().find(|&start| {
            let rest = text.get(start..).unwrap_or_default();
            rest.starts_with(symbol)
        })?;
        Some(ForeignSyntax { range: start..start + symbol.len(), expected, hint })
    };
    OPERATORS.iter().find_map(of_symbol)
}

/// Returns `float[3] x`: the length after the type.
fn array_type(text: &str, tokens: &[Range<usize>], found: &Range<usize>) -> Option<ForeignSyntax> {
    let word = |range: &Range<usize>| &text[range.clone()];
    let open = if word(found) == "[" {
        found.clone()
    } else {
        // The bracket is closed before the unexpected token.
        let last = tokens.last().filter(|last| word(last) == "]")?;
        let open = tokens.iter().rev().find(|range| word(range) == "[")?;
        open.start..last.end
    };
    let before = tokens.iter().rev().find(|range| range.end <= open.start)?;
    is_type(word(before)).then_some(ForeignSyntax {
        range: open,
        expected: "a name",
        hint: "the length of an array is behind its name: `float x[3]`",
    })
}

/// Returns a statement that begins with a keyword of another language.
fn first_word(text: &str, tokens: &[Range<usize>], found: &Range<usize>) -> Option<ForeignSyntax> {
    let first = tokens.first().unwrap_or(found);
    let word = &text[first.clone()];
    let (_, expected, hint) = STATEMENTS.iter().find(|(words, ..)| words.contains(&word))?;
    Some(ForeignSyntax { range: first.clone(), expected, hint })
}
