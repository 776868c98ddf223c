//! `kiln info`: parameters of shaders (in the form of OSL's `oslinfo`), contents of scenes, models, parts,
//! checkpoints, images, volumes, photon maps and IES files.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod inventory;
mod light_links;
mod luminaire;
mod needs;
mod shader;
mod shipped;
mod stored;
mod volume;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value as Json, json};
use shading::{Diagnostic, Diagnostics, ShadingSystem, Template};

use inventory::Inventory;
use needs::{Needs, SceneShapes};
use renderer_bake::{CheckpointContent, is_checkpoint};
use renderer_base::files::SharedFiles;
use renderer_cli::InfoArgs;
use renderer_grid::is_grid_file;
use renderer_image::{Format, ImageInfo, read_info};
use renderer_inputs::scene_options::{SceneOptions, load_scene};
use renderer_inputs::shader_file;
use renderer_pictures::part::{Header, PartReader};
use renderer_pictures::pictures::is_part;
use renderer_scene::Luminaire;
use renderer_support::{Failure, print, print_result};
use renderer_transport::integrator::photon::MapHeader;
use renderer_transport::material::Host;
use renderer_transport::scene::build;
use shader::Info;
use volume::Volume;

pub use shipped::Shipped;

/// Runs `kiln info`.
pub fn run(args: &InfoArgs) -> Result<(), Failure> {
    let host = Arc::new(Host::new(folders(args)));
    let system = build::shading_system(
        host.clone(),
        args.source.preprocessor(&args.import.macros(), SharedFiles::default()),
    );
    if args.subjects.is_empty() && args.param.is_none() {
        let shipped = Shipped::list(&system);
        print_result(&if args.json {
            format!("{:#}\n", shipped.json())
        } else {
            shipped.text()
        });
        return Ok(());
    }
    if args.needs {
        return needs(&system, &host, args);
    }
    let mut diagnostics = Diagnostics::default();
    let mut shown = vec![];
    for word in &args.subjects {
        match find(&system, word, args) {
            Ok(mut found) => {
                if args.param.is_some() {
                    keep_last_shader(&mut found);
                }
                shown.extend(found);
            }
            Err(errors) => diagnostics.list.extend(errors.list),
        }
    }
    if let Some(name) = &args.param {
        choose(&mut shown, name, &mut diagnostics);
    }
    for subject in &shown {
        if let Subject::Volume(volume) = subject {
            diagnostics.list.extend(volume.faults().map(Diagnostic::error));
        }
    }
    let text = if args.json {
        format!("{:#}\n", Json::Array(shown.iter().map(Subject::json).collect()))
    } else {
        shown.iter().map(|subject| subject.text(args.param.is_none())).collect()
    };
    print_result(&text);
    print(&diagnostics);
    if diagnostics.has_errors() {
        Err(Failure::User(String::new()))
    } else {
        Ok(())
    }
}

/// Folders of textures: the working folder and those of the named files.
fn folders(args: &InfoArgs) -> Vec<PathBuf> {
    let files = args.subjects.iter().map(Path::new);
    let beside = files.filter_map(|file| Some(file.parent()?.to_owned()));
    std::iter::once(PathBuf::from(".")).chain(beside).collect()
}

/// `--needs`: of the shaders that are named, or of the scene's materials, units and groups.
fn needs(system: &ShadingSystem, host: &Host, args: &InfoArgs) -> Result<(), Failure> {
    let (scenes, shaders): (Vec<&OsString>, Vec<&OsString>) =
        args.subjects.iter().partition(|word| inventory::is_scene(Path::new(word)));
    let ([] | [_]) = scenes[..] else {
        let error = Diagnostic::error("--needs looks into one scene, and several are named");
        return Err(Failure::plain(error.into()));
    };
    let mut templates = vec![];
    let (mut needs, mut shapes) = (vec![], None);
    for word in scenes {
        let path = Path::new(word);
        let (desc, _) =
            load_scene(path, SceneOptions::of(&args.source, &args.import)).map_err(Failure::plain)?;
        for file in &desc.shaders {
            let loaded = system.load_file(&file.file).map_err(Failure::plain)?;
            if shaders.is_empty() {
                templates.extend(loaded.templates);
            }
        }
        let scene = SceneShapes::of(&desc);
        if shaders.is_empty() {
            needs = Needs::of_materials(&desc, &scene).map_err(Failure::plain)?;
        }
        shapes = Some(scene);
    }
    for word in shaders {
        templates.extend(shader_file::find(system, word).map_err(Failure::plain)?.templates);
    }
    let users = shapes.as_ref().map(SceneShapes::all);
    for template in &templates {
        needs.push(Needs::of(system, host, template, users).map_err(Failure::plain)?);
    }
    print_result(&if args.json {
        format!("{:#}\n", Json::Array(needs.iter().map(Needs::json).collect()))
    } else {
        needs.iter().map(Needs::text).collect()
    });
    Ok(())
}

/// Name, kind, parameters and metadata of a unit or group, as `--json` shows them.
pub fn description(template: &Template) -> Json {
    Info::of(template).json()
}

