//! Library of WGSL functions that generated code calls. Only used functions are written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Prefix of all names of the library.
const PREFIX: &str = "kiln_";

/// Prefix of the structures of the library.
const STRUCT_PREFIX: &str = "Kiln";

const TEXTS: [&str; 7] = [
    include_str!("library/math.wgsl"),
    include_str!("library/hash.wgsl"),
    include_str!("library/noise.wgsl"),
    include_str!("library/simplex.wgsl"),
    include_str!("library/gabor.wgsl"),
    include_str!("library/pattern.wgsl"),
    include_str!("library/lobes.wgsl"),
];

/// Text that is instantiated for each number of coordinates.
const LATTICE: &str = include_str!("library/lattice.wgsl");

/// A function, structure or constant of the library.
#[derive(Debug)]
struct LibraryItem {
    text: String,
    /// Names of other items that the item uses.
    uses: Vec<String>,
}

/// Items by name. The order of declarations has no meaning in WGSL.
static ITEMS: LazyLock<BTreeMap<String, LibraryItem>> = LazyLock::new(|| {
    let mut items = BTreeMap::new();
    let lattices = (1..=4).map(lattice);
    for text in TEXTS.iter().map(|text| (*text).to_owned()).chain(lattices) {
        for (name, item) in split(&text) {
            items.insert(name, item);
        }
    }
    items
});

/// Returns the text of [`LATTICE`] for a number of coordinates.
fn lattice(dimensions: usize) -> String {
    let vector = |letter: &str, scalar: &str| match dimensions {
        1 => scalar.to_owned(),
        n => format!("vec{n}{letter}"),
    };
    let components = ["p.x", "p.y", "p.z", "p.w"];
    let each = |text: &str, ty: &str| match dimensions {
        1 => text.replace('#', "p"),
        n => {
            let list = components[..n].iter().map(|component| text.replace('#', component));
            format!("{ty}({})", list.collect::<Vec<_>>().join(", "))
        }
    };
    let (float, word) = (vector("f", "f32"), vector("u", "u32"));
    let wrapped = match dimensions {
        1 => "kiln_wrap(p, period)".to_owned(),
        n => {
            let list = components[..n]
                .iter()
                .map(|component| format!("kiln_wrap({component}, {})", component.replace('p', "period")));
            format!("{float}({})", list.collect::<Vec<_>>().join(", "))
        }
    };
    let hash = match dimensions {
        1 => "kiln_hash2(vec2u(key, ",
        2 => "kiln_hash3(vec3u(key, ",
        3 => "kiln_hash4(vec4u(key, ",
        _ => "kiln_hash5((key, ",
    };
    let lanes = ["0u", "1u", "2u"];
    let mut text = LATTICE.to_owned();
    for lane in lanes {
        let call = match dimensions {
            4 => format!("kiln_hash5(key, {lane})"),
            _ => format!("{hash}{lane}))"),
        };
        text = text.replace(&format!("@HASH(key, {lane})"), &call);
    }
    let padded = match dimensions {
        1 => "vec4f($, 0.0, 0.0, 0.0)",
        2 => "vec4f($, 0.0, 0.0)",
        3 => "vec4f($, 0.0)",
        _ => "$",
    };
    for name in ["dx", "dy"] {
        text = text.replace(&format!("@4({name})"), &padded.replace('$', name));
    }
    text.replace("@CELL", &each("kiln_cell_of(#)", &word))
        .replace("@BITS", &each("kiln_key_of(#)", &word))
        .replace("@WRAP", &wrapped)
        .replace("@D", &dimensions.to_string())
        .replace("@V", &float)
        .replace("@I", &vector("i", "i32"))
        .replace("@U", &word)
}

/// Splits a text into its declarations, without comments between them.
fn split(text: &str) -> Vec<(String, LibraryItem)> {
    let mut items = vec![];
    let mut lines: Vec<&str> = vec![];
    for line in text.lines() {
        let is_between = lines.is_empty() && (line.is_empty() || line.starts_with("//"));
        if !is_between {
            lines.push(line);
        }
        let ends = line == "}" || lines.len() == 1 && line.ends_with(';');
        if ends && !lines.is_empty() {
            let item = lines.join("\n") + "\n";
            lines.clear();
            let mut names = names(&item).collect::<Vec<_>>();
            let name = names.remove(0);
            let uses = names.into_iter().filter(|used| *used != name).collect();
            items.push((name, LibraryItem { text: item, uses }));
        }
    }
    items
}

/// Returns the library names that a text mentions.
fn names(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words
        .filter(|word| word.starts_with(PREFIX) || word.starts_with(STRUCT_PREFIX))
        .map(str::to_owned)
}

/// Returns the declarations of the library that a text needs.
pub(crate) fn needed_by(text: &str) -> String {
    let mut needed = BTreeSet::new();
    let mut open: Vec<String> = names(text).collect();
    while let Some(name) = open.pop() {
        if let Some(item) = ITEMS.get(&name)
            && needed.insert(name)
        {
            open.extend(item.uses.iter().cloned());
        }
    }
    let texts = needed.iter().map(|name| ITEMS[name].text.as_str());
    texts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declaration_is_valid_and_complete() {
        for (name, item) in ITEMS.iter() {
            // Functions of lobes need the structure that the pass declares.
            if item.text.contains("Lobes") {
                continue;
            }
            let text = needed_by(name);
            if let Err(error) = naga::front::wgsl::parse_str(&text) {
                panic!("{name}: {}", error.emit_to_string(&text));
            }
        }
    }

    #[test]
    fn only_what_is_used_is_written() {
        let text = needed_by("kiln_hash1(3u)");
        assert!(text.contains("fn kiln_finished") && !text.contains("fn kiln_hash2"));
        assert_eq!(needed_by("1.0 + x"), "");
    }
}
