//! The key `group` of lights and of materials that emit: passes show the light of each group.

use std::sync::Arc;

use super::context::LoadContext;
use super::field::Field;
use super::value::SceneValue;
use renderer_passes::{NO_GROUP, REST};

/// Documentation of the key.
pub(super) const GROUP: &str = "light group, for passes: the layer `light_key` is the light of `group = key;`; none by \
      default";

/// Reads the name of a group: a word, or a string.
pub(super) fn group(field: &Field<'_>, context: &mut LoadContext) -> Option<Arc<str>> {
    let name = match context.value(field.expr)? {
        SceneValue::Name(name) | SceneValue::String(name) => name,
        other => {
            field.mismatch(context, "a name", &other);
            return None;
        }
    };
    let is_valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || !name.chars().all(is_valid) {
        let message = format!("`{name}` cannot be a light group: letters, digits, `_` and `-` can");
        context.error(field.span(), message);
        return None;
    }
    if name == REST {
        let message =
            format!("`{REST}` cannot be a light group: the layer `{NO_GROUP}` has the light of no group");
        context.error(field.span(), message);
        return None;
    }
    Some(name.into())
}
