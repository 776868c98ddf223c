//! The Embree library, opened once per process.
//!
//! Opening it at run time, rather than linking to it, lets the program, its tests and its benchmarks find it wherever
//! they are started from and whatever the library is called inside a wheel.

#![expect(unsafe_code, reason = "loads a shared library")]

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::sys::Functions;
use crate::accel::AccelError;

/// Where the build found Embree.
const BUILT_WITH: &str = env!("KILN_EMBREE_LIBRARY");

/// File names of the library, by platform.
const NAMES: &[&str] = if cfg!(target_os = "macos") {
    &["libembree4.4.dylib", "libembree4.dylib"]
} else if cfg!(windows) {
    &["embree4.dll"]
} else {
    &["libembree4.so.4", "libembree4.so"]
};

/// The opened library. Never closed: its threads may outlive any one device.
pub(super) struct Library {
    pub(super) functions: Functions,
    pub(super) path: PathBuf,
    _handle: libloading::Library,
}

/// The library, opened at the first call.
pub(super) fn library() -> Result<&'static Library, AccelError> {
    static LIBRARY: OnceLock<Result<Library, AccelError>> = OnceLock::new();
    LIBRARY.get_or_init(open_first).as_ref().map_err(Clone::clone)
}

/// Opens the first library that opens.
fn open_first() -> Result<Library, AccelError> {
    let mut reason = String::new();
    for path in candidates() {
        match open(&path) {
            Ok(library) => return Ok(library),
            Err(error) => {
                // The loader's own words are one level down.
                let cause = error
                    .source()
                    .map_or_else(|| error.to_string(), ToString::to_string);
                let separator = if reason.is_empty() { "" } else { "; " };
                reason += &format!("{separator}{}: {cause}", path.display());
            }
        }
    }
    Err(AccelError::Library { reason })
}

/// Where the library may be: as built, beside the program, in `EMBREE_DIR`, wherever the system looks.
fn candidates() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    if let Ok(program) = env::current_exe()
        && let Some(folder) = program.parent()
    {
        folders.extend([folder.to_path_buf(), folder.join("../lib")]);
    }
    if let Some(dir) = env::var_os("EMBREE_DIR").filter(|dir| !dir.is_empty()) {
        folders.extend(["lib", "lib64", "bin", ""].map(|sub| Path::new(&dir).join(sub)));
    }
    // Beside the program it may go by the name that it has in the wheel.
    let built_with = Path::new(BUILT_WITH);
    let names: Vec<PathBuf> = NAMES
        .iter()
        .map(PathBuf::from)
        .chain(built_with.file_name().map(PathBuf::from))
        .collect();
    let in_folders = folders
        .iter()
        .flat_map(|folder| names.iter().map(|name| folder.join(name)));
    let present = std::iter::once(built_with.to_path_buf())
        .chain(in_folders)
        .filter(|path| path.is_file());
    present.chain(NAMES.iter().map(PathBuf::from)).collect()
}

fn open(path: &Path) -> Result<Library, libloading::Error> {
    // SAFETY: what runs at loading is the initialisation of Embree and of the TBB it brings, which asks nothing of us.
    let handle = unsafe { load(path)? };
    // SAFETY: only files named as Embree 4's are tried; `handle` is kept with the functions and never closed.
    let functions = unsafe { Functions::load(&handle)? };
    Ok(Library {
        functions,
        path: path.to_path_buf(),
        _handle: handle,
    })
}

#[cfg(not(windows))]
unsafe fn load(path: &Path) -> Result<libloading::Library, libloading::Error> {
    // SAFETY: as the caller says.
    unsafe { libloading::Library::new(path) }
}

/// Windows looks for the libraries that a library needs beside the program, unless told to look beside the library.
#[cfg(windows)]
unsafe fn load(path: &Path) -> Result<libloading::Library, libloading::Error> {
    use libloading::os::windows::{LOAD_WITH_ALTERED_SEARCH_PATH, Library};
    let flags = if path.is_absolute() {
        LOAD_WITH_ALTERED_SEARCH_PATH
    } else {
        0
    };
    // SAFETY: as the caller says.
    unsafe { Library::load_with_flags(path, flags).map(Into::into) }
}
