//! Formatting of an open text, as changes of the white space that differs: cursors stay where they are.

use lsp_types::{Range, TextEdit};
use serde_json::{Value, json};
use shading_editor::Document;

use super::convert;

/// The edits that format a text or a range of it; null for a text with syntax errors, which the diagnostics report.
pub(super) fn edits(document: &Document, range: Option<Range>) -> Value {
    let name = document.path.display().to_string();
    let Ok(formatted) = shading_format::format(&name, &document.text) else {
        return Value::Null;
    };
    let lines = |range: Range| {
        let end = range.end.line - u32::from(range.end.character == 0 && range.end > range.start);
        range.start.line..=end
    };
    let list = shading_format::edits(&document.text, &formatted).into_iter();
    let edits: Vec<TextEdit> = list
        .map(|edit| TextEdit::new(convert::range(document, &edit.range), edit.text))
        .filter(|edit| {
            range.is_none_or(|range| {
                let lines = lines(range);
                lines.contains(&edit.range.start.line) && lines.contains(&edit.range.end.line)
            })
        })
        .collect();
    json!(edits)
}
