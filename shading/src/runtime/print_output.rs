//! Text output of shaders: `printf`, `warning`, `error`, `fprintf`.

use crate::runtime::report::Report;

/// Destination of a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sink {
    /// `printf`: the standard output.
    Output,
    /// `warning`.
    Warning,
    /// `error`, and errors in messages.
    Error,
    /// An error of an operation without side effects. It is displayed like an error, but lost if the operation is removed
    /// because its result is unused.
    OptionalError,
    /// `fprintf`: appends to a file.
    File(String),
    /// An index out of range, which is also a report; recorded here for its order relative to the texts. The text is empty.
    Report(Report),
}

/// Maximum total size in bytes; further texts are discarded.
const MAX_BYTES: usize = 64 << 20;

/// Texts in the order in which they were written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrintOutput {
    pieces: Vec<(Sink, String)>,
    bytes: usize,
}

impl PrintOutput {
    /// Returns whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Texts with their destinations. Adjacent texts of `printf` may be merged.
    pub fn pieces(&self) -> &[(Sink, String)] {
        &self.pieces
    }

    /// Appends a text, unless the size limit is exceeded.
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

    /// Appends other texts.
    pub fn append(&mut self, other: PrintOutput) {
        for (sink, text) in other.pieces {
            self.push(sink, &text);
        }
    }

    /// Returns the texts without [`Sink::OptionalError`]s, which an optimised shader need not report.
    #[must_use]
    pub fn without_optional_errors(mut self) -> PrintOutput {
        self.pieces.retain(|(sink, _)| *sink != Sink::OptionalError);
        self.bytes = self.pieces.iter().map(|(_, text)| text.len()).sum();
        self
    }

    /// Returns the texts as displayed, without those written to files.
    pub fn text(&self) -> String {
        let shown = self.pieces.iter().map(|(sink, text)| match sink {
            Sink::Output => text.clone(),
            Sink::Warning => format!("WARNING: {text}\n"),
            Sink::Error | Sink::OptionalError => format!("ERROR: {text}\n"),
            Sink::File(_) | Sink::Report(_) => String::new(),
        });
        shown.collect()
    }
}
