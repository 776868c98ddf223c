//! Exit conditions of commands: user error, interruption.

use std::fmt;

use shading::{Diagnostic, Diagnostics, Severity};

/// Failure of a command.
#[derive(Debug)]
pub enum Failure {
    /// The user's mistake, with this message unless it was printed; exit status 1.
    User(String),
    /// Mistakes in a scene or shader, with their places; exit status 1.
    Mistakes(Diagnostics),
    /// A signal, see [`interrupt`](super::interrupt), after the results were written and printed; exit with this
    /// status.
    Interrupted(u8),
}

impl Failure {
    /// Mistakes in a scene or shader.
    pub fn of(mistakes: impl Into<Diagnostics>) -> Failure {
        Failure::Mistakes(mistakes.into())
    }

    /// A failure that prints errors without the closing line of [`Failure::Mistakes`].
    pub fn plain(errors: Diagnostics) -> Failure {
        Failure::User(errors.to_string())
    }

    /// The errors as diagnostics; a failure without a place in a file is a single one.
    pub fn diagnostics(&self) -> Diagnostics {
        match self {
            Failure::Mistakes(diagnostics) => diagnostics.clone(),
            Failure::User(text) => of_text(text).into(),
            Failure::Interrupted(_) => Diagnostics::default(),
        }
    }
}

/// The error of a text such as `error: what is wrong`, with `hint: what to do` in further lines.
fn of_text(text: &str) -> Diagnostic {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let mut error = Diagnostic::error(first.strip_prefix("error: ").unwrap_or(first));
    for line in lines {
        match line.trim_start().strip_prefix("hint: ") {
            Some(hint) => error.hints.push(hint.to_owned()),
            None => error.message = format!("{}\n{line}", error.message),
        }
    }
    error
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::User(format!("error: {error}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::User(message) => write!(f, "{message}"),
            Failure::Mistakes(diagnostics) => {
                let errors = diagnostics.list.iter().filter(|d| d.severity == Severity::Error);
                let count = errors.count();
                let s = if count == 1 { "" } else { "s" };
                write!(f, "{diagnostics}\n\n{count} error{s}; nothing was written")
            }
            Failure::Interrupted(_) => write!(f, "interrupted"),
        }
    }
}
