//! Majorants of the heterogeneous media of a scene; objects with the same medium in object space share a grid.

use std::sync::Arc;

use glam::Vec3;
use rustc_hash::FxHashMap;

use super::majorant::{Landmarks, Majorant, MajorantGrid, MediumField, MediumProbe, MediumSpace};
use super::medium_point;
use crate::interior::{Body, BodyId};
use crate::light::Light;
use crate::material::{HitRay, MaterialId, Medium, MediumBounds, RayKind, ShadingContext};
use crate::scene::Scene;
use renderer_base::math::Bounds;
use renderer_geometry::{Mesh, Placement, Shape, ShapeId};

/// Number of points at which two media are compared, and maximum number of earlier media of a material that a medium is
/// compared with.
const COMPARED_POINTS: u64 = 64;
const MAX_COMPARED_MEDIA: usize = 4;

/// Maximum number of shapes, and of lights, among the landmarks.
const MAX_LANDMARKS: usize = 256;

/// The medium of an object, and the space of its majorant grid.
#[derive(Clone, Copy, Debug)]
struct PlacedMedium {
    id: BodyId,
    space: MediumSpace,
}

/// Objects with the same medium in object space.
struct MediumInstances {
    first: PlacedMedium,
    others: Vec<PlacedMedium>,
}

/// Bounds of a shape in object space; computed once for each mesh.
fn object_bounds(shape: &Shape, meshes: &mut FxHashMap<*const Mesh, Bounds>) -> Bounds {
    match shape.mesh() {
        Some(mesh) => *meshes.entry(Arc::as_ptr(mesh)).or_insert_with(|| mesh.bounds()),
        None => shape.geometry.bounds(),
    }
}

impl Scene {
    /// Majorants of all heterogeneous media, by object.
    pub(crate) fn majorants(&self) -> Vec<Option<Majorant>> {
        let varying = |(_, body): &(BodyId, &Body)| matches!(body.medium, Medium::Varying(_));
        let mut found = vec![None; self.bodies.all().count()];
        let media = self.distinct_media(self.bodies.all().filter(varying));
        let landmarks = self.landmarks();
        let probes = Majorant::probes(media.len());
        for MediumInstances { first, others } in media {
            let made = self.majorant_of(first, probes, &landmarks);
            for instance in others {
                let grid = made.grid.clone();
                let motion = self.medium_motion(instance.id);
                found[instance.id.0 as usize] = Some(Majorant { space: instance.space, grid, motion });
            }
            found[first.id.0 as usize] = Some(made);
        }
        found
    }

    /// Placement of the object that bounds a medium, if it moves.
    fn medium_motion(&self, id: BodyId) -> Option<Placement> {
        let shape = self.bodies.get(id).shape.map(|id| &self.shapes[id.0 as usize])?;
        shape.placement().is_moving().then(|| shape.placement().clone())
    }

    /// Groups objects with the same medium in object space.
    fn distinct_media<'a>(
        &'a self,
        bodies: impl Iterator<Item = (BodyId, &'a Body)>,
    ) -> Vec<MediumInstances> {
        let mut list: Vec<MediumInstances> = vec![];
        let mut by_material: FxHashMap<MaterialId, Vec<usize>> = FxHashMap::default();
        let mut meshes: FxHashMap<*const Mesh, Bounds> = FxHashMap::default();
        let shapes = self.shapes_of_bodies();
        let mut context = ShadingContext::new(self.host.clone());
        for (id, body) in bodies {
            let medium = PlacedMedium {
                id,
                space: self.medium_space(body, shapes[id.0 as usize], &mut meshes),
            };
            let known = by_material.entry(body.material).or_default();
            // Media that depend on world space mostly all differ, so only a few are compared.
            let recent = known.iter().rev().take(MAX_COMPARED_MEDIA);
            let same = recent.copied().find(|&index| {
                let first = list[index].first;
                medium.space.is_congruent(&first.space) && self.are_alike(&first, &medium, &mut context)
            });
            match same {
                Some(index) => list[index].others.push(medium),
                None => {
                    known.push(list.len());
                    list.push(MediumInstances { first: medium, others: vec![] });
                }
            }
        }
        list
    }

