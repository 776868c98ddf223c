//! `kiln graph`: the diagram of a group, groups in it as boxes in boxes.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod dot;
mod layers;
mod layout;
mod model;
mod svg;

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use shading::graph::source::material;
use shading::syntax::ast;
use shading::{Diagnostic, Diagnostics, Preprocessor, ShadingSystem, Template};

use model::{Extent, diagram};
use renderer_base::files::SharedFiles;
use renderer_cli::GraphArgs;
use renderer_image::write_whole;
use renderer_inputs::common_args::ImportArgs;
use renderer_inputs::scene_options::{SceneOptions, load_scene};
use renderer_inputs::shader_file;
use renderer_support::outputs::Outputs;
use renderer_support::{Failure, print};
use renderer_transport::material::Host;
use renderer_transport::scene::build::shading_system;

/// Runs `kiln graph`.
pub fn run(args: &GraphArgs) -> Result<(), Failure> {
    let format = Format::of(&args.output).map_err(Failure::of)?;
    let mut outputs = Outputs::default();
    outputs.file("-o", &args.output)?;
    let word = args.group.to_string_lossy().into_owned();
    let file = shader_file::file_of(&word);
    outputs.check_inputs(&file)?;
    let import = ImportArgs { define: args.define.clone(), ..ImportArgs::default() };
    let preprocessor = || args.source.preprocessor(&import.macros(), SharedFiles::default());
    let (system, template, warnings) = find(&word, args, &import, preprocessor).map_err(Failure::Mistakes)?;
    system.check(&template).map_err(Failure::Mistakes)?;
    let extent = Extent {
        depth: args.depth.unwrap_or(usize::MAX),
        defaults: args.defaults,
    };
    let graph = diagram(&template, &system, extent).map_err(Failure::Mistakes)?;
    let text = match format {
        Format::Svg => svg::text(&graph),
        Format::Dot => dot::text(&graph),
    };
    print(&warnings);
    Ok(write_whole(&args.output, text.as_bytes())?)
}

/// Format of a diagram.
#[derive(Clone, Copy, Debug)]
enum Format {
    Svg,
    Dot,
}

impl Format {
    fn of(path: &Path) -> Result<Format, Diagnostic> {
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "svg" => Ok(Format::Svg),
            "dot" | "gv" => Ok(Format::Dot),
            _ => Err(Diagnostic::error(format!("{}: diagrams are .svg or .dot", path.display()))
                .hint("`-o group.svg` is a picture, `-o group.dot` is for Graphviz")),
        }
    }
}

/// A system with a unit or group, and the warnings of its source.
type Found = (ShadingSystem, Template, Diagnostics);

/// A unit or group by the word of the command line, or the material of a scene.
fn find(
    word: &str,
    args: &GraphArgs,
    import: &ImportArgs,
    preprocessor: impl Fn() -> Preprocessor,
) -> Result<Found, Diagnostics> {
    let folder = shader_file::file_of(word).and_then(|file| file.parent().map(Path::to_owned));
    let host = || Arc::new(Host::new(folder.iter().cloned().collect()));
    let system = shading_system(host(), preprocessor());
    let errors = match shader_file::find(&system, word) {
        Ok(found) => {
            let warnings = found.warnings.clone();
            match found.last() {
                Some(template) => return Ok((system, template, warnings)),
                None => Diagnostic::error(format!("{word} holds no unit and no group")).into(),
            }
        }
        Err(errors) => errors,
    };
    // Materials have no names among units and groups.
    let Some((file, name)) = word.rsplit_once(':').filter(|(file, _)| Path::new(file).is_file()) else {
        return Err(errors);
    };
    let system = shading_system(host(), preprocessor());
    match material_of(&system, Path::new(file), name, args, import)? {
        Some(template) => Ok((system, template, Diagnostics::default())),
        None => Err(errors),
    }
}

/// The group of a scene's material; `None` if there is no material of that name.
fn material_of(
    system: &ShadingSystem,
    scene: &Path,
    name: &str,
    args: &GraphArgs,
    import: &ImportArgs,
) -> Result<Option<Template>, Diagnostics> {
    let (desc, _) = load_scene(scene, SceneOptions::of(&args.source, import))?;
    let Some(found) = desc.materials.iter().find(|material| material.name == name) else {
        return Ok(None);
    };
    for file in &desc.shaders {
        system.load_file(&file.file)?;
    }
    let file = ast::File { sources: desc.sources.clone(), ..ast::File::default() };
    let group = material(name, found.usage, found.span, &found.surface, None, &Arc::new(file))?;
    Ok(Some(Template::from(&Arc::new(group))))
}
