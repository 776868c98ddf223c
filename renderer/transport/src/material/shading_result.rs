//! Shading result at a point: BSDF, emission, transparency.

use glam::Vec3;

use super::label::{SUBSURFACE, label_hash};
use crate::bsdf::{Bsdf, Lambert, Lobe, Transparent};
use renderer_base::color::Rgb;
use renderer_base::math::Frame;
use renderer_geometry::Interaction;

/// Shading result at a point. It is large: create one and reuse it.
#[derive(Clone, Debug)]
pub struct ShadingResult {
    /// BSDF; includes straight transmission.
    pub bsdf: Bsdf,
    /// Emitted radiance towards the viewer.
    pub emission: Rgb,
    /// Straight-through transmittance. Path rays sample it as a delta lobe of `bsdf`; shadow rays and light sampling
    /// multiply by it.
    pub transparency: Rgb,
    /// Share of the surface that is black, and to the camera a hole in the picture which hides what is behind it.
    pub(crate) holdout: Rgb,
    /// Index of refraction of what the object is in, by which its own are divided.
    pub(super) outside: f32,
    /// True if there were more lobes than `bsdf` holds, so that one of them stands for several.
    pub lobe_overflow: bool,
}

impl ShadingResult {
    /// Creates an empty, black result.
    #[inline]
    pub fn new() -> ShadingResult {
        ShadingResult {
            bsdf: Bsdf::new(Vec3::Z, Vec3::Z),
            emission: Rgb::BLACK,
            transparency: Rgb::BLACK,
            holdout: Rgb::BLACK,
            outside: 1.0,
            lobe_overflow: false,
        }
    }

    /// Clears the result for another point.
    #[inline]
    pub(super) fn reset(&mut self, point: &Interaction) {
        self.bsdf.reset(point.ng, point.wo);
        (self.emission, self.transparency, self.lobe_overflow) = (Rgb::BLACK, Rgb::BLACK, false);
        self.holdout = Rgb::BLACK;
    }

    /// Clears the result for a point where there is no surface: light goes straight on.
    pub(crate) fn set_null_interface(&mut self, point: &Interaction) {
        self.reset(point);
        self.transparency = Rgb::WHITE;
        self.pass_straight(point);
    }

    /// Replaces all by what scatters a path that comes from below the surface: Lambert's lobe about the normal of the lobe
    /// below the surface that has the number `number`, by which it has entered elsewhere.
    pub(crate) fn leave_subsurface(&mut self, point: &Interaction, number: u8) {
        let found = self.bsdf.subsurface_lobe_numbered(number);
        let frame = found.map(|below| (below.frame, below.label));
        let (frame, label) = frame.unwrap_or_else(|| {
            let n = if point.wo.dot(point.ng) < 0.0 {
                -point.n
            } else {
                point.n
            };
            (Frame::from_normal(n), 0)
        });
        self.reset(point);
        self.bsdf.push(Rgb::WHITE, frame, Lobe::Lambert(Lambert));
        self.bsdf
            .label_last(if label == 0 { label_hash(SUBSURFACE) } else { label });
    }

    /// What of the surface is seen: neither straight through nor held out.
    pub(crate) fn opacity(&self) -> Rgb {
        Rgb::WHITE - self.transparency - self.held_out()
    }

    /// What of the surface is held out: weights of shaders may add up to more than there is.
    pub fn held_out(&self) -> Rgb {
        let (held, room) = (self.holdout, Rgb::WHITE - self.transparency);
        let excess = (held - room).map(|v| v.max(0.0));
        (held - excess).map(|v| v.max(0.0))
    }

    /// Adds the delta lobe of straight transmission.
    #[inline(always)]
    pub(super) fn pass_straight(&mut self, point: &Interaction) {
        if !self.transparency.is_black() {
            self.push_transparent(point);
        }
    }

    /// [`ShadingResult::pass_straight`] of a transparent surface: out of line, as few are.
    #[inline(never)]
    fn push_transparent(&mut self, point: &Interaction) {
        let frame = Frame::from_normal(point.ng);
        self.bsdf
            .push(self.transparency, frame, Lobe::Transparent(Transparent));
    }
}

impl Default for ShadingResult {
    fn default() -> ShadingResult {
        ShadingResult::new()
    }
}
