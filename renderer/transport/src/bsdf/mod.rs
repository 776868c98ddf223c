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
mod evaluation;
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
mod sampling;
mod schlick;
mod subsurface;
mod subsurface_lobe;
mod terminator;
mod thin_film;
mod thin_transmission;
mod transparent;
mod ward;
mod zeltner_sheen;

use glam::Vec3;

use renderer_base::color::Rgb;
use renderer_base::math::Frame;

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
pub use sampling::{BsdfSample, ChosenLobe};
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
}
