//! Points of surfaces.

use glam::Vec3;

/// Point of a surface with its derivatives along the coordinates of the patch, in object space.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Point {
    pub(crate) p: Vec3,
    pub(crate) dpds: Vec3,
    pub(crate) dpdt: Vec3,
}
