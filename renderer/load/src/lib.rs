//! Scene loading: parses a scene file (or creates a scene for a model) into a description. All errors are reported
//! together, each with its location; a scene with an error is not loaded.
//!
//! Steps: parse the file and its imported texts (`import`), or create the declarations of a scene in another format or of a
//! bare model (`model`); apply overrides of the command line (`overrides`); read models in parallel and declare their
//! materials; evaluate each declaration by the key table of its block (`film`, `camera`, `light`, `shape`, `material`);
//! resolve names (`builder`, `place`, `resolve`).

#![deny(unsafe_code, missing_docs)]
// Results must have the same bits with any C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// Units are written in brackets: `[m]`.
#![allow(rustdoc::broken_intra_doc_links, reason = "units stand in brackets")]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

mod attributes;
mod builder;
mod camera;
mod catcher;
mod context;
mod directional;
mod directional_area;
mod environment;
mod expression;
mod field;
mod film;
mod function;
mod group;
mod import;
mod integrator;
mod light;
mod light_links;
mod lighting;
mod luminaire;
mod material;
mod model;
mod motion;
mod overrides;
mod place;
mod playback;
mod point;
mod portal;
mod projector;
mod projector_texture;
mod radiance_map;
mod ray_override;
mod reference;
mod resolve;
mod shape;
mod shape_block;
mod sky;
mod strands;
mod studio;
mod surroundings;
mod table;
mod tessellation;
mod transform;
mod value;
mod values;
mod vertex_keys;

pub use film::pass_error;
pub use lighting::{Lighting, LightingKind};
pub use overrides::Change;
pub use ray_override::add_override;
pub use reference::{Block, reference};
pub use values::{MaterialValue, number, set_value};

use std::path::Path;
use std::sync::Arc;

use shading::syntax::ast::Expr;
use shading::{Diagnostic, Diagnostics, Preprocessor, Source};

use self::builder::Builder;
use self::context::{LoadContext, read_failure};
use self::import::{ImportKind, Models, Texts, alias_of};
use self::overrides::Override;
use self::playback::playback;
use renderer_base::files::{self, SharedFiles};
use renderer_import::{
    AnimationChoice, Model, ModelOptions, Playback, SceneFormat, SceneImportOptions, read_model_from,
};
use renderer_scene::{FrameTime, SceneDesc};

/// User's options for loading a scene.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Changes, each `PATH=VALUE`: `film.size=(64, 64)`, `camera.main.fov=30`, `material.floor.tint=(1, 0, 0)`.
    pub set: Vec<Change>,
    /// Light that replaces the scene's lights, or is added to them.
    pub light: Option<Lighting>,
    /// Animation of imported models; `None` for their rest pose.
    pub animation: Option<AnimationChoice>,
    /// Level of the subdivision of a model; only models have it.
    pub subdivide: Option<u32>,
    /// Frame of the scene; that of its film if `None`.
    pub at: Option<FrameTime>,
    /// Options for scenes in other formats.
    pub import: SceneImportOptions,
    /// File system of the scene; the disk by default.
    pub files: SharedFiles,
    /// Preprocessor of shader sources. It reads included files by its own [`shading::Includes`].
    pub preprocessor: Preprocessor,
    /// Compiles the materials of a scene with other errors, so that shader errors are reported together with these
    /// (`renderer_transport::scene::build::shader_errors`).
    pub shader_errors: Option<fn(&SceneDesc) -> Diagnostics>,
}

