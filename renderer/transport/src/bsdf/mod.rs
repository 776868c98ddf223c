//! BSDFs: weighted lobes in shading frames; evaluation, density and sampling with one-sample MIS over the lobes.
//!
//! Conventions, for every lobe and for [`Bsdf`]:
//! - `wo` and `wi` are unit vectors that leave the surface; in a local frame z is the normal.
//! - `eval` = f·|cos θi|, `pdf` is per solid angle [1/sr].
//! - `sample` returns `weight` = f·|cos θi| / pdf, or `None` if nothing can be sampled.
//! - Delta lobes return 0 from `eval` and `pdf`.
//! - A lobe scatters from both sides; for refraction, the inside is the side of −z.
//! - The *geometric* normal decides between reflection and transmission, so that shading normals do not leak light
//!   through walls. A lobe contributes only where both normals agree; fibres have no sides and always contribute. For
//!   microfacet lobes ([`bent_microfacets`]), light scattered to the wrong side is mirrored back.

mod albedo;
mod albedo_table;
mod beckmann;
mod bent_microfacets;
mod burley;
mod charlie;
mod clearcoat;
mod coated_diffuse;
mod compensation;
mod conductor;
mod dielectric;
mod eon;
mod f82;
mod facet_albedo;
pub mod fresnel;
mod general_compensation;
mod hair;
mod importance;
mod interface;
mod lambert;
mod lobe;
mod lobe_class;
mod lobe_kind;
mod lobe_model;
mod lost_light;
mod metallic_roughness;
mod microfacet;
mod normal;
mod oren_nayar;
mod phong;
mod quadrature;
mod rough_transmission;
mod schlick;
mod subsurface;
mod subsurface_lobe;
mod terminator;
mod thin_film;
mod thin_transmission;
mod transparent;
mod ward;
mod zeltner_sheen;

use glam::{Vec2, Vec3};

use lobe_model::LobeModel;
use renderer_base::color::Rgb;
use renderer_base::math::{Frame, INV_PI, ONE_MINUS_EPSILON};

pub use burley::{Burley, Sheen};
pub use charlie::Charlie;
pub use clearcoat::Clearcoat;
pub use coated_diffuse::CoatedDiffuse;
pub use conductor::Conductor;
pub use dielectric::{Dielectric, is_index_matched};
pub use eon::Eon;
pub use f82::F82;
pub use hair::{Hair, HairParameters};
pub use lambert::{Lambert, Translucent};
pub use lobe::{Lobe, LobeTraits};
pub use lobe_class::LobeClass;
pub use lobe_kind::{GLOSSY_ALPHA, LobeKind, LobePart, LobeSample, Side, Spread};
pub use metallic_roughness::MetallicRoughness;
pub use microfacet::{Distribution, Microfacets, SMOOTH_ALPHA};
pub use oren_nayar::OrenNayar;
pub use phong::Phong;
pub use schlick::Schlick;
pub use subsurface::Subsurface;
pub use subsurface_lobe::SubsurfaceLobe;
use terminator::Terminator;
pub use thin_film::{Film, ThinFilm};
pub use thin_transmission::ThinTransmission;
pub use transparent::Transparent;
pub use ward::Ward;
pub use zeltner_sheen::ZeltnerSheen;

/// Maximum number of lobes of a [`Bsdf`].
pub const MAX_LOBES: usize = 8;

/// BSDF of a surface point as seen from one direction: a sum of weighted lobes.
#[derive(Clone, Debug)]
pub struct Bsdf {
    ng: Vec3,
    wo: Vec3,
    mode: TransportMode,
    /// Sum of the lobes' selection weights.
    total: f32,
    count: usize,
    /// True if at least one lobe is not a delta lobe.
    scatters: bool,
    /// True if a lobe that is not a delta lobe transmits light.
    scatters_through: bool,
    /// True if a sample depends on the random number for lobe selection.
    has_choice: bool,
    /// Bit set of the lobe classes present.
    parts: u8,
    /// The first `count` are valid. Lobes are constructed in place, since moving one costs more than creating it.
    slots: [WeightedLobe; MAX_LOBES],
}

