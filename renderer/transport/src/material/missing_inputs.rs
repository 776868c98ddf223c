//! Missing inputs of a shape's shader, for debug views.

use shading::TextureRequest;

/// Files and attributes that the shader of a shape requests but may lack.
#[derive(Clone, Debug)]
pub(crate) struct MissingInputs {
    /// True if some are known to be missing.
    pub(crate) is_certain: bool,
    /// Textures that are missing if they cannot be read.
    pub(crate) textures: Vec<TextureRequest>,
}
