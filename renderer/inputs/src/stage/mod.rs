//! The stage: the scene in which `kiln render` shows a single unit or group.

mod backdrop;
mod cloth;
mod example;
mod grid;
mod images;
mod layer;
mod model;
mod scene;
mod subject;
mod values;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use shading::syntax::ast::Item;
use shading::{Diagnostic, Diagnostics, Preprocessor, ShadingSystem, Source, Template};

use super::shader_file;
use crate::stage_args::StageArgs;
use example::Example;
use renderer_base::files::{DiskFiles, Files as _, LoggedFiles, OverlayFiles, SharedFiles};
use renderer_load::{LoadOptions, from_text};
use renderer_scene::SceneDesc;
use renderer_transport::material::{Host, library};
use renderer_transport::scene::build::shading_system;
use scene::Props;
use subject::{Shows, Subject};

pub use layer::is_visible;
pub use values::set_values;

/// Name of the shape that shows the shader.
pub const SUBJECT: &str = "subject";

/// Returns whether a word of the command line names a shader: a shader file without a camera, one of its units or
/// groups, or a shipped shader.
pub fn is_shader(word: &Path) -> bool {
    let Some(text) = word.to_str() else { return false };
    match shader_file::file_of(text) {
        Some(file) => shader_file::is_shader(&file) && !has_camera(&file),
        None => library::find(text).is_some(),
    }
}

/// Returns whether a text is a scene, independent of its file name.
fn has_camera(file: &Path) -> bool {
    let Ok(text) = DiskFiles.source_text(file) else {
        return false;
    };
    let (parsed, _) = shading::syntax::parse(Source::new(file.display().to_string(), text));
    let mut items = parsed.items.iter();
    items.any(|item| matches!(item, Item::Declaration(declaration) if declaration.keyword.text == "camera"))
}

/// A shader by its name.
#[derive(Clone, Copy, Debug)]
pub enum NamedShader<'a> {
    /// A word of the command line.
    Word(&'a str),
    /// One that ships, whatever files there are.
    Shipped(&'a str),
}

/// A shader with the system that has read it.
struct Found<'a> {
    text: &'a str,
    file: Option<PathBuf>,
    /// The folder of the file.
    folder: PathBuf,
    template: Template,
    system: ShadingSystem,
}

fn found<'a>(
    shader: NamedShader<'a>,
    preprocessor: Preprocessor,
    files: &SharedFiles,
) -> Result<Found<'a>, Diagnostics> {
    let (text, file) = match shader {
        NamedShader::Word(text) => (text, shader_file::file_of(text)),
        NamedShader::Shipped(name) => (name, None),
    };
    let folder = file.as_deref().and_then(Path::parent);
    let folder = folder.unwrap_or(Path::new("")).to_owned();
    let system = shading_system(Arc::new(Host::new(vec![folder.clone()])), preprocessor);
    let template = match shader {
        NamedShader::Word(word) => shader_file::find_in(files, &system, word)?.last(),
        NamedShader::Shipped(name) => system.template(name),
    };
    let Some(template) = template else {
        return Err(Diagnostic::error(format!("{text} holds no unit and no group")).into());
    };
    Ok(Found { text, file, folder, template, system })
}

/// The shader that a word names, and the outputs of its layers that can be shown.
///
/// # Errors
/// When there is none, or it has errors.
pub fn shader(
    word: &Path,
    preprocessor: Preprocessor,
    files: &SharedFiles,
) -> Result<(Template, Vec<String>), Diagnostics> {
    let word = NamedShader::Word(word.to_str().unwrap_or_default());
    let Found { template, system, .. } = found(word, preprocessor, files)?;
    let layers = layer::layers(&template, &system)?.map_or(vec![], |(_, layers)| layers);
    Ok((template, layers.into_iter().map(|layer| layer.path).collect()))
}

/// Loads the scene that shows a shader of `disk`, whose sources `preprocessor` reads, with `options` for its files.
///
/// # Errors
/// When it has errors or cannot be shown, and when arguments do not fit.
pub fn load(
    shader: NamedShader<'_>,
    args: &StageArgs,
    preprocessor: Preprocessor,
    disk: &SharedFiles,
    options: impl FnOnce(SharedFiles) -> LoadOptions,
) -> Result<(SceneDesc, Diagnostics), Diagnostics> {
    let Found { text, file, folder, template, system } = found(shader, preprocessor, disk)?;
    let subject = Subject::new(&template, args, &system)?;
    let props = Props::new(&subject, args)?;
    let scene = scene::text(file.as_deref(), &subject, &props);
    let mut files = OverlayFiles::new(disk.clone());
    for (name, bytes) in props.files().into_iter().chain(images::named_in(&scene)) {
        files = files.with(folder.join(name), bytes);
    }
    let files = SharedFiles::new(LoggedFiles::new(SharedFiles::new(files)));
    let name = format!("<stage of {text}>");
    let (mut desc, warnings) = from_text(&name, &scene, &folder, &options(files))?;
    desc.file = PathBuf::from(text);
    desc.groups.extend(subject.layers.map(Arc::new));
    Ok((desc, warnings))
}

/// A unit or group at work.
pub struct UnitExample {
    /// Lines of a group.
    pub lines: String,
    /// The displayed output of an instance.
    pub shown: String,
    /// True if that is a surface, and no value.
    pub is_surface: bool,
}

/// The example of a unit or group, if it has one.
///
/// # Errors
/// If the example has errors.
pub fn example(template: &Template, system: &ShadingSystem) -> Result<Option<UnitExample>, Diagnostics> {
    let Some(example) = Example::of(template)? else {
        return Ok(None);
    };
    let args = StageArgs { example: true, ..StageArgs::default() };
    let (is_surface, output) = match Subject::new(template, &args, system)?.shows {
        Shows::Surface(output) => (true, output),
        Shows::Output(output) => (false, Some(output)),
        Shows::Background => {
            let message =
                format!("the example of `{}` ends with the unit of an environment", template.name());
            return Err(Diagnostic::error(message).hint("it ends with a surface or a pattern").into());
        }
    };
    let output = output.map_or(String::new(), |output| format!(".{output}"));
    Ok(Some(UnitExample {
        shown: example.instance + &output,
        lines: example.lines,
        is_surface,
    }))
}

/// Error for a unit or group that cannot be shown; `None` if it can.
pub fn refusal(template: &Template) -> Option<Diagnostic> {
    subject::shown_of(template, None).err()
}

/// An error for a word that is neither a file nor a shader that ships, if it looks like the name of one.
pub fn check_name(word: &Path) -> Result<(), Diagnostic> {
    let name = word.to_str().unwrap_or_default();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name || word.exists() {
        return Ok(());
    }
    let message = format!("{name}: there is no such file, and no shader of this name ships with Kiln");
    Err(Diagnostic::error(message)
        .nearest(name, library::names())
        .hint("`kiln info` lists the shaders; scenes are .kiln files"))
}

/// An error for flags of the stage where a scene is rendered.
pub fn check_idle(args: &StageArgs, scene: &Path) -> Result<(), Diagnostic> {
    let Some(flag) = args.first_given() else {
        return Ok(());
    };
    let message = format!("{flag} is for units and groups, and {} is a scene", scene.display());
    Err(Diagnostic::error(message).hint("`kiln render brick` or `kiln render paint.ksl` shows a shader"))
}
