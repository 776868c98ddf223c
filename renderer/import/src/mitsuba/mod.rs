//! Mitsuba 3 importer: translates an XML scene to the declarations and meshes of a Kiln scene.
//!
//! The declarations are processed like those of any other scene, so that a scene renders the same whether it is loaded
//! directly or converted. Each has the source location of its element. There are two steps: [`reader`] parses elements
//! to objects without interpreting them; the other modules, named after Mitsuba's plugin types, translate objects.
//! Unsupported features are reported once, with their location, and replaced by a substitute.
//!
//! Differences in conventions are stated where they are converted: cameras in [`sensor`], texture coordinates in
//! [`texture`], sides of surfaces in [`bsdf`], environment maps in [`emitter`].
// Facts about the format refer to Mitsuba 3.9 (Jakob et al. 2022, "Mitsuba 3 renderer").

mod bsdf;
mod color;
mod document;
mod element;
mod emitter;
mod medium;
mod mesh;
mod mesh_files;
mod object;
mod phase;
mod phase_table;
mod reader;
mod sensor;
mod shape;
mod sky;
mod texture;
mod translator;
mod upgrade;
mod volume;

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use shading::{Diagnostic, Diagnostics, Severity};

use self::document::ObjectId;
use self::mesh_files::Meshes;
use self::reader::read_document;
use self::translator::Translator;
use super::model::Names;
use super::scene_import::{SceneImport, SceneImportOptions};
use renderer_base::files::SharedFiles;

/// Translates a scene file.
///
/// # Errors
/// All errors of the file, each with its location.
pub(crate) fn translate(
    files: &SharedFiles,
    path: &Path,
    options: &SceneImportOptions,
) -> Result<SceneImport, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let Some(document) = read_document(files, path, &options.defines, &mut diagnostics) else {
        return Err(diagnostics);
    };
    let mut translator = Translator {
        document: &document,
        diagnostics: &mut diagnostics,
        strict: options.strict,
        source_folder: path.parent().unwrap_or(Path::new("")).to_owned(),
        folder: options.folder.clone(),
        used_properties: FxHashSet::default(),
        translated: vec![],
        seen: FxHashSet::default(),
        names: Names::default(),
        file_names: Names::default(),
        materials: FxHashMap::default(),
        lookups: 0,
        attributes: vec![],
        meshes: Meshes::default(),
        images: vec![],
        outside: None,
        fillings: FxHashSet::default(),
        traces_particles: false,
        size: 0,
        declarations: vec![],
    };
    translator.scene();
    translator.report_unused_properties();
    let Translator { mut declarations, meshes, images, .. } = translator;
    if diagnostics.has_errors() {
        diagnostics.list.retain(|diagnostic| diagnostic.severity == Severity::Error);
        return Err(diagnostics);
    }
    let (meshes, mesh_files) = meshes.finish();
    declarations.sort_by_key(|declaration| section(&declaration.keyword.text));
    let mut files = document.files;
    files.extend(mesh_files);
    Ok(SceneImport {
        program: "Mitsuba 3",
        declarations,
        sources: document.sources,
        meshes,
        images,
        files,
        warnings: diagnostics,
    })
}

/// Position of a keyword's declarations in the scene.
fn section(keyword: &str) -> Option<usize> {
    let order = ["scene", "integrator", "film", "sampler", "camera", "light", "material", "shape"];
    order.iter().position(|known| *known == keyword)
}

impl Translator<'_> {
    fn scene(&mut self) {
        let root = ObjectId(0);
        self.mark_translated(root);
        self.find_media();
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
        self.all_around();
        self.meshes.parse_all(self.document);
        for shape in self.parts(root, "shape") {
            self.shape(shape);
        }
    }
}
