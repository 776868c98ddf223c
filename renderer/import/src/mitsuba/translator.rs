//! State of a translation: document, options, output.

use std::path::PathBuf;

use rustc_hash::{FxHashMap, FxHashSet};
use shading::syntax::ast::{Declaration, Expr, ExprKind, MAX_DEPTH, TreeSize};
use shading::{Diagnostics, Span};

use super::document::{Document, ObjectId};
use super::mesh_files::Meshes;
use crate::model::Names;

/// The most expressions of all materials: references to what holds references make more of them than a file is long.
const MAX_NODES: usize = 1 << 20;
/// The deepest expression of a material; there is room for what lies around it.
const MAX_NESTING: usize = MAX_DEPTH - 16;

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
    /// How many expressions the materials so far have, or more than there may be.
    pub(super) size: usize,
    pub(super) declarations: Vec<Declaration>,
}

impl Translator<'_> {
    /// Notes that an object is looked at, so that what nobody asks it for is told.
    pub(super) fn look_at(&mut self, id: ObjectId) {
        if self.seen.insert(id) {
            self.translated.push(id);
        }
    }

    /// What `make` makes of an object that is a part of a material; `None` where the expression in it is too large.
    pub(super) fn bounded<T>(
        &mut self,
        id: ObjectId,
        make: impl FnOnce(&mut Self) -> T,
        expr: fn(&T) -> &Expr,
    ) -> Option<T> {
        if self.size > MAX_NODES {
            return None;
        }
        // References may nest as deep as a file is long.
        let made = stacker::maybe_grow(128 << 10, 1 << 20, || make(self));
        let TreeSize { nodes, depth } = expr(&made).size();
        let message = if self.size > MAX_NODES {
            // That is reported.
            return None;
        } else if self.size + nodes > MAX_NODES {
            self.size = usize::MAX;
            "materials refer to each other so often that they are too large"
        } else if depth > MAX_NESTING {
            "materials are nested too deeply"
        } else {
            return Some(made);
        };
        let place = self.object(id).place;
        self.error(place, message);
        None
    }

    /// Adds a declaration of what stands at `place`.
    pub(super) fn declare(&mut self, mut declaration: Declaration, place: Span) {
        declaration.set_span(place);
        let mut is_finite = true;
        declaration.for_each_expr(&mut |expr| {
            is_finite &= !matches!(expr.kind, ExprKind::Float(value) if !value.is_finite());
        });
        if is_finite {
            self.declarations.push(declaration);
        } else {
            self.error(place, "a number that this comes to is not finite");
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
    pub(super) name: String,
    /// Whether it looks texture coordinates up, or the directions that they run in.
    pub(super) uses_uv: bool,
    /// The mesh attributes that it looks up, and where.
    pub(super) attributes: Vec<(String, Span)>,
}
