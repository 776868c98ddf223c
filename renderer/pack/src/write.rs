//! Writing of a pack: deterministic ZIP archives.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::layout::Layout;
use renderer_base::files::{Files, MANIFEST};
use renderer_image::{ImageError, write_whole_with};

/// Formats that are compressed already, or that are read in parts.
const STORED: [&str; 8] = ["exr", "tif", "tiff", "png", "jpg", "jpeg", "webp", "serialized"];

/// Size of the archive [bytes].
pub(super) struct Sizes {
    pub(super) files: u64,
    pub(super) archive: u64,
}

/// Writes the archive, or nothing.
pub(super) fn archive(files: &dyn Files, path: &Path, layout: &Layout) -> Result<Sizes, ImageError> {
    let mut archive = 0;
    write_whole_with(path, |file| {
        let mut writer = ZipWriter::new(Target::new(file));
        let manifest = layout.manifest.text();
        writer.start_file(MANIFEST, options(MANIFEST, manifest.len() as u64))?;
        writer.write_all(manifest.as_bytes())?;
        for (name, source) in &layout.sources {
            let size = layout.manifest.entries[name];
            writer.start_file(name, options(name, size))?;
            let copied = files.open(source).and_then(|mut from| io::copy(&mut from, &mut writer));
            match copied {
                Ok(copied) if copied == size => {}
                Ok(_) => {
                    let message = format!("{} changes while it is packed", source.display());
                    return Err(io::Error::other(message));
                }
                Err(error) => {
                    let message = format!("{}: {error}", source.display());
                    return Err(io::Error::new(error.kind(), message));
                }
            }
        }
        archive = writer.finish()?.stream_position()?;
        Ok(())
    })?;
    Ok(Sizes { files: layout.manifest.entries.values().sum(), archive })
}

/// A file that accepts and discards data after its first error: `ZipWriter` also finishes its archive when it is
/// dropped, and prints an error if that fails.
struct Target<W> {
    file: W,
    /// Offset of the next byte.
    position: u64,
    failed: bool,
}

impl<W> Target<W> {
    fn new(file: W) -> Target<W> {
        Target { file, position: 0, failed: false }
    }

    /// Calls `act`; after the first error, returns `otherwise` instead.
    fn attempt<T>(&mut self, otherwise: T, act: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if self.failed {
            return Ok(otherwise);
        }
        act(&mut self.file).inspect_err(|_| self.failed = true)
    }
}

impl<W: Write> Write for Target<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.attempt(bytes.len(), |file| file.write(bytes))?;
        self.position += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt((), Write::flush)
    }
}

impl<W: Seek> Seek for Target<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let reached = match to {
            SeekFrom::Start(position) => position,
            SeekFrom::Current(by) | SeekFrom::End(by) => self.position.saturating_add_signed(by),
        };
        self.position = self.attempt(reached, |file| file.seek(to))?;
        Ok(self.position)
    }
}

fn options(name: &str, size: u64) -> SimpleFileOptions {
    let extension = Path::new(name).extension().unwrap_or_default();
    let is_stored = STORED.iter().any(|stored| extension.eq_ignore_ascii_case(stored));
    let method = if is_stored {
        CompressionMethod::Stored
    } else {
        CompressionMethod::Deflated
    };
    SimpleFileOptions::default()
        .compression_method(method)
        .last_modified_time(DateTime::DEFAULT)
        .unix_permissions(0o644)
        // Deflate can enlarge data slightly.
        .large_file(size > u64::from(u32::MAX) / 2)
}
