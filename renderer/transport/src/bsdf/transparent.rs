//! Transparency: a delta lobe straight through the surface (opacity, alpha masks).

use glam::{Vec2, Vec3};

use super::lobe_kind::{LobeKind, LobeSample, Spread};
use super::lobe_model::LobeModel;
use renderer_base::color::Rgb;

/// Delta lobe along −`wo`, albedo one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transparent;

impl LobeModel for Transparent {
    fn eval_pdf(&self, _: Vec3, _: Vec3) -> (Rgb, f32) {
        (Rgb::BLACK, 0.0)
    }

    #[inline(always)]
    fn sample(&self, wo: Vec3, _: f32, _: Vec2) -> Option<LobeSample> {
        let kind = LobeKind::NULL;
        Some(LobeSample { wi: -wo, weight: Rgb::WHITE, pdf: 1.0, kind, eta: 1.0 })
    }

    fn reflects(&self) -> bool {
        false
    }

    fn transmits(&self) -> bool {
        true
    }

    fn spread(&self) -> Spread {
        Spread::Straight
    }

    fn albedo(&self, _: Vec3) -> Rgb {
        Rgb::WHITE
    }
}
