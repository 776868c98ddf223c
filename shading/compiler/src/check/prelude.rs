//! The prelude: library functions written in the language (`prelude.ksl`), parsed when first used.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use rustc_hash::FxHashMap;

use shading_syntax::source::SourceId;
use shading_syntax::{self as syntax, ast};

const TEXT: &str = include_str!("prelude.ksl");

/// Overloads of each name.
static OVERLOADS: LazyLock<FxHashMap<&str, Vec<Overload>>> = LazyLock::new(|| {
    let mut overloads: FxHashMap<&str, Vec<Overload>> = FxHashMap::default();
    for range in syntax::items(TEXT) {
        overloads
            .entry(name(&TEXT[range.clone()]))
            .or_default()
            .push(Overload { range, function: OnceLock::new() });
    }
    overloads
});

struct Overload {
    /// Byte range in the text.
    range: Range<usize>,
    function: OnceLock<Option<ast::Function>>,
}

impl Overload {
    fn function(&self) -> Option<&ast::Function> {
        let parse = || match syntax::parse_item(TEXT, self.range.clone(), SourceId(0)) {
            Some(ast::Item::Function(function)) => Some(function),
            _ => None,
        };
        self.function.get_or_init(parse).as_ref()
    }
}

/// Returns the name of a function from its text: the last word before the parameters.
fn name(function: &str) -> &str {
    let head = function.split('(').next().unwrap_or_default();
    head.split_whitespace().last().unwrap_or_default()
}

/// Iterates over the functions of a name, in the order of declaration.
pub(super) fn functions(name: &str) -> impl Iterator<Item = &'static ast::Function> {
    let overloads = OVERLOADS.get(name).map_or(&[][..], Vec::as_slice);
    overloads.iter().filter_map(Overload::function)
}

/// Returns whether a function of that name exists.
pub(super) fn has(name: &str) -> bool {
    OVERLOADS.contains_key(name)
}

/// Returns the names of the functions, for hints.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    OVERLOADS.keys().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_is_found_by_its_name() {
        let (file, diagnostics) = syntax::parse(shading_syntax::source::Source::new("prelude.ksl", TEXT));
        assert!(diagnostics.list.is_empty(), "{diagnostics}");
        let mut found = 0;
        for name in names() {
            for function in functions(name) {
                assert_eq!(function.name.text, name);
                found += 1;
            }
        }
        assert_eq!(found, file.items.len());
    }
}
