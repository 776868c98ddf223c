//! `model.glb`: the user's model, or a scene as a model, with the lightmap.

use std::path::Path;

use serde_json::{Value, json};

use super::images::{Brightness, names, plain};
use super::{Failure, pages};
use renderer_bake::{BakedObject, Include, Lightmap, Side};
use renderer_base::files::SharedFiles;
use renderer_export::{AddedLightmap, BakedPart, Document, LightmapImages, add_lightmap};
use renderer_import::GltfFile;
use renderer_inputs::bake_request::BakeRequest;
use renderer_inputs::names::name_of;
use renderer_scene::{GeometryDesc, ModelPart, SceneDesc};

use super::folder::MODEL;
use super::scene_model::{SceneModel, failure};

/// Returns whether a scene is a glTF file.
pub(super) fn is_gltf(scene: &Path) -> bool {
    let extension = scene.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["glb", "gltf"].contains(&extension.to_ascii_lowercase().as_str()))
}

/// The document of a lightmap, and what each shape is in it.
pub(super) fn of_lightmap(
    request: &BakeRequest,
    include: Include,
    desc: &SceneDesc,
    scene: Option<&SceneModel>,
    map: &Lightmap,
) -> Result<(Document, Vec<Option<ModelPart>>), Failure> {
    let intensity = Brightness::of(map).intensity;
    let images = LightmapImages { pages: plain(map, intensity)?, intensity };
    let path = &request.scene.path;
    let (file, parts) = match scene {
        None => {
            let file = GltfFile::open(&desc.file_system, path).map_err(|error| failure(&error))?;
            let parts = desc.shapes.iter().map(|shape| Some((shape.part?, false)));
            (file, parts.collect::<Vec<_>>())
        }
        Some(scene) => {
            let file = GltfFile::parse(&SharedFiles::default(), Path::new(MODEL), scene.document());
            let parts = scene.parts.iter().copied().map(Some);
            (file.map_err(|error| failure(&error))?, parts.collect())
        }
    };
    let mut document = Document::of_file(&file, &desc.file_system).map_err(|error| failure(&error))?;
    let baked = baked_parts(desc, &parts, map);
    let added: AddedLightmap =
        add_lightmap(&mut document, &file, &baked, images).map_err(|error| failure(&error))?;
    if let Some(scene) = scene {
        scene.add_materials(&mut document, &added, map)?;
    }
    let ranges = added.textures.iter();
    let ranges = ranges.map(|texture| Some(json!({ "texture": (*texture)?, "intensity": intensity })));
    document.extras()["lightmap"] = lightmap(request, include, map, &ranges.collect::<Vec<_>>());
    let parts = parts.into_iter().map(|part| Some(part?.0));
    Ok((document, parts.collect()))
}

/// The baked sides of the parts of the model.
fn baked_parts<'a>(
    desc: &'a SceneDesc,
    parts: &[Option<(ModelPart, bool)>],
    map: &'a Lightmap,
) -> Vec<BakedPart<'a>> {
    let part = |object: &'a BakedObject| {
        let index = object.shape.0 as usize;
        let own = match &desc.shapes[index].geometry {
            GeometryDesc::Mesh(mesh) if object.own_coordinates => Some(mesh.uvs2.as_slice()),
            _ => None,
        };
        let (part, is_turned) = parts[index]?;
        Some(BakedPart {
            part,
            is_turned,
            is_back: object.side == Side::Back,
            page: object.page,
            mesh: &object.mesh,
            own,
        })
    };
    map.objects.iter().filter_map(part).collect()
}

/// Description of the lightmap in the document, with the files of each page.
fn lightmap(request: &BakeRequest, include: Include, map: &Lightmap, ranges: &[Option<Value>]) -> Value {
    let mut said = json!({
        "version": if map.pages > 1 { 2 } else { 1 },
        "width": map.width,
        "height": map.page_height(),
        "include": include.name(),
    });
    let of_page = |page: u32| {
        let file = |name: &str| pages::file(name, page, map.pages);
        let names = names(request.layout(), map.order);
        let harmonics = names.iter().filter(|name| name.starts_with("sh_"));
        json!({
            "irradiance": file("irradiance.exr"),
            "direction": file("direction.exr"),
            "color": file("color.exr"),
            "sh": {
                "order": map.order.number(),
                "layout": name_of(&request.layout()),
                "files": harmonics.map(|name| file(name)).collect::<Vec<_>>(),
            },
            "range": ranges.get(page as usize),
        })
    };
    match map.pages {
        1 => merge(&mut said, of_page(0)),
        pages => said["pages"] = (0..pages).map(of_page).collect(),
    }
    said
}

/// Adds the members of an object to another one.
fn merge(to: &mut Value, from: Value) {
    if let (Value::Object(to), Value::Object(from)) = (to, from) {
        to.extend(from);
    }
}
