//! Strings of compiled code: pointers to immutable texts.
//!
//! - A text consists of a 16-byte header (hash, length in bytes) and its UTF-8 bytes, aligned to 8.
//! - The shader that uses a constant owns it; texts created by a run are in the context's arena.
//! - Texts are equal if their addresses are equal, or their hashes and bytes. The text of an unassigned variable is
//!   [`empty`], but other texts may be empty too: tests for emptiness use the length.

#![expect(
    unsafe_code,
    reason = "texts are reached through the addresses that compiled code passes around"
)]

use std::mem::size_of;
use std::sync::Arc;

use rustc_hash::FxHashMap;

/// Header in front of the bytes of a text.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct TextHeader {
    /// Hash of the bytes.
    pub(crate) hash: u64,
    /// Number of bytes; compiled code tests it for the truth of a string.
    pub(crate) len: u64,
}

static EMPTY: TextHeader = TextHeader { hash: hash(&[]), len: 0 };

/// Text of an unassigned variable.
pub(crate) fn empty() -> *const TextHeader {
    &raw const EMPTY
}

/// FNV-1a (Fowler, Noll, Vo): texts are short, created rarely, and compared often.
pub(crate) const fn hash(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01b3);
        i += 1;
    }
    hash
}

/// Size in bytes of a text in memory.
pub(crate) const fn size(text: &str) -> usize {
    size_of::<TextHeader>() + text.len()
}

/// Writes a text.
///
/// # Safety
/// `at` is aligned to 8 and [`size`] bytes there are writable.
pub(crate) unsafe fn write(at: *mut u8, text: &str) -> *const TextHeader {
    let header = at.cast::<TextHeader>();
    // SAFETY: the caller provides memory of sufficient size and alignment.
    unsafe {
        header.write(TextHeader { hash: hash(text.as_bytes()), len: text.len() as u64 });
        at.add(size_of::<TextHeader>())
            .copy_from_nonoverlapping(text.as_ptr(), text.len());
    }
    header
}

/// Reads a text.
///
/// # Safety
/// `text` was made by [`write()`] (or is [`empty`]), and its memory is neither freed nor modified during `'a`.
pub(crate) unsafe fn read<'a>(text: *const TextHeader) -> &'a str {
    // SAFETY: the header is followed by `len` bytes of UTF-8.
    unsafe {
        let len = (*text).len as usize;
        let bytes = std::slice::from_raw_parts(text.cast::<u8>().add(size_of::<TextHeader>()), len);
        std::str::from_utf8_unchecked(bytes)
    }
}

/// Returns whether two texts are equal.
///
/// # Safety
/// As for [`read`].
pub(crate) unsafe fn equal(a: *const TextHeader, b: *const TextHeader) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe { a == b || ((*a).hash == (*b).hash && read(a) == read(b)) }
}

/// Constant texts of a shader, without duplicates.
#[derive(Debug, Default)]
pub(crate) struct TextPool {
    // `u64` words align the header; boxes keep the address of a text stable.
    texts: FxHashMap<Arc<str>, Box<[u64]>>,
}

impl TextPool {
    /// Returns the address of a text, valid as long as the pool.
    pub(crate) fn intern(&mut self, text: &Arc<str>) -> *const TextHeader {
        if text.is_empty() {
            return empty();
        }
        let words = self.texts.entry(text.clone()).or_insert_with(|| {
            let mut words = vec![0u64; size(text).div_ceil(8)].into_boxed_slice();
            // SAFETY: words are aligned to 8, and the allocation is large enough.
            unsafe { write(words.as_mut_ptr().cast(), text) };
            words
        });
        words.as_ptr().cast()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_equal_by_content() {
        let (mut a, mut b) = (TextPool::default(), TextPool::default());
        let (x, y, z) = (Arc::from("brick"), Arc::from("brick"), Arc::from("bricks"));
        let (x, again, y, z) = (a.intern(&x), a.intern(&x), b.intern(&y), a.intern(&z));
        assert_eq!(x, again);
        assert_ne!(x, y);
        // SAFETY: both pools are alive.
        unsafe {
            assert!(equal(x, y) && !equal(x, z));
            assert_eq!(read(z), "bricks");
            assert_eq!(read(empty()), "");
        }
    }
}
