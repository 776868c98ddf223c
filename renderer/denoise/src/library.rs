//! Library search, once per process: `OIDN_DIR`, the user's cache, the system's libraries.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::error::DenoiseError;
use super::ffi::Library;
use super::wheel;
use renderer_base::system_libraries::system_libraries;

/// Names of the library's file, by platform. The number is the version of the interface.
const NAMES: &[&str] = if cfg!(target_os = "macos") {
    &["libOpenImageDenoise.2.dylib", "libOpenImageDenoise.dylib"]
} else if cfg!(windows) {
    &["OpenImageDenoise.dll"]
} else {
    &["libOpenImageDenoise.so.2"]
};

/// The library, opened at the first call.
pub(super) fn library() -> Result<&'static Library, DenoiseError> {
    static LIBRARY: OnceLock<Result<Library, DenoiseError>> = OnceLock::new();
    LIBRARY.get_or_init(find).as_ref().map_err(Clone::clone)
}

fn find() -> Result<Library, DenoiseError> {
    // Errors of the folder that the user names, and of a modified cache, are reported.
    if let Some(folder) = env::var_os("OIDN_DIR").filter(|folder| !folder.is_empty()) {
        return open(&in_named_folder(Path::new(&folder))?);
    }
    if let Some(path) = in_cache()? {
        return open(&path);
    }
    let mut in_system = system_libraries(NAMES).into_iter();
    let opened = in_system.find_map(|path| Library::open(&path).ok());
    opened.ok_or(DenoiseError::Missing)
}

fn open(path: &Path) -> Result<Library, DenoiseError> {
    Library::open(path).map_err(|reason| DenoiseError::Unusable { path: path.to_owned(), reason })
}

/// The library in the folder of a release.
fn in_named_folder(folder: &Path) -> Result<PathBuf, DenoiseError> {
    let folders = ["lib", "lib64", "bin", ""].map(|sub| folder.join(sub));
    let mut paths = folders
        .iter()
        .flat_map(|folder| NAMES.iter().map(move |name| folder.join(name)));
    let found = paths.find(|path| path.is_file());
    // An absolute path: the loader searches system folders for a bare file name.
    let found = found.and_then(|path| path.canonicalize().ok());
    found.ok_or_else(|| DenoiseError::NamedFolder { folder: folder.to_owned(), name: NAMES[0] })
}

/// The library in the cache, if `fetch` has downloaded it.
fn in_cache() -> Result<Option<PathBuf>, DenoiseError> {
    let place = wheel::OWN.and_then(|wheel| Some((wheel, wheel.cache_folder()?)));
    match place {
        Some((wheel, folder)) if folder.is_dir() => {
            let checked = wheel.check(&folder);
            checked.map(Some).map_err(|(path, reason)| DenoiseError::Cache { path, reason })
        }
        _ => Ok(None),
    }
}
