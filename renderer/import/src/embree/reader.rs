//! State of a translation.

use roxmltree::{Node, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use shading::syntax::ast::Declaration;
use shading::{Diagnostic, Diagnostics, SourceMap, Span};

use crate::model::Names;
use crate::scene_import::SceneImportOptions;
use crate::xml::span_of_tag;
use renderer_base::files::Budget;
use renderer_base::math::Bounds;
use renderer_geometry::Mesh;

/// Maximum number of diagnostics that are collected: references repeat mistakes.
const MAX_ERRORS: usize = 200;

/// An element of the scene.
pub(super) type Element<'a> = Node<'a, 'a>;

/// Document and options, and the output so far.
pub(super) struct Reader<'a> {
    pub(super) options: &'a SceneImportOptions,
    pub(super) sources: SourceMap,
    /// Span of the source.
    pub(super) whole: Span,
    /// Content of the file with arrays, if there is one.
    pub(super) binary: Option<Vec<u8>>,
    pub(super) budget: Budget,
    pub(super) diagnostics: Diagnostics,
    /// Names of elements that are not read and have been reported.
    pub(super) reported: FxHashSet<String>,
    /// Elements by id, for references.
    pub(super) ids: FxHashMap<&'a str, Element<'a>>,
    /// Names of materials by id.
    pub(super) materials: FxHashMap<&'a str, String>,
    /// Geometry that has been read; `None` after an error.
    pub(super) geometries: FxHashMap<NodeId, Option<Geometry>>,
    /// Number of elements that were visited, several times by references.
    pub(super) visited: usize,
    /// Bounds of the shapes.
    pub(super) bounds: Bounds,
    pub(super) names: Names,
    pub(super) meshes: Vec<(String, Mesh)>,
    pub(super) declarations: Vec<Declaration>,
}

/// Geometry of an element, for each of its places.
pub(super) struct Geometry {
    /// Declaration without name and transform.
    pub(super) shape: Declaration,
    pub(super) bounds: Bounds,
    /// Number of points in the declaration.
    pub(super) points: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn error(&mut self, element: Element<'a>, message: impl Into<String>) {
        if self.diagnostics.list.len() < MAX_ERRORS {
            let place = span_of_tag(element, self.whole);
            self.diagnostics.push(Diagnostic::error(message).at(&self.sources, place, ""));
        }
    }

    /// Reports what is not read: once for each kind, a warning, or an error in strict mode.
    pub(super) fn missing(&mut self, element: Element<'a>, what: &str) {
        if self.reported.insert(what.to_owned()) {
            let message = format!("{what} is not read");
            let place = span_of_tag(element, self.whole);
            let diagnostic = match self.options.strict {
                true => Diagnostic::error(message),
                false => Diagnostic::warning(message),
            };
            self.diagnostics.push(diagnostic.at(&self.sources, place, ""));
        }
    }

    pub(super) fn declare(&mut self, mut declaration: Declaration, element: Element<'a>) {
        declaration.set_span(span_of_tag(element, self.whole));
        self.declarations.push(declaration);
    }

    /// A declaration with a unique name: that of the element, or `name`.
    pub(super) fn named(&mut self, keyword: &str, element: Element<'a>, name: &str) -> Declaration {
        let own = element.attribute("name").filter(|name| !name.is_empty());
        Declaration::named(keyword, self.names.unique(own.unwrap_or(name)))
    }
}
