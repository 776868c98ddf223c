//! Where photons go on from a surface, and with how much of their power.
//!
//! What a shader makes of a point may depend on where the viewer is: the base of a layer is seen through its top, and
//! shaders may ask for the angle of view. Light that leaves for a viewer is what *that* viewer sees, so the direction of
//! a photon is drawn from the lobes as seen from where it came, and its weight taken from the surface shaded once more,
//! as seen from where it goes.
// Veach 1997, section 5.3: particles are scattered by the adjoint, f(wi → wo) with the viewer at the new direction.

use glam::Vec2;

use crate::bsdf::{Bsdf, BsdfSample, Part, TransportMode};
use crate::geometry::{Footprint, Interaction};
use crate::integrator::Context;
use crate::material::{RayKind, Surface};
use crate::scene::Scene;

/// Surfaces under photons; large, so that each thread has one for all its photons.
pub(super) struct Scatterer {
    /// As seen from where the photon came.
    met: Surface,
    /// As seen from where it goes.
    seen: Surface,
}

impl Scatterer {
    pub(super) fn new() -> Scatterer {
        let mut met = Surface::new();
        met.bsdf.set_mode(TransportMode::Importance);
        Scatterer {
            met,
            seen: Surface::new(),
        }
    }

    /// Shades the point that a photon has met.
    pub(super) fn arrive(&mut self, scene: &Scene, it: &Interaction, context: &mut Context) {
        context.stats.shading_runs += 1;
        let material = scene.material(it.shape);
        material.shade(
            it,
            RayKind::PHOTON,
            &Footprint::POINT,
            &mut context.shading,
            &mut self.met,
        );
        context.stats.crowded_points += u64::from(self.met.crowded);
    }

    /// The lobes of that point.
    pub(super) fn bsdf(&self) -> &Bsdf {
        &self.met.bsdf
    }

    /// A direction in which the photon goes on, drawn from a part of the lobes and weighed for all lobes of the part;
    /// `None` where it ends.
    pub(super) fn leave(
        &mut self,
        scene: &Scene,
        it: &Interaction,
        u_lobe: f32,
        u: Vec2,
        context: &mut Context,
    ) -> Option<(Part, BsdfSample)> {
        let chosen = self.met.bsdf.choose(u_lobe)?;
        let sample = self.met.bsdf.sample_part(it.wo, chosen, u)?;
        let material = scene.material(it.shape);
        // A mirror image is seen at the angle of the light; what is refracted is taken to be.
        if sample.is_specular() || !material.sees_viewer() {
            return Some((chosen.part, sample));
        }
        let viewed = Interaction { wo: sample.wi, ..*it };
        context.stats.shading_runs += 1;
        material.shade(
            &viewed,
            RayKind::PHOTON,
            &Footprint::POINT,
            &mut context.shading,
            &mut self.seen,
        );
        let (f, _) = self.seen.bsdf.eval_pdf_part(chosen.part, sample.wi, it.wo);
        // `f` includes the cosine of where the light comes from; a photon wants that of where it goes.
        let cosines = (sample.wi.dot(it.ng) / it.wo.dot(it.ng)).abs();
        let weight = f * (cosines / sample.pdf);
        Some((chosen.part, BsdfSample { weight, ..sample }))
    }
}
