//! Surface features: properties of materials and shapes other than light.

use renderer_transport::light::LightId;
use renderer_transport::material::OutputShader;

/// Surface features.
#[derive(Clone, Debug)]
pub enum Feature {
    /// Albedo of all lobes for normal incidence.
    Albedo,
    /// Base colour of the metallic-roughness model.
    BaseColor,
    /// 0, roughness, metalness of the metallic-roughness model.
    MetallicRoughness,
    /// Shading normal in world space, bumps and normal maps included.
    Normal,
    /// Shading normal in the tangent frame (MikkTSpace) of the texture's coordinates: along u, along v, outward.
    TangentNormal,
    /// Roughness of the strongest lobe.
    Roughness,
    /// Opacity: 1 − straight-through transmittance.
    Opacity,
    /// Emitted radiance [W/(sr·m²)].
    Emission,
    /// Position in world space [m].
    Position,
    /// Signed height above the low surface [m]; zero in bakes without transfer.
    Height,
    /// Ambient occlusion: cosine-weighted visibility within the reach.
    Occlusion(FeatureRays),
    /// Mean curvature [1/m], positive where the surface is convex, measured in a ball about each point.
    Curvature(FeatureRays),
    /// Unoccluded fraction of the irradiance of some lights.
    Shadow(Vec<LightId>, FeatureRays),
    /// Shader output, by material.
    Shader(Vec<Option<OutputShader>>),
}

/// Rays of a feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeatureRays {
    /// Number of rays per texel; of pairs for curvature.
    pub samples: u32,
    /// Length [m].
    pub reach: f32,
}

impl Feature {
    /// Returns whether the values are directions.
    pub fn is_direction(&self) -> bool {
        matches!(self, Feature::Normal | Feature::TangentNormal)
    }

    /// Rays of the feature, if it needs any.
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
    /// Name of the file.
    pub name: String,
    /// Feature.
    pub feature: Feature,
}
