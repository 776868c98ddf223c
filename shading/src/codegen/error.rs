//! Errors of code generation.

/// Why a unit cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodegenError {
    /// An output that was asked for is not among the unit's.
    #[error("{unit} has no output `{output}`")]
    NoSuchOutput {
        /// The unit.
        unit: String,
        /// The output.
        output: String,
    },
    /// Its variables take too much memory.
    #[error(
        "the variables of {function} take {bytes} bytes of memory; at most {} are possible",
        MAX_MEMORY
    )]
    TooLarge {
        /// The unit or function.
        function: String,
        /// What they take.
        bytes: u64,
    },
    /// The machine is not one that Cranelift compiles for, or Cranelift gave up: a bug.
    #[error("cannot generate code for {unit}: {message}")]
    Backend {
        /// The unit.
        unit: String,
        /// What Cranelift said.
        message: String,
    },
}

/// Bytes of matrices and arrays that one function may have.
pub(super) const MAX_MEMORY: u64 = 8 << 20;
