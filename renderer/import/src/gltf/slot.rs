//! Texture references of glTF materials: texture, texture coordinate set and transform.

use gltf::Document;
use gltf::texture::Texture;
use serde_json::Value;

use super::GltfError;
use renderer_base::math::sin_cos;

/// Texture reference of a material.
pub(super) struct Slot<'a> {
    pub(super) texture: Texture<'a>,
    pub(super) set: u32,
    pub(super) transform: UvTransform,
}

/// Transform of texture coordinates by KHR_texture_transform.
#[derive(Clone, Copy)]
pub(super) struct UvTransform {
    offset: [f32; 2],
    rotation: f32,
    scale: [f32; 2],
}

impl UvTransform {
    pub(super) const IDENTITY: UvTransform = UvTransform { offset: [0.0; 2], rotation: 0.0, scale: [1.0; 2] };

    /// Matrix for (u, v, 0) in the language's convention, with row vectors on the left. Texture coordinates are scaled,
    /// then rotated counter-clockwise (v runs down), then translated.
    pub(super) fn matrix(&self) -> [f32; 16] {
        let (sin, cos) = sin_cos(self.rotation);
        let ([sx, sy], [x, y]) = (self.scale, self.offset);
        [
            sx * cos,
            -sx * sin,
            0.0,
            0.0, //
            sy * sin,
            sy * cos,
            0.0,
            0.0, //
            0.0,
            0.0,
            1.0,
            0.0, //
            x,
            y,
            0.0,
            1.0,
        ]
    }
}

impl<'a> Slot<'a> {
    pub(super) fn new(info: &gltf::texture::Info<'a>) -> Slot<'a> {
        let mut set = info.tex_coord();
        let mut transform = UvTransform::IDENTITY;
        if let Some(t) = info.texture_transform() {
            set = t.tex_coord().unwrap_or(set);
            transform = UvTransform { offset: t.offset(), rotation: t.rotation(), scale: t.scale() };
        }
        Slot { texture: info.texture(), set, transform }
    }

    /// Texture of a normal map; the crate does not read transforms of these.
    pub(super) fn of_normal(normal: &gltf::material::NormalTexture<'a>) -> Slot<'a> {
        Slot {
            texture: normal.texture(),
            set: normal.tex_coord(),
            transform: UvTransform::IDENTITY,
        }
        .transformed(normal.extension_value("KHR_texture_transform"))
    }

    /// Texture `key` of an extension that the crate does not read.
    pub(super) fn of_extension(
        document: &'a Document,
        extension: &Value,
        key: &str,
    ) -> Result<Option<Slot<'a>>, GltfError> {
        let Some(info) = extension.get(key) else {
            return Ok(None);
        };
        let index = info.get("index").and_then(Value::as_u64);
        let index = index.ok_or_else(|| format!("`{key}` does not say which texture it is"))?;
        let texture = usize::try_from(index)
            .ok()
            .and_then(|index| document.textures().nth(index))
            .ok_or_else(|| format!("`{key}` is texture {index}, which does not exist"))?;
        let slot = Slot {
            texture,
            set: set_of(info).unwrap_or(0),
            transform: UvTransform::IDENTITY,
        };
        let transform = info.get("extensions").and_then(|e| e.get("KHR_texture_transform"));
        Ok(Some(slot.transformed(transform)))
    }

    /// Applies KHR_texture_transform, if there is one.
    fn transformed(mut self, extension: Option<&Value>) -> Slot<'a> {
        let Some(extension) = extension else { return self };
        let float = |value: &Value| value.as_f64().map(|v| v as f32);
        let pair =
            |key: &str| Some([float(extension.get(key)?.get(0)?)?, float(extension.get(key)?.get(1)?)?]);
        self.transform = UvTransform {
            offset: pair("offset").unwrap_or([0.0; 2]),
            rotation: extension.get("rotation").and_then(float).unwrap_or(0.0),
            scale: pair("scale").unwrap_or([1.0; 2]),
        };
        self.set = set_of(extension).unwrap_or(self.set);
        self
    }
}

/// Texture coordinate set of an extension's texture, if it gives one.
pub(super) fn set_of(info: &Value) -> Option<u32> {
    let set = info.get("texCoord").and_then(Value::as_u64)?;
    u32::try_from(set).ok()
}
