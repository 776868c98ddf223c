//! Texture loader: collects the textures of a scene and reads them in parallel.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::request::{Key, TextureId, TextureNeed, TextureRequest, TextureSource};
use super::store::{Entry, TextureStore};
use super::{TextureColorSpace, TileCache, TileSet};
use crate::{ImageError, Subimage};
use renderer_base::files::SharedFiles;

/// Key of a requested texture.
#[derive(Debug)]
enum Wanted {
    Texture(TextureRequest, TextureNeed),
    Set(TileSet<TextureId>),
}

/// Collects the textures of a scene. Each gets its id immediately and is read once, later.
#[derive(Debug)]
pub struct TextureLoader {
    requests: Mutex<Requests>,
    limit: usize,
    files: SharedFiles,
}

#[derive(Debug, Default)]
struct Requests {
    ids: FxHashMap<Key, TextureId>,
    list: Vec<Wanted>,
}

impl Requests {
    fn add(&mut self, wanted: Wanted) -> TextureId {
        self.list.push(wanted);
        TextureId(u32::try_from(self.list.len() - 1).expect("more textures than memory holds"))
    }

    fn set_need(&mut self, id: TextureId, need: TextureNeed) {
        if let Some(Wanted::Texture(_, known)) = self.list.get_mut(id.0 as usize)
            && need == TextureNeed::Required
        {
            *known = need;
        }
    }
}

impl Default for TextureLoader {
    fn default() -> TextureLoader {
        TextureLoader::new()
    }
}

impl TextureLoader {
    /// A loader without requests and without a memory bound.
    pub fn new() -> TextureLoader {
        TextureLoader::with_memory(usize::MAX)
    }

    /// A loader with a memory bound for texels [bytes].
    pub fn with_memory(limit: usize) -> TextureLoader {
        TextureLoader {
            requests: Mutex::default(),
            limit,
            files: SharedFiles::default(),
        }
    }

    /// Returns the loader with `files` in place of the disk.
    #[must_use]
    pub fn with_files(self, files: SharedFiles) -> TextureLoader {
        TextureLoader { files, ..self }
    }

    /// The id of the texture in the store, unique by file and colour space. Nothing is read, so that many threads can
    /// request textures. A [`TextureSource::Memory`] is identified by its name.
    pub fn request(&self, source: TextureSource, color_space: TextureColorSpace) -> TextureId {
        let request = TextureRequest { source, color_space, subimage: Subimage::First };
        self.request_picture(request, TextureNeed::Required)
    }

    /// Like [`request`](TextureLoader::request), for any picture of a file. A picture that is required once stays
    /// required.
    pub fn request_picture(&self, request: TextureRequest, need: TextureNeed) -> TextureId {
        let key = request.key(&*self.files);
        // A panic elsewhere leaves the table consistent: entries are added in one step.
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        match requests.ids.get(&key) {
            Some(&id) => {
                requests.set_need(id, need);
                id
            }
            None => {
                let id = requests.add(Wanted::Texture(request, need));
                requests.ids.insert(key, id);
                id
            }
        }
    }

    /// The id of a set of requested textures.
    pub fn request_set(&self, set: TileSet<TextureId>) -> TextureId {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.add(Wanted::Set(set))
    }

    /// Errors of required images that cannot be opened or have an unsupported format. Only the first bytes of each file
    /// are read.
    pub fn unsupported(&self) -> Vec<ImageError> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let required = requests.list.iter().filter_map(|wanted| match wanted {
            Wanted::Texture(request, TextureNeed::Required) => Some(request),
            Wanted::Texture(_, TextureNeed::Optional) | Wanted::Set(_) => None,
        });
        required
            .filter_map(|request| request.source.check_format(&*self.files).err())
            .collect()
    }

    /// Makes the requests so far optional.
    #[must_use]
    pub fn tolerant(self) -> TextureLoader {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        for wanted in &mut requests.list {
            if let Wanted::Texture(_, need) = wanted {
                *need = TextureNeed::Optional;
            }
        }
        drop(requests);
        self
    }

    /// Reads the requested textures in parallel.
    ///
    /// # Errors
    /// All required files that could not be read, in the order of their requests.
    pub fn load(self) -> Result<TextureStore, Vec<ImageError>> {
        let files = self.files;
        let Requests { ids, list } = self.requests.into_inner().unwrap_or_else(PoisonError::into_inner);
        let cache = Arc::new(TileCache::new(self.limit));
        let loaded: Vec<Result<Entry, ImageError>> = list
            .into_par_iter()
            .map(|wanted| match wanted {
                Wanted::Texture(request, need) => match (request.load(&*files, &cache), need) {
                    (Ok(texture), _) => Ok(Entry::Texture(Box::new(texture))),
                    (Err(error), TextureNeed::Optional) => Ok(Entry::Broken(error)),
                    (Err(error), TextureNeed::Required) => Err(error),
                },
                Wanted::Set(set) => Ok(Entry::Set(set)),
            })
            .collect();
        let mut entries = Vec::with_capacity(loaded.len());
        let mut errors = Vec::new();
        for result in loaded {
            match result {
                Ok(entry) => entries.push(entry),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            Ok(TextureStore::new(entries, ids, cache, files))
        } else {
            Err(errors)
        }
    }
}
