//! The built scene: shapes, acceleration structure, materials and lights; immutable and shared by all threads.
//!
//! Transparent shapes are separated from opaque ones by ray masks and a bounding box of all transparent shapes: a
//! shadow ray that is blocked by nothing, or misses the box, needs a single query, and scenes without transparent
//! shapes have no extra cost.

pub mod build;
mod fingerprint;
mod geometry_stats;
mod visibility;

pub use geometry_stats::GeometryStats;

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::{Affine3A, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::light::{AreaLight, ChosenLight, Light, LightId, LightSelector, LitPoint, Probing};
use crate::material::{Host, Instances, Material, MaterialId, ShadingContext, Sides, TextureFault};
use renderer_base::color::Rgb;
use renderer_base::math::{Bounds, Ray};
use renderer_geometry::accel::{self, Accel, AccelError, BuildQuality};
use renderer_geometry::{Geometry, Hit, Interaction, Mesh, Shape, ShapeId, Tangents, bake_single_use};

/// Mask bit of shapes that stop all light.
const OPAQUE: u32 = 1;
/// Mask bit of shapes that let light through somewhere.
const TRANSPARENT: u32 = 2;

/// Transparent surfaces that a ray may pass one after another.
pub const MAX_PASSES: u32 = 1024;

/// A scene, ready to be rendered.
pub struct Scene {
    accel: Arc<Accel>,
    /// Time that building it took.
    accel_time: Duration,
    shapes: Arc<[Shape]>,
    /// By shape.
    surfaces: Vec<ShapeSurface>,
    materials: Vec<Material>,
    /// Whether any of them asks how things change from pixel to pixel.
    wants_footprints: bool,
    lights: Vec<Light>,
    selector: LightSelector,
    /// The lights at infinity that rays can hit.
    infinite: Vec<LightId>,
    /// A box that holds all shapes that light may pass straight through, if there are any.
    transparent: Option<Bounds>,
    /// The same of shapes that absorb light inside.
    absorbing: Option<Bounds>,
    host: Arc<Host>,
}

/// What a shape looks like.
#[derive(Clone, Copy, Debug)]
struct ShapeSurface {
    material: MaterialId,
    light: Option<LightId>,
}

/// What a scene is made from.
pub struct SceneParts {
    /// The shapes.
    pub shapes: Vec<Shape>,
    /// The name of each shape, for shaders that ask; none where nobody does.
    pub shape_names: Vec<Arc<str>>,
    /// The material of each shape.
    pub shape_materials: Vec<MaterialId>,
    /// The materials: instances of the closure to be rendered, compiled for `host`.
    pub materials: Vec<(Instances, Sides)>,
    /// Lights that are no shapes. Shapes whose material emits become lights by themselves.
    pub lights: Vec<Light>,
    /// Through which the instances see textures and geometry. It is frozen here.
    pub host: Arc<Host>,
    /// The camera, for shaders that ask.
    pub world_from_camera: Affine3A,
    /// Threads to build with; 0 for one per core.
    pub threads: usize,
    /// How much work goes into the acceleration structure; by the number of triangles where it is not said.
    pub build_quality: Option<BuildQuality>,
}

/// Why a scene cannot be built.
#[derive(Debug, Error)]
pub enum SceneError {
    /// Textures that cannot be read.
    #[error("{}", list(.0))]
    Textures(Vec<TextureFault>),
    /// Rays cannot be traced.
    #[error(transparent)]
    Accel(#[from] AccelError),
}

fn list(errors: &[TextureFault]) -> String {
    errors
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

/// A light that a ray leaving the scene has hit.
#[derive(Clone, Copy, Debug)]
pub struct Escaped {
    /// The light.
    pub light: LightId,
    /// Radiance against the ray.
    pub radiance: Rgb,
    /// Density with which the light's sampling chooses that direction [1/sr].
    pub pdf: f32,
}

impl Scene {
    /// Builds the acceleration structure, loads the textures and finds the shapes that are lights.
    ///
    /// # Errors
    /// When textures cannot be read or Embree fails.
    ///
    /// # Panics
    /// When a shape has no material, or one that does not exist.
    pub fn new(parts: SceneParts) -> Result<Scene, SceneError> {
        let SceneParts {
            mut shapes,
            shape_names,
            shape_materials,
            materials,
            mut lights,
            host,
            world_from_camera,
            threads,
            build_quality,
        } = parts;
        assert_eq!(
            shapes.len(),
            shape_materials.len(),
            "every shape needs a material"
        );
        bake_single_use(&mut shapes);
        let shapes: Arc<[Shape]> = shapes.into();
        host.freeze(shapes.clone(), world_from_camera)
            .map_err(SceneError::Textures)?;

        let mut context = ShadingContext::new(host.clone());
        let materials: Vec<Material> = materials
            .into_iter()
            .map(|(instances, sides)| Material::new(instances, sides, &host, &mut context))
            .collect();
        let material = |id: MaterialId| &materials[id.0 as usize];

        let mask = |id: &MaterialId| {
            if material(*id).may_be_transparent() {
                TRANSPARENT
            } else {
                OPAQUE
            }
        };
        let masks: Vec<u32> = shape_materials.iter().map(mask).collect();
        let start = Instant::now();
        let accel = Arc::new(Accel::build_with(&shapes, &masks, threads, build_quality)?);
        let accel_time = start.elapsed();
        host.allow_rays(accel.clone(), shape_names.into());

        let ids = (0..).map(ShapeId).zip(shapes.iter()).zip(&shape_materials);
        let emitters: Vec<_> = ids.filter(|&(_, &id)| material(id).may_emit()).collect();
        let probed = emitters
            .iter()
            .filter(|&&(_, &id)| material(id).constant_emission().is_none())
            .count();
        let probing = Probing::shared_by(probed);
        let make = |&((id, shape), &material_id): &((ShapeId, &Shape), &MaterialId)| {
            AreaLight::new(shape.clone(), id, material(material_id).clone(), probing, &host)
                .map(|light| (id, light))
        };
        let made: Vec<_> = match probed {
            0 => emitters.iter().filter_map(make).collect(),
            _ => on_threads(threads, || emitters.par_iter().filter_map(make).collect()),
        };

        let mut surfaces: Vec<ShapeSurface> = shape_materials
            .iter()
            .map(|&material| ShapeSurface {
                material,
                light: None,
            })
            .collect();
        for (id, light) in made {
            surfaces[id.0 as usize].light = Some(LightId(lights.len() as u32));
            lights.push(Light::Area(Box::new(light)));
        }

        let bounds = |has: &dyn Fn(&Material) -> bool| {
            let shapes = shapes.iter().zip(&surfaces);
            bounds_of(
                shapes.filter_map(|(shape, of)| has(&materials[of.material.0 as usize]).then_some(shape)),
            )
        };
        let radius = accel.bounds().radius();
        let infinite = (0..)
            .map(LightId)
            .zip(&lights)
            .filter(|(_, light)| light.is_infinite() && !light.is_delta());
        Ok(Scene {
            infinite: infinite.map(|(id, _)| id).collect(),
            selector: LightSelector::new(&lights, radius),
            transparent: bounds(&Material::may_be_transparent),
            absorbing: bounds(&Material::may_absorb),
            accel,
            accel_time,
            shapes,
            surfaces,
            wants_footprints: materials.iter().any(|material| material.wants_footprint()),
            materials,
            lights,
            host,
        })
    }

    /// What a ray meets first.
    #[inline]
    pub fn intersect(&self, ray: &Ray) -> Option<Interaction> {
        self.intersect_masked(ray, accel::ALL)
    }

    #[inline(always)]
    fn intersect_masked(&self, ray: &Ray, mask: u32) -> Option<Interaction> {
        let hit = self.accel.intersect(ray, mask)?;
        Some(self.interaction(*ray, &hit))
    }

    /// How far a ray comes before it meets something; `None` where it does not.
    #[inline]
    pub fn distance(&self, ray: &Ray) -> Option<f32> {
        self.intersect(ray).map(|it| it.t)
    }

    /// What `ray` found at `hit`. Not inlined, so that the query is, and with a copy of the ray, so that the ray itself
    /// goes to the query without a way through memory.
    #[inline(never)]
    fn interaction(&self, ray: Ray, hit: &Hit) -> Interaction {
        let tangents = if self.material(hit.shape).wants_derivatives() {
            Tangents::ByUv
        } else {
            Tangents::Any
        };
        self.shapes[hit.shape.0 as usize].interaction(hit.shape, hit, &ray, tangents)
    }

    /// Whether any material asks how things change from pixel to pixel.
    #[inline]
    pub fn wants_footprints(&self) -> bool {
        self.wants_footprints
    }

    /// How the shading normal at a point changes when the point moves by `dp` along the surface.
    pub fn normal_change(&self, it: &Interaction, dp: Vec3) -> Vec3 {
        self.shapes[it.shape.0 as usize].normal_change(it, dp)
    }

    /// The material of a shape.
    #[inline]
    pub fn material(&self, shape: ShapeId) -> &Material {
        &self.materials[self.material_id(shape).0 as usize]
    }

    /// The same as its number.
    #[inline]
    pub fn material_id(&self, shape: ShapeId) -> MaterialId {
        self.surfaces[shape.0 as usize].material
    }

    /// The light that a shape is.
    #[inline]
    pub fn light_of(&self, shape: ShapeId) -> Option<LightId> {
        self.surfaces[shape.0 as usize].light
    }

    /// A light.
    ///
    /// # Panics
    /// When there is no such light.
    #[inline]
    pub fn light(&self, id: LightId) -> &Light {
        &self.lights[id.0 as usize]
    }

    /// Whether there are several lights, or parts of one, to choose from.
    #[inline]
    pub fn has_light_choice(&self) -> bool {
        self.selector.has_choice()
    }

    /// Chooses a light for a point by `u` in `[0,1)`. `None` without lights.
    #[inline]
    pub fn select_light(&self, at: &LitPoint, u: f64) -> Option<ChosenLight> {
        self.selector.select(&self.lights, at, u)
    }

    /// The probability with which [`Scene::select_light`] chooses a light without parts for a point.
    #[inline]
    pub fn light_probability(&self, at: &LitPoint, light: LightId) -> f32 {
        self.selector.probability(&self.lights, at, light, 0)
    }

    /// The density per solid angle with which [`Scene::select_light`] and the light's sampling together choose, for `at`,
    /// a point that a ray found; 0 where that is on no light [1/sr].
    #[inline]
    pub fn light_pdf(&self, at: &LitPoint, found: &Interaction) -> f32 {
        match self.light_of(found.shape) {
            Some(id) => {
                let light = self.light(id);
                let part = light.part_of(found.primitive);
                self.selector.probability(&self.lights, at, id, part) * light.pdf_li(at.p, found)
            }
            None => 0.0,
        }
    }

    /// The lights that a ray finds as it leaves the scene in the unit vector `direction`, with the densities of light samples
    /// from `p`.
    #[inline]
    pub fn escape(&self, p: Vec3, direction: Vec3) -> impl Iterator<Item = Escaped> + '_ {
        self.infinite.iter().map(move |&id| {
            let (radiance, pdf) = self.lights[id.0 as usize].le_pdf(p, direction);
            Escaped {
                light: id,
                radiance,
                pdf,
            }
        })
    }

    /// The lights, those that are shapes last.
    pub fn lights(&self) -> &[Light] {
        &self.lights
    }

    /// The materials, by [`MaterialId`].
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// The shapes.
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// The host of the shaders.
    pub fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// Why texels could not be read when they were looked up, where that was so.
    pub fn texture_failure(&self) -> Option<&str> {
        self.host.textures()?.cache().failure()
    }

    /// The files of its textures and point clouds; those that are parts of other files have a name that is no path.
    pub fn input_files(&self) -> impl Iterator<Item = &Path> + '_ {
        self.host.input_files()
    }

    /// A box that holds all shapes; empty when there are none.
    pub fn bounds(&self) -> Bounds {
        self.accel.bounds()
    }

    /// What its geometry takes.
    pub fn geometry_stats(&self) -> GeometryStats {
        GeometryStats::new(&self.shapes, self.accel.memory(), self.accel_time)
    }
}

/// A box that holds the shapes, if there are any; instances cost no more than one look at their mesh.
fn bounds_of<'a>(shapes: impl Iterator<Item = &'a Shape>) -> Option<Bounds> {
    let mut meshes: FxHashMap<*const Mesh, Bounds> = FxHashMap::default();
    let bounds = shapes.map(|shape| match &shape.geometry {
        Geometry::Mesh(mesh) => meshes
            .entry(Arc::as_ptr(mesh))
            .or_insert_with(|| Bounds::of_points(mesh.positions.iter().copied()))
            .transformed(&shape.world_from_object),
        Geometry::Sphere | Geometry::Disk | Geometry::Cylinder => shape.bounds(),
    });
    bounds.reduce(Bounds::union).map(Bounds::widened)
}

/// Runs `work` on that many threads, 0 for one per core; on the present ones where no more can be had.
fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

impl fmt::Debug for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shapes, lights) = (self.shapes.len(), self.lights.len());
        write!(
            f,
            "Scene({shapes} shapes, {} materials, {lights} lights)",
            self.materials.len()
        )
    }
}
