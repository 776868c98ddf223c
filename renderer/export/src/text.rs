//! Elements of a document's JSON: lists, extensions, extras, indices.

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

/// Map from old to new indices.
pub(super) type Renumbering = FxHashMap<usize, usize>;

/// List of the document, empty if it does not exist.
pub(super) fn list<'a>(json: &'a Value, name: &str) -> &'a [Value] {
    json.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Adds an element to a list of the document, which is created if needed; returns its index.
pub(super) fn push(json: &mut Value, name: &str, element: Value) -> usize {
    if !json[name].is_array() {
        json[name] = json!([]);
    }
    match &mut json[name] {
        Value::Array(list) => {
            list.push(element);
            list.len() - 1
        }
        _ => 0,
    }
}

/// Removes an extension of an element, and the list of extensions if it was the last.
pub(super) fn remove_extension(element: &mut Value, name: &str) {
    let Value::Object(members) = element else { return };
    if let Some(Value::Object(extensions)) = members.get_mut("extensions") {
        extensions.remove(name);
        if extensions.is_empty() {
            members.remove("extensions");
        }
    }
}

/// Removes an extension from the used ones.
pub(super) fn forget_extension(json: &mut Value, name: &str) {
    let Value::Object(members) = json else { return };
    for key in ["extensionsUsed", "extensionsRequired"] {
        if let Some(Value::Array(names)) = members.get_mut(key) {
            names.retain(|known| known != name);
            if names.is_empty() {
                members.remove(key);
            }
        }
    }
}

/// Extras of an element, as an object, which contains extras of other types.
pub(super) fn extras(element: &mut Value) -> &mut Value {
    let extras = &mut element["extras"];
    if !extras.is_object() {
        let before = extras.take();
        *extras = json!({});
        if !before.is_null() {
            extras["value"] = before;
        }
    }
    extras
}

/// A number as an index.
pub(super) fn index(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|index| usize::try_from(index).ok())
}

/// Indices in all members of this name, except in extras.
pub(super) fn indices(value: &Value, name: &str) -> Vec<usize> {
    match value {
        Value::Object(members) => members
            .iter()
            .filter(|(own, _)| *own != "extras")
            .flat_map(|(own, member)| match index(member).filter(|_| own == name) {
                Some(index) => vec![index],
                None => indices(member, name),
            })
            .collect(),
        Value::Array(list) => list.iter().flat_map(|element| indices(element, name)).collect(),
        _ => vec![],
    }
}

/// Renumbers the indices that [`indices`] finds, if the map contains them.
pub(super) fn renumber(value: &mut Value, name: &str, numbers: &Renumbering) {
    match value {
        Value::Object(members) => {
            for (own, member) in members.iter_mut().filter(|(own, _)| *own != "extras") {
                match index(member).filter(|_| own == name) {
                    Some(old) => {
                        if let Some(new) = numbers.get(&old) {
                            *member = json!(new);
                        }
                    }
                    None => renumber(member, name, numbers),
                }
            }
        }
        Value::Array(list) => (list.iter_mut()).for_each(|element| renumber(element, name, numbers)),
        _ => {}
    }
}
