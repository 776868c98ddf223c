//! Completions in the form of the protocol, and those that are sent of many.

use serde_json::{Value, json};
use shading_editor::{Completion, CompletionKind};

/// Most completions of an answer: a long scene has thousands of names.
const MAX_SENT: usize = 1000;

/// The completions that match the typed prefix best, and whether the list is complete.
pub(super) fn likeliest<'c>(all: &'c [Completion], typed: &str) -> (Vec<&'c Completion>, bool) {
    if all.len() <= MAX_SENT {
        return (all.iter().collect(), true);
    }
    let typed = typed.to_lowercase();
    // Editors look for the letters in this order, with others between.
    let fits = |label: &str| {
        let mut letters = label.chars();
        typed.chars().all(|letter| letters.any(|other| other == letter))
    };
    let fitting = all.iter().filter_map(|item| {
        let label = item.label.to_lowercase();
        fits(&label).then(|| ((!label.starts_with(&typed), item.rank), item))
    });
    let mut fitting: Vec<_> = fitting.collect();
    fitting.sort_by_key(|(order, _)| *order);
    fitting.truncate(MAX_SENT);
    (fitting.into_iter().map(|(_, item)| item).collect(), false)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_those_that_fit_are_sent() {
        let item = |label: String| Completion {
            label,
            kind: CompletionKind::Variable,
            detail: String::new(),
            help: String::new(),
            insert: None,
            rank: 1,
        };
        let mut all: Vec<Completion> = (0..1000).map(|i| item(format!("wall_{i}"))).collect();
        all.push(item("Brick".to_owned()));
        let labels = |typed| {
            let (list, is_whole) = likeliest(&all, typed);
            assert!(!is_whole);
            list.iter().map(|item| item.label.clone()).collect::<Vec<_>>()
        };
        assert_eq!(labels("").len(), MAX_SENT);
        assert_eq!(labels("br"), ["Brick"]);
        assert_eq!(labels("w9")[..2], ["wall_9", "wall_19"]);
        assert_eq!(labels("wall_99")[0], "wall_99");
        assert_eq!(likeliest(&all[..3], "x").0.len(), 3);
    }
}
