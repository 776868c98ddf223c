//! Lights of a built scene: the lights of the description, then emissive shapes.

use std::sync::Arc;

use rayon::prelude::*;

use super::link_table::SceneLinks;
use crate::light::{
    AreaLight, ChosenLight, Light, LightId, LightLink, LightSampleContext, LightSelector, Members, Probing,
    ReceiverClass, SegmentLight,
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
    pub(super) class: ReceiverClass,
}

/// Lights and their selector; scenes that differ only in non-emissive parts share them.
#[derive(Clone, Debug)]
pub(super) struct Emitters {
    /// Lights of the description, then emissive shapes.
    pub(super) lights: Arc<[Light]>,
    /// Selector of each receiver class.
    selectors: Arc<[LightSelector]>,
    /// Link of each light; empty without links.
    pub(super) links: Arc<[LightLink]>,
    /// True if the links of a light apply to scattered rays.
    pub(super) restricts_scattering: bool,
    /// True if a light has restricted blockers.
    pub(super) has_linked_blockers: bool,
    /// Infinite lights that rays can hit.
    pub(super) infinite: Arc<[LightId]>,
}

impl Emitters {
    /// Adds the emissive shapes to `lights`. The selectors are made by [`Emitters::linked`].
    pub(super) fn new(
        mut lights: Vec<Light>,
        shapes: &[Shape],
        shape_materials: &[MaterialId],
        materials: &[Material],
        host: &Arc<Host>,
        threads: usize,
    ) -> (Vec<ShapeSurface>, Emitters) {
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
            .map(|&material| ShapeSurface { material, light: None, class: ReceiverClass::default() })
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
            selectors: Arc::new([]),
            links: Arc::new([]),
            restricts_scattering: false,
            has_linked_blockers: false,
            lights: lights.into(),
        };
        (surfaces, emitters)
    }

    /// Links the lights, and creates the selectors. `radius` is the radius of the scene.
    #[must_use]
    pub(super) fn linked(mut self, links: &SceneLinks, radius: f32) -> Emitters {
        self.links = links.by_light(&self.lights);
        if self.links.is_empty() {
            self.selectors = Arc::new([LightSelector::new(&self.lights, radius)]);
            return self;
        }
        self.restricts_scattering = self.links.iter().any(LightLink::restricts_scattering);
        self.has_linked_blockers = self.links.iter().any(LightLink::has_blockers);
        if self.links.iter().any(LightLink::is_sampled_only) {
            let sampled = |(light, link): (&Light, &LightLink)| match link.is_sampled_only() {
                true => light.sampled_only(),
                false => light.clone(),
            };
            self.lights = self.lights.iter().zip(&*self.links).map(sampled).collect();
        }
        let members = |class: ReceiverClass| {
            let members = (0..).map(LightId).zip(&*self.links);
            Members::Some(members.filter(|(_, link)| link.illuminates(class)).map(|(id, _)| id).collect())
        };
        self.selectors = (0..links.class_count.max(1))
            .map(|class| LightSelector::of(&self.lights, members(ReceiverClass(class)), radius))
            .collect();
        self
    }

    /// Returns whether any receiver has several lights, or parts of one, to select from.
    #[inline]
    pub(super) fn has_choice(&self) -> bool {
        self.selectors.iter().any(LightSelector::has_choice)
    }

    /// Selector of the lights of a receiver.
    #[inline]
    fn selector(&self, receiver: ReceiverClass) -> &LightSelector {
        &self.selectors[usize::from(receiver.0)]
    }

    #[inline]
    pub(super) fn select(&self, at: &LightSampleContext, u: f64) -> Option<ChosenLight> {
        self.selector(at.receiver).select(&self.lights, at, u)
    }

    pub(super) fn has_lights_in_media(&self) -> bool {
        self.selectors.iter().any(LightSelector::has_lights_in_media)
    }

    pub(super) fn select_for_segment(
        &self,
        receiver: ReceiverClass,
        ray: &Ray,
        length: f32,
        u: [f32; 2],
    ) -> Option<SegmentLight> {
        self.selector(receiver).select_for_segment(&self.lights, ray, length, u)
    }

    #[inline]
    pub(super) fn probability(&self, at: &LightSampleContext, light: LightId, part: u32) -> f32 {
        self.selector(at.receiver).probability(&self.lights, at, light, part)
    }
}

/// Runs `work` on this number of threads (0: one per core); on the current threads if no more can be created.
pub(super) fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}
