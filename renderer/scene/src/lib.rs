//! Scene description: validated plain data of a scene file, before shaders are compiled and acceleration structures
//! built.
//!
//! - All references are resolved: a shape holds the id of its material, a mesh file has been loaded as a mesh, a map as
//!   an image. The remaining steps need the shading system and Embree.
//! - Numbers are in range: lengths positive where they must be, transforms invertible, nothing NaN.
//! - Values that a later step can still reject carry their source location as a [`Span`] of [`SceneDesc::sources`].
//! - A description is plain data that a program may also make or change before it is built.

#![deny(unsafe_code, missing_docs)]
// Results must have the same bits with any C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// Units are written in brackets: `[m]`.
#![allow(rustdoc::broken_intra_doc_links, reason = "units stand in brackets")]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

mod camera;
mod deformation;
mod film;
mod frame_time;
mod geometry;
mod integrator;
mod light;
mod light_links;
mod luminaire;
mod material;
mod motion;
mod nesting;
mod placed;
mod ray_override;
mod shape;
mod shape_pattern;
mod shutter;
mod tessellation;
mod track;
mod vertex_keys;

pub use camera::CameraDesc;
pub use deformation::Deformation;
pub use film::{FilmDesc, SamplerDesc};
pub use frame_time::FrameTime;
pub use geometry::GeometryDesc;
pub use integrator::{Integrator, MAX_NEAREST, MAX_SPLIT, PathSettings, PhotonSettings, Show};
pub use light::{
    Interpolation, LightDesc, LightKind, MapRows, Outline, SlideDesc, SlideLookup, SlideWrap, SpotFalloff,
    SpotSlide,
};
pub use light_links::{LightLinks, LightVisibility, ShapeFilter, ShapePattern};
pub use luminaire::{AngularTable, LUMENS_PER_WATT, Luminaire, PhotometricWeb, Photometry, Symmetry};
pub use material::{DisplacementMode, EmissionSides, MaterialDesc, MaterialId, ShaderFile, TextureDesc};
pub use motion::{Motion, NodeTracks, SceneTime, Shutter, TransformKey};
pub use nesting::{Nesting, Priority};
pub use placed::Placed;
pub use ray_override::{RayFilter, RayOverride};
pub use shape::{Catcher, ModelPart, ShapeDesc};
pub use shape_pattern::names_shape;
pub use shutter::{ShutterCurve, ShutterTiming};
pub use tessellation::{DicingDesc, TessellationDesc};
pub use track::{Track, TrackInterpolation, TrackValue};
pub use vertex_keys::{VertexKeys, VertexVelocities};

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use shading::{Diagnostic, ShaderGroupTemplate, SourceMap, Span};

use renderer_base::files::SharedFiles;
use renderer_base::math::in_single;
use renderer_geometry::Mesh;
use renderer_geometry::accel::BuildQuality;

/// Validated content of a scene file.
#[derive(Clone, Debug)]
pub struct SceneDesc {
    /// Sources that spans refer to: the scene file, its imports, command-line options.
    pub sources: SourceMap,
    /// Path of the scene file.
    pub file: PathBuf,
    /// Input files: the scene file, imports, and files that models name. Texture files that only shaders name are known
    /// after the scene is built.
    pub files: Vec<PathBuf>,
    /// File system in which named files are looked up.
    pub file_system: SharedFiles,
    /// Search path for texture files named in materials, in this order: the directories of the scene file and of its
    /// imports.
    pub texture_directories: Vec<PathBuf>,
    /// Maximum memory for texels [bytes]; half of the free memory when `None`.
    pub texture_memory: Option<u64>,
    /// Build quality of the acceleration structure; by the number of triangles when `None`.
    pub build_quality: Option<BuildQuality>,
    /// Shaders that rays of a kind see in place of the materials.
    pub overrides: Vec<RayOverride>,
    /// True if an animation changes other values than transforms and vertices, such as those of materials. These values are
    /// of the frame for which the scene was read, and [`SceneDesc::set_frame`] keeps them.
    pub has_animated_values: bool,
    /// Film settings.
    pub film: FilmDesc,
    /// Sampler settings.
    pub sampler: SamplerDesc,
    /// Integrator settings.
    pub integrator: Integrator,
    /// Cameras; the first is the default. Never empty after loading.
    pub cameras: Vec<CameraDesc>,
    /// Shapes.
    pub shapes: Vec<ShapeDesc>,
    /// Material of the medium that fills the scene.
    pub medium: Option<MaterialId>,
    /// Lights that are not shapes.
    pub lights: Vec<LightDesc>,
    /// Materials, indexed by [`MaterialId`].
    pub materials: Vec<MaterialDesc>,
    /// Textures of imported models, under names of their own.
    pub textures: Vec<TextureDesc>,
    /// Units and groups that the scene declares or imports.
    pub shaders: Vec<ShaderFile>,
    /// Groups that a program has made, which materials name.
    pub groups: Vec<Arc<ShaderGroupTemplate>>,
}

