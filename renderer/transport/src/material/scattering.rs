//! Lobes requested by shaders: frames, merging of equal lobes, and random selection when there are too many.

use arrayvec::ArrayVec;
use glam::Vec3;

use super::Surface;
use crate::bsdf::{Bsdf, Lobe, MAX_LOBES};
use renderer_base::color::Rgb;
use renderer_base::math::Frame;
use renderer_base::sampler::mix;
use renderer_geometry::Interaction;

/// A lobe as a shader asks for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scattering {
    /// Factor of the component's weight; then the product of all weights on the way to it.
    pub(super) weight: Rgb,
    /// Of any length; zero for the surface's shading normal.
    pub(super) normal: Vec3,
    /// Of any length; zero for `dPdu`.
    pub(super) tangent: Vec3,
    /// Whether the lobe's inside is that of the object, whatever side `normal` is on.
    pub(super) solid: bool,
    /// Whether its terminator is soft where its normal is not the surface's own.
    pub(super) soft: bool,
    /// How it scatters.
    pub(super) lobe: Lobe,
}

impl Scattering {
    /// Adds the lobe to the surface at a point.
    #[inline(always)]
    pub(super) fn put_on(&self, point: &Interaction, surface: &mut Surface) {
        let frame = self.frame(point);
        if self.soft {
            surface.bsdf.push_soft(self.weight, frame, self.lobe, point.n);
        } else {
            surface.bsdf.push(self.weight, frame, self.lobe);
        }
    }

    /// The share of the light from the viewer that the lobe scatters once it is on `bsdf`, or somewhat more; weight apart.
    pub(super) fn albedo_bound(&self, point: &Interaction, bsdf: &Bsdf) -> Rgb {
        let frame = bsdf.seen_frame(self.frame(point), &self.lobe);
        self.lobe.albedo_bound(frame.to_local(point.wo))
    }

    /// The frame that the lobe has at a point.
    #[inline(always)]
    pub(super) fn frame(&self, point: &Interaction) -> Frame {
        let mut n = unit_normal(self.normal, point);
        if self.solid && n.dot(point.ng) < 0.0 {
            n = -n;
        }
        if self.lobe.is_isotropic() {
            Frame::from_normal(n)
        } else if self.wants_derivatives() {
            Frame::from_normal_tangent(n, point.dpdu)
        } else {
            Frame::from_normal_tangent(n, self.tangent)
        }
    }

    /// Whether the lobe is turned as the surface's texture coordinates are.
    pub(super) fn wants_derivatives(&self) -> bool {
        !self.lobe.is_isotropic() && self.tangent == Vec3::ZERO
    }

    /// Whether two lobes differ in weight at most.
    fn is_like(&self, other: &Scattering) -> bool {
        self.lobe == other.lobe
            && (self.normal, self.tangent) == (other.normal, other.tangent)
            && (self.solid, self.soft) == (other.solid, other.soft)
    }

    /// What lobes are compared by where not all can be kept.
    fn heaviness(&self) -> f32 {
        self.weight.map(f32::abs).max_component()
    }
}

/// The normal that a shader passed, of unit length; the surface's own where it is zero or no number.
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

/// The lobes of a surface on their way to its [`Bsdf`].
///
/// Equal lobes are merged. Where there are more than the `Bsdf` holds, the heaviest are kept, and one of the others,
/// drawn at random in proportion to its weight, stands for all of these. The mean over many points is the sum of all
/// lobes.
pub(super) struct Lobes {
    kept: ArrayVec<Scattering, MAX_LOBES>,
    rest: Option<Rest>,
}

impl Lobes {
    /// None yet.
    pub(super) const fn new() -> Lobes {
        Lobes {
            kept: ArrayVec::new_const(),
            rest: None,
        }
    }

    /// Adds a lobe that was found at `point`.
    #[inline]
    pub(super) fn add(&mut self, new: Scattering, point: &Interaction) {
        if let Some(equal) = self.kept.iter_mut().find(|kept| kept.is_like(&new)) {
            equal.weight += new.weight;
        } else if let Err(full) = self.kept.try_push(new) {
            self.replace_lightest(full.element(), point);
        }
    }

    /// Moves the lightest of the lobes kept and `new` to the rest.
    #[cold]
    fn replace_lightest(&mut self, mut new: Scattering, point: &Interaction) {
        if let Some(lightest) = self.lightest()
            && self.kept[lightest].heaviness() < new.heaviness()
        {
            std::mem::swap(&mut self.kept[lightest], &mut new);
        }
        self.add_to_rest(new, point);
    }

    fn lightest(&self) -> Option<usize> {
        let heaviness = |&index: &usize| self.kept[index].heaviness();
        (0..self.kept.len()).min_by(|a, b| heaviness(a).total_cmp(&heaviness(b)))
    }

    fn add_to_rest(&mut self, new: Scattering, point: &Interaction) {
        match &mut self.rest {
            Some(rest) => rest.add(new),
            None => self.rest = Some(Rest::new(new, point)),
        }
    }

    /// Leaves so many lobes as a `Bsdf` has room for beside `others`; returns whether that changed what is scattered here.
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

    /// The lobes that [`Lobes::fit`] has left, but for the one that stands for the rest.
    pub(super) fn kept(&self) -> &[Scattering] {
        &self.kept
    }

    /// Adds the lobes to a surface, after [`Lobes::fit`].
    #[inline]
    pub(super) fn put_on(&self, point: &Interaction, surface: &mut Surface) {
        for scattering in &self.kept {
            scattering.put_on(point, surface);
        }
        if let Some(rest) = &self.rest {
            rest.stand_in().put_on(point, surface);
        }
    }
}

/// Lobes without room, of which one is remembered.
// Chao 1982, "A general purpose unequal probability sampling plan", for a sample of one.
struct Rest {
    chosen: Scattering,
    /// Sum of the lobes' heaviness.
    total: f32,
    /// State of the random numbers.
    random: u64,
}

impl Rest {
    /// Its random numbers follow from the point and the direction from which it is seen.
    fn new(first: Scattering, point: &Interaction) -> Rest {
        let [p, wo] = [point.p, point.wo].map(|v| v.to_array());
        let random = p
            .into_iter()
            .chain(wo)
            .fold(0, |hash, x| mix(hash ^ u64::from(x.to_bits())));
        Rest {
            chosen: first,
            total: first.heaviness(),
            random,
        }
    }

    fn add(&mut self, new: Scattering) {
        // Weyl's sequence, hashed: Steele, Lea & Flood 2014, "Fast splittable pseudorandom number generators".
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let u = (mix(self.random) >> 40) as f32 / (1 << 24) as f32;
        let heaviness = new.heaviness();
        self.total += heaviness;
        if u * self.total < heaviness {
            self.chosen = new;
        }
    }

    /// The lobe chosen, with the weight of all.
    fn stand_in(&self) -> Scattering {
        Scattering {
            weight: self.chosen.weight * (self.total / self.chosen.heaviness()),
            ..self.chosen
        }
    }
}
