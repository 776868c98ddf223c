//! A scene as a model: its shapes, materials of the metallic-roughness model, cameras and lights.

use serde_json::{Value, json};

use super::Failure;
use super::appearance::{self, ShapeAppearance};
use super::feature_image::{numbers, png, rgb, with_opacity};
use super::folder::MODEL;
use renderer_bake::{Feature, FeatureDesc, Lightmap, triangles};
use renderer_base::color::Rgb;
use renderer_export::{AddedLightmap, Document, Material, MaterialTextures, SceneShape, SceneWriter};
use renderer_scene::{ModelPart, SceneDesc};
use renderer_transport::scene::Scene;

/// Parts of a material that a texture holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Color,
    Opacity,
    Roughness,
    Normal,
    Emission,
}

/// A scene that is exported.
pub(super) struct SceneModel {
    document: Vec<u8>,
    /// The object of each shape in the document, and whether its triangles are reversed.
    pub(super) parts: Vec<(ModelPart, bool)>,
    /// Materials, with the look of the shape that each was found for.
    materials: Vec<(Material, usize)>,
    looks: Vec<ShapeAppearance>,
    /// Features for textures, in the order of the bake's features.
    slots: Vec<Slot>,
}

impl SceneModel {
    /// The model of a scene. What varies over shapes becomes textures if they are `textured`, else its mean.
    pub(super) fn new(desc: &SceneDesc, scene: &Scene, textured: bool) -> Result<SceneModel, Failure> {
        let looks = appearance::of_scene(desc, scene);
        let mut writer = SceneWriter::new();
        let mut materials: Vec<(Material, usize)> = vec![];
        let mut parts = vec![];
        for (index, (shape, look)) in desc.shapes.iter().zip(&looks).enumerate() {
            let is_textured = |shape: usize| textured && looks[shape].varies();
            let known = materials
                .iter()
                .position(|(known, of)| *known == look.material && !is_textured(*of));
            let material = known.filter(|_| !is_textured(index)).unwrap_or_else(|| {
                materials.push((look.material.clone(), index));
                materials.len() - 1
            });
            let built = &scene.shapes()[index];
            parts.push(writer.add_shape(&SceneShape {
                name: &shape.name,
                asset: shape.asset.as_deref(),
                mesh: triangles(built),
                world_from_object: *built.placement().open().world_from_object(),
                is_flipped: built.flip_normals,
                material,
            }));
        }
        for camera in &desc.cameras {
            writer.add_camera(&camera.name, &camera.camera, desc.film.size.value);
        }
        for light in &desc.lights {
            writer.add_light(&light.name, &light.kind);
        }
        let mut document = writer.finish();
        for (material, _) in &materials {
            document.add("materials", json!({ "name": material.name }));
        }
        let slots = if textured { slots(&looks) } else { vec![] };
        Ok(SceneModel {
            document: document.glb().map_err(|error| failure(&error))?,
            parts,
            materials,
            looks,
            slots,
        })
    }

    /// The bytes of the document before baked data is added.
    pub(super) fn document(&self) -> &[u8] {
        &self.document
    }

    /// Materials of opaque things that vary over a shape, by index, with that shape.
    pub(super) fn varying(&self) -> impl Iterator<Item = (usize, usize)> {
        let materials = self.materials.iter().enumerate();
        let varying =
            materials.filter(|(_, (material, of))| self.looks[*of].varies() && material.transmission == 0.0);
        varying.map(|(index, (_, of))| (index, *of))
    }

    /// Features of surfaces that the textures need.
    pub(super) fn features(&self) -> Vec<FeatureDesc> {
        let desc = |slot: &Slot| FeatureDesc {
            name: String::new(),
            feature: match slot {
                Slot::Color => Feature::BaseColor,
                Slot::Opacity => Feature::Opacity,
                Slot::Roughness => Feature::MetallicRoughness,
                Slot::Normal => Feature::TangentNormal,
                Slot::Emission => Feature::Emission,
            },
        };
        self.slots.iter().map(desc).collect()
    }

