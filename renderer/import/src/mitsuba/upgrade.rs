//! Upgrade of scene files older than version 2: renamed properties.

use glam::{DMat4, DVec3};

use super::document::{Object, Property, PropertyValue};

/// First version with the current names.
const RENAMED_IN: u32 = 2;

/// Major version number of a string such as `0.6.0`; `None` if it is not a version.
pub(super) fn major(version: &str) -> Option<u32> {
    let numbers: Option<Vec<u32>> = version.trim().split('.').map(|part| part.parse().ok()).collect();
    numbers?.first().copied()
}

/// Returns whether files of this version use the old names.
pub(super) fn is_old(major: u32) -> bool {
    major < RENAMED_IN
}

/// Renames an object of an old file to the current names.
pub(super) fn upgrade(object: &mut Object) {
    for property in &mut object.properties {
        property.name = snake_case(&property.name);
        if object.plugin == "diffuse" && property.name == "diffuse_reflectance" {
            "reflectance".clone_into(&mut property.name);
        }
    }
    place_texture(object);
}

/// Converts offsets and scales of texture coordinates to a transform; the offset is applied before the scale.
fn place_texture(object: &mut Object) {
    let number = |name: &str| {
        object.properties.iter().find_map(|property| match property.value {
            PropertyValue::Float(value) if property.name == name => Some((value, property.place)),
            PropertyValue::Integer(value) if property.name == name => Some((value as f64, property.place)),
            _ => None,
        })
    };
    let given = ["uoffset", "voffset", "uscale", "vscale"].map(number);
    let Some((_, place)) = given.into_iter().flatten().next() else {
        return;
    };
    let or = |index: usize, default: f64| given[index].map_or(default, |(value, _)| value);
    let offset = DVec3::new(or(0, 0.0), or(1, 0.0), 0.0);
    let scale = DVec3::new(or(2, 1.0), or(3, 1.0), 1.0);
    let names = ["uoffset", "voffset", "uscale", "vscale", "to_uv"];
    object.properties.retain(|property| !names.contains(&property.name.as_str()));
    object.properties.push(Property {
        name: "to_uv".to_owned(),
        value: PropertyValue::Transform(DMat4::from_scale(scale) * DMat4::from_translation(offset)),
        place,
    });
}

/// Converts `intIOR` to `int_ior`: a capital after a small letter begins a word, together with the capitals that follow
/// it.
fn snake_case(name: &str) -> String {
    let mut result = String::with_capacity(name.len() + 4);
    let (mut after_small, mut in_word) = (false, false);
    for c in name.chars() {
        let is_capital = c.is_ascii_uppercase();
        if is_capital && after_small {
            result.push('_');
        }
        in_word = is_capital && (after_small || in_word);
        result.push(if in_word { c.to_ascii_lowercase() } else { c });
        after_small = c.is_ascii_lowercase();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_translated_as_by_mitsuba() {
        for (old, new) in [
            ("toWorld", "to_world"),
            ("intIOR", "int_ior"),
            ("diffuseReflectance", "diffuse_reflectance"),
            ("alphaU", "alpha_u"),
            ("ID", "ID"),
            ("rrDepth", "rr_depth"),
            ("k1", "k1"),
        ] {
            assert_eq!(snake_case(old), new);
        }
    }

    #[test]
    fn versions_are_numbers() {
        assert_eq!(major("0.6.0"), Some(0));
        assert_eq!(major("3.9.1"), Some(3));
        assert_eq!(major("0.6"), Some(0));
        assert_eq!(major("2.x"), None);
        assert_eq!(major("new"), None);
    }
}
