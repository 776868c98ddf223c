//! The closures of the renderer, and the lobes that a closure tree becomes.

use std::f32::consts::PI;

use super::vector::{Random, V};

shading::closures! {
    /// The closures of this renderer.
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

/// What a closure tree says about a point: emitted radiance, and lobes with their weights.
pub(super) struct Surface {
    pub(super) emission: V,
    pub(super) lobes: [(V, Lobe); 4],
    pub(super) count: usize,
}

/// The direction in which a path goes on: weight f·|cos θ|/pdf, and the pdf per solid angle; none for a mirror or glass.
pub(super) struct Continued {
    pub(super) wi: V,
    pub(super) weight: V,
    pub(super) pdf: Option<f32>,
}

impl Surface {
    /// The sum of the matte lobes for light from a direction, f·|cos θ|, and the pdf with which [`Surface::sample`]
    /// chooses that direction.
    pub(super) fn matte(&self, wi: V) -> (V, f32) {
        let all: f32 = self.lobes[..self.count]
            .iter()
            .map(|(weight, _)| weight.luminance())
            .sum();
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

    /// Chooses a lobe in proportion to its weight, and a direction of it.
    pub(super) fn sample(&self, i: V, is_back: bool, random: &mut Random) -> Option<Continued> {
        let lobes = &self.lobes[..self.count];
        let all: f32 = lobes.iter().map(|(weight, _)| weight.luminance()).sum();
        let mut left = random.next() * all;
        let (weight, lobe) = *lobes.iter().find(|(weight, _)| {
            left -= weight.luminance();
            left < 0.0
        })?;
        let delta = |wi: V| Continued {
            wi,
            weight: weight * (all / weight.luminance()),
            pdf: None,
        };
        Some(match lobe {
            Lobe::Matte { n } => {
                // Directions on a sphere that touches the point are distributed by the cosine.
                let wi = (V(n) + random.direction()).unit();
                let (f, pdf) = self.matte(wi);
                Continued {
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
                // Fresnel's equations; total reflection gives 1.
                let s = (eta * cos_i - cos_t) / (eta * cos_i + cos_t);
                let p = (cos_i - eta * cos_t) / (cos_i + eta * cos_t);
                // Radiance is scaled by eta² on the way in and by its inverse on the way out: the two cancel here.
                match random.next() < 0.5 * (s * s + p * p) {
                    true => delta(i.mirrored(n)),
                    false => delta((i * eta + n * (eta * cos_i - cos_t)).unit()),
                }
            }
            Lobe::Light {} => return None,
        })
    }
}
