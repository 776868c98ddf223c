//! Diagnostics as editors show them: by file, with lines and columns.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::lines::{Lines, Position};
use shading_syntax::diagnostic::{Diagnostic, Label, Severity};

/// A place in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingPlace {
    /// File.
    pub path: PathBuf,
    /// Range in it.
    pub range: Range<Position>,
    /// What is there; may be empty.
    pub text: String,
}

/// A mistake or warning.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Where it is.
    pub place: FindingPlace,
    /// Severity.
    pub severity: Severity,
    /// Message.
    pub message: String,
    /// Hints for fixing the problem.
    pub hints: Vec<String>,
    /// Related places.
    pub related: Vec<FindingPlace>,
}

impl Finding {
    /// Places a diagnostic: at its first label in a file of which `is_file` holds, else at the start of `root`.
    pub fn new(diagnostic: &Diagnostic, root: &Path, is_file: impl Fn(&Path) -> bool) -> Finding {
        let mut places: Vec<FindingPlace> = diagnostic.labels.iter().map(place).collect();
        let first = places.iter().position(|place| is_file(&place.path));
        let place = match first {
            Some(at) => places.remove(at),
            None => FindingPlace {
                path: root.to_owned(),
                range: Position::default()..Position::default(),
                text: String::new(),
            },
        };
        places.retain(|place| is_file(&place.path));
        Finding {
            place,
            severity: diagnostic.severity,
            message: diagnostic.message.clone(),
            hints: diagnostic.hints.clone(),
            related: places,
        }
    }

    /// The name that a hint suggests in place of another.
    pub fn suggestion(&self) -> Option<&str> {
        self.hints.iter().find_map(|hint| {
            let name = hint.strip_prefix("did you mean `")?.strip_suffix("`?")?;
            (!name.is_empty()).then_some(name)
        })
    }
}

fn place(label: &Label) -> FindingPlace {
    let text = &label.source.text;
    let lines = Lines::new(text);
    let position = |at: usize| lines.position(text, at);
    FindingPlace {
        path: PathBuf::from(&label.source.name),
        range: position(label.range.start)..position(label.range.end),
        text: label.text.clone(),
    }
}
