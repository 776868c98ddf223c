//! Checks of shader sources and scenes: for `kiln check`, and while they are typed in an editor.

use std::ffi::OsStr;
use std::sync::Arc;

use shading::{Diagnostics, Source, Template};

use super::scene_options::NamedScene;
use crate::common_args::{ImportArgs, SourceArgs};
use renderer_base::files::SharedFiles;
use renderer_transport::material::Host;
use renderer_transport::scene::build;

/// Content of a file without errors.
pub struct Checked {
    /// Warnings.
    pub warnings: Diagnostics,
    /// Units and groups.
    pub templates: Vec<Template>,
    /// Kind of the file.
    pub content: Content,
}

/// Kind of a checked file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Units and groups only.
    Shaders,
    /// A scene.
    Scene,
    /// A model.
    Model,
}

/// Compiles shader source; included files are found among `files`.
pub fn check_shader(
    text: Arc<Source>,
    source: &SourceArgs,
    import: &ImportArgs,
    files: SharedFiles,
) -> Result<Checked, Diagnostics> {
    let system =
        build::shading_system(Arc::new(Host::new(vec![])), source.preprocessor(&import.macros(), files));
    let loaded = system.load(text)?;
    let mut diagnostics = loaded.warnings;
    for template in &loaded.templates {
        if let Err(errors) = system.check(template) {
            diagnostics.add_new(errors.list);
        }
    }
    diagnostics.clone().into_result(Checked {
        warnings: diagnostics,
        templates: loaded.templates,
        content: Content::Shaders,
    })
}

/// Reads a scene and compiles its materials.
pub fn check_scene(scene: NamedScene) -> Result<Checked, Diagnostics> {
    let (desc, mut warnings) = scene.load()?;
    let checked = build::check(&desc)?;
    warnings.list.extend(checked.warnings.list);
    let content = match (desc.is_library(), desc.file.extension().and_then(OsStr::to_str)) {
        (true, _) => Content::Shaders,
        (false, Some("kiln" | "xml")) => Content::Scene,
        (false, _) => Content::Model,
    };
    Ok(Checked { warnings, templates: checked.templates, content })
}
