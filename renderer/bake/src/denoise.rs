//! Lightmap denoising: a bilateral filter within charts, guided by normals, planes and the variance of texels.
// Tomasi & Manduchi 1998, "Bilateral Filtering for Gray and Color Images"; the weight by variances after Rousselle et al.
// 2012, "Adaptive Rendering with Non-Local Means Filtering", eq. 3.

use glam::Vec3;
use rayon::prelude::*;

use super::lightmap_buffer::LightmapBuffer;
use renderer_base::color::Rgb;
use renderer_base::math::exp;

/// Filter radius [texels].
const RADIUS: i32 = 4;
/// Tolerated difference of two texels, in standard deviations of their noise.
const TOLERANCE: f32 = 2.0;

/// ShadingResult point and shading normal of a texel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TexelPoint {
    pub(super) p: Vec3,
    pub(super) n: Vec3,
}

/// Filters the valid `texels`; `places` contains the points of all texels, `texel` is a texel's width [m]. Charts are
/// filtered as a whole or not at all.
pub(super) fn denoise(lightmap: &mut LightmapBuffer, texels: &[bool], places: &[TexelPoint], texel: f32) {
    let variance = smooth_variance(lightmap);
    let layers = lightmap.field.layers();
    let filtered: Vec<Vec<Rgb>> = (0..lightmap.charts.len())
        .into_par_iter()
        .map(|index| {
            if !texels[index] {
                return vec![];
            }
            let mut sum = vec![Rgb::BLACK; layers];
            let mut total = 0.0;
            for other in window(lightmap, index) {
                let weight = weight(lightmap, &variance, places, texel, index, other);
                if weight > 0.0 {
                    total += weight;
                    for (sum, &color) in sum.iter_mut().zip(lightmap.field.at(other)) {
                        *sum += color * weight;
                    }
                }
            }
            sum.iter_mut().for_each(|color| *color /= total);
            sum
        })
        .collect();
    for (index, colors) in filtered.into_iter().enumerate() {
        if !colors.is_empty() {
            lightmap.field.at_mut(index).copy_from_slice(&colors);
        }
    }
}

fn weight(
    lightmap: &LightmapBuffer,
    variance: &[f32],
    places: &[TexelPoint],
    texel: f32,
    a: usize,
    b: usize,
) -> f32 {
    if a == b {
        return 1.0;
    }
    let (from, to) = (places[a], places[b]);
    let away = to.p - from.p;
    let reach = RADIUS as f32 * texel;
    let spatial = exp(-2.0 * away.length_squared() / (reach * reach));
    let plane = exp(-(away.dot(from.n) / (0.5 * texel)).powi(2));
    let facing = from.n.dot(to.n).max(0.0).powi(32);
    let difference = lightmap.field.irradiance(a).luminance() - lightmap.field.irradiance(b).luminance();
    let noise = variance[a] + variance[b];
    // The expected squared difference due to noise is subtracted first.
    let excess = (difference * difference - noise).max(0.0);
    let alike = exp(-excess / (TOLERANCE * TOLERANCE * noise + 1e-12));
    spatial * plane * facing * alike
}

/// The variance of each texel, averaged over its neighbours, since single estimates are noisy.
fn smooth_variance(lightmap: &LightmapBuffer) -> Vec<f32> {
    (0..lightmap.charts.len())
        .into_par_iter()
        .map(|index| {
            if !lightmap.field.valid[index] {
                return 0.0;
            }
            let known = lightmap
                .around(index)
                .chain([index])
                .filter(|&i| lightmap.field.valid[i] && lightmap.charts[i] == lightmap.charts[index]);
            let (sum, count) =
                known.fold((0.0, 0.0), |(sum, count), i| (sum + lightmap.field.variance[i], count + 1.0));
            sum / count
        })
        .collect()
}

/// The valid texels of the same chart within reach.
fn window(lightmap: &LightmapBuffer, index: usize) -> impl Iterator<Item = usize> + '_ {
    let size = lightmap.size.as_ivec2();
    let (x, y) = (index as i32 % size.x, index as i32 / size.x);
    let rows = (y - RADIUS).max(0)..=(y + RADIUS).min(size.y - 1);
    rows.flat_map(move |y| {
        let columns = (x - RADIUS).max(0)..=(x + RADIUS).min(size.x - 1);
        columns.map(move |x| (y * size.x + x) as usize)
    })
    .filter(move |&i| lightmap.field.valid[i] && lightmap.charts[i] == lightmap.charts[index])
}
