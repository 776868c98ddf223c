//! Rays traced by shaders (`trace`): against all shapes of the scene, or a set of them by name.
//!
//! Distances are in metres, regardless of the length of the direction. A ray that starts at the shading point is offset
//! from the surface by the error bound, as all rays of the renderer are.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use shading::runtime::globals::Triple;
use shading::{RayKind, ShaderGlobals, TraceHit, TraceRay};

use super::globals;
use renderer_base::math::{Ray, RayEnd};
use renderer_geometry::accel::{self, Accel};
use renderer_geometry::{Hit, Shape, ShapeId, Tangents};

/// Maximum number of surfaces outside its set that a ray crosses; after that it hits nothing.
const MAX_CROSSINGS: u32 = 1024;

/// Geometry against which shaders trace rays.
pub(super) struct Probe {
    accel: Arc<Accel>,
    shapes: Arc<[Shape]>,
    /// Names by shape; empty if shapes have no names.
    names: Arc<[Arc<str>]>,
}

impl std::fmt::Debug for Probe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Probe").finish_non_exhaustive()
    }
}

impl Probe {
    pub(super) fn new(accel: Arc<Accel>, shapes: Arc<[Shape]>, names: Arc<[Arc<str>]>) -> Probe {
        Probe { accel, shapes, names }
    }

    /// Name of a shape.
    pub(super) fn name(&self, object: u32) -> Option<&Arc<str>> {
        self.names.get(object as usize)
    }

    /// Returns the first hit of a ray; `None` without a hit or without a direction.
    pub(super) fn trace(&self, globals: &ShaderGlobals, traced: &TraceRay<'_>) -> Option<TraceHit> {
        let direction = Vec3::from(traced.direction).try_normalize()?;
        let origin = origin(globals, traced.origin.into(), direction);
        let mut ray = Ray {
            t_min: traced.min_distance.max(0.0),
            t_max: traced.max_distance,
            ..Ray::new(origin, direction)
        };
        // Also false if a number is NaN.
        let has_length = ray.t_min < ray.t_max && origin.is_finite();
        if !has_length {
            return None;
        }
        let set = TraceSet::new(traced.set);
        for _ in 0..MAX_CROSSINGS {
            let hit = self.accel.intersect(&ray, accel::ALL)?;
            if set.has(self.name(hit.shape.0)) {
                let shape = &self.shapes[hit.shape.0 as usize];
                return Some(TraceHit {
                    distance: shape.interaction(hit.shape, &hit, &ray, Tangents::Any).t,
                    origin: origin.into(),
                    direction: direction.into(),
                    object: hit.shape.0,
                    primitive: hit.primitive,
                    place: hit.barycentric.into(),
                });
            }
            ray.t_min = hit.t.next_up();
        }
        None
    }

    /// Shading point of a hit, seen along its ray.
    pub(super) fn point(&self, hit: &TraceHit) -> Option<ShaderGlobals> {
        let id = ShapeId(hit.object);
        let ray = Ray::new(hit.origin.into(), hit.direction.into());
        let hit = Hit {
            t: hit.distance,
            shape: id,
            primitive: hit.primitive,
            barycentric: Vec2::from(hit.place),
        };
        let it = self
            .shapes
            .get(id.0 as usize)?
            .interaction(id, &hit, &ray, Tangents::ByUv);
        Some(globals::globals(&it, RayKind::default(), 0.0, None))
    }
}

/// Origin of a ray from `origin`: offset from the surface if it starts at the shading point, up to rounding.
fn origin(globals: &ShaderGlobals, origin: Vec3, direction: Vec3) -> Vec3 {
    let vector = |Triple([x, y, z, _]): Triple| Vec3::new(x, y, z);
    let away = (origin - vector(globals.p)).length();
    if away > globals.p_error {
        return origin;
    }
    let end = RayEnd {
        p: origin,
        p_error: globals.p_error + away,
        ng: vector(globals.ng),
    };
    end.ray_origin(direction)
}

/// Set of the objects that a ray can hit.
struct TraceSet<'a> {
    name: &'a str,
    /// True if the ray hits all other objects instead.
    is_excluded: bool,
}

impl<'a> TraceSet<'a> {
    fn new(text: &'a str) -> TraceSet<'a> {
        let excluded = text.strip_prefix('-');
        TraceSet {
            name: excluded.unwrap_or(text),
            is_excluded: excluded.is_some(),
        }
    }

    /// Returns whether a shape of that name is in the set: the set's name is the shape's own, or that of an import it
    /// is part of.
    fn has(&self, name: Option<&Arc<str>>) -> bool {
        if self.name.is_empty() {
            return true;
        }
        let rest = name.and_then(|name| name.strip_prefix(self.name));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) != self.is_excluded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_names_of_shapes_and_imports() {
        let has = |set: &str, name: &str| TraceSet::new(set).has(Some(&name.into()));
        assert!(has("", "floor") && has("floor", "floor") && has("car", "car.wheel"));
        assert!(!has("floor", "floors") && !has("car.wheel", "car"));
        assert!(has("-floor", "wall") && !has("-floor", "floor") && !has("-car", "car.wheel"));
        assert!(TraceSet::new("-floor").has(None) && !TraceSet::new("floor").has(None));
    }
}
