//! Textures of glTF materials that features of surfaces make.

/// A texture of a material of glTF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextureSlot {
    /// Colour, and opacity.
    BaseColor,
    /// Normals in tangent space.
    Normal,
    /// Occlusion in red, roughness in green.
    Surface {
        /// True if occlusion is known.
        occlusion: bool,
        /// True if roughness is known.
        roughness: bool,
    },
}

impl TextureSlot {
    pub(super) fn name(self) -> &'static str {
        match self {
            TextureSlot::BaseColor => "albedo",
            TextureSlot::Normal => "tangent_normal",
            TextureSlot::Surface { .. } => "occlusion_roughness",
        }
    }

    /// The keys of materials that name it.
    pub(super) fn keys(&self) -> &'static [&'static str] {
        match self {
            TextureSlot::BaseColor => &["baseColorTexture"],
            TextureSlot::Normal => &["normalTexture"],
            TextureSlot::Surface { occlusion, roughness } => match (occlusion, roughness) {
                (true, true) => &["occlusionTexture", "metallicRoughnessTexture"],
                (true, false) => &["occlusionTexture"],
                (false, true) => &["metallicRoughnessTexture"],
                (false, false) => &[],
            },
        }
    }
}
