//! Diagnostics: message, source location, and hint. Messages are lower case, without a full stop, and name types.

mod excerpt;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use codespan_reporting::diagnostic as codespan;
use codespan_reporting::term;

use crate::source::{FileLocation, Source, SourceMap, Span};
use excerpt::Excerpts;

/// Maximum number of errors, and of warnings, shown by one [`Diagnostics`].
const MAX_SHOWN: usize = 50;

/// Maximum number of errors recorded per file. Beyond it, further errors are likely consequences of earlier ones, or
/// the file is not source text.
pub const MAX_ERRORS: usize = 1000;

/// Maximum length in bytes of a shown message part; the middle of a longer one is left out.
const MAX_TEXT: usize = 1000;

/// Maximum length in bytes of a name that is compared with others.
const MAX_NAME: usize = 100;

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Warning: compilation continues.
    Warning,
    /// Error: compilation gives no result.
    Error,
}

/// A source location with an annotation.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Source.
    pub source: Arc<Source>,
    /// Byte range in the source.
    pub range: Range<usize>,
    /// Annotation; may be empty.
    pub text: String,
}

/// A diagnostic message. The first label is its primary location; the others are related locations.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Severity.
    pub severity: Severity,
    /// Message.
    pub message: String,
    /// Source locations; empty for a message that concerns no source text.
    pub labels: Vec<Label>,
    /// Hints for fixing the problem.
    pub hints: Vec<String>,
}

impl Diagnostic {
    /// Creates an error without a location.
    pub fn error(message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            labels: vec![],
            hints: vec![],
        }
    }

    /// Creates a warning without a location.
    pub fn warning(message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(message) }
    }

    /// Adds a location. A location in preprocessed text is mapped to the file, with the macro and the `#include`s that
    /// produced the text.
    #[must_use]
    pub fn at(mut self, sources: &SourceMap, span: Span, text: impl Into<String>) -> Diagnostic {
        let source = sources.get(span.source);
        match source.origin() {
            Some(origin) => self.at_location(&origin.location(span.start..span.end), text),
            None => {
                self.label(source, span.start..span.end, text);
                self
            }
        }
    }

    /// Adds a location recorded by the preprocessor.
    #[must_use]
    pub(crate) fn at_location(mut self, location: &FileLocation<'_>, text: impl Into<String>) -> Diagnostic {
        let is_first = self.labels.is_empty();
        self.label(location.source, location.range.clone(), text);
        if let Some((name, source, range)) = &location.expansion {
            self.label(source, range.clone(), format!("in macro `{name}`"));
        }
        if is_first {
            for (source, range) in &location.included {
                self.label(source, range.clone(), "included here");
            }
        }
        self
    }

    fn label(&mut self, source: &Arc<Source>, range: Range<u32>, text: impl Into<String>) {
        self.labels.push(Label {
            source: source.clone(),
            range: range.start as usize..range.end as usize,
            text: text.into(),
        });
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hints.push(hint.into());
        self
    }

    /// Adds the hint "did you mean `…`?" if one of `known` is close to `wrong`.
    #[must_use]
    pub fn nearest<'a>(self, wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Diagnostic {
        match nearest(wrong, known) {
            Some(name) => self.hint(format!("did you mean `{name}`?")),
            None => self,
        }
    }
}

impl fmt::Display for Diagnostic {
    /// Writes `severity: message`, then `file:line:column`, the source line with a caret span, and the hints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Warning => codespan::Severity::Warning,
            Severity::Error => codespan::Severity::Error,
        };
        let files = Excerpts::of(self.labels.iter().map(|label| (&label.source, &label.range)));
        let mut labels = vec![];
        for (i, label) in self.labels.iter().enumerate() {
            let style = if i == 0 {
                codespan::LabelStyle::Primary
            } else {
                codespan::LabelStyle::Secondary
            };
            if let Some((id, range)) = files.place(&label.source, &label.range) {
                labels.push(codespan::Label::new(style, id, range).with_message(shorten(&label.text)));
            }
        }
        let hints = self.hints.iter().map(|hint| format!("hint: {}", shorten(hint)));
        let report = codespan::Diagnostic::new(severity)
            .with_message(shorten(&self.message))
            .with_labels(labels)
            .with_notes(hints.collect());
        let mut text = String::new();
        term::emit_to_string(&mut text, &term::Config::default(), &files, &report).map_err(|_| fmt::Error)?;
        f.write_str(text.trim_end())
    }
}

/// The diagnostics of one task, in the order found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnostics {
    /// Diagnostics.
    pub list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Returns whether any diagnostic is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }

    /// Returns `value` if there is no error.
    ///
    /// # Errors
    /// All diagnostics, if one of them is an error.
    pub fn into_result<T>(self, value: T) -> Result<T, Diagnostics> {
        if self.has_errors() { Err(self) } else { Ok(value) }
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Diagnostics {
        Diagnostics { list: vec![diagnostic] }
    }
}

