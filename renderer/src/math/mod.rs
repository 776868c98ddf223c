//! Geometry's arithmetic on top of `glam`: frames, rays, bounds. Vectors are [`glam::Vec3`], transforms are
//! [`glam::Affine3A`] named destination first (`world_from_object`), so that a product reads like the chain it is.

mod bounds;
mod frame;
mod ray;

pub use bounds::Bounds;
pub use frame::{Frame, abs_cos_theta, coordinate_system, cos_theta, lat_long_uv, same_hemisphere};
pub use ray::{Ray, offset_ray_origin};

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

/// The largest `f32` below one: the upper bound of a random number in `[0,1)`.
pub const ONE_MINUS_EPSILON: f32 = 1.0 - f32::EPSILON / 2.0;
