//! Scene building: resolves names, compiles shaders, creates lights and shapes from a description.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::{Affine3A, Vec2};
use rustc_hash::FxHashSet;
use shading::codegen::Statistics;
use shading::diagnostic::Label;
use shading::graph::source::material as material_group;
use shading::syntax::ast;
use shading::{
    Diagnostic, Diagnostics, InstanceOptions, Preprocessor, ShaderInstance, ShadingSystem, Span, Template,
    UnreadableTexture,
};

use super::compile::{Compiled, compile, declarations};
use super::media::validate::warn_about_media;
use super::overridden::{idle_exceptions, overridden};
use super::replaced;
use super::{Background, LightName, Scene, SceneError, SceneNames, SceneParts, ShapeName, bounds_of};
use crate::light::{
    Beam, DirectionalAreaLight, DirectionalLight, EnvironmentLight, EnvironmentMap, EnvironmentOptions,
    Falloff, Light, PointLight, Portal, PortalLight, ProjectorLight, ProjectorTexture, SpotLight, sky_lights,
};
use crate::material::{
    Host, Instances, OutputShader, RayKind, RenderingSpace, Sides, TextureLoadError, has_attribute,
    known_attributes,
};
use renderer_base::color::Rgb;
use renderer_base::math::tan;
use renderer_base::memory;
use renderer_geometry::camera::{Camera, CameraError, look_at};
use renderer_geometry::{Shape, ShapeId};
use renderer_image::Image;
use renderer_image::film::Filter;
use renderer_passes::Pass;
use renderer_scene::{
    EmissionSides, Integrator, LightDesc, LightKind, MaterialDesc, SceneDesc, ShapeDesc, SlideDesc,
    SpotFalloff, SpotSlide,
};

pub use super::compile::shading_system;

/// A description built for rendering.
#[derive(Debug)]
pub struct Built {
    /// Scene.
    pub scene: Scene,
    /// Camera, for the film of the description.
    pub camera: Camera,
    /// Pixel reconstruction filter.
    pub filter: Filter,
    /// Integrator settings.
    pub integrator: Integrator,
    /// Names of shapes and lights.
    pub names: SceneNames,
    /// For each value that passes ask of shaders the shader of each material that has it.
    pub pass_shaders: Vec<Vec<Option<OutputShader>>>,
    /// Statistics of shader compilation.
    pub shaders: ShaderStats,
    /// Time to build lights, textures and the acceleration structure.
    pub build: Duration,
    /// Warnings.
    pub warnings: Diagnostics,
}

/// What of building a scene serves changes of its materials.
#[derive(Debug)]
pub(super) struct RebuildState {
    pub(super) system: ShadingSystem,
    /// Environments whose radiance a shader computes.
    pub(super) backgrounds: Vec<Background>,
    /// Number of lights that are not shapes.
    pub(super) lights: usize,
    /// Warnings that do not depend on the values of materials.
    pub(super) warnings: Diagnostics,
}

/// Statistics of shader compilation.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShaderStats {
    /// Number of materials compiled; those with the same code count once.
    pub groups: usize,
    /// Wall-clock time over all threads.
    pub elapsed: Duration,
    /// Total time of code generation over all threads [ms].
    pub jit_ms: f64,
}

/// Builds a scene for one of its cameras; the first if none is named.
///
/// # Errors
/// Unknown camera, errors in shaders and materials, unreadable textures, failure of Embree.
pub fn build(desc: &SceneDesc, camera: Option<&str>, threads: usize) -> Result<Built, Diagnostics> {
    build_lit(desc, camera, threads, &[], host(desc))
}

/// Builds a scene, and keeps what changes of its materials take.
pub(super) fn build_to_change(
    desc: &SceneDesc,
    camera: Option<&str>,
    threads: usize,
) -> Result<(Built, RebuildState), Diagnostics> {
    let (mut built, remains) = build_with(desc, camera, threads, &[], host(desc))?;
    warn_about_light(desc, &built.scene, &mut built.warnings);
    Ok((built, remains))
}

/// Builds a scene with the shaders that compute `values` for passes: [`Built::pass_shaders`] has them, in this order.
///
/// # Errors
/// As [`build`], and if no material has an output that is asked for.
pub fn build_with_values(
    desc: &SceneDesc,
    camera: Option<&str>,
    threads: usize,
    values: &[Pass],
) -> Result<Built, Diagnostics> {
    build_lit(desc, camera, threads, values, host(desc))
}

