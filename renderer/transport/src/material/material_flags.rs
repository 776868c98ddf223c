//! Material flags: which effects a shader may have at some point (emission, transparency, a medium inside, layers).

/// Effects that a shader may have at some point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MaterialFlags {
    pub(super) emits: bool,
    pub(super) transparent: bool,
    /// True if light may pass without being scattered widely: straight through or refracted.
    pub(super) passes: bool,
    /// True if a medium may be inside.
    pub(super) fills: bool,
    /// True if lobe weights may depend on the view direction.
    pub(super) layers: bool,
}
