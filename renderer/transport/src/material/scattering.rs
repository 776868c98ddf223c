//! Lobes requested by shaders: frames, merging of equal lobes, and random selection when there are too many.

use arrayvec::ArrayVec;
use glam::Vec3;

use super::ShadingResult;
use crate::bsdf::{Bsdf, Lobe, LobeTraits, MAX_LOBES};
use renderer_base::color::Rgb;
use renderer_base::math::Frame;
use renderer_base::sampler::mix;
use renderer_geometry::Interaction;

/// Lobe as requested by a shader.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scattering {
    /// Weight of the component; then the product of all weights along the tree.
    pub(super) weight: Rgb,
    /// Normal of any length; zero for the surface's shading normal.
    pub(super) normal: Vec3,
    /// Tangent of any length; zero for `dPdu`.
    pub(super) tangent: Vec3,
    /// True if the inner side of the lobe is that of the object, whichever side `normal` is on. For a lobe that only
    /// reflects, true if the surface also has lobes that refract ([`Interfaces`](super::component::Interfaces)).
    pub(super) solid: bool,
    /// True if the terminator is soft where the normal is not the surface's own.
    pub(super) soft: bool,
    /// Hash of the shader's label; 0 for none.
    pub(super) label: u32,
    /// Lobe of colour one.
    pub(super) lobe: Lobe,
}

impl Scattering {
    /// Adds the lobe to the surface at a point.
    #[inline(always)]
    pub(super) fn put_on(&self, point: &Interaction, surface: &mut ShadingResult) {
        self.put_on_with(self.lobe.traits(), point, surface);
    }

    /// Adds the lobe to the surface at a point; `traits` are the lobe's.
    #[inline(always)]
    pub(super) fn put_on_with(&self, traits: LobeTraits, point: &Interaction, surface: &mut ShadingResult) {
        let frame = self.frame_of(traits.isotropic, point);
        if self.soft {
            surface.bsdf.push_soft(self.weight, frame, self.lobe, point.n);
        } else {
            surface.bsdf.push_with(self.weight, frame, &self.lobe, traits);
        }
        if self.label != 0 && !self.weight.is_black() {
            surface.bsdf.label_last(self.label);
        }
    }

    /// Upper bound of the lobe's albedo for the view direction once it is on `bsdf`, without the weight.
    pub(super) fn albedo_bound(&self, point: &Interaction, bsdf: &Bsdf) -> Rgb {
        bsdf.albedo_bound(&self.frame(point), &self.lobe)
    }

    /// Shading frame of the lobe at a point.
    #[inline(always)]
    pub(super) fn frame(&self, point: &Interaction) -> Frame {
        self.frame_of(self.lobe.is_isotropic(), point)
    }

    #[inline(always)]
    fn frame_of(&self, isotropic: bool, point: &Interaction) -> Frame {
        let mut n = unit_normal(self.normal, point);
        if self.solid && n.dot(point.ng) < 0.0 {
            n = -n;
        }
        if isotropic {
            Frame::from_normal(n)
        } else if self.tangent == Vec3::ZERO {
            Frame::from_normal_tangent(n, point.dpdu)
        } else {
            Frame::from_normal_tangent(n, self.tangent)
        }
    }

    /// Returns whether the lobe is oriented by the surface's texture coordinates.
    pub(super) fn wants_derivatives(&self) -> bool {
        !self.lobe.is_isotropic() && self.tangent == Vec3::ZERO
    }

    /// Returns whether two lobes are equal except for their weights.
    fn is_same_lobe(&self, other: &Scattering) -> bool {
        self.lobe == other.lobe
            && (self.normal, self.tangent) == (other.normal, other.tangent)
            && (self.solid, self.soft, self.label) == (other.solid, other.soft, other.label)
    }

    /// Priority of the lobe when not all can be kept.
    fn priority(&self) -> f32 {
        self.weight.map(f32::abs).max_component()
    }
}

/// Normal passed by a shader, normalised; the surface's own if it is zero or not finite.
#[inline]
fn unit_normal(n: Vec3, point: &Interaction) -> Vec3 {
    let length_squared = n.length_squared();
    if (length_squared - 1.0).abs() < 1e-6 {
        n
    } else if length_squared > 0.0 && length_squared.is_finite() {
        n / length_squared.sqrt()
    } else if point.wo.dot(point.ng) < 0.0 {
        -point.n
    } else {
        point.n
    }
}

