//! Labels that shaders give to lobes, for light path expressions.

use renderer_passes::crypto_id;

/// Label of light that comes from below a surface, unless its lobe has one.
pub(super) const SUBSURFACE: &str = "subsurface";

/// The hash by which labels are compared; 0 for the empty one.
pub(crate) fn label_hash(label: &str) -> u32 {
    if label.is_empty() { 0 } else { crypto_id(label).max(1) }
}
