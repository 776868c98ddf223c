//! Diffuse transmission: light from behind a translucent surface, as a share of the irradiance of its front.
//!
//! Engines multiply baked irradiance by the reflectance of a surface. A translucent sheet also shows light that it
//! transmits: reflectance × E(front) + transmittance × E(back). The bake adds transmittance / reflectance × E(back) to the
//! irradiance of the front, with directions mirrored at the sheet.

use glam::Vec3;

use super::receiver::GatherPoint;
use renderer_base::color::Rgb;
use renderer_geometry::{Footprint, Interaction};
use renderer_transport::integrator::Context;
use renderer_transport::material::{RayKind, ShadingResult};
use renderer_transport::scene::Scene;

/// Maximum ratio of transmittance to reflectance. The product with a reflectance near zero is dark in any case.
const MAX_RATIO: f32 = 64.0;

/// A receiver's gather points, and the diffuse transmission of its material.
pub(super) struct GatherPoints {
    /// Points that gather light.
    pub(super) points: Vec<GatherPoint>,
    /// Ratio of diffuse transmittance to diffuse reflectance; black for opaque materials.
    pub(super) transmission: Rgb,
}

impl GatherPoints {
    /// Points of an opaque surface.
    pub(super) fn opaque(points: Vec<GatherPoint>) -> GatherPoints {
        GatherPoints { points, transmission: Rgb::BLACK }
    }

    /// The points of a surface whose material is shaded at the hit `it`, seen from the gathered side.
    pub(super) fn new(
        scene: &Scene,
        points: Vec<GatherPoint>,
        it: &Interaction,
        context: &mut Context,
    ) -> GatherPoints {
        let mut surface = ShadingResult::new();
        let material = scene.material(it.shape);
        let footprint = &Footprint::POINT;
        material.shade(it, RayKind::DIFFUSE, footprint, &mut context.shading, &mut surface);
        let (reflectance, transmittance) = surface.bsdf.diffuse_albedo(it.wo);
        let ratio = |t: f32, r: f32| if t > 0.0 { (t / r).min(MAX_RATIO) } else { 0.0 };
        let (r, t) = (reflectance.to_array(), transmittance.to_array());
        GatherPoints {
            points,
            transmission: Rgb::new(ratio(t[0], r[0]), ratio(t[1], r[1]), ratio(t[2], r[2])),
        }
    }
}

impl GatherPoint {
    /// The point on the other side of the surface.
    pub(super) fn behind(&self) -> GatherPoint {
        GatherPoint { ng: -self.ng, n: -self.n, is_back: !self.is_back, ..*self }
    }

    /// A direction mirrored at the surface.
    pub(super) fn mirrored(&self, w: Vec3) -> Vec3 {
        w - self.n * (2.0 * w.dot(self.n))
    }
}
