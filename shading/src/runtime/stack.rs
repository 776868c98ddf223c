//! The native stack that a run needs, and the error of a run that is not possible.

/// Bytes of native stack that a thread must have left for a run. Shaders take less than 64 KiB, however large they are,
/// apart from the calls of recursive functions; the rest is for what the host's methods take.
pub const MIN_STACK: usize = 256 << 10;
/// Bytes of native stack available to recursive functions, in case their frames are so large that
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
    /// The last run in the context was of another instance, so that it has no outputs of this one.
    #[error("the last run in the context was of another shader")]
    OtherInstance,
    /// The instance has no output of this index.
    #[error("the shader has no output of this index")]
    NoSuchOutput,
    /// A buffer is shorter than the numbers of its output at all points.
    #[error("a buffer is too short for the numbers of all points")]
    BufferTooShort,
}

/// The part of a thread's stack in which runs have room for recursion; of the thread that ran last.
///
/// Stacks of threads are apart, so that an address tells whose it is. A thread that reuses addresses of one that has ended
/// usually has the same bounds; where it has not, the guard page of its stack ends a recursion that goes too far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StackRange {
    low: usize,
    size: usize,
}

impl StackRange {
    /// The lowest address that recursive functions may use. The system is asked only where a thread runs first, or closer
    /// to the start of its stack than before.
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
        // Where the system does not tell, threads are taken to be as large as they usually are.
        let left = stacker::remaining_stack().unwrap_or(RECURSION_BYTES + MIN_STACK);
        let spare = left.checked_sub(MIN_STACK).ok_or(RunError::SmallStack)?;
        if let Some(room) = spare.checked_sub(RECURSION_BYTES) {
            self.low = here - room;
            self.size = room + 1;
        }
        Ok(here.saturating_sub(spare.min(RECURSION_BYTES)))
    }
}
