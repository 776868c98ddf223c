//! Conversion of OBJ materials (MTL) to calls of the shipped unit `gltf_pbr`.
//!
//! MTL is not well specified. Here image colours are sRGB and numbers linear; the specular exponent is converted to the
//! roughness of a lobe of equal width; materials that refract are glass. A factor of 0 with an image would cancel the image;
//! programs that write both mean 1.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Affine3A;
use rustc_hash::FxHashMap;
use shading::syntax::ast::{BinaryOp, Expr};

use super::call::{Call, finite};
use super::model::{Names, stem};
use super::mtl::ObjMap;
use super::obj_relief::has_normals;
use super::{Model, ModelMaterial, ModelShape, Obj, ObjMaterial};
use renderer_base::files::Files;
use renderer_image::texture::TextureColorSpace;
use renderer_scene::EmissionSides;

/// Converts an OBJ file to a model.
pub(super) fn model(files: &dyn Files, path: &Path, obj: Obj) -> Model {
    let mut model = Model { warnings: obj.warnings, files: obj.files, ..Model::default() };
    let mut names = Names::default();
    let mut relief = FxHashMap::default();
    for material in &obj.materials {
        let read = Reader { files, path, model: &mut model, relief: &mut relief }.call(material);
        let (surface, emissive) = match read {
            Ok(read) => read,
            Err(reason) => {
                model
                    .warnings
                    .push(format!("material `{}`: {reason}; it is grey", material.name));
                let grey = Call::new("gltf_pbr").with("base_color", 0.5).with("metallic", 0);
                (grey.finish(), false)
            }
        };
        let name = names.unique(&material.name);
        model.materials.push(ModelMaterial {
            name,
            surface,
            emissive,
            emission: EmissionSides::Both,
            culled: false,
        });
    }
    let mut by_name = FxHashMap::default();
    for (index, material) in obj.materials.iter().enumerate() {
        by_name.entry(material.name.as_str()).or_insert(index);
    }
    let mut names = Names::default();
    for part in obj.parts {
        let name = if part.name.is_empty() { stem(path) } else { part.name };
        let material = part.material.as_ref().and_then(|wanted| {
            let found = by_name.get(wanted.as_str()).copied();
            if found.is_none() {
                model.warnings.push(format!("no library defines the material `{wanted}`"));
            }
            found
        });
        model.shapes.push(ModelShape {
            name: names.unique(&name).into(),
            mesh: Arc::new(part.mesh),
            world_from_object: Affine3A::IDENTITY,
            motion: None,
            deformation: None,
            material,
            part: None,
        });
    }
    model.warnings.dedup();
    model
}

struct Reader<'a> {
    files: &'a dyn Files,
    path: &'a Path,
    model: &'a mut Model,
    /// By image of `bump`: whether it holds normals.
    relief: &'a mut FxHashMap<PathBuf, bool>,
}

