//! What a shape's shader lacks, for views that show it.

use shading::TextureRequest;

/// Files and attributes that the shader of a shape asks for.
#[derive(Clone, Debug)]
pub(crate) struct MissingInputs {
    /// True if it is known to lack some.
    pub(crate) is_certain: bool,
    /// Textures that it lacks if they cannot be read.
    pub(crate) textures: Vec<TextureRequest>,
}
