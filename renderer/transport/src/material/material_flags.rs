//! Material flags: effects that a shader may have (emission, transparency, layers).

/// Effects that a shader may have at some point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MaterialFlags {
    pub(super) emits: bool,
    pub(super) transparent: bool,
    /// True if light may pass without being scattered widely: straight through or refracted.
    pub(super) passes: bool,
    /// True if lobe weights may depend on the view direction.
    pub(super) layers: bool,
}
