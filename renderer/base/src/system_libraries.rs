//! Search paths of shared libraries. The working folder, which the loaders of macOS and Windows search, is excluded,
//! since it may contain untrusted files.

use std::env;
use std::path::{Path, PathBuf};

/// Folders of the system's packages and of usual installations.
const FOLDERS: &[&str] = if cfg!(target_os = "macos") {
    &["/opt/homebrew/lib", "/usr/local/lib", "/opt/local/lib"]
} else if cfg!(windows) {
    &["C:/Program Files/Intel/Embree4/bin"]
} else {
    &["/usr/local/lib", "/usr/local/lib64", "/usr/lib64", "/usr/lib"]
};

/// Variables with further folders. On Linux the loader reads its own.
const VARIABLES: &[&str] = if cfg!(target_os = "macos") {
    &["DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"]
} else if cfg!(windows) {
    &["PATH"]
} else {
    &[]
};

/// Returns the paths at which a library of the system with one of these file names may be opened.
pub fn system_libraries(names: &[&str]) -> Vec<PathBuf> {
    let by_name = names.iter().filter(|_| cfg!(target_os = "linux"));
    let of_variables = VARIABLES.iter().filter_map(env::var_os);
    let of_variables = of_variables.flat_map(|list| env::split_paths(&list).collect::<Vec<_>>());
    let folders = of_variables
        .chain(FOLDERS.iter().map(PathBuf::from))
        .filter(|folder| folder.is_absolute());
    let in_folders = folders.flat_map(|folder| names.iter().map(move |name| folder.join(name)));
    by_name
        .map(|name| Path::new(name).to_owned())
        .chain(in_folders.filter(|path| path.is_file()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_linux_looks_for_names_alone() {
        let paths = system_libraries(&["libnone.so.9"]);
        assert_eq!(paths.len(), usize::from(cfg!(target_os = "linux")));
    }
}
