//! Rough interfaces: microfacet reflection and refraction (Walter et al. 2007), shared by conductor, dielectric and
//! Schlick.
//!
//! Scattering is single, or compensated for light that facets reflect onto other facets.
// Walter et al. 2007, "Microfacet Models for Refraction through Rough Surfaces".

use glam::{Vec2, Vec3};

use super::compensation::Compensation;
use super::facet_albedo::{Lattice, visible_facets};
use super::fresnel::{reflect, refract};
use super::lobe_kind::{LobeKind, LobeSample};
use super::microfacet::{Distribution, Microfacets};
use super::quadrature::lattice_point;
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, ONE_MINUS_EPSILON, sqr};
use renderer_base::sampling::cosine_hemisphere;

/// Fresnel model of a facet: split of light into reflection and refraction.
pub(super) trait Facet {
    /// Returns the split for light at cosine `cos` to the facet's normal; `eta` is the index of refraction behind the
    /// facet relative to the incident side.
    fn split(&self, cos: f32, eta: f32) -> Split;

    /// Returns the multiple-scattering lobe; `None` without compensation.
    fn compensation(&self, _eta: f32) -> Option<Compensation> {
        None
    }
}

/// Fractions of light reflected and refracted by a facet.
#[derive(Clone, Copy)]
pub(super) struct Split {
    /// Reflected fraction.
    pub(super) reflected: Rgb,
    /// Refracted fraction.
    pub(super) refracted: Rgb,
}

/// Rough interface as seen from the side of `wo`.
pub(super) struct Interface<'a, F: Facet> {
    /// Roughness.
    pub(super) microfacets: Microfacets,
    /// Index of refraction behind the interface, relative to the side of `wo`.
    pub(super) eta: f32,
    /// True if light is refracted.
    pub(super) transmits: bool,
    /// Fresnel model of the facets.
    pub(super) facet: &'a F,
}

