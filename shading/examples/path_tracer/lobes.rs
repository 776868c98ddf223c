//! Closures of the renderer, and the lobes that a closure tree is converted to.

use std::f32::consts::PI;

use super::vector::{Random, V};

shading::closures! {
    /// Closures of this renderer.
    #[derive(Clone, Copy, Debug)]
    pub(super) enum Lobe {
        /// Lambert's reflection.
        Matte = matte(normal n),
        /// A perfect mirror.
        Mirror = mirror(normal n),
        /// A smooth interface between air and the inside of the object.
        Glass = glass(normal n, float ior = 1.5),
        /// Emitted light.
        Light = light(),
    }
}

/// Emitted radiance of a point, and its lobes with weights.
pub(super) struct Surface {
    pub(super) emission: V,
    pub(super) lobes: [(V, Lobe); 4],
    pub(super) count: usize,
}

/// Sampled direction: weight f·|cos θ|/pdf, and the pdf per solid angle; `None` for a mirror or glass.
pub(super) struct BsdfSample {
    pub(super) wi: V,
    pub(super) weight: V,
    pub(super) pdf: Option<f32>,
}

impl Surface {
    /// Returns the sum of the matte lobes for light from a direction, f·|cos θ|, and the pdf with which [`Surface::sample`]
    /// samples the direction.
    pub(super) fn matte(&self, wi: V) -> (V, f32) {
        let all: f32 = self.lobes[..self.count].iter().map(|(weight, _)| weight.luminance()).sum();
        self.lobes[..self.count]
            .iter()
            .fold((V([0.0; 3]), 0.0), |(f, pdf), (weight, lobe)| match lobe {
                Lobe::Matte { n } => {
                    let density = V(*n).dot(wi).max(0.0) / PI;
                    (f + *weight * density, pdf + density * weight.luminance() / all)
                }
                _ => (f, pdf),
            })
    }

    /// Samples a lobe in proportion to its weight, and a direction of the lobe.
    pub(super) fn sample(&self, i: V, is_back: bool, random: &mut Random) -> Option<BsdfSample> {
        let lobes = &self.lobes[..self.count];
        let all: f32 = lobes.iter().map(|(weight, _)| weight.luminance()).sum();
        let mut left = random.next() * all;
        let (weight, lobe) = *lobes.iter().find(|(weight, _)| {
            left -= weight.luminance();
            left < 0.0
        })?;
        let delta = |wi: V| BsdfSample { wi, weight: weight * (all / weight.luminance()), pdf: None };
        Some(match lobe {
            Lobe::Matte { n } => {
                // Directions to points on a sphere that touches the surface are cosine-distributed.
                let wi = (V(n) + random.direction()).unit();
                let (f, pdf) = self.matte(wi);
                BsdfSample {
                    wi,
                    weight: f * (1.0 / pdf.max(f32::MIN_POSITIVE)),
                    pdf: Some(pdf),
                }
            }
            Lobe::Mirror { n } => delta(i.mirrored(V(n))),
            Lobe::Glass { n, ior } => {
                let (n, eta) = (V(n), if is_back { ior } else { 1.0 / ior });
                let cos_i = -i.dot(n);
                let sin2 = eta * eta * (1.0 - cos_i * cos_i);
                let cos_t = (1.0 - sin2).max(0.0).sqrt();
                // Fresnel equations; total reflection gives 1.
                let s = (eta * cos_i - cos_t) / (eta * cos_i + cos_t);
                let p = (cos_i - eta * cos_t) / (cos_i + eta * cos_t);
                // Refraction scales radiance by eta² at entry and by its inverse at exit. Both are omitted, since they
                // cancel.
                match random.next() < 0.5 * (s * s + p * p) {
                    true => delta(i.mirrored(n)),
                    false => delta((i * eta + n * (eta * cos_i - cos_t)).unit()),
                }
            }
            Lobe::Light {} => return None,
        })
    }
}
