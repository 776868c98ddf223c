//! Lobes of a [`Bsdf`] that lead below the surface.

use glam::{Vec2, Vec3};

use super::{Bsdf, BsdfSample, Lobe, Subsurface};
use renderer_base::color::Rgb;
use renderer_base::math::Frame;

/// A lobe below the surface as a [`Bsdf`] has it.
pub(crate) struct Placed {
    pub(crate) frame: Frame,
    /// Hash of its label; 0 for none.
    pub(crate) label: u32,
    /// Its weight, without its own albedo.
    pub(crate) weight: Rgb,
}

impl Bsdf {
    /// The first lobe that leads below the surface.
    pub(crate) fn subsurface(&self) -> Option<Placed> {
        let mut lobes = self.lobes().iter();
        let found = lobes.find(|l| matches!(l.lobe, Lobe::Subsurface(_)))?;
        Some(Placed {
            frame: found.frame,
            label: found.label,
            weight: found.weight,
        })
    }

    /// The lobe at `index`, if it leads below the surface.
    pub fn subsurface_at(&self, index: u8) -> Option<Subsurface> {
        match self.lobes().get(usize::from(index))?.lobe {
            Lobe::Subsurface(lobe) => Some(lobe),
            _ => None,
        }
    }

    /// Samples a direction below the surface by the lobe at `index`: whichever it is, the weight is the lobe's.
    #[inline(never)]
    pub(super) fn sample_subsurface(&self, wo: Vec3, index: usize, u: Vec2) -> Option<BsdfSample> {
        let chosen = &self.slots[index];
        let near = if wo.dot(self.ng) < 0.0 { -self.ng } else { self.ng };
        let frame = Frame::from_normal(near);
        let sample = chosen.lobe.sample(frame.to_local(wo), 0.0, u)?;
        Some(BsdfSample {
            wi: frame.to_world(sample.wi),
            weight: chosen.weight / chosen.probability,
            pdf: chosen.probability,
            lobe: sample.kind,
            eta: 1.0,
            index: index as u8,
        })
    }
}
