//! The last stages of scene construction: placement in rendering space, and freezing.

use std::sync::Arc;
use std::time::Instant;

use shading::{Diagnostic, Diagnostics};

use super::built::{Built, pass_names, sides};
use super::compiled_scene::CompiledScene;
use super::lights::{DeclaredLights, SceneLights};
use super::links::scene_links;
use super::warnings::{shaders_of, texture_diagnostic, warn_about_albedo};
use crate::material::{Host, Instances, RayKind, RenderingSpace};
use crate::scene::media::validate::warn_about_media;
use crate::scene::{Scene, SceneError, SceneParts, bounds_of};
use renderer_geometry::Shape;
use renderer_geometry::camera::Camera;
use renderer_image::film::Filter;
use renderer_scene::{SceneDesc, Shutter};

/// Compiled shaders and a description, of which a scene is made.
pub(super) struct Assembly<'a> {
    shaders: &'a CompiledScene<'a>,
    /// The description of `shaders`, possibly at another frame.
    desc: &'a SceneDesc,
    camera: Option<&'a str>,
    threads: usize,
    /// The scene at an earlier frame.
    earlier: Option<Scene>,
}

impl<'a> Assembly<'a> {
    pub(super) fn new(
        shaders: &'a CompiledScene<'a>,
        camera: Option<&'a str>,
        threads: usize,
    ) -> Assembly<'a> {
        Assembly { shaders, desc: &shaders.desc, camera, threads, earlier: None }
    }

    /// The scene at the frame of `desc`; it reuses geometry and inputs of an earlier frame.
    pub(super) fn at_frame(self, desc: &'a SceneDesc, earlier: Option<Scene>) -> Assembly<'a> {
        Assembly { desc, earlier, ..self }
    }

    /// Builds the scene of `shapes`, which are in world space.
    ///
    /// # Errors
    /// Unknown camera, unreadable textures, failure of Embree.
    pub(super) fn build(
        self,
        shapes: Vec<Shape>,
        host: Arc<Host>,
    ) -> Result<(Built, DeclaredLights), Diagnostics> {
        let (start, shaders, desc) = (Instant::now(), self.shaders, self.desc);
        let filter = Filter::new(desc.film.filter)
            .ok_or_else(|| Diagnostic::error(format!("there is no filter {:?}", desc.film.filter)))?;
        let shutter = shutter(desc, &host);

        // Place: shapes, camera and lights in rendering space.
        let (space, shapes) = in_rendering_space(shapes, &host);
        let camera = placed_camera(desc, self.camera, space, &shutter)?;
        let lights = SceneLights::new(desc, space, &shutter)?;

        // Freeze: acceleration structure, textures, interiors, ray masks, emitters.
        let uses_host = |instances: &Instances| instances.known().any(|known| known.queries_host);
        let shape_names = match shaders.instances.iter().any(uses_host) {
            true => desc.shapes.iter().map(|shape| shape.name.clone()).collect(),
            false => vec![],
        };
        let declared = DeclaredLights {
            backgrounds: lights.backgrounds.clone(),
            count: lights.lights.len(),
        };
        let materials = desc.materials.iter().map(sides);
        let parts = SceneParts {
            shapes,
            shape_names,
            shape_materials: desc.shapes.iter().map(|shape| shape.material).collect(),
            materials: shaders.instances.iter().cloned().zip(materials).collect(),
            links: scene_links(desc, &lights.links)?,
            lights: lights.lights,
            backgrounds: lights.backgrounds,
            host,
            camera: camera.view(),
            camera_shader: desc.camera(self.camera)?.shader,
            threads: self.threads,
            build_quality: desc.build_quality,
            medium: desc.medium,
            earlier: self.earlier,
        };
        let scene = Scene::new(parts).map_err(|error| diagnostics(error, desc, shaders))?;
        let mut warnings = shaders.warnings.clone();
        warn_about_albedo(desc, &scene, &mut warnings);
        warn_about_media(desc, &scene, &mut warnings);
        let built = Built {
            pass_shaders: shaders.pass_shaders.clone(),
            names: pass_names(desc, &scene, lights.names),
            scene,
            camera,
            filter,
            integrator: desc.integrator.with_hidden_background(desc.film.transparent),
            shaders: shaders.stats,
            build: start.elapsed(),
            warnings,
        };
        Ok((built, declared))
    }
}

/// Errors of building a scene, in terms of its description.
fn diagnostics(error: SceneError, desc: &SceneDesc, shaders: &CompiledScene<'_>) -> Diagnostics {
    match error {
        SceneError::Textures(list) => {
            let materials = shaders_of(&shaders.instances);
            Diagnostics {
                list: list.iter().map(|fault| texture_diagnostic(desc, &materials, fault)).collect(),
            }
        }
        SceneError::Accel(error) => Diagnostic::error(error.to_string()).into(),
    }
}

/// A camera of the description with its motion, in rendering space.
///
/// # Errors
/// If there is no such camera, or it cannot be placed.
pub(in crate::scene) fn placed_camera(
    desc: &SceneDesc,
    name: Option<&str>,
    space: RenderingSpace,
    shutter: &Shutter,
) -> Result<Camera, Diagnostic> {
    let described = desc.camera(name)?;
    let [width, height] = desc.film.size.value;
    let camera = Camera::new(&space.camera(&described.camera), width, height);
    let moving = camera.and_then(|camera| match &described.motion {
        None => Ok(camera),
        Some(motion) => {
            let keys = motion.sampled(shutter);
            camera.with_motion(&keys.iter().map(|key| space.transform_to_rendering(key)).collect::<Vec<_>>())
        }
    });
    moving.map_err(|error| Diagnostic::error(error.to_string()).at(&desc.sources, described.span, ""))
}

/// The shutter interval of a picture; bakes have an instant.
pub(super) fn shutter(desc: &SceneDesc, host: &Host) -> Shutter {
    match host.purpose() == RayKind::default() {
        true => desc.film.shutter,
        false => desc.film.shutter.instant(),
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
