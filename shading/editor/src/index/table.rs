//! Table of definitions and references of a text.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::definition::{Definition, DefinitionId, Import, Reference};

/// Definitions and references of a text.
#[derive(Clone, Debug, Default)]
pub struct Index {
    pub(super) definitions: Vec<Definition>,
    pub(super) references: Vec<Reference>,
    /// Texts that are included or imported.
    pub imports: Vec<Import>,
    pub(super) members: FxHashMap<DefinitionId, Vec<DefinitionId>>,
    /// Top-level definitions by name.
    pub(super) top: FxHashMap<String, Vec<DefinitionId>>,
}

impl Index {
    /// Returns a definition.
    pub fn get(&self, id: DefinitionId) -> &Definition {
        &self.definitions[id.0 as usize]
    }

    /// Returns the definitions in the order of their declaration.
    pub fn definitions(&self) -> impl Iterator<Item = (DefinitionId, &Definition)> {
        (0..).map(DefinitionId).zip(&self.definitions)
    }

    /// Returns the references in source order.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// Returns the top-level definitions of a name: units, groups, functions, structures, objects, macros.
    pub fn top(&self, name: &str) -> &[DefinitionId] {
        self.top.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the parameters of a unit, group or function, or the fields of a structure.
    pub fn members(&self, id: DefinitionId) -> impl Iterator<Item = &Definition> {
        let list = self.members.get(&id).map_or(&[][..], Vec::as_slice);
        list.iter().map(|&member| self.get(member))
    }

    /// Returns a parameter or field by name, or a parameter by an alias.
    pub fn member(&self, id: DefinitionId, name: &str) -> Option<DefinitionId> {
        let list = self.members.get(&id)?;
        let mut members = list.iter().copied();
        let named = members.find(|&member| self.get(member).name == name);
        let has_alias = |&member: &DefinitionId| self.get(member).aliases().any(|alias| alias == name);
        named.or_else(|| list.iter().copied().find(has_alias))
    }

    /// Returns the definition whose name contains the offset or ends at it.
    pub fn definition_at(&self, offset: usize) -> Option<DefinitionId> {
        let found = self.definitions().find(|(_, d)| touches(&d.name_range, offset));
        found.map(|(id, _)| id)
    }

    /// Returns the reference that contains the offset or ends at it.
    pub fn reference_at(&self, offset: usize) -> Option<&Reference> {
        let after = self.references.partition_point(|r| r.range.start <= offset);
        let near = self.references[..after].iter().rev().take(2);
        near.into_iter().find(|r| touches(&r.range, offset))
    }
}

/// Returns whether a name contains the offset or ends at it.
fn touches(range: &Range<usize>, offset: usize) -> bool {
    !range.is_empty() && range.start <= offset && offset <= range.end
}
