//! Cursor over the bytes of a file: little-endian numbers, with an error where the file ends.

use super::error::GridFault;

/// Bytes of a file, and a position among them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a> {
    data: &'a [u8],
    at: usize,
    /// Name of the part of the file that is being read, for errors.
    element: &'static str,
}

impl<'a> Bytes<'a> {
    /// Begins at the first byte.
    pub(crate) fn new(data: &'a [u8], element: &'static str) -> Bytes<'a> {
        Bytes { data, at: 0, element }
    }

    /// Sets the name of the part that is read from here on.
    pub(crate) fn enter(&mut self, element: &'static str) {
        self.element = element;
    }

    /// Position from the first byte.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// A reader of the bytes from another position on, which may be beyond the end.
    pub(crate) fn moved_to(self, at: u64) -> Bytes<'a> {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        Bytes { at, ..self }
    }

    /// Returns the cursor with the bytes before `end` only.
    pub(crate) fn up_to(self, end: usize) -> Bytes<'a> {
        let data = self.data.get(..end).unwrap_or(self.data);
        Bytes { data, ..self }
    }

    /// The next bytes.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], GridFault> {
        let rest = self.data.get(self.at..).unwrap_or_default();
        let taken = rest.get(..count).ok_or(GridFault::Truncated { element: self.element })?;
        self.at += count;
        Ok(taken)
    }

    /// The next `N` bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], GridFault> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, GridFault> {
        self.array().map(u8::from_le_bytes)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, GridFault> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, GridFault> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn i32(&mut self) -> Result<i32, GridFault> {
        self.array().map(i32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, GridFault> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn i64(&mut self) -> Result<i64, GridFault> {
        self.array().map(i64::from_le_bytes)
    }

    pub(crate) fn f32(&mut self) -> Result<f32, GridFault> {
        self.array().map(f32::from_le_bytes)
    }

    pub(crate) fn f64(&mut self) -> Result<f64, GridFault> {
        self.array().map(f64::from_le_bytes)
    }

    /// A text with its length before it.
    pub(crate) fn text(&mut self) -> Result<String, GridFault> {
        let length = self.u32()? as usize;
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    /// A mask of `bits` bits, a multiple of 64.
    pub(crate) fn mask(&mut self, bits: usize) -> Result<Vec<u64>, GridFault> {
        let words = self.take(bits / 8)?.as_chunks::<8>().0.iter();
        Ok(words.map(|word| u64::from_le_bytes(*word)).collect())
    }
}
