//! State of a translation: document, options, output.

use std::path::PathBuf;

use rustc_hash::{FxHashMap, FxHashSet};
use shading::syntax::ast::{Declaration, Expr, ExprKind, MAX_DEPTH, TreeSize};
use shading::{Diagnostics, Span};

use super::document::{Document, ObjectId};
use super::mesh_files::Meshes;
use crate::model::Names;

/// Maximum number of expressions of all materials: repeated references can make them exponentially larger than the
/// file.
const MAX_NODES: usize = 1 << 20;
/// Maximum depth of a material's expression; leaves room for the expressions around it.
const MAX_NESTING: usize = MAX_DEPTH - 16;

/// State of a translation.
pub(super) struct Translator<'a> {
    pub(super) document: &'a Document,
    pub(super) diagnostics: &'a mut Diagnostics,
    pub(super) strict: bool,
    /// Folder of the scene file.
    pub(super) source_folder: PathBuf,
    /// Folder for the files that are written.
    pub(super) folder: Option<String>,
    /// Properties that were used, by object and index.
    pub(super) used_properties: FxHashSet<(ObjectId, usize)>,
    /// Objects that were translated, without repetitions.
    pub(super) translated: Vec<ObjectId>,
    pub(super) seen: FxHashSet<ObjectId>,
    pub(super) names: Names,
    /// Names of the files that are written, without extensions.
    pub(super) file_names: Names,
    /// Names of materials by their content.
    pub(super) materials: FxHashMap<MaterialKey, MaterialName>,
    /// Number of lookups of texture coordinates or tangents by materials so far.
    pub(super) lookups: usize,
    /// Mesh attributes that materials look up, with the source location of the lookup.
    pub(super) attributes: Vec<(String, Span)>,
    pub(super) meshes: Meshes,
    pub(super) images: Vec<(String, PathBuf)>,
    /// Medium that all shapes are in.
    pub(super) outside: Option<ObjectId>,
    /// Media that are inside of shapes.
    pub(super) fillings: FxHashSet<ObjectId>,
    /// True if Mitsuba's integrator traces particles from the lights.
    pub(super) traces_particles: bool,
    /// Number of expressions in all materials so far; larger than the maximum after an error.
    pub(super) size: usize,
    pub(super) declarations: Vec<Declaration>,
}

impl Translator<'_> {
    /// Registers an object as translated, so that its unused properties are reported.
    pub(super) fn mark_translated(&mut self, id: ObjectId) {
        if self.seen.insert(id) {
            self.translated.push(id);
        }
    }

    /// Translates a part of a material with `make`; `None` if the expression is too large.
    pub(super) fn bounded<T>(
        &mut self,
        id: ObjectId,
        make: impl FnOnce(&mut Self) -> T,
        expr: fn(&T) -> &Expr,
    ) -> Option<T> {
        if self.size > MAX_NODES {
            return None;
        }
        // References can be nested as deeply as the file is long.
        let made = stacker::maybe_grow(128 << 10, 1 << 20, || make(self));
        let TreeSize { nodes, depth } = expr(&made).size();
        let message = if self.size > MAX_NODES {
            // Already reported.
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

    /// Adds a declaration with the source location `place`.
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

/// Content of a material: its surface, emission and interior.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MaterialKey {
    pub(super) bsdf: Option<ObjectId>,
    pub(super) emitter: Option<ObjectId>,
    pub(super) interior: Option<ObjectId>,
    /// True if nothing is inside, whatever is outside.
    pub(super) is_hollow: bool,
    /// True if a surface without a bsdf is none, as in versions before 2.
    pub(super) is_interface: bool,
}

/// Material as used by shapes.
#[derive(Clone, Debug, Default)]
pub(super) struct MaterialName {
    pub(super) name: String,
    /// True if it looks up texture coordinates or tangents.
    pub(super) uses_uv: bool,
    /// Mesh attributes that it looks up, with the source location of the lookup.
    pub(super) attributes: Vec<(String, Span)>,
}