/// Loads a scene (`.kiln`, or `.xml` of Mitsuba or Embree) or a model (of `import::MODELS`), for which a scene is created. The
/// diagnostics returned with the description are warnings.
///
/// # Errors
/// All errors of the files, with their locations.
pub fn load(path: &Path, options: &LoadOptions) -> Result<(SceneDesc, Diagnostics), Diagnostics> {
    let kind = ImportKind::of(path);
    if options.subdivide.is_some() && kind.is_some_and(|kind| kind != ImportKind::Model) {
        let error = Diagnostic::error(format!("{}: --subdivide is for models", path.display()));
        let hint = "a scene says it for each mesh or import: `import \"FILE\" { subdivision = catmull_clark; level = 3; }`";
        return Err(error.hint(hint).into());
    }
    match kind {
        Some(ImportKind::Model) => from_model(path, options),
        Some(ImportKind::Scene(format)) => from_import(path, format, options),
        Some(ImportKind::Text) => {
            let mut context = LoadContext::new(options.files.clone(), options.preprocessor.clone());
            let mut texts = Texts::default();
            texts.read(path, None, &mut context);
            finish(path, texts, Models::default(), context, options)
        }
        None => {
            if path == Path::new("-") {
                let diagnostic = Diagnostic::error("scenes are not read from standard input");
                return Err(diagnostic.hint("give the name of a file").into());
            }
            let problem = match options.files.kind(path) {
                Ok(files::FileKind::Folder) => "it is a folder".to_owned(),
                Ok(_) => "not a scene that is read".to_owned(),
                Err(error) => read_failure(&error),
            };
            let diagnostic = Diagnostic::error(format!("{}: {problem}", path.display())).hint(
                "scenes are .kiln files, packs of them (.zip), or .xml of Mitsuba or Embree; models (.glb, .gltf, .ply, .obj, .stl, .serialized) are rendered as \
                     they are",
            );
            Err(diagnostic.into())
        }
    }
}

/// Loads a scene from a text in memory, in which file names are relative to `directory`. Messages call it `name`.
///
/// # Errors
/// As [`load`].
pub fn from_text(
    name: &str,
    text: &str,
    directory: &Path,
    options: &LoadOptions,
) -> Result<(SceneDesc, Diagnostics), Diagnostics> {
    let mut context = LoadContext::new(options.files.clone(), options.preprocessor.clone());
    let mut texts = Texts::default();
    texts.read_source(Source::new(name, text), directory, &mut context);
    finish(Path::new(name), texts, Models::default(), context, options)
}

/// Loads a scene in another format.
///
/// # Errors
/// As [`load`].
fn from_import(
    path: &Path,
    format: SceneFormat,
    options: &LoadOptions,
) -> Result<(SceneDesc, Diagnostics), Diagnostics> {
    let scene = format.import(&options.files, path, &options.import)?;
    let directory = path.parent().unwrap_or(Path::new(""));
    let mut context = LoadContext::new(options.files.clone(), options.preprocessor.clone());
    context.files.extend(scene.files);
    context.diagnostics.list.extend(scene.warnings.list);
    let mut models = Models::default();
    for (name, mesh) in scene.meshes {
        let path = directory.join(name);
        let model = Model::of_mesh(&path, mesh);
        models.insert(path, Arc::new(model));
    }
    // File names are relative to the folder of the scene file, in included files too.
    context.add_sources(&scene.sources, directory);
    let mut texts = Texts::of(directory);
    texts.declarations = scene.declarations;
    finish(path, texts, models, context, options)
}

/// Creates a scene for a model: with the model's first camera or one that frames it, and with its lights or a neutral
/// environment.
///
/// # Errors
/// If the model cannot be read, or an option is wrong.
pub fn from_model(path: &Path, options: &LoadOptions) -> Result<(SceneDesc, Diagnostics), Diagnostics> {
    let mut context = LoadContext::new(options.files.clone(), options.preprocessor.clone());
    let playback = playback_of_changes(options);
    let model_options = ModelOptions { playback, keeps_faces: options.subdivide.is_some() };
    let model = read_model_from(&options.files, path, &model_options).map_err(|error| error.diagnostic())?;
    context.files.push(path.to_owned());
    context.files.extend(model.read_or_named());
    for warning in &model.warnings {
        context.push(Diagnostic::warning(format!("{}: {warning}", path.display())));
    }
    if model.cameras.is_empty() && !model::can_be_framed(&model) {
        let message = format!("{}: the model reaches so far that no camera can be placed", path.display());
        let hint = "a scene can make it smaller: `import \"FILE\" { transform = scale(1e-20); }`";
        context.push(Diagnostic::error(message).hint(hint));
        return Err(context.diagnostics);
    }
    let directory = path.parent().unwrap_or(Path::new(""));
    let mut import = model::import_declaration(path, &alias_of(path));
    if let Some(level) = options.subdivide {
        import.set("subdivision", Expr::name("catmull_clark"));
        import.set("level", i64::from(level));
    }
    // Messages show this import as the source of the whole scene.
    let source = Source::new(format!("<scene of {}>", path.display()), import.to_string());
    let span = context.add_source(source, directory);
    let mut texts = Texts::of(directory);
    texts.declarations = vec![import];
    texts.declarations.extend(model::surroundings(&model, options.light.is_some()));
    texts.declarations.iter_mut().for_each(|declaration| declaration.set_span(span));
    let mut models = Models::default();
    models.insert(directory.join(path.file_name().unwrap_or_default()), Arc::new(model));
    finish(path, texts, models, context, options)
}

