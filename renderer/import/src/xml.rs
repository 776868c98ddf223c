//! XML texts of scene files: parsing with bounds, locations, numbers.

use std::path::Path;
use std::sync::Arc;

use roxmltree::{Document, Node, ParsingOptions};
use shading::{Source, Span};

use super::xml_attributes::too_many;
use renderer_base::files::{Files, text_of_xml};

/// Maximum number of nodes of a document.
pub(crate) const MAX_NODES: u32 = 1 << 22;

/// Reads the text of a file.
///
/// # Errors
/// The reason.
pub(crate) fn read(files: &dyn Files, path: &Path) -> Result<String, String> {
    let bytes = files
        .read(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    text_of_xml(bytes).ok_or_else(|| {
        format!(
            "{} is not text in UTF-8, nor in Latin-1 by an XML declaration: save it in UTF-8",
            path.display()
        )
    })
}

/// Parses a text; `file` is a span of its source.
///
/// # Errors
/// The location and the reason.
pub(crate) fn parse(source: &Arc<Source>, file: Span) -> Result<Document<'_>, (Span, String)> {
    if let Some(start) = too_many(&source.text) {
        let start = start as u32;
        let place = Span { start, end: start + 1, ..file };
        return Err((place, "this element has too many attributes".to_owned()));
    }
    // Entities could expand each other; they are rejected with all other DTD declarations.
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..Default::default() };
    Document::parse_with_options(&source.text, options).map_err(|error| {
        let place = place_of(source, error.pos(), file);
        (place, format!("this is not well-formed XML: {error}"))
    })
}

/// Span of an element's opening tag.
pub(crate) fn span_of_tag(node: Node<'_, '_>, file: Span) -> Span {
    let range = node.range();
    let text = &node.document().input_text()[range.clone()];
    let length = text.find('>').map_or(text.len(), |end| end + 1);
    Span {
        start: range.start as u32,
        end: (range.start + length) as u32,
        ..file
    }
}

/// Span of a position given by row and column, both from 1.
fn place_of(source: &Source, position: roxmltree::TextPos, file: Span) -> Span {
    let line_start: usize = source
        .text
        .split_inclusive('\n')
        .take(position.row.saturating_sub(1) as usize)
        .map(str::len)
        .sum();
    let line = source.text[line_start..].lines().next().unwrap_or_default();
    let column: usize = line
        .chars()
        .take(position.col.saturating_sub(1) as usize)
        .map(char::len_utf8)
        .sum();
    let start = (line_start + column) as u32;
    Span { start, end: start, ..file }
}

/// Parses numbers separated by white space or commas.
pub(crate) fn numbers(text: &str) -> Result<Vec<f64>, String> {
    text.split(|c: char| c.is_whitespace() || c == ',')
        .filter(|part| !part.is_empty())
        .map(number)
        .collect()
}

/// Parses a number that is finite in single precision, in which Kiln computes.
pub(crate) fn number(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let value: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if (value as f32).is_finite() {
        Ok(value)
    } else {
        Err(format!("`{text}` is not a finite number"))
    }
}
