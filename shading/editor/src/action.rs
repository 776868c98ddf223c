//! Code actions: fixes for diagnostics with a hint.

use std::ops::Range;

use crate::document::Document;
use crate::finding::Finding;
use crate::token::is_word;

/// Edit that fixes a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Description of the edit.
    pub title: String,
    /// Replaced bytes.
    pub range: Range<usize>,
    /// New text.
    pub text: String,
}

/// Returns the fix that the hint of a finding suggests: it replaces the name that the message quotes.
pub fn fix(document: &Document, finding: &Finding) -> Option<Fix> {
    let right = finding.suggestion()?;
    let offset = |at| document.lines.offset(&document.text, at);
    let range = offset(finding.place.range.start)..offset(finding.place.range.end);
    let text = document.text.get(range.clone())?;
    // The range of the finding may include a whole call.
    let quoted = finding.message.split('`').skip(1).step_by(2);
    let range = quoted.filter_map(|wrong| find_word(text, wrong)).next().map_or_else(
        || (!text.is_empty() && text.chars().all(is_word)).then(|| range.clone()),
        |found| Some(range.start + found.start..range.start + found.end),
    )?;
    Some(Fix {
        title: format!("change to `{right}`"),
        range,
        text: right.to_owned(),
    })
}

/// Returns the range of a whole word in a text.
fn find_word(text: &str, word: &str) -> Option<Range<usize>> {
    if word.is_empty() {
        return None;
    }
    let is_whole =
        |at: &usize| !text[..*at].ends_with(is_word) && !text[*at + word.len()..].starts_with(is_word);
    let at = text.match_indices(word).map(|(at, _)| at).find(is_whole)?;
    Some(at..at + word.len())
}
