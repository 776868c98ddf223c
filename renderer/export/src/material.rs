//! Materials of the metallic-roughness model.

use serde_json::{Value, json};

use super::document::Document;
use renderer_base::color::Rgb;

/// Alpha mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AlphaMode {
    /// Opaque.
    #[default]
    Opaque,
    /// Alpha mask.
    Mask,
    /// Alpha blending.
    Blend,
}

/// glTF material, without textures.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Its name.
    pub name: String,
    /// Base colour, linear.
    pub base_color: Rgb,
    /// Opacity.
    pub opacity: f32,
    /// Alpha mode.
    pub alpha: AlphaMode,
    /// Metalness.
    pub metallic: f32,
    /// Roughness of glTF: the square root of α.
    pub roughness: f32,
    /// Strength of the dielectric reflection: 1 is a reflectance of 0.04.
    pub specular: f32,
    /// Transmission.
    pub transmission: f32,
    /// Index of refraction.
    pub ior: f32,
    /// Thickness of the refracting volume [m]; 0 for thin sheets.
    pub thickness: f32,
    /// Emitted radiance [W/(sr·m²)].
    pub emission: Rgb,
    /// True if both sides are visible.
    pub double_sided: bool,
    /// True for an unlit material.
    pub unlit: bool,
}

/// Indices of shared textures in lightmap coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MaterialTextures {
    /// Base colour and opacity.
    pub base_color: Option<usize>,
    /// Roughness and metalness.
    pub metallic_roughness: Option<usize>,
    /// Normals in tangent space.
    pub normal: Option<usize>,
    /// Emission, normalised to a maximum radiance of 1.
    pub emission: Option<(usize, f32)>,
}

impl Material {
    /// JSON of the material. Texture references replace the corresponding values.
    pub fn json(
        &self,
        document: &mut Document,
        textures: &MaterialTextures,
        reference: impl Fn(&mut Document, usize) -> Value,
    ) -> Value {
        let mut pbr = json!({});
        match textures.base_color {
            Some(texture) => pbr["baseColorTexture"] = reference(document, texture),
            None => {
                let Rgb { r, g, b } = self.base_color;
                pbr["baseColorFactor"] = json!([r, g, b, self.opacity]);
            }
        }
        match textures.metallic_roughness {
            Some(texture) => pbr["metallicRoughnessTexture"] = reference(document, texture),
            None => {
                pbr["metallicFactor"] = json!(self.metallic);
                pbr["roughnessFactor"] = json!(self.roughness);
            }
        }
        let mut said = json!({ "name": self.name, "pbrMetallicRoughness": pbr });
        match self.alpha {
            AlphaMode::Opaque => {}
            AlphaMode::Mask => said["alphaMode"] = json!("MASK"),
            AlphaMode::Blend => said["alphaMode"] = json!("BLEND"),
        }
        if self.double_sided {
            said["doubleSided"] = json!(true);
        }
        if let Some(texture) = textures.normal {
            said["normalTexture"] = reference(document, texture);
        }
        let strength = match textures.emission {
            Some((texture, strength)) => {
                said["emissiveTexture"] = reference(document, texture);
                said["emissiveFactor"] = json!([1.0, 1.0, 1.0]);
                strength
            }
            None => {
                let strength = self.emission.max_component();
                if strength > 0.0 {
                    let color = self.emission * (1.0 / strength.max(1.0));
                    said["emissiveFactor"] = json!(color.to_array());
                }
                strength
            }
        };
        let mut extend = |name: &str, value: Value| {
            said["extensions"][name] = value;
            document.use_extension(name);
        };
        if strength > 1.0 {
            extend("KHR_materials_emissive_strength", json!({ "emissiveStrength": strength }));
        }
        if self.transmission > 0.0 {
            extend("KHR_materials_transmission", json!({ "transmissionFactor": self.transmission }));
            extend("KHR_materials_ior", json!({ "ior": self.ior }));
            if self.thickness > 0.0 {
                extend("KHR_materials_volume", json!({ "thicknessFactor": self.thickness }));
            }
        }
        if self.specular < 0.95 && self.metallic < 0.5 && !self.unlit {
            extend("KHR_materials_specular", json!({ "specularFactor": self.specular }));
        }
        if self.unlit {
            extend("KHR_materials_unlit", json!({}));
        }
        said
    }
}
