//! glTF materials and textures, converted to calls of the shipped unit `gltf_pbr`.

use std::path::Path;

use gltf::material::AlphaMode;
use gltf::texture::{MagFilter, Texture, WrappingMode};
use gltf::{Document, Material};
use shading::syntax::ast::Expr;

use super::GltfError;
use super::buffers::Buffers;
use super::slot::{Slot, UvTransform};
use crate::ModelMaterial;
use crate::call::{Call, finite};
use crate::model::Names;
use renderer_image::texture::TextureColorSpace;
use renderer_scene::{EmissionSides, TextureDesc};

/// Extension that replaces the metallic-roughness model.
const SPECULAR_GLOSSINESS: &str = "KHR_materials_pbrSpecularGlossiness";

/// Converter of a document's materials.
pub(super) struct Materials<'a> {
    pub(super) document: &'a Document,
    buffers: &'a Buffers,
    path: &'a Path,
    names: Names,
    list: Vec<ModelMaterial>,
    textures: Vec<TextureDesc>,
    /// Texture coordinate sets of the current material.
    sets: Vec<u32>,
    sets_of: Vec<Vec<u32>>,
}

/// Converted materials of a document.
pub(super) struct ReadMaterials {
    pub(super) list: Vec<ModelMaterial>,
    pub(super) textures: Vec<TextureDesc>,
    /// Texture coordinate sets of each material.
    pub(super) sets: Vec<Vec<u32>>,
}

