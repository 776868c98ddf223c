//! Mesh files of a scene: parsed in parallel, cached by file and options.

use std::path::PathBuf;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::document::{Document, Object, PropertyValue};
use crate::obj::load_obj_mesh;
use crate::serialized::load_serialized_from;
use crate::{ImportError, file, parse_ply};
use renderer_base::files::Files;
use renderer_geometry::Mesh;

/// Mesh files of a scene.
#[derive(Default)]
pub(super) struct Meshes {
    pub(super) known: FxHashMap<MeshOptions, Option<CachedMesh>>,
    /// Files that were parsed before a shape asked for them.
    parsed: FxHashMap<MeshFile, ParsedMesh>,
    pub(super) list: Vec<(String, Mesh)>,
    pub(super) files: Vec<PathBuf>,
    /// Name of the cube, if it is used.
    pub(super) cube: Option<String>,
}

/// Path of a mesh file, and the index of the mesh in it.
type MeshFile = (PathBuf, u32);

/// Unmodified mesh of a file, with warnings.
type ParsedMesh = Result<(Mesh, Vec<String>), ImportError>;

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
    /// Parses the mesh files of all shapes, in parallel.
    pub(super) fn parse_all(&mut self, document: &Document) {
        let shapes = document.objects.iter().filter(|object| object.tag == "shape");
        let mut named = FxHashSet::default();
        let files: Vec<_> = shapes
            .filter_map(|shape| Some((shape.plugin.as_str(), mesh_file(document, shape)?)))
            .filter(|(_, file)| named.insert(file.clone()))
            .collect();
        let files = files.into_par_iter().map(|(plugin, file)| {
            let parsed = parse(&*document.file_system, plugin, &file);
            (file, parsed)
        });
        self.parsed = files.collect();
    }

    /// Returns the mesh of a file as [`Meshes::parse_all`] has parsed it, or parses it.
    pub(super) fn take(&mut self, files: &dyn Files, plugin: &str, options: &MeshOptions) -> ParsedMesh {
        let file = (options.path.clone(), options.part);
        self.parsed.remove(&file).unwrap_or_else(|| parse(files, plugin, &file))
    }

    /// Returns the meshes by name, and the paths of their files.
    pub(super) fn finish(self) -> (Vec<(String, Mesh)>, Vec<PathBuf>) {
        (self.list, self.files)
    }
}

/// Mesh file that a shape names; `None` for shapes without one.
fn mesh_file(document: &Document, shape: &Object) -> Option<MeshFile> {
    if !matches!(shape.plugin.as_str(), "obj" | "ply" | "serialized") {
        return None;
    }
    let value = |name: &str| {
        let mut properties = shape.properties.iter().rev();
        Some(&properties.find(|property| property.name == name)?.value)
    };
    let Some(PropertyValue::Text(name)) = value("filename") else {
        return None;
    };
    let part = match value("shape_index") {
        Some(PropertyValue::Integer(part)) if shape.plugin == "serialized" => u32::try_from(*part).ok()?,
        _ => 0,
    };
    Some((document.resolve(name), part))
}

fn parse(files: &dyn Files, plugin: &str, (path, part): &MeshFile) -> ParsedMesh {
    match plugin {
        "serialized" => Ok((load_serialized_from(files, path, *part)?, vec![])),
        "obj" => load_obj_mesh(files, path),
        _ => Ok((parse_ply(&file::read(files, path)?, path)?, vec![])),
    }
}
