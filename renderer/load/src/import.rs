//! Imports of scene files: parses imported texts, and reads each model once, in parallel.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Affine3A;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use shading::syntax::ast::{Declaration, Entry, EntryValue, ExprKind, Item};
use shading::{Source, Span};

use super::context::{LoadContext, read_failure};
use super::shape_block::MeshEdits;
use super::table::{DeclarationPart, takes_only};
use super::vertex_keys::named_files;
use renderer_geometry::Mesh;
use renderer_import::{self as import, Model, ModelOptions, Playback, SceneFormat, stem};
use renderer_scene::ShaderFile;

/// Content of a scene's texts, in the order of the text.
#[derive(Default)]
pub(super) struct Texts {
    /// Declarations except imports of texts.
    pub(super) declarations: Vec<Declaration>,
    pub(super) shaders: Vec<ShaderFile>,
    /// Directories of the texts, without repetitions.
    pub(super) directories: Vec<PathBuf>,
    /// Files being read, outermost first; detects import cycles.
    open: Vec<PathBuf>,
    done: FxHashSet<PathBuf>,
}

impl Texts {
    /// Creates an empty list for declarations without a text, with file names relative to `directory`.
    pub(super) fn of(directory: &Path) -> Texts {
        Texts { directories: vec![directory.to_owned()], ..Texts::default() }
    }

    /// Reads the text at `path` and its imports; `named_at` is the span of the import that names it.
    pub(super) fn read(&mut self, path: &Path, named_at: Option<Span>, context: &mut LoadContext) {
        let identity = context.file_system.identity(path);
        if self.open.contains(&identity) {
            self.report_cycle(&identity, path, named_at, context);
            return;
        }
        if !self.done.insert(identity.clone()) {
            return;
        }
        let text = match context.file_system.source_text(path).map_err(|error| read_failure(&error)) {
            Ok(text) => text,
            Err(reason) => {
                let message = format!("cannot read {}: {reason}", path.display());
                let diagnostic = match named_at {
                    Some(span) => context.error_at(span, message),
                    None => shading::Diagnostic::error(message),
                };
                context.push(diagnostic);
                return;
            }
        };
        context.files.push(path.to_owned());
        self.open.push(identity);
        let directory = path.parent().unwrap_or(Path::new("")).to_owned();
        self.read_source(Source::new(path.display().to_string(), text), &directory, context);
        self.open.pop();
    }

    /// Reads a text in which file names are relative to `directory`.
    pub(super) fn read_source(&mut self, source: Arc<Source>, directory: &Path, context: &mut LoadContext) {
        if !self.directories.iter().any(|known| known == directory) {
            self.directories.push(directory.to_owned());
        }
        let (id, mut file) = context.parse(source, directory);
        let mut shaders = vec![];
        for item in file.items {
            match item {
                Item::Declaration(declaration) => self.declaration(declaration, context),
                shader => shaders.push(shader),
            }
        }
        file.items = shaders;
        if !file.items.is_empty() {
            self.shaders.push(ShaderFile { source: id, file: Arc::new(file) });
        }
    }

    fn declaration(&mut self, declaration: Declaration, context: &mut LoadContext) {
        if declaration.keyword.text != "import" {
            self.declarations.push(declaration);
            return;
        }
        let Some((name, span)) = imported_file(&declaration, context) else {
            return;
        };
        match ImportKind::of(Path::new(&name)) {
            Some(ImportKind::Model) => self.declarations.push(declaration),
            Some(ImportKind::Text) => {
                takes_only(&declaration, &[DeclarationPart::Name], context);
                if let Some(path) = context.existing_file(span, &name) {
                    self.read(&path, Some(span), context);
                }
            }
            Some(ImportKind::Scene(_)) | None => {
                let diagnostic = context
                    .error_at(
                        span,
                        format!("cannot import `{name}`: no format that is read has that extension"),
                    )
                    .hint(
                        "scenes are .kiln (`kiln convert` makes one of Mitsuba's .xml), shaders .ksl, .osl and .tsl, models \
                         .glb, .gltf, .ply, .obj, .stl and .serialized",
                    );
                context.push(diagnostic);
            }
        }
    }

    fn report_cycle(&self, identity: &Path, path: &Path, named_at: Option<Span>, context: &mut LoadContext) {
        let name = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let from = self.open.iter().position(|open| open == identity).unwrap_or(0);
        let mut chain: Vec<String> = self.open[from..].iter().map(|open| name(open)).collect();
        chain.push(name(path));
        let message = format!("import cycle: {}", chain.join(" -> "));
        let diagnostic = match named_at {
            Some(span) => context.error_at(span, message),
            None => shading::Diagnostic::error(message),
        };
        context.push(diagnostic);
    }
}

/// Kinds of files that can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImportKind {
    Text,
    Model,
    /// Scene in another format.
    Scene(SceneFormat),
}

impl ImportKind {
    pub(super) fn of(path: &Path) -> Option<ImportKind> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "kiln" | "ksl" | "osl" | "tsl" => Some(ImportKind::Text),
            model if import::MODELS.contains(&model) => Some(ImportKind::Model),
            _ => SceneFormat::of(path).map(ImportKind::Scene),
        }
    }
}

/// Returns whether a shape uses one mesh of a file of this format instead of all.
pub(super) fn has_parts(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("serialized"))
}