/// Builds a scene for baking: its shaders see `raytype("bake")`; with the shaders that compute `values`.
///
/// # Errors
/// As [`build`].
pub fn build_for_bake(desc: &SceneDesc, threads: usize, values: &[Pass]) -> Result<Built, Diagnostics> {
    build_lit(desc, None, threads, values, host(desc).for_bake())
}

/// Builds a scene for baking features of surfaces, which takes no light.
///
/// # Errors
/// As [`build_for_bake`].
pub fn build_for_surface_bake(
    desc: &SceneDesc,
    threads: usize,
    values: &[Pass],
) -> Result<Built, Diagnostics> {
    build_with(desc, None, threads, values, host(desc).for_bake()).map(|(built, _)| built)
}

/// Registers the textures of imported models with a host.
pub(super) fn with_names(host: Host, desc: &SceneDesc) -> Arc<Host> {
    for texture in &desc.textures {
        host.name_texture(texture.name.clone(), texture.source.clone(), texture.color_space);
    }
    Arc::new(host)
}

/// Creates the host of a scene, with the memory limit of its textures.
fn host(desc: &SceneDesc) -> Host {
    let limit = desc.texture_memory.map_or_else(memory::for_textures, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    });
    unlimited_host(desc).with_texture_memory(limit)
}

/// The host of a scene, whose textures take the memory that they need.
pub(super) fn unlimited_host(desc: &SceneDesc) -> Host {
    Host::new(desc.texture_directories.clone()).with_files(desc.file_system.clone())
}

/// Builds a scene, and warns if nothing emits light.
fn build_lit(
    desc: &SceneDesc,
    camera: Option<&str>,
    threads: usize,
    values: &[Pass],
    host: Host,
) -> Result<Built, Diagnostics> {
    let (mut built, _) = build_with(desc, camera, threads, values, host)?;
    warn_about_light(desc, &built.scene, &mut built.warnings);
    Ok(built)
}

fn build_with(
    desc: &SceneDesc,
    camera: Option<&str>,
    threads: usize,
    values: &[Pass],
    host: Host,
) -> Result<(Built, RebuildState), Diagnostics> {
    let shapes: Vec<Shape> = desc.shapes.iter().map(ShapeDesc::build).collect();
    let (space, shapes) = in_rendering_space(shapes, &host);
    let camera = desc.camera(camera)?;
    let [width, height] = desc.film.size.value;
    let camera = Camera::new(&space.camera(&camera.camera), width, height)
        .map_err(|error| Diagnostic::error(error.to_string()).at(&desc.sources, camera.span, ""))?;
    let filter = Filter::new(desc.film.filter)
        .ok_or_else(|| Diagnostic::error(format!("there is no filter {:?}", desc.film.filter)))?;

    let host = with_names(host, desc);
    let start = Instant::now();
    let system = shading_system(host.clone(), Preprocessor::default());
    let mut compiled = compile(desc, &system, host.purpose(), &shapes)?;
    let changed;
    let mut shows_missing = false;
    let desc = match desc.overrides.is_empty() {
        true => desc,
        false => {
            let emits: Vec<bool> = compiled.instances.iter().map(Instances::may_emit).collect();
            let overridden = overridden(desc, &emits);
            compiled = compile(&overridden.desc, &system, host.purpose(), &shapes)?;
            compiled.warnings.list.extend(idle_exceptions(desc));
            shows_missing = replaced::measure(
                desc,
                &overridden,
                &system,
                &host,
                &shapes,
                &mut compiled.instances,
            )?;
            changed = overridden.desc;
            &changed
        }
    };
    let Compiled {
        instances, warnings, ..
    } = compiled;
    let pass_shaders = pass_shaders(desc, &system, &shapes, values)?;
    let absent = absent_attributes(&shapes, values);
    // Materials with the same code share it.
    let mut counted = FxHashSet::default();
    let groups = instances
        .iter()
        .filter(|of| counted.insert(Arc::as_ptr(&of.full)));
    let groups = groups.count();
    counted.clear();
    let jit_ms = instances
        .iter()
        .flat_map(Instances::all)
        .filter(|instance| counted.insert(Arc::as_ptr(instance)))
        .map(|instance| instance.statistics().jit_ms)
        .sum();
    let shaders = ShaderStats {
        groups,
        elapsed: start.elapsed(),
        jit_ms,
    };
    let mut warnings = missing_textures(desc, &instances, shows_missing, warnings)?;
    warnings.list.extend(absent);

    let start = Instant::now();
    let sides = desc.materials.iter().map(sides);
    let lights_of = |light: &LightDesc| {
        lights(&space.light(&light.kind))
            .map_err(|error| Diagnostic::error(error.to_string()).at(&desc.sources, light.span, ""))
    };
    let (mut lights, mut backgrounds, mut light_names) = (vec![], vec![], vec![]);
    for light in &desc.lights {
        backgrounds.extend(background(&space.light(&light.kind), lights.len()));
        lights.extend(lights_of(light)?);
        light_names.resize_with(lights.len(), || LightName {
            name: light.name.as_str().into(),
            group: light.group.clone(),
        });
    }
    let asks_host = instances
        .iter()
        .any(|instances| instances.known().any(|known| known.asks_host));
    let names = desc.shapes.iter().filter(|_| asks_host);
    let names = names.map(|shape| shape.name.clone());
    let shaders_named = named_by(&instances);
    let remains = RebuildState {
        system,
        backgrounds: backgrounds.clone(),
        lights: lights.len(),
        warnings: warnings.clone(),
    };
    let parts = SceneParts {
        shapes,
        shape_names: names.collect(),
        shape_materials: desc.shapes.iter().map(|shape| shape.material).collect(),
        materials: instances.into_iter().zip(sides).collect(),
        lights,
        backgrounds,
        host,
        camera: camera.view(),
        threads,
        build_quality: desc.build_quality,
        medium: desc.medium,
    };
    let scene = Scene::new(parts).map_err(|error| match error {
        SceneError::Textures(list) => Diagnostics {
            list: list
                .iter()
                .map(|fault| unreadable(desc, &shaders_named, fault))
                .collect(),
        },
        SceneError::Accel(error) => Diagnostic::error(error.to_string()).into(),
    })?;
    warn_about_albedo(desc, &scene, &mut warnings);
    warn_about_media(desc, &scene, &mut warnings);
    let built = Built {
        pass_shaders,
        names: pass_names(desc, &scene, light_names),
        scene,
        camera,
        filter,
        integrator: desc.integrator.with_hidden_background(desc.film.transparent),
        shaders,
        build: start.elapsed(),
        warnings,
    };
    Ok((built, remains))
}

