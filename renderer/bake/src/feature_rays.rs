//! Surface features by rays: ambient occlusion, curvature and shadows.
//!
//! - *Ambient occlusion* is ∫ V(ω) cosθ dω / π over the hemisphere of the shading normal, where V is the transmittance along
//!   the first `reach` metres from the point in the direction ω.
//! - *Curvature* is the mean curvature H [1/m], positive where the surface is convex. It follows from the fraction s of the
//!   ball with radius R = `reach` around the point that is outside of the surface: s = 1/2 + 3R·H/16 up to terms of R²,
//!   exactly so at a sphere of radius r ≥ R/2, where H = 1/r (Pottmann et al. 2009, "Integral invariants for robust geometry
//!   processing", eq. 6). With a ray inward and one outward for each direction, s is 1/2 + ∫ (max(0, 1 − (t⁻/R)³) − max(0, 1
//!   − (t⁺/R)³)) dω / 4π, where t⁻ and t⁺ are the distances to the surface, as long as no ray crosses it twice within the
//!   ball. At a right-angled edge s is 3/4 and H = 4/3R, at the corner of a cube 7/8 and 2/R; at concave ones H is -4/3R and
//!   -2/R.
//! - A *shadow* is the unoccluded fraction of the irradiance of some lights. It is undefined where this irradiance is zero.

use std::ops::Range;

use glam::{UVec2, Vec3};

use super::feature::FeatureRays;
use renderer_base::math::{Frame, Ray};
use renderer_base::sampler::Sampler;
use renderer_base::sampling::{cosine_hemisphere, uniform_hemisphere};
use renderer_geometry::Interaction;
use renderer_transport::integrator::Context;
use renderer_transport::interior::InteriorList;
use renderer_transport::light::{LightId, LightViewer};
use renderer_transport::material::ShadingContext;
use renderer_transport::scene::Scene;

/// First sample number of these rays, disjoint from those of gather rays.
const FIRST_FEATURE_SAMPLE: u64 = 1 << 41;

/// Weighted sum over samples.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SampleSum {
    value: f64,
    weight: f64,
}

impl SampleSum {
    fn add(&mut self, value: f32) {
        self.add_weighted(value, 1.0);
    }

    fn add_weighted(&mut self, value: f32, weight: f32) {
        self.value += f64::from(value) * f64::from(weight);
        self.weight += f64::from(weight);
    }

    /// The mean; `None` without samples.
    pub(super) fn mean(&self) -> Option<f32> {
        (self.weight > 0.0).then(|| (self.value / self.weight) as f32)
    }
}

impl FeatureRays {
    /// Derivative of the fraction outside of the surface with respect to the mean curvature [m].
    pub fn share_by_curvature(&self) -> f32 {
        3.0 / 16.0 * self.reach
    }

    /// Consecutive samples of one of `count` points of a texel, which are stratified among themselves.
    pub(super) fn range(&self, point: usize, count: usize) -> Range<u64> {
        let first = |point: usize| u64::from(self.samples) * point as u64 / count as u64;
        first(point)..first(point + 1)
    }

    /// Adds samples of ambient occlusion at a point that is seen from its front.
    pub(super) fn add_openness(
        &self,
        scene: &Scene,
        it: &Interaction,
        (key, samples): (UVec2, Range<u64>),
        sampler: &mut Sampler,
        context: &mut Context,
        sums: &mut SampleSum,
    ) {
        let (ng, n) = facing(it);
        let frame = Frame::from_normal(n);
        for index in samples {
            sampler.start(key, FIRST_FEATURE_SAMPLE + index);
            let w = frame.to_world(cosine_hemisphere(sampler.next_2d()));
            // Facets of a smooth surface do not occlude themselves: directions below them are mirrored.
            let below = w.dot(ng).min(0.0);
            let w = (w - ng * (2.0 * below)).normalize_or(ng);
            let ray = Ray { t_max: self.reach, ..it.spawn_ray(w) };
            let passed = scene.transmittance(&ray, 1, || InteriorList::NONE, 0, &mut context.shading);
            sums.add(passed.luminance());
        }
    }

    /// Adds samples of curvature at a point that is seen from its front.
    pub(super) fn add_curvature(
        &self,
        scene: &Scene,
        it: &Interaction,
        (key, samples): (UVec2, Range<u64>),
        sampler: &mut Sampler,
        sums: &mut SampleSum,
    ) {
        let (ng, _) = facing(it);
        let frame = Frame::from_normal(ng);
        for index in samples {
            sampler.start(key, FIRST_FEATURE_SAMPLE + index);
            let w = frame.to_world(uniform_hemisphere(sampler.next_2d()));
            let [inside, outside] = [(-w, false), (w, true)].map(|(w, enters)| {
                let ray = Ray { t_max: self.reach, ..it.spawn_ray(w) };
                // Inward rays count where they leave the solid, outward ones where they enter one.
                let met = scene.intersect(&ray).filter(|met| (met.wo.dot(met.ng) > 0.0) == enters);
                met.map_or(0.0, |met| 1.0 - (met.t / self.reach).clamp(0.0, 1.0).powi(3))
            });
            sums.add(0.5 * (inside - outside) / self.share_by_curvature());
        }
    }
}

/// Adds samples of the light of some lights at a point that is seen from its front.
pub(super) fn add_visibility(
    (scene, lights): (&Scene, &[LightId]),
    it: &Interaction,
    (key, samples): (UVec2, Range<u64>),
    sampler: &mut Sampler,
    shading: &mut ShadingContext,
    sums: &mut SampleSum,
) {
    let (ng, n) = facing(it);
    let viewer = LightViewer { p: it.p, time: 0.0, depth: 1 };
    let count = lights.len() as f64;
    for index in samples {
        sampler.start(key, FIRST_FEATURE_SAMPLE + index);
        // One random number selects the light, a part of it, and a triangle of the part.
        let mut choice = sampler.next_choice();
        let mut choose = |count: f64| {
            choice *= count;
            let chosen = choice.floor().min(count - 1.0);
            choice -= chosen;
            chosen as u32
        };
        let id = lights[choose(count) as usize];
        let light = scene.light(id);
        let part = choose(f64::from(light.parts()));
        let Some(sample) = light.sample_li(&viewer, part, choice.clamp(0.0, BELOW_ONE), sampler.next_2d())
        else {
            continue;
        };
        let cosine = if sample.wi.dot(ng) > 0.0 { sample.wi.dot(n) } else { 0.0 };
        if cosine <= 0.0 {
            continue;
        }
        let arriving = light.radiance(&sample, &viewer, shading).luminance() * cosine;
        let arriving = arriving * light.parts() as f32 / sample.pdf;
        if arriving > 0.0 && arriving.is_finite() {
            let ray = sample.shadow_ray(&it.ray_end());
            let passed = scene.light_transmittance(id, it.shape, &ray, shading);
            sums.add_weighted(passed.luminance(), arriving);
        }
    }
}

/// The largest number below 1.
const BELOW_ONE: f64 = 1.0 - f64::EPSILON / 2.0;

/// Geometric and shading normal on the side of the viewer.
fn facing(it: &Interaction) -> (Vec3, Vec3) {
    let side = it.wo.dot(it.ng).signum();
    (it.ng * side, it.n * side)
}
