//! Cache of loaded mesh files by file and options.

use std::path::PathBuf;

use rustc_hash::FxHashMap;

use renderer_geometry::Mesh;

/// Mesh files of a scene.
#[derive(Default)]
pub(super) struct Meshes {
    pub(super) known: FxHashMap<MeshOptions, Option<CachedMesh>>,
    pub(super) list: Vec<(String, Mesh)>,
    pub(super) files: Vec<PathBuf>,
    /// Name of the cube, if it is used.
    pub(super) cube: Option<String>,
}

/// Options for reading a mesh file; key of the cache.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct MeshOptions {
    pub(super) path: PathBuf,
    pub(super) part: u32,
    pub(super) face_normals: bool,
    pub(super) flip_uvs: bool,
    pub(super) stretch: Option<[u64; 9]>,
}

/// Mesh that has been read.
#[derive(Clone, Debug)]
pub(super) struct CachedMesh {
    /// Name of the mesh in the scene.
    pub(super) name: String,
    /// True if the file has vertex normals and they are used.
    pub(super) has_normals: bool,
}

impl Meshes {
    /// Returns the meshes by name, and the paths of their files.
    pub(super) fn finish(self) -> (Vec<(String, Mesh)>, Vec<PathBuf>) {
        (self.list, self.files)
    }
}
