//! Texture store: the textures of a scene, frozen after loading; textures named by running shaders are added on demand.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::request::{Key, TextureId, TextureRequest};
use super::{EnvironmentLookup, Lookup, Sample, Texture, TextureColorSpace, TileCache, TileSet};
use crate::{ImageError, Subimage};
use renderer_base::files::SharedFiles;

/// Texture or error of an id.
#[derive(Debug)]
pub(super) enum Entry {
    Texture(Box<Texture>),
    /// Read error of an optional texture.
    Broken(ImageError),
    Set(TileSet<TextureId>),
}

/// Textures of a scene, shared by all threads. Lookups of textures that were loaded with the store take no lock.
#[derive(Debug)]
pub struct TextureStore {
    entries: Vec<Entry>,
    ids: FxHashMap<Key, TextureId>,
    cache: Arc<TileCache>,
    late: RwLock<Late>,
    files: SharedFiles,
}

/// Textures named by running shaders.
#[derive(Debug, Default)]
struct Late {
    entries: Vec<Arc<Entry>>,
    ids: FxHashMap<Key, TextureId>,
}

impl TextureStore {
    pub(super) fn new(
        entries: Vec<Entry>,
        ids: FxHashMap<Key, TextureId>,
        cache: Arc<TileCache>,
        files: SharedFiles,
    ) -> TextureStore {
        TextureStore { entries, ids, cache, late: RwLock::default(), files }
    }

    /// Builds the mip pyramids of all textures.
    pub fn complete(&mut self) {
        self.entries.par_iter_mut().for_each(|entry| match entry {
            Entry::Texture(texture) => texture.complete(),
            Entry::Broken(_) | Entry::Set(_) => {}
        });
    }

    /// Looks up a texture; see [`Texture::sample`]. `None` if the store has no such texture, or the set has none at
    /// these coordinates.
    #[inline]
    pub fn sample(&self, id: TextureId, lookup: &Lookup) -> Option<Sample> {
        self.at(id, |entry| match entry {
            Entry::Texture(texture) => Some(texture.sample(lookup)),
            Entry::Broken(_) => None,
            Entry::Set(set) => {
                let (id, st) = set.at(lookup.st)?;
                self.sample(id, &Lookup { st, ..*lookup })
            }
        })
    }

    /// Looks up an environment; see [`Texture::sample_environment`].
    pub fn sample_environment(&self, id: TextureId, lookup: &EnvironmentLookup) -> Option<Sample> {
        self.at(id, |entry| match entry {
            Entry::Texture(texture) => Some(texture.sample_environment(lookup)),
            Entry::Broken(_) | Entry::Set(_) => None,
        })
    }

    /// Error because of which an optional texture has no texels.
    pub fn error(&self, id: TextureId) -> Option<&ImageError> {
        match self.entries.get(id.0 as usize)? {
            Entry::Broken(error) => Some(error),
            Entry::Texture(_) | Entry::Set(_) => None,
        }
    }

    /// Returns whether it could be read, with all parts of a set.
    pub fn is_whole(&self, id: TextureId) -> bool {
        let is_whole = self.at(id, |entry| match entry {
            Entry::Texture(_) => Some(true),
            Entry::Broken(_) => Some(false),
            Entry::Set(set) => Some(set.iter().all(|id| self.is_whole(id))),
        });
        is_whole.unwrap_or(false)
    }

    /// Returns whether the id is a set of textures, with one for each unit square.
    pub fn is_set(&self, id: TextureId) -> bool {
        let is_set = self.at(id, |entry| Some(matches!(entry, Entry::Set(_))));
        is_set.unwrap_or(false)
    }

    /// Calls `each` with a texture, or with the textures of a set.
    pub fn each(&self, id: TextureId, each: &mut dyn FnMut(&Texture)) {
        self.at(id, |entry| {
            match entry {
                Entry::Texture(texture) => each(texture),
                Entry::Broken(_) => {}
                Entry::Set(set) => set.iter().for_each(|id| self.each(id, each)),
            }
            Some(())
        });
    }