/// Subject of an argument of the command line.
enum Subject {
    /// A unit or a group.
    Shader(Info),
    /// Contents of a scene or model.
    Scene(Box<Inventory>),
    /// Header of a part.
    Part(Box<Header>),
    /// Contents of a checkpoint of a bake.
    Bake(CheckpointContent),
    /// Header of an image.
    Image(Box<ImageInfo>),
    /// Grids of a volume.
    Volume(Volume),
    /// Data of an IES file.
    Luminaire(Box<Luminaire>),
    /// Header of stored photon maps.
    PhotonMaps(MapHeader),
}

impl Subject {
    fn text(&self, heading: bool) -> String {
        match self {
            Subject::Shader(info) => info.text(heading),
            Subject::Scene(inventory) => inventory.text(),
            Subject::Part(header) => header.to_string(),
            Subject::Bake(content) => format!(
                "part of a bake\n  finished work   {} chunks\n  scene, settings {:016x}\n",
                content.chunks, content.fingerprint
            ),
            Subject::Image(image) => stored::image_text(image),
            Subject::Volume(volume) => volume.text(),
            Subject::Luminaire(luminaire) => luminaire::text(luminaire),
            Subject::PhotonMaps(maps) => stored::maps_text(maps),
        }
    }

    fn json(&self) -> Json {
        match self {
            Subject::Shader(info) => info.json(),
            Subject::Scene(inventory) => inventory.json(),
            Subject::Part(header) => header.json(),
            Subject::Bake(content) => json!({
                "bake": format!("{:016x}", content.fingerprint),
                "chunks": content.chunks,
            }),
            Subject::Image(image) => stored::image_json(image),
            Subject::Volume(volume) => volume.json(),
            Subject::Luminaire(luminaire) => luminaire::json(luminaire),
            Subject::PhotonMaps(maps) => stored::maps_json(maps),
        }
    }
}

/// Finds the subjects of an argument: a scene file comes with the units and groups that it declares.
fn find(system: &ShadingSystem, word: &OsStr, args: &InfoArgs) -> Result<Vec<Subject>, Diagnostics> {
    let path = Path::new(word);
    if is_checkpoint(path) {
        let content = CheckpointContent::read(path).map_err(|error| Diagnostic::error(error.to_string()))?;
        return Ok(vec![Subject::Bake(content)]);
    }
    if is_part(path) || PartReader::is_part(path) {
        let part = PartReader::open(path).map_err(|error| Diagnostic::error(error.to_string()))?;
        return Ok(vec![Subject::Part(Box::new(part.header().clone()))]);
    }
    if MapHeader::is_at(path) {
        let maps = MapHeader::read(path).map_err(|error| Diagnostic::error(error.to_string()))?;
        return Ok(vec![Subject::PhotonMaps(maps)]);
    }
    if is_grid_file(path) {
        let volume = Volume::read(path).map_err(|error| Diagnostic::error(error.to_string()))?;
        return Ok(vec![Subject::Volume(volume)]);
    }
    if luminaire::is_ies_file(path) {
        let found = luminaire::read(path).map_err(|error| error.diagnostic())?;
        return Ok(vec![Subject::Luminaire(Box::new(found))]);
    }
    if Format::from_extension(path).is_some() {
        let image = read_info(path).map_err(|error| Diagnostic::error(error.to_string()))?;
        return Ok(vec![Subject::Image(Box::new(image))]);
    }
    if !inventory::is_scene(path) {
        let found = shader_file::find(system, word)?;
        return Ok(found.templates.iter().map(Info::of).map(Subject::Shader).collect());
    }
    let (desc, _) = load_scene(path, SceneOptions::of(&args.source, &args.import))?;
    let mut subjects = vec![];
    for file in &desc.shaders {
        let loaded = system.load_file(&file.file)?;
        subjects.extend(loaded.templates.iter().map(Info::of).map(Subject::Shader));
    }
    let inventory = Inventory::of(desc)?;
    if subjects.is_empty() || !inventory.is_empty() {
        subjects.insert(0, Subject::Scene(Box::new(inventory)));
    }
    Ok(subjects)
}

/// Keeps the last unit or group of a file, which the ones before it serve, as other commands do.
fn keep_last_shader(found: &mut Vec<Subject>) {
    let is_shader = |subject: &Subject| matches!(subject, Subject::Shader(_));
    let last = found.iter().rposition(is_shader);
    let mut index = 0;
    found.retain(|subject| {
        index += 1;
        !is_shader(subject) || Some(index - 1) == last
    });
}

/// Keeps only the parameter `name` of each unit and group.
fn choose(shown: &mut Vec<Subject>, name: &str, diagnostics: &mut Diagnostics) {
    let count = shown.len();
    shown.retain(|subject| matches!(subject, Subject::Shader(_)));
    if shown.is_empty() && count > 0 {
        let message = "--param shows a parameter of a unit or group, and none is named";
        diagnostics.push(Diagnostic::error(message));
    }
    for subject in shown {
        let Subject::Shader(info) = subject else { continue };
        if !info.params.iter().any(|param| param.name == name) {
            let known = info.params.iter().map(|param| param.name.as_str());
            let error = Diagnostic::error(format!("`{}` has no parameter `{name}`", info.name));
            diagnostics.push(error.nearest(name, known));
        }
        info.params.retain(|param| param.name == name);
    }
}
