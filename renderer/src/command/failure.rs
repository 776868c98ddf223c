//! Exit conditions of commands: user error, interruption.

/// Failure of a command.
#[derive(Debug)]
pub enum Failure {
    /// The user's mistake, already told or told by this text; exit status 1.
    User(String),
    /// A signal, see [`interrupt`](super::interrupt); what there was has been written and told; exit with this status.
    Interrupted(u8),
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::User(format!("error: {error}"))
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::User(message) => write!(f, "{message}"),
            Failure::Interrupted(_) => write!(f, "interrupted"),
        }
    }
}
