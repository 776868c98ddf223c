//! Strings of compiled code: pointers to immutable texts.
//!
//! - A text is 16 bytes of header (hash, length in bytes) and then its UTF-8 bytes, aligned to 8.
//! - Constants are owned by the shader that mentions them; texts made by a run lie in the context's arena.
//! - Texts are equal when their addresses are, or else when hash and bytes are. The empty text of a variable that was
//!   never assigned is [`empty`], but other texts may be empty too: what counts is the length.

#![expect(
    unsafe_code,
    reason = "texts are reached through the addresses that compiled code passes around"
)]

use std::mem::size_of;
use std::sync::Arc;

use rustc_hash::FxHashMap;

/// What stands before the bytes of a text.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct TextHeader {
    /// Of the bytes.
    pub(crate) hash: u64,
    /// Number of bytes; compiled code tests it for the truth of a string.
    pub(crate) len: u64,
}

static EMPTY: TextHeader = TextHeader {
    hash: hash(&[]),
    len: 0,
};

/// The text of a variable that was never assigned.
pub(crate) fn empty() -> *const TextHeader {
    &raw const EMPTY
}

/// FNV-1a (Fowler, Noll, Vo): short texts, made rarely, compared often.
pub(crate) const fn hash(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01b3);
        i += 1;
    }
    hash
}

/// Bytes of memory that a text takes.
pub(crate) const fn size(text: &str) -> usize {
    size_of::<TextHeader>() + text.len()
}

/// Writes a text.
///
/// # Safety
/// `at` is aligned to 8 and [`size`] bytes there are writable.
pub(crate) unsafe fn write(at: *mut u8, text: &str) -> *const TextHeader {
    let header = at.cast::<TextHeader>();
    // SAFETY: the caller gives the room and the alignment.
    unsafe {
        header.write(TextHeader {
            hash: hash(text.as_bytes()),
            len: text.len() as u64,
        });
        at.add(size_of::<TextHeader>())
            .copy_from_nonoverlapping(text.as_ptr(), text.len());
    }
    header
}

/// Reads a text.
///
/// # Safety
/// `text` was made by [`write()`] (or is [`empty`]), and its memory is neither freed nor changed during `'a`.
pub(crate) unsafe fn read<'a>(text: *const TextHeader) -> &'a str {
    // SAFETY: the header is followed by as many bytes of UTF-8 as it says.
    unsafe {
        let len = (*text).len as usize;
        let bytes = std::slice::from_raw_parts(text.cast::<u8>().add(size_of::<TextHeader>()), len);
        std::str::from_utf8_unchecked(bytes)
    }
}

/// Whether two texts are equal.
///
/// # Safety
/// As for [`read`].
pub(crate) unsafe fn equal(a: *const TextHeader, b: *const TextHeader) -> bool {
    // SAFETY: the caller's.
    unsafe { a == b || ((*a).hash == (*b).hash && read(a) == read(b)) }
}

/// The constant texts of a shader, each once.
#[derive(Debug, Default)]
pub(crate) struct TextPool {
    // Words, so that the header is aligned; boxed, so that a text stays where it is.
    texts: FxHashMap<Arc<str>, Box<[u64]>>,
}

impl TextPool {
    /// The address of a text, which holds as long as the pool lives.
    pub(crate) fn intern(&mut self, text: &Arc<str>) -> *const TextHeader {
        if text.is_empty() {
            return empty();
        }
        let words = self.texts.entry(text.clone()).or_insert_with(|| {
            let mut words = vec![0u64; size(text).div_ceil(8)].into_boxed_slice();
            // SAFETY: words are aligned to 8 and there are enough of them.
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
        // SAFETY: both pools live.
        unsafe {
            assert!(equal(x, y) && !equal(x, z));
            assert_eq!(read(z), "bricks");
            assert_eq!(read(empty()), "");
        }
    }
}
