//! The shading system of a request: files and textures of its host, attributes, colour space; and the placement of points.

use std::path::PathBuf;
use std::sync::Arc;

use shading::codegen::{MissingTexture, NamedTexture};
use shading::{
    ColorSystem, Diagnostic, Diagnostics, Preprocessor, RayKind, ShaderInstance, ShadingSystem,
    UnreadableTexture, Value,
};

use super::grid::{Placement, Vary};
use super::host::{GridHost, Userdata};
use super::params;
use renderer_base::files::SharedFiles;
use renderer_base::memory;
use renderer_inputs::shade_request::ShadeRequest;
use renderer_inputs::shade_request::steps::Step;
use renderer_transport::material::{TextureLoadError, closure_registry, library};

/// The host of a request, for a grid of this size. Textures are looked for in `folders`.
pub(super) fn host(
    request: &ShadeRequest,
    size: [u32; 2],
    folders: Vec<PathBuf>,
    files: &SharedFiles,
) -> Result<Arc<GridHost>, Diagnostics> {
    let limit = request.texture_memory.map_or_else(memory::for_textures, |limit| limit as usize);
    Ok(Arc::new(GridHost::new(size, folders, limit, userdata(request)?, files.clone())))
}

/// The shading system of a request.
pub(super) fn of_request(
    request: &ShadeRequest,
    host: Arc<GridHost>,
    files: SharedFiles,
) -> Result<ShadingSystem, Diagnostics> {
    let preprocessor = request.source.preprocessor(&request.define, files);
    Ok(with_library(host, preprocessor).with_color_system(color_system(request)?))
}

/// The shading system of the shipped library.
pub(super) fn with_library(host: Arc<GridHost>, preprocessor: Preprocessor) -> ShadingSystem {
    ShadingSystem::new(closure_registry(), host)
        .with_library(library::LIBRARY)
        .with_preprocessor(preprocessor)
}

/// Reads the textures; errors are labelled by the lookups `named`.
pub(super) fn load_textures(host: &GridHost, named: &[NamedTexture]) -> Result<(), Diagnostics> {
    host.load_textures().map_err(|faults| {
        let placed = |fault: &TextureLoadError| {
            let mut error = fault.hinted(Diagnostic::error(fault.to_string()));
            let place = named.iter().find(|texture| fault.is_of(&texture.request));
            error.labels.extend(place.and_then(|texture| texture.label.clone()));
            error
        };
        Diagnostics { list: faults.iter().map(placed).collect() }
    })
}

/// A warning for each texture that lookups cannot read.
pub(super) fn missing_textures(instance: &ShaderInstance) -> Vec<Diagnostic> {
    let missing = instance.statistics().missing_textures.iter();
    missing.filter(|texture| !texture.optional).map(missing_texture).collect()
}

/// The warning of a texture that lookups cannot read.
fn missing_texture(texture: &MissingTexture) -> Diagnostic {
    let name = &texture.name;
    let mut warning = Diagnostic::warning(match texture.problem {
        UnreadableTexture::NotFound => format!("no texture file `{name}`; it shows black"),
        problem @ (UnreadableTexture::NoPicture
        | UnreadableTexture::NoVolume
        | UnreadableTexture::NoEnvironment) => {
            format!("the texture file `{name}` {}; it shows black", problem.predicate())
        }
    });
    warning.labels.extend(texture.label.clone());
    warning
}

/// The attributes of the geometry that the command line gives.
fn userdata(request: &ShadeRequest) -> Result<Vec<(String, Userdata)>, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let mut list = vec![];
    for step in &request.setup.steps {
        let Step::Userdata(assignment) = step else {
            continue;
        };
        let ty = match assignment.option("type") {
            None => Some(params::type_of(&assignment.value)),
            Some(name) => params::type_named(name),
        };
        let Some(ty) = ty else {
            let name = assignment.option("type").unwrap_or_default();
            diagnostics.push(Diagnostic::error(format!("unknown type `{name}`")));
            continue;
        };
        let given = params::Given::Text(assignment.value.clone());
        match params::parse(&assignment.name, ty, &given) {
            Ok(Value::Const(value, _)) => list.push((assignment.name.clone(), Userdata::new(value))),
            Ok(Value::Global(_) | Value::Uniform(..)) => {}
            Err(error) => diagnostics.push(error),
        }
    }
    diagnostics.into_result(list)
}

fn color_system(request: &ShadeRequest) -> Result<ColorSystem, Diagnostics> {
    let Some(name) = request.color_space.as_deref() else {
        return Ok(ColorSystem::default());
    };
    ColorSystem::from_name(name).ok_or_else(|| {
        let known = ColorSystem::ALL.iter().map(|(known, _)| *known);
        Diagnostic::error(format!("unknown colour space `{name}`"))
            .nearest(name, known)
            .into()
    })
}

/// The placement of the points.
pub(super) fn placement(request: &ShadeRequest) -> Result<Placement, Diagnostics> {
    let name = request.ray_kind.as_deref().unwrap_or("camera");
    let Some(&(_, ray_kind)) = RayKind::NAMES.iter().find(|(known, _)| *known == name) else {
        let known = RayKind::NAMES.iter().map(|(known, _)| *known);
        return Err(Diagnostic::error(format!("unknown kind of ray `{name}`"))
            .nearest(name, known)
            .into());
    };
    Ok(Placement {
        center: request.center,
        scale: request.scale_uv.last_chunk::<2>().copied().unwrap_or([1.0; 2]),
        offset: request.offset_uv.last_chunk::<2>().copied().unwrap_or([0.0; 2]),
        vary: Vary { p: request.vary_p, u: request.vary_u, v: request.vary_v },
        ray_kind,
    })
}
