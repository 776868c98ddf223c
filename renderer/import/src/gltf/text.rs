//! Preprocessing of glTF JSON: rewrites valid input that the `gltf` crate rejects, without changing line numbers.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::GltfError;

type Members<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// Returns the text in a form that the crate accepts.
///
/// - Animations are removed: they are not played, and KHR_animation_pointer has channels without a node.
/// - An empty list of nodes is added to scenes without one.
///
/// # Errors
/// If the document has another version. Text that is not valid JSON is returned unchanged: the crate reports its
/// errors.
pub(super) fn readable(json: &[u8]) -> Result<Cow<'_, [u8]>, GltfError> {
    let unchanged = Ok(Cow::Borrowed(json));
    let Ok(text) = std::str::from_utf8(json) else {
        return unchanged;
    };
    let Ok(members) = serde_json::from_str::<Members>(text) else {
        return unchanged;
    };
    if let Some(version) = members.get("asset").and_then(|asset| version(asset))
        && version.starts_with("1.")
    {
        return Err(format!("glTF version {version}; version 2 is read"));
    }
    // glTF 1.0 has objects instead of lists, and its version number is optional.
    if members
        .get("accessors")
        .is_some_and(|accessors| accessors.get().starts_with('{'))
    {
        return Err("glTF version 1; version 2 is read".to_owned());
    }
    let mut edits = vec![];
    if let Some(animations) = members.get("animations") {
        let lines = animations.get().chars().filter(|&c| c == '\n');
        edits.push((place(text, animations), format!("[]{}", lines.collect::<String>())));
    }
    let scenes = members.get("scenes");
    let scenes = scenes.and_then(|scenes| serde_json::from_str::<Vec<&RawValue>>(scenes.get()).ok());
    for scene in scenes.iter().flatten() {
        if let Ok(members) = serde_json::from_str::<Members>(scene.get())
            && !members.contains_key("nodes")
        {
            let start = place(text, scene).start + 1;
            let comma = if members.is_empty() { "" } else { "," };
            edits.push((start..start, format!("\"nodes\":[]{comma}")));
        }
    }
    if edits.is_empty() {
        return unchanged;
    }
    edits.sort_by_key(|(range, _)| range.start);
    let mut edited = String::with_capacity(text.len());
    let mut at = 0;
    for (range, replacement) in edits {
        edited.push_str(&text[at..range.start]);
        edited.push_str(&replacement);
        at = range.end;
    }
    edited.push_str(&text[at..]);
    Ok(Cow::Owned(edited.into_bytes()))
}

fn version(asset: &RawValue) -> Option<String> {
    let asset: Members = serde_json::from_str(asset.get()).ok()?;
    serde_json::from_str(asset.get("version")?.get()).ok()
}

/// Range of a value in the text from which it was parsed.
fn place(text: &str, value: &RawValue) -> std::ops::Range<usize> {
    let start = value.get().as_ptr().addr() - text.as_ptr().addr();
    start..start + value.get().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, GltfError> {
        readable(text.as_bytes()).map(|json| String::from_utf8_lossy(&json).into_owned())
    }

    #[test]
    fn animations_and_scenes_are_rewritten_on_their_lines() {
        let text = "{\"scenes\": [{}, {\n \"name\": \"b\"}, {\"nodes\": [1]}],\n\"animations\": [{\n},\n{}], \"skins\": []}";
        let expected = "{\"scenes\": [{\"nodes\":[]}, {\"nodes\":[],\n \"name\": \"b\"}, {\"nodes\": [1]}],\n\"animations\": []\n\n, \"skins\": []}";
        assert_eq!(read(text).as_deref(), Ok(expected));
    }

    #[test]
    fn other_text_stays() {
        for text in ["", "[1]", "{\"scenes\": 3}", "{\"scenes\": [1, \"a\"]}", "{\"asset\": 2"] {
            assert_eq!(read(text).as_deref(), Ok(text));
        }
        assert!(matches!(readable(b"{\xff"), Ok(Cow::Borrowed(b"{\xff"))));
    }

    #[test]
    fn the_first_version_is_told() {
        let error = read("{\"asset\": {\"version\": \"1.0\"}, \"scenes\": {}}");
        assert_eq!(error, Err("glTF version 1.0; version 2 is read".to_owned()));
        let error = read("{\"accessors\": {}}");
        assert_eq!(error, Err("glTF version 1; version 2 is read".to_owned()));
    }
}
