//! Photon scattering: samples a direction from the lobes and weights it by the adjoint BSDF, also for view-dependent
//! shaders.
//!
//! The lobes of a shader may depend on the view direction: the base of a layer is seen through its top, and shaders may
//! read `I`. Radiance towards a viewer is defined by the lobes for *that* view direction. Therefore a photon's
//! direction is sampled from the lobes shaded for its incident direction, and its weight is evaluated with the surface
//! shaded again for the outgoing direction. Cosine sampling is mixed in for lobes that exist only for the second view,
//! such as a diffuse base below glass at angles of total reflection.
// Veach 1997, section 5.3: particles are scattered by the adjoint, f(wi → wo) with the viewer at the new direction.

use glam::{Vec2, Vec3};

use crate::bsdf::{Bsdf, BsdfSample, LobeKind, LobePart, SubsurfaceLobe, TransportMode};
use crate::integrator::context::Context;
use crate::integrator::photon::map::layer::Layer;
use crate::material::{HitRay, RayKind, ShadingResult};
use crate::scene::Scene;
use renderer_base::color::Rgb;
use renderer_base::math::{Frame, INV_PI, ONE_MINUS_EPSILON};
use renderer_base::sampling::cosine_hemisphere;
use renderer_geometry::{Footprint, Interaction};
use renderer_scene::LightVisibility;

/// Probability of cosine sampling if the lobes depend on the view direction.
const COSINE_PROBABILITY: f32 = 0.25;

/// Shading results at a photon's hit. They are large: each thread reuses one `Scatterer` for all photons.
pub(crate) struct Scatterer {
    /// Shaded for the incident direction.
    incoming: ShadingResult,
    /// Shaded for another view direction.
    outgoing: ShadingResult,
    /// Exterior index of refraction.
    outside: f32,
}

impl Scatterer {
    pub(crate) fn new() -> Scatterer {
        let mut incoming = ShadingResult::new();
        incoming.bsdf.set_mode(TransportMode::Importance);
        Scatterer { incoming, outgoing: ShadingResult::new(), outside: 1.0 }
    }

    /// Shades a photon's hit; `outside` is the exterior index of refraction.
    pub(crate) fn shade_hit(&mut self, scene: &Scene, it: &Interaction, outside: f32, context: &mut Context) {
        self.outside = outside;
        shade(scene, it, outside, context, &mut self.incoming);
        context.stats.lobe_overflows += u64::from(self.incoming.lobe_overflow);
    }

    /// Returns whether the surface has a diffuse or rough lobe on the photon's side, so that lookups can use the
    /// photon.
    pub(crate) fn has_wide_lobe(&mut self, scene: &Scene, it: &Interaction, context: &mut Context) -> bool {
        if is_wide(&self.incoming.bsdf) || !scene.material(it.shape).is_view_dependent() {
            return is_wide(&self.incoming.bsdf);
        }
        // At normal incidence most of the base below a layer is visible.
        let n = near_normal(it);
        shade(scene, &Interaction { wo: n, ..*it }, self.outside, context, &mut self.outgoing);
        is_wide(&self.outgoing.bsdf)
    }

    /// The subsurface lobe at `index`, with the ratio of the incident cosines at the shading and the geometric normal.
    pub(crate) fn subsurface(&self, it: &Interaction, index: u8) -> Option<(SubsurfaceLobe, f32)> {
        let lobe = self.incoming.bsdf.subsurface_lobe(index)?;
        let (cos, along) = (lobe.frame.n.dot(it.wo), it.wo.dot(it.ng));
        Some((lobe, (cos * along.signum()).max(0.0) / along.abs()))
    }

    /// Samples the direction in which a photon leaves an object, with the weight of the subsurface lobe `number`.
    pub(crate) fn leave(
        &mut self,
        scene: &Scene,
        it: &Interaction,
        number: u8,
        u: Vec2,
        context: &mut Context,
    ) -> Option<(Vec3, Rgb)> {
        let wi = Frame::from_normal(it.wo).to_world(cosine_hemisphere(u));
        let seen = Interaction { wo: wi, ..*it };
        shade(scene, &seen, self.outside, context, &mut self.outgoing);
        Some((wi, self.outgoing.bsdf.subsurface_lobe_numbered(number)?.weight))
    }

    /// Layer of the surface at the hit.
    pub(crate) fn layer(&self, scene: &Scene, it: &Interaction) -> Layer {
        Layer::of(scene, it.shape, || self.incoming.bsdf.is_passed())
    }

