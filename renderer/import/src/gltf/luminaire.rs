//! glTF lights of EXT_lights_ies, whose profiles have the axis −z of their node and 0° towards its +x.

use std::path::PathBuf;
use std::sync::Arc;

use glam::Affine3A;
use gltf::{Document, Node};
use serde_json::Value;

use super::buffers::Buffers;
use crate::parse_ies;
use renderer_base::color::Rgb;
use renderer_geometry::camera::Pose;
use renderer_scene::{LightKind, Luminaire};

/// Name of the extension.
const EXTENSION: &str = "EXT_lights_ies";

/// Profiles of a document, each read or with the reason why it is not.
pub(super) struct Luminaires {
    list: Vec<Result<Arc<Luminaire>, String>>,
    /// Paths of the files that were read.
    pub(super) files: Vec<PathBuf>,
}

impl Luminaires {
    pub(super) fn read(document: &Document, buffers: &Buffers) -> Luminaires {
        let lights = document
            .extension_value(EXTENSION)
            .and_then(|extension| extension.get("lights"));
        let lights = lights.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut files = vec![];
        let list = (0..)
            .zip(lights)
            .map(|(index, light)| read(document, buffers, (index, light), &mut files));
        let list = list.collect();
        Luminaires { list, files }
    }

    /// Light of a node; `None` if it has none, and the reason if that is invalid.
    pub(super) fn light_of(&self, node: &Node<'_>, place: Affine3A) -> Option<Result<LightKind, String>> {
        let extension = node.extension_value(EXTENSION)?;
        Some(self.light(extension, place))
    }

    fn light(&self, extension: &Value, place: Affine3A) -> Result<LightKind, String> {
        let index = extension.get("light").and_then(Value::as_u64).unwrap_or(u64::MAX);
        let found = usize::try_from(index).ok().and_then(|index| self.list.get(index));
        let luminaire = found.ok_or("uses a profile that does not exist")?.clone()?;
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN) as f32;
        let multiplier = extension.get("multiplier").map_or(1.0, number);
        let color = extension.get("color").and_then(Value::as_array);
        let color = color.map_or([1.0; 3], |color| {
            std::array::from_fn(|i| color.get(i).map_or(f32::NAN, number).clamp(0.0, 1.0))
        });
        let scale = Rgb::from(color) * multiplier;
        if !scale.is_finite() || multiplier < 0.0 {
            return Err("has no finite, positive intensity".to_owned());
        }
        if Pose::new(&place).is_err() {
            return Err("has no direction".to_owned());
        }
        Ok(LightKind::Luminaire { world_from_light: place, scale, luminaire })
    }
}

fn read(
    document: &Document,
    buffers: &Buffers,
    (index, light): (usize, &Value),
    files: &mut Vec<PathBuf>,
) -> Result<Arc<Luminaire>, String> {
    let name = PathBuf::from(format!("profile {index}"));
    let parsed = |bytes: &[u8], name: PathBuf| {
        let luminaire =
            parse_ies(bytes, &name).map_err(|error| format!("has an invalid profile: {error}"))?;
        Ok(Arc::new(luminaire))
    };
    if let Some(uri) = light.get("uri").and_then(Value::as_str) {
        let (bytes, file) = buffers.resource(uri).map_err(|reason| format!("has no profile: {reason}"))?;
        files.extend(file.clone());
        return parsed(&bytes, file.unwrap_or(name));
    }
    let view = light
        .get("bufferView")
        .and_then(Value::as_u64)
        .and_then(|view| usize::try_from(view).ok());
    let view = view.and_then(|view| document.views().nth(view));
    let bytes = buffers.view(&view.ok_or("has a profile without a file")?);
    parsed(bytes.map_err(|reason| format!("has no profile: {reason}"))?, name)
}