/// Chooses the rendering space of a scene and moves its shapes there. Bakes are computed in world space.
fn in_rendering_space(shapes: Vec<Shape>, host: &Host) -> (RenderingSpace, Vec<Shape>) {
    if host.purpose() == RayKind::default()
        && let Some(bounds) = bounds_of(shapes.iter())
    {
        host.set_space(RenderingSpace::of(bounds));
    }
    let space = host.space();
    match space == RenderingSpace::default() {
        true => (space, shapes),
        false => (
            space,
            shapes.into_iter().map(|shape| space.shape(shape)).collect(),
        ),
    }
}

/// Sidedness of a material.
pub(super) fn sides(material: &MaterialDesc) -> Sides {
    Sides {
        one_sided: material.one_sided,
        culled: material.culled,
        two_sided_emission: material.emission == EmissionSides::Both,
        is_dark: material.emission == EmissionSides::Neither,
        priority: material.priority,
        nesting: material.nesting,
    }
}

/// Names of a scene's shapes and lights; `lights` are those of lights that are not shapes.
pub(super) fn pass_names(desc: &SceneDesc, scene: &Scene, mut lights: Vec<LightName>) -> SceneNames {
    let shapes: Vec<ShapeName> = desc.shapes.iter().map(|shape| shape_name(desc, shape)).collect();
    // Lights of shapes follow in the order of these.
    for (index, (shape, name)) in desc.shapes.iter().zip(&shapes).enumerate() {
        if scene.light_of(ShapeId(index as u32)).is_some() {
            lights.push(LightName {
                name: name.object.clone(),
                group: desc.material(shape.material).group.clone(),
            });
        }
    }
    SceneNames { shapes, lights }
}

/// Names of a shape; those of a model's are paths that begin with its name: `room/table`.
fn shape_name(desc: &SceneDesc, shape: &ShapeDesc) -> ShapeName {
    let own = |asset: &str| Some(shape.name.strip_prefix(asset)?.strip_prefix('.')?.to_owned());
    let object = match shape
        .asset
        .as_deref()
        .and_then(|asset| Some((asset, own(asset)?)))
    {
        Some((asset, own)) => format!("{asset}/{own}").into(),
        None => shape.name.clone(),
    };
    ShapeName {
        catcher: shape.catcher,
        asset: shape.asset.clone().unwrap_or_else(|| object.clone()),
        material: desc.material(shape.material).name.as_str().into(),
        object,
    }
}