/// Transport mode (Veach 1997, section 5.2): affects refraction and shading normals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TransportMode {
    /// The path starts at the camera: `wi` leads to the light.
    #[default]
    Radiance,
    /// The path starts at a light: `wo` leads to it, photons leave along `wi`.
    Importance,
}

/// Direction sampled from a [`Bsdf`].
#[derive(Clone, Copy, Debug)]
pub struct BsdfSample {
    /// Sampled direction; unit vector, world space.
    pub wi: Vec3,
    /// f·|cos θi| / pdf.
    pub weight: Rgb,
    /// Density of `wi` over all lobes [1/sr], or the probability of the choice for delta lobes.
    pub pdf: f32,
    /// Kind of the lobe that scattered.
    pub lobe: LobeKind,
    /// Index of refraction on the side of `wi` relative to the side of `wo`; 1 unless refracted.
    pub eta: f32,
    /// Index of the selected lobe.
    pub index: u8,
}

impl BsdfSample {
    /// Returns whether a delta lobe scattered, so that light sampling cannot generate `wi`.
    pub fn is_specular(&self) -> bool {
        self.lobe.is_specular()
    }

    /// Returns whether the path crosses a null interface, which shadow rays cross too.
    #[inline]
    pub fn is_null_interface(&self) -> bool {
        self.lobe == LobeKind::NULL
    }

    /// Returns whether a random walk below the surface follows.
    #[inline]
    pub fn is_subsurface(&self) -> bool {
        self.lobe == LobeKind::SUBSURFACE
    }
}

/// Lobe selected by [`Bsdf::choose`].
#[derive(Clone, Copy, Debug)]
pub struct ChosenLobe {
    /// Class of the lobe.
    pub part: LobePart,
    index: usize,
    /// Rescaled random number for reuse, in `[0,1)`.
    u: f32,
}

/// Approximate dominant glossy lobe of a [`Bsdf`].
#[derive(Clone, Copy, Debug)]
pub struct GlossyLobe {
    /// Mirror direction: the incident direction of specular reflection; unit length, world space.
    pub mirror: Vec3,
    /// Roughness of the microfacets.
    pub alpha: f32,
    /// The lobe's fraction of the albedo of all lobes except delta lobes.
    pub share: f32,
}

/// Lobe with its weight and frame.
#[derive(Clone, Copy, Debug)]
struct WeightedLobe {
    weight: Rgb,
    frame: Frame,
    lobe: Lobe,
    /// Shadow terminator.
    terminator: Terminator,
    traits: LobeTraits,
    /// Hash of the shader's label; 0 for none.
    label: u32,
    /// True if the lobe follows [`bent_microfacets`].
    is_bent_microfacet: bool,
    /// Unnormalised selection probability; not computed for a single lobe.
    importance: f32,
    probability: f32,
}

impl WeightedLobe {
    /// Returns whether light from behind passes the lobe without being scattered widely.
    fn is_passed(&self) -> bool {
        self.traits.transmits && self.traits.part != LobePart::Diffuse
    }

    /// Unused slot.
    const NONE: WeightedLobe = WeightedLobe {
        weight: Rgb::BLACK,
        frame: Frame { s: Vec3::X, t: Vec3::Y, n: Vec3::Z },
        lobe: Lobe::Transparent(Transparent),
        terminator: Terminator::HARD,
        label: 0,
        is_bent_microfacet: false,
        importance: 0.0,
        probability: 0.0,
        traits: LobeTraits {
            part: LobePart::Narrow,
            specular: true,
            has_choice: false,
            transmits: true,
            microfacets: false,
            isotropic: true,
        },
    };
}

/// Lower bound of the albedo for lobe selection, since estimates may be too small.
const MIN_ALBEDO: f32 = 0.02;

impl Bsdf {
    /// Creates an empty, black BSDF. `ng` is the unit geometric normal, `wo` the unit direction for which it is
    /// evaluated.
    pub fn new(ng: Vec3, wo: Vec3) -> Bsdf {
        Bsdf {
            ng,
            wo,
            mode: TransportMode::Radiance,
            total: 0.0,
            count: 0,
            scatters: false,
            scatters_through: false,
            has_choice: false,
            parts: 0,
            slots: [WeightedLobe::NONE; MAX_LOBES],
        }
    }

