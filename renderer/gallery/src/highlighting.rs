//! Sources in HTML, coloured by the meaning of their words.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use shading_editor::{Document, FileLookup, Meaning, Query, Vocabulary, highlights};

use renderer_support::html::escaped;

/// Definitions in other files are not resolved.
struct NoFiles;

impl FileLookup for NoFiles {
    fn find(&self, _: &str, _: &Path) -> Option<Arc<Document>> {
        None
    }

    fn path(&self, _: &str, _: &Path) -> Option<PathBuf> {
        None
    }

    fn list(&self, _: &Path) -> Vec<String> {
        vec![]
    }
}

/// The HTML of a source of shaders.
pub(super) fn highlighted(vocabulary: &Vocabulary, text: &str) -> String {
    let document = Document::new("source.ksl", text);
    let query = Query { vocabulary, files: &NoFiles, document: &document };
    let (text, mut html, mut at) = (&document.text, String::new(), 0);
    for highlight in highlights(&query) {
        let Some(word) = text.get(highlight.range.clone()) else {
            continue;
        };
        html.push_str(&escaped(text.get(at..highlight.range.start).unwrap_or_default()));
        at = highlight.range.end;
        match class(highlight.meaning) {
            Some(class) => html.push_str(&format!("<i class={class}>{}</i>", escaped(word))),
            None => html.push_str(&escaped(word)),
        }
    }
    html.push_str(&escaped(text.get(at..).unwrap_or_default()));
    html
}

/// Class of the style sheet.
fn class(meaning: Meaning) -> Option<&'static str> {
    match meaning {
        Meaning::Keyword | Meaning::Kind => Some("k"),
        Meaning::Type | Meaning::Struct => Some("t"),
        Meaning::Unit | Meaning::Function => Some("f"),
        Meaning::Constant | Meaning::Number => Some("n"),
        Meaning::Text => Some("s"),
        Meaning::Comment => Some("c"),
        Meaning::Macro => Some("m"),
        Meaning::Parameter | Meaning::Variable | Meaning::Property => None,
    }
}
