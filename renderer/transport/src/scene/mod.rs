//! The built scene: shapes, acceleration structure, materials and lights; immutable and shared by all threads.
//!
//! Ray masks and a bounding box of all transparent shapes separate these from opaque ones: a shadow ray that is
//! unoccluded, or misses the box, needs a single query, and scenes without transparent shapes have no extra cost.

mod background;
pub mod build;
mod callee;
mod contact;
mod emitters;
mod fingerprint;
mod geometry_stats;
mod link_table;
mod links;
mod locate;
mod media;
mod names;
mod null_interfaces;
pub mod reshade;
mod tessellation;
mod units;
mod visibility;

pub use background::Background;
pub use contact::Contact;
pub use contact::crossing::{PathStart, ShadowOrigin, Surroundings};
pub use geometry_stats::GeometryStats;
pub use link_table::SceneLinks;
pub use media::homogeneous::DistanceSampling;
pub use media::majorant::MediumStats;
pub use media::segment::{MediumSample, RaySegment};
pub use names::{LightName, SceneNames, ShapeName};
pub use units::MaterialUnits;
pub(crate) use visibility::ShadowRay;

use std::collections::BTreeSet;
use std::fmt;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::Vec3;
use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::interior::{Bodies, BodyId};
use crate::light::{
    ChosenLight, Light, LightId, LightSampleContext, LightViewer, ReceiverClass, SegmentLight,
};
use crate::material::{
    Host, Instances, Material, MaterialId, Medium, ShadingContext, Sides, TextureLoadError,
};
use contact::bounds::{contact_bounds, grown, placement_errors};
use contact::coplanar::coplanar_bounds;
use media::majorant::{Majorant, MediumFaults};
use null_interfaces::PossibleBody;
use renderer_base::color::Rgb;
use renderer_base::inline_list::InlineList;
use renderer_base::math::{Bounds, Ray};
use renderer_geometry::accel::{self, Accel, AccelError, BuildQuality};
use renderer_geometry::camera::{Camera, CameraRay, CameraView, FilmSample};
use renderer_geometry::{Hit, Interaction, Mesh, Shape, ShapeId, Tangents, add_world_meshes};
use renderer_scene::Nesting;

use emitters::{Emitters, ShapeSurface, on_threads};

/// Ray mask bit of opaque shapes.
const OPAQUE: u32 = 1;
/// Ray mask bit of shapes that may transmit light straight through.
const TRANSPARENT: u32 = 2;

/// Hits of a ray.
pub(crate) type HitList = InlineList<Hit, 8>;

/// Maximum number of transparent surfaces (null interfaces) that a ray crosses.
pub const MAX_NULL_INTERFACES: u32 = 1 << 14;

/// Scene, ready to be rendered.
#[derive(Clone)]
pub struct Scene {
    accel: Arc<Accel>,
    /// Time to build the acceleration structure.
    accel_time: Duration,
    shapes: Arc<[Shape]>,
    /// Material and light of each shape.
    surfaces: Arc<[ShapeSurface]>,
    materials: Vec<Material>,
    /// Ray mask of each shape.
    masks: Arc<[u32]>,
    /// Light links of the parts.
    links: Arc<SceneLinks>,
    /// True if any material uses ray footprints.
    uses_footprints: bool,
    /// True if a shape or a light moves.
    is_moving: bool,
    emitters: Emitters,
    regions: Regions,
    /// Objects with an interior.
    bodies: Bodies,
    /// Majorants of heterogeneous media, by body; empty without such media.
    majorants: Vec<Option<Majorant>>,
    /// Material of the medium that fills the scene.
    medium: Option<MaterialId>,
    /// Material with the shader of the camera.
    camera_shader: Option<MaterialId>,
    /// Bound on the rounding of points [m].
    rounding: f32,
    /// By shape: bounds on the rounding of its vertices in its transform, by axis [m].
    placement_errors: Arc<[Vec3]>,
    /// By shape: bounds of the points where it may coincide with others ([`contact::bounds`]); empty without bodies.
    contact_bounds: Vec<Bounds>,
    /// By shape without a body: bounds of the points where it may coincide with another one ([`contact::coplanar`]); empty if none
    /// do.
    coplanar_bounds: Vec<Bounds>,
    host: Arc<Host>,
}

