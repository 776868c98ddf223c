//! Features of surfaces: what materials and shapes are, apart from light.

use renderer_transport::light::LightId;
use renderer_transport::material::OutputShader;

/// What is baked of surfaces besides light.
#[derive(Clone, Debug)]
pub enum Feature {
    /// Reflectance for a viewer above, of all lobes.
    Albedo,
    /// Base colour of the metallic-roughness model.
    BaseColor,
    /// 0, roughness, metal of the metallic-roughness model.
    MetallicRoughness,
    /// Shading normal in world space, bumps and normal maps included.
    Normal,
    /// The same in the tangent frame (MikkTSpace) of the coordinates of the texture: along u, along v, outward.
    TangentNormal,
    /// Roughness of the strongest lobe.
    Roughness,
    /// What does not pass straight through.
    Opacity,
    /// Emitted radiance [W/(sr·m²)].
    Emission,
    /// Position in world space [m].
    Position,
    /// Signed distance from the surface baked to, along the direction away from it [m]; zero in other bakes.
    Height,
    /// Share of the directions above the surface, weighted by cosine, in which nothing is within reach.
    Occlusion(FeatureRays),
    /// Mean curvature [1/m], positive where the surface is convex, measured in a ball about each point.
    Curvature(FeatureRays),
    /// Share of the irradiance of some lights that nothing blocks.
    Shadow(Vec<LightId>, FeatureRays),
    /// What shaders compute, by material.
    Shader(Vec<Option<OutputShader>>),
}

/// Rays of a feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeatureRays {
    /// Rays of a texel; pairs of them for curvature.
    pub samples: u32,
    /// Their length [m].
    pub reach: f32,
}

impl Feature {
    /// Returns whether its values are directions.
    pub fn is_direction(&self) -> bool {
        matches!(self, Feature::Normal | Feature::TangentNormal)
    }

    /// The rays that find it, if it takes any.
    pub fn rays(&self) -> Option<FeatureRays> {
        match self {
            Feature::Occlusion(rays) | Feature::Curvature(rays) | Feature::Shadow(_, rays) => Some(*rays),
            Feature::Albedo
            | Feature::BaseColor
            | Feature::MetallicRoughness
            | Feature::Normal
            | Feature::TangentNormal
            | Feature::Roughness
            | Feature::Opacity
            | Feature::Emission
            | Feature::Position
            | Feature::Height
            | Feature::Shader(_) => None,
        }
    }
}

/// A feature with its name.
#[derive(Clone, Debug)]
pub struct FeatureDesc {
    /// The name of its file.
    pub name: String,
    /// What it is.
    pub feature: Feature,
}
