//! The medium of which a majorant grid is built: coefficients at points, and their bounds in boxes.

use renderer_base::math::Bounds;

use glam::Vec3;

use super::space::MediumProbe;
use crate::material::MediumBounds;

/// A medium in the space of its majorant grid.
pub(crate) trait MediumField: Sync {
    /// State of a thread.
    type Context;

    /// Creates the state of a thread.
    fn context(&self) -> Self::Context;

    /// Evaluates a point.
    fn probe(&self, p: Vec3, context: &mut Self::Context) -> MediumProbe;

    /// Bounds of the coefficients in a box; `None` if there are none.
    fn bounds(&self, part: Bounds) -> Option<MediumBounds>;
}
