//! Errors of code generation.

/// Reasons why a unit cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodegenError {
    /// A requested output does not exist.
    #[error("{unit} has no output `{output}`")]
    NoSuchOutput {
        /// Name of the unit.
        unit: String,
        /// Name of the output.
        output: String,
    },
    /// The variables take too much memory.
    #[error(
        "the variables of {function} take {bytes} bytes of memory; at most {} are possible",
        MAX_MEMORY
    )]
    TooLarge {
        /// Name of the unit or function.
        function: String,
        /// Size of the variables in bytes.
        bytes: u64,
    },
    /// Cranelift does not support the machine, or failed, which is a bug.
    #[error("cannot generate code for {unit}: {message}")]
    Backend {
        /// Name of the unit.
        unit: String,
        /// Message of Cranelift.
        message: String,
    },
}

/// Maximum size in bytes of the matrices and arrays of one function.
pub(super) const MAX_MEMORY: u64 = 8 << 20;