/// Result of checking a scene.
#[derive(Debug)]
pub struct Checked {
    /// Units and groups declared by its sources.
    pub templates: Vec<Template>,
    /// Warnings.
    pub warnings: Diagnostics,
}

/// Compiles the units, groups and materials of a scene without building it.
///
/// # Errors
/// All errors in them.
pub fn check(desc: &SceneDesc) -> Result<Checked, Diagnostics> {
    let host = with_names(unlimited_host(desc), desc);
    let no_camera = if desc.is_library() {
        None
    } else {
        desc.camera(None).err()
    };
    match compile_alone(desc, &host) {
        Ok(Compiled {
            templates,
            instances,
            warnings,
        }) => {
            let mut warnings = missing_textures(desc, &instances, false, warnings)?;
            warnings.add_new(missing_clouds(desc, &instances, &host));
            let shaders = named_by(&instances);
            let faults = host.file_faults();
            warnings
                .list
                .extend(faults.iter().map(|fault| unreadable(desc, &shaders, fault)));
            warnings.list.extend(no_camera);
            warnings.clone().into_result(Checked { templates, warnings })
        }
        Err(mut errors) => {
            errors.list.extend(no_camera);
            Err(errors)
        }
    }
}

/// Errors in the units, groups and materials of an incomplete description.
pub fn shader_errors(desc: &SceneDesc) -> Diagnostics {
    let host = with_names(unlimited_host(desc), desc);
    compile_alone(desc, &host).err().unwrap_or_default()
}

/// Compiles the materials of a scene without regard to its shapes.
fn compile_alone(desc: &SceneDesc, host: &Arc<Host>) -> Result<Compiled, Diagnostics> {
    let system = shading_system(host.clone(), Preprocessor::default());
    compile(desc, &system, host.purpose(), &[])
}

/// Compiles the materials of a scene, for rendering and for baking, and checks that each file they name exists; neither
/// reads files nor builds the scene.
///
/// # Errors
/// All errors in them, missing files included.
pub fn find_inputs(desc: &SceneDesc) -> Result<Diagnostics, Diagnostics> {
    let shapes: Vec<Shape> = desc.shapes.iter().map(ShapeDesc::build).collect();
    let mut diagnostics = Diagnostics::default();
    for host in [host(desc), host(desc).for_bake()] {
        let host = with_names(host, desc);
        let system = shading_system(host.clone(), Preprocessor::default());
        let compiled = compile(desc, &system, host.purpose(), &shapes)?;
        let found = missing_textures(desc, &compiled.instances, false, compiled.warnings)?;
        diagnostics.add_new(found.list);
        diagnostics.add_new(missing_clouds(desc, &compiled.instances, &host));
        for (material, instances) in desc.materials.iter().zip(&compiled.instances) {
            for name in instances.known().flat_map(|known| &known.late_files) {
                host.finds_texture(name);
            }
            let any = |of: fn(&Statistics) -> bool| instances.known().any(of);
            let computed = [
                (
                    any(|known| known.computes_cloud_names),
                    "point clouds",
                    "searches",
                ),
                (any(|known| known.computes_texture_names), "textures", "asks for"),
            ];
            for (_, what, uses) in computed.into_iter().filter(|(is_so, ..)| *is_so) {
                let message = format!(
                    "material `{}` computes names of {what} while it runs: which it {uses} is not known",
                    material.name
                );
                let warning = Diagnostic::warning(message).at(&desc.sources, material.surface.span, "");
                diagnostics.add_new(vec![warning]);
            }
        }
    }
    Ok(diagnostics)
}

