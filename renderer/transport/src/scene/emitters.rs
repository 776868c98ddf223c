//! Lights of a built scene: the lights of the description, then emissive shapes.

use std::sync::Arc;

use rayon::prelude::*;

use crate::light::{
    AreaLight, ChosenLight, Light, LightId, LightSampleContext, LightSelector, Probing, SegmentLight,
};
use crate::material::{Host, Material, MaterialId};
use renderer_base::math::Ray;
use renderer_geometry::{Shape, ShapeId};

/// Maximum number of lights with constant emission that one thread creates.
const MAX_SEQUENTIAL: usize = 256;

/// Material and light of a shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShapeSurface {
    pub(super) material: MaterialId,
    pub(super) light: Option<LightId>,
}

/// Lights and their selector; scenes that differ only in non-emissive parts share them.
#[derive(Clone, Debug)]
pub(super) struct Emitters {
    /// Lights of the description, then emissive shapes.
    pub(super) lights: Arc<[Light]>,
    pub(super) selector: Arc<LightSelector>,
    /// Infinite lights that rays can hit.
    pub(super) infinite: Arc<[LightId]>,
}

impl Emitters {
    /// Adds the emissive shapes to `lights`. `radius` is the radius of the scene.
    pub(super) fn new(
        mut lights: Vec<Light>,
        shapes: &[Shape],
        shape_materials: &[MaterialId],
        materials: &[Material],
        host: &Arc<Host>,
        radius: f32,
        threads: usize,
    ) -> (Arc<[ShapeSurface]>, Emitters) {
        let material = |id: MaterialId| &materials[id.0 as usize];
        let ids = (0..).map(ShapeId).zip(shapes).zip(shape_materials);
        let emitters: Vec<_> = ids.filter(|&(_, &id)| material(id).may_emit()).collect();
        let probed = emitters
            .iter()
            .filter(|&&(_, &id)| material(id).constant_emission().is_none())
            .count();
        let probing = Probing::shared_by(probed);
        let make = |&((id, shape), &material_id): &((ShapeId, &Shape), &MaterialId)| {
            AreaLight::new(shape.clone(), id, material(material_id).clone(), probing, host)
                .map(|light| (id, light))
        };
        let made: Vec<_> = match probed > 0 || emitters.len() > MAX_SEQUENTIAL {
            true => on_threads(threads, || emitters.par_iter().filter_map(make).collect()),
            false => emitters.iter().filter_map(make).collect(),
        };
        let mut surfaces: Vec<ShapeSurface> = shape_materials
            .iter()
            .map(|&material| ShapeSurface { material, light: None })
            .collect();
        for (id, light) in made {
            surfaces[id.0 as usize].light = Some(LightId(lights.len() as u32));
            lights.push(Light::Area(Box::new(light)));
        }
        let infinite = (0..)
            .map(LightId)
            .zip(&lights)
            .filter(|(_, light)| light.is_infinite() && !light.is_delta());
        let emitters = Emitters {
            infinite: infinite.map(|(id, _)| id).collect(),
            selector: Arc::new(LightSelector::new(&lights, radius)),
            lights: lights.into(),
        };
        (surfaces.into(), emitters)
    }

    #[inline]
    pub(super) fn select(&self, at: &LightSampleContext, u: f64) -> Option<ChosenLight> {
        self.selector.select(&self.lights, at, u)
    }

    pub(super) fn has_lights_in_media(&self) -> bool {
        self.selector.has_lights_in_media()
    }

    pub(super) fn select_for_segment(&self, ray: &Ray, length: f32, u: [f32; 2]) -> Option<SegmentLight> {
        self.selector.select_for_segment(&self.lights, ray, length, u)
    }

    #[inline]
    pub(super) fn probability(&self, at: &LightSampleContext, light: LightId, part: u32) -> f32 {
        self.selector.probability(&self.lights, at, light, part)
    }
}

/// Runs `work` on this number of threads (0: one per core); on the current threads if no more can be created.
pub(super) fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}