    /// Clears the BSDF for another point, which is cheaper than creating and moving a new one. The transport mode is
    /// kept.
    pub fn reset(&mut self, ng: Vec3, wo: Vec3) {
        (self.ng, self.wo) = (ng, wo);
        self.clear();
    }

    /// Sets the transport mode, initially radiance; call before adding lobes.
    pub fn set_mode(&mut self, mode: TransportMode) {
        debug_assert!(self.is_empty(), "lobes are placed by the mode");
        self.mode = mode;
    }

    /// Adds a lobe of weight `weight` in `frame`. The frame's normal is bent if the viewer could not see the lobe
    /// otherwise. The viewer is at `wo` in radiance mode; in importance mode each evaluation bends the frame for its
    /// `wi`. Returns `false`, and adds nothing, if there are [`MAX_LOBES`] already.
    #[inline]
    pub fn push(&mut self, weight: Rgb, frame: Frame, lobe: Lobe) -> bool {
        self.push_with(weight, frame, &lobe, lobe.traits())
    }

    /// Adds a lobe as [`Bsdf::push`] does, with a soft terminator if its normal differs from the surface's `n`: the
    /// normal is not bent, and light fades out before it reaches the horizon of the surface.
    pub fn push_soft(&mut self, weight: Rgb, frame: Frame, lobe: Lobe, n: Vec3) -> bool {
        self.push_lobe(weight, frame, &lobe, lobe.traits(), Terminator::new(frame.n, n))
    }

    /// Adds a lobe of these traits as [`Bsdf::push`] does.
    #[inline(always)]
    pub fn push_with(&mut self, weight: Rgb, frame: Frame, lobe: &Lobe, traits: LobeTraits) -> bool {
        self.push_lobe(weight, frame, lobe, traits, Terminator::HARD)
    }

    #[inline(always)]
    fn push_lobe(
        &mut self,
        weight: Rgb,
        frame: Frame,
        lobe: &Lobe,
        traits: LobeTraits,
        terminator: Terminator,
    ) -> bool {
        if weight.is_black() {
            return true;
        }
        let is_bent_microfacet = traits.microfacets && terminator.is_hard() && self.is_bent(&frame);
        let frame = match self.mode {
            TransportMode::Radiance if !is_bent_microfacet => terminator.frame(frame, self.ng, self.wo, lobe),
            _ => frame,
        };
        let Some(slot) = self.slots.get_mut(self.count) else {
            return false;
        };
        slot.weight = weight;
        slot.frame = frame;
        slot.is_bent_microfacet = is_bent_microfacet;
        slot.lobe = *lobe;
        slot.terminator = terminator;
        slot.traits = traits;
        slot.label = 0;
        slot.probability = 1.0;
        self.parts |= 1 << traits.part as u8;
        self.has_choice |= self.count > 0 || traits.has_choice;
        self.scatters |= !traits.specular;
        self.scatters_through |= !traits.specular && traits.transmits;
        self.count += 1;
        match self.count {
            1 => {}
            2 => self.update_selection(0..2),
            n => self.update_selection(n - 1..n),
        }
        true
    }

    /// Returns the frame of a lobe pushed in `frame`, unless it follows [`bent_microfacets`]: bent if `wo` could not
    /// see the lobe otherwise.
    #[inline(always)]
    pub fn seen_frame(&self, frame: Frame, lobe: &Lobe) -> Frame {
        normal::visible_frame(frame, self.ng, self.wo, lobe)
    }

    /// Removes all lobes.
    #[inline]
    pub fn clear(&mut self) {
        (self.total, self.count) = (0.0, 0);
        (self.scatters, self.scatters_through, self.parts) = (false, false, 0);
        self.has_choice = false;
    }

    /// Removes scattering to the other side.
    pub fn make_one_sided(&mut self) {
        if !self.has_transmission() {
            return;
        }
        let (slots, count) = (self.slots, self.count);
        self.clear();
        for l in &slots[..count] {
            if let Some(lobe) = l.lobe.one_sided() {
                self.push_lobe(l.weight, l.frame, &lobe, lobe.traits(), l.terminator);
                self.label_last(l.label);
            }
        }
    }

