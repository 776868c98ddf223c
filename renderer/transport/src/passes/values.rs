//! Values of the first surface of a sample: coverage, identifiers, shader outputs, normals, albedos.

use glam::Vec3;
use renderer_passes::ValuePass;

use super::sink::{PassSink, accumulate, mean};
use crate::material::ShadingContext;
use crate::radiance::Reached;
use renderer_base::color::Rgb;
use renderer_scene::Catcher;

impl PassSink<'_> {
    /// Removes a catcher from the alpha of the picture.
    pub(super) fn catch(&mut self, catcher: Catcher, reached: Reached<'_>) {
        let covered = mean(reached.throughput * (Rgb::WHITE - reached.surface.transparency));
        if let Some(channel) = self.plan.alpha {
            self.values[channel] -= covered;
        }
        if let Some(channel) = self.plan.shadow.filter(|_| catcher == Catcher::Shadow) {
            self.values[channel] += covered;
        }
    }

    /// Removes the holdout of a surface from the alpha of the picture.
    pub(super) fn hold_out(&mut self, reached: Reached<'_>) {
        if let Some(channel) = self.plan.alpha {
            self.values[channel] -= mean(reached.throughput * reached.surface.held_out());
        }
    }

    /// Records the values of the first surface.
    pub(super) fn record_first(&mut self, reached: Reached<'_>, context: &mut ShadingContext) {
        let Reached { it, surface, throughput, .. } = reached;
        let seen = throughput * surface.opacity();
        let covered = mean(seen);
        if let Some(channel) = self.plan.weight {
            self.values[channel] += covered;
        }
        // Identifiers need coverage.
        if covered != 0.0 {
            for (kind, &identifier) in self.plan.identifiers(it.shape).iter().enumerate() {
                self.identified.push((kind, identifier, covered));
            }
        }
        let plan = self.plan;
        for (shader, channel) in plan.shaders_of(it.shape) {
            let v = shader.value(reached.material, it, reached.ray, reached.footprint, context);
            accumulate(&mut self.values[channel..channel + 3], v.map(|v| v * covered));
        }
        let (eye, forward) = self.plan.eye;
        for &(value, channel) in &self.plan.values {
            let facing = |n: Vec3| if n.dot(it.wo) < 0.0 { -n } else { n };
            let v = match value {
                ValuePass::Depth => Vec3::new((it.p - eye).dot(forward), 0.0, 0.0) * covered,
                ValuePass::Position => self.plan.space.world(it.p) * covered,
                ValuePass::GeometricNormal => facing(it.ng) * covered,
                ValuePass::Uv => it.uv.extend(0.0) * covered,
                ValuePass::FirstAlbedo => {
                    Vec3::from_array((throughput * surface.bsdf.scattering_albedo(it.wo)).to_array())
                }
                ValuePass::Roughness => Vec3::splat(surface.bsdf.roughness() * covered),
                ValuePass::Opacity => Vec3::from_array(seen.to_array()),
                ValuePass::Facing => Vec3::splat(facing(it.n).dot(it.wo) * covered),
                ValuePass::Motion => {
                    let motion = plan.frames.as_ref().map_or([0.0; 4], |frames| frames.motion(it));
                    accumulate(&mut self.values[channel..channel + 4], motion.map(|x| x * covered));
                    continue;
                }
                ValuePass::Normal
                | ValuePass::Albedo
                | ValuePass::Alpha
                | ValuePass::ObjectId
                | ValuePass::MaterialId
                | ValuePass::Samples
                | ValuePass::Variance => continue,
            };
            let count = value.channels().len();
            accumulate(&mut self.values[channel..channel + count], v.to_array());
        }
    }

    /// Records a medium as a surface that faces the viewer, with the throughput as albedo; a black albedo would make
    /// values behind thin media noisy.
    pub(super) fn record_medium(&mut self, throughput: Rgb, direction: Vec3) {
        let covered = mean(throughput);
        for &(value, channel) in &self.plan.values {
            let v = match value {
                ValuePass::Normal => -direction * covered,
                ValuePass::Albedo => Vec3::from_array(throughput.to_array()),
                _ => continue,
            };
            accumulate(&mut self.values[channel..channel + 3], v.to_array());
        }
    }

    /// Records the values of the first surface that is not a mirror or smooth glass.
    pub(super) fn record_seen(&mut self, reached: Reached<'_>) {
        let Reached { it, surface, throughput, .. } = reached;
        let covered = mean(throughput * surface.opacity());
        for &(value, channel) in &self.plan.values {
            let v = match value {
                ValuePass::Normal => {
                    let n = surface.bsdf.shading_normal().unwrap_or(it.n);
                    if n.dot(it.wo) < 0.0 { -n * covered } else { n * covered }
                }
                ValuePass::Albedo => {
                    Vec3::from_array((throughput * surface.bsdf.scattering_albedo(it.wo)).to_array())
                }
                _ => continue,
            };
            accumulate(&mut self.values[channel..channel + 3], v.to_array());
        }
    }
}
