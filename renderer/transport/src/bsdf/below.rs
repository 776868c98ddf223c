//! Lobes of a [`Bsdf`] that lead below the surface.
//!
//! Each has a number among them, by which a path finds the same lobe where it leaves the surface.

use glam::{Vec2, Vec3};

use super::{Bsdf, BsdfSample, Lobe, Subsurface};
use renderer_base::color::Rgb;
use renderer_base::math::Frame;

/// A lobe below the surface as a [`Bsdf`] has it.
#[derive(Clone, Copy, Debug)]
pub struct Below {
    /// What is below.
    pub lobe: Subsurface,
    /// Which of the lobes below the surface it is.
    pub number: u8,
    /// Its frame.
    pub frame: Frame,
    /// Hash of its label; 0 for none.
    pub label: u32,
    /// Its weight, without its own albedo.
    pub weight: Rgb,
}

impl Bsdf {
    /// Returns whether a lobe leads below the surface.
    pub(crate) fn has_subsurface(&self) -> bool {
        self.lobes_below().next().is_some()
    }

    /// The lobe at `index`, if it leads below the surface.
    pub fn below_at(&self, index: u8) -> Option<Below> {
        let mut lobes = self.lobes_below();
        Some(lobes.find(|&(at, _)| at == usize::from(index))?.1)
    }

    /// The lobe of that number among those that lead below the surface.
    pub(crate) fn below_numbered(&self, number: u8) -> Option<Below> {
        Some(self.lobes_below().nth(usize::from(number))?.1)
    }

    /// The lobes that lead below the surface, each with its index among all lobes.
    fn lobes_below(&self) -> impl Iterator<Item = (usize, Below)> {
        let mut number = 0;
        self.lobes().iter().enumerate().filter_map(move |(index, of)| {
            let Lobe::Subsurface(lobe) = of.lobe else {
                return None;
            };
            let below = Below {
                lobe,
                number,
                frame: of.frame,
                label: of.label,
                weight: of.weight,
            };
            number += 1;
            Some((index, below))
        })
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
