//! XML reader: parses Mitsuba scene files to documents. Errors are collected with their location; objects are not
//! interpreted.

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};
use shading::{Diagnostic, Diagnostics, Source, Span};

use super::document::{Document, Object, ObjectId, Property, PropertyValue};
use super::element::Element;
use super::upgrade;
use crate::xml::{self, span_of_tag};
use renderer_base::files::{Budget, FileKind, SharedFiles};

mod parameters;
mod references;
mod values;

use parameters::Parameters;

/// Maximum depth of included files, as in Mitsuba.
const MAX_DEPTH: usize = 15;
/// Maximum number of included files and of objects of a scene: larger numbers come from files that copy themselves.
const MAX_FILES: usize = 1000;
const MAX_OBJECTS: usize = xml::MAX_NODES as usize;
/// Maximum number of errors that are collected.
const MAX_ERRORS: usize = 200;

/// Reads a scene file; `defines` are the parameters of the command line.
///
/// # Errors
/// All errors in the text, each with its location.
pub(super) fn read_document(
    file_system: &SharedFiles,
    path: &Path,
    defines: &[(String, String)],
    diagnostics: &mut Diagnostics,
) -> Option<Document> {
    let mut reader = Reader {
        document: Document { file_system: file_system.clone(), ..Document::default() },
        diagnostics,
        parameters: Parameters::new(defines),
        ids: FxHashMap::default(),
        depth: 0,
        is_old: false,
        read: FxHashSet::default(),
        budget: Budget::new(0),
        is_over_budget: false,
    };
    reader.read_file(path, None, None);
    if reader.document.objects.is_empty() || reader.diagnostics.has_errors() {
        return None;
    }
    reader.follow_references();
    reader.report_unused();
    (!reader.diagnostics.has_errors()).then_some(reader.document)
}

struct Reader<'a> {
    document: Document,
    diagnostics: &'a mut Diagnostics,
    parameters: Parameters,
    ids: FxHashMap<String, ObjectId>,
    depth: usize,
    /// True if the current file uses names of versions before 2.
    is_old: bool,
    /// Files that were read.
    read: FxHashSet<PathBuf>,
    /// Bound of repeated files.
    budget: Budget,
    is_over_budget: bool,
}

/// Time of a byte of a scene file, in bytes of other data.
const FILE_COST: usize = 8;

/// Elements that create objects.
const OBJECTS: &[&str] = &[
    "scene",
    "bsdf",
    "emitter",
    "film",
    "integrator",
    "medium",
    "phase",
    "rfilter",
    "sampler",
    "sensor",
    "shape",
    "texture",
    "volume",
];
const OTHERS: &[&str] = &[
    "alias",
    "boolean",
    "default",
    "float",
    "include",
    "integer",
    "path",
    "point",
    "ref",
    "rgb",
    "spectrum",
    "string",
    "transform",
    "vector",
];

