//! The ray that hit a shading point, as shaders see it.

use shading::RayKind;

/// Kind and depth of a ray that hit a shading point (`raytype`, `path:ray_depth`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HitRay {
    /// Its kind.
    pub kind: RayKind,
    /// Number of times that its path has scattered: 0 for camera rays.
    pub depth: u32,
    /// Index of refraction of what the object is in that it hit.
    pub outside: f32,
}

impl HitRay {
    /// A shadow ray of a path that has scattered `depth` times.
    pub fn shadow(depth: u32) -> HitRay {
        HitRay {
            kind: RayKind::SHADOW,
            depth,
            outside: 1.0,
        }
    }
}

impl From<RayKind> for HitRay {
    /// A ray without a path.
    fn from(kind: RayKind) -> HitRay {
        HitRay {
            kind,
            depth: 0,
            outside: 1.0,
        }
    }
}