/// Bounds of shapes with certain materials.
#[derive(Clone, Copy, Debug)]
struct Regions {
    /// Bounds of all shapes that may transmit light straight through, if there are any.
    transparent: Option<Bounds>,
    /// Bounds of the shapes with specular or straight transmission.
    passing: Option<Bounds>,
}

/// Inputs of [`Scene::new`].
pub struct SceneParts {
    /// Shapes.
    pub shapes: Vec<Shape>,
    /// Name of each shape, for shaders; empty if no shader uses them.
    pub shape_names: Vec<Arc<str>>,
    /// Material of each shape.
    pub shape_materials: Vec<MaterialId>,
    /// Materials: instances compiled for `host`, with their sidedness.
    pub materials: Vec<(Instances, Sides)>,
    /// Lights that are not shapes. Shapes whose material emits become lights automatically.
    pub lights: Vec<Light>,
    /// Environments whose radiance a shader computes; each replaces one of `lights`.
    pub backgrounds: Vec<Background>,
    /// Host through which the instances access textures and geometry; [`Scene::new`] freezes it.
    pub host: Arc<Host>,
    /// Camera, for shaders.
    pub camera: CameraView,
    /// Material with the shader of the camera, if it is custom.
    pub camera_shader: Option<MaterialId>,
    /// Number of threads for building; 0 for one per core.
    pub threads: usize,
    /// Build quality of the acceleration structure; `None` selects by the number of triangles.
    pub build_quality: Option<BuildQuality>,
    /// Material of the medium that fills the scene, if there is one.
    pub medium: Option<MaterialId>,
    /// Light links.
    pub links: SceneLinks,
    /// The scene at an earlier frame, with the same materials, whose geometry and inputs are reused.
    pub earlier: Option<Scene>,
}

