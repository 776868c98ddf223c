//! Directions of a path's continuation: sampled by the BSDF, mixed with a guide where there is one.

use glam::Vec3;

use super::photon::{GuideField, LocalGuide};
use super::walk::{Walk, lobe_number};
use crate::bsdf::{Bsdf, BsdfSample, LobeKind, LobePart};
use renderer_base::sampler::Sampler;
use renderer_base::sampling::cosine_hemisphere_pdf;
use renderer_geometry::Interaction;

/// Share of the diffuse lobes' directions that the guide samples.
const GUIDE_SHARE: f32 = 0.5;

/// How directions are sampled at a vertex.
///
/// Light samples are weighed against the BSDF's density alone, on both sides: the guide leaves out light straight from
/// lights, so its density would change the MIS weights little, and take as long as sampling it.
// Veach 1997, section 9.2: one-sample multiple importance sampling with the balance heuristic.
pub(super) struct Directions<'a> {
    it: &'a Interaction,
    bsdf: &'a Bsdf,
    /// The guide and the probability of sampling it.
    guide: Option<(&'a LocalGuide, f32)>,
}

/// How many times the density of a diffuse lobe alone directions have that are sampled with the guides of `field`.
pub(super) fn preference(field: &GuideField, p: Vec3, n: Vec3, wi: Vec3) -> f32 {
    let diffuse = cosine_hemisphere_pdf(wi.dot(n));
    match field.find(p, n) {
        Some(guide) if diffuse > 0.0 => mixed(GUIDE_SHARE, diffuse, guide.pdf(wi)) / diffuse,
        _ => 1.0,
    }
}

/// The density of directions of which this share is the guide's.
#[inline(always)]
fn mixed(share: f32, bsdf_pdf: f32, guide_pdf: f32) -> f32 {
    (1.0 - share) * bsdf_pdf + share * guide_pdf
}

impl<'a> Directions<'a> {
    #[inline(always)]
    pub(super) fn new(it: &'a Interaction, bsdf: &'a Bsdf, field: Option<&'a GuideField>) -> Directions<'a> {
        let guide = field.filter(|_| bsdf.has(LobePart::Diffuse)).and_then(|field| {
            let n = if it.wo.dot(it.ng) < 0.0 { -it.ng } else { it.ng };
            let guide = field.find(it.p, n)?;
            Some((guide, GUIDE_SHARE * bsdf.probability(LobePart::Diffuse)))
        });
        Directions { it, bsdf, guide }
    }

    /// Samples a direction for `walk`, which notes how much the guide prefers it; `pdf` is the BSDF's, whatever has
    /// sampled it.
    #[inline(always)]
    pub(super) fn sample(&self, walk: &mut Walk, sampler: &mut Sampler) -> Option<BsdfSample> {
        match self.guide {
            None => self.by_bsdf(sampler),
            Some((guide, share)) => self.guided(guide, share, walk, sampler),
        }
    }

    #[inline(always)]
    fn by_bsdf(&self, sampler: &mut Sampler) -> Option<BsdfSample> {
        let (u_lobe, u) = (lobe_number(self.bsdf, sampler), sampler.next_2d());
        self.bsdf.sample(self.it.wo, u_lobe, u)
    }

    fn guided(
        &self,
        guide: &LocalGuide,
        share: f32,
        walk: &mut Walk,
        sampler: &mut Sampler,
    ) -> Option<BsdfSample> {
        let density = |wi, bsdf_pdf| mixed(share, bsdf_pdf, guide.pdf(wi));
        if sampler.next_1d() >= share {
            let mut sample = self.by_bsdf(sampler)?;
            let preference = match sample.is_specular() {
                true => 1.0 - share,
                false => density(sample.wi, sample.pdf) / sample.pdf,
            };
            sample.weight *= 1.0 / preference;
            walk.prefer(preference);
            return Some(sample);
        }
        let _ = lobe_number(self.bsdf, sampler);
        let wi = guide.sample(sampler.next_2d());
        let (f, pdf) = self.bsdf.eval_pdf(self.it.wo, wi);
        let is_reflected = wi.dot(self.it.ng) * self.it.wo.dot(self.it.ng) > 0.0;
        let density = density(wi, pdf);
        walk.prefer(density / pdf);
        (!f.is_black()).then_some(BsdfSample {
            wi,
            weight: f * (1.0 / density),
            pdf,
            lobe: match is_reflected {
                true => LobeKind::DIFFUSE_REFLECTION,
                false => LobeKind::DIFFUSE_TRANSMISSION,
            },
            eta: 1.0,
        })
    }
}
