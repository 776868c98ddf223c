//! Properties that KHR_animation_pointer animates, besides transforms and morph weights. Their values at a frame are written
//! into the JSON document before it is interpreted.

use serde_json::{Map, Value};

use PropertyType::{Color, Number, Pair, Rgba, Switch};

/// Type of a property's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PropertyType {
    /// True or false.
    Switch,
    Number,
    Pair,
    Color,
    /// Colour with alpha.
    Rgba,
}

/// Properties of an object by name.
type Members = &'static [(&'static str, PropertyType)];

/// Objects with the properties that are read; `*` is an index.
const OBJECTS: [(&str, Members); 23] = [
    (
        "/cameras/*/orthographic",
        &[("xmag", Number), ("ymag", Number), ("zfar", Number), ("znear", Number)],
    ),
    (
        "/cameras/*/perspective",
        &[("aspectRatio", Number), ("yfov", Number), ("zfar", Number), ("znear", Number)],
    ),
    (
        "/extensions/KHR_lights_punctual/lights/*",
        &[("color", Color), ("intensity", Number), ("range", Number)],
    ),
    (
        "/extensions/KHR_lights_punctual/lights/*/spot",
        &[("innerConeAngle", Number), ("outerConeAngle", Number)],
    ),
    ("/materials/*", &[("alphaCutoff", Number), ("emissiveFactor", Color)]),
    (
        "/materials/*/extensions/KHR_materials_anisotropy",
        &[("anisotropyRotation", Number), ("anisotropyStrength", Number)],
    ),
    (
        "/materials/*/extensions/KHR_materials_clearcoat",
        &[("clearcoatFactor", Number), ("clearcoatRoughnessFactor", Number)],
    ),
    (
        "/materials/*/extensions/KHR_materials_clearcoat/clearcoatNormalTexture",
        &[("scale", Number)],
    ),
    (
        "/materials/*/extensions/KHR_materials_diffuse_transmission",
        &[("diffuseTransmissionColorFactor", Color), ("diffuseTransmissionFactor", Number)],
    ),
    (
        "/materials/*/extensions/KHR_materials_emissive_strength",
        &[("emissiveStrength", Number)],
    ),
    ("/materials/*/extensions/KHR_materials_ior", &[("ior", Number)]),
    (
        "/materials/*/extensions/KHR_materials_iridescence",
        &[
            ("iridescenceFactor", Number),
            ("iridescenceIor", Number),
            ("iridescenceThicknessMaximum", Number),
            ("iridescenceThicknessMinimum", Number),
        ],
    ),
    (
        "/materials/*/extensions/KHR_materials_pbrSpecularGlossiness",
        &[("diffuseFactor", Rgba), ("glossinessFactor", Number), ("specularFactor", Color)],
    ),
    (
        "/materials/*/extensions/KHR_materials_sheen",
        &[("sheenColorFactor", Color), ("sheenRoughnessFactor", Number)],
    ),
    (
        "/materials/*/extensions/KHR_materials_specular",
        &[("specularColorFactor", Color), ("specularFactor", Number)],
    ),
    (
        "/materials/*/extensions/KHR_materials_transmission",
        &[("transmissionFactor", Number)],
    ),
    (
        "/materials/*/extensions/KHR_materials_volume",
        &[("attenuationColor", Color), ("attenuationDistance", Number), ("thicknessFactor", Number)],
    ),
    (
        "/materials/*/extensions/KHR_materials_volume_scatter",
        &[
            ("multiscatterColor", Color),
            ("multiscatterColorFactor", Color),
            ("scatterAnisotropy", Number),
        ],
    ),
    ("/materials/*/normalTexture", &[("scale", Number)]),
    ("/materials/*/occlusionTexture", &[("strength", Number)]),
    (
        "/materials/*/pbrMetallicRoughness",
        &[("baseColorFactor", Rgba), ("metallicFactor", Number), ("roughnessFactor", Number)],
    ),
    (
        "/nodes/*/extensions/EXT_lights_ies",
        &[("color", Color), ("multiplier", Number)],
    ),
    ("/nodes/*/extensions/KHR_node_visibility", &[("visible", Switch)]),
];

/// Properties of the transform of any texture of a material.
const TEXTURE_TRANSFORM: Members = &[("offset", Pair), ("rotation", Number), ("scale", Pair)];

impl PropertyType {
    /// Type of a property by its pointer; `None` if it is not read. The names contain no `~` and no `/`, so that pointers with
    /// escapes (RFC 6901) name other properties.
    pub(super) fn of(pointer: &str) -> Option<PropertyType> {
        let (object, name) = pointer.rsplit_once('/')?;
        let members = match object.strip_suffix("/extensions/KHR_texture_transform") {
            Some(slot) if slot.starts_with("/materials/") && slot.ends_with("Texture") => TEXTURE_TRANSFORM,
            _ => OBJECTS.iter().find(|(pattern, _)| matches(pattern, object))?.1,
        };
        members.iter().find(|(member, _)| *member == name).map(|(_, kind)| *kind)
    }

    /// Number of components.
    pub(super) fn components(self) -> usize {
        match self {
            Switch | Number => 1,
            Pair => 2,
            Color => 3,
            Rgba => 4,
        }
    }

    /// JSON value of the components.
    pub(super) fn value(self, components: &[f64]) -> Value {
        match self {
            Switch => Value::from(components[0] != 0.0),
            Number => Value::from(components[0]),
            Pair | Color | Rgba => Value::from(components),
        }
    }
}

fn matches(pattern: &str, object: &str) -> bool {
    let fits = |(name, part): (&str, &str)| if name == "*" { is_index(part) } else { name == part };
    pattern.split('/').count() == object.split('/').count()
        && pattern.split('/').zip(object.split('/')).all(fits)
}

fn is_index(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// Pointer to the element of a list that contains a property, such as `/materials/0`.
pub(super) fn object(pointer: &str) -> String {
    let parts: Vec<&str> = pointer.split('/').collect();
    let index = parts.iter().position(|part| is_index(part));
    parts[..index.map_or(parts.len(), |index| index + 1)].join("/")
}

/// Sets a property of a document.
///
/// # Errors
/// The reason, if the object that has the property does not exist.
pub(super) fn write(json: &mut Value, pointer: &str, value: Value) -> Result<(), String> {
    let (object, name) = pointer.rsplit_once('/').unwrap_or_default();
    // A material without this object has its default values.
    if let Some(material) = object.strip_suffix("/pbrMetallicRoughness")
        && let Some(material) = json.pointer_mut(material).and_then(Value::as_object_mut)
    {
        material.entry("pbrMetallicRoughness").or_insert_with(|| Map::new().into());
    }
    let members = json.pointer_mut(object).and_then(Value::as_object_mut);
    let members = members.ok_or_else(|| format!("there is no {object}"))?;
    members.insert(name.to_owned(), value);
    Ok(())
}
