//! Emissive curves and points: parts of consecutive primitives, selected by their power.
//!
//! - Light selection knows a limited number of parts, so that millions of strands need little memory. Neighbours along a
//!   strand are consecutive.
//! - Within a part, a primitive is selected in proportion to its power, and a point by [`Shape::sample_strand_from`].

use glam::{Vec2, Vec3};

use super::emission_distribution::EmissionSample;
use super::sample::SeenPoint;
use renderer_base::math::Bounds;
use renderer_geometry::{Interaction, Shape, StrandViewer};

/// Maximum number of parts of a light.
const MAX_PARTS: usize = 1 << 16;

/// Primitives of an emissive shape of curves or points.
#[derive(Clone, Debug)]
pub(super) struct Strands {
    /// Number of primitives of a part, the last of which may have fewer.
    length: u32,
    /// Cumulative probability of each primitive in its part; empty if a part is one primitive.
    cumulative: Vec<f32>,
    /// True if only the outside of tubes and spheres is visible.
    near_only: bool,
}

impl Strands {
    /// Each primitive is a part.
    pub(super) fn new(near_only: bool) -> Strands {
        Strands { length: 1, cumulative: vec![], near_only }
    }

    /// Groups the primitives by their powers, at least one; returns the powers of the parts.
    pub(super) fn group(&mut self, powers: &[f32]) -> Vec<f32> {
        let length = powers.len().div_ceil(MAX_PARTS);
        if length == 1 {
            return powers.to_vec();
        }
        self.length = length as u32;
        self.cumulative = Vec::with_capacity(powers.len());
        let mut sums = vec![];
        for part in powers.chunks(length) {
            let total: f64 = part.iter().copied().map(f64::from).sum();
            let mut sum = 0.0;
            for (index, &power) in (1u32..).zip(part) {
                sum += f64::from(power);
                let even = f64::from(index) / part.len() as f64;
                self.cumulative.push(if total > 0.0 { sum / total } else { even } as f32);
            }
            sums.push(total as f32);
        }
        sums
    }

    /// Number of parts of a shape.
    pub(super) fn parts(&self, shape: &Shape) -> u32 {
        shape.primitive_count().div_ceil(self.length)
    }

    /// Part of a primitive.
    #[inline]
    pub(super) fn part_of(&self, primitive: u32) -> u32 {
        primitive / self.length
    }

    /// Bounding box of a part over the shutter interval.
    pub(super) fn bounds(&self, shape: &Shape, part: u32) -> Bounds {
        let first = part * self.length;
        let end = shape.primitive_count().min(first + self.length);
        let all = (first..end).map(|primitive| shape.primitive_bounds(primitive));
        all.fold(Bounds::EMPTY, Bounds::union)
    }

    /// Selects a primitive of a part by `u_primitive`; the density is its probability in the part.
    pub(super) fn select(&self, part: u32, u_primitive: f64, u: Vec2) -> EmissionSample {
        if self.cumulative.is_empty() {
            return EmissionSample { primitive: part, u, density: 1.0, rest: u_primitive };
        }
        let first = (part * self.length) as usize;
        let end = self.cumulative.len().min(first + self.length as usize);
        let own = &self.cumulative[first..end];
        let index = own.partition_point(|&sum| f64::from(sum) <= u_primitive).min(own.len() - 1);
        let before = if index > 0 { own[index - 1] } else { 0.0 };
        let density = own[index] - before;
        let rest = (u_primitive - f64::from(before)) / f64::from(density);
        EmissionSample {
            primitive: (first + index) as u32,
            u,
            density,
            rest: rest.clamp(0.0, 1.0 - f64::EPSILON),
        }
    }

    /// Probability of a primitive in its part.
    #[inline]
    fn probability(&self, primitive: u32) -> f32 {
        let Some(sum) = self.cumulative.get(primitive as usize) else {
            return 1.0;
        };
        match primitive % self.length {
            0 => *sum,
            _ => sum - self.cumulative[primitive as usize - 1],
        }
    }

    /// Samples a point of a selected primitive at a time, for the reference point `p`.
    pub(super) fn seen_from(
        &self,
        shape: &Shape,
        (p, time): (Vec3, f32),
        place: &EmissionSample,
    ) -> Option<SeenPoint> {
        let viewer = StrandViewer { p, time, near_only: self.near_only };
        let sample = shape.sample_strand_from(place.primitive, place.u, &viewer)?;
        let at = (place.primitive, Vec2::new(sample.s, 0.0));
        SeenPoint::from(p, sample.end, at, |_, _| place.density * sample.pdf)
    }

    /// Density of the selection of a primitive in its part and of [`Strands::seen_from`] at a hit [1/sr].
    pub(super) fn pdf(&self, shape: &Shape, p: Vec3, found: &Interaction) -> f32 {
        let viewer = StrandViewer { p, time: found.time, near_only: self.near_only };
        self.probability(found.primitive) * shape.strand_pdf_from(found, &viewer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitives_are_selected_by_power() {
        let count = 3 * MAX_PARTS as u32 - 1;
        let power = |primitive: u32| (primitive % 5) as f32;
        let mut strands = Strands::new(true);
        let powers = strands.group(&(0..count).map(power).collect::<Vec<_>>());
        assert_eq!(powers.len(), MAX_PARTS);
        for part in [0, 1, 2, MAX_PARTS as u32 - 1] {
            for step in 0..100 {
                let place = strands.select(part, f64::from(step) / 100.0, Vec2::ZERO);
                let expected = power(place.primitive) / powers[part as usize];
                assert_eq!(strands.part_of(place.primitive), part);
                assert!((place.density - expected).abs() < 1e-6 && expected > 0.0);
                assert_eq!(place.density, strands.probability(place.primitive));
            }
        }
    }
}
