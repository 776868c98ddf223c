//! Areas of analytic surfaces under affine transforms.

use std::f64::consts::TAU;

use glam::{DMat3, DVec3};

use super::Analytic;
use super::analytic::slope;
use renderer_base::math::sin_cos;

/// Steps of the midpoint rule along each parameter.
const STEPS: u32 = 64;

impl Analytic {
    /// Area of the surface after a linear transform of object space.
    pub(super) fn transformed_area(self, linear: &DMat3) -> f64 {
        // A unit area with the normal n is enlarged by |C n|, where C is the cofactor matrix.
        let [x, y, z] = [linear.x_axis, linear.y_axis, linear.z_axis];
        let cofactors = DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
        let stretch = |n: DVec3| (cofactors * n).length();
        let mean = match self {
            Analytic::Disk => stretch(DVec3::Z),
            Analytic::Cylinder => about_z().map(stretch).sum::<f64>() / f64::from(STEPS),
            Analytic::Cone(top) => {
                let k = slope(top);
                let normal = |n: DVec3| n.with_z(k).normalize();
                about_z().map(|n| stretch(normal(n))).sum::<f64>() / f64::from(STEPS)
            }
            Analytic::Sphere => uniform_stretch(&cofactors).unwrap_or_else(|| {
                let ring = |z: f64| {
                    let radius = (1.0 - z * z).sqrt();
                    about_z().map(|n| stretch(n * radius + DVec3::Z * z)).sum::<f64>()
                };
                let heights = steps().map(|step| 1.0 - 2.0 * step);
                heights.map(ring).sum::<f64>() / f64::from(STEPS * STEPS)
            }),
        };
        self.area() * mean
    }
}

/// Midpoints of the steps of the unit interval.
fn steps() -> impl Iterator<Item = f64> {
    (0..STEPS).map(|step| (f64::from(step) + 0.5) / f64::from(STEPS))
}

/// Unit vectors about z.
fn about_z() -> impl Iterator<Item = DVec3> {
    static VECTORS: std::sync::LazyLock<Vec<DVec3>> = std::sync::LazyLock::new(|| {
        let vector = |turns: f64| {
            let (sin, cos) = sin_cos(TAU * turns);
            DVec3::new(cos, sin, 0.0)
        };
        steps().map(vector).collect()
    });
    VECTORS.iter().copied()
}

/// Factor by which a matrix stretches all vectors; `None` if it depends on their direction.
fn uniform_stretch(matrix: &DMat3) -> Option<f64> {
    /// Relative tolerance of squared lengths.
    const ROUNDING: f64 = 1e-6;
    let gram = matrix.transpose() * *matrix;
    let mean = (gram.x_axis.x + gram.y_axis.y + gram.z_axis.z) / 3.0;
    let deviation = gram - DMat3::from_diagonal(DVec3::splat(mean));
    let is_uniform = deviation.to_cols_array().iter().all(|v| v.abs() <= ROUNDING * mean);
    is_uniform.then(|| mean.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_those_of_known_bodies() {
        let near = |found: f64, expected: f64, tolerance: f64| {
            assert!((found / expected - 1.0).abs() < tolerance, "{found}, not {expected}");
        };
        let pi = std::f64::consts::PI;
        let turn = DMat3::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 1.1);
        let stretched = |x, y, z| turn * DMat3::from_diagonal(DVec3::new(x, y, z));
        near(Analytic::Sphere.transformed_area(&stretched(-3.0, 3.0, 3.0)), 36.0 * pi, 1e-12);
        near(Analytic::Disk.transformed_area(&stretched(2.0, 5.0, 7.0)), 10.0 * pi, 1e-12);
        near(Analytic::Cylinder.transformed_area(&stretched(2.0, 2.0, 5.0)), 20.0 * pi, 1e-12);
        // The slant height of a cone of radius 3 and height 4 is 5; of a frustum of radii 6 and 3, too.
        near(
            Analytic::Cone(0.0).transformed_area(&stretched(3.0, 3.0, 4.0)),
            15.0 * pi,
            1e-12,
        );
        near(
            Analytic::Cone(0.5).transformed_area(&stretched(6.0, 6.0, 4.0)),
            45.0 * pi,
            1e-12,
        );
        // A prolate spheroid: 2π a² (1 + c / (a e) asin e), with e² = 1 − a² / c².
        let e = (1.0f64 - 1.0 / 4.0).sqrt();
        let prolate = 2.0 * pi * (1.0 + 2.0 / e * e.asin());
        near(Analytic::Sphere.transformed_area(&stretched(1.0, 2.0, 1.0)), prolate, 1e-3);
        near(Analytic::Sphere.transformed_area(&stretched(1.0, 1.0, 2.0)), prolate, 1e-3);
    }
}
