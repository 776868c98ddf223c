//! Compilation of the materials of a description.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use shading::graph::GroupUse;
use shading::graph::source::{
    bumped as bumped_group, camera as camera_group, displacement as displacement_group,
    material as material_group,
};
use shading::syntax::ast;
use shading::{
    Diagnostic, Diagnostics, InstanceOptions, KnownAttributes, ParamInfo, Preprocessor, RayKind,
    ShaderGroupTemplate, ShaderInstance, ShadingSystem, Span, Template,
};

use crate::material::{
    CameraShader, DisplacementShader, Host, Instances, closure_registry, known_attributes, library,
};
use crate::scene::callee::{callee, is_volume_shader};
use crate::scene::media::validate::surface_values;
use renderer_geometry::Shape;
use renderer_scene::{DisplacementMode, MaterialDesc, SceneDesc, ShaderFile};

/// Material output that is rendered.
const SURFACE: &str = "surface";

/// Creates a shading system that preprocesses sources with `preprocessor`, and has the renderer's closures and the
/// shipped library.
pub fn shading_system(host: Arc<Host>, preprocessor: Preprocessor) -> ShadingSystem {
    ShadingSystem::new(closure_registry(), host)
        .with_library(library::LIBRARY)
        .with_preprocessor(preprocessor)
}

/// Compiled shaders of a scene.
pub(super) struct Compiled {
    /// Units and groups declared by its sources.
    pub(super) templates: Vec<Template>,
    /// Instances of each material, in order.
    pub(super) instances: Vec<Instances>,
    pub(super) warnings: Diagnostics,
}

/// Units and groups of a description that a shading system knows.
struct Loaded {
    templates: Vec<Template>,
    warnings: Diagnostics,
}

/// Loads the sources of a description.
fn load(desc: &SceneDesc, system: &ShadingSystem) -> Result<Loaded, Diagnostics> {
    let mut warnings = Diagnostics::default();
    let mut templates = vec![];
    for file in &desc.shaders {
        match system.load_file(&file.file) {
            Ok(loaded) => {
                warnings.list.extend(loaded.warnings.list);
                templates.extend(loaded.templates);
            }
            Err(errors) => warnings.list.extend(errors.list),
        }
    }
    if warnings.has_errors() {
        return Err(warnings);
    }
    warnings.list.extend(redeclared(&desc.shaders));
    for group in &desc.groups {
        system.add_group(ShaderGroupTemplate::clone(group));
    }
    Ok(Loaded { templates, warnings })
}

/// A shading system with the units and groups of a description.
///
/// # Errors
/// Errors in its sources.
pub(in crate::scene) fn loaded_system(
    desc: &SceneDesc,
    host: Arc<Host>,
    preprocessor: Preprocessor,
) -> Result<ShadingSystem, Diagnostics> {
    let system = shading_system(host, preprocessor);
    load(desc, &system)?;
    Ok(system)
}

/// Compiles all materials. `shapes` are those of the description, or empty if their attributes do not matter.
pub(super) fn compile(
    desc: &SceneDesc,
    system: &ShadingSystem,
    purpose: RayKind,
    shapes: &[Shape],
) -> Result<Compiled, Diagnostics> {
    let Loaded { templates, mut warnings } = load(desc, system)?;
    // Groups that no material uses are checked too.
    for template in &templates {
        if let Err(errors) = system.check(template) {
            warnings.add_new(errors.list);
        }
    }
    let (instances, found) = match compile_materials(desc, 0..desc.materials.len(), system, purpose, shapes) {
        Ok(compiled) => compiled,
        Err(errors) => (vec![], errors),
    };
    // Errors inside a group were reported when the group was checked.
    warnings.add_new(found.list);
    let compiled = Compiled { templates, instances, warnings: warnings.clone() };
    warnings.into_result(compiled)
}

/// Compiles the materials of an index range in parallel; returns their instances and warnings. `shapes` as for [`compile`].
pub(super) fn compile_materials(
    desc: &SceneDesc,
    range: Range<usize>,
    system: &ShadingSystem,
    purpose: RayKind,
    shapes: &[Shape],
) -> Result<(Vec<Instances>, Diagnostics), Diagnostics> {
    let file = Arc::new(declarations(desc));
    let mut users = vec![vec![]; desc.materials.len()];
    for (desc, shape) in desc.shapes.iter().zip(shapes) {
        users[desc.material.0 as usize].push(shape);
    }
    let materials = desc.materials[range.clone()].par_iter().zip(&users[range]);
    let results: Vec<_> = materials
        .map(|(material, users)| {
            let attributes = known_attributes(users.iter().copied()).map(Arc::new);
            let options = InstanceOptions { attributes, ..surface_options() };
            let compiled = instances(material, &file, system, purpose, options)?;
            let warnings = surface_values(desc, material, &compiled, system);
            Ok((compiled, warnings))
        })
        .collect();
    let (mut instances, mut diagnostics) = (vec![], Diagnostics::default());
    for result in results {
        match result {
            Ok((compiled, warnings)) => {
                diagnostics.list.extend(warnings);
                instances.push(compiled);
            }
            Err(Diagnostics { list }) => {
                diagnostics.add_new(list);
            }
        }
    }
    diagnostics.clone().into_result((instances, diagnostics))
}

