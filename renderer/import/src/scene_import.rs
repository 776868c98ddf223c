//! Interface of scene importers: options, and the result, a scene translated to the declarations of a Kiln scene.

use std::path::PathBuf;

use shading::syntax::ast::Declaration;
use shading::{Diagnostics, SourceMap};

use renderer_geometry::Mesh;

/// Options of scene importers.
#[derive(Clone, Debug, Default)]
pub struct SceneImportOptions {
    /// Values of parameters (`$name` in Mitsuba scenes).
    pub defines: Vec<(String, String)>,
    /// True if unsupported features are errors.
    pub strict: bool,
    /// Folder for meshes and copies of images, relative to the written scene; if `None`, images are referred to at their
    /// original paths.
    pub folder: Option<String>,
}

/// Scene translated to declarations.
#[derive(Clone, Debug)]
pub struct SceneImport {
    /// Program whose format it is.
    pub program: &'static str,
    /// Declarations of the scene; file names are relative to the folder of the scene file, or absolute.
    pub declarations: Vec<Declaration>,
    /// Source files, which the declarations' spans refer to.
    pub sources: SourceMap,
    /// Meshes by their names in the scene.
    pub meshes: Vec<(String, Mesh)>,
    /// Names of the images in the scene, with their paths.
    pub images: Vec<(String, PathBuf)>,
    /// Paths of all input files.
    pub files: Vec<PathBuf>,
    /// Warnings about unsupported features.
    pub warnings: Diagnostics,
}
