//! Symbols: the outline of a text.

use std::ops::Range;

use crate::definition::{DefinitionId, DefinitionKind};
use crate::document::Document;

/// A symbol with its children.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Name.
    pub name: String,
    /// Type, or kind of a unit or object.
    pub detail: String,
    /// Kind.
    pub kind: DefinitionKind,
    /// Bytes of the definition.
    pub range: Range<usize>,
    /// Bytes of the name.
    pub name_range: Range<usize>,
    /// Parameters, fields and layers.
    pub children: Vec<Symbol>,
}

/// Returns the outline of a text, in source order.
pub fn symbols(document: &Document) -> Vec<Symbol> {
    let index = &document.index;
    let top = index
        .definitions()
        .filter(|(id, definition)| index.top(&definition.name).contains(id));
    let mut list: Vec<Symbol> = top.map(|(id, _)| symbol(document, id)).collect();
    list.sort_by_key(|symbol| symbol.range.start);
    list
}

fn symbol(document: &Document, id: DefinitionId) -> Symbol {
    let index = &document.index;
    let definition = index.get(id);
    let range = definition.range.clone();
    let mut children: Vec<Symbol> = index.members(id).map(leaf).collect();
    if definition.kind == DefinitionKind::Group {
        let layers = index.definitions().filter(|(_, layer)| {
            layer.kind == DefinitionKind::Layer && range.contains(&layer.name_range.start)
        });
        children.extend(layers.map(|(_, layer)| leaf(layer)));
    }
    Symbol { children, ..leaf(definition) }
}

fn leaf(definition: &crate::definition::Definition) -> Symbol {
    let name_range = definition.name_range.clone();
    let start = definition.range.start.min(name_range.start);
    Symbol {
        name: definition.name.clone(),
        detail: definition.ty.clone(),
        kind: definition.kind,
        range: start..definition.range.end.max(name_range.end),
        name_range,
        children: vec![],
    }
}
