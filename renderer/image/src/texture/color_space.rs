//! Colour spaces of texture files: auto, sRGB, linear, raw.

/// Interpretation of the values of a texture file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextureColorSpace {
    /// By the kind of file: integers (PNG, JPEG, TGA, BMP) are sRGB, floats (EXR, HDR) are linear.
    #[default]
    Auto,
    /// Encoded with the sRGB transfer curve; alpha is not.
    Srgb,
    /// Linear Rec.709.
    Linear,
    /// Data without colour (normals, roughness, heights), not converted.
    Raw,
}

impl TextureColorSpace {
    /// Colour space by name: `auto`, `srgb`, `linear` or `raw`, and OpenImageIO's and OSL's usual synonyms.
    pub fn from_name(name: &str) -> Option<TextureColorSpace> {
        match name.to_ascii_lowercase().as_str() {
            "" | "auto" => Some(TextureColorSpace::Auto),
            "srgb" | "srgb_texture" | "g22_rec709" => Some(TextureColorSpace::Srgb),
            "linear" | "lin_srgb" | "lin_rec709" | "scene_linear" => Some(TextureColorSpace::Linear),
            "raw" | "data" | "none" | "non-color" => Some(TextureColorSpace::Raw),
            _ => None,
        }
    }
}
