//! Scene construction from a description, in stages: describe, compile, tessellate, place, lights, freeze.

mod check;
mod compile;
mod lights;
mod links;
mod overrides;
mod pass_shaders;
mod replaced_shaders;
mod warnings;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;
use shading::{Diagnostic, Diagnostics, Preprocessor, ShadingSystem};

use super::media::validate::warn_about_media;
use super::{Background, LightName, Scene, SceneError, SceneNames, SceneParts, ShapeName, bounds_of};
use crate::material::{Host, Instances, OutputShader, RayKind, RenderingSpace, Sides};
use compile::{Compiled, compile, compile_materials};
use links::{scene_links, unmatched_patterns};
use overrides::{apply_overrides, unused_exceptions};
use pass_shaders::{absent_attributes, pass_shaders};
use renderer_base::memory;
use renderer_geometry::camera::{Camera, CameraError};
use renderer_geometry::{Shape, ShapeId};
use renderer_image::film::Filter;
use renderer_passes::Pass;
use renderer_scene::{CameraDesc, EmissionSides, Integrator, MaterialDesc, SceneDesc, ShapeDesc, Shutter};
use warnings::{missing_textures, shaders_of, texture_diagnostic, warn_about_albedo, warn_about_light};

pub use check::{Checked, check, find_inputs, shader_errors};
pub use compile::shading_system;
pub(super) use compile::{declarations, group, instances, surface_options};
pub(super) use warnings::warn_about_values;

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
    /// For each value that passes request from shaders, the shader of each material that has it.
    pub pass_shaders: Vec<Vec<Option<OutputShader>>>,
    /// Statistics of shader compilation.
    pub shaders: ShaderStats,
    /// Time to build lights, textures and the acceleration structure.
    pub build: Duration,
    /// Warnings.
    pub warnings: Diagnostics,
}

/// Parts of a build that are reused when materials change.
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

/// Builds a scene whose materials may change later.
pub(super) fn build_to_change(
    desc: &SceneDesc,
    camera: Option<&str>,
    threads: usize,
) -> Result<(Built, RebuildState), Diagnostics> {
    let (mut built, state) = build_stages(desc, camera, threads, &[], host(desc))?;
    warn_about_light(desc, &built.scene, &mut built.warnings);
    Ok((built, state))
}

/// Builds a scene with the shaders that compute `values` for passes: [`Built::pass_shaders`] has them, in this order.
///
/// # Errors
/// As [`build`], and if no material has a requested output.
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

/// Builds a scene for baking features of surfaces, without a warning if nothing emits.
///
/// # Errors
/// As [`build_for_bake`].
pub fn build_for_surface_bake(
    desc: &SceneDesc,
    threads: usize,
    values: &[Pass],
) -> Result<Built, Diagnostics> {
    build_stages(desc, None, threads, values, host(desc).for_bake()).map(|(built, _)| built)
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
    let limit = desc
        .texture_memory
        .map_or_else(memory::for_textures, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    unlimited_host(desc).with_texture_memory(limit)
}

/// Creates the host of a scene without a memory limit for textures.
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
    let (mut built, _) = build_stages(desc, camera, threads, values, host)?;
    warn_about_light(desc, &built.scene, &mut built.warnings);
    Ok(built)
}

/// The stages of scene construction.
fn build_stages(
    desc: &SceneDesc,
    camera: Option<&str>,
    threads: usize,
    values: &[Pass],
    host: Host,
) -> Result<(Built, RebuildState), Diagnostics> {
    // Describe: camera, film and untransformed geometry.
    let camera = desc.camera(camera)?;
    let filter = Filter::new(desc.film.filter)
        .ok_or_else(|| Diagnostic::error(format!("there is no filter {:?}", desc.film.filter)))?;
    let shutter = match host.purpose() == RayKind::default() {
        true => desc.film.shutter,
        false => desc.film.shutter.instant(),
    };
    let shapes: Vec<Shape> = desc.shapes.iter().map(|shape| shape.build(&shutter)).collect();

    // Compile: materials, overrides and values of passes.
    let host = with_names(host, desc);
    let shaders = CompiledScene::new(desc, &host, &shapes, values)?;
    let desc = &*shaders.desc;

    // Tessellate: displacement and subdivision would replace shapes here.

    // Place: shapes, camera and lights in rendering space.
    let start = Instant::now();
    let (space, shapes) = in_rendering_space(shapes, &host);
    let [width, height] = desc.film.size.value;
    let camera_shader = camera.shader;
    let camera = placed_camera(camera, space, &shutter, [width, height])
        .map_err(|error| Diagnostic::error(error.to_string()).at(&desc.sources, camera.span, ""))?;
    let (mut lights, mut backgrounds, mut light_names, mut light_links) = (vec![], vec![], vec![], vec![]);
    for light in &desc.lights {
        let keys = light.motion.as_ref().map(|motion| motion.sampled(&shutter));
        // A moving light is described in a space of its own.
        let kind = if keys.is_some() {
            light.kind.clone()
        } else {
            space.light(&light.kind)
        };
        backgrounds.extend(lights::background(&kind, lights.len()));
        let built = lights::lights(&kind)
            .and_then(|built| match &keys {
                Some(keys) => lights::moving(built, space, keys),
                None => Ok(built),
            })
            .map_err(|error| Diagnostic::error(error.to_string()).at(&desc.sources, light.span, ""))?;
        lights.extend(built);
        light_links.resize(lights.len(), light.links.as_deref());
        light_names.resize_with(lights.len(), || LightName {
            name: light.name.as_str().into(),
            group: light.group.clone(),
        });
    }

    // Freeze: acceleration structure, textures, interiors, ray masks, emitters.
    let instances = shaders.instances;
    let uses_host = |instances: &Instances| instances.known().any(|known| known.queries_host);
    let shape_names = match instances.iter().any(uses_host) {
        true => desc.shapes.iter().map(|shape| shape.name.clone()).collect(),
        false => vec![],
    };
    let material_shaders = shaders_of(&instances);
    let mut warnings = shaders.warnings;
    warnings.list.extend(unmatched_patterns(desc));
    let state = RebuildState {
        system: shaders.system,
        backgrounds: backgrounds.clone(),
        lights: lights.len(),
        warnings: warnings.clone(),
    };
    let parts = SceneParts {
        shapes,
        shape_names,
        shape_materials: desc.shapes.iter().map(|shape| shape.material).collect(),
        materials: instances.into_iter().zip(desc.materials.iter().map(sides)).collect(),
        lights,
        backgrounds,
        host,
        camera: camera.view(),
        camera_shader,
        threads,
        build_quality: desc.build_quality,
        medium: desc.medium,
        links: scene_links(desc, &light_links)?,
    };
    let scene = Scene::new(parts).map_err(|error| match error {
        SceneError::Textures(list) => Diagnostics {
            list: list
                .iter()
                .map(|fault| texture_diagnostic(desc, &material_shaders, fault))
                .collect(),
        },
        SceneError::Accel(error) => Diagnostic::error(error.to_string()).into(),
    })?;
    warn_about_albedo(desc, &scene, &mut warnings);
    warn_about_media(desc, &scene, &mut warnings);
    let built = Built {
        pass_shaders: shaders.pass_shaders,
        names: pass_names(desc, &scene, light_names),
        scene,
        camera,
        filter,
        integrator: desc.integrator.with_hidden_background(desc.film.transparent),
        shaders: shaders.stats,
        build: start.elapsed(),
        warnings,
    };
    Ok((built, state))
}

