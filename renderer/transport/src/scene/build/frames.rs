//! Frames of a sequence. They share the compiled shaders, the inputs that these read, and the geometry that does not move.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shading::Diagnostics;

use super::assembly::{Assembly, placed_camera, shutter};
use super::built::Built;
use super::compiled_scene::CompiledScene;
use super::warnings::warn_about_light;
use super::{described, host};
use crate::scene::Scene;
use crate::scene::tessellation::{Tessellated, depends_on_frame, tessellated};
use renderer_geometry::Shape;
use renderer_passes::Pass;
use renderer_scene::SceneDesc;

/// A description, and the scene that is built for one of its frames.
///
/// The scene at a frame equals the one that is built from the description at that frame, bit for bit.
#[derive(Debug)]
pub struct SceneFrames {
    /// Its description, with overrides applied, is at the first frame.
    shaders: CompiledScene<'static>,
    camera: Option<String>,
    threads: usize,
    /// Description before tessellation and values of passes, if each frame has other triangles.
    source: Option<(Arc<SceneDesc>, Vec<Pass>)>,
    /// Description at the frame.
    desc: Arc<SceneDesc>,
    /// Shapes at the frame, in world space, without copies of their meshes.
    shapes: Vec<Shape>,
    built: Arc<Built>,
}

impl SceneFrames {
    /// Builds the scene at the frame of its description, as [`build_with_values`](super::build_with_values).
    ///
    /// # Errors
    /// As [`build_with_values`](super::build_with_values).
    pub fn new(
        desc: SceneDesc,
        camera: Option<&str>,
        threads: usize,
        values: &[Pass],
    ) -> Result<SceneFrames, Diagnostics> {
        SceneFrames::build(desc, camera, threads, values, None)
    }

    /// Builds the scene of another description, which differs in values, such as those of materials, with the shaders that
    /// compute `values`. Equal meshes are shared, and the acceleration structure of shapes that are in the same places.
    ///
    /// # Errors
    /// As [`SceneFrames::new`].
    pub fn with_values(self, mut desc: SceneDesc, values: &[Pass]) -> Result<SceneFrames, Diagnostics> {
        desc.share_meshes(&self.desc);
        let SceneFrames { camera, threads, built, .. } = self;
        SceneFrames::build(desc, camera.as_deref(), threads, values, Some(built.scene.clone()))
    }

    fn build(
        desc: SceneDesc,
        camera: Option<&str>,
        threads: usize,
        values: &[Pass],
        earlier: Option<Scene>,
    ) -> Result<SceneFrames, Diagnostics> {
        desc.camera(camera)?;
        let host = host(&desc);
        let Tessellated { desc: divided, warnings } = tessellated(&desc, camera, threads, host.purpose())?;
        let source = depends_on_frame(&desc).then(|| (Arc::new(desc.clone()), values.to_vec()));
        let desc = divided.into_owned();
        let (host, shapes) = described(&desc, host);
        let mut shaders = CompiledScene::new(Cow::Owned(desc), &host, &shapes, values)?;
        shaders.warnings.list.extend(warnings.list);
        let assembly = Assembly::new(&shaders, camera, threads).at_frame(&shaders.desc, earlier);
        let (mut built, _) = assembly.build(shapes.clone(), host)?;
        let desc = Arc::new(SceneDesc::clone(&shaders.desc));
        warn_about_light(&desc, &built.scene, &mut built.warnings);
        Ok(SceneFrames {
            shaders,
            camera: camera.map(str::to_owned),
            threads,
            source,
            desc,
            shapes,
            built: Arc::new(built),
        })
    }

    /// Description at the frame.
    pub fn desc(&self) -> &Arc<SceneDesc> {
        &self.desc
    }

    /// The scene at the frame.
    pub fn built(&self) -> &Arc<Built> {
        &self.built
    }

    /// Goes to a frame, unless it is the present one.
    ///
    /// # Errors
    /// If the scene cannot be built there, as when memory is exhausted; it is still at the frame before.
    pub fn set_frame(&mut self, frame: f64) -> Result<(), Diagnostics> {
        if self.desc.film.shutter.frame == frame {
            return Ok(());
        }
        if let Some((source, values)) = &self.source {
            let mut desc = SceneDesc::clone(source);
            desc.set_frame(frame);
            *self = SceneFrames::new(desc, self.camera.as_deref(), self.threads, values)?;
            return Ok(());
        }
        let mut desc = SceneDesc::clone(&self.desc);
        desc.set_frame(frame);
        let shapes = self.shapes_at(&desc);
        let mut built = match self.built_at_camera(&desc, &shapes)? {
            Some(built) => built,
            None => self.built_at(&desc, &shapes)?,
        };
        built.shaders.elapsed = Duration::ZERO;
        (self.desc, self.shapes, self.built) = (Arc::new(desc), shapes, Arc::new(built));
        Ok(())
    }

    /// Shapes of the description at a frame; those without motion are those of the frame before.
    fn shapes_at(&self, desc: &SceneDesc) -> Vec<Shape> {
        let shutter = shutter(desc, self.built.scene.host());
        let shapes = desc.shapes.iter().zip(&self.shapes);
        let at_frame = shapes.map(|(described, known)| match described.is_moving() {
            true => described.build(&shutter),
            false => known.clone(),
        });
        at_frame.collect()
    }

    /// The scene at a frame at which only the camera has moved.
    fn built_at_camera(&self, desc: &SceneDesc, shapes: &[Shape]) -> Result<Option<Built>, Diagnostics> {
        let start = Instant::now();
        let is_static = Scene::are_placed_as(shapes, &self.shapes)
            && desc.lights.iter().all(|light| light.motion.is_none());
        if !is_static {
            return Ok(None);
        }
        let host = self.built.scene.host();
        let camera = placed_camera(desc, self.camera.as_deref(), host.space(), &shutter(desc, host))?;
        Ok(self.built.scene.at_camera(camera.view()).map(|scene| Built {
            scene,
            camera,
            build: start.elapsed(),
            ..Built::clone(&self.built)
        }))
    }

    /// The scene at a frame at which shapes or lights have moved.
    fn built_at(&self, desc: &SceneDesc, shapes: &[Shape]) -> Result<Built, Diagnostics> {
        let scene = &self.built.scene;
        let host = Arc::new(scene.host().for_frame().expect("the host of a scene is frozen"));
        let assembly = Assembly::new(&self.shaders, self.camera.as_deref(), self.threads);
        let assembly = assembly.at_frame(desc, Some(scene.clone()));
        let (mut built, _) = assembly.build(shapes.to_vec(), host)?;
        warn_about_light(desc, &built.scene, &mut built.warnings);
        Ok(built)
    }
}