    /// Computes the selection weights of the lobes in `range`, then the probabilities of all lobes.
    fn update_selection(&mut self, range: std::ops::Range<usize>) {
        for index in range {
            let albedo = self.estimate(&self.slots[index], self.wo);
            let weighted = &mut self.slots[index];
            let floor = MIN_ALBEDO * weighted.weight.luminance().abs();
            // `max` returns the floor if the estimate is NaN.
            weighted.importance = (weighted.weight * albedo).luminance().max(floor);
            self.total += weighted.importance;
        }
        for weighted in &mut self.slots[..self.count] {
            weighted.probability = weighted.importance / self.total;
        }
    }

    #[inline]
    fn lobes(&self) -> &[WeightedLobe] {
        &self.slots[..self.count]
    }

    /// Returns whether there are no lobes.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns whether all lobes are delta lobes (or there are none), so that light sampling is useless.
    #[inline]
    pub fn is_specular(&self) -> bool {
        !self.scatters
    }

    /// Returns whether a lobe that is not a delta lobe scatters light from the other side to this one.
    #[inline]
    pub fn scatters_through(&self) -> bool {
        self.scatters_through
    }

    /// Returns whether a sample depends on `u_lobe`: there are several lobes, or a lobe with two sides.
    #[inline]
    pub fn has_choice(&self) -> bool {
        self.has_choice
    }

    /// Returns the strongest microfacet lobe; `None` without one, or if the BSDF also transmits light.
    pub fn glossy_lobe(&self) -> Option<GlossyLobe> {
        if self.scatters_through || !(self.has(LobePart::Narrow) || self.has(LobePart::Rough)) {
            return None;
        }
        let mut total = 0.0;
        let mut best: Option<(f32, f32, Vec3)> = None;
        for l in self.lobes().iter().filter(|l| !l.traits.specular) {
            total += l.probability;
            if let Some(microfacets) = l.lobe.microfacets()
                && best.is_none_or(|(highest, ..)| l.probability > highest)
            {
                best = Some((l.probability, microfacets.mean_alpha(), l.frame.n));
            }
        }
        best.map(|(probability, alpha, n)| GlossyLobe {
            mirror: self.to_side_of(self.wo, n * (2.0 * n.dot(self.wo)) - self.wo),
            alpha,
            share: probability / total,
        })
    }

    /// Returns whether light is transmitted.
    pub fn has_transmission(&self) -> bool {
        self.lobes().iter().any(|l| l.traits.transmits)
    }

    /// Estimated directional albedo for `wo`.
    pub fn albedo(&self, wo: Vec3) -> Rgb {
        self.lobes().iter().map(|l| l.weight * self.estimate(l, wo)).sum()
    }

    /// Returns whether light from behind passes without being scattered widely: straight through or refracted.
    pub fn is_passed(&self) -> bool {
        self.lobes().iter().any(WeightedLobe::is_passed)
    }

    /// Estimated fraction of the light from behind that reaches `wo` without being scattered widely: straight through
    /// or refracted. Light that an interface mirrors counts too.
    pub fn passed(&self, wo: Vec3) -> Rgb {
        let lobes = self.lobes().iter().filter(|l| l.is_passed());
        lobes.map(|l| l.weight * self.estimate(l, wo)).sum()
    }

    /// Returns whether a lobe of class `part` scatters light from `wo`.
    #[inline]
    pub fn has(&self, part: LobePart) -> bool {
        self.parts >> part as u8 & 1 == 1
    }

    /// Albedo of the diffuse lobes for `wo` under uniform illumination: reflection, and transmission from the other
    /// side.
    pub fn diffuse_albedo(&self, wo: Vec3) -> (Rgb, Rgb) {
        let (mut near, mut far) = (Rgb::BLACK, Rgb::BLACK);
        for l in self.lobes().iter().filter(|l| l.traits.part == LobePart::Diffuse) {
            let albedo = l.weight * l.lobe.albedo(l.frame.to_local(wo));
            match l.traits.transmits {
                true => far += albedo,
                false => near += albedo,
            }
        }
        (near, far)
    }