/// Compiled shaders of a scene; its overrides are applied.
struct CompiledScene<'a> {
    desc: Cow<'a, SceneDesc>,
    system: ShadingSystem,
    /// Instances of each material of `desc`.
    instances: Vec<Instances>,
    pass_shaders: Vec<Vec<Option<OutputShader>>>,
    stats: ShaderStats,
    warnings: Diagnostics,
}

impl<'a> CompiledScene<'a> {
    fn new(
        desc: &'a SceneDesc,
        host: &Arc<Host>,
        shapes: &[Shape],
        values: &[Pass],
    ) -> Result<CompiledScene<'a>, Diagnostics> {
        let start = Instant::now();
        let system = shading_system(host.clone(), Preprocessor::default());
        let Compiled { mut instances, mut warnings, .. } = compile(desc, &system, host.purpose(), shapes)?;
        let (mut desc, mut shows_missing) = (Cow::Borrowed(desc), false);
        if !desc.overrides.is_empty() {
            let emits: Vec<bool> = instances.iter().map(Instances::may_emit).collect();
            let overridden = apply_overrides(&desc, &emits);
            let added = desc.materials.len()..overridden.desc.materials.len();
            let (more, found) = compile_materials(&overridden.desc, added, &system, host.purpose(), shapes)?;
            instances.extend(more);
            warnings.add_new(found.list);
            warnings.list.extend(unused_exceptions(&desc));
            shows_missing =
                replaced_shaders::attach(&desc, &overridden, &system, host, shapes, &mut instances)?;
            desc = Cow::Owned(overridden.desc);
        }
        let pass_shaders = pass_shaders(&desc, &system, shapes, values)?;
        let stats = ShaderStats::new(&instances, start.elapsed());
        let mut warnings = missing_textures(&desc, &instances, shows_missing, warnings)?;
        warnings.list.extend(absent_attributes(shapes, values));
        Ok(CompiledScene { desc, system, instances, pass_shaders, stats, warnings })
    }
}

impl ShaderStats {
    /// Materials with the same code count once.
    fn new(instances: &[Instances], elapsed: Duration) -> ShaderStats {
        let mut counted = FxHashSet::default();
        let groups = instances.iter().filter(|of| counted.insert(Arc::as_ptr(&of.full))).count();
        counted.clear();
        let jit_ms = instances
            .iter()
            .flat_map(Instances::all)
            .filter(|instance| counted.insert(Arc::as_ptr(instance)))
            .map(|instance| instance.statistics().jit_ms)
            .sum();
        ShaderStats { groups, elapsed, jit_ms }
    }
}

/// A camera with its motion, in rendering space.
fn placed_camera(
    desc: &CameraDesc,
    space: RenderingSpace,
    shutter: &Shutter,
    [width, height]: [u32; 2],
) -> Result<Camera, CameraError> {
    let camera = Camera::new(&space.camera(&desc.camera), width, height)?;
    match &desc.motion {
        None => Ok(camera),
        Some(motion) => {
            let keys = motion.sampled(shutter);
            camera.with_motion(&keys.iter().map(|key| space.transform_to_rendering(key)).collect::<Vec<_>>())
        }
    }
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
        false => (space, shapes.into_iter().map(|shape| space.shape(shape)).collect()),
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
    let object = match shape.asset.as_deref().and_then(|asset| Some((asset, own(asset)?))) {
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
