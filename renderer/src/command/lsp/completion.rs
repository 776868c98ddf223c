//! Completions in the form of the protocol.

use serde_json::{Value, json};
use shading_editor::{Completion, CompletionKind};

pub(super) fn completion_item(item: &Completion, range: lsp_types::Range) -> Value {
    let kind = match item.kind {
        CompletionKind::Function => 3,
        CompletionKind::Unit => 7,
        CompletionKind::Property => 10,
        CompletionKind::Variable => 6,
        CompletionKind::Keyword => 14,
        CompletionKind::Type => 22,
        CompletionKind::Constant => 21,
        CompletionKind::Value => 12,
        CompletionKind::File => 17,
    };
    json!({
        "label": item.label,
        "kind": kind,
        "detail": item.detail,
        "documentation": { "kind": "markdown", "value": item.help },
        "sortText": format!("{}{}", item.rank, item.label),
        "filterText": item.label,
        "textEdit": { "range": range, "newText": item.insert.as_ref().unwrap_or(&item.label) },
    })
}