    /// Returns whether a lobe of class `part` has a normal too far from the geometric one for geometric irradiance to
    /// apply.
    pub fn has_bent_normal(&self, part: LobePart) -> bool {
        /// Cosine of 8°: smoothed normals of meshes deviate less, and on average agree with the geometric ones.
        const MIN_COS: f32 = 0.99;
        let mut lobes = self.lobes().iter().filter(|l| l.traits.part == part);
        lobes.any(|l| l.frame.n.dot(self.ng).abs() < MIN_COS)
    }

    /// Probability of selecting a lobe of class `part`.
    pub fn probability(&self, part: LobePart) -> f32 {
        let of_part = self.lobes().iter().filter(|l| l.traits.part == part);
        of_part.map(|l| l.probability).sum()
    }

    /// [`Bsdf::eval_pdf`] for one class; the density is that of sampling both the class and `wi`.
    pub fn eval_pdf_part(&self, part: LobePart, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        self.sum_lobes(wo, wi, self.sides(wo, wi), |_, l| l.traits.part == part)
    }

    /// Selects a lobe by `u_lobe` in `[0,1)`; `None` without lobes.
    pub fn choose(&self, u_lobe: f32) -> Option<ChosenLobe> {
        let (index, u) = self.choose_index(u_lobe)?;
        let part = self.slots[index].traits.part;
        Some(ChosenLobe { index, u, part })
    }

    /// [`Bsdf::sample`] restricted to the class of the selected lobe: weight and density are those of the class.
    #[inline]
    pub fn sample_part(&self, wo: Vec3, chosen: ChosenLobe, u: Vec2) -> Option<BsdfSample> {
        match self.only_diffuse() {
            Some((only, side)) => self.sample_diffuse(only, side, wo, u),
            None => self.sample_any_of_part(wo, chosen, u),
        }
    }

    #[inline(never)]
    fn sample_any_of_part(&self, wo: Vec3, chosen: ChosenLobe, u: Vec2) -> Option<BsdfSample> {
        self.sample_lobe(wo, chosen.index, chosen.u, u, |_, l| l.traits.part == chosen.part)
    }

    /// f·|cos θi|, without delta lobes.
    pub fn eval(&self, wo: Vec3, wi: Vec3) -> Rgb {
        self.eval_pdf(wo, wi).0
    }

    /// Density with which [`Bsdf::sample`] generates `wi` [1/sr], without delta lobes.
    pub fn pdf(&self, wo: Vec3, wi: Vec3) -> f32 {
        self.eval_pdf(wo, wi).1
    }

