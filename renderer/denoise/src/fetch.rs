//! Download of the library: the wheel, with pip, checked by its SHA-256 and unpacked into the user's cache.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use renderer_base::cache;

use super::pip;
use super::wheel::{self, WHEEL, Wheel, sha256_of};

/// Error of the download.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The package has no file for this system.
    #[error(
        "there is no {WHEEL} for this system\n  hint: install Open Image Denoise 2 with the system's packages, or set \
         OIDN_DIR to the folder of a release (https://github.com/RenderKit/oidn/releases)"
    )]
    Platform,
    /// The environment defines no cache folder.
    #[error("the user has no cache folder: HOME is not set")]
    NoCache,
    /// No pip works.
    #[error(
        "{0}\n  hint: with Python's pip and a network this works; else install Open Image Denoise 2 with the system's \
         packages, or set OIDN_DIR to the folder of a release (https://github.com/RenderKit/oidn/releases)"
    )]
    Pip(String),
    /// The SHA-256 of the file differs.
    #[error("the fetched {name} is not the known one: its SHA-256 is {found}, not {expected}")]
    Checksum {
        /// The file.
        name: String,
        /// SHA-256 of the file.
        found: String,
        /// Expected SHA-256.
        expected: &'static str,
    },
    /// The file cannot be unpacked to the folder.
    #[error("cannot unpack {WHEEL} to {}: {error}", .folder.display())]
    Unpack {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        error: io::Error,
    },
}

/// Downloads the library into the user's cache, unless it is installed. Returns the path of the library.
///
/// # Errors
/// If the package has no file for this system, pip fails, the SHA-256 differs, or the file cannot be unpacked.
pub fn fetch() -> Result<PathBuf, FetchError> {
    let wheel = wheel::OWN.ok_or(FetchError::Platform)?;
    let folder = wheel.cache_folder().ok_or(FetchError::NoCache)?;
    if let Ok(library) = wheel.check(&folder) {
        return Ok(library);
    }
    let failed = |error| FetchError::Unpack { folder: folder.clone(), error };
    // Unpacked into a temporary folder and renamed, so that other programs never see a partial library.
    let place = folder.parent().unwrap_or(&folder);
    let cache = place.parent().unwrap_or(place);
    cache::make_private(cache).map_err(failed)?;
    let half = tempfile::Builder::new().prefix(".oidn-").tempdir_in(cache).map_err(failed)?;
    let file = pip::download(WHEEL, wheel.platform, &half.path().join("wheel"));
    let file = file.map_err(FetchError::Pip)?;
    let bytes = fs::read(&file).map_err(failed)?;
    check_sum(WHEEL, &bytes, wheel.sha256)?;
    let unpacked = half.path().join("unpacked");
    unpack(wheel, &file, &unpacked.join("lib")).map_err(failed)?;

    // The existing folder is damaged, or another process has just created it.
    let _ = fs::remove_dir_all(place);
    let renamed = fs::rename(&unpacked, place);
    match (wheel.check(&folder), renamed) {
        (Ok(library), _) => Ok(library),
        (Err(_), Err(error)) => Err(failed(error)),
        (Err((path, reason)), Ok(())) => {
            let message = format!("{}: {reason}", path.display());
            Err(failed(io::Error::other(message)))
        }
    }
}

fn check_sum(name: &str, bytes: &[u8], expected: &'static str) -> Result<(), FetchError> {
    let found = sha256_of(bytes);
    if found == expected {
        return Ok(());
    }
    Err(FetchError::Checksum { name: name.to_owned(), found, expected })
}

/// Unpacks the libraries of the wheel into `to`.
fn unpack(wheel: &Wheel, file: &Path, to: &Path) -> io::Result<()> {
    cache::make_private(to)?;
    let mut archive = zip::ZipArchive::new(File::open(file)?).map_err(io::Error::other)?;
    for (name, _) in &wheel.files {
        let mut bytes = vec![];
        let mut entry = archive.by_name(&format!("{}{name}", wheel.folder)).map_err(io::Error::other)?;
        entry.read_to_end(&mut bytes)?;
        let path = to.join(name);
        fs::write(&path, bytes)?;
        // Other users cannot change the file, whatever the umask.
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
    }
    Ok(())
}
