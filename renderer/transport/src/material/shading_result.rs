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
    /// Holdout: fraction of the surface that is black, and transparent in the alpha of the picture.
    pub(crate) holdout: Rgb,
    /// Exterior index of refraction; indices of the shader are divided by it.
    pub(super) outside: f32,
    /// True if there were more lobes than `bsdf` holds, so that one of them represents several.
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

    /// Sets the result of a null interface: light passes straight through.
    pub(crate) fn set_null_interface(&mut self, point: &Interaction) {
        self.reset(point);
        self.transparency = Rgb::WHITE;
        self.pass_straight(point);
    }

    /// Sets the result for a path that leaves the object from below: Lambert's lobe about the normal of the subsurface
    /// lobe `number`, through which the path entered.
    pub(crate) fn leave_subsurface(&mut self, point: &Interaction, number: u8) {
        let found = self.bsdf.subsurface_lobe_numbered(number);
        let frame = found.map(|below| (below.frame, below.label));
        let (frame, label) = frame.unwrap_or_else(|| {
            let n = if point.wo.dot(point.ng) < 0.0 { -point.n } else { point.n };
            (Frame::from_normal(n), 0)
        });
        self.reset(point);
        self.bsdf.push(Rgb::WHITE, frame, Lobe::Lambert(Lambert));
        self.bsdf.label_last(if label == 0 { label_hash(SUBSURFACE) } else { label });
    }

    /// Opacity without the holdout.
    pub(crate) fn opacity(&self) -> Rgb {
        Rgb::WHITE - self.transparency - self.held_out()
    }

    /// Holdout, limited so that its sum with the transparency is at most 1.
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

    /// [`ShadingResult::pass_straight`] for a transparent surface; out of line, since few surfaces are transparent.
    #[inline(never)]
    fn push_transparent(&mut self, point: &Interaction) {
        let frame = Frame::from_normal(point.ng);
        self.bsdf.push(self.transparency, frame, Lobe::Transparent(Transparent));
    }
}

impl Default for ShadingResult {
    fn default() -> ShadingResult {
        ShadingResult::new()
    }
}