    /// [`Bsdf::eval`] and [`Bsdf::pdf`] in one pass.
    pub fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        let sides = self.sides(wo, wi);
        match self.lobes() {
            [only] if !only.traits.specular => self.eval_lobe(only, wo, wi, sides),
            _ => self.sum_lobes(wo, wi, sides, |_, _| true),
        }
    }

    /// Samples a direction for `wo`: `u_lobe` selects the lobe, `u` the direction, each in `[0,1)`.
    #[inline(always)]
    pub fn sample(&self, wo: Vec3, u_lobe: f32, u: Vec2) -> Option<BsdfSample> {
        match self.only_diffuse() {
            Some((only, side)) => self.sample_diffuse(only, side, wo, u),
            None => self.sample_any(wo, u_lobe, u),
        }
    }

    /// Fast path: the single lobe and its side if it is ideal diffuse, as for most surfaces of a scene.
    #[inline(always)]
    fn only_diffuse(&self) -> Option<(&WeightedLobe, Side)> {
        match (self.lobes(), self.mode) {
            ([only], TransportMode::Radiance) => Some((only, only.lobe.ideal_diffuse_side()?)),
            _ => None,
        }
    }

    /// [`Bsdf::sample`] for a single ideal diffuse lobe.
    #[inline(always)]
    fn sample_diffuse(&self, only: &WeightedLobe, side: Side, wo: Vec3, u: Vec2) -> Option<BsdfSample> {
        let cos_o = wo.dot(only.frame.n);
        let sample = match side {
            Side::Reflection => Lambert.sample(Vec3::new(0.0, 0.0, cos_o), 0.0, u),
            Side::Transmission => Translucent.sample(Vec3::new(0.0, 0.0, cos_o), 0.0, u),
        }?;
        let wi = only.frame.to_world(sample.wi);
        if self.sides(wo, wi).side != side {
            return None;
        }
        Some(BsdfSample {
            wi,
            weight: only.weight * only.terminator.share(wi),
            pdf: sample.pdf,
            lobe: sample.kind,
            eta: 1.0,
            index: 0,
        })
    }

    #[inline(never)]
    fn sample_any(&self, wo: Vec3, u_lobe: f32, u: Vec2) -> Option<BsdfSample> {
        let (index, u_lobe) = self.choose_index(u_lobe)?;
        self.sample_lobe(wo, index, u_lobe, u, |_, _| true)
    }

    /// Samples the lobe at `index`; weight and density are those of all lobes that `counts` selects.
    #[inline(always)]
    fn sample_lobe(
        &self,
        wo: Vec3,
        index: usize,
        u_lobe: f32,
        u: Vec2,
        counts: impl Fn(usize, &WeightedLobe) -> bool,
    ) -> Option<BsdfSample> {
        let chosen = &self.slots[index];
        if chosen.lobe.spread() == Spread::Subsurface {
            return self.sample_subsurface(wo, index, u);
        }
        if chosen.is_bent_microfacet {
            return match (self.mode, chosen.traits.specular) {
                (TransportMode::Radiance, _) => self.sample_bent(wo, index, u_lobe, u, counts),
                (TransportMode::Importance, true) => self.sample_delta_importance(wo, index, u_lobe, u),
                (TransportMode::Importance, false) => self.sample_importance(wo, index, u_lobe, u, counts),
            };
        }
        if self.mode == TransportMode::Importance && !chosen.traits.specular && self.is_tilted(chosen) {
            return self.sample_importance(wo, index, u_lobe, u, counts);
        }
        let local_wo = match chosen.lobe.ideal_diffuse_side() {
            Some(_) => Vec3::new(0.0, 0.0, wo.dot(chosen.frame.n)),
            None => chosen.frame.to_local(wo),
        };
        let sample = chosen.lobe.sample(local_wo, u_lobe, u)?;
        let wi = chosen.frame.to_world(sample.wi);
        let sides = self.sides(wo, wi);
        if sides.side != sample.kind.side && !chosen.lobe.is_fibre() {
            return None;
        }
        let adjoint = self.adjoint(&chosen.lobe, sides, local_wo.z, sample.wi.z, sample.eta);
        let share = chosen.terminator.share(self.light_direction(wo, wi));
        let weight = chosen.weight * sample.weight * (adjoint * share);
        let pdf = sample.pdf * chosen.probability;
        let (lobe, eta) = (sample.kind, sample.eta);
        if lobe.is_specular() || self.count == 1 {
            return Some(BsdfSample {
                wi,
                weight: weight / chosen.probability,
                pdf,
                lobe,
                eta,
                index: index as u8,
            });
        }
        // One-sample MIS over the lobes: any of them could have generated `wi`. Veach 1997, section 9.2.4.
        let (others, others_pdf) =
            self.sum_lobes(wo, wi, sides, |other, l| other != index && counts(other, l));
        let pdf = pdf + others_pdf;
        Some(BsdfSample {
            wi,
            weight: (weight * sample.pdf + others) / pdf,
            pdf,
            lobe,
            eta,
            index: index as u8,
        })
    }

    /// Selects a lobe by `u`; also returns the rescaled `u`.
    fn choose_index(&self, mut u: f32) -> Option<(usize, f32)> {
        let last = self.count.checked_sub(1)?;
        for (index, weighted) in self.slots[..last].iter().enumerate() {
            if u < weighted.probability {
                return Some((index, (u / weighted.probability).min(ONE_MINUS_EPSILON)));
            }
            u -= weighted.probability;
        }
        Some((last, (u / self.slots[last].probability).min(ONE_MINUS_EPSILON)))
    }

    /// f·|cos θi| and density, summed over the lobes that `counts` selects.
    #[inline(always)]
    fn sum_lobes(
        &self,
        wo: Vec3,
        wi: Vec3,
        sides: GeometricCosines,
        counts: impl Fn(usize, &WeightedLobe) -> bool,
    ) -> (Rgb, f32) {
        let mut sum = (Rgb::BLACK, 0.0);
        for (index, weighted) in self.lobes().iter().enumerate() {
            if !weighted.traits.specular && counts(index, weighted) {
                let (f, pdf) = self.eval_lobe(weighted, wo, wi, sides);
                sum.0 += f;
                sum.1 += pdf;
            }
        }
        sum
    }

    /// Contribution of one lobe to f·|cos θi| and to the density.
    #[inline(always)]
    fn eval_lobe(&self, weighted: &WeightedLobe, wo: Vec3, wi: Vec3, sides: GeometricCosines) -> (Rgb, f32) {
        match self.mode {
            TransportMode::Radiance if weighted.is_bent_microfacet => self.eval_bent(weighted, wo, wi, sides),
            TransportMode::Radiance => self.eval_in(&weighted.frame, weighted, wo, wi, sides),
            TransportMode::Importance => self.eval_importance(weighted, wo, wi, sides),
        }
    }

    /// Contribution of one lobe in the given frame, without mirroring.
    #[inline(always)]
    fn eval_in(
        &self,
        frame: &Frame,
        weighted: &WeightedLobe,
        wo: Vec3,
        wi: Vec3,
        sides: GeometricCosines,
    ) -> (Rgb, f32) {
        let (cos_o, cos_i) = (wo.dot(frame.n), wi.dot(frame.n));
        if Side::of(cos_o * cos_i) != sides.side && !weighted.lobe.is_fibre() {
            return (Rgb::BLACK, 0.0);
        }
        let share = weighted.terminator.share(self.light_direction(wo, wi));
        // Ideal diffuse lobes do not depend on the tangents; they scatter most of the light of a scene.
        if let Some(side) = weighted.lobe.ideal_diffuse_side() {
            let pdf = if side == sides.side { cos_i.abs() * INV_PI } else { 0.0 };
            let f = weighted.weight * (pdf * self.adjoint(&weighted.lobe, sides, cos_o, cos_i, 1.0) * share);
            return (f, pdf * weighted.probability);
        }
        let wo = frame.to_local(wo);
        let (f, pdf) = weighted.lobe.eval_pdf(wo, frame.to_local(wi));
        if pdf <= 0.0 {
            return (Rgb::BLACK, 0.0);
        }
        let eta = if sides.side == Side::Transmission {
            weighted.lobe.eta(cos_o)
        } else {
            1.0
        };
        (
            weighted.weight * f * (self.adjoint(&weighted.lobe, sides, cos_o, cos_i, eta) * share),
            pdf * weighted.probability,
        )
    }

    /// Direction of the pair that leads to the light.
    #[inline(always)]
    fn light_direction(&self, wo: Vec3, wi: Vec3) -> Vec3 {
        match self.mode {
            TransportMode::Radiance => wi,
            TransportMode::Importance => wo,
        }
    }

    /// Cosines of both directions to the geometric normal.
    fn sides(&self, wo: Vec3, wi: Vec3) -> GeometricCosines {
        let (cos_o, cos_i) = (wo.dot(self.ng), wi.dot(self.ng));
        let side = if cos_o * cos_i > 0.0 {
            Side::Reflection
        } else {
            Side::Transmission
        };
        GeometricCosines { side, cos_o, cos_i }
    }

    /// Factor from f of a lobe to the quantity of the transport mode, for directions with these cosines to the lobe's
    /// normal.
    fn adjoint(&self, lobe: &Lobe, sides: GeometricCosines, cos_o: f32, cos_i: f32, eta: f32) -> f32 {
        match self.mode {
            TransportMode::Radiance if eta == 1.0 => 1.0,
            TransportMode::Radiance => Lobe::radiance_scale(eta),
            // f of fibres contains no cosine.
            TransportMode::Importance if lobe.is_fibre() => 1.0,
            // Veach 1997, eq. 5.19: shading normals make scattering asymmetric.
            TransportMode::Importance => {
                let denominator = (sides.cos_o * cos_i).abs();
                if denominator > 0.0 {
                    (cos_o * sides.cos_i).abs() / denominator
                } else {
                    0.0
                }
            }
        }
    }
}

/// Cosines of two directions to the geometric normal.
#[derive(Clone, Copy)]
struct GeometricCosines {
    side: Side,
    cos_o: f32,
    cos_i: f32,
}
