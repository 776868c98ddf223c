//! Mitsuba 3's scenes, as the text of a Kiln scene and the meshes that it names.
//!
//! The text is read like any other scene, so that a scene renders the same whether it is read or converted. Files are
//! read in two steps: [`reader`] makes objects of elements and knows no meaning; the others, named after Mitsuba's
//! families of plugins, translate objects. What Kiln does not have is told once, with its place, and something stands in
//! for it.
//!
//! Conventions that differ are stated where they are converted: cameras in [`sensor`], texture coordinates in
//! [`texture`], sides of surfaces in [`bsdf`], environment maps in [`emitter`].
// Facts about the format are those of Mitsuba 3.9 (Jakob et al. 2022, "Mitsuba 3 renderer").

mod bsdf;
mod color;
mod document;
mod element;
mod emitter;
mod mesh;
mod object;
mod reader;
mod sensor;
mod shape;
mod sky;
mod texture;
mod upgrade;
mod write;

use std::ops::Range;
use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};
use shading::{Diagnostic, Diagnostics, Passage, Severity, Span};

use self::document::{Document, ObjectId};
use self::reader::read_document;
use super::model::Names;
use crate::geometry::Mesh;

/// What a user may say about a scene of Mitsuba's.
#[derive(Clone, Debug, Default)]
pub struct MitsubaOptions {
    /// Values of parameters (`$name`).
    pub defines: Vec<(String, String)>,
    /// Whether what Kiln does not have is an error.
    pub strict: bool,
    /// The folder for meshes and copies of images, beside the scene that is written; images are named where they are
    /// when there is none.
    pub folder: Option<String>,
}

/// A scene as text.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The scene in Kiln's language; names of files are relative to the folder of the scene file, or absolute.
    pub text: String,
    /// Which of its declarations come from where.
    pub passages: Vec<Passage>,
    /// The meshes that it names, by the names that it has for them.
    pub meshes: Vec<(String, Mesh)>,
    /// The images that it names, by the names that it has for them, and where they are.
    pub images: Vec<(String, PathBuf)>,
    /// The files that were read.
    pub files: Vec<PathBuf>,
    /// What the scene has that Kiln does not show.
    pub warnings: Diagnostics,
}

/// Translates a scene file.
///
/// # Errors
/// All mistakes of the file, each with its place.
pub fn translate(path: &Path, options: &MitsubaOptions) -> Result<Translation, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let Some(document) = read_document(path, &options.defines, &mut diagnostics) else {
        return Err(diagnostics);
    };
    let mut translator = Translator {
        document: &document,
        diagnostics: &mut diagnostics,
        strict: options.strict,
        source_folder: path.parent().unwrap_or(Path::new("")).to_owned(),
        folder: options.folder.clone(),
        asked: FxHashSet::default(),
        translated: vec![],
        seen: FxHashSet::default(),
        names: Names::default(),
        file_names: Names::default(),
        materials: FxHashMap::default(),
        lookups: 0,
        meshes: mesh::Meshes::default(),
        images: vec![],
        traces_particles: false,
        size: 0,
        sections: Sections::default(),
    };
    translator.scene();
    translator.report_unasked();
    let Translator {
        sections,
        meshes,
        images,
        ..
    } = translator;
    if diagnostics.has_errors() {
        diagnostics
            .list
            .retain(|diagnostic| diagnostic.severity == Severity::Error);
        return Err(diagnostics);
    }
    let (meshes, mesh_files) = meshes.finish();
    let (text, origins) = sections.text(path);
    let passages = (origins.into_iter())
        .map(|(range, place)| Passage {
            range: range.start as u32..range.end as u32,
            source: document.sources.get(place.source).clone(),
            place: place.start..place.end,
        })
        .collect();
    let mut files = document.files;
    files.extend(mesh_files);
    Ok(Translation {
        text,
        passages,
        meshes,
        images,
        files,
        warnings: diagnostics,
    })
}

/// The state of a translation.
struct Translator<'a> {
    document: &'a Document,
    diagnostics: &'a mut Diagnostics,
    strict: bool,
    /// Of the scene file.
    source_folder: PathBuf,
    /// Of the files that are written.
    folder: Option<String>,
    /// The properties that were asked for, by object and index.
    asked: FxHashSet<(ObjectId, usize)>,
    /// The objects that were looked at, each once.
    translated: Vec<ObjectId>,
    seen: FxHashSet<ObjectId>,
    names: Names,
    /// Of files that are written, without extensions.
    file_names: Names,
    /// The names of materials by what they are made of.
    materials: FxHashMap<shape::MaterialKey, shape::MaterialName>,
    /// How often a texture was asked for its coordinates.
    lookups: usize,
    meshes: mesh::Meshes,
    images: Vec<(String, PathBuf)>,
    /// Whether Mitsuba renders the scene by particles from the lights.
    traces_particles: bool,
    /// How much was written for materials [bytes].
    size: usize,
    sections: Sections,
}

/// The parts of the text.
#[derive(Default)]
struct Sections {
    settings: Section,
    cameras: Section,
    lights: Section,
    materials: Section,
    shapes: Section,
}

/// Declarations of a kind, and where each comes from.
#[derive(Default)]
struct Section {
    text: String,
    origins: Vec<(Range<usize>, Span)>,
}

impl Section {
    /// Adds the text of what stands at `place`.
    fn push(&mut self, text: &str, place: Span) {
        let start = self.text.len();
        self.text.push_str(text);
        self.origins.push((start..self.text.len(), place));
    }
}

impl Sections {
    fn text(&self, path: &Path) -> (String, Vec<(Range<usize>, Span)>) {
        let name = path
            .file_name()
            .unwrap_or(path.as_os_str())
            .to_string_lossy()
            .replace(['\n', '\r'], " ");
        let mut text = format!("// From {name}, a scene of Mitsuba 3.\n");
        let mut origins = vec![];
        for section in [
            &self.settings,
            &self.cameras,
            &self.lights,
            &self.materials,
            &self.shapes,
        ] {
            if !section.text.is_empty() {
                text.push('\n');
                let start = text.len();
                let moved =
                    |(range, place): &(Range<usize>, Span)| (range.start + start..range.end + start, *place);
                origins.extend(section.origins.iter().map(moved));
                text.push_str(&section.text);
            }
        }
        (text, origins)
    }
}

impl Translator<'_> {
    /// Notes that an object is looked at, so that what nobody asks it for is told.
    fn look_at(&mut self, id: ObjectId) {
        if self.seen.insert(id) {
            self.translated.push(id);
        }
    }

    fn scene(&mut self) {
        let root = ObjectId(0);
        self.look_at(root);
        let integrators = self.parts(root, "integrator");
        if let Some(&integrator) = integrators.last() {
            self.traces_particles = self.object(integrator).plugin == "ptracer";
            self.integrator(integrator);
        }
        let sensors = self.parts(root, "sensor");
        for (index, &sensor) in sensors.iter().enumerate() {
            self.sensor(sensor, index == 0);
        }
        if sensors.is_empty() {
            let message = "the scene has no sensor";
            self.say(Diagnostic::warning(message), self.document.root().place);
        }
        for emitter in self.parts(root, "emitter") {
            self.emitter(emitter);
        }
        for shape in self.parts(root, "shape") {
            self.shape(shape);
        }
    }
}