impl Reader<'_> {
    fn error(&mut self, place: Span, message: impl Into<String>) {
        if self.diagnostics.list.len() < MAX_ERRORS {
            let diagnostic = Diagnostic::error(message).at(&self.document.sources, place, "");
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reads a file and adds its outermost element to `parent` under `name`.
    fn read_file(&mut self, path: &Path, parent: Option<(ObjectId, String)>, named_at: Option<Span>) {
        let fail = |reader: &mut Self, message: String| match named_at {
            Some(place) => reader.error(place, message),
            None => reader.diagnostics.push(Diagnostic::error(message)),
        };
        if self.depth >= MAX_DEPTH {
            return fail(self, format!("files include each other more than {MAX_DEPTH} deep"));
        }
        if self.document.files.len() >= MAX_FILES {
            return fail(self, format!("more than {MAX_FILES} files are included"));
        }
        let text = match xml::read(&*self.document.file_system, path) {
            Ok(text) => text,
            Err(reason) => return fail(self, reason),
        };
        if self.read.insert(self.document.file_system.identity(path)) {
            self.budget.add_file(text.len());
        }
        if let Err(excess) = self.budget.decode("included files", text.len(), FILE_COST) {
            // Further files fail as well.
            if !std::mem::replace(&mut self.is_over_budget, true) {
                fail(self, format!("{}: {excess}", path.display()));
            }
            return;
        }
        let source = Source::new(path.display().to_string(), text);
        let source_id = self.document.sources.add(source.clone());
        self.document.files.push(path.to_owned());
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        if !self.document.folders.contains(&folder) {
            self.document.folders.push(folder);
        }
        let whole = Span { source: source_id, start: 0, end: 0 };
        let document = match xml::parse(&source, whole) {
            Ok(document) => document,
            Err((place, reason)) => return self.error(place, reason),
        };
        let root = document.root_element();
        let place = span_of_tag(root, whole);
        let version = root.attribute("version");
        let major = version.and_then(upgrade::major);
        match (version, major) {
            (None, _) => self.error(place, "the outermost element has no `version`"),
            (Some(version), None) => {
                self.error(place, format!("`{version}` is not a version: it is numbers, such as 3.0.0"));
            }
            (Some(_), Some(_)) => {}
        }
        let is_old = std::mem::replace(&mut self.is_old, major.is_some_and(upgrade::is_old));
        self.depth += 1;
        match parent {
            // The content of an included scene is merged into the scene that includes it.
            Some((parent, _)) if root.tag_name().name() == "scene" => self.read_children(root, parent, whole),
            Some((parent, name)) => {
                if let Some(id) = self.read_object(root, whole) {
                    self.add_property(parent, name, PropertyValue::Object(id), place);
                }
            }
            None if root.tag_name().name() == "scene" => {
                self.read_object(root, whole);
            }
            None => self.error(
                place,
                format!("a scene file begins with <scene>, not <{}>", root.tag_name().name()),
            ),
        }
        self.depth -= 1;
        self.is_old = is_old;
    }

    fn add_property(&mut self, parent: ObjectId, name: String, value: PropertyValue, place: Span) {
        let object = &mut self.document.objects[parent.0 as usize];
        object.properties.push(Property { name, value, place });
    }

    /// Reads an element's attributes; reports missing and unknown attributes, and unknown parameters.
    fn element<'x>(
        &mut self,
        node: roxmltree::Node<'x, '_>,
        file: Span,
        required: &[&str],
        optional: &[&str],
    ) -> Option<Element<'x>> {
        let place = span_of_tag(node, file);
        let mut attributes = vec![];
        let mut fine = true;
        for attribute in node.attributes() {
            let name = attribute.name();
            if !required.contains(&name) && !optional.contains(&name) {
                let message = format!("<{}> has no attribute `{name}`", node.tag_name().name());
                let known = required.iter().chain(optional).copied();
                let diagnostic = Diagnostic::error(message)
                    .at(&self.document.sources, place, "")
                    .nearest(name, known);
                self.diagnostics.push(diagnostic);
                fine = false;
                continue;
            }
            match self.parameters.put_into(attribute.value()) {
                Ok(value) => attributes.push((name, value)),
                Err(unknown) => {
                    let diagnostic = Diagnostic::error(format!("there is no parameter `${unknown}`"))
                        .at(&self.document.sources, place, "")
                        .nearest(&unknown, self.parameters.names())
                        .hint("give it a value by `<default name=… value=…/>` before, or by `--define NAME=VALUE`");
                    self.diagnostics.push(diagnostic);
                    fine = false;
                }
            }
        }
        for &name in required {
            if fine && !node.has_attribute(name) {
                self.error(place, format!("<{}> needs the attribute `{name}`", node.tag_name().name()));
                fine = false;
            }
        }
        fine.then_some(Element { name: node.tag_name().name(), place, attributes })
    }

    /// Reads an element that creates an object.
    fn read_object(&mut self, node: roxmltree::Node<'_, '_>, file: Span) -> Option<ObjectId> {
        let is_root = node.tag_name().name() == "scene" || node.has_attribute("version");
        let required: &[&str] = if is_root { &[] } else { &["type"] };
        let element = self.element(node, file, required, &["type", "id", "name", "version"])?;
        if self.document.objects.len() >= MAX_OBJECTS {
            self.error(element.place, format!("a scene cannot have more than {MAX_OBJECTS} objects"));
            return None;
        }
        let id = ObjectId(self.document.objects.len() as u32);
        let name = element.get("id").filter(|name| !name.is_empty()).map(str::to_owned);
        self.document.objects.push(Object {
            tag: element.name.to_owned(),
            plugin: element.get("type").unwrap_or("scene").to_owned(),
            id: name.clone(),
            name: name
                .clone()
                .or_else(|| element.get("name").filter(|name| !name.is_empty()).map(str::to_owned)),
            properties: vec![],
            place: element.place,
            is_old: self.is_old,
        });
        if let Some(name) = name {
            self.declare(name, id, element.place);
        }
        self.read_children(node, id, file);
        if self.is_old {
            upgrade::upgrade(&mut self.document.objects[id.0 as usize]);
        }
        Some(id)
    }

    fn declare(&mut self, name: String, id: ObjectId, place: Span) {
        if let Some(first) = self.ids.get(&name) {
            let first = self.document.object(*first).place;
            let diagnostic = Diagnostic::error(format!("there are two objects `{name}`"))
                .at(&self.document.sources, place, "")
                .at(&self.document.sources, first, "the other");
            self.diagnostics.push(diagnostic);
        } else {
            self.ids.insert(name, id);
        }
    }

    fn read_children(&mut self, node: roxmltree::Node<'_, '_>, parent: ObjectId, file: Span) {
        for child in node.children() {
            if child.is_element() {
                // The nesting depth of elements is limited only by the length of the file.
                stacker::maybe_grow(64 << 10, 1 << 20, || self.read_child(child, parent, file));
            } else if let Some(text) =
                child.text().map(str::trim).filter(|text| child.is_text() && !text.is_empty())
            {
                let place = Span {
                    start: child.range().start as u32,
                    end: child.range().end as u32,
                    ..file
                };
                let start = text.lines().next().unwrap_or_default();
                self.error(place, format!("text between elements means nothing: `{start}`"));
            }
        }
    }

    fn read_child(&mut self, node: roxmltree::Node<'_, '_>, parent: ObjectId, file: Span) {
        let tag = node.tag_name().name();
        let is_object = OBJECTS.contains(&tag) || (tag == "spectrum" && node.has_attribute("type"));
        if is_object {
            let name = node.attribute("name").unwrap_or_default().to_owned();
            if let Some(id) = self.read_object(node, file) {
                let place = self.document.object(id).place;
                self.add_property(parent, name, PropertyValue::Object(id), place);
            }
            return;
        }
        if tag != "transform"
            && let Some(inner) = node.children().find(roxmltree::Node::is_element)
        {
            let place = span_of_tag(inner, file);
            self.error(place, format!("<{}> cannot stand in <{tag}>", inner.tag_name().name()));
            return;
        }
        match tag {
            "default" => self.read_default(node, file),
            "alias" => self.read_alias(node, file),
            "include" => self.read_include(node, parent, file),
            "path" => self.read_path(node, parent, file),
            "ref" => {
                if let Some(element) = self.element(node, file, &["id"], &["name"]) {
                    let name = element.get("name").unwrap_or_default().to_owned();
                    let id = element.get("id").unwrap_or_default().to_owned();
                    self.add_property(parent, name, PropertyValue::Reference(id), element.place);
                }
            }
            "transform" => {
                if let Some(element) = self.element(node, file, &["name"], &[]) {
                    let matrix = self.read_transform(node, file);
                    let name = element.get("name").unwrap_or_default().to_owned();
                    self.add_property(parent, name, PropertyValue::Transform(matrix), element.place);
                }
            }
            _ if OTHERS.contains(&tag) => self.read_value(node, parent, file),
            _ => {
                let place = span_of_tag(node, file);
                let diagnostic = Diagnostic::error(format!("unknown element <{tag}>"))
                    .at(&self.document.sources, place, "")
                    .nearest(tag, OBJECTS.iter().chain(OTHERS).copied());
                self.diagnostics.push(diagnostic);
            }
        }
    }

    fn read_default(&mut self, node: roxmltree::Node<'_, '_>, file: Span) {
        let Some(element) = self.element(node, file, &["name", "value"], &[]) else {
            return;
        };
        let name = element.get("name").unwrap_or_default();
        if name.is_empty() {
            return self.error(element.place, "a parameter needs a name");
        }
        self.parameters.set_default(name, element.get("value").unwrap_or_default());
    }

    fn read_alias(&mut self, node: roxmltree::Node<'_, '_>, file: Span) {
        let Some(element) = self.element(node, file, &["id", "as"], &[]) else {
            return;
        };
        let (id, name) = (element.get("id").unwrap_or_default(), element.get("as").unwrap_or_default());
        match self.ids.get(id) {
            Some(&object) => self.declare(name.to_owned(), object, element.place),
            None => self.report_unknown(id, element.place),
        }
    }

    fn read_include(&mut self, node: roxmltree::Node<'_, '_>, parent: ObjectId, file: Span) {
        let Some(element) = self.element(node, file, &["filename"], &["name"]) else {
            return;
        };
        let own = Path::new(&self.document.sources.get(file.source).name)
            .parent()
            .map(Path::to_owned);
        let name = element.get("filename").unwrap_or_default();
        let path = own
            .map(|folder| folder.join(name))
            .filter(|path| self.document.file_system.kind(path).is_ok());
        let path = path.unwrap_or_else(|| self.document.resolve(name));
        let argument = element.get("name").unwrap_or_default().to_owned();
        self.read_file(&path, Some((parent, argument)), Some(element.place));
    }

    fn read_path(&mut self, node: roxmltree::Node<'_, '_>, parent: ObjectId, file: Span) {
        let Some(element) = self.element(node, file, &["value"], &[]) else {
            return;
        };
        if parent.0 != 0 {
            return self.error(element.place, "<path> stands in <scene> itself");
        }
        let path = self.document.resolve(element.get("value").unwrap_or_default());
        if self.document.file_system.kind(&path).is_ok_and(|kind| kind == FileKind::Folder) {
            self.document.folders.insert(0, path);
        } else {
            self.error(element.place, format!("there is no folder {}", path.display()));
        }
    }

    fn report_unused(&mut self) {
        for name in self.parameters.unused() {
            let message = format!("`--define {name}=…`: the scene has no `${name}`");
            self.diagnostics.push(Diagnostic::warning(message));
        }
    }
}
