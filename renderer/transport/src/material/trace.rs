//! Rays traced by shaders (`trace`): against all shapes of the scene, or a set of them by name.
//!
//! Distances are in metres, regardless of the length of the direction. A ray that starts at the shading point is offset
//! from the surface by the error bound, as all rays of the renderer are.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use rustc_hash::FxHashMap;
use shading::runtime::globals::Triple;
use shading::{RayKind, ShaderGlobals, TraceHit, TraceRay};

use super::globals;
use super::rendering_space::RenderingSpace;
use renderer_base::math::{Ray, RayEnd};
use renderer_geometry::accel::{self, Accel};
use renderer_geometry::{Hit, Shape, ShapeId, Tangents};

/// Maximum number of surfaces outside its set that a ray crosses; after that it hits nothing.
const MAX_CROSSINGS: u32 = 1024;

/// Geometry against which shaders trace rays.
pub(super) struct TraceGeometry {
    accel: Arc<Accel>,
    shapes: Arc<[Shape]>,
    /// Names by shape; empty if shapes have no names.
    names: Arc<[Arc<str>]>,
    /// Random number of each shape, derived from its name.
    randoms: Vec<f32>,
    space: RenderingSpace,
}

impl std::fmt::Debug for TraceGeometry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TraceGeometry").finish_non_exhaustive()
    }
}

impl TraceGeometry {
    pub(super) fn new(
        accel: Arc<Accel>,
        shapes: Arc<[Shape]>,
        names: Arc<[Arc<str>]>,
        space: RenderingSpace,
    ) -> TraceGeometry {
        TraceGeometry { space, randoms: object_randoms(&names), accel, shapes, names }
    }

    /// Name of a shape.
    pub(super) fn name(&self, object: u32) -> Option<&Arc<str>> {
        self.names.get(object as usize)
    }

    /// Random number of a shape in `[0,1)`; `None` if shapes have no names.
    pub(super) fn random(&self, object: u32) -> Option<f32> {
        self.randoms.get(object as usize).copied()
    }

    /// Returns the first hit of a ray; `None` without a hit or if the direction is zero.
    pub(super) fn trace(&self, globals: &ShaderGlobals, traced: &TraceRay<'_>) -> Option<TraceHit> {
        let direction = Vec3::from(traced.direction).try_normalize()?;
        let origin = self.space.rendering(origin(globals, traced.origin.into(), direction));
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
        let it = self.shapes.get(id.0 as usize)?.interaction(id, &hit, &ray, Tangents::ByUv);
        Some(globals::globals(&it, RayKind::default().into(), 0.0, None, self.space))
    }
}

/// Random numbers in `[0,1)` of objects, derived from their names and their order among objects of the same name, so
/// that they do not change when other objects are added.
fn object_randoms(names: &[Arc<str>]) -> Vec<f32> {
    let mut seen: FxHashMap<&str, u32> = FxHashMap::default();
    let numbered = names.iter().map(|name| {
        let count = seen.entry(name).or_default();
        *count += 1;
        (name, *count)
    });
    numbered.map(|(name, number)| unit_hash(name.as_bytes(), number)).collect()
}

/// Number in `[0,1)` from the FNV-1a hash of bytes and a number.
pub(super) fn unit_hash(bytes: &[u8], number: u32) -> f32 {
    let numbered = bytes.iter().copied().chain(number.to_le_bytes());
    let hash = numbered.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // The low bits of a product depend on few bits of its factors.
    let mixed = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as f32 / (1_u64 << 24) as f32
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

    /// Returns whether a shape with this name is in the set. The set's name is the name of a shape or of an import that
    /// contains it.
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
    fn random_numbers_of_objects_differ_and_stay() {
        let names = |list: &[&str]| -> Vec<Arc<str>> { list.iter().map(|&name| name.into()).collect() };
        let original = object_randoms(&names(&["leaf", "leaf", "stem"]));
        let extended = object_randoms(&names(&["pot", "leaf", "leaf", "stem"]));
        assert_eq!(original, extended[1..]);
        let many: Vec<Arc<str>> = (0..1000).map(|i| format!("leaf{i}").into()).collect();
        let randoms = object_randoms(&many);
        let mean = randoms.iter().sum::<f32>() / 1000.0;
        assert!(
            (mean - 0.5).abs() < 0.04 && randoms.iter().all(|x| (0.0..1.0).contains(x)),
            "{mean}"
        );
        assert!(original[0] != original[1] && original[1] != original[2]);
    }

    #[test]
    fn sets_are_names_of_shapes_and_imports() {
        let has = |set: &str, name: &str| TraceSet::new(set).has(Some(&name.into()));
        assert!(has("", "floor") && has("floor", "floor") && has("car", "car.wheel"));
        assert!(!has("floor", "floors") && !has("car.wheel", "car"));
        assert!(has("-floor", "wall") && !has("-floor", "floor") && !has("-car", "car.wheel"));
        assert!(TraceSet::new("-floor").has(None) && !TraceSet::new("floor").has(None));
    }
}