impl fmt::Display for Diagnostics {
    /// Writes the messages, duplicates once, with a blank line between them; beyond [`MAX_SHOWN`], only the number of
    /// further ones.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = HashSet::new();
        // Errors and warnings are counted separately, so that warnings do not crowd out errors.
        let mut counts = [0; 2];
        let mut separator = "";
        for diagnostic in &self.list {
            let count = &mut counts[diagnostic.severity as usize];
            *count += 1;
            if *count > MAX_SHOWN {
                continue;
            }
            let text = diagnostic.to_string();
            if shown.contains(&text) {
                *count -= 1;
                continue;
            }
            write!(f, "{separator}{text}")?;
            separator = "\n\n";
            shown.insert(text);
        }
        for (count, what) in counts.into_iter().zip(["warning", "error"]) {
            if let Some(more @ 1..) = count.checked_sub(MAX_SHOWN) {
                let plural = if more == 1 { "" } else { "s" };
                write!(f, "{separator}… and {more} more {what}{plural}")?;
                separator = "\n\n";
            }
        }
        Ok(())
    }
}

/// Returns the text with the middle of long lines left out.
fn shorten(text: &str) -> Cow<'_, str> {
    if text.lines().all(|line| line.len() <= MAX_TEXT) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<Cow<'_, str>> = text.lines().map(shorten_line).collect();
    Cow::Owned(lines.join("\n"))
}

fn shorten_line(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_TEXT {
        return Cow::Borrowed(text);
    }
    let (head, tail) = (
        text.floor_char_boundary(MAX_TEXT / 2),
        text.ceil_char_boundary(text.len() - MAX_TEXT / 2),
    );
    Cow::Owned(format!("{} … {}", &text[..head], &text[tail..]))
}

impl std::error::Error for Diagnostics {}

impl Diagnostics {
    /// Adds those diagnostics of `list` that are not duplicates, and returns them. An error in a group is found again
    /// wherever the group is used, under another instance name but at the same location; it counts as a duplicate.
    pub fn add_new(&mut self, list: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let before = self.list.len();
        for diagnostic in list {
            if !self.list.iter().any(|known| known.is_duplicate_of(&diagnostic)) {
                self.list.push(diagnostic);
            }
        }
        self.list[before..].to_vec()
    }
}

impl Diagnostic {
    /// Returns whether both diagnostics have the same message at the same location, apart from the instance names in
    /// them.
    fn is_duplicate_of(&self, other: &Diagnostic) -> bool {
        let place =
            |d: &Diagnostic| d.labels.first().map(|label| (label.source.clone(), label.range.clone()));
        self.severity == other.severity
            && place(self) == place(other)
            && if self.labels.is_empty() {
                self == other
            } else {
                without_instance(&self.message) == without_instance(&other.message)
            }
    }
}

/// Strips the instance path at the start of a message (`car.paint: …`).
fn without_instance(message: &str) -> &str {
    match message.split_once(": ") {
        Some((path, rest)) if path.chars().all(|c| c.is_alphanumeric() || "_.".contains(c)) => rest,
        _ => message,
    }
}

/// Returns the name among `known` that is closest to `wrong`, if it is close enough to be a likely spelling error.
///
/// Of equally close names, the name with the most equal letters at its ends is returned, then the alphabetically first, so
/// the order of `known` does not matter.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let is_comparable =
        |name: &&str| name.len() <= MAX_NAME && name.len().abs_diff(wrong.len()) <= MAX_NAME / 3;
    if wrong.len() > MAX_NAME {
        return None;
    }
    known
        .into_iter()
        .filter(is_comparable)
        .map(|name| (edit_distance(wrong, name), name))
        .filter(|(distance, name)| *distance <= max_distance(wrong, name))
        .min_by_key(|&(distance, name)| (distance, Reverse(shared_ends(wrong, name)), name))
        .map(|(_, name)| name)
}

/// Maximum edit distance of similar names. Names of one or two letters are similar in case only.
fn max_distance(wrong: &str, name: &str) -> usize {
    if wrong.chars().count() <= 2 {
        return 0;
    }
    1.max(name.chars().count() / 3)
}

/// Returns the number of equal letters at the beginnings and ends of two names.
fn shared_ends(a: &str, b: &str) -> usize {
    let same = |(x, y): &(char, char)| x == y;
    let start = a.chars().zip(b.chars()).take_while(same).count();
    start + a.chars().rev().zip(b.chars().rev()).take_while(same).count()
}

/// Case-insensitive edit distance: insertions, deletions, substitutions and transpositions that turn `a` into `b`.
fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let substitute = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = substitute.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_place_and_hint() {
        let mut sources = SourceMap::default();
        let source = sources.add(Source::new("a.ksl", "float breadth = 1;\nfloat y = breath;\n"));
        let span = Span { source, start: 29, end: 35 };
        let text = Diagnostic::error("unknown name `breath`")
            .at(&sources, span, "")
            .nearest("breath", ["breadth"])
            .to_string();
        assert!(text.contains("a.ksl:2:11"), "{text}");
        assert!(text.contains("did you mean `breadth`?"), "{text}");
    }

    #[test]
    fn nearest_needs_likeness() {
        assert_eq!(nearest("albdeo", ["albedo", "normal"]), Some("albedo"));
        assert_eq!(nearest("colour", ["albedo", "normal"]), None);
    }

    #[test]
    fn the_order_of_names_is_no_matter() {
        assert_eq!(nearest("mate", ["math", "matte"]), Some("matte"));
        assert_eq!(nearest("mate", ["matte", "math"]), Some("matte"));
        assert_eq!(nearest("bold", ["cold", "gold"]), Some("cold"));
        assert_eq!(nearest("x", ["z", "y"]), None);
    }
}
