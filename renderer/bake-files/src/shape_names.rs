//! Shapes by the names of the command line.

use shading::{Diagnostic, Diagnostics};

use renderer_scene::{SceneDesc, names_shape};

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
        found.extend(
            shapes
                .filter(|(_, shape)| names_shape(name, &shape.name))
                .map(|(index, _)| index),
        );
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
