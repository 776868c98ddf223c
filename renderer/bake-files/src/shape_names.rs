//! Shapes by the names of the command line.

use shading::{Diagnostic, Diagnostics};

use renderer_scene::SceneDesc;

/// Names that a hint lists.
const LISTED: usize = 8;

/// The shapes that a flag names, in the order of the scene: by name, by import, or by a pattern of either with `*` and `?`.
///
/// # Errors
/// One for each name that no shape has.
pub(super) fn find(desc: &SceneDesc, flag: &str, names: &[String]) -> Result<Vec<usize>, Diagnostics> {
    let mut errors = Diagnostics::default();
    let mut found = vec![];
    for name in names.iter().flat_map(|text| text.split(',')).map(str::trim) {
        let before = found.len();
        let shapes = desc.shapes.iter().enumerate();
        found.extend(shapes.filter(|(_, shape)| is_of(name, &shape.name)).map(|(index, _)| index));
        if found.len() == before {
            errors.list.push(unknown(desc, flag, name));
        }
    }
    found.sort_unstable();
    found.dedup();
    if errors.list.is_empty() { Ok(found) } else { Err(errors) }
}

fn unknown(desc: &SceneDesc, flag: &str, name: &str) -> Diagnostic {
    let mut names: Vec<&str> = desc.shapes.iter().map(|shape| &*shape.name).collect();
    names.dedup();
    let listed: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    let more = match names.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Diagnostic::error(format!("{flag} {name}: no shape or import has this name"))
        .nearest(name, names.iter().copied())
        .hint(format!("the shapes are {}{more}", listed.join(", ")))
}

/// Returns whether a shape, or the import that it belongs to, has a name.
pub(super) fn is_of(pattern: &str, name: &str) -> bool {
    let imports = name.match_indices('.').map(|(at, _)| &name[..at]);
    [name]
        .into_iter()
        .chain(imports)
        .any(|name| matches(pattern.as_bytes(), name.as_bytes()))
}

/// Returns whether a name matches a pattern: `*` matches any characters, `?` one.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut of) = (0, 0);
    // Position of the last star, and end of its characters in the name.
    let mut star: Option<(usize, usize)> = None;
    while of < name.len() {
        if at < pattern.len() && (pattern[at] == b'?' || pattern[at] == name[of]) && pattern[at] != b'*' {
            (at, of) = (at + 1, of + 1);
        } else if at < pattern.len() && pattern[at] == b'*' {
            star = Some((at, of));
            at += 1;
        } else if let Some((place, end)) = star {
            star = Some((place, end + 1));
            (at, of) = (place + 1, end + 1);
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|&c| c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("rock", "rock", true),
            ("rock", "rocks", false),
            ("rock*", "rock", true),
            ("*_high", "rock_high", true),
            ("*_high", "rock_high_2", false),
            ("*_h*h*", "rock_high", true),
            ("rock_?", "rock_1", true),
            ("rock_?", "rock_12", false),
            ("statue", "statue.head", true),
            ("stat*", "statue.head.Eye", true),
            ("statue.head", "statue.head.Eye", true),
            ("head", "statue.head", false),
            ("", "rock", false),
            ("*", "rock", true),
        ] {
            assert_eq!(is_of(pattern, name), expected, "{pattern} {name}");
        }
    }
}