/// Lobes of a surface, collected for its [`Bsdf`].
///
/// Equal lobes are merged. If there are more than the `Bsdf` holds, the heaviest are kept, and one of the others,
/// selected with probability in proportion to its weight, represents the rest. The expectation over many points is the
/// sum of all lobes.
pub(super) struct Lobes {
    kept: ArrayVec<Scattering, MAX_LOBES>,
    rest: Option<Reservoir>,
}

impl Lobes {
    /// Creates an empty list.
    pub(super) const fn new() -> Lobes {
        Lobes { kept: ArrayVec::new_const(), rest: None }
    }

    /// Adds a lobe found at `point`.
    #[inline]
    pub(super) fn add(&mut self, new: Scattering, point: &Interaction) {
        if let Some(equal) = self.kept.iter_mut().find(|kept| kept.is_same_lobe(&new)) {
            equal.weight += new.weight;
        } else if let Err(full) = self.kept.try_push(new) {
            self.replace_lightest(full.element(), point);
        }
    }

    /// Moves the lightest of the kept lobes and `new` to the rest.
    #[cold]
    fn replace_lightest(&mut self, mut new: Scattering, point: &Interaction) {
        if let Some(lightest) = self.lightest()
            && self.kept[lightest].priority() < new.priority()
        {
            std::mem::swap(&mut self.kept[lightest], &mut new);
        }
        self.add_to_rest(new, point);
    }

    fn lightest(&self) -> Option<usize> {
        let priority = |&index: &usize| self.kept[index].priority();
        (0..self.kept.len()).min_by(|a, b| priority(a).total_cmp(&priority(b)))
    }

    fn add_to_rest(&mut self, new: Scattering, point: &Interaction) {
        match &mut self.rest {
            Some(rest) => rest.add(new),
            None => self.rest = Some(Reservoir::new(new, point)),
        }
    }

    /// Reduces the lobes to the capacity of a `Bsdf` that holds `others` further lobes; returns whether a random lobe
    /// represents several.
    #[inline]
    pub(super) fn fit(&mut self, others: usize, point: &Interaction) -> bool {
        let room = MAX_LOBES - others;
        while self.kept.len() + usize::from(self.rest.is_some()) > room
            && let Some(lightest) = self.lightest()
        {
            let lightest = self.kept.swap_remove(lightest);
            self.add_to_rest(lightest, point);
        }
        self.rest.is_some()
    }

    /// Lobes left by [`Lobes::fit`], without the one that represents the rest.
    pub(super) fn kept(&self) -> &[Scattering] {
        &self.kept
    }

    /// Adds the lobes to a surface, after [`Lobes::fit`].
    #[inline]
    pub(super) fn put_on(&self, point: &Interaction, surface: &mut ShadingResult) {
        for scattering in &self.kept {
            scattering.put_on(point, surface);
        }
        if let Some(rest) = &self.rest {
            rest.selected().put_on(point, surface);
        }
    }
}

/// Weighted reservoir sampling of one of the lobes beyond the capacity.
// Chao 1982, "A general purpose unequal probability sampling plan", for a sample of one.
struct Reservoir {
    chosen: Scattering,
    /// Sum of the lobes' priorities.
    total: f32,
    /// State of the random number generator.
    random: u64,
}

impl Reservoir {
    /// Starts with a lobe; the random numbers derive from the point and the view direction.
    fn new(first: Scattering, point: &Interaction) -> Reservoir {
        let [p, wo] = [point.p, point.wo].map(|v| v.to_array());
        let random = p.into_iter().chain(wo).fold(0, |hash, x| mix(hash ^ u64::from(x.to_bits())));
        Reservoir { chosen: first, total: first.priority(), random }
    }

    fn add(&mut self, new: Scattering) {
        // Weyl's sequence, hashed: Steele, Lea & Flood 2014, "Fast splittable pseudorandom number generators".
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let u = (mix(self.random) >> 40) as f32 / (1 << 24) as f32;
        let priority = new.priority();
        self.total += priority;
        if u * self.total < priority {
            self.chosen = new;
        }
    }

    /// The selected lobe, with the weight of all.
    fn selected(&self) -> Scattering {
        Scattering {
            weight: self.chosen.weight * (self.total / self.chosen.priority()),
            ..self.chosen
        }
    }
}
