//! Light bounds (position, intensity, orientation cone) and the estimate of their irradiance at a point.
// Conty Estevez & Kulla 2018, "Importance Sampling of Many Lights with Adaptive Tree Splitting", section 4.

use std::f32::consts::{FRAC_PI_2, PI};

use glam::Vec3;

use super::light_sample_context::{LightSampleContext, angle_difference};
use renderer_base::math::{atan2, cos, safe_sqrt, sin, sqr};

/// Bounding sphere of emitters over the shutter interval, and bounding cone of their directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LightBounds {
    pub(super) center: Vec3,
    pub(super) radius: f32,
    /// Luminance of the total radiant intensity in the brightest direction [W/sr].
    pub(super) intensity: f32,
    /// Axis of the emission cone, unit length.
    pub(super) axis: Vec3,
    /// Angle between the axis and the farthest direction in which an emitter is brightest [rad].
    pub(super) spread: f32,
    /// Additional angle at which emission ends [rad].
    pub(super) falloff: f32,
}

impl LightBounds {
    /// Bounds of isotropic emission from within a sphere.
    pub(super) fn around(center: Vec3, radius: f32, intensity: f32) -> LightBounds {
        LightBounds {
            center,
            radius,
            intensity,
            axis: Vec3::Z,
            spread: PI,
            falloff: FRAC_PI_2,
        }
    }

    /// Union of two bounds.
    pub(super) fn union(&self, other: &LightBounds) -> LightBounds {
        let (center, radius) = sphere_around((self.center, self.radius), (other.center, other.radius));
        let (axis, spread) = cone_around((self.axis, self.spread), (other.axis, other.spread));
        LightBounds {
            center,
            radius,
            intensity: self.intensity + other.intensity,
            axis,
            spread,
            falloff: self.falloff.max(other.falloff),
        }
    }

    /// Cost of the split heuristic: intensity times extent times orientation measure.
    pub(super) fn cost(&self) -> f32 {
        let outer = (self.spread + self.falloff).min(PI);
        // Orientation measure: integral over the sphere of directions of the cosine beyond the spread.
        let directions = 1.0 - cos(self.spread)
            + 0.25
                * (2.0 * (outer - self.spread) * sin(self.spread) - cos(self.spread - 2.0 * outer)
                    + cos(self.spread));
        self.intensity * sqr(self.radius) * directions
    }

    /// Estimated contribution to a point; see [`importance`].
    #[cfg(test)]
    pub(super) fn importance(&self, at: &LightSampleContext) -> f32 {
        let cosines = Cosines::of(self);
        importance(at, self.center, self.radius, self.intensity, self.axis, &cosines)
    }
}

/// Cosines of the emission cone, as [`importance`] needs them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cosines {
    pub(super) cos_spread: f32,
    pub(super) sin_spread: f32,
    pub(super) cos_falloff: f32,
}

impl Cosines {
    pub(super) fn of(bounds: &LightBounds) -> Cosines {
        Cosines {
            cos_spread: cos(bounds.spread),
            sin_spread: sin(bounds.spread),
            // No angle is outside if spread and falloff together cover the sphere.
            cos_falloff: cos(bounds.falloff) - 1e-4,
        }
    }
}

/// Estimated unoccluded contribution to a point, weighted by the point's response [W/m²]. Branch-free, so that eight
/// children are computed with SIMD.
#[inline(always)]
pub(super) fn importance(
    at: &LightSampleContext,
    center: Vec3,
    radius: f32,
    intensity: f32,
    axis: Vec3,
    cone: &Cosines,
) -> f32 {
    let to = center - at.p;
    let distance2 = to.dot(to);
    let radius2 = radius * radius;
    let inverse = 1.0 / distance2.max(f32::MIN_POSITIVE).sqrt();
    let is_outside = distance2 > radius2;
    // Half-angle that the bounding sphere subtends from the point.
    let sin2_size = radius2 / distance2.max(f32::MIN_POSITIVE);
    let cos_size = if is_outside { (1.0 - sin2_size).max(0.0).sqrt() } else { -1.0 };
    let sin_size = if is_outside { sin2_size.sqrt() } else { 0.0 };

    let cos_axis = -(axis.dot(to) * inverse).clamp(-1.0, 1.0);
    let sin_axis = (1.0 - cos_axis * cos_axis).sqrt();
    let (cos_past, sin_past) = angle_difference((cos_axis, sin_axis), (cone.cos_spread, cone.sin_spread));
    let (cos_seen, _) = angle_difference((cos_past, sin_past), (cos_size, sin_size));

    let arrives = at.response(to * inverse, (cos_size, sin_size));

    let leaves = if cos_seen > cone.cos_falloff { cos_seen.max(0.0) } else { 0.0 };
    intensity * leaves * arrives / distance2.max(radius2).max(f32::MIN_POSITIVE)
}

