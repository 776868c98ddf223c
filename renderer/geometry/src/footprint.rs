//! Ray differentials (Igehy) and ray cones: the footprint of a path, for texture filtering.
// Igehy 1999, "Tracing Ray Differentials".

use glam::Vec3;

use super::Interaction;

/// Ray differential: derivatives of origin and direction by the film point, per pixel, world space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RayDifferential {
    /// Change of the origin by the column [m/pixel].
    pub origin_dx: Vec3,
    /// Change of the origin by the row, downwards [m/pixel].
    pub origin_dy: Vec3,
    /// Change of the unit direction by the column [1/pixel].
    pub direction_dx: Vec3,
    /// Change of the unit direction by the row, downwards [1/pixel].
    pub direction_dy: Vec3,
}

impl RayDifferential {
    /// The width of a pixel at distance `t` [m], across the ray: the larger of its sides.
    pub fn footprint(&self, t: f32) -> f32 {
        let dx = self.origin_dx + t * self.direction_dx;
        let dy = self.origin_dy + t * self.direction_dy;
        dx.length_squared().max(dy.length_squared()).sqrt()
    }

    /// Returns the differential of a step of `factor` pixels.
    pub fn scaled(self, factor: f32) -> RayDifferential {
        RayDifferential {
            origin_dx: self.origin_dx * factor,
            origin_dy: self.origin_dy * factor,
            direction_dx: self.direction_dx * factor,
            direction_dy: self.direction_dy * factor,
        }
    }

    fn is_finite(&self) -> bool {
        let (origins, directions) = (self.origin_dx + self.origin_dy, self.direction_dx + self.direction_dy);
        origins.is_finite() && directions.is_finite()
    }
}

/// Footprint of a path at its current ray: a ray differential through mirrors and smooth glass, a cone after rough or
/// diffuse scattering.
#[derive(Clone, Copy, Debug)]
pub struct Footprint {
    /// Width of the cone at the ray's origin [m].
    pub width: f32,
    /// Growth of the width along the ray.
    pub spread: f32,
    /// The ray differential, if known.
    pub differential: Option<RayDifferential>,
}

/// Differentials of a surface point and of its viewing direction with respect to the pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointDifferential {
    /// Change of the point by the column [m/pixel].
    pub dpdx: Vec3,
    /// Change of the point by the row [m/pixel].
    pub dpdy: Vec3,
    /// Change of the ray's unit direction by the column [1/pixel].
    pub didx: Vec3,
    /// Change of the ray's unit direction by the row [1/pixel].
    pub didy: Vec3,
}

/// Specular scattering event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpecularEvent {
    /// Reflection.
    Reflection,
    /// Refraction; the value is the relative index of refraction, transmitted over incident medium.
    Refraction(f32),
}

impl Footprint {
    /// A footprint of zero size.
    pub const POINT: Footprint = Footprint { width: 0.0, spread: 0.0, differential: None };

    /// The footprint of a camera ray. `is_exact` keeps the differential, for surfaces that use more than the width.
    pub fn camera(differential: &RayDifferential, is_exact: bool) -> Footprint {
        Footprint {
            differential: is_exact.then_some(*differential),
            ..Footprint::cone(differential)
        }
    }

    fn cone(differential: &RayDifferential) -> Footprint {
        let greater = |a: Vec3, b: Vec3| a.length_squared().max(b.length_squared()).sqrt();
        Footprint {
            width: greater(differential.origin_dx, differential.origin_dy),
            spread: greater(differential.direction_dx, differential.direction_dy),
            differential: None,
        }
    }

    /// The width at distance `t` along the ray [m].
    #[inline]
    pub fn at(&self, t: f32) -> f32 {
        self.width + self.spread * t
    }

    /// The footprint of the ray that continues from distance `t`.
    pub fn passed(&self, t: f32) -> Footprint {
        let differential = self.differential.map(|d| RayDifferential {
            origin_dx: d.origin_dx + t * d.direction_dx,
            origin_dy: d.origin_dy + t * d.direction_dy,
            ..d
        });
        Footprint { width: self.at(t), differential, ..*self }
    }

    /// The footprint after scattering at distance `t` into a cone of at least this spread.
    pub fn scattered(mut self, t: f32, spread: f32) -> Footprint {
        self.scatter(t, spread);
        self
    }

    /// As [`Footprint::scattered`], in place, since the type is large.
    #[inline]
    pub fn scatter(&mut self, t: f32, spread: f32) {
        self.width = self.at(t);
        self.spread = self.spread.max(spread);
        self.differential = None;
    }

    /// The footprint after specular reflection or refraction towards `wi`. `normal_change` returns the change of the
    /// normal for a displacement along the surface.
    pub fn specular(
        &self,
        it: &Interaction,
        wi: Vec3,
        event: SpecularEvent,
        normal_change: impl Fn(Vec3) -> Vec3,
    ) -> Footprint {
        let differential = self.differential.map(|differential| {
            let PointDifferential { dpdx, dpdy, didx, didy } = differential.at(it);
            let deflection = Deflection::new(-it.wo, wi, event);
            let side = deflection.side(it.n);
            RayDifferential {
                origin_dx: dpdx,
                origin_dy: dpdy,
                direction_dx: deflection.change(didx, normal_change(dpdx) * side),
                direction_dy: deflection.change(didy, normal_change(dpdy) * side),
            }
        });
        match differential.filter(RayDifferential::is_finite) {
            Some(differential) => Footprint::camera(&differential, true),
            None => self.scattered(it.t, 0.0),
        }
    }

