//! Scene construction from a description, in stages: tessellate, describe, compile, place, lights, freeze.

mod assembly;
mod built;
mod check;
mod compile;
mod compiled_scene;
mod frames;
mod lights;
mod links;
mod overrides;
mod pass_shaders;
mod replaced_shaders;
mod scene_host;
mod warnings;

use std::borrow::Cow;
use std::sync::Arc;

use shading::{Diagnostics, ShadingSystem};

use super::tessellation::{Tessellated, tessellated};
use crate::material::Host;
use assembly::{Assembly, shutter};
use compiled_scene::CompiledScene;
use lights::DeclaredLights;
use renderer_geometry::Shape;
use renderer_passes::Pass;
use renderer_scene::SceneDesc;
use warnings::warn_about_light;

pub use super::tessellation::tessellate;
pub(super) use assembly::placed_camera;
pub use built::Built;
pub(super) use built::{pass_names, sides};
pub use check::{Checked, check, find_inputs, shader_errors};
pub use compile::shading_system;
pub(super) use compile::{
    declarations, displacement_instance, group, instances, loaded_system, surface_options,
};
pub use compiled_scene::ShaderStats;
pub use frames::SceneFrames;
pub(super) use scene_host::{host, unlimited_host, with_names};
pub(super) use warnings::{texture_diagnostic, warn_about_values};

/// Parts of a build that are reused when materials change.
#[derive(Debug)]
pub(super) struct RebuildState {
    pub(super) system: ShadingSystem,
    pub(super) lights: DeclaredLights,
    /// Warnings that do not depend on the values of materials.
    pub(super) warnings: Diagnostics,
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
    let host = host(desc);
    let Tessellated { desc, warnings } = tessellated(desc, camera, threads, host.purpose())?;
    let (host, shapes) = described(&desc, host);
    let mut shaders = CompiledScene::new(Cow::Borrowed(&desc), &host, &shapes, &[])?;
    shaders.warnings.list.extend(warnings.list);
    let (mut built, lights) = Assembly::new(&shaders, camera, threads).build(shapes, host)?;
    warn_about_light(&desc, &built.scene, &mut built.warnings);
    let state = RebuildState { system: shaders.system, lights, warnings: shaders.warnings };
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
    build_unchecked(desc, None, threads, values, host(desc).for_bake())
}

/// Builds a scene, and warns if nothing emits light.
fn build_lit(
    desc: &SceneDesc,
    camera: Option<&str>,
    threads: usize,
    values: &[Pass],
    host: Host,
) -> Result<Built, Diagnostics> {
    let mut built = build_unchecked(desc, camera, threads, values, host)?;
    warn_about_light(desc, &built.scene, &mut built.warnings);
    Ok(built)
}

/// The stages of scene construction.
fn build_unchecked(
    desc: &SceneDesc,
    camera: Option<&str>,
    threads: usize,
    values: &[Pass],
    host: Host,
) -> Result<Built, Diagnostics> {
    // An unknown camera is reported before the shaders, which take longer.
    desc.camera(camera)?;
    let Tessellated { desc, warnings } = tessellated(desc, camera, threads, host.purpose())?;
    let (host, shapes) = described(&desc, host);
    let mut shaders = CompiledScene::new(Cow::Borrowed(&desc), &host, &shapes, values)?;
    shaders.warnings.list.extend(warnings.list);
    let (built, _) = Assembly::new(&shaders, camera, threads).build(shapes, host)?;
    Ok(built)
}

/// The host of a description, and its shapes in world space.
fn described(desc: &SceneDesc, host: Host) -> (Arc<Host>, Vec<Shape>) {
    let shutter = shutter(desc, &host);
    let shapes = desc.shapes.iter().map(|shape| shape.build(&shutter)).collect();
    (with_names(host, desc), shapes)
}
