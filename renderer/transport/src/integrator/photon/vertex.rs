//! A vertex of a camera path with its irradiance record; samples directions from a mixture of BSDF and guide.

use glam::{Vec2, Vec3};

use super::irradiance::Record;
use crate::bsdf::{Bsdf, BsdfSample, ChosenLobe, LobeKind, LobePart};
use crate::integrator::direct::lit_point;
use crate::light::LitPoint;
use crate::material::Surface;
use crate::scene::Scene;
use renderer_base::color::Rgb;
use renderer_base::math::Frame;
use renderer_base::sampler::Sampler;
use renderer_geometry::Interaction;

/// Share of the directions sampled by the BSDF where there is a guide.
const BSDF_SHARE: f32 = 1.0 / 3.0;

/// A hit with what the photon maps know about it.
pub(super) struct Vertex<'a> {
    pub(super) it: &'a Interaction,
    pub(super) surface: &'a Surface,
    pub(super) bsdf: &'a Bsdf,
    /// The point for light selection.
    pub(super) at: LitPoint,
    /// Unit geometric normal on the side of the viewer.
    pub(super) n: Vec3,
    /// The nearest irradiance record, where it is looked up.
    pub(super) record: Option<&'a Record>,
    /// Whether its guide is used to sample directions of the diffuse part.
    pub(super) is_guided: bool,
    /// Whether a map lookup has covered the diffuse part.
    pub(super) answered: bool,
    /// Whether the caustic map covers the caustics here; else the path's continuation has to find them.
    pub(super) knows_caustics: bool,
}

impl<'a> Vertex<'a> {
    pub(super) fn new(scene: &Scene, it: &'a Interaction, surface: &'a Surface) -> Vertex<'a> {
        let bsdf = &surface.bsdf;
        Vertex {
            n: if it.wo.dot(it.ng) < 0.0 { -it.ng } else { it.ng },
            at: lit_point(scene, it, bsdf),
            it,
            surface,
            bsdf,
            record: None,
            is_guided: false,
            answered: false,
            knows_caustics: true,
        }
    }

    /// Whether it has a diffuse or rough lobe, so that photon maps can be looked up.
    pub(super) fn is_wide(&self) -> bool {
        self.bsdf.has(LobePart::Diffuse) || self.bsdf.has(LobePart::Rough)
    }

    /// The record whose guide is used to sample directions of the diffuse part.
    #[inline]
    pub(super) fn guide(&self) -> Option<&'a Record> {
        self.record
            .filter(|record| self.is_guided && !self.answered && record.guide.knows())
    }

    /// Density of a direction of a part under the mixture of BSDF and guide, where that of the BSDF is `pdf` [1/sr].
    #[inline]
    pub(super) fn pdf(&self, part: LobePart, wi: Vec3, pdf: f32) -> f32 {
        match self.guide() {
            Some(record) if part == LobePart::Diffuse => {
                let guided =
                    record.guide.pdf(Frame::from_normal(record.n).to_local(wi)) * self.bsdf.probability(part);
                BSDF_SHARE * pdf + (1.0 - BSDF_SHARE) * guided
            }
            _ => pdf,
        }
    }

    /// Samples a direction of the diffuse part from the mixture of BSDF and guide; the weight uses the density of the
    /// mixture. If the BSDF yields no sample, the guide's share stays as it is.
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
        let drawn = if u_choice < BSDF_SHARE {
            self.bsdf.sample_part(self.it.wo, chosen, u)?
        } else {
            let wi = Frame::from_normal(record.n).to_world(record.guide.sample(u));
            let lobe = if wi.dot(self.it.ng) * self.it.wo.dot(self.it.ng) > 0.0 {
                LobeKind::DIFFUSE_REFLECTION
            } else {
                LobeKind::DIFFUSE_TRANSMISSION
            };
            BsdfSample {
                wi,
                weight: Rgb::BLACK,
                pdf: 0.0,
                lobe,
                eta: 1.0,
            }
        };
        let (f, pdf) = self.bsdf.eval_pdf_part(LobePart::Diffuse, self.it.wo, drawn.wi);
        let pdf = self.pdf(LobePart::Diffuse, drawn.wi, pdf);
        (pdf > 0.0 && !f.is_black()).then_some(BsdfSample {
            weight: f * (1.0 / pdf),
            pdf,
            ..drawn
        })
    }
}
