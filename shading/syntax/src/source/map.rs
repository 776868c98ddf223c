//! Source map: the sources of one compilation.

use std::sync::Arc;

use super::span::SourceId;
use super::text::Source;

/// The sources of one compilation: the file itself and what it includes.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    sources: Vec<Arc<Source>>,
    /// For each source of linked code the instance that brought it; shorter than `sources` where none did.
    users: Vec<SourceUser>,
}

/// An instance of a unit in linked code.
#[derive(Clone, Debug, Default)]
pub struct SourceUser {
    /// The names of the nodes that lead to it, with dots; empty for what is no part of a group.
    pub instance: Arc<str>,
    /// The unit.
    pub unit: Arc<str>,
}

impl SourceUser {
    /// An instance by its name and that of its unit.
    pub fn new(instance: &str, unit: &str) -> SourceUser {
        SourceUser {
            instance: instance.into(),
            unit: unit.into(),
        }
    }
}

impl SourceMap {
    /// Adds a source that an instance brings.
    pub fn add_for(&mut self, source: Arc<Source>, user: &SourceUser) -> SourceId {
        let id = self.add(source);
        self.users.resize(id.0 as usize, SourceUser::default());
        self.users.push(user.clone());
        id
    }

    /// The instance that a source is of; empty names outside linked code.
    pub fn user(&self, id: SourceId) -> SourceUser {
        self.users.get(id.0 as usize).cloned().unwrap_or_default()
    }

    /// Adds a source.
    pub fn add(&mut self, source: Arc<Source>) -> SourceId {
        self.sources.push(source);
        SourceId(self.sources.len() as u32 - 1)
    }

    /// How many sources there are.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// The sources in order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Source>> {
        self.sources.iter()
    }

    /// The source with the given id.
    ///
    /// # Panics
    /// When the id is of another map.
    pub fn get(&self, id: SourceId) -> &Arc<Source> {
        &self.sources[id.0 as usize]
    }
}
