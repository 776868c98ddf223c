//! Direction sampling at a path vertex: by the BSDF, or by a mixture of BSDF and guide.

use glam::Vec3;

use super::state::{PathState, sample_u_lobe};
use crate::bsdf::{Bsdf, BsdfSample, LobeKind, LobePart};
use crate::integrator::photon::{GuideField, LocalGuide};
use renderer_base::sampler::Sampler;
use renderer_base::sampling::cosine_hemisphere_pdf;
use renderer_geometry::Interaction;

/// Probability of sampling a diffuse lobe's direction from the guide.
const GUIDE_PROBABILITY: f32 = 0.5;

/// Sampling distribution of outgoing directions at a vertex.
///
/// MIS weights of light sampling use the BSDF's density alone, on both sides: the guide excludes direct light, so its
/// density would change the weights little, and evaluating it costs as much as sampling it.
// Veach 1997, section 9.2: one-sample multiple importance sampling with the balance heuristic.
pub(crate) struct DirectionSampling<'a> {
    it: &'a Interaction,
    bsdf: &'a Bsdf,
    /// The guide and the probability of sampling from it.
    guide: Option<(&'a LocalGuide, f32)>,
}

/// Returns the ratio of the density of guided sampling of a diffuse lobe to the density of cosine sampling, for a
/// surface at `p` with normal `n`.
pub(crate) fn guide_pdf_ratio(field: &GuideField, p: Vec3, n: Vec3, wi: Vec3) -> f32 {
    let diffuse = cosine_hemisphere_pdf(wi.dot(n));
    match field.find(p, n) {
        Some(guide) if diffuse > 0.0 => mixture_pdf(GUIDE_PROBABILITY, diffuse, guide.pdf(wi)) / diffuse,
        _ => 1.0,
    }
}

/// Density of the mixture of BSDF and guide; the guide has the weight `share`.
#[inline(always)]
fn mixture_pdf(share: f32, bsdf_pdf: f32, guide_pdf: f32) -> f32 {
    (1.0 - share) * bsdf_pdf + share * guide_pdf
}

impl<'a> DirectionSampling<'a> {
    #[inline(always)]
    pub(crate) fn new(
        it: &'a Interaction,
        bsdf: &'a Bsdf,
        field: Option<&'a GuideField>,
    ) -> DirectionSampling<'a> {
        let guide = field.filter(|_| bsdf.has(LobePart::Diffuse)).and_then(|field| {
            let n = if it.wo.dot(it.ng) < 0.0 { -it.ng } else { it.ng };
            let guide = field.find(it.p, n)?;
            Some((guide, GUIDE_PROBABILITY * bsdf.probability(LobePart::Diffuse)))
        });
        DirectionSampling { it, bsdf, guide }
    }

    /// Samples a direction and multiplies the guide's density ratio into `path`. The `pdf` of the sample is always the
    /// density of the BSDF alone, even if the guide sampled the direction.
    #[inline(always)]
    pub(crate) fn sample(&self, path: &mut PathState, sampler: &mut Sampler) -> Option<BsdfSample> {
        match self.guide {
            None => self.sample_bsdf(sampler),
            Some((guide, share)) => self.sample_mixture(guide, share, path, sampler),
        }
    }

    #[inline(always)]
    fn sample_bsdf(&self, sampler: &mut Sampler) -> Option<BsdfSample> {
        let (u_lobe, u) = (sample_u_lobe(self.bsdf, sampler), sampler.next_2d());
        self.bsdf.sample(self.it.wo, u_lobe, u)
    }

    fn sample_mixture(
        &self,
        guide: &LocalGuide,
        share: f32,
        path: &mut PathState,
        sampler: &mut Sampler,
    ) -> Option<BsdfSample> {
        if sampler.next_1d() >= share {
            let mut sample = self.sample_bsdf(sampler)?;
            let guide_pdf_ratio = match sample.is_specular() {
                true => 1.0 - share,
                false => mixture_pdf(share, sample.pdf, guide.pdf(sample.wi)) / sample.pdf,
            };
            sample.weight *= 1.0 / guide_pdf_ratio;
            path.scale_guide_pdf_ratio(guide_pdf_ratio);
            return Some(sample);
        }
        let _ = sample_u_lobe(self.bsdf, sampler);
        let wi = guide.sample(sampler.next_2d());
        let (f, pdf) = self.bsdf.eval_pdf(self.it.wo, wi);
        let is_reflected = wi.dot(self.it.ng) * self.it.wo.dot(self.it.ng) > 0.0;
        let density = mixture_pdf(share, pdf, guide.pdf(wi));
        path.scale_guide_pdf_ratio(density / pdf);
        (!f.is_black()).then_some(BsdfSample {
            wi,
            weight: f * (1.0 / density),
            pdf,
            lobe: match is_reflected {
                true => LobeKind::DIFFUSE_REFLECTION,
                false => LobeKind::DIFFUSE_TRANSMISSION,
            },
            eta: 1.0,
            index: 0,
        })
    }
}