    /// Returns the differential of the hit point. A cone has the same width along both tangents. A zero footprint has
    /// tiny differentials, so that shaders can use their directions.
    pub fn point(&self, it: &Interaction) -> PointDifferential {
        const MIN_LENGTH: f32 = 1.0 / 8192.0;
        if let Some(differential) = &self.differential {
            return differential.at(it);
        }
        let width = self.at(it.t);
        let along = |v: Vec3| v * if width > 0.0 { width / v.length() } else { MIN_LENGTH };
        PointDifferential {
            dpdx: along(it.dpdu),
            dpdy: along(it.dpdv),
            ..PointDifferential::default()
        }
    }
}

impl RayDifferential {
    /// Intersections of the next pixels' rays with the tangent plane of a surface, as offsets from the hit.
    fn at(&self, it: &Interaction) -> PointDifferential {
        let direction = -it.wo;
        // A tangential ray has no finite intersection.
        let cosine = direction.dot(it.ng);
        let cosine = if cosine.abs() < 1e-4 { 1e-4_f32.copysign(cosine) } else { cosine };
        let meet = |origin: Vec3, change: Vec3| {
            let across = origin + it.t * change;
            across - direction * (across.dot(it.ng) / cosine)
        };
        PointDifferential {
            dpdx: meet(self.origin_dx, self.direction_dx),
            dpdy: meet(self.origin_dy, self.direction_dy),
            didx: self.direction_dx,
            didy: self.direction_dy,
        }
    }
}

/// Reflection or refraction of a ray about a normal.
struct Deflection {
    /// Direction of the incident ray.
    from: Vec3,
    /// Direction of the reflected or refracted ray.
    to: Vec3,
    /// Unit normal of the reflection or refraction, on the side of the incident ray.
    n: Vec3,
    /// Index of refraction on that side divided by that on the other; −1 for reflection, where the formulas hold too.
    eta: f32,
}

impl Deflection {
    fn new(from: Vec3, to: Vec3, event: SpecularEvent) -> Deflection {
        let eta = match event {
            SpecularEvent::Reflection => -1.0,
            SpecularEvent::Refraction(eta) => 1.0 / eta,
        };
        let n = match event {
            SpecularEvent::Reflection => to - from,
            SpecularEvent::Refraction(index) => from - to * index,
        };
        let n = n.normalize_or_zero();
        let n = if n.dot(from) > 0.0 { -n } else { n };
        Deflection { from, to, n, eta }
    }

    /// 1 if the normal is in the hemisphere of `n`, else −1.
    fn side(&self, n: Vec3) -> f32 {
        if self.n.dot(n) < 0.0 { -1.0 } else { 1.0 }
    }

    /// Returns the differential of the leaving direction (Igehy, eq. 13 to 17), from those of the arriving direction and
    /// of the normal.
    fn change(&self, from: Vec3, n: Vec3) -> Vec3 {
        let along = self.from.dot(self.n);
        let change = from.dot(self.n) + self.from.dot(n);
        if self.eta < 0.0 {
            return from - 2.0 * (along * n + change * self.n);
        }
        let out = self.to.dot(self.n);
        if out == 0.0 {
            return from;
        }
        let mu = self.eta * along - out;
        let mu_change = (self.eta - self.eta * self.eta * along / out) * change;
        self.eta * from - mu * n - mu_change * self.n
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ShapeId;
    use glam::Vec2;

    /// A point of the unit sphere about the origin, seen along `direction`.
    fn on_sphere(origin: Vec3, direction: Vec3) -> Interaction {
        let b = origin.dot(direction);
        let t = -b - (b * b - origin.length_squared() + 1.0).sqrt();
        let p = origin + t * direction;
        Interaction {
            p,
            p_error: 0.0,
            wo: -direction,
            ng: p,
            n: p,
            uv: Vec2::ZERO,
            dpdu: Vec3::X,
            dpdv: Vec3::Y,
            t,
            time: 0.0,
            shape: ShapeId(0),
            primitive: 0,
        }
    }

    fn bend(direction: Vec3, n: Vec3, event: SpecularEvent) -> Vec3 {
        match event {
            SpecularEvent::Reflection => direction - 2.0 * direction.dot(n) * n,
            SpecularEvent::Refraction(index) => {
                let (eta, c) = (1.0 / index, direction.dot(n));
                let k = 1.0 - eta * eta * (1.0 - c * c);
                eta * direction - (eta * c + k.sqrt()) * n
            }
        }
    }

    #[test]
    fn bent_rays_change_as_by_differences() {
        let direction = |x: f32| Vec3::new(0.1 + x, 0.05, -1.0).normalize();
        let origin = Vec3::new(0.1, 0.2, 4.0);
        let h = 1e-3;
        let differential = RayDifferential {
            direction_dx: (direction(h) - direction(-h)) / (2.0 * h),
            ..RayDifferential::default()
        };
        let footprint = Footprint::camera(&differential, true);
        for how in [SpecularEvent::Reflection, SpecularEvent::Refraction(1.5), SpecularEvent::Refraction(0.9)]
        {
            let it = on_sphere(origin, direction(0.0));
            let wi = bend(direction(0.0), it.n, how);
            let found = footprint.specular(&it, wi, how, |dp| dp).differential.unwrap();
            let at = |x: f32| {
                let it = on_sphere(origin, direction(x));
                (it.p, bend(direction(x), it.n, how))
            };
            let ((p1, w1), (p0, w0)) = (at(h), at(-h));
            let (dp, dw) = ((p1 - p0) / (2.0 * h), (w1 - w0) / (2.0 * h));
            assert!((found.origin_dx - dp).length() < 0.02, "{how:?}: {found:?} {dp}");
            assert!(
                (found.direction_dx - dw).length() < 0.02 * dw.length().max(1.0),
                "{how:?}: {found:?} {dw}"
            );
            assert!(found.direction_dy.length() < 1e-6);
        }
    }
}
