//! Names and types in generated code.

use cranelift_entity::EntityRef;
use shading_compiler::hir::kind::Element;
use shading_compiler::hir::{Code, Kind, LocalId};

pub(crate) fn variable(code: &Code, local: LocalId) -> String {
    let name = sanitized(&code.locals[local].name);
    if name.is_empty() {
        format!("v{}", local.index())
    } else {
        format!("{name}_{}", local.index())
    }
}

/// Returns the letters, digits and single underscores of a name, beginning with a letter.
pub(crate) fn sanitized(name: &str) -> String {
    let mut result = String::new();
    for c in name.chars() {
        let c = if c.is_ascii_alphanumeric() { c } else { '_' };
        let is_allowed = match c {
            '_' => !result.is_empty() && !result.ends_with('_'),
            '0'..='9' => !result.is_empty(),
            _ => true,
        };
        if is_allowed {
            result.push(c);
        }
    }
    result.trim_end_matches('_').to_owned()
}

/// Returns the WGSL type of a kind. A matrix has Kiln's rows as columns; a string is its index in the program's strings.
pub(crate) fn type_name(kind: Kind) -> String {
    match kind {
        Kind::One(element) => element_name(element).to_owned(),
        Kind::Array(element, n) => format!("array<{}, {n}>", element_name(element)),
    }
}

fn element_name(element: Element) -> &'static str {
    match element {
        Element::Int | Element::String => "i32",
        Element::Float => "f32",
        Element::Triple => "vec3f",
        Element::Matrix => "mat4x4f",
        Element::Closure => "Lobes",
    }
}

pub(crate) fn contains_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}
