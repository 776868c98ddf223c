//! Photon scattering: samples a direction from the lobes and weights it by the adjoint BSDF, for view-dependent shaders
//! too.
//!
//! The lobes that a shader returns may depend on the view direction: the base of a layer is seen through its top, and
//! shaders may read `I`. The radiance towards a viewer is defined by the lobes for *that* view direction. So a photon's
//! direction is sampled from the lobes shaded for its incident direction, and its weight comes from the surface shaded
//! again for the outgoing direction. A share of the directions is sampled by cosine, for lobes that exist only for the
//! second view: a diffuse body beneath glass at angles of total reflection.
// Veach 1997, section 5.3: particles are scattered by the adjoint, f(wi → wo) with the viewer at the new direction.

use glam::{Vec2, Vec3};

use crate::bsdf::{Bsdf, BsdfSample, LobeKind, LobePart, TransportMode};
use crate::integrator::context::Context;
use crate::material::{Bodies, RayKind, Surface};
use crate::scene::Scene;
use renderer_base::color::Rgb;
use renderer_base::math::{Frame, INV_PI, ONE_MINUS_EPSILON};
use renderer_base::sampling::cosine_hemisphere;
use renderer_geometry::{Footprint, Interaction};

/// Share of directions sampled by cosine where the lobes depend on the view direction.
const COSINE_SHARE: f32 = 0.25;

/// The shaded surfaces of a photon's hit. They are large: each thread reuses one `Scatterer` for all photons.
pub(super) struct Scatterer {
    /// Shaded for the incident direction.
    met: Surface,
    /// Shaded for another view direction.
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

    /// Shades a photon's hit.
    pub(super) fn arrive(&mut self, scene: &Scene, it: &Interaction, bodies: &Bodies, context: &mut Context) {
        shade(scene, it, context, &mut self.met);
        if scene.has_bodies() {
            bodies.absorb(it, &mut self.met);
        }
        context.stats.crowded_points += u64::from(self.met.crowded);
    }

    /// Whether the surface has a diffuse or rough lobe on the photon's side, so that lookups may use the photon.
    pub(super) fn is_wide(&mut self, scene: &Scene, it: &Interaction, context: &mut Context) -> bool {
        if is_wide(&self.met.bsdf) || !scene.material(it.shape).sees_viewer() {
            return is_wide(&self.met.bsdf);
        }
        // At normal incidence most of the base below a layer is visible.
        let n = near_normal(it);
        shade(scene, &Interaction { wo: n, ..*it }, context, &mut self.seen);
        is_wide(&self.seen.bsdf)
    }

    /// The share of a photon's power that is left where it has arrived.
    pub(super) fn transmittance(&self) -> Rgb {
        self.met.transmittance
    }

    /// Notes the bodies that a photon goes on in.
    pub(super) fn follow(&self, scene: &Scene, it: &Interaction, sample: &BsdfSample, bodies: &mut Bodies) {
        bodies.follow(it, scene.material_id(it.shape), &self.met, sample.wi);
    }

    /// Samples the outgoing direction of a photon and the class of lobes that scatters it: narrow, or all others
    /// together. `None` where the photon ends.
    pub(super) fn leave(
        &mut self,
        scene: &Scene,
        it: &Interaction,
        u_lobe: f32,
        u: Vec2,
        context: &mut Context,
    ) -> Option<(LobePart, BsdfSample)> {
        if !scene.material(it.shape).sees_viewer() {
            let chosen = self.met.bsdf.choose(u_lobe)?;
            return Some((chosen.part, self.met.bsdf.sample_part(it.wo, chosen, u)?));
        }
        let (part, drawn) = if u_lobe < COSINE_SHARE {
            let wi = Frame::from_normal(near_normal(it)).to_world(cosine_hemisphere(u));
            (LobePart::Diffuse, from_cosine(wi))
        } else {
            let u_lobe = ((u_lobe - COSINE_SHARE) / (1.0 - COSINE_SHARE)).min(ONE_MINUS_EPSILON);
            let chosen = self.met.bsdf.choose(u_lobe)?;
            (chosen.part, self.met.bsdf.sample_part(it.wo, chosen, u)?)
        };
        if drawn.is_specular() {
            // A mirror reflection leaves at the angle of incidence; refraction is treated alike.
            let weight = drawn.weight * (1.0 / (1.0 - COSINE_SHARE));
            return Some((part, BsdfSample { weight, ..drawn }));
        }
        let parts: &[LobePart] = match part {
            LobePart::Narrow => &[LobePart::Narrow],
            LobePart::Diffuse | LobePart::Rough => &[LobePart::Diffuse, LobePart::Rough],
        };
        let density = |&part: &LobePart| self.met.bsdf.eval_pdf_part(part, it.wo, drawn.wi).1;
        let pdf = (1.0 - COSINE_SHARE) * parts.iter().map(density).sum::<f32>()
            + match part {
                LobePart::Narrow => 0.0,
                LobePart::Diffuse | LobePart::Rough => {
                    COSINE_SHARE * drawn.wi.dot(near_normal(it)).max(0.0) * INV_PI
                }
            };
        shade(
            scene,
            &Interaction { wo: drawn.wi, ..*it },
            context,
            &mut self.seen,
        );
        let seen = |&part: &LobePart| self.seen.bsdf.eval_pdf_part(part, drawn.wi, it.wo).0;
        // It includes the cosine of the incident direction; a photon's weight needs that of the outgoing one.
        let cosines = (drawn.wi.dot(it.ng) / it.wo.dot(it.ng)).abs();
        let weight = parts.iter().map(seen).sum::<Rgb>() * self.met.transmittance * (cosines / pdf);
        (pdf > 0.0).then_some((part, BsdfSample { weight, pdf, ..drawn }))
    }
}

fn shade(scene: &Scene, it: &Interaction, context: &mut Context, surface: &mut Surface) {
    context.stats.shading_runs += 1;
    let material = scene.material(it.shape);
    material.shade(
        it,
        RayKind::PHOTON,
        &Footprint::POINT,
        &mut context.shading,
        surface,
    );
}

fn is_wide(bsdf: &Bsdf) -> bool {
    bsdf.has(LobePart::Diffuse) || bsdf.has(LobePart::Rough)
}

/// Unit geometric normal on the side that the photon came from.
fn near_normal(it: &Interaction) -> Vec3 {
    if it.wo.dot(it.ng) < 0.0 { -it.ng } else { it.ng }
}

/// A cosine-sampled direction; weight and density are set later.
fn from_cosine(wi: Vec3) -> BsdfSample {
    BsdfSample {
        wi,
        weight: Rgb::BLACK,
        pdf: 0.0,
        lobe: LobeKind::DIFFUSE_REFLECTION,
        eta: 1.0,
    }
}
