//! Properties that a shader may have at some point: emission, transparency, absorption, layers.

/// What a shader may make, whatever the point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Abilities {
    pub(super) emits: bool,
    pub(super) transparent: bool,
    /// Whether light is absorbed inside.
    pub(super) absorbs: bool,
    /// Whether weights of lobes depend on where the viewer is.
    pub(super) layers: bool,
}
