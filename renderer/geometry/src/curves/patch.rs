//! Parametrization of the surface of a primitive by the unit square, with its area element.
//!
//! - A tube is a canal surface: the points c(s) + r(s) n with n·c' = −r'. On the normal n = k t + √(1−k²) e, with the
//!   unit tangent t, k = −r'/|c'| and a unit vector e across t, the area element is
//!   r (|c'| (1−k²) + r k' − r √(1−k²) e·c''/|c'|) ds dφ. It is negative inside bends, where spheres of the tube contain
//!   the point.
//! - Ends of strands and corners are parts of spheres, sampled on caps.
//! - Ribbons across normals are ruled surfaces. Ribbons that face rays have no surface of their own.
// Gray et al. 2006, "Modern Differential Geometry of Curves and Surfaces", section 20.1 (canal surfaces).

use std::f64::consts::{PI, TAU};

use glam::{DVec2, DVec3, DVec4};

use super::cubic::Power;
use super::oriented_ribbon::OrientedRibbon;
use super::{CurveStyle, Curves, RayFrame};
use crate::object_point::AreaPoint;
use renderer_base::math::{atan2, sin_cos};

/// Deviation of a normal from those of the tube [cos] beyond which a point at its end belongs to the cap.
const CAP_MARGIN: f64 = 1e-5;

/// Distance of a rounded parameter from an end up to which it is that of the end.
const END_MARGIN: f64 = 1e-4;

/// Surface of a primitive at a time, object space.
pub(crate) struct Patch {
    power: Power,
    normals: Option<Power>,
    /// Interval of the segment's parameter.
    span: [f64; 2],
    /// Caps at both ends, if they are ends of strands or corners.
    caps: [Option<Cap>; 2],
    /// Approximate area of the surface between the caps [m²].
    wall: f64,
}

/// Spherical cap of an end: the normals n with `axis`·n ≥ `least`.
struct Cap {
    vertex: DVec4,
    axis: DVec3,
    least: f64,
    /// Derivative of the next segment, whose spheres contain a part of the cap, at a corner.
    next: Option<DVec4>,
    /// Share of the area by which the cap is chosen [m²].
    weight: f64,
}

/// Sphere of a tube with the frame of its circle of contact.
struct Circle {
    center: DVec3,
    radius: f64,
    tangent: DVec3,
    /// Length of the derivative of the curve.
    speed: f64,
    /// Cosine and sine between the normals and the tangent.
    cos: f64,
    sin: f64,
    /// Derivative of `cos`.
    turn: f64,
    /// Second derivative of the curve.
    bend: DVec3,
}

/// Visible arc of a circle: directions across the tangent within an angle of an axis.
struct Arc {
    axis: DVec3,
    half: f64,
}

impl Curves {
    /// Surface of a primitive at a time of the shutter interval; `None` for ribbons that face rays.
    pub(crate) fn patch(&self, primitive: u32, time: f32) -> Option<Patch> {
        let segment = primitive / self.pieces;
        let power = self.cubic_at(segment, time, DVec4::from).power();
        let span = self.span(primitive);
        let normals = match self.set.style {
            CurveStyle::Ribbon => return None,
            CurveStyle::Round => None,
            CurveStyle::Flat => {
                // Its axes are those of object space.
                let frame = RayFrame::new(DVec3::ZERO, DVec3::Z, time);
                Some(self.normal_cubic(segment, &frame).power())
            }
        };
        let caps = match self.set.style {
            CurveStyle::Round => [0, 1].map(|end| self.cap(&power, (segment, span), end, time)),
            CurveStyle::Ribbon | CurveStyle::Flat => [None, None],
        };
        // Simpson's rule for the radius times the speed.
        let ring = |part: f64| {
            let s = span[0] + (span[1] - span[0]) * part;
            power.at(s).w.abs() * power.slope(s).truncate().length()
        };
        let mean = (ring(0.0) + 4.0 * ring(0.5) + ring(1.0)) / 6.0;
        let around = if normals.is_some() { 2.0 } else { TAU };
        let wall = around * (span[1] - span[0]) * mean;
        Some(Patch { power, normals, span, caps, wall })
    }

