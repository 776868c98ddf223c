//! Scene formats: importers of scenes by file extension.
//!
//! A new importer is a module with a function like [`super::mitsuba::translate`], a variant of
//! [`SceneFormat`], and its file extension.

use std::path::Path;

use shading::{Diagnostic, Diagnostics};

use super::scene_import::{SceneImport, SceneImportOptions};
use super::{embree, extension_of, mitsuba};
use renderer_base::files::SharedFiles;

/// Scene format other than Kiln's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SceneFormat {
    /// Mitsuba 3 or Embree, `.xml`; the first elements are different.
    Xml,
}

impl SceneFormat {
    /// The format of a file by its extension.
    pub fn of(path: &Path) -> Option<SceneFormat> {
        match extension_of(path).as_str() {
            "xml" => Some(SceneFormat::Xml),
            _ => None,
        }
    }

    /// Translates a scene file.
    ///
    /// # Errors
    /// All errors of the file, each with its location.
    pub fn import(
        self,
        files: &SharedFiles,
        path: &Path,
        options: &SceneImportOptions,
    ) -> Result<SceneImport, Diagnostics> {
        match self {
            SceneFormat::Xml if embree::is_scene(&**files, path) => embree::translate(files, path, options),
            SceneFormat::Xml => mitsuba::translate(files, path, options),
        }
    }
}

/// Translates a scene file from the disk; the file extension determines the format.
///
/// # Errors
/// If the extension is unknown; all errors of the file, each with its location.
pub fn import_scene(path: &Path, options: &SceneImportOptions) -> Result<SceneImport, Diagnostics> {
    let Some(format) = SceneFormat::of(path) else {
        let message = format!("{}: not a scene that can be imported", path.display());
        return Err(Diagnostic::error(message)
            .hint("scenes of Mitsuba and Embree are .xml files")
            .into());
    };
    format.import(&SharedFiles::default(), path, options)
}