/// Warnings about units and groups of one name in several files, of which the last is used. Within a file they have been
/// reported, and a file that several import is the same declaration.
fn redeclared(files: &[ShaderFile]) -> Vec<Diagnostic> {
    let mut known: FxHashMap<&str, (&ast::File, Span)> = FxHashMap::default();
    let mut warnings = vec![];
    for ShaderFile { file, .. } in files {
        for item in &file.items {
            let name = match item {
                ast::Item::Unit(unit) => &unit.name,
                ast::Item::Group(group) => &group.name,
                _ => continue,
            };
            let Some((other, first)) = known.insert(&name.text, (file, name.span)) else {
                continue;
            };
            let place = |file: &ast::File, span: Span| {
                let (path, line, column) = file.sources.get(span.source).locate(span.start);
                (Path::new(path).file_name().map(ToOwned::to_owned), line, column)
            };
            if std::ptr::eq(other, &**file) || place(other, first) == place(file, name.span) {
                continue;
            }
            let message = format!("`{}` is declared again; the last declaration is used", name.text);
            let warning = Diagnostic::warning(message).at(&file.sources, name.span, "").at(
                &other.sources,
                first,
                "it is declared here, too",
            );
            warnings.push(warning);
        }
    }
    warnings
}

/// Functions and structures of all files, for expressions in materials.
pub(in crate::scene) fn declarations(desc: &SceneDesc) -> ast::File {
    let items = desc.shaders.iter().flat_map(|file| &file.file.items);
    let items = items
        .filter(|item| {
            matches!(item, ast::Item::Function(_) | ast::Item::Struct(_) | ast::Item::Variables(_))
        })
        .cloned()
        .collect();
    ast::File { sources: desc.sources.clone(), items, ..ast::File::default() }
}

/// The shaders of a material.
pub(in crate::scene) fn instances(
    material: &MaterialDesc,
    file: &Arc<ast::File>,
    system: &ShadingSystem,
    purpose: RayKind,
    options: InstanceOptions,
) -> Result<Instances, Diagnostics> {
    if material.usage == GroupUse::Camera {
        return camera_instances(material, file, system, options);
    }
    let is_volume = material.usage == GroupUse::Surface
        && callee(&material.surface).is_some_and(|name| is_volume_shader(system, name));
    let interior = match &material.interior {
        _ if is_volume || material.usage == GroupUse::Volume => Some(&material.surface),
        interior => interior.as_ref(),
    };
    let inside = match interior {
        Some(interior) => {
            let (name, span) = (format!("{}.interior", material.name), interior.span);
            let group = material_group(&name, GroupUse::Volume, span, interior, None, file)?;
            let options = InstanceOptions { keeps_hir: true, ..options.clone() };
            Some(system.instantiate(Arc::new(group), &options)?)
        }
        None => None,
    };
    let group = match is_volume || material.usage == GroupUse::Volume {
        true => null_surface(material, file)?,
        false => group(material, file, system)?,
    };
    let group = Arc::new(group);
    let full = system.instantiate(&group, &options)?;
    let instances = Instances::new(full, options, purpose, |options| system.instantiate(&group, options))?;
    Ok(match inside {
        Some(_) => Instances { inside, ..instances },
        None => instances,
    })
}

/// The shader of a custom camera, with a transparent surface.
fn camera_instances(
    material: &MaterialDesc,
    file: &Arc<ast::File>,
    system: &ShadingSystem,
    options: InstanceOptions,
) -> Result<Instances, Diagnostics> {
    let group = group(material, file, system)?;
    let outputs = group.outputs.iter().map(|output| output.name.clone()).collect();
    let instance = system.instantiate(Arc::new(group), &InstanceOptions { outputs, ..options })?;
    let camera = CameraShader::new(instance).ok_or_else(|| {
        camera_error(
            material,
            file,
            "the outputs of the camera shader are not a point, a vector and a color",
        )
    })?;
    let surface = Arc::new(null_surface(material, file)?);
    let full = system.instantiate(surface, &surface_options())?;
    Ok(Instances { camera: Some(camera), ..Instances::from(full) })
}