impl Reader<'_> {
    /// Returns whether an image holds normals. Materials often share it.
    fn has_normals(&mut self, file: &Path) -> bool {
        let same = self.files.identity(file);
        *(self.relief.entry(same)).or_insert_with(|| has_normals(self.files, file))
    }

    /// Returns the call, and whether the material lights the scene.
    fn call(&mut self, material: &ObjMaterial) -> Result<(Expr, bool), String> {
        let mut call = Call::new("gltf_pbr");
        let refracts = refracts(material);
        let is_pbr = material.metallic.is_some()
            || material.roughness.is_some()
            || material.metallic_map.is_some()
            || material.roughness_map.is_some();
        let base = if refracts {
            material.transmission.unwrap_or([1.0; 3])
        } else {
            map_factor(material.diffuse, material.diffuse_map.as_ref()).unwrap_or([0.8; 3])
        };
        call.color("base_color", base)?;
        let name = &material.name;
        let (value, map) = (material.metallic, &material.metallic_map);
        match self.factor(map.as_ref(), value, name)? {
            Some(map) => call.set("metallic", map),
            None => call.number("metallic", value.unwrap_or(0.0))?,
        }
        let (value, map) = (material.roughness, &material.roughness_map);
        match self.factor(map.as_ref(), value, name)? {
            Some(map) => call.set("roughness", map),
            None => call.number("roughness", roughness(material))?,
        }
        call.number_unless("ior", material.ior.unwrap_or(1.5).max(1.0), 1.5)?;
        let tint = map_factor(material.specular, material.specular_map.as_ref());
        if refracts {
            call.set("transmission", 1.0);
            call.set("thick", 1);
        } else if is_pbr {
            self.layers(&mut call, material)?;
        } else {
            // Without highlights, or without a colour for them, the surface is matte.
            let specular = if material.illumination.is_some_and(|illum| illum < 2) {
                [0.0; 3]
            } else {
                tint.unwrap_or([0.0; 3])
            };
            if specular == [0.0; 3] {
                call.set("specular", 0.0);
            } else if specular.iter().any(|&v| v < 1.0) {
                call.color("specular_color", specular)?;
            }
        }
        self.map(
            &mut call,
            "base_color",
            material.diffuse_map.as_ref(),
            TextureColorSpace::Srgb,
            &material.name,
        )?;
        self.map(
            &mut call,
            "specular_color",
            material.specular_map.as_ref(),
            TextureColorSpace::Srgb,
            &material.name,
        )?;
        let bump = material.bump_map.as_ref().filter(|map| self.has_normals(&map.file));
        let normals = material.normal_map.as_ref().or(bump);
        self.map(&mut call, "normal", normals, TextureColorSpace::Raw, &material.name)?;
        if let Some(normals) = normals {
            call.number_unless("normal_scale", normals.strength, 1.0)?;
        }
        let emission = map_factor(material.emission, material.emission_map.as_ref()).unwrap_or([0.0; 3]);
        let emissive = emission.iter().any(|&v| v > 0.0);
        if emissive {
            call.color("emissive", emission)?;
            self.map(
                &mut call,
                "emissive",
                material.emission_map.as_ref(),
                TextureColorSpace::Srgb,
                &material.name,
            )?;
        }
        let opacity = self.opacity(material);
        if !refracts && (opacity < 1.0 || material.dissolve_map.is_some()) {
            call.number_unless("alpha", opacity, 1.0)?;
            // If both use the same image, its alpha is the opacity, which the base colour already applies.
            let file = |map: &ObjMap| Some(&map.file) != material.diffuse_map.as_ref().map(|map| &map.file);
            let own_map = material.dissolve_map.as_ref().filter(|map| file(map));
            self.map(&mut call, "alpha", own_map, TextureColorSpace::Raw, &material.name)?;
            call.set("alpha_mode", Expr::string("blend"));
        }
        self.warn_of_unused_maps(material, bump.is_none());
        // Emission by a map or up to 1 glows, but does not light the scene.
        let lights = emission.iter().any(|&v| v > 1.0) && material.emission_map.is_none();
        Ok((call.finish(), lights))
    }

    /// Adds the layers of physically based materials: `Pc`, `Pcr`, `Ps`, `aniso`, `anisor`, and `Tf` as transmission.
    fn layers(&mut self, call: &mut Call, material: &ObjMaterial) -> Result<(), String> {
        let [r, g, b] = material.transmission.unwrap_or([0.0; 3]);
        let through = (r + g + b) / 3.0;
        if through > 0.0 {
            call.number("transmission", through.min(1.0))?;
            call.set("thick", 1);
        }
        if let Some(coat) = material.clearcoat.filter(|&coat| coat > 0.0) {
            call.number("clearcoat", coat)?;
            call.number("clearcoat_roughness", material.clearcoat_roughness.unwrap_or(0.0))?;
        }
        if let Some(sheen) = material.sheen.filter(|&sheen| sheen > 0.0) {
            call.color("sheen_color", [sheen; 3])?;
            call.number("sheen_roughness", 0.5)?;
        }
        if let Some(anisotropy) = material.anisotropy.filter(|&anisotropy| anisotropy > 0.0) {
            call.number("anisotropy", anisotropy)?;
            let turns = material.anisotropy_rotation.unwrap_or(0.0);
            call.number_unless("anisotropy_rotation", turns * std::f32::consts::TAU, 0.0)?;
        }
        Ok(())
    }

    fn map(
        &mut self,
        call: &mut Call,
        slot: &str,
        map: Option<&ObjMap>,
        color_space: TextureColorSpace,
        material: &str,
    ) -> Result<(), String> {
        let Some(map) = map else { return Ok(()) };
        let Some(name) = self.texture(map, color_space, material) else {
            return Ok(());
        };
        call.set(&format!("{slot}_texture"), Expr::string(name));
        if map.clamps {
            call.set(&format!("{slot}_wrap"), 4);
        }
        let ([sx, sy], [x, y]) = (map.scale, map.offset);
        if (map.scale, map.offset) != ([1.0; 2], [0.0; 2]) {
            // The unit's v runs down from the top row.
            let offset = 1.0 - sy - y;
            for number in [sx, sy, x, offset] {
                finite(number).map_err(|reason| format!("-s or -o of an image is {reason}"))?;
            }
            let numbers = [
                sx, 0.0, 0.0, 0.0, //
                0.0, sy, 0.0, 0.0, //
                0.0, 0.0, 1.0, 0.0, //
                x, offset, 0.0, 1.0,
            ];
            call.set(&format!("{slot}_uv"), Expr::matrix(numbers));
        }
        Ok(())
    }

    /// Factor times the red channel of an image, as an expression; `None` if there is no image.
    fn factor(
        &mut self,
        map: Option<&ObjMap>,
        value: Option<f32>,
        material: &str,
    ) -> Result<Option<Expr>, String> {
        let Some(map) = map else { return Ok(None) };
        let factor = value.filter(|&value| value > 0.0).unwrap_or(1.0);
        let Some(name) = self.texture(map, TextureColorSpace::Raw, material) else {
            return Ok(None);
        };
        let ([sx, sy], [x, y]) = (map.scale, map.offset);
        if ![sx, sy, x, y, factor].into_iter().all(f32::is_finite) {
            return Err("a number of an image is not finite".to_owned());
        }
        let mut call = Call::new("image").with("file", Expr::string(name));
        if (map.scale, map.offset) != ([1.0; 2], [0.0; 2]) {
            let linear = |scale: f32, name: &str, offset: f32| {
                let scaled = Expr::binary(BinaryOp::Mul, scale, Expr::name(name));
                Expr::binary(BinaryOp::Add, scaled, offset)
            };
            call.set("s", linear(sx, "u", x));
            call.set("t", Expr::binary(BinaryOp::Sub, 1, linear(sy, "v", y)));
        }
        if map.clamps {
            call.set("wrap", Expr::string("clamp"));
        }
        let red = call.finish().member("result").index(0);
        Ok(Some(Expr::binary(BinaryOp::Mul, factor, red)))
    }

    /// Name of an image, which is added to the model's textures; `None` with a warning if it cannot be used.
    fn texture(&mut self, map: &ObjMap, color_space: TextureColorSpace, material: &str) -> Option<String> {
        let name = self.model.image(self.files, &map.file, color_space, self.path);
        let warning = |reason| format!("material `{material}`: {reason}");
        name.map_err(|reason| self.model.warnings.push(warning(reason))).ok()
    }

    /// Opacity of the surface. MeshLab and others write the opacity as `Tr`; since `Tr 1` would make the surface
    /// invisible, it is read as opaque.
    fn opacity(&mut self, material: &ObjMaterial) -> f32 {
        let opacity = match (material.dissolve, material.transparency) {
            (Some(dissolve), _) => dissolve,
            (None, Some(transparency)) if transparency >= 1.0 => {
                self.model.warnings.push(format!(
                    "material `{}`: `Tr {transparency}` would make it invisible; it is taken for the opacity, as MeshLab writes it (`d` says it without doubt)",
                    material.name
                ));
                1.0
            }
            (None, transparency) => 1.0 - transparency.unwrap_or(0.0),
        };
        opacity.clamp(0.0, 1.0)
    }

    fn warn_of_unused_maps(&mut self, material: &ObjMaterial, has_heights: bool) {
        let unused = [
            (
                "bump",
                material.bump_map.is_some() && has_heights,
                ": its heights have no unit; an image of normals would be shown",
            ),
            (
                "map_Ns",
                material.shininess_map.is_some(),
                ": some programs write exponents there, some roughness; `map_Pr` is for roughness",
            ),
        ];
        for (name, _, hint) in unused.iter().filter(|(_, present, _)| *present) {
            self.model
                .warnings
                .push(format!("material `{}`: `{name}` has no effect{hint}", material.name));
        }
    }
}

