//! Lights of ray segments in media.

use std::f32::consts::FRAC_PI_2;

use arrayvec::ArrayVec;
use glam::Vec3;

use super::bounds::LightBounds;
use crate::medium::Equiangular;
use renderer_base::math::{Ray, cos, safe_sqrt, sqr};

/// Number of emitters up to which each is weighted by its contribution to a segment.
const FEW: usize = 8;

/// A light for a segment of a ray.
#[derive(Clone, Copy, Debug)]
pub struct SegmentLight {
    center: Vec3,
    radius: f32,
    /// Part of the segment that may be illuminated [m].
    interval: [f32; 2],
    /// Distance along the ray of the point that is nearest to the light [m].
    pub nearest: f32,
    /// Distance of the light from that point [m].
    pub distance: f32,
}

impl SegmentLight {
    /// A light that may illuminate a part of the first `length` metres of a ray; `None` if it does not.
    pub(super) fn new(bounds: &LightBounds, ray: &Ray, length: f32) -> Option<SegmentLight> {
        let LightBounds { center, radius, .. } = *bounds;
        let interval = bounds.lit_interval(ray, length)?;
        let nearest = (center - ray.origin).dot(ray.direction).clamp(interval[0], interval[1]);
        Some(SegmentLight {
            center,
            radius,
            interval,
            nearest,
            distance: ray.at(nearest).distance(center),
        })
    }

    /// Integral of the inverse square of the distance from the light over the illuminated part [1/m], with an error of a
    /// few per cent.
    fn inverse_square_integral(&self, ray: &Ray) -> f32 {
        /// Fraction of the radius within which the irradiance is constant.
        const CONSTANT_WITHIN: f32 = 0.5;
        /// Distance along the ray beyond which nothing counts, in units of the distance of the light.
        const REACH: f32 = 1e3;
        let along = (self.center - ray.origin).dot(ray.direction);
        let distance = ray
            .at(along)
            .distance(self.center)
            .max(CONSTANT_WITHIN * self.radius)
            .max(1e-12);
        let [from, to] = self.interval.map(|t| ((t - along) / distance).clamp(-REACH, REACH));
        // The angle that the part subtends at the light.
        (quick_atan(to) - quick_atan(from)).max(1e-6) / distance
    }

    /// The illuminated part of the first `length` metres, and the equiangular distribution of distances from its start;
    /// `None` if the light illuminates nothing.
    pub fn distances(&self, ray: &Ray, length: f32) -> Option<(f32, f32, Equiangular)> {
        let (from, to) = (self.interval[0], self.interval[1].min(length));
        let origin = ray.at(from);
        let equiangular = || Equiangular::new(origin, ray.direction, to - from, self.center, self.radius);
        (from < to).then(|| (from, to, equiangular()))
    }
}

/// The lights of a scene, if they are few: each is weighted by its contribution to a segment.
#[derive(Clone, Debug, Default)]
pub(super) struct FewLights(ArrayVec<LightBounds, FEW>);

impl FewLights {
    /// The lights with these bounds; none if they are many.
    pub(super) fn new<'a>(bounds: impl Iterator<Item = &'a LightBounds> + Clone) -> FewLights {
        FewLights(match bounds.clone().nth(FEW) {
            Some(_) => ArrayVec::new(),
            None => bounds.copied().collect(),
        })
    }

    /// Returns whether there are no lights, or many.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Selects a light for the first `length` metres of a ray by `u`; `None` if no light reaches it.
    pub(super) fn select(&self, ray: &Ray, length: f32, u: f32) -> Option<SegmentLight> {
        let weighted = self.0.iter().filter_map(|bounds| {
            let light = SegmentLight::new(bounds, ray, length)?;
            let weight = bounds.intensity * light.inverse_square_integral(ray);
            Some((light, weight))
        });
        let weighted: ArrayVec<(SegmentLight, f32), FEW> = weighted.collect();
        let mut target = u * weighted.iter().map(|(_, weight)| weight).sum::<f32>();
        let chosen = weighted.iter().find(|(_, weight)| {
            target -= weight;
            target < 0.0
        });
        chosen.or(weighted.last()).map(|(light, _)| *light)
    }
}

/// Arc tangent with an error of 0.005.
fn quick_atan(x: f32) -> f32 {
    let magnitude = x.abs();
    let inner = magnitude.min(1.0 / magnitude);
    let angle = inner / (1.0 + 0.28 * sqr(inner));
    let angle = if magnitude > 1.0 { FRAC_PI_2 - angle } else { angle };
    angle.copysign(x)
}

impl LightBounds {
    /// Part of the first `length` metres of a ray that a light illuminates: within the cone of a point, else all of it.
    fn lit_interval(&self, ray: &Ray, length: f32) -> Option<[f32; 2]> {
        let outer = self.spread + self.falloff;
        if self.radius > 0.0 || outer >= FRAC_PI_2 {
            return Some([0.0, length]);
        }
        let from_light = ray.origin - self.center;
        let (start, step) = (from_light.dot(self.axis), ray.direction.dot(self.axis));
        // a t² + 2 b t + c is positive inside the cone and its mirror image.
        let cos2 = sqr(cos(outer));
        let a = sqr(step) - cos2;
        let b = start * step - cos2 * from_light.dot(ray.direction);
        let c = sqr(start) - cos2 * from_light.length_squared();
        let root = safe_sqrt(sqr(b) - a * c);
        let (low, high) = ((-b - root) / a, (-b + root) / a);
        let [from, to] = match a < 0.0 {
            true => [high, low],
            false if step > 0.0 => [high, f32::INFINITY],
            false => [f32::NEG_INFINITY, low],
        };
        let (from, to) = (from.max(0.0), to.min(length));
        let is_ahead = start + step * (0.5 * (from + to.min(1e15))) > 0.0;
        (from < to && is_ahead).then_some([from, to])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lit_interval_is_inside_the_cone() {
        let mut rng = renderer_base::sampler::Rng::new(3);
        let mut random = || 2.0 * rng.next_1d() - 1.0;
        let mut lit = 0;
        for _ in 0..2000 {
            let mut vector = || Vec3::new(random(), random(), random());
            let (center, axis, origin, direction) = (vector(), vector(), vector() * 3.0, vector());
            let (axis, direction) = (axis.normalize(), direction.normalize());
            let bounds = LightBounds {
                axis,
                spread: 0.3,
                falloff: 0.3 * (1.0 + random()),
                ..LightBounds::around(center, 0.0, 1.0)
            };
            let ray = Ray::new(origin, direction);
            let found = bounds.lit_interval(&ray, 5.0);
            lit += u32::from(found.is_some());
            for step in 0..100 {
                let t = 0.05 * (step as f32 + 0.5);
                let toward = (ray.at(t) - center).normalize();
                let margin = toward.angle_between(axis) - bounds.spread - bounds.falloff;
                let is_lit = found.is_some_and(|[from, to]| (from..to).contains(&t));
                assert!(
                    is_lit == (margin < 0.0) || margin.abs() < 1e-3,
                    "{t} {margin} {found:?} {bounds:?}"
                );
            }
        }
        assert!(lit > 200, "{lit}");
    }
}
