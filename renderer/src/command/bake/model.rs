//! `model.glb`: the user's model as it was, with the lightmap.

use std::path::Path;

use clap::ValueEnum as _;
use serde_json::{Value, json};

use super::Failure;
use super::images::{Brightness, names, plain};
use crate::cli::BakeArgs;
use renderer_bake::{Include, Lightmap, Side};
use renderer_export::{BakedPart, Document, ExportError, LightmapImage, add_lightmap};
use renderer_import::GltfFile;
use renderer_scene::{GeometryDesc, SceneDesc};

/// Name of the file.
pub(super) const MODEL: &str = "model.glb";

/// Returns whether a scene is a file of glTF.
pub(super) fn is_gltf(scene: &Path) -> bool {
    let extension = scene.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["glb", "gltf"].contains(&extension.to_ascii_lowercase().as_str()))
}

/// The file of a scene that is a file of glTF.
pub(super) fn of_file(
    args: &BakeArgs,
    include: Include,
    desc: &SceneDesc,
    map: &Lightmap,
) -> Result<Vec<u8>, Failure> {
    let path = &args.common.scene;
    let file = GltfFile::open(&desc.file_system, path).map_err(|error| failure(&error))?;
    let intensity = Brightness::of(map).intensity;
    let image = LightmapImage {
        bytes: plain(map, intensity)?,
        intensity,
    };
    let write = move || -> Result<Vec<u8>, ExportError> {
        let mut document = Document::of_file(&file, &desc.file_system)?;
        let intensity = image.intensity;
        let texture = add_lightmap(&mut document, &file, &parts(desc, map), image)?;
        let range = texture.map(|texture| json!({ "texture": texture, "intensity": intensity }));
        document.extras()["lightmap"] = lightmap(args, include, map, range);
        document.glb()
    };
    write().map_err(|error| failure(&error))
}

fn failure(error: &dyn std::fmt::Display) -> Failure {
    Failure::User(format!("error: cannot write {MODEL}: {error}"))
}

/// The baked sides of the parts of the model.
fn parts<'a>(desc: &'a SceneDesc, map: &'a Lightmap) -> Vec<BakedPart<'a>> {
    let part = |object: &'a renderer_bake::BakedObject| {
        let shape = &desc.shapes[object.shape.0 as usize];
        let own = match &shape.geometry {
            GeometryDesc::Mesh(mesh) if object.own_coordinates => Some(mesh.uvs2.as_slice()),
            _ => None,
        };
        Some(BakedPart {
            part: shape.part?,
            is_back: object.side == Side::Back,
            mesh: &object.mesh,
            own,
        })
    };
    map.objects.iter().filter_map(part).collect()
}

/// What the document says of the lightmap.
fn lightmap(args: &BakeArgs, include: Include, map: &Lightmap, range: Option<Value>) -> Value {
    let files = names(args.layout, map.order);
    let files: Vec<&String> = files.iter().filter(|name| name.starts_with("sh_")).collect();
    json!({
        "version": 1,
        "width": map.width,
        "height": map.height,
        "include": include.name(),
        "irradiance": "irradiance.exr",
        "direction": "direction.exr",
        "color": "color.exr",
        "sh": {
            "order": map.order.number(),
            "layout": args.layout.to_possible_value().map(|value| value.get_name().to_owned()),
            "files": files,
        },
        "range": range,
    })
}
