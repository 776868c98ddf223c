//! The bodies that a path is in: what they absorb on its way from hit to hit.
//!
//! A surface tells what its own inside absorbs, and so on a way that reaches it from inside. Ways inside that end
//! elsewhere, at a thing in the body, at a light or at infinity, need to know the body: a path notes the bodies that it
//! enters and leaves. They are told apart by their materials, since the surface of one may be of several shapes.

use glam::Vec3;

use super::{MaterialId, Surface};
use renderer_base::color::Rgb;
use renderer_base::math::exp;
use renderer_geometry::Interaction;

/// Bodies in one another that are told apart; of more, those entered last.
const MOST: usize = 4;

/// The bodies that a path is in, the one entered last at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bodies {
    entered: [Body; MOST],
    count: u32,
}

/// A body and its absorption coefficient [1/m].
#[derive(Clone, Copy, Debug, PartialEq)]
struct Body {
    material: MaterialId,
    absorption: Rgb,
}

impl Bodies {
    /// Outside of all bodies.
    pub const NONE: Bodies = Bodies {
        entered: [Body {
            material: MaterialId(0),
            absorption: Rgb::BLACK,
        }; MOST],
        count: 0,
    };

    /// Takes off what is absorbed on a path's way to the point that `surface` was shaded at.
    pub fn absorb(&self, it: &Interaction, surface: &mut Surface) {
        let from_inside = it.wo.dot(it.ng) < 0.0;
        let inside = surface.absorption.filter(|_| from_inside);
        let absorption = inside.unwrap_or_else(|| self.absorption());
        if !absorption.is_black() {
            surface.dim(left(absorption, it.t));
        }
    }

    /// The share of light that is left on a way that ends in the body that the path is in [m].
    #[inline]
    pub fn transmittance(&self, way: f32) -> Rgb {
        match self.count {
            0 => Rgb::WHITE,
            _ => left(self.absorption(), way),
        }
    }

    /// Notes that the path goes on in the unit vector `wi` from a point of that material.
    pub fn follow(&mut self, it: &Interaction, material: MaterialId, surface: &Surface, wi: Vec3) {
        let along = wi.dot(it.ng);
        let crosses = along * it.wo.dot(it.ng) < 0.0;
        if !crosses {
            return;
        }
        if along < 0.0 {
            if surface.is_of_body() {
                self.enter(material, surface.inner_absorption());
            }
        } else if !self.leave(material) && surface.is_of_body() {
            // The sides of a body may be of several materials.
            self.count = self.count.saturating_sub(1);
        }
    }

    /// The bodies about a point, by the surfaces of bodies that a ray from there meets, in their order: their materials,
    /// whether it leaves a body there, and what that absorbs.
    pub fn about(surfaces: impl Iterator<Item = (MaterialId, bool, Rgb)>) -> Bodies {
        let mut inner = Bodies::NONE;
        let mut passed = Bodies::NONE;
        for (material, leaves, absorption) in surfaces {
            if !leaves {
                passed.enter(material, absorption);
            } else if !passed.leave(material) && (inner.count as usize) < MOST {
                inner.enter(material, absorption);
            }
        }
        inner.entered[..inner.count as usize].reverse();
        inner
    }

    fn absorption(&self) -> Rgb {
        let inside = &self.entered[..self.count as usize];
        inside.last().map_or(Rgb::BLACK, |body| body.absorption)
    }

    fn enter(&mut self, material: MaterialId, absorption: Rgb) {
        if self.count as usize == MOST {
            self.entered.rotate_left(1);
            self.count -= 1;
        }
        self.entered[self.count as usize] = Body { material, absorption };
        self.count += 1;
    }

    /// Whether the path was in that body.
    fn leave(&mut self, material: MaterialId) -> bool {
        let inside = &mut self.entered[..self.count as usize];
        let Some(index) = inside.iter().rposition(|body| body.material == material) else {
            return false;
        };
        inside[index..].rotate_left(1);
        self.count -= 1;
        true
    }
}

/// Beer's law. A product that is no number, as of a black colour and an endless way, absorbs nothing.
fn left(absorption: Rgb, way: f32) -> Rgb {
    absorption.map(|a| exp(-(a * way).max(0.0)))
}
