//! Diagnostics in the form that editors show: file, line and column.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::lines::{Lines, Position};
use shading_syntax::diagnostic::{Diagnostic, Label, Severity};

/// A place in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingPlace {
    /// Path of the file.
    pub path: PathBuf,
    /// Range in the file.
    pub range: Range<Position>,
    /// Text of the label; may be empty.
    pub text: String,
}

/// Error or warning.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Position.
    pub place: FindingPlace,
    /// Severity.
    pub severity: Severity,
    /// Message.
    pub message: String,
    /// Hints.
    pub hints: Vec<String>,
    /// Related positions.
    pub related: Vec<FindingPlace>,
}

impl Finding {
    /// Converts a diagnostic. The place is the first label in a file for which `is_file` returns true, or else the start of
    /// `root`.
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

    /// Returns the name that a hint suggests.
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
