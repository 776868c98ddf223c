//! Copies of shipped shaders on the disk, so that an editor can open them: they are part of the program.

use std::path::{Path, PathBuf};

use shading_editor::Document;

/// Writes a shipped text into the user's cache if it is missing, and returns its path.
pub(super) fn copy_of(document: &Document) -> Option<PathBuf> {
    let name = document.path.file_name()?;
    let folder = cache()?.join("kiln").join(concat!("shaders-", env!("CARGO_PKG_VERSION")));
    let path = folder.join(name);
    if std::fs::read_to_string(&path).is_ok_and(|text| text == document.text) {
        return Some(path);
    }
    std::fs::create_dir_all(&folder).ok()?;
    // The copy is renamed into place, because another server may write it simultaneously.
    let mut file = tempfile::NamedTempFile::new_in(&folder).ok()?;
    std::io::Write::write_all(&mut file, document.text.as_bytes()).ok()?;
    let mut permissions = file.as_file().metadata().ok()?.permissions();
    permissions.set_readonly(true);
    file.as_file().set_permissions(permissions).ok()?;
    file.persist(&path).ok()?;
    Some(path)
}

/// Folder of the user's caches.
fn cache() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let known = variable("XDG_CACHE_HOME").or_else(|| variable("LOCALAPPDATA"));
    let folder = known.or_else(|| variable("HOME").map(|home| home.join(".cache")));
    folder.filter(|folder| Path::is_absolute(folder))
}
