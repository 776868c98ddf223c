//! Vector mathematics on top of `glam`: elementary functions, frames, rays, bounds, kd-trees, cells. Vectors are
//! [`glam::Vec3`]; transforms are [`glam::Affine3A`], named destination first (`world_from_object`), so that names in a
//! product line up.

mod bounds;
mod cells;
mod elementary;
mod frame;
mod kd_split;
mod kd_tree;
mod ray;

pub use bounds::Bounds;
pub use cells::Cells;
pub use elementary::{
    acos, asin, atan, atan2, cbrt, cos, exp, exp_m1, exp2, hypot, ln, log2, pow, rotation_y, sin, sin_cos,
    tan, unit_vector,
};
pub use frame::{Frame, abs_cos_theta, coordinate_system, cos_theta, lat_long_uv, same_hemisphere};
pub use kd_split::Located;
pub use kd_tree::{KdTree, Limits};
pub use ray::{ROUNDING, Ray, RayEnd};

use glam::{Affine3A, DAffine3, Mat3, Mat3A, Vec3, Vec3A};

/// The reciprocal of π.
pub const INV_PI: f32 = std::f32::consts::FRAC_1_PI;

/// `x²`.
pub fn sqr(x: f32) -> f32 {
    x * x
}

/// `√x`, with small negative `x` (rounding) taken as zero.
pub fn safe_sqrt(x: f32) -> f32 {
    x.max(0.0).sqrt()
}

/// `x` within `[least, most]`; `least` where it is not a number.
pub fn bounded(x: f32, least: f32, most: f32) -> f32 {
    x.max(least).min(most)
}

/// The largest `f32` below one: the upper bound of a random number in `[0,1)`.
pub const ONE_MINUS_EPSILON: f32 = 1.0 - f32::EPSILON / 2.0;

/// Converts a transform to double precision.
pub fn in_double(transform: &Affine3A) -> DAffine3 {
    let [x, y, z] = [transform.matrix3.x_axis, transform.matrix3.y_axis, transform.matrix3.z_axis];
    DAffine3::from_cols(x.as_dvec3(), y.as_dvec3(), z.as_dvec3(), transform.translation.as_dvec3())
}

/// Converts a transform to single precision.
pub fn in_single(transform: &DAffine3) -> Affine3A {
    let [x, y, z] = [transform.matrix3.x_axis, transform.matrix3.y_axis, transform.matrix3.z_axis];
    Affine3A::from_cols(x.as_vec3a(), y.as_vec3a(), z.as_vec3a(), transform.translation.as_vec3a())
}

/// Cross product with the same rounding on every processor that the program is built for; that of `glam` is fused where
/// there are instructions for it.
pub fn cross(a: Vec3A, b: Vec3A) -> Vec3A {
    Vec3::from(a).cross(b.into()).into()
}

/// Determinant with the same rounding on every processor that the program is built for.
pub fn determinant(m: &Mat3A) -> f32 {
    Mat3::from(*m).determinant()
}

/// Inverse of a transform, computed in double precision: with the same rounding on every processor that the program is
/// built for.
pub fn inverse(transform: &Affine3A) -> Affine3A {
    in_single(&in_double(transform).inverse())
}

/// Returns whether a transform is invertible: finite entries and linearly independent columns, at any scale.
pub fn is_invertible(transform: &Affine3A) -> bool {
    let matrix = in_double(transform).matrix3;
    // The determinant is the volume of a box whose sides have these lengths and are more or less askew.
    let volume = matrix.x_axis.length() * matrix.y_axis.length() * matrix.z_axis.length();
    transform.is_finite() && matrix.determinant().abs() > 1e-9 * volume
}
