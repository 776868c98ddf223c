//! State of a translation: document, options, output.

use std::path::PathBuf;

use rustc_hash::{FxHashMap, FxHashSet};
use shading::{Diagnostics, Span};

use super::document::{Document, ObjectId};
use super::mesh_files::Meshes;
use super::section::Sections;
use crate::model::Names;

/// The state of a translation.
pub(super) struct Translator<'a> {
    pub(super) document: &'a Document,
    pub(super) diagnostics: &'a mut Diagnostics,
    pub(super) strict: bool,
    /// Of the scene file.
    pub(super) source_folder: PathBuf,
    /// Of the files that are written.
    pub(super) folder: Option<String>,
    /// The properties that were asked for, by object and index.
    pub(super) asked: FxHashSet<(ObjectId, usize)>,
    /// The objects that were looked at, each once.
    pub(super) translated: Vec<ObjectId>,
    pub(super) seen: FxHashSet<ObjectId>,
    pub(super) names: Names,
    /// Of files that are written, without extensions.
    pub(super) file_names: Names,
    /// The names of materials by what they are made of.
    pub(super) materials: FxHashMap<MaterialKey, MaterialName>,
    /// How often materials asked for texture coordinates, or for the directions that they run in.
    pub(super) lookups: usize,
    /// The mesh attributes that materials asked for, and where.
    pub(super) attributes: Vec<(String, Span)>,
    pub(super) meshes: Meshes,
    pub(super) images: Vec<(String, PathBuf)>,
    /// Whether Mitsuba renders the scene by particles from the lights.
    pub(super) traces_particles: bool,
    /// How much was written for materials [bytes].
    pub(super) size: usize,
    pub(super) sections: Sections,
}

impl Translator<'_> {
    /// Notes that an object is looked at, so that what nobody asks it for is told.
    pub(super) fn look_at(&mut self, id: ObjectId) {
        if self.seen.insert(id) {
            self.translated.push(id);
        }
    }
}

/// What a material is made of: the surface, the light that it emits, and what it encloses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MaterialKey {
    pub(super) bsdf: Option<ObjectId>,
    pub(super) emitter: Option<ObjectId>,
    pub(super) interior: Option<ObjectId>,
}

/// A material as shapes call it.
#[derive(Clone, Debug, Default)]
pub(super) struct MaterialName {
    /// In quotes.
    pub(super) name: String,
    /// Whether it looks texture coordinates up, or the directions that they run in.
    pub(super) uses_uv: bool,
    /// The mesh attributes that it looks up, and where.
    pub(super) attributes: Vec<(String, Span)>,
}