impl<'a> Materials<'a> {
    pub(super) fn new(document: &'a Document, buffers: &'a Buffers, path: &'a Path) -> Materials<'a> {
        Materials {
            document,
            buffers,
            path,
            names: Names::default(),
            list: vec![],
            textures: vec![],
            sets: vec![],
            sets_of: vec![],
        }
    }

    pub(super) fn finish(self) -> ReadMaterials {
        ReadMaterials { list: self.list, textures: self.textures, sets: self.sets_of }
    }

    pub(super) fn add(&mut self, material: &Material<'_>) -> Result<(), GltfError> {
        let index = material.index().unwrap_or(0);
        let name = material.name().map_or_else(|| format!("material{index}"), str::to_owned);
        let name = self.names.unique(&name);
        let surface = self.call(material).map_err(|reason| format!("material `{name}`: {reason}"))?;
        let mut sets = std::mem::take(&mut self.sets);
        sets.sort_unstable();
        sets.dedup();
        self.sets_of.push(sets);
        // Emission by a texture or by a factor up to 1 (displays, tail lights) does not count as a light of the scene.
        let strength = material.emissive_strength().unwrap_or(1.0);
        let emissive = material.emissive_factor().iter().any(|&v| v * strength > 1.0)
            && material.emissive_texture().is_none();
        let both = material.double_sided() || material.unlit();
        let emission = if both { EmissionSides::Both } else { EmissionSides::Front };
        self.list
            .push(ModelMaterial { name, surface, emissive, emission, culled: !both });
        Ok(())
    }

    /// Returns the call; arguments equal to the default are omitted.
    fn call(&mut self, material: &Material<'_>) -> Result<Expr, GltfError> {
        let mut call = Call::new("gltf_pbr");
        let alpha = self.base(&mut call, material)?;
        if let Some(normal) = material.normal_texture() {
            self.slot(&mut call, "normal", Some(Slot::of_normal(&normal)), TextureColorSpace::Raw)?;
            call.number_unless("normal_scale", normal.scale(), 1.0)?;
        }
        let strength = material.emissive_strength().unwrap_or(1.0);
        let emissive = material.emissive_factor().map(|v| v * strength);
        if emissive != [0.0; 3] {
            call.color("emissive", emissive)?;
            let texture = material.emissive_texture();
            self.slot(&mut call, "emissive", texture.as_ref().map(Slot::new), TextureColorSpace::Srgb)?;
        }
        match material.alpha_mode() {
            AlphaMode::Opaque => {}
            AlphaMode::Mask => {
                call.number_unless("alpha", alpha, 1.0)?;
                call.set("alpha_mode", Expr::string("mask"));
                call.number("alpha_cutoff", material.alpha_cutoff().unwrap_or(0.5))?;
            }
            AlphaMode::Blend => {
                call.number_unless("alpha", alpha, 1.0)?;
                call.set("alpha_mode", Expr::string("blend"));
            }
        }
        if material.unlit() {
            call.set("unlit", 1);
        }
        self.dielectric(&mut call, material)?;
        self.layers(&mut call, material)?;
        Ok(call.finish())
    }

    /// Sets the base layer, metallic or not. Returns its opacity.
    fn base(&mut self, call: &mut Call, material: &Material<'_>) -> Result<f32, GltfError> {
        if let Some(extension) = material.extension_value(SPECULAR_GLOSSINESS) {
            return self.specular_glossiness(call, extension);
        }
        let pbr = material.pbr_metallic_roughness();
        let [r, g, b, alpha] = pbr.base_color_factor();
        call.color("base_color", [r, g, b])?;
        call.number("metallic", pbr.metallic_factor())?;
        call.number("roughness", pbr.roughness_factor())?;
        self.slot(
            call,
            "base_color",
            pbr.base_color_texture().as_ref().map(Slot::new),
            TextureColorSpace::Srgb,
        )?;
        let rough = pbr.metallic_roughness_texture();
        self.slot(
            call,
            "metallic_roughness",
            rough.as_ref().map(Slot::new),
            TextureColorSpace::Raw,
        )?;
        Ok(alpha)
    }

    /// Sets the parameters by extensions of the base layer.
    fn dielectric(&mut self, call: &mut Call, material: &Material<'_>) -> Result<(), GltfError> {
        if material.extension_value(SPECULAR_GLOSSINESS).is_some() {
            // The extension is incompatible with all other extensions of the base layer.
            return Ok(());
        }
        call.number_unless("ior", material.ior().unwrap_or(1.5), 1.5)?;
        if let Some(specular) = material.specular() {
            call.number_unless("specular", specular.specular_factor(), 1.0)?;
            if specular.specular_color_factor() != [1.0; 3] {
                call.color("specular_color", specular.specular_color_factor())?;
            }
            let (texture, tint) = (specular.specular_texture(), specular.specular_color_texture());
            self.slot(call, "specular", texture.as_ref().map(Slot::new), TextureColorSpace::Raw)?;
            self.slot(call, "specular_color", tint.as_ref().map(Slot::new), TextureColorSpace::Srgb)?;
        }
        if let Some(transmission) = material.transmission() {
            call.number_unless("transmission", transmission.transmission_factor(), 0.0)?;
            let texture = transmission.transmission_texture();
            self.slot(call, "transmission", texture.as_ref().map(Slot::new), TextureColorSpace::Raw)?;
        }
        let is_lit_through = self.diffuse_transmission(call, material)?;
        if material.transmission().is_some() || is_lit_through {
            self.volume(call, material)?;
        }
        self.iridescence(call, material)
    }

    /// Adds the arguments of a texture: `NAME_texture` and, if they differ from the defaults, `NAME_set` (texture
    /// coordinate set), `NAME_wrap` and `NAME_uv` (transform).
    pub(super) fn slot(
        &mut self,
        call: &mut Call,
        name: &str,
        slot: Option<Slot<'_>>,
        color_space: TextureColorSpace,
    ) -> Result<(), GltfError> {
        let Some(Slot { texture, set, transform }) = slot else {
            return Ok(());
        };
        self.sets.push(set);
        let file = self.texture(&texture, color_space)?;
        call.set(&format!("{name}_texture"), Expr::string(file));
        if set != 0 {
            call.set(&format!("{name}_set"), i64::from(set));
        }
        let wrap = |mode: WrappingMode| match mode {
            WrappingMode::Repeat => 0,
            WrappingMode::ClampToEdge => 1,
            WrappingMode::MirroredRepeat => 2,
        };
        let sampler = texture.sampler();
        // Minification is filtered with either magnification filter.
        let is_closest = sampler.mag_filter() == Some(MagFilter::Nearest);
        let wrap = wrap(sampler.wrap_s()) + 3 * wrap(sampler.wrap_t()) + 9 * i64::from(is_closest);
        if wrap != 0 {
            call.set(&format!("{name}_wrap"), wrap);
        }
        let matrix = transform.matrix();
        if matrix != UvTransform::IDENTITY.matrix() {
            for number in matrix {
                finite(number)?;
            }
            call.set(&format!("{name}_uv"), Expr::matrix(matrix));
        }
        Ok(())
    }

    /// Name of a texture's image, which is added to the textures of the model.
    fn texture(
        &mut self,
        texture: &Texture<'_>,
        color_space: TextureColorSpace,
    ) -> Result<String, GltfError> {
        let image = texture.source();
        let kind = if color_space == TextureColorSpace::Raw { "raw" } else { "color" };
        let name = format!("{}#image{}.{kind}", self.path.display(), image.index());
        if !self.textures.iter().any(|known| known.name == name) {
            let source = self.buffers.image(&image, &name)?;
            self.textures.push(TextureDesc {
                name: name.clone(),
                source,
                color_space,
                file: self.path.to_owned(),
            });
        }
        Ok(name)
    }
}