    /// Writes the materials, with the textures of a bake.
    pub(super) fn add_materials(
        &self,
        document: &mut Document,
        added: &AddedLightmap,
        map: &Lightmap,
    ) -> Result<(), Failure> {
        let mut pages: Vec<Option<MaterialTextures>> = vec![None; map.pages as usize];
        for (index, (material, shape)) in self.materials.iter().enumerate() {
            let look = &self.looks[*shape];
            let page = added.page(index);
            let all = match pages.get(page as usize).copied().flatten() {
                Some(known) => known,
                None if look.varies() => {
                    let made = self.add_textures(document, map, page)?;
                    pages[page as usize] = Some(made);
                    made
                }
                None => MaterialTextures::default(),
            };
            let textures = MaterialTextures {
                base_color: all.base_color.filter(|_| look.color_varies),
                metallic_roughness: all.metallic_roughness.filter(|_| look.roughness_varies),
                normal: all.normal.filter(|_| look.is_bumped),
                emission: all.emission.filter(|_| look.emission_varies),
            };
            let reference =
                |document: &mut Document, texture: usize| added.reference(document, index, texture);
            let mut said = material.json(document, &textures, reference);
            let before = &document.json["materials"][index]["extensions"];
            if let (Value::Object(before), false) = (before, before.is_null()) {
                for (name, extension) in before {
                    said["extensions"][name] = extension.clone();
                }
            }
            document.json["materials"][index] = said;
        }
        Ok(())
    }

    /// Adds the textures of a page.
    fn add_textures(
        &self,
        document: &mut Document,
        map: &Lightmap,
        page: u32,
    ) -> Result<MaterialTextures, Failure> {
        let finer = &map.textures;
        let size = (finer.width as usize, (finer.height / map.pages) as usize);
        let (first, texels) = (page as usize * size.0 * size.1, size.0 * size.1);
        let values = |slot: Slot| {
            let index = self.slots.iter().position(|known| *known == slot)?;
            finer.maps.get(index)?.values.get(first..first + texels)
        };
        let name = |slot: &str| match map.pages {
            1 => slot.to_owned(),
            _ => format!("{slot}.{page}"),
        };
        let mut textures = MaterialTextures::default();
        if let Some(colors) = values(Slot::Color) {
            let image = match values(Slot::Opacity) {
                None => rgb(size, colors, |value| value),
                Some(opacities) => with_opacity(size, colors, opacities),
            };
            textures.base_color = Some(document.add_texture(&name("base_color"), png(&image)?));
        }
        if let Some(values) = values(Slot::Roughness) {
            let image = numbers(rgb(size, values, |value| value));
            textures.metallic_roughness =
                Some(document.add_texture(&name("metallic_roughness"), png(&image)?));
        }
        if let Some(values) = values(Slot::Normal) {
            let image = numbers(rgb(size, values, |value| value * 0.5 + Rgb::splat(0.5)));
            textures.normal = Some(document.add_texture(&name("normal"), png(&image)?));
        }
        if let Some(values) = values(Slot::Emission) {
            let strongest = values.iter().map(|value| value.max_component()).fold(0.0, f32::max);
            if strongest > 0.0 {
                let image = rgb(size, values, |value| value * (1.0 / strongest));
                textures.emission = Some((document.add_texture(&name("emission"), png(&image)?), strongest));
            }
        }
        Ok(textures)
    }
}

/// Contents of the textures for these shapes.
fn slots(looks: &[ShapeAppearance]) -> Vec<Slot> {
    let color = looks.iter().any(|look| look.color_varies);
    let transparent = looks.iter().any(|look| look.color_varies && look.material.opacity < 1.0);
    let all = [
        (Slot::Color, color),
        (Slot::Opacity, transparent),
        (Slot::Roughness, looks.iter().any(|look| look.roughness_varies)),
        (Slot::Normal, looks.iter().any(|look| look.is_bumped)),
        (Slot::Emission, looks.iter().any(|look| look.emission_varies)),
    ];
    all.iter().filter(|(_, is_needed)| *is_needed).map(|(slot, _)| *slot).collect()
}

/// Failure of writing the model.
pub(super) fn failure(error: &dyn std::fmt::Display) -> Failure {
    Failure::User(format!("error: cannot write {MODEL}: {error}"))
}
