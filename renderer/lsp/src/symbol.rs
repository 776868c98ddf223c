//! Symbols and semantic tokens in the form of the protocol.

use lsp_types::{DocumentSymbol, SymbolKind};
use serde_json::{Value, json};
use shading_editor::{DefinitionKind, Document, Highlight, Meaning, Position, Symbol};

use super::convert;

/// Maximum number of workspace symbols in one answer.
pub(super) const MAX_SYMBOLS: usize = 500;

#[expect(deprecated, reason = "the field has to be there")]
pub(super) fn document_symbol(document: &Document, symbol: &Symbol) -> DocumentSymbol {
    let children = symbol.children.iter().map(|child| document_symbol(document, child));
    DocumentSymbol {
        // Editors refuse empty names.
        name: if symbol.name.is_empty() {
            "?".to_owned()
        } else {
            symbol.name.clone()
        },
        detail: Some(symbol.detail.clone()),
        kind: kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: convert::range(document, &symbol.range),
        selection_range: convert::range(document, &symbol.name_range),
        children: Some(children.collect()),
    }
}

pub(super) fn kind(kind: DefinitionKind) -> SymbolKind {
    match kind {
        DefinitionKind::Unit | DefinitionKind::Group => SymbolKind::CLASS,
        DefinitionKind::Function => SymbolKind::FUNCTION,
        DefinitionKind::Struct => SymbolKind::STRUCT,
        DefinitionKind::Field => SymbolKind::FIELD,
        DefinitionKind::Param | DefinitionKind::Output => SymbolKind::PROPERTY,
        DefinitionKind::Variable | DefinitionKind::Layer => SymbolKind::VARIABLE,
        DefinitionKind::Macro => SymbolKind::CONSTANT,
        DefinitionKind::Object => SymbolKind::OBJECT,
        DefinitionKind::Setting => SymbolKind::NAMESPACE,
    }
}

/// Tokens as numbers: line and column relative to the token before, length, meaning, modifiers.
pub(super) fn semantic_tokens(document: &Document, list: &[Highlight]) -> Value {
    let mut data: Vec<u32> = vec![];
    let mut last = Position::default();
    for highlight in list {
        let meaning = Meaning::ALL.iter().position(|meaning| *meaning == highlight.meaning);
        // A token of several lines is one for each.
        let mut start = highlight.range.start;
        while start < highlight.range.end {
            let at = document.lines.position(&document.text, start);
            let line = document.lines.line(&document.text, at.line);
            let end = line.end.min(highlight.range.end);
            let length = document.text[start..end.max(start)].encode_utf16().count() as u32;
            if length > 0 {
                let column = if at.line == last.line { at.column - last.column } else { at.column };
                let modifiers = u32::from(highlight.is_definition);
                data.extend([at.line - last.line, column, length, meaning.unwrap_or(0) as u32, modifiers]);
                last = at;
            }
            let next = Position { line: at.line + 1, column: 0 };
            let next = document.lines.offset(&document.text, next);
            if next <= start {
                break;
            }
            start = next;
        }
    }
    json!({ "data": data })
}
