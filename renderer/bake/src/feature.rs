//! Features of surfaces: what materials are, apart from light.

use renderer_transport::material::OutputShader;

/// What is baked of surfaces besides light.
#[derive(Clone, Debug)]
pub enum Feature {
    /// Reflectance for a viewer above, of all lobes.
    Albedo,
    /// Shading normal in world space, bumps and normal maps included.
    Normal,
    /// The same in the frame of the mesh: along `dPdu`, across it, and along the mesh's normal.
    TangentNormal,
    /// Roughness of the strongest lobe.
    Roughness,
    /// What does not pass straight through.
    Opacity,
    /// Emitted radiance [W/(sr·m²)].
    Emission,
    /// Position in world space [m].
    Position,
    /// What shaders compute, by material.
    Shader(Vec<Option<OutputShader>>),
}

/// A feature with its name.
#[derive(Clone, Debug)]
pub struct FeatureDesc {
    /// The name of its file.
    pub name: String,
    /// What it is.
    pub feature: Feature,
}
