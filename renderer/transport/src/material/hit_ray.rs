//! Hit ray: kind and depth of the ray at a shading point, for shaders.

use shading::RayKind;

/// Kind and depth of a ray that hit a shading point (`raytype`, `path:ray_depth`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HitRay {
    /// Ray kind.
    pub kind: RayKind,
    /// Number of scattering events of the path; 0 for camera rays.
    pub depth: u32,
    /// Exterior index of refraction of the object at the hit.
    pub outside: f32,
}

impl HitRay {
    /// Shadow ray of a path with `depth` scattering events.
    pub fn shadow(depth: u32) -> HitRay {
        HitRay { kind: RayKind::SHADOW, depth, outside: 1.0 }
    }
}

impl From<RayKind> for HitRay {
    /// A ray without a path.
    fn from(kind: RayKind) -> HitRay {
        HitRay { kind, depth: 0, outside: 1.0 }
    }
}
