//! Reading of imported files.

use std::path::Path;

use super::error::ImportError;
use renderer_base::files::Files;

/// Reads the bytes of a file.
pub(super) fn read(files: &dyn Files, path: &Path) -> Result<Vec<u8>, ImportError> {
    files
        .read(path)
        .map_err(|source| ImportError::Read { path: path.into(), source })
}
