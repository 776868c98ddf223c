//! Lambertian reflection and diffuse transmission.

use glam::{Vec2, Vec3};

use super::lobe_kind::{LobeKind, LobeSample, Side};
use super::lobe_model::LobeModel;
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, abs_cos_theta, same_hemisphere};
use renderer_base::sampling::{cosine_hemisphere, cosine_hemisphere_pdf};

/// Lambertian reflection, albedo one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lambert;

impl LobeModel for Lambert {
    #[inline(always)]
    fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        if same_hemisphere(wo, wi) { cosine(wi) } else { (Rgb::BLACK, 0.0) }
    }

    #[inline(always)]
    fn sample(&self, wo: Vec3, _: f32, u: Vec2) -> Option<LobeSample> {
        sample_cosine(wo.z, u, LobeKind::DIFFUSE_REFLECTION)
    }

    fn albedo(&self, _: Vec3) -> Rgb {
        Rgb::WHITE
    }

    fn ideal_diffuse_side(&self) -> Option<Side> {
        Some(Side::Reflection)
    }
}

/// Diffuse transmission, albedo one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Translucent;

impl LobeModel for Translucent {
    #[inline(always)]
    fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        if same_hemisphere(wo, -wi) { cosine(wi) } else { (Rgb::BLACK, 0.0) }
    }

    #[inline(always)]
    fn sample(&self, wo: Vec3, _: f32, u: Vec2) -> Option<LobeSample> {
        sample_cosine(-wo.z, u, LobeKind::DIFFUSE_TRANSMISSION)
    }

    fn albedo(&self, _: Vec3) -> Rgb {
        Rgb::WHITE
    }

    fn reflects(&self) -> bool {
        false
    }

    fn transmits(&self) -> bool {
        true
    }

    fn one_sided(self) -> Option<Self> {
        None
    }

    fn ideal_diffuse_side(&self) -> Option<Side> {
        Some(Side::Transmission)
    }
}

fn cosine(wi: Vec3) -> (Rgb, f32) {
    let f = abs_cos_theta(wi) * INV_PI;
    (Rgb::splat(f), f)
}

/// Samples a cosine-distributed direction on the side of z given by the sign of `side`.
#[inline]
pub(super) fn sample_cosine(side: f32, u: Vec2, kind: LobeKind) -> Option<LobeSample> {
    let up = cosine_hemisphere(u);
    let pdf = cosine_hemisphere_pdf(up.z);
    let wi = if side < 0.0 { up.with_z(-up.z) } else { up };
    (pdf > 0.0 && side != 0.0).then_some(LobeSample { wi, weight: Rgb::WHITE, pdf, kind, eta: 1.0 })
}
