//! Medium stack of a path: nested absorbing interiors, for absorption between hits.
//!
//! A material gives the absorption of its own interior, and so of path segments that reach it from inside. Segments
//! that end elsewhere (at an object in the medium, at a light, at infinity) need the current medium: a path records the
//! media that it enters and leaves. A medium is identified by its material, since its boundary may consist of several
//! shapes.

use glam::Vec3;

use super::{MaterialId, ShadingResult};
use renderer_base::color::Rgb;
use renderer_base::math::exp;
use renderer_geometry::Interaction;

/// Capacity of the stack; when exceeded, the oldest entry is dropped.
const CAPACITY: usize = 4;

/// Stack of the media that contain the path; the innermost (entered last) is at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MediumStack {
    entered: [Medium; CAPACITY],
    count: u32,
}

/// Medium: material and absorption coefficient [1/m].
#[derive(Clone, Copy, Debug, PartialEq)]
struct Medium {
    material: MaterialId,
    absorption: Rgb,
}

impl MediumStack {
    /// Empty stack: outside of all media.
    pub const NONE: MediumStack = MediumStack {
        entered: [Medium {
            material: MaterialId(0),
            absorption: Rgb::BLACK,
        }; CAPACITY],
        count: 0,
    };

    /// Attenuates the shading result by the absorption along the path segment that ends at it.
    pub fn absorb(&self, it: &Interaction, surface: &mut ShadingResult) {
        let from_inside = it.wo.dot(it.ng) < 0.0;
        let inside = surface.absorption.filter(|_| from_inside);
        let absorption = inside.unwrap_or_else(|| self.absorption());
        if !absorption.is_black() {
            surface.attenuate(beer_lambert(absorption, it.t));
        }
    }

    /// Transmittance of a segment of length `distance` [m] in the current medium.
    #[inline]
    pub fn transmittance(&self, distance: f32) -> Rgb {
        match self.count {
            0 => Rgb::WHITE,
            _ => beer_lambert(self.absorption(), distance),
        }
    }

    /// Updates the stack for a path that continues in the unit vector `wi` from a hit with that material.
    pub fn follow(&mut self, it: &Interaction, material: MaterialId, surface: &ShadingResult, wi: Vec3) {
        let along = wi.dot(it.ng);
        let crosses = along * it.wo.dot(it.ng) < 0.0;
        if !crosses {
            return;
        }
        if along < 0.0 {
            if surface.bounds_medium() {
                self.enter(material, surface.interior_absorption());
            }
        } else if !self.exit(material) && surface.bounds_medium() {
            // The sides of a medium may have different materials.
            self.count = self.count.saturating_sub(1);
        }
    }

    /// Reconstructs the stack at a point from the boundaries that a ray from there hits, in their order: material, true
    /// if the ray leaves the medium, absorption coefficient.
    pub fn about(surfaces: impl Iterator<Item = (MaterialId, bool, Rgb)>) -> MediumStack {
        let mut inner = MediumStack::NONE;
        let mut passed = MediumStack::NONE;
        for (material, leaves, absorption) in surfaces {
            if !leaves {
                passed.enter(material, absorption);
            } else if !passed.exit(material) && (inner.count as usize) < CAPACITY {
                inner.enter(material, absorption);
            }
        }
        inner.entered[..inner.count as usize].reverse();
        inner
    }

    /// Returns whether both stacks hold the same media in the same order; what these absorb may vary.
    pub fn has_media_of(&self, other: &MediumStack) -> bool {
        self.materials().eq(other.materials())
    }

    fn materials(&self) -> impl Iterator<Item = MaterialId> {
        self.entered[..self.count as usize]
            .iter()
            .map(|medium| medium.material)
    }

    fn absorption(&self) -> Rgb {
        let inside = &self.entered[..self.count as usize];
        inside.last().map_or(Rgb::BLACK, |body| body.absorption)
    }

    fn enter(&mut self, material: MaterialId, absorption: Rgb) {
        if self.count as usize == CAPACITY {
            self.entered.rotate_left(1);
            self.count -= 1;
        }
        self.entered[self.count as usize] = Medium { material, absorption };
        self.count += 1;
    }

    /// Removes a medium; returns whether it was on the stack.
    fn exit(&mut self, material: MaterialId) -> bool {
        let inside = &mut self.entered[..self.count as usize];
        let Some(index) = inside.iter().rposition(|body| body.material == material) else {
            return false;
        };
        inside[index..].rotate_left(1);
        self.count -= 1;
        true
    }
}

/// Beer-Lambert transmittance. NaN, as for zero absorption times infinite distance, counts as no absorption.
fn beer_lambert(absorption: Rgb, distance: f32) -> Rgb {
    absorption.map(|a| exp(-(a * distance).max(0.0)))
}
