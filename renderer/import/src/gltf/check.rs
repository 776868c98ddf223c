//! Additional validation of glTF documents, for conditions that the `gltf` crate assumes but does not check.

use gltf::json::camera::Type as CameraType;
use gltf::json::extensions::scene::khr_lights_punctual::Type as LightType;
use gltf::json::image::{Image, MimeType};
use gltf::json::mesh::Semantic;
use gltf::json::texture::Texture;
use gltf::json::validation::{Checked, Error, Validate};
use gltf::json::{Index, Path, Root, Value};

use super::GltfError;

/// Validates a document, and fills in values that the crate requires but Kiln does not use.
pub(super) fn prepare(json: &mut Root) -> Result<(), GltfError> {
    positions(json)?;
    cameras(json)?;
    lights(json)?;
    images(json)
}

/// Reports the first error that the crate finds: dangling references, invalid enumeration values. Two cases that it
/// rejects are valid: accessors without a buffer view, whose elements are zero (glTF 2.0, section 3.6.2.1), and
/// primitives without positions, which are not rendered (section 3.7.2.1).
pub(super) fn validate(json: &Root) -> Result<(), GltfError> {
    let mut first = None;
    json.validate(json, Path::new, &mut |path, error| {
        let path = path().to_string();
        let is_zeros =
            error == Error::Missing && path.starts_with("accessors[") && path.ends_with("].bufferView");
        let is_hidden = error == Error::Missing && path.ends_with(".attributes[\"POSITION\"]");
        if !is_zeros && !is_hidden {
            first.get_or_insert_with(|| format!("{path}: {error}"));
        }
    });
    first.map_or(Ok(()), Err)
}

/// Fills in the bounds of positions: required by glTF, but missing in some files, and not used by Kiln.
fn positions(json: &mut Root) -> Result<(), GltfError> {
    for (index, mesh) in json.meshes.iter().enumerate() {
        for primitive in &mesh.primitives {
            let Some(positions) = primitive.attributes.get(&Checked::Valid(Semantic::Positions)) else {
                continue;
            };
            let accessor = json.accessors.get_mut(positions.value());
            let accessor = accessor.ok_or_else(|| {
                format!("mesh {index} uses accessor {}, which does not exist", positions.value())
            })?;
            let bounds = || Some(Value::from(vec![0.0; 3]));
            (accessor.min, accessor.max) = (bounds(), bounds());
        }
    }
    Ok(())
}

fn cameras(json: &Root) -> Result<(), GltfError> {
    for (index, camera) in json.cameras.iter().enumerate() {
        let whole = match camera.type_ {
            Checked::Valid(CameraType::Perspective) => camera.perspective.is_some(),
            Checked::Valid(CameraType::Orthographic) => camera.orthographic.is_some(),
            Checked::Invalid => false,
        };
        if !whole {
            return Err(format!("camera {index} does not say what its type needs"));
        }
    }
    Ok(())
}

fn lights(json: &Root) -> Result<(), GltfError> {
    let lights = json
        .extensions
        .as_ref()
        .and_then(|extensions| extensions.khr_lights_punctual.as_ref());
    let lights = lights.map_or(&[][..], |list| list.lights.as_slice());
    for (index, light) in lights.iter().enumerate() {
        if light.type_ == Checked::Valid(LightType::Spot) && light.spot.is_none() {
            return Err(format!("light {index} is a spot without a cone"));
        }
    }
    for (index, node) in json.nodes.iter().enumerate() {
        let light = node
            .extensions
            .as_ref()
            .and_then(|extensions| extensions.khr_lights_punctual.as_ref());
        if let Some(light) = light
            && light.light.value() >= lights.len()
        {
            return Err(format!("node {index} uses light {}, which does not exist", light.light.value()));
        }
    }
    Ok(())
}

fn images(json: &mut Root) -> Result<(), GltfError> {
    for (index, image) in json.images.iter_mut().enumerate() {
        if image.buffer_view.is_none() && image.uri.is_none() {
            return Err(format!("image {index} has neither a file nor bytes"));
        }
        // The format is detected from the bytes.
        image.mime_type.get_or_insert_with(|| MimeType("image/png".to_owned()));
    }
    for (index, texture) in json.textures.iter_mut().enumerate() {
        if let Some(source) = webp(texture) {
            texture.source = source;
        }
        if texture.source.value() >= json.images.len() {
            return Err(format!(
                "texture {index} uses an image that does not exist or is of a kind that is not read"
            ));
        }
    }
    Ok(())
}

/// Returns an error and advice if any required extension is not supported.
pub(super) fn unknown_extensions(required: &[String]) -> Option<(GltfError, &'static str)> {
    // Unknown material extensions cause a warning, and the model is shown without them.
    let is_known = |name: &str| {
        EXTENSIONS.contains(&name) || IGNORED_EXTENSIONS.contains(&name) || name.starts_with("KHR_materials_")
    };
    let mut unknown = required.iter().map(String::as_str).filter(|name| !is_known(name));
    let first = unknown.next()?;
    let hint = match first {
        name if name.ends_with("_compression") => "export it without compression of meshes",
        "KHR_texture_basisu" | "EXT_texture_avif" | "MSFT_texture_dds" => {
            "export its textures as PNG, JPEG or WebP"
        }
        _ => "export it without the extension",
    };
    let names: Vec<&str> = std::iter::once(first).chain(unknown).collect();
    let reason = format!("it requires extensions that are not supported: {}", names.join(", "));
    Some((reason, hint))
}

/// Image of EXT_texture_webp, which has precedence over the texture's own image.
fn webp(texture: &Texture) -> Option<Index<Image>> {
    let extension = texture.extensions.as_ref()?.others.get("EXT_texture_webp")?;
    let source = extension.get("source")?.as_u64()?;
    Some(Index::new(u32::try_from(source).ok()?))
}

/// Supported extensions.
pub(super) const EXTENSIONS: [&str; 24] = [
    "EXT_lights_ies",
    "EXT_mesh_gpu_instancing",
    "EXT_meshopt_compression",
    "EXT_texture_webp",
    "KHR_animation_pointer",
    "KHR_draco_mesh_compression",
    "KHR_lights_punctual",
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_diffuse_transmission",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_iridescence",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_unlit",
    "KHR_materials_volume",
    "KHR_materials_volume_scatter",
    "KHR_mesh_quantization",
    "KHR_meshopt_compression",
    "KHR_node_visibility",
    "KHR_texture_transform",
];

/// Extensions that offer alternatives to a model; the model without them is shown.
pub(super) const IGNORED_EXTENSIONS: [&str; 2] = ["KHR_materials_variants", "KHR_xmp_json_ld"];
