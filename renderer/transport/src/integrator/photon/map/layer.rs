//! Layers of surfaces that light passes.

use renderer_geometry::ShapeId;

use crate::scene::Scene;

/// Layer that a point lies in.
///
/// Light that passes a surface leaves photons on it and on what is close behind it: a density over both would count it
/// twice. So photons count only for lookups in their layer. Where no light passes, whatever lies close behind is dark,
/// and neighbouring shapes are one surface: all such points are in one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Layer(u8);

impl Layer {
    /// Layer of all points that no light passes.
    const OPAQUE: Layer = Layer(0);

    /// Number of layers, as many as fit into 4 bits; shapes share them by turns.
    pub(crate) const COUNT: u8 = 16;

    /// Layer of a point of a shape. `passes` says whether light passes there; where that depends on the view, the layer
    /// does not.
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