/// File name of an `import`, with its span.
pub(super) fn imported_file(declaration: &Declaration, context: &mut LoadContext) -> Option<(String, Span)> {
    match &declaration.target {
        Some(path) if path.parts.len() == 1 && path.parts[0].quoted => {
            Some((path.parts[0].text.clone(), path.span))
        }
        _ => {
            let diagnostic = context
                .error_at(declaration.span, "`import` takes the name of a file in quotes")
                .hint("as in `import \"shaderball.glb\" as ball;`");
            context.push(diagnostic);
            None
        }
    }
}

/// Models by path; `None` for a model that could not be read, which has been reported.
#[derive(Default)]
pub(super) struct Models {
    list: FxHashMap<PathBuf, Option<Arc<Model>>>,
    /// Meshes edited by shapes, so that shapes with equal edits of one mesh are instances.
    edited: FxHashMap<EditedMesh, Arc<Mesh>>,
}

/// Key of an edited mesh: file, index of the mesh in it, edits, and the bits of the object-to-world transform.
type EditedMesh = (PathBuf, usize, MeshEdits, [u32; 12]);

impl Models {
    /// Reads all models that declarations name, in parallel.
    pub(super) fn read_all(
        &mut self,
        declarations: &[Declaration],
        playback: Option<Playback<'_>>,
        context: &mut LoadContext,
    ) {
        let mut named: Vec<(PathBuf, Span)> = vec![];
        for (name, span) in declarations.iter().flat_map(model_files) {
            let path = context.resolve(span, name);
            if ImportKind::of(&path) == Some(ImportKind::Model)
                && !self.list.contains_key(&path)
                && !named.iter().any(|(known, _)| *known == path)
                && context.existing_file(span, name).is_some()
            {
                named.push((path, span));
            }
        }
        let files = &context.file_system;
        let keeps_faces = declarations.iter().any(is_tessellated);
        let options = ModelOptions { playback, keeps_faces };
        let read = |(path, _): &(PathBuf, Span)| import::read_model_from(files, path, &options);
        let models: Vec<_> = named.par_iter().map(read).collect();
        for ((path, span), model) in named.into_iter().zip(models) {
            let model = match model {
                Ok(model) => {
                    context.files.extend(model.read_or_named());
                    for warning in &model.warnings {
                        context.warning(span, format!("{}: {warning}", path.display()));
                    }
                    Some(Arc::new(model))
                }
                Err(error) => {
                    let diagnostic = context.error_at(span, error.to_string());
                    context.push(error.hinted(diagnostic));
                    None
                }
            };
            self.list.insert(path, model);
        }
    }

    /// Adds a model that has been read already.
    pub(super) fn insert(&mut self, path: PathBuf, model: Arc<Model>) {
        self.list.insert(path, Some(model));
    }

    /// Mesh of a file with the edits of a shape.
    pub(super) fn edited(
        &mut self,
        path: &Path,
        index: usize,
        mesh: &Arc<Mesh>,
        edits: MeshEdits,
        world_from_object: &Affine3A,
    ) -> Arc<Mesh> {
        if edits == MeshEdits::default() {
            return mesh.clone();
        }
        // Only smooth normals depend on the transform.
        let place = if edits.smooth {
            world_from_object.to_cols_array()
        } else {
            [0.0; 12]
        };
        self.edited
            .entry((path.to_owned(), index, edits, place.map(f32::to_bits)))
            .or_insert_with(|| Arc::new(edits.of(mesh, world_from_object)))
            .clone()
    }

    /// Returns whether a model is that of a frame: see [`Model::has_animated_values`].
    pub(super) fn have_animated_values(&self) -> bool {
        self.list.values().flatten().any(|model| model.has_animated_values)
    }

    /// Model of a path, if it could be read.
    pub(super) fn get(&self, path: &Path) -> Option<Arc<Model>> {
        self.list.get(path).cloned().flatten()
    }
}

/// Returns whether a declaration asks for subdivision or displacement.
fn is_tessellated(declaration: &Declaration) -> bool {
    let names = ["subdivision", "displacement"];
    declaration
        .body
        .iter()
        .flatten()
        .any(|entry| names.contains(&entry.key.joined().as_str()))
}

/// Model files named by an import, or by a mesh and its keys.
fn model_files(declaration: &Declaration) -> Vec<(&str, Span)> {
    let mut files: Vec<(&str, Span)> = model_file(declaration).into_iter().collect();
    let entries = declaration.body.iter().flatten().filter(|_| is_mesh(declaration));
    for entry in entries.filter(|entry| entry.key.joined() == "keys") {
        if let EntryValue::Expr(expr) = &entry.value {
            files.extend(named_files(expr));
        }
    }
    files
}

fn is_mesh(declaration: &Declaration) -> bool {
    declaration.keyword.text == "shape" && declaration.kind.as_ref().is_some_and(|kind| kind.text == "mesh")
}

/// Model file named by an import or by a mesh.
pub(super) fn model_file(declaration: &Declaration) -> Option<(&str, Span)> {
    match declaration.keyword.text.as_str() {
        "import" => {
            let part = declaration.target.as_ref()?.parts.first()?;
            Some((&part.text, part.span))
        }
        "shape" if is_mesh(declaration) => {
            let is_file = |entry: &&Entry| entry.key.joined() == "file";
            match &declaration.body.as_ref()?.iter().find(is_file)?.value {
                EntryValue::Expr(expr) => match &expr.kind {
                    ExprKind::String(name) => Some((name, expr.span)),
                    _ => None,
                },
                EntryValue::Block { .. } => None,
            }
        }
        _ => None,
    }
}

/// Name of an import without `as`: the file name as an identifier.
pub(super) fn alias_of(path: &Path) -> String {
    let word: String = stem(path)
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        word
    } else {
        format!("_{word}")
    }
}