/// The shaders of all materials that compute the values that passes ask for.
fn pass_shaders(
    desc: &SceneDesc,
    system: &ShadingSystem,
    shapes: &[Shape],
    values: &[Pass],
) -> Result<Vec<Vec<Option<OutputShader>>>, Diagnostics> {
    let file = Arc::new(declarations(desc));
    let mut users = vec![vec![]; desc.materials.len()];
    for (desc, shape) in desc.shapes.iter().zip(shapes) {
        users[desc.material.0 as usize].push(shape);
    }
    let shader = |pass: &Pass, index: usize| {
        let material = &desc.materials[index];
        let attribute;
        let (expr, output) = match pass {
            Pass::Shader(output) => (&*material.surface, output.as_str()),
            Pass::Attribute(name) => {
                let argument = ast::Argument::named("name", ast::Expr::string(name));
                attribute = ast::Expr::call(ATTRIBUTE_UNIT, vec![argument]);
                (&attribute, "result")
            }
            Pass::Light(_) | Pass::Value(_) | Pass::Crypto(_) => return None,
        };
        let group = material_group(
            &material.name,
            material.usage,
            material.span,
            expr,
            Some(output),
            &file,
        )
        .ok()?;
        let options = InstanceOptions {
            outputs: vec![output.to_owned()],
            attributes: known_attributes(users[index].iter().copied()).map(Arc::new),
            ..InstanceOptions::default()
        };
        // The errors of the material itself have been told; what is left is that it has no such output.
        let instance = system.instantiate(Arc::new(group), &options).ok()?;
        OutputShader::new(instance, output)
    };
    values
        .iter()
        .map(|pass| {
            let shaders: Vec<_> = (0..desc.materials.len())
                .map(|index| shader(pass, index))
                .collect();
            match pass {
                Pass::Shader(output) if shaders.iter().all(Option::is_none) => {
                    let message = format!(
                        "no material has an output `{output}` of numbers for the pass `shader:{output}`"
                    );
                    let hint = "it is an `output` parameter of the unit or group that the material calls";
                    Err(Diagnostic::error(message).hint(hint).into())
                }
                _ => Ok(shaders),
            }
        })
        .collect()
}

/// A warning of each pass that shows an attribute which no shape has.
fn absent_attributes(shapes: &[Shape], values: &[Pass]) -> Vec<Diagnostic> {
    let warning = |pass: &Pass| {
        let Pass::Attribute(name) = pass else { return None };
        if shapes.iter().any(|shape| has_attribute(shape, name)) {
            return None;
        }
        let known: BTreeSet<String> = shapes.iter().flat_map(Shape::attribute_names).collect();
        let message = format!("no shape has an attribute `{name}`: the pass `attribute:{name}` is black");
        Some(Diagnostic::warning(message).nearest(name, known.iter().map(String::as_str)))
    };
    values.iter().filter_map(warning).collect()
}

/// The unit that reads attributes for passes.
const ATTRIBUTE_UNIT: &str = "attribute_color";

/// The shaders of each material, of its surface and of its medium.
fn named_by(instances: &[Instances]) -> Vec<Vec<Arc<ShaderInstance>>> {
    let of = |instances: &Instances| {
        let inside = instances.inside.iter().cloned();
        [instances.full.clone()].into_iter().chain(inside).collect()
    };
    instances.iter().map(of).collect()
}

/// Diagnostic of an unreadable texture, at the first lookup of a material that names it.
fn unreadable(
    desc: &SceneDesc,
    shaders: &[Vec<Arc<ShaderInstance>>],
    fault: &TextureLoadError,
) -> Diagnostic {
    for (material, shaders) in desc.materials.iter().zip(shaders) {
        let mut named = shaders.iter().flat_map(|shader| &shader.statistics().textures);
        if let Some(texture) = named.find(|texture| fault.is_of(&texture.request)) {
            let error = Diagnostic::error(format!("material `{}`: {fault}", material.name));
            let error = fault.hinted(error);
            let name = &texture.request.file;
            return at_texture(error, desc, material, name, texture.label.as_ref());
        }
    }
    fault.hinted(Diagnostic::error(fault.to_string()))
}

/// Diagnostic of a texture, at the argument that has its name, else at the lookup in the shader.
fn at_texture(
    mut diagnostic: Diagnostic,
    desc: &SceneDesc,
    material: &MaterialDesc,
    name: &str,
    label: Option<&Label>,
) -> Diagnostic {
    match (argument(&material.surface, name), label) {
        (Some(span), _) => diagnostic.at(&desc.sources, span, ""),
        (None, Some(label)) => {
            diagnostic.labels.push(label.clone());
            diagnostic.at(&desc.sources, material.surface.span, "in this material")
        }
        (None, None) => diagnostic.at(&desc.sources, material.surface.span, ""),
    }
}

