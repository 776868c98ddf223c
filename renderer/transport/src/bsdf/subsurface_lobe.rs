//! Subsurface lobes of a [`Bsdf`]. They are numbered, so that a path finds the lobe of its entry again at the exit.

use glam::{Vec2, Vec3};

use super::{Bsdf, BsdfSample, Lobe, Subsurface};
use renderer_base::color::Rgb;
use renderer_base::math::Frame;

/// Subsurface lobe of a [`Bsdf`].
#[derive(Clone, Copy, Debug)]
pub struct SubsurfaceLobe {
    /// Parameters.
    pub lobe: Subsurface,
    /// Number among the subsurface lobes.
    pub number: u8,
    /// Shading frame.
    pub frame: Frame,
    /// Hash of the label; 0 for none.
    pub label: u32,
    /// Weight, without the albedo of the lobe.
    pub weight: Rgb,
}

impl Bsdf {
    /// Returns whether there is a subsurface lobe.
    pub(crate) fn has_subsurface(&self) -> bool {
        self.subsurface_lobes().next().is_some()
    }

    /// The lobe at `index`, if it is a subsurface lobe.
    pub fn subsurface_lobe(&self, index: u8) -> Option<SubsurfaceLobe> {
        let mut lobes = self.subsurface_lobes();
        Some(lobes.find(|&(at, _)| at == usize::from(index))?.1)
    }

    /// The subsurface lobe with this number.
    pub(crate) fn subsurface_lobe_numbered(&self, number: u8) -> Option<SubsurfaceLobe> {
        Some(self.subsurface_lobes().nth(usize::from(number))?.1)
    }

    /// The subsurface lobes with their indices among all lobes.
    fn subsurface_lobes(&self) -> impl Iterator<Item = (usize, SubsurfaceLobe)> {
        let mut number = 0;
        self.lobes().iter().enumerate().filter_map(move |(index, l)| {
            let Lobe::Subsurface(lobe) = l.lobe else {
                return None;
            };
            let lobe = SubsurfaceLobe {
                lobe,
                number,
                frame: l.frame,
                label: l.label,
                weight: l.weight,
            };
            number += 1;
            Some((index, lobe))
        })
    }

    /// Samples a direction into the surface by the lobe at `index`; the weight is independent of the direction.
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