    /// Cap of a round primitive at its first or last end, if the strand ends there or has a corner.
    fn cap(&self, power: &Power, (segment, span): (u32, [f64; 2]), end: usize, time: f32) -> Option<Cap> {
        let index = segment as usize;
        let next = match end {
            0 if span[0] > 0.0 || (index > 0 && self.continues(index - 1)) => return None,
            1 if span[1] < 1.0 => return None,
            1 if self.continues(index) => {
                if self.set.basis.is_smooth() {
                    return None;
                }
                let next = self.cubic_at(segment + 1, time, DVec4::from);
                Some(next.power().slope(0.0))
            }
            _ => None,
        };
        Cap::new(power.at(end as f64), power.slope(end as f64), end, next)
    }
}

impl Patch {
    /// Approximate area [m²], object space.
    pub(crate) fn area(&self) -> f64 {
        let caps: f64 = self.caps.iter().flatten().map(|cap| cap.weight).sum();
        self.wall + caps
    }

    /// Returns whether the surface is that of a tube.
    pub(crate) fn is_round(&self) -> bool {
        self.normals.is_none()
    }

    /// The point at `u` in the unit square; `None` where the tube contains the point. If there is a viewer, points of tubes
    /// are on the side of it.
    pub(crate) fn sample(&self, u: DVec2, viewer: Option<DVec3>) -> Option<AreaPoint> {
        let area = self.area();
        let mut x = u.x * area;
        for (s, cap) in [0.0, 1.0].into_iter().zip(&self.caps) {
            if let Some(cap) = cap {
                if x < cap.weight {
                    let (p, n) = cap.point(DVec2::new(x / cap.weight, u.y))?;
                    let pdf = cap.pdf() / area;
                    return Some(AreaPoint { p, n, radius: cap.vertex.w.abs(), s, pdf });
                }
                x -= cap.weight;
            }
        }
        let s = self.span[0] + (self.span[1] - self.span[0]) * (x / self.wall).min(1.0);
        let point = match self.normals {
            Some(normals) => self.ribbon_point(normals, s, 2.0 * u.y - 1.0),
            None => {
                let circle = Circle::of(&self.power, s)?;
                let arc = circle.arc(viewer)?;
                let (sin, cos) = sin_cos(arc.half * (2.0 * u.y - 1.0));
                let across = arc.axis * cos + circle.tangent.cross(arc.axis) * sin;
                let n = circle.tangent * circle.cos + across * circle.sin;
                let element = circle.area_element(across);
                let pdf = self.wall_pdf(2.0 * arc.half, element);
                AreaPoint {
                    p: circle.center + n * circle.radius,
                    n,
                    radius: circle.radius,
                    s,
                    pdf,
                }
            }
        };
        (point.pdf > 0.0).then_some(point)
    }

    /// Density of [`Patch::sample`] per object-space area [1/m²] at a point of the surface with the parameter `s` of the
    /// segment: `n` is its normal, `offset` its place across a ribbon.
    pub(crate) fn pdf(&self, s: f64, (n, offset): (DVec3, f64), viewer: Option<DVec3>) -> f64 {
        let s = s.clamp(self.span[0], self.span[1]);
        if let Some(normals) = self.normals {
            return self.ribbon_point(normals, s, offset).pdf;
        }
        for (end, cap) in [0.0, 1.0].into_iter().zip(&self.caps) {
            if let Some(cap) = cap
                && (s - end).abs() <= END_MARGIN
                && n.dot(cap.axis) > cap.least + CAP_MARGIN
            {
                return cap.pdf() / self.area();
            }
        }
        let circle = Circle::of(&self.power, s);
        let found = circle.and_then(|circle| Some((circle.arc(viewer)?, circle)));
        found.map_or(0.0, |(arc, circle)| {
            let across = (n - circle.tangent * circle.tangent.dot(n)).normalize_or_zero();
            self.wall_pdf(2.0 * arc.half, circle.area_element(across))
        })
    }

    /// Density per area on the wall for the extent of the second parameter and an area element; 0 inside bends.
    fn wall_pdf(&self, extent: f64, element: f64) -> f64 {
        let pdf = self.wall / (self.area() * (self.span[1] - self.span[0]) * extent * element);
        if element > 0.0 && pdf.is_finite() { pdf } else { 0.0 }
    }

    fn ribbon_point(&self, normals: Power, s: f64, offset: f64) -> AreaPoint {
        let ribbon = OrientedRibbon { power: self.power, normals };
        let p = ribbon.point(s, offset);
        let found = ribbon.geometry(p, s);
        let element = found.along.cross(found.across).length();
        AreaPoint {
            p,
            n: found.n,
            radius: found.radius,
            s,
            pdf: self.wall_pdf(2.0, element),
        }
    }
}

