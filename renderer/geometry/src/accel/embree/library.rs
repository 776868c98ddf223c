//! Loading of the Embree library at run time, once per process: search order and function table.
//!
//! Loading at run time, instead of linking, lets the program, its tests and its benchmarks find the library from any
//! working directory and under any file name (as in Python wheels).

#![expect(unsafe_code, reason = "loads a shared library")]

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::bundle::carried;
use super::sys::Functions;
use crate::accel::AccelError;
use renderer_base::cache::check_near;
use renderer_base::system_libraries::system_libraries;

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

/// Opens the first library that can be opened: in the user's `EMBREE_DIR`, next to the program, embedded in the program, in
/// the system.
fn open_first() -> Result<Library, AccelError> {
    let mut search = Search::default();
    search.find().ok_or(AccelError::Library { tried: search.tried.join("\n") })
}

/// A search for a library that opens.
#[derive(Default)]
struct Search {
    /// The places tried, with the reason of each failure, one per line.
    tried: Vec<String>,
}

impl Search {
    fn find(&mut self) -> Option<Library> {
        self.in_named_folder()
            .or_else(|| self.near_the_program())
            .or_else(|| self.in_bundle())
            .or_else(|| self.in_system())
    }

    fn in_named_folder(&mut self) -> Option<Library> {
        let Some(dir) = env::var_os("EMBREE_DIR").filter(|dir| !dir.is_empty()) else {
            self.tried.push("in EMBREE_DIR: not set".to_owned());
            return None;
        };
        let folders = ["lib", "lib64", "bin", ""].map(|sub| Path::new(&dir).join(sub));
        self.folders("in EMBREE_DIR", &folders, None)
    }

    fn near_the_program(&mut self) -> Option<Library> {
        // The program may have been started through a link.
        let program = env::current_exe().and_then(|path| path.canonicalize()).ok();
        let Some((program, folder)) = program.as_deref().and_then(|path| Some((path, path.parent()?))) else {
            self.tried
                .push("beside the program: the system does not say where that is".to_owned());
            return None;
        };
        let lib = folder.parent().unwrap_or(folder).join("lib");
        self.folders("beside the program", &[folder.to_owned()], Some(program))
            .or_else(|| {
                let folders = [lib.clone(), lib.join("kiln")];
                self.folders("in ../lib of the program", &folders, Some(program))
            })
    }

    /// The embedded copy is unpacked into the user's cache. Without a cache that can be written and executed from, it
    /// goes to a temporary folder that is removed once the library is open.
    fn in_bundle(&mut self) -> Option<Library> {
        let Some(bundle) = carried() else {
            self.tried.push("in the program itself: this one carries no Embree".to_owned());
            return None;
        };
        let what = "unpacked from the program";
        match bundle.cache_folder() {
            Some(folder) => match bundle.unpack_into(&folder) {
                Ok(path) => {
                    if let Some(library) = self.file(what, &path) {
                        return Some(library);
                    }
                }
                Err(error) => self.failed(what, &folder, &error),
            },
            None => self
                .tried
                .push(format!("{what}: the user has no cache folder (HOME is not set)")),
        }
        // An open library keeps its file elsewhere.
        if cfg!(windows) {
            return None;
        }
        let folder = match tempfile::Builder::new().prefix("kiln-").tempdir() {
            Ok(folder) => folder,
            Err(error) => {
                self.failed(what, &env::temp_dir(), &error);
                return None;
            }
        };
        match bundle.unpack_into(folder.path()) {
            Ok(path) => self.file(what, &path),
            Err(error) => {
                self.failed(what, folder.path(), &error);
                None
            }
        }
    }

    /// Searches the system's folders. The working folder is excluded.
    fn in_system(&mut self) -> Option<Library> {
        let (what, paths) = ("in the system's folders", system_libraries(NAMES));
        if paths.is_empty() {
            self.tried.push(format!("{what}: no {}", NAMES[0]));
        }
        paths.iter().find_map(|path| self.open(what, path))
    }

    /// Opens a library in one of these folders. Near a program, it must be as safe as the program.
    fn folders(&mut self, what: &str, folders: &[PathBuf], program: Option<&Path>) -> Option<Library> {
        // The file has its usual name, or its name in the wheel.
        let carried = carried().map(|bundle| bundle.files[0].name);
        let names: Vec<&str> = NAMES.iter().copied().chain(carried).collect();
        for folder in folders {
            let mut present = names
                .iter()
                .map(|name| folder.join(name))
                .filter(|path| path.is_file())
                .peekable();
            if present.peek().is_none() {
                self.tried.push(format!("{what}: no {} in {}", NAMES[0], folder.display()));
            }
            let opened = present.find_map(|path| {
                if let Some(program) = program
                    && let Err(error) = check_near(&path, program)
                {
                    self.failed(what, &path, &error);
                    return None;
                }
                self.open(what, &path)
            });
            if opened.is_some() {
                return opened;
            }
        }
        None
    }

    fn file(&mut self, what: &str, path: &Path) -> Option<Library> {
        if !path.is_file() {
            self.tried.push(format!("{what}: no {}", path.display()));
            return None;
        }
        self.open(what, path)
    }

    fn open(&mut self, what: &str, path: &Path) -> Option<Library> {
        match open(path) {
            Ok(library) => Some(library),
            Err(error) => {
                // The message of the loader is in the source error.
                let cause = error.source().unwrap_or(&error);
                self.failed(what, path, cause);
                None
            }
        }
    }

    fn failed(&mut self, what: &str, path: &Path, error: &dyn Error) {
        self.tried.push(format!("{what}: {}: {error}", path.display()));
    }
}

fn open(path: &Path) -> Result<Library, libloading::Error> {
    // SAFETY: loading runs the initialisation of Embree and TBB, which has no preconditions.
    let handle = unsafe { load(path)? };
    // SAFETY: only files named as Embree 4's are tried; `handle` is kept with the functions and never closed.
    let functions = unsafe { Functions::load(&handle)? };
    Ok(Library { functions, path: path.to_path_buf(), _handle: handle })
}

#[cfg(not(windows))]
unsafe fn load(path: &Path) -> Result<libloading::Library, libloading::Error> {
    // SAFETY: as the caller says.
    unsafe { libloading::Library::new(path) }
}

/// Windows searches for dependencies in the folder of the program by default; this flag selects the folder of the
/// library.
#[cfg(windows)]
unsafe fn load(path: &Path) -> Result<libloading::Library, libloading::Error> {
    use libloading::os::windows::{LOAD_WITH_ALTERED_SEARCH_PATH, Library};
    let flags = if path.is_absolute() { LOAD_WITH_ALTERED_SEARCH_PATH } else { 0 };
    // SAFETY: as the caller says.
    unsafe { Library::load_with_flags(path, flags).map(Into::into) }
}