/// Returns whether the material is a refracting body, as stated by `illum` 4, 6, 7 and 9. Exceptions: Maya and others
/// write these for all materials, with an index that does not refract or with a colour only; Blender writes them for
/// all materials that are not fully opaque, which are then rendered by their colour.
fn refracts(material: &ObjMaterial) -> bool {
    let has_color = material.diffuse_map.is_some() || material.diffuse.is_some_and(|color| color != [0.0; 3]);
    let filters = material.transmission.is_some();
    let opacity = material.dissolve.or(material.transparency.map(|t| 1.0 - t));
    let is_cover = has_color && !filters && opacity.is_some_and(|opacity| 0.0 < opacity && opacity < 1.0);
    let bends = material.ior.map_or(filters || !has_color, |ior| ior > 1.0);
    matches!(material.illumination, Some(4 | 6 | 7 | 9)) && bends && !is_cover
}

/// Factor of an image; 1 if a factor of 0 would cancel the image.
fn map_factor(factor: Option<[f32; 3]>, map: Option<&ObjMap>) -> Option<[f32; 3]> {
    match map {
        Some(_) => Some(factor.filter(|&factor| factor != [0.0; 3]).unwrap_or([1.0; 3])),
        None => factor,
    }
}

/// Perceptual roughness: as given, or such that the GGX lobe is as wide as the Phong lobe of the exponent.
// Walter et al. 2007, "Microfacet Models for Refraction through Rough Surfaces", section 5.2: α² = 2 / (n + 2).
fn roughness(material: &ObjMaterial) -> f32 {
    let of_exponent = |exponent: f32| (2.0 / (exponent.max(0.0) + 2.0)).sqrt().sqrt();
    match (material.roughness, material.shininess) {
        (Some(roughness), _) => roughness.clamp(0.0, 1.0),
        // Glass and mirrors are smooth by default.
        (None, _) if refracts(material) || matches!(material.illumination, Some(3 | 5)) => 0.0,
        (None, Some(exponent)) => of_exponent(exponent),
        (None, None) => 1.0,
    }
}
