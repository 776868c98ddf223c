//! Failures of commands.

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub enum Failure {
    /// The user's mistake, already told or told by this text; exit status 1.
    User(String),
    /// A signal, see [`interrupt`]; what there was has been written and told; exit status 130.
    Interrupted,
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::User(format!("error: {error}"))
    }
}
