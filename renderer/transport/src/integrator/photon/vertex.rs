//! Vertex of a camera path with its irradiance record; samples directions from a mixture of BSDF and guide.

use glam::{Vec2, Vec3};

use super::map::irradiance::Record;
use super::map::layer::Layer;
use super::map::surface::LookupPoint;
use crate::bsdf::{Bsdf, BsdfSample, ChosenLobe, LobeKind, LobePart};
use crate::integrator::path::direct::lit_point;
use crate::light::LightSampleContext;
use crate::material::ShadingResult;
use crate::scene::Scene;
use renderer_base::color::Rgb;
use renderer_base::math::Frame;
use renderer_base::sampler::Sampler;
use renderer_geometry::Interaction;

/// Probability of sampling the BSDF if there is a guide.
const BSDF_PROBABILITY: f32 = 1.0 / 3.0;

/// Path vertex with the results of its photon map lookups.
pub(super) struct Vertex<'a> {
    pub(super) it: &'a Interaction,
    pub(super) surface: &'a ShadingResult,
    pub(super) bsdf: &'a Bsdf,
    /// Light-sampling reference point.
    pub(super) at: LightSampleContext,
    /// Unit geometric normal on the viewer's side.
    pub(super) n: Vec3,
    /// Layer of the surface.
    pub(super) layer: Layer,
    /// Nearest irradiance record, if it was looked up.
    pub(super) record: Option<&'a Record>,
    /// True if the record's guide is used to sample directions of the diffuse lobes.
    pub(super) is_guided: bool,
    /// True if a map lookup has covered the diffuse lobes.
    pub(super) diffuse_covered: bool,
    /// True if the caustic map covers the caustics here; else the path's continuation has to find them.
    pub(super) caustics_covered: bool,
}

impl<'a> Vertex<'a> {
    pub(super) fn new(scene: &Scene, it: &'a Interaction, surface: &'a ShadingResult) -> Vertex<'a> {
        let bsdf = &surface.bsdf;
        Vertex {
            n: if it.wo.dot(it.ng) < 0.0 { -it.ng } else { it.ng },
            layer: Layer::of(scene, it.shape, || bsdf.is_passed()),
            at: lit_point(scene, it, bsdf),
            it,
            surface,
            bsdf,
            record: None,
            is_guided: false,
            diffuse_covered: false,
            caustics_covered: true,
        }
    }

    /// Lookup point on the side of the unit normal `n`.
    pub(super) fn lookup_point(&self, n: Vec3, both_sides: bool, max_segments: u32) -> LookupPoint {
        LookupPoint {
            p: self.it.p,
            n,
            both_sides,
            layer: self.layer,
            max_segments,
            time: self.it.time,
        }
    }

    /// Returns whether there is a diffuse or rough lobe, so that photon maps can be looked up.
    pub(super) fn is_wide(&self) -> bool {
        self.bsdf.has(LobePart::Diffuse) || self.bsdf.has(LobePart::Rough)
    }

    /// Returns the record whose guide samples directions of the diffuse lobes.
    #[inline]
    pub(super) fn guide(&self) -> Option<&'a Record> {
        self.record
            .filter(|record| self.is_guided && !self.diffuse_covered && record.guide.has_data())
    }

    /// Density of a direction for the lobes of class `part` under the mixture of BSDF and guide [1/sr]; `pdf` is the
    /// density of the BSDF.
    #[inline]
    pub(super) fn pdf(&self, part: LobePart, wi: Vec3, pdf: f32) -> f32 {
        match self.guide() {
            Some(record) if part == LobePart::Diffuse => {
                let guided =
                    record.guide.pdf(Frame::from_normal(record.n).to_local(wi)) * self.bsdf.probability(part);
                BSDF_PROBABILITY * pdf + (1.0 - BSDF_PROBABILITY) * guided
            }
            _ => pdf,
        }
    }

    /// Samples a direction of the diffuse lobes from the mixture of BSDF and guide; the weight uses the density of the
    /// mixture. If the BSDF yields no sample, the sample is lost and the guide's probability stays the same.
    #[inline]
    pub(super) fn sample_diffuse(
        &self,
        chosen: ChosenLobe,
        u: Vec2,
        sampler: &mut Sampler,
    ) -> Option<BsdfSample> {
        let Some(record) = self.guide() else {
            return self.bsdf.sample_part(self.it.wo, chosen, u);
        };
        let u_choice = sampler.next_1d();
        let drawn = if u_choice < BSDF_PROBABILITY {
            self.bsdf.sample_part(self.it.wo, chosen, u)?
        } else {
            let wi = Frame::from_normal(record.n).to_world(record.guide.sample(u));
            let lobe = if wi.dot(self.it.ng) * self.it.wo.dot(self.it.ng) > 0.0 {
                LobeKind::DIFFUSE_REFLECTION
            } else {
                LobeKind::DIFFUSE_TRANSMISSION
            };
            BsdfSample { wi, weight: Rgb::BLACK, pdf: 0.0, lobe, eta: 1.0, index: 0 }
        };
        let (f, pdf) = self.bsdf.eval_pdf_part(LobePart::Diffuse, self.it.wo, drawn.wi);
        let pdf = self.pdf(LobePart::Diffuse, drawn.wi, pdf);
        (pdf > 0.0 && !f.is_black()).then_some(BsdfSample { weight: f * (1.0 / pdf), pdf, ..drawn })
    }
}