impl Cap {
    /// The cap of the sphere `vertex`; `None` if the curve has no tangent there, or the next spheres contain the cap.
    fn new(vertex: DVec4, slope: DVec4, end: usize, next: Option<DVec4>) -> Option<Cap> {
        let outward = if end == 0 { -1.0 } else { 1.0 };
        let tangent = slope.truncate().try_normalize()?;
        let upright = |slope: DVec4| slope.truncate().extend(slope.w * vertex.w.signum());
        let cos = |slope: DVec4| -slope.w / slope.truncate().length();
        let (slope, next) = (upright(slope), next.map(upright));
        let least = (outward * cos(slope)).clamp(-1.0, 1.0);
        // Corners are nearly flat in general: of the weights, the geometric mean of the areas of the visible part and of the
        // cap minimizes the variance.
        let visible = next.map_or(1.0, |next| {
            let direction = next.truncate();
            let angle = atan2(tangent.cross(direction).length(), tangent.dot(direction)) / PI;
            let share = angle + 0.5 * (cos(next) - cos(slope)).abs();
            if share.is_nan() { 1.0 } else { share.min(1.0) }
        });
        let area = TAU * vertex.w * vertex.w * (1.0 - least);
        let weight = area * visible.sqrt();
        let vertex = vertex.truncate().extend(vertex.w.abs());
        (weight > 0.0).then_some(Cap { vertex, axis: tangent * outward, least, next, weight })
    }

    /// A point of the cap with its normal, uniform by area; `None` if the next segment contains it.
    fn point(&self, u: DVec2) -> Option<(DVec3, DVec3)> {
        let cos = 1.0 - (1.0 - self.least) * u.x;
        let sin = (1.0 - cos * cos).max(0.0).sqrt();
        let (x, y) = self.axis.any_orthonormal_pair();
        let (sin_turn, cos_turn) = sin_cos(TAU * u.y);
        let n = self.axis * cos + (x * cos_turn + y * sin_turn) * sin;
        let is_outside = self.next.is_none_or(|next| n.dot(next.truncate()) + next.w <= 0.0);
        is_outside.then(|| (self.vertex.truncate() + n * self.vertex.w, n))
    }

    /// Density of points times the area of the patch.
    fn pdf(&self) -> f64 {
        self.weight / (TAU * self.vertex.w * self.vertex.w * (1.0 - self.least))
    }
}

impl Circle {
    /// `None` where the curve has no tangent, or a sphere contains its neighbours.
    fn of(power: &Power, s: f64) -> Option<Circle> {
        let (v, slope, bend) = (power.at(s), power.slope(s), power.curvature(s));
        let sign = v.w.signum();
        let speed = slope.truncate().length();
        let tangent = slope.truncate().try_normalize()?;
        let cos = -sign * slope.w / speed;
        let acceleration = bend.truncate().dot(tangent);
        let turn = (sign * slope.w * acceleration / speed - sign * bend.w) / speed;
        (cos.abs() < 1.0).then(|| Circle {
            center: v.truncate(),
            radius: v.w.abs(),
            tangent,
            speed,
            cos,
            sin: (1.0 - cos * cos).sqrt(),
            turn,
            bend: bend.truncate(),
        })
    }

    /// Area element at the direction `across` the tangent, by the parameter and the angle.
    fn area_element(&self, across: DVec3) -> f64 {
        let straight = self.speed * self.sin * self.sin + self.radius * self.turn;
        self.radius * (straight - self.radius * self.sin * across.dot(self.bend) / self.speed)
    }