/// Adds the displacement shaders to compiled materials.
///
/// # Errors
/// Errors of the shaders.
pub(super) fn add_displacements(
    desc: &SceneDesc,
    system: &ShadingSystem,
    compiled: &mut Compiled,
) -> Result<(), Diagnostics> {
    let file = Arc::new(declarations(desc));
    let mut errors = Diagnostics::default();
    for (material, instances) in desc.materials.iter().zip(&mut compiled.instances) {
        match displacement_instance(material, &file, system, None) {
            Ok(instance) => instances.displacement = instance,
            Err(found) => {
                errors.add_new(found.list);
            }
        }
    }
    errors.into_result(())
}

/// The displacement shader of a material, if it has one.
///
/// # Errors
/// Errors of the shader, and if it does not move the surface.
pub(in crate::scene) fn displacement_instance(
    material: &MaterialDesc,
    file: &Arc<ast::File>,
    system: &ShadingSystem,
    attributes: Option<Arc<KnownAttributes>>,
) -> Result<Option<Arc<ShaderInstance>>, Diagnostics> {
    let Some(expr) = &material.displacement else {
        return Ok(None);
    };
    check_displacement(expr, file, system)?;
    let group = displacement_group(&material.name, expr.span, expr, file)?;
    let outputs = vec![DisplacementShader::OUTPUT.to_owned()];
    let options = InstanceOptions { outputs, attributes, ..InstanceOptions::default() };
    Ok(Some(system.instantiate(Arc::new(group), &options)?))
}

/// Reports a call whose unit or group has no output for a displaced point.
fn check_displacement(
    expr: &ast::Expr,
    file: &Arc<ast::File>,
    system: &ShadingSystem,
) -> Result<(), Diagnostics> {
    let params = callee(expr)
        .and_then(|name| system.template(name))
        .and_then(|template| template.params());
    let is_point = |param: &ParamInfo| param.output && param.name == DisplacementShader::OUTPUT;
    if params.is_some_and(|params| !params.iter().any(is_point)) {
        let error = Diagnostic::error("the displacement does not move the surface");
        return Err(error
            .at(&file.sources, expr.span, "")
            .hint("a displacement shader assigns to `P`: `displacement lift(float height = 0.1) { P += height * N; }`")
            .into());
    }
    Ok(())
}

/// The outputs of a camera shader that its unit or group has.
fn camera_outputs(
    material: &MaterialDesc,
    file: &Arc<ast::File>,
    system: &ShadingSystem,
) -> Result<Vec<&'static str>, Diagnostics> {
    let name = callee(&material.surface).unwrap_or_default();
    let params = system.template(name).and_then(|template| template.params());
    let has = |output: &&str| {
        let is_output = |param: &ParamInfo| param.output && param.name == **output;
        params.as_ref().is_none_or(|params| params.iter().any(is_output))
    };
    let outputs: Vec<&str> = CameraShader::OUTPUTS.into_iter().filter(has).collect();
    match outputs.contains(&CameraShader::OUTPUTS[1]) {
        true => Ok(outputs),
        false => Err(camera_error(material, file, &format!("`{name}` has no output `direction`"))),
    }
}

fn camera_error(material: &MaterialDesc, file: &Arc<ast::File>, message: &str) -> Diagnostics {
    let hint = "a camera shader has the outputs `position` (a point), `direction` (a vector) and `throughput` (a color)";
    let error = Diagnostic::error(message).at(&file.sources, material.surface.span, "");
    error.hint(hint).into()
}

/// The group of a fully transparent surface.
fn null_surface(material: &MaterialDesc, file: &Arc<ast::File>) -> Result<ShaderGroupTemplate, Diagnostics> {
    let surface = ast::Expr::call("cutout", vec![ast::Argument::named("opacity", 0.0f32)]);
    material_group(&material.name, GroupUse::Surface, material.span, &surface, None, file)
}

/// The group of a material.
pub(in crate::scene) fn group(
    material: &MaterialDesc,
    file: &Arc<ast::File>,
    system: &ShadingSystem,
) -> Result<ShaderGroupTemplate, Diagnostics> {
    let MaterialDesc { name, usage, span, surface, .. } = material;
    match usage {
        GroupUse::Camera => {
            camera_group(name, *span, surface, &camera_outputs(material, file, system)?, file)
        }
        _ => match (&material.displacement, material.displacement_mode) {
            (Some(displacement), DisplacementMode::Bump | DisplacementMode::Both) => {
                check_displacement(displacement, file, system)?;
                bumped_group(name, *span, [surface, displacement], file)
            }
            _ => material_group(name, *usage, *span, surface, None, file),
        },
    }
}

/// Options of the instance of a surface.
pub(in crate::scene) fn surface_options() -> InstanceOptions {
    InstanceOptions {
        outputs: vec![SURFACE.to_owned()],
        ..InstanceOptions::default()
    }
}
