//! Readers of open files, on the disk or in a pack.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;

/// An open file.
#[derive(Debug)]
pub struct FileReader {
    source: ReaderSource,
    len: u64,
}

#[derive(Debug)]
enum ReaderSource {
    Disk(File),
    Section(Section),
    Memory(Cursor<Vec<u8>>),
}

/// A section of a shared file.
#[derive(Debug)]
pub(super) struct Section {
    file: Arc<File>,
    start: u64,
    len: u64,
    position: u64,
}

impl FileReader {
    pub(super) fn disk(file: File) -> io::Result<FileReader> {
        let len = file.metadata()?.len();
        Ok(FileReader { source: ReaderSource::Disk(file), len })
    }

    pub(super) fn section(section: Section) -> FileReader {
        FileReader { len: section.len, source: ReaderSource::Section(section) }
    }

    pub(super) fn memory(bytes: Vec<u8>) -> FileReader {
        FileReader {
            len: bytes.len() as u64,
            source: ReaderSource::Memory(Cursor::new(bytes)),
        }
    }

    /// Size of the file when it was opened [bytes].
    #[expect(
        clippy::len_without_is_empty,
        reason = "as of files: nobody asks whether one is empty"
    )]
    pub fn len(&self) -> u64 {
        self.len
    }
}

impl Read for FileReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.source {
            ReaderSource::Disk(file) => file.read(buffer),
            ReaderSource::Section(section) => section.read(buffer),
            ReaderSource::Memory(cursor) => cursor.read(buffer),
        }
    }
}

impl Seek for FileReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.source {
            ReaderSource::Disk(file) => file.seek(to),
            ReaderSource::Section(section) => section.seek(to),
            ReaderSource::Memory(cursor) => cursor.seek(to),
        }
    }
}

impl Section {
    pub(super) fn new(file: Arc<File>, start: u64, len: u64) -> Section {
        Section { file, start, len, position: 0 }
    }
}

impl Read for Section {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.len.saturating_sub(self.position);
        let count = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let read = read_at(&self.file, &mut buffer[..count], self.start + self.position)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl Seek for Section {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(offset) => self.len.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        // Beyond any file's end, sums with the section's start could overflow.
        self.position = place
            .filter(|&place| i64::try_from(place).is_ok())
            .ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

/// Reads at an offset, without the position of the shared file.
fn read_at(file: &File, buffer: &mut [u8], place: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, buffer, place);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, buffer, place);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_reads_as_a_file() {
        let file = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut &file, b"0123456789").unwrap();
        let mut reader = FileReader::section(Section::new(Arc::new(file), 2, 5));
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), reader.len()), ("23456", 5));
        assert_eq!(reader.seek(SeekFrom::End(-2)).unwrap(), 3);
        let mut two = [0; 2];
        reader.read_exact(&mut two).unwrap();
        assert_eq!(&two, b"56");
        assert_eq!(reader.seek(SeekFrom::Start(u64::MAX >> 2)).unwrap(), u64::MAX >> 2);
        assert_eq!(reader.read(&mut two).unwrap(), 0);
        assert!(reader.seek(SeekFrom::Current(-(i64::MAX))).is_err());
        assert!(reader.seek(SeekFrom::Start(u64::MAX)).is_err());
    }
}
