//! `unlit.glb`: the model as any viewer shows it, with its baked light in the base colours, as bright as `kiln render`
//! shows it.

use super::feature_image::png;
use super::scene_model::failure;
use super::{Failure, pages};
use glam::Vec2;
use renderer_bake::{Feature, FeatureDesc, Lightmap};
use renderer_base::math::INV_PI;
use renderer_export::{Document, make_unlit};
use renderer_image::Image;

/// Features of surfaces for the model, at the end of the features of textures.
pub(super) fn features() -> Vec<FeatureDesc> {
    [Feature::Albedo, Feature::Opacity, Feature::Emission]
        .map(|feature| FeatureDesc { name: String::new(), feature })
        .to_vec()
}

pub(super) fn file(model: Document, map: &Lightmap) -> Result<Vec<u8>, Failure> {
    let mut document = model;
    let mut textures = vec![];
    for page in pages::images(&image(map), map.pages) {
        let name = match map.pages {
            1 => "baked".to_owned(),
            _ => format!("baked.{}", textures.len()),
        };
        textures.push(document.add_texture(&name, png(&page)?));
    }
    make_unlit(&mut document, &textures);
    document.glb().map_err(|error| failure(&error))
}

/// Albedo × irradiance / π plus emission, with opacity.
fn image(map: &Lightmap) -> Image {
    let finer = &map.textures;
    let (width, height) = (finer.width as usize, finer.height as usize);
    let mut image = Image::new(width, height, 4);
    let [.., albedo, opacity, emission] = finer.maps.as_slice() else {
        return image;
    };
    let size = Vec2::new(width as f32, height as f32);
    for (index, pixel) in image.data.chunks_exact_mut(4).enumerate() {
        let at = Vec2::new((index % width) as f32 + 0.5, (index / width) as f32 + 0.5) / size;
        let (_, irradiance) = map.lookup(Vec2::new(at.x, 1.0 - at.y));
        let seen = albedo.values[index] * irradiance * INV_PI + emission.values[index];
        let seen = seen.map(|v| v.clamp(0.0, 1.0));
        pixel.copy_from_slice(&[seen.r, seen.g, seen.b, opacity.values[index].luminance()]);
    }
    image
}
