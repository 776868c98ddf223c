//! Limits of bakes: texture size, number of probes, memory.

use glam::UVec2;

use super::sh::ShOrder;
use renderer_base::memory::{self, OutOfMemory};

/// Maximum number of texels along a side: a larger bake would need tens of gigabytes.
pub(super) const MAX_SIDE: u32 = 8192;

/// Maximum number of texels of all pages together: their indices are 32-bit integers.
pub(super) const MAX_TEXELS: u32 = 1 << 30;

/// Maximum number of probes of a grid.
pub(super) const MAX_PROBES: u32 = 4_000_000;

/// Approximate memory of a texture of `width` × `height` texels while it is baked and written [bytes].
pub fn texture_memory(width: u32, height: u32, order: ShOrder) -> u64 {
    // Points of the surface, and the layers of estimates, records, lightmap and images.
    let texel = 250 + 60 * (order.coefficients() as u64 + 1);
    u64::from(width) * u64::from(height) * texel
}

/// Checks that the texture fits into memory.
pub(super) fn check_texture(width: u32, height: u32, order: ShOrder) -> Result<(), OutOfMemory> {
    let what = format!("{width} × {height} texels");
    memory::check(what, texture_memory(width, height, order))
}

/// Checks that a texture of `features` features fits into memory.
pub(super) fn check_features(size: &UVec2, features: usize) -> Result<(), OutOfMemory> {
    // Points of the surface; values, maps and images of features.
    let texel = 250 + 80 * features as u64;
    let what = format!("{} × {} texels", size.x, size.y);
    memory::check(what, u64::from(size.x) * u64::from(size.y) * texel)
}
