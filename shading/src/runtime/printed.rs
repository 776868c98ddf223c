//! Text output of shaders: `printf`, `warning`, `error`, `fprintf`.

use crate::runtime::report::Report;

/// Where a text goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sink {
    /// `printf`: the standard output.
    Output,
    /// `warning`.
    Warning,
    /// `error`, and mistakes with messages.
    Error,
    /// A mistake that an operation without effects has found, told like an error: not where nobody needs its result.
    Mistake,
    /// `fprintf`: the end of a file.
    File(String),
    /// An index that was out of range: also among the reports, here for its place among the texts. The text is empty.
    Report(Report),
}

/// Beyond so many bytes nothing more is kept.
const MAX_BYTES: usize = 64 << 20;

/// Texts in the order in which they were written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Printed {
    pieces: Vec<(Sink, String)>,
    bytes: usize,
}

impl Printed {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Each text with its place. Those of `printf` may be several in one.
    pub fn pieces(&self) -> &[(Sink, String)] {
        &self.pieces
    }

    /// Puts a text behind these; nothing, where it would be too much to keep.
    pub fn push(&mut self, sink: Sink, text: &str) {
        if self.bytes >= MAX_BYTES {
            return;
        }
        self.bytes += text.len();
        match self.pieces.last_mut() {
            Some((Sink::Output, last)) if sink == Sink::Output => last.push_str(text),
            _ => self.pieces.push((sink, text.to_owned())),
        }
    }

    /// Puts other texts behind these.
    pub fn append(&mut self, other: Printed) {
        for (sink, text) in other.pieces {
            self.push(sink, &text);
        }
    }

    /// What is left without the mistakes, which an optimised shader need not tell.
    #[must_use]
    pub fn without_mistakes(mut self) -> Printed {
        self.pieces.retain(|(sink, _)| *sink != Sink::Mistake);
        self.bytes = self.pieces.iter().map(|(_, text)| text.len()).sum();
        self
    }

    /// All but what goes into files, as it is shown.
    pub fn text(&self) -> String {
        let shown = self.pieces.iter().map(|(sink, text)| match sink {
            Sink::Output => text.clone(),
            Sink::Warning => format!("WARNING: {text}\n"),
            Sink::Error | Sink::Mistake => format!("ERROR: {text}\n"),
            Sink::File(_) | Sink::Report(_) => String::new(),
        });
        shown.collect()
    }
}
