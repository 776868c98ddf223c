//! Transparency: a delta lobe straight through the surface (opacity, alpha masks).

use glam::Vec3;

use super::lobe_kind::{LobeKind, LobeSample};
use renderer_base::color::Rgb;

/// Delta lobe along −`wo`, albedo one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transparent;

impl Transparent {
    #[inline(always)]
    pub(super) fn sample(&self, wo: Vec3) -> Option<LobeSample> {
        let kind = LobeKind::PASS;
        Some(LobeSample {
            wi: -wo,
            weight: Rgb::WHITE,
            pdf: 1.0,
            kind,
            eta: 1.0,
        })
    }
}
