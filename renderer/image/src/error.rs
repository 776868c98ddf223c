//! Errors of reading and writing images.

use std::io;
use std::path::{Path, PathBuf};

/// Error of reading or writing an image. Every variant names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The file does not exist.
    #[error("cannot read image '{}': no such file", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The system failed to read the file.
    #[error("cannot read image '{}': {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file ends early or contradicts itself.
    #[error("image '{}' is truncated or damaged ({format}): {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The file's format.
        format: &'static str,
        /// Error message of the decoder.
        reason: String,
    },
    /// The file is sound, or may be, but of a kind that is not read.
    #[error("image '{}' is not supported: {reason}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// Name of the unsupported feature.
        reason: String,
    },
    /// The image has no pixels.
    #[error("image '{}' has no pixels ({width}×{height})", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The image exceeds the size limit.
    #[error("image '{}' is too large: {width}×{height} pixels of {channels} channels", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
        /// Values per pixel.
        channels: usize,
    },
    /// The extension of an output is not a supported format.
    #[error(
        "cannot write '{}': {}; use .exr, .tif, .png, .jpg or .hdr",
        path.display(),
        match extension { Some(e) => format!("unknown image format '.{e}'"), None => "no file name extension".into() }
    )]
    UnknownExtension {
        /// The file.
        path: PathBuf,
        /// Extension of the file, if any.
        extension: Option<String>,
    },
    /// The file cannot be written to its target.
    #[error("cannot write '{}': {reason}", path.display())]
    NotWritable {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
}

impl ImageError {
    /// The file it is about.
    pub fn path(&self) -> &Path {
        match self {
            ImageError::Missing { path }
            | ImageError::Read { path, .. }
            | ImageError::Damaged { path, .. }
            | ImageError::Unsupported { path, .. }
            | ImageError::Empty { path, .. }
            | ImageError::TooLarge { path, .. }
            | ImageError::UnknownExtension { path, .. }
            | ImageError::NotWritable { path, .. } => path,
        }
    }

    /// The error for a failed attempt to read `path`.
    pub(crate) fn from_read(path: &Path, source: io::Error) -> ImageError {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => ImageError::Missing { path },
            _ => ImageError::Read { path, source },
        }
    }

    /// The error for a file that ends early or contradicts itself.
    pub fn damaged(path: &Path, format: &'static str, reason: impl ToString) -> ImageError {
        ImageError::Damaged { path: path.to_owned(), format, reason: reason.to_string() }
    }

    /// The error for a file of a kind that is not read.
    pub(crate) fn unsupported(path: &Path, reason: impl ToString) -> ImageError {
        ImageError::Unsupported { path: path.to_owned(), reason: reason.to_string() }
    }

    /// The error for a file whose format is not read.
    pub(crate) fn unknown_format(path: &Path) -> ImageError {
        let formats = "EXR, TIFF, HDR, PNG, JPEG, TGA, BMP, WebP, PGM, PPM and PFM";
        ImageError::unsupported(path, format!("not a format that is read ({formats} are)"))
    }

    /// The error with the place of the file, which was written elsewhere.
    pub(crate) fn kept_at(&self, place: &Path) -> ImageError {
        let reason = match self {
            ImageError::NotWritable { reason, .. } => reason.clone(),
            other => other.to_string(),
        };
        ImageError::not_writable(
            self.path(),
            format!("{reason}; it was written to '{}' instead", place.display()),
        )
    }

    /// The error for an output that cannot be written.
    pub fn not_writable(path: &Path, reason: impl ToString) -> ImageError {
        ImageError::NotWritable { path: path.to_owned(), reason: reason.to_string() }
    }
}
