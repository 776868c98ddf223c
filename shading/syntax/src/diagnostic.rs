//! Diagnostics: message, source location, and hint. Messages are lower case, without a full stop, and name types.

mod excerpt;

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use codespan_reporting::diagnostic as codespan;
use codespan_reporting::term;

use crate::source::{Source, SourceMap, Span, Written};
use excerpt::Excerpts;

/// Most errors, and most warnings, that are shown of one piece of work.
const MAX_SHOWN: usize = 50;

/// Most mistakes that are looked for in one file: what comes after so many is their consequence, or no source at all.
pub const MAX_ERRORS: usize = 1000;

/// Longest part of a message that is shown (bytes); of a longer one the middle is left out.
const MAX_TEXT: usize = 1000;

/// Longest name that is compared with others (bytes).
const MAX_NAME: usize = 100;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Something to know; work goes on.
    Warning,
    /// A mistake; no result.
    Error,
}

/// A place in a source with a few words about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The source.
    pub source: Arc<Source>,
    /// Its bytes.
    pub range: Range<usize>,
    /// What is there; may be empty.
    pub text: String,
}

/// One message. The first label is the place it is about, further ones are related places.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Where; empty for a message about no text.
    pub labels: Vec<Label>,
    /// What would help.
    pub hints: Vec<String>,
}

impl Diagnostic {
    /// An error without a place.
    pub fn error(message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            labels: vec![],
            hints: vec![],
        }
    }

    /// A warning without a place.
    pub fn warning(message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(message)
        }
    }

    /// Adds a place. Of a translated text it is where that comes from; of a preprocessed one where it was written, with the
    /// macro that it came from and the `#include`s that lead there.
    #[must_use]
    pub fn at(mut self, sources: &SourceMap, span: Span, text: impl Into<String>) -> Diagnostic {
        let source = sources.get(span.source);
        if let Some(part) = source.provenance(span.start) {
            self.label(&part.source, part.place.clone(), text);
            return self;
        }
        match source.origin() {
            Some(origin) => self.at_written(&origin.written(span.start..span.end), text),
            None => {
                self.label(source, span.start..span.end, text);
                self
            }
        }
    }

    /// The same for a place that is known as the preprocessor knows it.
    #[must_use]
    pub(crate) fn at_written(mut self, written: &Written<'_>, text: impl Into<String>) -> Diagnostic {
        let is_first = self.labels.is_empty();
        self.label(written.source, written.range.clone(), text);
        if let Some((name, source, range)) = &written.expansion {
            self.label(source, range.clone(), format!("in macro `{name}`"));
        }
        if is_first {
            for (source, range) in &written.included {
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

    /// Adds the hint "did you mean `…`?" when one of `known` is close to `wrong`.
    #[must_use]
    pub fn nearest<'a>(self, wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Diagnostic {
        match nearest(wrong, known) {
            Some(name) => self.hint(format!("did you mean `{name}`?")),
            None => self,
        }
    }
}

impl fmt::Display for Diagnostic {
    /// `severity: message`, then `file:line:column`, the line with a caret span, and the hints.
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

/// The messages of one piece of work, in the order found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnostics {
    /// The messages.
    pub list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Whether any is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }

    /// `value` when there is no error, else the messages.
    ///
    /// # Errors
    /// The messages, when one of them is an error.
    pub fn into_result<T>(self, value: T) -> Result<T, Diagnostics> {
        if self.has_errors() { Err(self) } else { Ok(value) }
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Diagnostics {
        Diagnostics {
            list: vec![diagnostic],
        }
    }
}

impl fmt::Display for Diagnostics {
    /// The messages, equal ones once, with a blank line between; beyond [`MAX_SHOWN`] only how many more there are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = HashSet::new();
        // Warnings do not take the place of errors.
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

/// A text whose long lines are without their middle.
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
    /// Adds those that tell nothing that is told already, and returns them. The same mistake in a group is found wherever
    /// the group is used: under another instance's name, at the same place.
    pub fn add_new(&mut self, list: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let before = self.list.len();
        for diagnostic in list {
            if !self.list.iter().any(|known| known.tells_same(&diagnostic)) {
                self.list.push(diagnostic);
            }
        }
        self.list[before..].to_vec()
    }
}

impl Diagnostic {
    /// Whether both are about the same mistake: the same message at the same place, whatever instance they name.
    fn tells_same(&self, other: &Diagnostic) -> bool {
        let place = |d: &Diagnostic| {
            d.labels
                .first()
                .map(|label| (label.source.clone(), label.range.clone()))
        };
        self.severity == other.severity
            && place(self) == place(other)
            && if self.labels.is_empty() {
                self == other
            } else {
                without_instance(&self.message) == without_instance(&other.message)
            }
    }
}

/// A message without the path of the instance that it begins with: `car.paint: …`.
fn without_instance(message: &str) -> &str {
    match message.split_once(": ") {
        Some((path, rest)) if path.chars().all(|c| c.is_alphanumeric() || "_.".contains(c)) => rest,
        _ => message,
    }
}

/// The name among `known` that is closest to `wrong`, if it is close enough to be what was meant.
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
        .filter(|(distance, name)| *distance <= 1.max(name.chars().count() / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`, without regard to case.
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
        let source = sources.add(Source::new("a.ksl", "float x = 1;\nfloat y = z;\n"));
        let span = Span {
            source,
            start: 23,
            end: 24,
        };
        let text = Diagnostic::error("unknown name `z`")
            .at(&sources, span, "")
            .nearest("z", ["x"])
            .to_string();
        assert!(text.contains("a.ksl:2:11"), "{text}");
        assert!(text.contains("did you mean `x`?"), "{text}");
    }

    #[test]
    fn nearest_needs_likeness() {
        assert_eq!(nearest("albdeo", ["albedo", "normal"]), Some("albedo"));
        assert_eq!(nearest("colour", ["albedo", "normal"]), None);
    }
}