/// The animation to play in the scene of a bare model, whose film is that of the options. Their mistakes are reported later.
fn playback_of_changes(options: &LoadOptions) -> Option<Playback<'_>> {
    let mut context = LoadContext::new(options.files.clone(), options.preprocessor.clone());
    let mut declarations = vec![];
    for change in overrides(options, &mut context) {
        change.apply(&mut declarations);
    }
    options
        .animation
        .as_ref()
        .map(|of| playback(of, options.at, &declarations, &mut context))
}

fn overrides(options: &LoadOptions, context: &mut LoadContext) -> Vec<Override> {
    options
        .set
        .iter()
        .filter_map(|change| Override::parse(change, context))
        .collect()
}

fn finish(
    path: &Path,
    mut texts: Texts,
    mut models: Models,
    mut context: LoadContext,
    options: &LoadOptions,
) -> Result<(SceneDesc, Diagnostics), Diagnostics> {
    if let Some(light) = &options.light {
        light.apply(&mut texts.declarations, &mut context);
    }
    let overrides = overrides(options, &mut context);
    // Changes without a target so far may concern materials of models, which are declared below.
    let mut rest: Vec<&Override> = vec![];
    for change in &overrides {
        if !change.apply(&mut texts.declarations) {
            rest.push(change);
        }
    }
    let playback = options
        .animation
        .as_ref()
        .map(|of| playback(of, options.at, &texts.declarations, &mut context));
    models.read_all(&texts.declarations, playback, &mut context);
    let mut builder = Builder::new(path, models, context);
    builder.shader_errors = options.shader_errors;
    builder.keep_model_lights = options.light.as_ref().is_none_or(|light| light.adds);
    builder.declare_model_materials(&mut texts.declarations);
    for change in rest {
        if !change.apply(&mut texts.declarations) {
            change.report_unknown(&texts.declarations, &mut builder.context);
        }
    }
    builder.build(texts, options.at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use renderer_base::files::OverlayFiles;

    /// In-memory files of a scene with a triangle of this width, on a film of this width.
    fn files(width: u32) -> SharedFiles {
        let film = format!("film {{ size = ({width}, 1); }}");
        let mesh = format!("v 0 0 0\nv {width} 0 0\nv 0 1 0\nf 1 2 3\n");
        let scene = "import \"film.kiln\"; shape one : mesh { file = \"one.obj\"; material = matte(); }
            camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); fov = 40; }";
        let files = OverlayFiles::new(SharedFiles::default())
            .with("nowhere/scene.kiln", scene.as_bytes())
            .with("nowhere/film.kiln", film.as_bytes())
            .with("nowhere/one.obj", mesh.as_bytes());
        SharedFiles::new(files)
    }

    #[test]
    fn scenes_with_files_of_the_same_names_load_at_the_same_time() {
        let load_one = |width: u32| {
            let options = LoadOptions { files: files(width), ..LoadOptions::default() };
            for _ in 0..20 {
                let (desc, _) = load(Path::new("nowhere/scene.kiln"), &options)
                    .unwrap_or_else(|errors| panic!("{errors}"));
                assert_eq!(desc.film.size.value, [width, 1]);
                let renderer_scene::GeometryDesc::Mesh(mesh) = &desc.shapes[0].geometry else {
                    panic!("the shape is a mesh");
                };
                let right = mesh.positions.iter().map(|p| p.x).fold(0.0, f32::max);
                assert_eq!(right, width as f32);
            }
        };
        std::thread::scope(|scope| {
            for width in [3, 5] {
                scope.spawn(move || load_one(width));
            }
        });
        assert!(load(Path::new("nowhere/scene.kiln"), &LoadOptions::default()).is_err());
    }
}