    /// The texture of a set at texture coordinates; else the texture itself.
    pub fn id_at(&self, id: TextureId, st: glam::Vec2) -> Option<TextureId> {
        self.at(id, |entry| match entry {
            Entry::Texture(_) => Some(id),
            Entry::Broken(_) => None,
            Entry::Set(set) => set.at(st).map(|(id, _)| id),
        })
    }

    #[inline]
    fn at<T>(&self, id: TextureId, f: impl FnOnce(&Entry) -> Option<T>) -> Option<T> {
        let index = id.0 as usize;
        // A panic here would unwind through compiled code, which aborts the process.
        if let Some(entry) = self.entries.get(index) {
            return f(entry);
        }
        let late = self.late.read().unwrap_or_else(PoisonError::into_inner);
        let entry = late.entries.get(index - self.entries.len())?.clone();
        drop(late);
        f(&entry)
    }

    /// A texture that was loaded with the store.
    ///
    /// # Panics
    /// When the id is of another store, of a set, or of an optional texture that cannot be read.
    pub fn get(&self, id: TextureId) -> &Texture {
        match &self.entries[id.0 as usize] {
            Entry::Texture(texture) => texture,
            Entry::Broken(error) => panic!("{id:?}: {error}"),
            Entry::Set(_) => panic!("{id:?} is a set of textures"),
        }
    }

    /// The texture of that file or name, if it was requested with that colour space.
    pub fn find(&self, path: &Path, color_space: TextureColorSpace) -> Option<TextureId> {
        let key = (self.files.identity(path), color_space, Subimage::First);
        self.ids.get(&key).copied()
    }

    /// The id of a texture, which is read on the first call.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn load_late(&self, request: &TextureRequest) -> Result<TextureId, ImageError> {
        let key = request.key(&*self.files);
        if let Some(&id) = self.ids.get(&key) {
            return Ok(id);
        }
        // A second thread waits for the first, so that the file is read once.
        let mut late = self.late.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(&id) = late.ids.get(&key) {
            return Ok(id);
        }
        let entry = Entry::Texture(Box::new(request.load(&*self.files, &self.cache)?));
        let id = self.add_late(&mut late, entry);
        late.ids.insert(key, id);
        Ok(id)
    }

    /// The id of a set of textures of this store.
    pub fn add_set(&self, set: TileSet<TextureId>) -> TextureId {
        let mut late = self.late.write().unwrap_or_else(PoisonError::into_inner);
        self.add_late(&mut late, Entry::Set(set))
    }

    fn add_late(&self, late: &mut Late, entry: Entry) -> TextureId {
        late.entries.push(Arc::new(entry));
        let index = self.entries.len() + late.entries.len() - 1;
        TextureId(u32::try_from(index).expect("more textures than memory holds"))
    }

    /// The textures that were loaded with the store, with their ids.
    pub fn textures(&self) -> impl Iterator<Item = (TextureId, &Texture)> {
        let entries = self.entries.iter().enumerate();
        entries.filter_map(|(i, entry)| match entry {
            Entry::Texture(texture) => Some((TextureId(i as u32), &**texture)),
            Entry::Broken(_) | Entry::Set(_) => None,
        })
    }

    /// The tile sets that were loaded with the store, with their ids.
    pub fn sets(&self) -> impl Iterator<Item = (TextureId, &TileSet<TextureId>)> {
        let entries = self.entries.iter().enumerate();
        entries.filter_map(|(i, entry)| match entry {
            Entry::Set(set) => Some((TextureId(i as u32), set)),
            Entry::Texture(_) | Entry::Broken(_) => None,
        })
    }

    /// The tiles in memory.
    pub fn cache(&self) -> &TileCache {
        &self.cache
    }

    /// Memory of all texels [bytes].
    pub fn bytes(&self) -> usize {
        self.textures().map(|(_, texture)| texture.bytes()).sum::<usize>() + self.cache.bytes()
    }
}
