//! Cache of loaded mesh files by file and options.

use std::path::PathBuf;

use rustc_hash::FxHashMap;

use renderer_geometry::Mesh;

/// The meshes of a scene.
#[derive(Default)]
pub(super) struct Meshes {
    pub(super) known: FxHashMap<Reading, Option<Known>>,
    pub(super) list: Vec<(String, Mesh)>,
    pub(super) files: Vec<PathBuf>,
    /// The name of the cube, once there is one.
    pub(super) cube: Option<String>,
}

/// How a file is read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Reading {
    pub(super) path: PathBuf,
    pub(super) part: u32,
    pub(super) face_normals: bool,
    pub(super) flip_uvs: bool,
    pub(super) stretch: Option<[u64; 9]>,
}

/// A mesh that has been read.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// What the scene calls it.
    pub(super) name: String,
    /// Whether the file gives it normals that are used.
    pub(super) has_normals: bool,
}

impl Meshes {
    /// The meshes by their names, and the files they are from.
    pub(super) fn finish(self) -> (Vec<(String, Mesh)>, Vec<PathBuf>) {
        (self.list, self.files)
    }
}
