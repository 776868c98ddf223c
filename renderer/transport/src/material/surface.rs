//! Shading result at a point: BSDF, emission, transparency.

use glam::Vec3;

use crate::bsdf::{Bsdf, Lobe, Transparent};
use renderer_base::color::Rgb;
use renderer_base::math::Frame;
use renderer_geometry::Interaction;

/// What a shader made of a point. It is large: make one and let it be filled again and again.
#[derive(Clone, Debug)]
pub struct Surface {
    /// How it scatters, what passes straight through included.
    pub bsdf: Bsdf,
    /// Radiance towards the viewer.
    pub emission: Rgb,
    /// The share of light that passes straight through. All rays ask this, and no other: scattered ones by the lobe that
    /// `bsdf` has of it, those towards lights and from emitters by this number.
    pub transparency: Rgb,
    /// The share of light that is left on the way of the path to here through a body; `bsdf` and `transparency` have it as
    /// a factor, `emission` does not.
    pub transmittance: Rgb,
    /// Absorption coefficient of the inside [1/m], if the shader says what is there: clear insides displace others too.
    pub(crate) absorption: Option<Rgb>,
    /// Whether there were more lobes than `bsdf` holds, so that one of them stands for several.
    pub crowded: bool,
}

impl Surface {
    /// Nothing: black and empty.
    #[inline]
    pub fn new() -> Surface {
        Surface {
            bsdf: Bsdf::new(Vec3::Z, Vec3::Z),
            emission: Rgb::BLACK,
            transparency: Rgb::BLACK,
            transmittance: Rgb::WHITE,
            absorption: None,
            crowded: false,
        }
    }

    /// Empties it for another point.
    #[inline]
    pub(super) fn reset(&mut self, point: &Interaction) {
        self.bsdf.reset(point.ng, point.wo);
        (self.emission, self.transparency, self.crowded) = (Rgb::BLACK, Rgb::BLACK, false);
        (self.transmittance, self.absorption) = (Rgb::WHITE, None);
    }

    /// Dims what it lets through and scatters by what is left of light on the way to it.
    pub(super) fn dim(&mut self, transmittance: Rgb) {
        self.transmittance = transmittance;
        self.transparency *= transmittance;
        self.bsdf.dim(transmittance);
    }

    /// Whether there is a body behind it: what neither has an inside nor bends light is none, since sheets let light
    /// through too.
    pub(crate) fn is_of_body(&self) -> bool {
        self.absorption.is_some() || self.bsdf.bends()
    }

    /// Absorption coefficient of the body behind it [1/m].
    pub(crate) fn inner_absorption(&self) -> Rgb {
        self.absorption.unwrap_or(Rgb::BLACK)
    }

    /// Adds the lobe of what passes straight through.
    #[inline]
    pub(super) fn pass_straight(&mut self, point: &Interaction) {
        if !self.transparency.is_black() {
            let frame = Frame::from_normal(point.ng);
            self.bsdf
                .push(self.transparency, frame, Lobe::Transparent(Transparent));
        }
    }
}

impl Default for Surface {
    fn default() -> Surface {
        Surface::new()
    }
}