    /// Arc that faces a viewer, all of the circle without one; `None` if no point does.
    fn arc(&self, viewer: Option<DVec3>) -> Option<Arc> {
        let Some(viewer) = viewer else {
            return Some(Arc { axis: self.tangent.any_orthonormal_vector(), half: PI });
        };
        let to_viewer = viewer - self.center;
        let along = self.tangent.dot(to_viewer);
        let across = to_viewer - self.tangent * along;
        // The cosine of the normal to the way to the viewer is positive.
        let least = (self.radius - self.cos * along) / (self.sin * across.length());
        let axis = across.try_normalize()?;
        let least = least.max(-1.0);
        (least < 1.0).then(|| Arc { axis, half: atan2((1.0 - least * least).sqrt(), least) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::SHUTTER_OPEN;
    use crate::{CurveBasis, CurveSet};
    use glam::Vec4;

    fn curves(basis: CurveBasis, vertices: Vec<Vec4>) -> Curves {
        let strands = vec![vertices.len() as u32];
        let set = CurveSet {
            basis,
            style: CurveStyle::Round,
            strands,
            vertices,
            normals: vec![],
            attributes: vec![],
        };
        Curves::new(set).expect("the curve is valid")
    }

    /// Integral of 1 over the surface, by the midpoint rule over the squares of all primitives.
    fn area(curves: &Curves) -> f64 {
        const STEPS: u32 = 512;
        let middle = |step: u32| (f64::from(step) + 0.5) / f64::from(STEPS);
        let mut sum = 0.0;
        for primitive in 0..curves.primitive_count() {
            let patch = curves.patch(primitive, SHUTTER_OPEN).expect("the curve is round");
            for (x, y) in (0..STEPS).flat_map(|x| (0..STEPS).map(move |y| (x, y))) {
                let point = patch.sample(DVec2::new(middle(x), middle(y)), None);
                sum += point.map_or(0.0, |point| 1.0 / point.pdf);
            }
        }
        sum / f64::from(STEPS * STEPS)
    }

    #[test]
    fn areas_are_those_of_known_bodies() {
        let near = |found: f64, expected: f64| {
            assert!((found / expected - 1.0).abs() < 3e-3, "{found}, not {expected}");
        };
        let vertex = |x: f32, y: f32, radius: f32| Vec4::new(x, y, 0.0, radius);
        let capsule = curves(CurveBasis::Linear, vec![vertex(0.0, 0.0, 0.5), vertex(3.0, 0.0, 0.5)]);
        near(area(&capsule), PI * 3.0 + PI);
        // The frustum between spheres of radii 1 and 0.4 at a distance of 2, and their caps.
        let tapered = curves(CurveBasis::Linear, vec![vertex(0.0, 0.0, 1.0), vertex(2.0, 0.0, 0.4)]);
        let cos = 0.3;
        let frustum = PI * (1.0 - cos * cos) * 2.0 * 1.4;
        near(area(&tapered), frustum + TAU * (1.0 + cos) + TAU * 0.16 * (1.0 - cos));
        // A right angle hides a quarter of both cylinders' ends from the inner side, and shows a quarter of a sphere.
        let corner = vec![vertex(-2.0, 0.0, 0.1), vertex(0.0, 0.0, 0.1), vertex(0.0, 2.0, 0.1)];
        near(
            area(&curves(CurveBasis::Linear, corner)),
            TAU * 0.1 * 4.0 + PI * 0.04 + PI * 0.01,
        );
    }

    /// By the theorem of Pappus, the inner and the outer half of a torus differ by 8 π r² times its angle over 2 π.
    #[test]
    fn bends_stretch_the_outer_side() {
        let (major, minor) = (1.0, 0.3);
        let handle = 4.0 / 3.0 * (2f64.sqrt() - 1.0);
        let points = [(major, 0.0), (major, handle), (handle, major), (0.0, major)];
        let vertices = points.map(|(x, y)| Vec4::new(x as f32, y as f32, 0.0, minor as f32));
        let quarter = curves(CurveBasis::Bezier, vertices.to_vec());
        let expected = 0.25 * 4.0 * PI * PI * major * minor + 4.0 * PI * minor * minor;
        assert!((area(&quarter) / expected - 1.0).abs() < 3e-3);
    }

    /// The density at a sampled point is that of the sample.
    #[test]
    fn densities_are_those_of_samples() {
        let vertex = |i: u16| {
            let t = f32::from(i);
            Vec4::new(t, (2.0 * t).sin(), (1.3 * t).cos(), 0.1 + 0.05 * (3.0 * t).sin())
        };
        for basis in [CurveBasis::Linear, CurveBasis::Bezier, CurveBasis::BSpline, CurveBasis::CatmullRom] {
            let curves = curves(basis, (0..7).map(vertex).collect());
            for viewer in [None, Some(DVec3::new(3.0, 4.0, -2.0))] {
                for index in 0..2000u32 {
                    let patch = curves.patch(index % curves.primitive_count(), SHUTTER_OPEN).expect("round");
                    let u = DVec2::new(0.754_877_7, 0.569_840_3) * f64::from(index);
                    if let Some(point) = patch.sample(u.fract(), viewer) {
                        let pdf = patch.pdf(point.s, (point.n, 0.0), viewer);
                        assert!((pdf / point.pdf - 1.0).abs() < 1e-6, "{basis:?}: {pdf}, not {}", point.pdf);
                    }
                }
            }
        }
    }
}
