//! Native stack that a run needs, and errors of runs.

/// Minimum free stack of a thread for a run, in bytes. Shaders of any size use less than 64 KiB, except for calls of recursive
/// functions; the rest is available to the host's methods.
pub const MIN_STACK: usize = 256 << 10;
/// Native stack for recursive functions, in bytes, if their frames are so large that
/// [`MAX_DEPTH`](shading_compiler::eval::MAX_DEPTH) of them do not fit; less if the thread has less. Threads have 2 MiB.
const RECURSION_BYTES: usize = 1 << 20;

/// Wrong use of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The context was made for another type of host than the instance.
    #[error("the context is for another type of host than the shader")]
    OtherHost,
    /// The thread has less stack left than [`MIN_STACK`].
    #[error("the thread has too little stack left to run a shader: it takes {} KiB", MIN_STACK >> 10)]
    SmallStack,
    /// The last run in the context was one of another instance, so the context has no outputs of this instance.
    #[error("the last run in the context was of another shader")]
    OtherInstance,
    /// The output index is invalid.
    #[error("the shader has no output of this index")]
    NoSuchOutput,
    /// A buffer is shorter than the numbers of its output at all points.
    #[error("a buffer is too short for the numbers of all points")]
    BufferTooShort,
}

/// Stack range of the thread that ran last, in which runs may recurse.
///
/// Stacks of threads do not overlap, so an address identifies its thread. A thread that reuses the addresses of a terminated
/// one usually has the same bounds; otherwise the guard page of its stack ends a recursion that is too deep.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StackRange {
    low: usize,
    size: usize,
}

impl StackRange {
    /// Returns the lowest address that recursive functions may use. The system is queried only if a thread runs first, or
    /// closer to the start of its stack than before.
    #[inline]
    pub(crate) fn limit(&mut self) -> Result<usize, RunError> {
        let here = 0u8;
        let here = (&raw const here).addr();
        if here.wrapping_sub(self.low) < self.size {
            return Ok(here - RECURSION_BYTES);
        }
        self.measure(here)
    }

    #[cold]
    fn measure(&mut self, here: usize) -> Result<usize, RunError> {
        // If the system does not report the size of the stack, the usual size is assumed.
        let left = stacker::remaining_stack().unwrap_or(RECURSION_BYTES + MIN_STACK);
        let spare = left.checked_sub(MIN_STACK).ok_or(RunError::SmallStack)?;
        if let Some(room) = spare.checked_sub(RECURSION_BYTES) {
            self.low = here - room;
            self.size = room + 1;
        }
        Ok(here.saturating_sub(spare.min(RECURSION_BYTES)))
    }
}
