//! Source map: the sources of one compilation.

use std::sync::Arc;

use super::span::SourceId;
use super::text::Source;

/// The sources of one compilation: the main file and its includes.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    sources: Vec<Arc<Source>>,
    /// For each source of linked code, the instance that uses it. Shorter than `sources` if the last ones have none.
    users: Vec<SourceUser>,
}

/// An instance of a unit in linked code.
#[derive(Clone, Debug, Default)]
pub struct SourceUser {
    /// Dotted path of node names; empty if the source is not part of a group.
    pub instance: Arc<str>,
    /// Name of the unit.
    pub unit: Arc<str>,
}

impl SourceUser {
    /// Creates a user from the names of the instance and its unit.
    pub fn new(instance: &str, unit: &str) -> SourceUser {
        SourceUser { instance: instance.into(), unit: unit.into() }
    }
}

impl SourceMap {
    /// Adds a source used by an instance.
    pub fn add_for(&mut self, source: Arc<Source>, user: &SourceUser) -> SourceId {
        let id = self.add(source);
        self.users.resize(id.0 as usize, SourceUser::default());
        self.users.push(user.clone());
        id
    }

    /// Returns the instance that uses a source; its names are empty outside linked code.
    pub fn user(&self, id: SourceId) -> SourceUser {
        self.users.get(id.0 as usize).cloned().unwrap_or_default()
    }

    /// Adds a source.
    pub fn add(&mut self, source: Arc<Source>) -> SourceId {
        self.sources.push(source);
        SourceId(self.sources.len() as u32 - 1)
    }

    /// Number of sources.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Returns whether the map is empty.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Iterates over the sources in order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Source>> {
        self.sources.iter()
    }

    /// Returns the source with the given id.
    ///
    /// # Panics
    /// If the id belongs to another map.
    pub fn get(&self, id: SourceId) -> &Arc<Source> {
        &self.sources[id.0 as usize]
    }
}