impl<F: Facet> Interface<'_, F> {
    /// f·|cos θi| for light from `wo` to `wi`, and the density of `wi` [1/sr]; both zero for a smooth interface.
    #[inline(always)]
    pub(super) fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        let nothing = (Rgb::BLACK, 0.0);
        if self.microfacets.is_smooth() {
            return nothing;
        }
        let (wo, wi) = upwards(wo, wi);
        if wo.z <= 0.0 || wi.z == 0.0 {
            nothing
        } else if wi.z > 0.0 {
            self.with_multiple_scattering(wo, wi, self.reflection(wo, wi))
        } else if self.transmits {
            self.with_multiple_scattering(wo, wi, self.refraction(wo, wi, self.eta))
        } else {
            nothing
        }
    }

    /// Single scattering towards a direction sampled by the multiple-scattering lobe.
    fn single(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        if wi.z > 0.0 {
            self.reflection(wo, wi)
        } else {
            self.refraction(wo, wi, self.eta)
        }
    }

    /// Reflection: Walter et al., eq. 20.
    #[inline(always)]
    fn reflection(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        let nothing = (Rgb::BLACK, 0.0);
        let h = (wo + wi).normalize_or_zero();
        let cos = wo.dot(h);
        // Two grazing directions may be opposite to within rounding.
        if cos <= 0.0 {
            return nothing;
        }
        let split = self.facet.split(cos, self.eta);
        let Some(p) = self.reflection_probability(&split) else {
            return nothing;
        };
        let density = self.microfacets.reflected_pdf(wo, h);
        (split.reflected * (density * self.microfacets.shadowing(wo, wi)), density * p)
    }

    /// Refraction: Walter et al., eq. 21, times eta², for light that goes from `wo` to `wi`.
    #[inline(always)]
    fn refraction(&self, wo: Vec3, wi: Vec3, eta: f32) -> (Rgb, f32) {
        let nothing = (Rgb::BLACK, 0.0);
        let h = (wo + eta * wi).normalize_or_zero();
        let h = if h.z < 0.0 { -h } else { h };
        let (cos_o, cos_i) = (wo.dot(h), wi.dot(h));
        // A facet is visible only from the half-space of each of its sides.
        if cos_o <= 0.0 || cos_i >= 0.0 {
            return nothing;
        }
        let split = self.facet.split(cos_o, self.eta);
        let Some(p) = self.reflection_probability(&split) else {
            return nothing;
        };
        let density = self.microfacets.visible_pdf(wo, h) * refraction_jacobian(cos_o, cos_i, eta);
        (
            split.refracted * (density * self.microfacets.shadowing(wo, wi)),
            density * (1.0 - p),
        )
    }

    /// Adds multiple scattering to f·|cos θi| and density of single scattering.
    #[inline(always)]
    fn with_multiple_scattering(&self, wo: Vec3, wi: Vec3, single: (Rgb, f32)) -> (Rgb, f32) {
        if self.microfacets.is_compensated() {
            self.with_compensation(wo, wi, single)
        } else {
            single
        }
    }

    /// [`Interface::with_multiple_scattering`] of compensated facets.
    #[inline(never)]
    fn with_compensation(&self, wo: Vec3, wi: Vec3, single: (Rgb, f32)) -> (Rgb, f32) {
        match self.facet.compensation(self.eta) {
            Some(lobe) => self.with_lobe(&lobe, wo, wi, single),
            None => single,
        }
    }

    /// Adds the multiple-scattering lobe.
    #[inline]
    fn with_lobe(&self, lobe: &Compensation, wo: Vec3, wi: Vec3, single: (Rgb, f32)) -> (Rgb, f32) {
        let p = lobe.probability(wo);
        let through = if self.transmits { lobe.through() } else { 0.0 };
        let share = if wi.z > 0.0 { 1.0 - through } else { through };
        (
            single.0 + lobe.eval(wo, wi),
            single.1 * (1.0 - p) + p * share * wi.z.abs() * INV_PI,
        )
    }

    /// Samples the multiple-scattering lobe.
    fn sample_multiple(&self, lobe: &Compensation, wo: Vec3, u_lobe: f32, u: Vec2) -> Option<LobeSample> {
        let up = cosine_hemisphere(u);
        let passes = self.transmits && u_lobe < lobe.through();
        let (wi, kind, eta) = match passes {
            true => (up.with_z(-up.z), LobeKind::transmission(self.microfacets), self.eta),
            false => (up, LobeKind::reflection(self.microfacets), 1.0),
        };
        if wi.z == 0.0 {
            return None;
        }
        let (f, pdf) = self.with_lobe(lobe, wo, wi, self.single(wo, wi));
        (pdf > 0.0).then(|| LobeSample { wi, weight: f / pdf, pdf, kind, eta })
    }

    /// Samples a direction for `wo`, in proportion to everything except shadowing.
    #[inline(always)]
    pub(super) fn sample(&self, wo: Vec3, u_lobe: f32, u: Vec2) -> Option<LobeSample> {
        let flipped = wo.z < 0.0;
        let (wo, _) = upwards(wo, wo);
        if wo.z <= 0.0 {
            return None;
        }
        let mut sample = if self.microfacets.is_smooth() {
            self.sample_facet(wo, Vec3::Z, u_lobe)?
        } else if self.microfacets.is_compensated() {
            self.sample_compensated(wo, u_lobe, u)?
        } else {
            self.sample_rough(wo, u_lobe, u)?
        };
        if flipped {
            sample.wi.z = -sample.wi.z;
        }
        Some(sample)
    }

    /// Samples single or multiple scattering.
    #[inline(never)]
    fn sample_compensated(&self, wo: Vec3, u_lobe: f32, u: Vec2) -> Option<LobeSample> {
        let Some(lobe) = self.facet.compensation(self.eta) else {
            return self.sample_rough(wo, u_lobe, u);
        };
        let p = lobe.probability(wo);
        if u_lobe < p {
            return self.sample_multiple(&lobe, wo, (u_lobe / p).min(ONE_MINUS_EPSILON), u);
        }
        let rest = ((u_lobe - p) / (1.0 - p)).min(ONE_MINUS_EPSILON);
        let single = self.sample_rough(wo, rest, u)?;
        let (f, pdf) = self.with_lobe(&lobe, wo, single.wi, (single.weight * single.pdf, single.pdf));
        Some(LobeSample { weight: f / pdf, pdf, ..single })
    }

    #[inline(always)]
    fn sample_rough(&self, wo: Vec3, u_lobe: f32, u: Vec2) -> Option<LobeSample> {
        let h = self.microfacets.sample_visible(wo, u);
        let mut sample = self.sample_facet(wo, h, u_lobe)?;
        let wi = sample.wi;
        let cos_o = wo.dot(h);
        let reflected = !sample.kind.is_transmission();
        // Single scattering loses light that is reflected into the surface.
        if (wi.z > 0.0) != reflected || wi.z == 0.0 || cos_o <= 0.0 {
            return None;
        }
        sample.pdf *= if reflected {
            self.microfacets.reflected_pdf(wo, h)
        } else {
            self.microfacets.visible_pdf(wo, h) * refraction_jacobian(cos_o, wi.dot(h), sample.eta)
        };
        sample.weight *= self.microfacets.shadowing(wo, wi);
        (sample.pdf > 0.0 && sample.pdf.is_finite()).then_some(sample)
    }

    /// Reflects or refracts at the facet normal `h`; `pdf` is the probability of that choice.
    #[inline(always)]
    fn sample_facet(&self, wo: Vec3, h: Vec3, u_lobe: f32) -> Option<LobeSample> {
        let split = self.facet.split(wo.dot(h).min(1.0), self.eta);
        let p = self.reflection_probability(&split)?;
        if u_lobe < p {
            let kind = LobeKind::reflection(self.microfacets);
            Some(LobeSample {
                wi: reflect(wo, h),
                weight: split.reflected / p,
                pdf: p,
                kind,
                eta: 1.0,
            })
        } else {
            let eta = self.eta;
            let (weight, pdf) = (split.refracted / (1.0 - p), 1.0 - p);
            let kind = LobeKind::transmission(self.microfacets);
            Some(LobeSample { wi: refract(wo, h, eta)?, weight, pdf, kind, eta })
        }
    }

    /// Probability of choosing reflection; `None` if no light leaves.
    #[inline(always)]
    fn reflection_probability(&self, split: &Split) -> Option<f32> {
        if !self.transmits {
            return Some(1.0);
        }
        let (r, t) = (split.reflected.average(), split.refracted.average());
        let sum = r + t;
        (sum > 0.0).then(|| r / sum)
    }

    /// Directional albedo for `wo`, reflection and refraction, as the mean over a few facets; for cases outside the
    /// table of isotropic conductors. With total internal reflection the albedo has an edge that a table of smooth
    /// functions cannot represent.
    pub(super) fn albedo(&self, wo: Vec3) -> Rgb {
        // Beckmann's normals are distributed less evenly over the unit square.
        let facets = match self.microfacets.distribution() {
            Distribution::Ggx => 48,
            Distribution::Beckmann => 128,
        };
        let (wo, _) = upwards(wo, wo);
        if self.microfacets.is_smooth() || wo.z <= 0.0 {
            let split = self.facet.split(wo.z, self.eta);
            return split.reflected + split.refracted;
        }
        let escaping = |wi: Vec3, above: bool| {
            if (wi.z > 0.0) == above {
                self.microfacets.shadowing(wo, wi)
            } else {
                0.0
            }
        };
        let of_facet = |h: Vec3| {
            let split = self.facet.split(wo.dot(h).min(1.0), self.eta);
            let through = refract(wo, h, self.eta).map_or(0.0, |wi| escaping(wi, false));
            split.reflected * escaping(reflect(wo, h), true) + split.refracted * through
        };
        if let Some(lobe) = self.facet.compensation(self.eta) {
            let shares = visible_facets(self.microfacets, wo, COMPENSATED_FACETS);
            return shares.map(|(h, share)| of_facet(h) * share).sum::<Rgb>() + lobe.albedo(wo);
        }
        let facet = |k: usize| of_facet(self.microfacets.sample_visible(wo, lattice_point(k, facets)));
        (0..facets).map(facet).sum::<Rgb>() / facets as f32
    }
}

/// Sampled facets for the albedo of a compensated interface: its error is within 1 %.
const COMPENSATED_FACETS: Lattice = Lattice { count: 89, generator: 55 };

/// Mirrors both directions so that `wo` is above: both sides have the same microsurface.
pub(super) fn upwards(wo: Vec3, wi: Vec3) -> (Vec3, Vec3) {
    if wo.z < 0.0 {
        (wo.with_z(-wo.z), wi.with_z(-wi.z))
    } else {
        (wo, wi)
    }
}

/// Solid angle of facet normals per solid angle of refracted directions.
// Walter et al. 2007, eq. 17.
fn refraction_jacobian(cos_o: f32, cos_i: f32, eta: f32) -> f32 {
    sqr(eta) * cos_i.abs() / sqr(cos_o + eta * cos_i)
}