/// Diagnostics of files that shaders name and that are missing or have the wrong kind: errors, unless the shader
/// handles their absence, the name is empty or a view shows what is missing. They point to the argument that has the name, else to the lookup in the
/// shader.
fn missing_textures(
    desc: &SceneDesc,
    instances: &[Instances],
    is_shown: bool,
    mut diagnostics: Diagnostics,
) -> Result<Diagnostics, Diagnostics> {
    for (material, instances) in desc.materials.iter().zip(instances) {
        for texture in instances.known().flat_map(|known| &known.missing_textures) {
            let name = &texture.name;
            let message = match texture.problem {
                UnreadableTexture::NotFound => format!("there is no texture file `{name}`"),
                problem @ (UnreadableTexture::NoPicture
                | UnreadableTexture::NoVolume
                | UnreadableTexture::NoEnvironment) => {
                    format!("the texture file `{name}` {}", problem.predicate())
                }
            };
            let message = format!("material `{}`: {message}", material.name);
            let diagnostic = if texture.optional || name.is_empty() || is_shown {
                Diagnostic::warning(message + "; it shows black")
            } else {
                Diagnostic::error(message)
            };
            let diagnostic = at_texture(diagnostic, desc, material, name, texture.label.as_ref());
            diagnostics.add_new(vec![diagnostic]);
        }
    }
    if diagnostics.has_errors() {
        Err(diagnostics)
    } else {
        Ok(diagnostics)
    }
}

/// Warnings of missing point clouds, for callers that do not run the shaders; running shaders report them.
fn missing_clouds(desc: &SceneDesc, instances: &[Instances], host: &Host) -> Vec<Diagnostic> {
    let mut list = vec![];
    for (material, instances) in desc.materials.iter().zip(instances) {
        let names: BTreeSet<&String> = instances.known().flat_map(|known| &known.clouds).collect();
        for name in names.into_iter().filter(|name| !host.finds_cloud(name)) {
            let message = format!(
                "material `{}`: there is no point cloud file `{name}`; searches find nothing",
                material.name
            );
            let place = argument(&material.surface, name).unwrap_or(material.surface.span);
            list.push(Diagnostic::warning(message).at(&desc.sources, place, ""));
        }
    }
    list
}

/// Position of the text of an expression.
fn argument(expr: &ast::Expr, text: &str) -> Option<Span> {
    let mut found = None;
    expr.for_each_operand(&mut |operand| found = found.or_else(|| argument(operand, text)));
    match &expr.kind {
        ast::ExprKind::String(own) if own == text => Some(expr.span),
        _ => found,
    }
}

/// Warns of what depends on the values of materials.
pub(super) fn warn_about_values(desc: &SceneDesc, scene: &Scene, warnings: &mut Diagnostics) {
    warn_about_albedo(desc, scene, warnings);
    warn_about_media(desc, scene, warnings);
    warn_about_light(desc, scene, warnings);
}

/// Warns of scenes without light, as far as it is known without rendering.
fn warn_about_light(desc: &SceneDesc, scene: &Scene, warnings: &mut Diagnostics) {
    // The scene's bounds may be a single point.
    let radius = scene.bounds().radius().max(1.0);
    // The power of a shape's light is an estimate: 0 does not imply that there is none.
    let shines = |light: &Light| matches!(light, Light::Area(_)) || light.power(radius) > 0.0;
    if !scene.shapes().is_empty() && !scene.lights().iter().any(shines) {
        let message = format!(
            "nothing emits light in {}: all will be black",
            desc.file.display()
        );
        let hint = "add a light (`light sky : environment { color = 1; }`) or a shape whose material emits";
        warnings.push(Diagnostic::warning(message).hint(hint));
    }
}

/// Warns of materials that gain energy, as far as it is known without rendering.
fn warn_about_albedo(desc: &SceneDesc, scene: &Scene, warnings: &mut Diagnostics) {
    for (material, built) in desc.materials.iter().zip(scene.materials()) {
        let Some(albedo) = built.known_albedo() else {
            continue;
        };
        let [r, g, b] = albedo.to_array();
        let (min, max) = (r.min(g).min(b), albedo.max_component());
        // The tables of rough lobes have errors of a few thousandths.
        if min < 0.0 || max > 1.01 {
            let message = format!(
                "material `{}` scatters ({r:.3}, {g:.3}, {b:.3}) times the light that arrives",
                material.name
            );
            let hint = "keep its colours and weights between 0 and 1: beyond that it makes energy";
            let diagnostic = Diagnostic::warning(message).at(&desc.sources, material.surface.span, "");
            warnings.push(diagnostic.hint(hint));
        }
    }
}