/// Error of scene building.
#[derive(Debug, Error)]
pub enum SceneError {
    /// Unreadable textures.
    #[error("{}", list(.0))]
    Textures(Vec<TextureLoadError>),
    /// The acceleration structure could not be built.
    #[error(transparent)]
    Accel(#[from] AccelError),
}

fn list(errors: &[TextureLoadError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Infinite light hit by a ray that leaves the scene.
#[derive(Clone, Copy, Debug)]
pub struct InfiniteLightHit {
    /// Light.
    pub light: LightId,
    /// Radiance along the ray.
    pub radiance: Rgb,
    /// Density of the light's sampling for that direction [1/sr].
    pub pdf: f32,
}

impl Scene {
    /// Builds the acceleration structure, loads the textures and finds the emissive shapes.
    ///
    /// # Errors
    /// If textures cannot be read or Embree fails.
    ///
    /// # Panics
    /// If a shape has no material, or one that does not exist.
    pub fn new(parts: SceneParts) -> Result<Scene, SceneError> {
        let SceneParts {
            mut shapes,
            shape_names,
            shape_materials,
            materials,
            mut lights,
            backgrounds,
            host,
            camera,
            camera_shader,
            threads,
            build_quality,
            medium,
            links,
            earlier,
        } = parts;
        assert_eq!(shapes.len(), shape_materials.len(), "every shape needs a material");
        if let Some(earlier) = &earlier {
            reuse_shapes(&mut shapes, &earlier.shapes);
        }
        add_world_meshes(&mut shapes);
        let shapes: Arc<[Shape]> = shapes.into();
        let mut masks = masks(&shapes, &shape_materials, &materials);
        let is_transparent: Vec<bool> = masks.iter().map(|&mask| mask == TRANSPARENT).collect();
        for (mask, bits) in masks.iter_mut().zip(&links.blocker_bits) {
            *mask |= bits;
        }
        let filters = materials
            .iter()
            .any(|(instances, _)| instances.full.statistics().reads_derivatives);
        // Textures are read while the acceleration structure is built.
        let (frozen, accel) = std::thread::scope(|scope| {
            let textures = scope.spawn(|| host.freeze(shapes.clone(), camera, filters));
            let start = Instant::now();
            let accel = match earlier.as_ref().filter(|earlier| earlier.traces_as(&shapes, &masks)) {
                Some(earlier) => Ok(earlier.accel.clone()),
                None => {
                    let known = earlier.as_ref().map(|earlier| &*earlier.accel);
                    Accel::build_with(&shapes, &masks, threads, build_quality, known).map(Arc::new)
                }
            };
            let accel_time = start.elapsed();
            let frozen = textures.join().unwrap_or_else(|panic| resume_unwind(panic));
            (frozen, accel.map(|accel| (accel, accel_time)))
        });
        frozen.map_err(SceneError::Textures)?;
        let (accel, accel_time) = accel?;

        let mut context = ShadingContext::new(host.clone());
        let materials: Vec<Material> = materials
            .into_iter()
            .map(|(instances, sides)| Material::new(instances, sides, &host, &mut context))
            .collect();
        let material = |id: MaterialId| &materials[id.0 as usize];
        host.allow_rays(accel.clone(), shape_names.into());

        for background in backgrounds {
            let (index, shader) = (background.light, material(background.material));
            let light = on_threads(threads, || background.light(shader, &host));
            lights[index] = lights[index].replaced_by(light);
        }
        let radius = accel.bounds().radius();
        let (surfaces, emitters) =
            Emitters::new(lights, &shapes, &shape_materials, &materials, &host, threads);
        let emitters = emitters.linked(&links, radius);
        let surfaces = with_classes(surfaces, &links);
        let placement_errors: Arc<[Vec3]> = placement_errors(&shapes).into();
        let is_moving = shapes.iter().any(Shape::is_moving) || emitters.lights.iter().any(Light::is_moving);
        let passed = |(shape, &is_transparent): (_, &bool)| is_transparent.then_some(shape);
        let mut scene = Scene {
            regions: Regions {
                transparent: bounds_of(shapes.iter().zip(&is_transparent).filter_map(passed)),
                passing: passing(&shapes, &surfaces, &materials),
            },
            bodies: Bodies::default(),
            majorants: vec![],
            medium,
            camera_shader,
            rounding: placement_errors
                .iter()
                .map(|error| 2.0 * error.element_sum())
                .fold(Scene::rounding_within(accel.bounds()), f32::max),
            placement_errors,
            contact_bounds: vec![],
            coplanar_bounds: vec![],
            accel,
            accel_time,
            shapes,
            surfaces,
            masks: masks.into(),
            links: Arc::new(links),
            is_moving,
            uses_footprints: materials.iter().any(|material| material.wants_footprint()),
            materials,
            emitters,
            host,
        };
        scene.find_bodies(threads);
        Ok(scene)
    }

    /// Returns whether two frames have the same shapes in the same places.
    fn are_placed_as(shapes: &[Shape], earlier: &[Shape]) -> bool {
        let mut pairs = shapes.iter().zip(earlier);
        shapes.len() == earlier.len() && pairs.all(|(shape, earlier)| shape.is_placed_as(earlier))
    }

    /// Returns whether rays with any mask hit these shapes as they hit those of the scene.
    fn traces_as(&self, shapes: &[Shape], masks: &[u32]) -> bool {
        Scene::are_placed_as(shapes, &self.shapes) && *masks == *self.masks
    }

    /// The scene at a frame at which only the camera has moved, if no shader asks for its place.
    pub(crate) fn at_camera(&self, camera: CameraView) -> Option<Scene> {
        let host = self.host.for_frame().filter(|_| !self.queries_host())?;
        host.set_space(self.host.space());
        host.freeze(self.shapes.clone(), camera, false).ok()?;
        Some(Scene {
            host: Arc::new(host),
            accel_time: Duration::ZERO,
            ..self.clone()
        })
    }

    /// Finds the objects with an interior, contacts and majorants.
    fn find_bodies(&mut self, threads: usize) {
        let surfaces: Vec<MaterialId> = self.surfaces.iter().map(|of| of.material).collect();
        self.bodies = Bodies::new(&self.shapes, &surfaces, &self.materials, self.medium);
        let margin = 4.0 * self.rounding;
        let bounds: Vec<Bounds> =
            shape_bounds(self.shapes.iter()).map(|bounds| grown(&bounds, margin)).collect();
        self.contact_bounds = contact_bounds(&self.shapes, &bounds, &self.bodies, margin);
        self.coplanar_bounds = coplanar_bounds(&self.shapes, &bounds, &surfaces, &self.bodies, margin);
        let varies = |id| matches!(self.bodies.medium(id), Medium::Varying(_));
        self.majorants = match self.bodies.all().any(|(id, _)| varies(id)) {
            true => on_threads(threads, || self.majorants()),
            false => vec![],
        };
    }

    /// Returns the first hit of a ray.
    #[inline]
    pub fn intersect(&self, ray: &Ray) -> Option<Interaction> {
        self.intersect_masked(ray, accel::ALL)
    }

    #[inline(always)]
    fn intersect_masked(&self, ray: &Ray, mask: u32) -> Option<Interaction> {
        let hit = self.accel.intersect(ray, mask)?;
        Some(self.interaction(*ray, &hit))
    }

    /// Returns the first hit of a ray without the interaction there.
    #[inline]
    pub(crate) fn first_hit(&self, ray: &Ray) -> Option<Hit> {
        self.accel.intersect(ray, accel::ALL)
    }

    /// Replaces `hits` by all hits of a ray, in no order.
    pub(crate) fn all_hits(&self, ray: &Ray, hits: &mut HitList) {
        hits.clear();
        if ray.t_min <= ray.t_max {
            self.accel.all_hits(ray, accel::ALL, |hit| hits.push(*hit));
        }
    }

    /// Returns all distinct hits of a ray on the selected shapes, sorted by shape.
    pub fn hits_along(&self, ray: &Ray, selects: impl Fn(ShapeId) -> bool) -> Vec<Hit> {
        let mut hits = vec![];
        self.accel.all_hits(ray, accel::ALL, |hit| {
            if selects(hit.shape) {
                hits.push(*hit);
            }
        });
        // The structure may hold a triangle several times.
        let key = |hit: &Hit| (hit.shape, hit.primitive, hit.t.to_bits());
        hits.sort_unstable_by_key(key);
        hits.dedup_by_key(|hit| key(hit));
        hits
    }

    /// Computes the interaction of a ray at its hit.
    pub fn interaction_at(&self, ray: &Ray, hit: &Hit) -> Interaction {
        self.interaction(*ray, hit)
    }

    /// Returns whether a ray hits anything; finds the first hit for that, as [`Scene::intersect`] does.
    pub(crate) fn hits(&self, ray: &Ray) -> bool {
        self.accel.intersect(ray, accel::ALL).is_some()
    }

    /// Computes the interaction of `ray` at `hit`. Not inlined, so that the query is, and with a copy of
    /// the ray, so that the ray itself stays in registers for the query.
    #[inline(never)]
    fn interaction(&self, ray: Ray, hit: &Hit) -> Interaction {
        let tangents = if self.material(hit.shape).wants_derivatives() {
            Tangents::ByUv
        } else {
            Tangents::Any
        };
        self.shapes[hit.shape.0 as usize].interaction(hit.shape, hit, &ray, tangents)
    }

    /// Returns whether any material uses ray footprints.
    #[inline]
    pub fn uses_footprints(&self) -> bool {
        self.uses_footprints
    }

    /// Change of the shading normal for a displacement `dp` along the surface.
    pub fn normal_change(&self, it: &Interaction, dp: Vec3) -> Vec3 {
        self.shapes[it.shape.0 as usize].normal_change(it, dp)
    }

    /// Objects with an interior.
    #[inline]
    pub fn bodies(&self) -> &Bodies {
        &self.bodies
    }

    /// Faults of a body's medium that probes have found, if it is heterogeneous.
    fn medium_faults(&self, id: BodyId) -> Option<&MediumFaults> {
        let majorant = self.majorants.get(id.0 as usize)?.as_ref()?;
        Some(majorant.grid.faults())
    }

    /// Material of a shape.
    #[inline]
    pub fn material(&self, shape: ShapeId) -> &Material {
        &self.materials[self.material_id(shape).0 as usize]
    }

    /// Material id of a shape.
    #[inline]
    pub fn material_id(&self, shape: ShapeId) -> MaterialId {
        self.surfaces[shape.0 as usize].material
    }

    /// Light id of a shape; `None` if it does not emit.
    #[inline]
    pub fn light_of(&self, shape: ShapeId) -> Option<LightId> {
        self.surfaces[shape.0 as usize].light
    }

    /// Returns a light.
    ///
    /// # Panics
    /// If there is no such light.
    #[inline]
    pub fn light(&self, id: LightId) -> &Light {
        &self.emitters.lights[id.0 as usize]
    }

    /// Returns whether there are several lights, or parts of one, to select from.
    #[inline]
    pub fn has_light_choice(&self) -> bool {
        self.emitters.has_choice()
    }

    /// Selects a light for a reference point by `u` in `[0,1)`; `None` without lights.
    #[inline]
    pub fn select_light(&self, at: &LightSampleContext, u: f64) -> Option<ChosenLight> {
        self.emitters.select(at, u)
    }

    /// Returns whether there are lights with a position, which [`Scene::select_light_for_segment`] selects.
    pub(crate) fn has_lights_in_media(&self) -> bool {
        self.emitters.has_lights_in_media()
    }

    /// Returns whether there are lights with a position and no infinite lights that rays can hit.
    pub(crate) fn has_only_near_lights(&self) -> bool {
        self.has_lights_in_media() && self.emitters.infinite.is_empty()
    }

    /// Selects a light of a receiver with a position for the first `length` metres of a ray by two random numbers; `None` if
    /// none seems to reach it.
    pub fn select_light_for_segment(
        &self,
        receiver: ReceiverClass,
        ray: &Ray,
        length: f32,
        u: [f32; 2],
    ) -> Option<SegmentLight> {
        self.emitters.select_for_segment(receiver, ray, length, u)
    }

    /// Probability with which [`Scene::select_light`] selects a light without parts for a reference point, which it must
    /// illuminate.
    #[inline]
    pub fn light_probability(&self, at: &LightSampleContext, light: LightId) -> f32 {
        self.emitters.probability(at, light, 0)
    }

    /// Density of [`Scene::select_light`] and the light's sampling together for a point hit by a ray, from the
    /// reference point `at` [1/sr]; 0 if the point is not on a light that illuminates it.
    #[inline]
    pub fn light_pdf(&self, at: &LightSampleContext, found: &Interaction) -> f32 {
        match self.light_of(found.shape) {
            Some(id) if self.link(id).illuminates(at.receiver) => {
                let light = self.light(id);
                let part = light.part_of(found.primitive);
                self.emitters.probability(at, id, part) * light.pdf_li(at.p, found)
            }
            _ => 0.0,
        }
    }

    /// Infinite lights seen by a ray that leaves the scene, with the densities of light sampling from `p`.
    #[inline]
    pub fn escape(&self, p: Vec3, ray: &Ray) -> impl Iterator<Item = InfiniteLightHit> + '_ {
        let viewer = LightViewer { time: ray.time, ..LightViewer::at(p) };
        let direction = ray.direction;
        self.emitters.infinite.iter().map(move |&id| {
            let (radiance, pdf) = self.emitters.lights[id.0 as usize].le_pdf(&viewer, direction);
            InfiniteLightHit { light: id, radiance, pdf }
        })
    }

    /// Lights, those of shapes last.
    pub fn lights(&self) -> &[Light] {
        &self.emitters.lights
    }

    /// Materials, indexed by [`MaterialId`].
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// Shapes, indexed by [`ShapeId`].
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// The ray of a camera at a sample of its film, by its shader if it is custom.
    #[inline]
    pub fn camera_ray(
        &self,
        camera: &Camera,
        sample: &FilmSample,
        context: &mut ShadingContext,
    ) -> CameraRay {
        match self.camera_shader.filter(|_| camera.custom().is_some()) {
            None => camera.generate(sample.point, sample.lens_u, sample.time),
            Some(id) => {
                let shader = self.materials[id.0 as usize].camera();
                shader.expect("the material is a camera's").ray(camera, sample, context)
            }
        }
    }

    /// Host of the shaders.
    pub fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// Reason why texels could not be read during lookups; `None` if there was no failure.
    pub fn texture_failure(&self) -> Option<&str> {
        self.host.textures()?.cache().failure()
    }

    /// Files that running shaders may look up by names that are constants, whether or not they have been read.
    pub fn late_files(&self) -> impl Iterator<Item = PathBuf> {
        let names: BTreeSet<&str> = self.materials.iter().flat_map(Material::late_files).collect();
        names.into_iter().flat_map(|name| self.host.files_named(name))
    }

    /// Returns whether shaders look up files by names that they compose at run time: which these are is not known, and
    /// [`Scene::fingerprint`] does not include them.
    pub fn computes_names(&self) -> bool {
        self.materials.iter().any(Material::computes_names)
    }

    /// Returns whether shaders ask the renderer for attributes or spaces, which may be those of the camera.
    pub fn queries_host(&self) -> bool {
        let asks = |material: &Material| material.instances().known().any(|known| known.queries_host);
        self.materials.iter().any(asks)
    }

    /// Returns whether a shape or a light moves while the shutter is open.
    pub fn is_moving(&self) -> bool {
        self.is_moving
    }

    /// Bounds of all shapes; empty if there are none.
    pub fn bounds(&self) -> Bounds {
        self.accel.bounds()
    }

    /// Statistics of the majorants of media.
    pub fn medium_stats(&self) -> MediumStats {
        MediumStats::new(self.majorants.iter().flatten())
    }

    /// Statistics of the geometry.
    pub fn geometry_stats(&self) -> GeometryStats {
        GeometryStats::new(&self.shapes, self.accel.memory(), self.accel_time)
    }
}

/// Replaces shapes by those of an earlier frame that are in the same place, which have world-space copies.
fn reuse_shapes(shapes: &mut [Shape], earlier: &[Shape]) {
    for (shape, earlier) in shapes.iter_mut().zip(earlier) {
        if shape.is_placed_as(earlier) {
            *shape = earlier.clone();
        }
    }
}

/// Surfaces with the receiver classes of their shapes.
fn with_classes(mut surfaces: Vec<ShapeSurface>, links: &SceneLinks) -> Arc<[ShapeSurface]> {
    for (id, surface) in (0..).map(ShapeId).zip(&mut surfaces) {
        surface.class = links.class_of(id);
    }
    surfaces.into()
}

/// Bounds of the shapes with specular or straight transmission.
fn passing(shapes: &[Shape], surfaces: &[ShapeSurface], materials: &[Material]) -> Option<Bounds> {
    let shapes = shapes.iter().zip(surfaces);
    bounds_of(shapes.filter_map(|(shape, of)| materials[of.material.0 as usize].may_pass().then_some(shape)))
}

/// Ray masks of the shapes.
fn masks(shapes: &[Shape], surfaces: &[MaterialId], materials: &[(Instances, Sides)]) -> Vec<u32> {
    let of = |id: MaterialId| &materials[id.0 as usize];
    let may_be_absent = null_interfaces::possible(shapes, |index| {
        let (instances, sides) = of(surfaces[index]);
        let may_displace = instances.may_refract() || sides.nesting == Nesting::Relative;
        let is_body = may_displace || instances.inside.is_some() || sides.priority.is_some();
        is_body.then(|| PossibleBody {
            priority: sides.priority.or(instances.priority()).unwrap_or_default(),
            may_displace,
        })
    });
    let mask = |(&id, is_absent): (&MaterialId, bool)| match of(id).0.may_be_transparent() || is_absent {
        true => TRANSPARENT,
        false => OPAQUE,
    };
    surfaces.iter().zip(may_be_absent).map(mask).collect()
}

/// Bounds of the shapes, if there are any.
fn bounds_of<'a>(shapes: impl Iterator<Item = &'a Shape>) -> Option<Bounds> {
    shape_bounds(shapes).reduce(Bounds::union).map(Bounds::widened)
}

/// Bounds of each shape; those of instances follow from the bounds of their mesh.
fn shape_bounds<'a>(shapes: impl Iterator<Item = &'a Shape>) -> impl Iterator<Item = Bounds> {
    let mut meshes: FxHashMap<*const Mesh, Bounds> = FxHashMap::default();
    shapes.map(move |shape| match shape.mesh() {
        Some(mesh) if shape.vertex_motion().is_none() => {
            let bounds = *meshes.entry(Arc::as_ptr(mesh)).or_insert_with(|| mesh.bounds());
            shape.placement().bounds(|to_world| to_world.bounds(&bounds))
        }
        _ => shape.bounds(),
    })
}

impl fmt::Debug for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shapes, lights) = (self.shapes.len(), self.emitters.lights.len());
        write!(f, "Scene({shapes} shapes, {} materials, {lights} lights)", self.materials.len())
    }
}