    /// Returns whether two media have the same coefficients at the same points of their spaces, as far as some points
    /// show. An error leads to low majorants, which only cause noise.
    fn are_alike(&self, a: &PlacedMedium, b: &PlacedMedium, context: &mut ShadingContext) -> bool {
        /// Minimum number of points with density: two mostly empty media may differ elsewhere.
        const MIN_WITH_DENSITY: u64 = 4;
        /// Relative difference of coefficients due to rounding of coordinates.
        const ROUNDING: f32 = 1e-2;
        let mut with_density = 0;
        for index in 0..COMPARED_POINTS {
            let p = a.space.spread(index);
            let [a, b] = [a, b].map(|medium| self.probe_medium(medium, p, context).rate);
            if (a - b).abs() > ROUNDING * a.max(b) {
                return false;
            }
            with_density += u64::from(a > 0.0);
        }
        with_density >= MIN_WITH_DENSITY
    }

    /// Number of shapes that bound each object.
    fn shapes_of_bodies(&self) -> Vec<u32> {
        let mut counts = vec![0; self.bodies.all().count()];
        for shape in (0..self.shapes.len() as u32).map(ShapeId) {
            if let Some(id) = self.bodies.of_shape(shape) {
                counts[id.0 as usize] += 1;
            }
        }
        counts
    }

    /// The space of an object's medium: its own if a single shape bounds it.
    fn medium_space(
        &self,
        body: &Body,
        shapes: u32,
        meshes: &mut FxHashMap<*const Mesh, Bounds>,
    ) -> MediumSpace {
        let shape = body.shape.map(|id| &self.shapes[id.0 as usize]);
        match shape.filter(|_| !body.is_open && shapes == 1) {
            Some(shape) => MediumSpace::object(
                object_bounds(shape, meshes),
                *shape.placement().open().world_from_object(),
            ),
            // A medium without end is bounded by the scene.
            None if body.is_open => MediumSpace::world(self.bounds().union(body.bounds)),
            None => MediumSpace::world(body.bounds),
        }
    }

    fn majorant_of(&self, medium: PlacedMedium, probes: usize, landmarks: &Landmarks) -> Majorant {
        let field = SceneMedium { scene: self, medium };
        let grid = MajorantGrid::new(&medium.space, probes, landmarks, &field);
        Majorant {
            space: medium.space,
            grid: Arc::new(grid),
            motion: self.medium_motion(medium.id),
        }
    }

    /// Probes a medium at a point of its space.
    fn probe_medium(&self, medium: &PlacedMedium, p: Vec3, context: &mut ShadingContext) -> MediumProbe {
        let ray = HitRay::from(RayKind::DIFFUSE);
        let found = self.medium_at(medium.id, (medium.space.to_world(p), Vec3::Z, 0.0), ray, context);
        medium.space.probe(&found)
    }

    /// Points where media are likely.
    fn landmarks(&self) -> Landmarks {
        let stride = |count: usize| count.div_ceil(MAX_LANDMARKS).max(1);
        let shapes = self.shapes.iter().step_by(stride(self.shapes.len()));
        let lights = self.lights().iter().step_by(stride(self.lights().len()));
        let points = shapes
            .map(|shape| shape.bounds().center())
            .chain(lights.filter_map(Light::center));
        Landmarks::new(points.collect(), self.host.camera())
    }
}

/// The medium of an object of a scene.
struct SceneMedium<'a> {
    scene: &'a Scene,
    medium: PlacedMedium,
}

impl MediumField for SceneMedium<'_> {
    type Context = ShadingContext;

    fn context(&self) -> ShadingContext {
        ShadingContext::new(self.scene.host.clone())
    }

    fn probe(&self, p: Vec3, context: &mut ShadingContext) -> MediumProbe {
        self.scene.probe_medium(&self.medium, p, context)
    }

    fn bounds(&self, part: Bounds) -> Option<MediumBounds> {
        let body = self.scene.bodies.get(self.medium.id);
        let Medium::Varying(shader) = &body.medium else {
            return None;
        };
        let region = self.medium.space.region(part);
        let it = medium_point(body, region.bounds.center(), Vec3::Z, 0.0);
        let material = &self.scene.materials[body.material.0 as usize];
        material.medium_bounds(shader, &it, RayKind::DIFFUSE.into(), &region, &self.scene.host)
    }
}
