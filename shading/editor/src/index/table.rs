//! Definitions and references of a text, and how they are found.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::definition::{Definition, DefinitionId, Import, Reference};

/// Definitions and references of a text.
#[derive(Clone, Debug, Default)]
pub struct Index {
    pub(super) definitions: Vec<Definition>,
    pub(super) references: Vec<Reference>,
    /// Texts that it includes or imports.
    pub imports: Vec<Import>,
    pub(super) members: FxHashMap<DefinitionId, Vec<DefinitionId>>,
    /// Definitions outside of items by their names.
    pub(super) top: FxHashMap<String, Vec<DefinitionId>>,
}

impl Index {
    /// A definition.
    pub fn get(&self, id: DefinitionId) -> &Definition {
        &self.definitions[id.0 as usize]
    }

    /// All definitions, in the order of their declaration.
    pub fn definitions(&self) -> impl Iterator<Item = (DefinitionId, &Definition)> {
        (0..).map(DefinitionId).zip(&self.definitions)
    }

    /// All references, by their places.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// Definitions of a name outside of items: units, groups, functions, structures, objects of a scene, macros.
    pub fn top(&self, name: &str) -> &[DefinitionId] {
        self.top.get(name).map_or(&[], Vec::as_slice)
    }

    /// Parameters of a unit, group or function, and fields of a structure.
    pub fn members(&self, id: DefinitionId) -> impl Iterator<Item = &Definition> {
        let list = self.members.get(&id).map_or(&[][..], Vec::as_slice);
        list.iter().map(|&member| self.get(member))
    }

    /// A parameter or field by its name, or a parameter by an alias.
    pub fn member(&self, id: DefinitionId, name: &str) -> Option<DefinitionId> {
        let list = self.members.get(&id)?;
        let mut members = list.iter().copied();
        let named = members.find(|&member| self.get(member).name == name);
        let has_alias = |&member: &DefinitionId| self.get(member).aliases().any(|alias| alias == name);
        named.or_else(|| list.iter().copied().find(has_alias))
    }

    /// The definition whose name is at that offset.
    pub fn definition_at(&self, offset: usize) -> Option<DefinitionId> {
        let found = self.definitions().find(|(_, d)| touches(&d.name_range, offset));
        found.map(|(id, _)| id)
    }

    /// The reference at that offset.
    pub fn reference_at(&self, offset: usize) -> Option<&Reference> {
        let after = self.references.partition_point(|r| r.range.start <= offset);
        let near = self.references[..after].iter().rev().take(2);
        near.into_iter().find(|r| touches(&r.range, offset))
    }
}

/// Returns whether a cursor at `offset` is in or at the end of a name.
fn touches(range: &Range<usize>, offset: usize) -> bool {
    !range.is_empty() && range.start <= offset && offset <= range.end
}