    /// Samples the outgoing direction of a photon and the class of the lobe that scatters it; diffuse and rough count
    /// as one class. Returns `None` if the photon is absorbed.
    pub(crate) fn sample(
        &mut self,
        scene: &Scene,
        it: &Interaction,
        u_lobe: f32,
        u: Vec2,
        context: &mut Context,
    ) -> Option<(LobePart, BsdfSample)> {
        if !scene.material(it.shape).is_view_dependent() {
            let chosen = self.incoming.bsdf.choose(u_lobe)?;
            return Some((chosen.part, self.incoming.bsdf.sample_part(it.wo, chosen, u)?));
        }
        let (part, drawn) = if u_lobe < COSINE_PROBABILITY {
            let wi = Frame::from_normal(near_normal(it)).to_world(cosine_hemisphere(u));
            (LobePart::Diffuse, from_cosine(wi))
        } else {
            let u_lobe = ((u_lobe - COSINE_PROBABILITY) / (1.0 - COSINE_PROBABILITY)).min(ONE_MINUS_EPSILON);
            let chosen = self.incoming.bsdf.choose(u_lobe)?;
            (chosen.part, self.incoming.bsdf.sample_part(it.wo, chosen, u)?)
        };
        if drawn.is_specular() {
            // Mirror reflection leaves at the angle of incidence, so the lobes are the same; refraction is treated
            // alike.
            let weight = drawn.weight * (1.0 / (1.0 - COSINE_PROBABILITY));
            let pdf = drawn.pdf * (1.0 - COSINE_PROBABILITY);
            return Some((part, BsdfSample { weight, pdf, ..drawn }));
        }
        let parts: &[LobePart] = match part {
            LobePart::Narrow => &[LobePart::Narrow],
            LobePart::Diffuse | LobePart::Rough => &[LobePart::Diffuse, LobePart::Rough],
        };
        let density = |&part: &LobePart| self.incoming.bsdf.eval_pdf_part(part, it.wo, drawn.wi).1;
        let pdf = (1.0 - COSINE_PROBABILITY) * parts.iter().map(density).sum::<f32>()
            + match part {
                LobePart::Narrow => 0.0,
                LobePart::Diffuse | LobePart::Rough => {
                    COSINE_PROBABILITY * drawn.wi.dot(near_normal(it)).max(0.0) * INV_PI
                }
            };
        shade(
            scene,
            &Interaction { wo: drawn.wi, ..*it },
            self.outside,
            context,
            &mut self.outgoing,
        );
        let seen = |&part: &LobePart| self.outgoing.bsdf.eval_pdf_part(part, drawn.wi, it.wo).0;
        // f includes the cosine of the incident direction; the weight of a photon needs that of the outgoing direction.
        let cosines = (drawn.wi.dot(it.ng) / it.wo.dot(it.ng)).abs();
        let weight = parts.iter().map(seen).sum::<Rgb>() * (cosines / pdf);
        (pdf > 0.0).then_some((part, BsdfSample { weight, pdf, ..drawn }))
    }
}

impl Scatterer {
    /// Share of a sample's weight that lobes have which receive a light; `sample` is the last one.
    pub(crate) fn visible_share(
        &self,
        scene: &Scene,
        it: &Interaction,
        (part, sample): (LobePart, &BsdfSample),
        visible_to: LightVisibility,
    ) -> Rgb {
        let all_or_none = |lobe: LightVisibility| match visible_to.contains(lobe) {
            true => Rgb::WHITE,
            false => Rgb::BLACK,
        };
        if visible_to.has_all_scattering() {
            return Rgb::WHITE;
        }
        if sample.is_subsurface() {
            return all_or_none(LightVisibility::DIFFUSE);
        }
        if sample.is_specular() {
            return all_or_none(self.incoming.bsdf.class_of(sample.index, sample.lobe.side).visibility());
        }
        let is_narrow = part == LobePart::Narrow;
        match scene.material(it.shape).is_view_dependent() {
            true => {
                let counts = |other: LobePart| (other == LobePart::Narrow) == is_narrow;
                self.outgoing.bsdf.visible_share(sample.wi, it.wo, counts, visible_to)
            }
            false => {
                let counts = |other: LobePart| other == part;
                self.incoming.bsdf.visible_share(it.wo, sample.wi, counts, visible_to)
            }
        }
    }
}

fn shade(scene: &Scene, it: &Interaction, outside: f32, context: &mut Context, surface: &mut ShadingResult) {
    context.stats.shading_runs += 1;
    let material = scene.material(it.shape);
    let ray = HitRay { outside, ..HitRay::from(RayKind::PHOTON) };
    material.shade(it, ray, &Footprint::POINT, &mut context.shading, surface);
}

fn is_wide(bsdf: &Bsdf) -> bool {
    bsdf.has(LobePart::Diffuse) || bsdf.has(LobePart::Rough) || bsdf.has_subsurface()
}

/// Unit geometric normal on the side of incidence.
fn near_normal(it: &Interaction) -> Vec3 {
    if it.wo.dot(it.ng) < 0.0 { -it.ng } else { it.ng }
}

/// Sample for a cosine-sampled direction; weight and density are set later.
fn from_cosine(wi: Vec3) -> BsdfSample {
    BsdfSample {
        wi,
        weight: Rgb::BLACK,
        pdf: 0.0,
        lobe: LobeKind::DIFFUSE_REFLECTION,
        eta: 1.0,
        index: 0,
    }
}
