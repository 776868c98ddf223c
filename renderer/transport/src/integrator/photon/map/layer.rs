//! Photon layers: photons on a surface that light passes do not count behind it.

use renderer_geometry::ShapeId;

use crate::scene::Scene;

/// Layer of a point.
///
/// Light that passes a surface leaves photons on it and on close surfaces behind it; a density estimate over both would
/// count the light twice, so photons count only for lookups in their layer. If no light passes, close surfaces behind
/// are dark and neighbouring shapes form one surface: all such points are in one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Layer(u8);

impl Layer {
    /// Layer of all opaque points.
    const OPAQUE: Layer = Layer(0);

    /// Number of layers (4 bits); transparent shapes use them in turn.
    pub(crate) const COUNT: u8 = 16;

    /// Layer of a point of a shape. `passes` returns whether light passes the point; materials that depend on the view
    /// direction always count as passed.
    #[inline]
    pub(crate) fn of(scene: &Scene, shape: ShapeId, passes: impl FnOnce() -> bool) -> Layer {
        let material = scene.material(shape);
        if material.may_pass() && (material.is_view_dependent() || passes()) {
            Layer(1 + (shape.0 % u32::from(Layer::COUNT - 1)) as u8)
        } else {
            Layer::OPAQUE
        }
    }

    /// Number of the layer, below [`Layer::COUNT`].
    #[inline]
    pub(crate) fn number(self) -> u8 {
        self.0
    }

    /// Layer by its number.
    #[inline]
    pub(crate) fn numbered(number: u8) -> Layer {
        Layer(number)
    }
}