/// Bounding sphere of two spheres.
fn sphere_around((a, ra): (Vec3, f32), (b, rb): (Vec3, f32)) -> (Vec3, f32) {
    let between = b - a;
    let distance = between.length();
    if distance + rb <= ra {
        (a, ra)
    } else if distance + ra <= rb {
        (b, rb)
    } else {
        let radius = 0.5 * (distance + ra + rb);
        (a + between * ((radius - ra) / distance), radius * (1.0 + 1e-6))
    }
}

/// Bounding cone (axis and half-angle [rad]) of two cones.
pub(super) fn cone_around((a, angle_a): (Vec3, f32), (b, angle_b): (Vec3, f32)) -> (Vec3, f32) {
    let ((a, angle_a), (b, angle_b)) = if angle_a >= angle_b {
        ((a, angle_a), (b, angle_b))
    } else {
        ((b, angle_b), (a, angle_a))
    };
    let between = a.angle_between(b);
    if between + angle_b <= angle_a {
        return (a, angle_a);
    }
    let angle = 0.5 * (angle_a + between + angle_b);
    let across = b - a * a.dot(b);
    if angle >= PI || across.length_squared() < 1e-12 {
        return (a, PI);
    }
    let turn = angle - angle_a;
    let axis = a * cos(turn) + across.normalize() * sin(turn);
    (axis.normalize(), angle)
}

/// Bounding cone of unit vectors, about their mean.
pub(super) fn cone_of(directions: impl Iterator<Item = Vec3> + Clone) -> (Vec3, f32) {
    let mean = directions.clone().sum::<Vec3>();
    let Some(axis) = mean.try_normalize() else {
        return (Vec3::Z, PI);
    };
    let min = directions.map(|d| d.dot(axis)).fold(1.0, f32::min);
    // Slightly larger than the minimum cosine requires: in `f32`, a cosine does not resolve small angles.
    (axis, (atan2(safe_sqrt(1.0 - sqr(min.clamp(-1.0, 1.0))), min) + 1e-3).min(PI))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lamp(center: Vec3, axis: Vec3) -> LightBounds {
        LightBounds {
            center,
            radius: 0.1,
            intensity: 2.0,
            axis,
            spread: 0.0,
            falloff: FRAC_PI_2,
        }
    }

    #[test]
    fn a_small_lamp_lights_by_distance_and_cosines() {
        let lamp = lamp(Vec3::new(0.0, 2.0, 0.0), -Vec3::Y);
        let at = |p: Vec3, n: Vec3| lamp.importance(&LightSampleContext::on_surface(p, n));
        assert!((at(Vec3::ZERO, Vec3::Y) / 0.5 - 1.0).abs() < 1e-3);
        assert_eq!(at(Vec3::ZERO, -Vec3::Y), 0.0);
        assert_eq!(at(Vec3::new(0.0, 4.0, 0.0), -Vec3::Y), 0.0);
        assert!((at(Vec3::ZERO, Vec3::ZERO) / 0.5 - 1.0).abs() < 1e-3);
        // 60° off both normals, twice as far: 2 · ½ · ½ / 16, somewhat more for the size of the light.
        let off = at(Vec3::new(12f32.sqrt(), 0.0, 0.0), Vec3::Y);
        assert!(off > 0.5 / 16.0 && off < 0.57 / 16.0, "{off}");
    }

    #[test]
    fn bounds_of_two_never_say_dark_where_one_shines() {
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        let mut vector = || Vec3::new(random(), random(), random());
        for _ in 0..20_000 {
            let mut pair = [(); 2].map(|()| lamp(vector() * 3.0, vector().normalize()));
            pair[0].radius = vector().x.abs();
            pair[1].spread = vector().x.abs() * PI;
            pair[1].falloff = vector().x.abs() * FRAC_PI_2;
            let both = pair[0].union(&pair[1]);
            let at = LightSampleContext::on_surface(vector() * 4.0, vector().normalize());
            if pair.iter().any(|lamp| lamp.importance(&at) > 1e-3) {
                assert!(both.importance(&at) > 0.0, "{pair:?} {both:?} {at:?}");
            }
        }
    }
}