/// Environment of a declaration whose light has this index, if a shader computes its radiance.
fn background(kind: &LightKind, light: usize) -> Option<Background> {
    let LightKind::Background {
        shader,
        radiance,
        world_from_map,
        columns,
        portals,
    } = kind
    else {
        return None;
    };
    Some(Background {
        light,
        material: *shader,
        columns: *columns as usize,
        options: EnvironmentOptions {
            world_from_map: *world_from_map,
            scale: *radiance,
            ..EnvironmentOptions::default()
        },
        portals: portals.iter().copied().map(Portal::from).collect(),
    })
}

/// Lights of a declaration: for a sky the dome and the sun, if they emit.
fn lights(kind: &LightKind) -> Result<Vec<Light>, CameraError> {
    let light = match kind {
        LightKind::Sky {
            sky,
            sky_scale,
            sun_scale,
            sun_angle,
        } => {
            return Ok(sky_lights(sky, *sky_scale, *sun_scale, *sun_angle));
        }
        LightKind::Environment {
            map,
            radiance,
            world_from_map,
            rows,
            portals,
        } => {
            let environment = match map {
                None => EnvironmentLight::Constant(*radiance),
                Some(image) => {
                    let options = EnvironmentOptions {
                        world_from_map: *world_from_map,
                        rows: *rows,
                        scale: *radiance,
                    };
                    EnvironmentLight::Map(EnvironmentMap::new(texels(image), image.width, options))
                }
            };
            match portals.as_slice() {
                [] => Light::Environment(environment),
                _ => Light::Portals(Box::new(PortalLight::new(
                    environment,
                    portals.iter().copied().map(Portal::from).collect(),
                ))),
            }
        }
        // Replaced when the shader can run.
        LightKind::Background { .. } => Light::Environment(EnvironmentLight::Constant(Rgb::BLACK)),
        LightKind::Point { position, intensity } => Light::Point(PointLight {
            position: *position,
            intensity: *intensity,
        }),
        LightKind::Spot {
            position,
            direction,
            intensity,
            cutoff,
            beam_width,
            falloff,
            slide,
        } => {
            let falloff = match falloff {
                SpotFalloff::Linear => Falloff::LinearAngle {
                    beam: *beam_width,
                    cutoff: *cutoff,
                },
                SpotFalloff::SquaredCosine => Falloff::SquaredCosine {
                    inner: *beam_width,
                    outer: *cutoff,
                },
            };
            match slide {
                None => Light::Spot(SpotLight {
                    position: *position,
                    axis: *direction,
                    intensity: *intensity,
                    falloff,
                }),
                Some(SpotSlide { slide, up }) => {
                    let pose = look_at(*position, *position + *direction, *up)?;
                    let beam = Beam::Spot {
                        intensity: *intensity,
                        falloff,
                    };
                    let half = Vec2::splat(tan(*cutoff));
                    projector(&pose, half, slide, beam)?
                }
            }
        }
        LightKind::Projector {
            world_from_light,
            fov,
            fov_axis,
            radiance,
            slide,
        } => {
            let size = Vec2::new(slide.map.width as f32, slide.map.height as f32);
            let beam = Beam::Wall { radiance: *radiance };
            projector(world_from_light, fov_axis.half_size(size, *fov), slide, beam)?
        }
        LightKind::DirectionalArea {
            world_from_sheet,
            size,
            outline,
            irradiance,
        } => Light::DirectionalArea(DirectionalAreaLight::new(
            world_from_sheet,
            *size * 0.5,
            *outline,
            *irradiance,
        )),
        LightKind::Directional {
            direction,
            irradiance,
            angle,
        } => Light::Directional(DirectionalLight::new(*direction, *irradiance, *angle)),
    };
    Ok(vec![light])
}

fn projector(pose: &Affine3A, half: Vec2, slide: &SlideDesc, beam: Beam) -> Result<Light, CameraError> {
    let slide = ProjectorTexture::new(texels(&slide.map), slide.map.width, slide.lookup);
    let light = ProjectorLight::new(pose, half, slide, beam)?;
    Ok(Light::Projector(Box::new(light)))
}

fn texels(image: &Image) -> Vec<Rgb> {
    (0..image.height)
        .flat_map(|y| (0..image.width).map(move |x| image.rgb(x, y)))
        .collect()
}
