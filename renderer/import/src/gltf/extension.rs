//! Extensions of glTF materials that the `gltf` crate does not read.

use gltf::{Document, Material};
use serde_json::Value;

use super::GltfError;
use super::material::Materials;
use super::slot::Slot;
use crate::call::Call;
use renderer_image::texture::TextureColorSpace;

impl Materials<'_> {
    /// Base layer by KHR_materials_pbrSpecularGlossiness. Returns its opacity.
    ///
    /// Its reflectance at normal incidence can be any colour. The unit has it as the tint of a mirror, by an index of
    /// refraction of zero, which KHR_materials_ior defines for this purpose.
    pub(super) fn specular_glossiness(
        &mut self,
        call: &mut Call,
        extension: &Value,
    ) -> Result<f32, GltfError> {
        let [r, g, b, alpha] = numbers(extension, "diffuseFactor", [1.0; 4]);
        call.color("base_color", [r, g, b])?;
        call.number("metallic", 0.0)?;
        call.number("ior", 0.0)?;
        call.color("specular_color", numbers(extension, "specularFactor", [1.0; 3]))?;
        call.number("roughness", 1.0 - number(extension, "glossinessFactor", 1.0))?;
        self.named(call, extension, "diffuseTexture", "base_color", TextureColorSpace::Srgb)?;
        // The image is used twice: its colour is the specular colour, its alpha the glossiness.
        for slot in ["specular_color", "glossiness"] {
            self.named(call, extension, "specularGlossinessTexture", slot, TextureColorSpace::Srgb)?;
        }
        Ok(alpha)
    }

    /// KHR_materials_volume: interior of a body. Without a thickness the surface is thin and does not refract.
    pub(super) fn volume(&mut self, call: &mut Call, material: &Material<'_>) -> Result<(), GltfError> {
        let Some(extension) = material.extension_value("KHR_materials_volume") else {
            return Ok(());
        };
        if number(extension, "thicknessFactor", 0.0) <= 0.0 {
            return Ok(());
        }
        call.set("thick", 1);
        let color = numbers(extension, "attenuationColor", [1.0; 3]);
        let distance = number(extension, "attenuationDistance", f32::INFINITY);
        if color != [1.0; 3] && distance.is_finite() {
            call.color("attenuation_color", color)?;
            call.number("attenuation_distance", distance)?;
            Self::volume_scatter(call, material)?;
        }
        Ok(())
    }

    /// KHR_materials_volume_scatter: scattered fraction of the attenuation. Drafts of the extension call the colour
    /// `multiscatterColor`.
    fn volume_scatter(call: &mut Call, material: &Material<'_>) -> Result<(), GltfError> {
        let Some(extension) = material.extension_value("KHR_materials_volume_scatter") else {
            return Ok(());
        };
        let draft = numbers(extension, "multiscatterColor", [0.0; 3]);
        let color = numbers(extension, "multiscatterColorFactor", draft);
        if color != [0.0; 3] {
            call.color("multiscatter_color", color)?;
            let anisotropy = number(extension, "scatterAnisotropy", 0.0);
            call.number_unless("scatter_anisotropy", anisotropy, 0.0)?;
        }
        Ok(())
    }

    /// KHR_materials_diffuse_transmission: diffuse light transmitted to the other side. Returns whether there is any.
    pub(super) fn diffuse_transmission(
        &mut self,
        call: &mut Call,
        material: &Material<'_>,
    ) -> Result<bool, GltfError> {
        let Some(extension) = material.extension_value("KHR_materials_diffuse_transmission") else {
            return Ok(false);
        };
        let factor = number(extension, "diffuseTransmissionFactor", 0.0);
        if factor == 0.0 {
            return Ok(false);
        }
        call.number("diffuse_transmission", factor)?;
        call.color(
            "diffuse_transmission_color",
            numbers(extension, "diffuseTransmissionColorFactor", [1.0; 3]),
        )?;
        for (key, slot, color_space) in [
            ("diffuseTransmissionTexture", "diffuse_transmission", TextureColorSpace::Raw),
            (
                "diffuseTransmissionColorTexture",
                "diffuse_transmission_color",
                TextureColorSpace::Srgb,
            ),
        ] {
            self.named(call, extension, key, slot, color_space)?;
        }
        Ok(true)
    }

    /// KHR_materials_iridescence: thin film on the base layer, with its thickness in nanometres.
    pub(super) fn iridescence(&mut self, call: &mut Call, material: &Material<'_>) -> Result<(), GltfError> {
        let Some(extension) = material.extension_value("KHR_materials_iridescence") else {
            return Ok(());
        };
        let factor = number(extension, "iridescenceFactor", 0.0);
        if factor == 0.0 {
            return Ok(());
        }
        call.number("iridescence", factor)?;
        for (key, argument, default) in [
            ("iridescenceIor", "iridescence_ior", 1.3),
            ("iridescenceThicknessMinimum", "iridescence_thickness_min", 100.0),
            ("iridescenceThicknessMaximum", "iridescence_thickness_max", 400.0),
        ] {
            call.number_unless(argument, number(extension, key, default), default)?;
        }
        for (key, slot) in [
            ("iridescenceTexture", "iridescence"),
            ("iridescenceThicknessTexture", "iridescence_thickness"),
        ] {
            self.named(call, extension, key, slot, TextureColorSpace::Raw)?;
        }
        Ok(())
    }

    /// Layers on top of the base layer, and anisotropy of its highlights.
    pub(super) fn layers(&mut self, call: &mut Call, material: &Material<'_>) -> Result<(), GltfError> {
        if let Some(extension) = material.extension_value("KHR_materials_anisotropy") {
            let strength = number(extension, "anisotropyStrength", 0.0);
            if strength != 0.0 {
                call.number("anisotropy", strength)?;
                call.number_unless("anisotropy_rotation", number(extension, "anisotropyRotation", 0.0), 0.0)?;
                self.named(call, extension, "anisotropyTexture", "anisotropy", TextureColorSpace::Raw)?;
            }
        }
        if let Some(extension) = material.extension_value("KHR_materials_sheen") {
            let color = numbers(extension, "sheenColorFactor", [0.0; 3]);
            if color != [0.0; 3] {
                call.color("sheen_color", color)?;
                call.number("sheen_roughness", number(extension, "sheenRoughnessFactor", 0.0))?;
                self.named(call, extension, "sheenColorTexture", "sheen_color", TextureColorSpace::Srgb)?;
                self.named(
                    call,
                    extension,
                    "sheenRoughnessTexture",
                    "sheen_roughness",
                    TextureColorSpace::Raw,
                )?;
            }
        }
        if let Some(extension) = material.extension_value("KHR_materials_clearcoat") {
            let strength = number(extension, "clearcoatFactor", 0.0);
            if strength != 0.0 {
                self.clearcoat(call, extension, strength)?;
            }
        }
        Ok(())
    }

    fn clearcoat(&mut self, call: &mut Call, extension: &Value, strength: f32) -> Result<(), GltfError> {
        call.number("clearcoat", strength)?;
        call.number("clearcoat_roughness", number(extension, "clearcoatRoughnessFactor", 0.0))?;
        for (key, slot) in [
            ("clearcoatTexture", "clearcoat"),
            ("clearcoatRoughnessTexture", "clearcoat_roughness"),
            ("clearcoatNormalTexture", "clearcoat_normal"),
        ] {
            self.named(call, extension, key, slot, TextureColorSpace::Raw)?;
        }
        let normal = extension.get("clearcoatNormalTexture");
        let scale = normal.map_or(1.0, |normal| number(normal, "scale", 1.0));
        call.number_unless("clearcoat_normal_scale", scale, 1.0)
    }

    /// Adds the texture `key` of an extension as the unit's texture `slot`.
    fn named(
        &mut self,
        call: &mut Call,
        extension: &Value,
        key: &str,
        slot: &str,
        color_space: TextureColorSpace,
    ) -> Result<(), GltfError> {
        let document: &Document = self.document;
        let texture = Slot::of_extension(document, extension, key)?;
        self.slot(call, slot, texture, color_space)
    }
}

fn number(extension: &Value, key: &str, default: f32) -> f32 {
    let value = extension.get(key).and_then(Value::as_f64);
    value.map_or(default, |value| value as f32)
}

fn numbers<const N: usize>(extension: &Value, key: &str, default: [f32; N]) -> [f32; N] {
    let mut values = default;
    let list = extension.get(key).and_then(Value::as_array);
    for (slot, value) in values.iter_mut().zip(list.into_iter().flatten()) {
        *slot = value.as_f64().map_or(*slot, |value| value as f32);
    }
    values
}