impl SceneDesc {
    /// Returns the camera called `name`, or the first one if no name is given.
    ///
    /// # Errors
    /// If there is no camera of that name, or none at all.
    pub fn camera(&self, name: Option<&str>) -> Result<&CameraDesc, Diagnostic> {
        let found = match name {
            Some(name) => self.cameras.iter().find(|camera| camera.name == name),
            None => self.cameras.first(),
        };
        found.ok_or_else(|| {
            if self.cameras.is_empty() {
                let example = if self.file.extension().is_some_and(|extension| extension == "xml") {
                    "<sensor type=\"perspective\"><transform name=\"to_world\"><lookat origin=\"0, 1, 4\" \
                     target=\"0, 0.5, 0\" up=\"0, 1, 0\"/></transform></sensor>"
                } else {
                    "camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); fov = 40; }"
                };
                return Diagnostic::error(format!("{} has no camera", self.file.display()))
                    .hint(format!("add one: `{example}`"));
            }
            let name = name.unwrap_or_default();
            let known = self.cameras.iter().map(|camera| camera.name.as_str());
            let list = known.clone().collect::<Vec<_>>().join(", ");
            Diagnostic::error(format!("{} has no camera `{name}`", self.file.display()))
                .nearest(name, known)
                .hint(format!("its cameras are: {list}"))
        })
    }

    /// Sets the frame: shapes and cameras with a motion have the pose of that frame.
    pub fn set_frame(&mut self, frame: f64) {
        self.film.shutter.frame = frame;
        let time = self.film.shutter.instant().at(0.0);
        for shape in &mut self.shapes {
            if let Some(motion) = &shape.motion {
                shape.world_from_object = in_single(&motion.at(time));
            }
            if let Some(geometry) = shape.deformation.as_ref().and_then(|deformation| deformation.at(time)) {
                shape.geometry = geometry;
            }
        }
        for camera in &mut self.cameras {
            if let Some(motion) = &camera.motion {
                camera.camera.world_from_camera = in_single(&motion.at(time));
            }
        }
    }

    /// Replaces meshes by those of the same shapes of another description, if they are equal.
    pub fn share_meshes(&mut self, other: &SceneDesc) {
        // Shapes that hold the same mesh are instances.
        let mut shared: BTreeMap<*const Mesh, Option<Arc<Mesh>>> = BTreeMap::new();
        for (shape, other) in self.shapes.iter_mut().zip(&other.shapes) {
            let Some(mesh) = shape.geometry.mesh() else { continue };
            let equal = shared
                .entry(Arc::as_ptr(mesh))
                .or_insert_with(|| other.geometry.mesh().filter(|known| *known == mesh).cloned());
            if let Some(equal) = equal {
                shape.geometry = GeometryDesc::Mesh(equal.clone());
            }
        }
    }

    /// Seed of the frame's random numbers; `seed` replaces that of the sampler.
    pub fn frame_seed(&self, seed: Option<u64>) -> u64 {
        /// 2⁶⁴ divided by the golden ratio.
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        let seed = seed.unwrap_or(self.sampler.seed);
        match self.sampler.per_frame {
            true => seed ^ self.film.shutter.frame.to_bits().wrapping_mul(GOLDEN),
            false => seed,
        }
    }

    /// Returns whether a shape, a camera or a light has a motion.
    pub fn has_motion(&self) -> bool {
        self.shapes.iter().any(ShapeDesc::is_moving)
            || self.cameras.iter().any(|camera| camera.motion.is_some())
            || self.lights.iter().any(|light| light.motion.is_some())
    }

    /// Returns whether frames of the scene differ: a motion, or another animated value.
    pub fn is_animated(&self) -> bool {
        self.has_motion() || self.has_animated_values
    }

    /// Returns whether the scene is a library: units, groups and materials for others to import, nothing to render.
    pub fn is_library(&self) -> bool {
        self.cameras.is_empty() && self.shapes.is_empty() && self.lights.is_empty()
    }

    /// Adds a camera at the origin to a scene without cameras, for work that does not depend on the viewpoint.
    pub fn ensure_camera(&mut self) {
        if self.cameras.is_empty() {
            self.cameras.push(CameraDesc {
                name: "origin".to_owned(),
                span: Span::default(),
                camera: renderer_geometry::camera::CameraDesc::pinhole(1.0),
                shader: None,
                motion: None,
            });
        }
    }

    /// Returns a material by its id.
    ///
    /// # Panics
    /// If the id belongs to another scene.
    pub fn material(&self, id: MaterialId) -> &MaterialDesc {
        &self.materials[id.0 as usize]
    }
}
