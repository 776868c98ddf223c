//! Table of the directional albedo of an isotropic reflection lobe with one parameter, computed by quadrature.

use std::f32::consts::PI;

use glam::Vec3;

use super::quadrature::cell;
use renderer_base::math::{safe_sqrt, sin_cos, sqr};

/// Directional albedos for parameters and cosines in `[0,1]`.
pub(super) struct AlbedoTable {
    /// Number of entries along the parameter and along the cosine.
    size: usize,
    values: Vec<f32>,
}

impl AlbedoTable {
    /// Tabulates the lobe whose f·cos θi is `value` of the parameter, `wo` and `wi`, both on the side of z.
    pub(super) fn new(size: usize, value: impl Fn(f32, Vec3, Vec3) -> f32) -> AlbedoTable {
        AlbedoTable::of(size, |parameter, wo| integral(|wi| value(parameter, wo, wi)))
    }

    /// Tabulates `albedo`, a function of the parameter and `wo`.
    pub(super) fn of(size: usize, albedo: impl Fn(f32, Vec3) -> f32) -> AlbedoTable {
        // Entries are finer towards zero, where albedos change fast.
        let coordinate = |index: usize| sqr(index as f32 / (size - 1) as f32);
        let entry = |index: usize| {
            let (parameter, cos) = (coordinate(index % size), coordinate(index / size).max(1e-4));
            albedo(parameter, Vec3::new(safe_sqrt(1.0 - sqr(cos)), 0.0, cos))
        };
        AlbedoTable { size, values: (0..size * size).map(entry).collect() }
    }

    /// Interpolated albedo.
    pub(super) fn look_up(&self, parameter: f32, cos: f32) -> f32 {
        let ((x, fx), (y, fy)) = (self.split(parameter), self.split(cos));
        let row = |y: usize| {
            let at = y * self.size + x;
            self.values[at] * (1.0 - fx) + self.values[at + 1] * fx
        };
        row(y) * (1.0 - fy) + row(y + 1) * fy
    }

    /// Cell index and fraction of a coordinate in `[0,1]`.
    fn split(&self, x: f32) -> (usize, f32) {
        cell(x.clamp(0.0, 1.0).sqrt(), self.size)
    }
}

/// Integral over the directions on the side of z of a function that is even in the azimuth.
fn integral(f: impl Fn(Vec3) -> f32) -> f32 {
    const ANGLES: usize = 32;
    const AZIMUTHS: usize = 24;
    let mut sum = 0.0;
    for i in 0..ANGLES {
        let root = (i as f32 + 0.5) / ANGLES as f32;
        let (cos_i, width) = (sqr(root), 2.0 * root / ANGLES as f32);
        for k in 0..AZIMUTHS {
            let (sin, cos) = sin_cos((k as f32 + 0.5) * PI / AZIMUTHS as f32);
            let across = safe_sqrt(1.0 - sqr(cos_i));
            let wi = Vec3::new(across * cos, across * sin, cos_i);
            sum += f(wi) * width * (2.0 * PI / AZIMUTHS as f32);
        }
    }
    sum
}
