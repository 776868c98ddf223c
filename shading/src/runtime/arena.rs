//! Arena allocator of a run: closures and strings, freed at the next run.

/// Size of the first chunk, in bytes. Each further chunk is twice as large as the previous one.
const FIRST_CHUNK_BYTES: usize = 64 << 10;
/// Memory limit of a run, in bytes; beyond it, closures are null and strings empty. The limit exceeds what the default fuel
/// can fill with sums of small closures, and is small enough for 64 threads.
const MAX_BYTES: usize = 16 << 20;
/// Padding after every block in bytes, so that compiled code may store a triple with all four lanes at its end.
const PADDING: usize = 16;

/// Bump allocator; compiled code increments the cursor itself.
#[derive(Debug)]
pub(crate) struct Arena {
    // 16-byte words guarantee the alignment. All bytes are always initialised.
    chunks: Vec<Vec<u128>>,
}

/// Free memory: `cursor..end`, aligned to 16.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) cursor: *mut u8,
    pub(crate) end: *mut u8,
}

impl Arena {
    /// Maximum number of bytes that [`Arena::reset`] can reserve.
    pub(crate) const MAX_RESERVED: usize = MAX_BYTES / 8;

    pub(crate) fn new() -> Arena {
        Arena { chunks: vec![chunk(FIRST_CHUNK_BYTES)] }
    }

    /// Frees all memory; at least `reserved` bytes are available then. The largest chunk is kept, so that similar runs
    /// soon need only one.
    #[inline]
    pub(crate) fn reset(&mut self, reserved: usize) -> Window {
        debug_assert!(reserved <= Arena::MAX_RESERVED);
        if self.chunks.len() > 1 {
            let last = self.chunks.len() - 1;
            self.chunks.swap(0, last);
            self.chunks.truncate(1);
        }
        let window = self.window();
        if window.end.addr() - window.cursor.addr() >= reserved {
            return window;
        }
        self.replace(reserved)
    }

    #[cold]
    fn replace(&mut self, size: usize) -> Window {
        self.chunks = vec![chunk(size + PADDING)];
        self.window()
    }

    /// Makes space for `size` more bytes, unless the limit of the run is exceeded.
    pub(crate) fn grow(&mut self, size: usize) -> Option<Window> {
        let taken: usize = self.chunks.iter().map(|c| c.len() * 16).sum();
        let largest = self.chunks.last().map_or(0, |c| c.len() * 16);
        let bytes = (2 * largest).max(size.checked_add(PADDING + 16)?);
        if bytes > MAX_BYTES.saturating_sub(taken) {
            return None;
        }
        self.chunks.push(chunk(bytes));
        Some(self.window())
    }

    #[inline]
    fn window(&mut self) -> Window {
        let chunk = self.chunks.last_mut().expect("an arena has at least one chunk");
        let bytes = chunk.len() * 16;
        let cursor = chunk.as_mut_ptr().cast::<u8>();
        Window { cursor, end: cursor.wrapping_add(bytes - PADDING) }
    }
}

fn chunk(bytes: usize) -> Vec<u128> {
    vec![0; bytes.div_ceil(16)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_ends_at_the_limit() {
        let mut arena = Arena::new();
        let mut total = 0;
        while let Some(window) = arena.grow(1000) {
            total += window.end.addr() - window.cursor.addr();
            assert!(window.cursor.addr().is_multiple_of(16));
        }
        assert!(total <= MAX_BYTES && total > MAX_BYTES / 4);
        let window = arena.reset(0);
        assert!(window.end.addr() - window.cursor.addr() > MAX_BYTES / 8);
        assert!(arena.grow(usize::MAX).is_none());
    }

    #[test]
    fn a_reset_makes_room() {
        let mut arena = Arena::new();
        for reserved in [0, FIRST_CHUNK_BYTES, 5 * FIRST_CHUNK_BYTES, 1] {
            let window = arena.reset(reserved);
            assert!(window.end.addr() - window.cursor.addr() >= reserved);
        }
    }
}
