//! The texture store: textures requested while a scene is built, loaded in parallel, then frozen; late ones are added
//! on demand.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{EnvironmentLookup, Lookup, Sample, Texture, TextureColorSpace, TileCache, TileSet};
use crate::{Format, ImageError, Subimage, TiledPicture, decode_picture};
use renderer_base::files::{Files, SharedFiles};

/// Index of a texture in its store, or of a set of textures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextureId(pub u32);

/// Source of a texture's bytes.
#[derive(Clone, Debug)]
pub enum TextureSource {
    /// A file.
    File(PathBuf),
    /// A file within a file (an image in a GLB). The unique name appears in errors.
    Memory {
        /// The name; unique for these bytes.
        name: PathBuf,
        /// The bytes of an image file.
        bytes: Arc<[u8]>,
    },
}

impl TextureSource {
    /// The path or name.
    pub fn path(&self) -> &Path {
        match self {
            TextureSource::File(path) | TextureSource::Memory { name: path, .. } => path,
        }
    }

    /// Checks by the begin of the file that its format is read.
    fn check_format(&self, files: &dyn Files) -> Result<(), ImageError> {
        /// Number of bytes that identify a format.
        const HEAD: usize = 16;
        let path = self.path();
        let mut head = vec![];
        match self {
            TextureSource::File(path) => {
                let file = files.open(path);
                let read = file.and_then(|file| file.take(HEAD as u64).read_to_end(&mut head));
                read.map_err(|error| ImageError::from_read(path, error))?;
            }
            TextureSource::Memory { bytes, .. } => head.extend(bytes.iter().take(HEAD)),
        }
        match Format::detect(path, &head) {
            Some(_) => Ok(()),
            None => Err(ImageError::unknown_format(path)),
        }
    }
}

/// A picture of a source, read in a colour space.
#[derive(Clone, Debug)]
pub struct TextureRequest {
    /// The file.
    pub source: TextureSource,
    /// Colour space of the values.
    pub color_space: TextureColorSpace,
    /// The picture within the file.
    pub subimage: Subimage,
}

type Key = (PathBuf, TextureColorSpace, Subimage);

impl TextureRequest {
    /// Canonical name of a file. The name of a missing file is unchanged, and its load fails.
    fn key(&self, files: &dyn Files) -> Key {
        let path = files.identity(self.source.path());
        (path, self.color_space, self.subimage.clone())
    }

    fn load(&self, files: &dyn Files, cache: &Arc<TileCache>) -> Result<Texture, ImageError> {
        let path = self.source.path();
        let picture = match &self.source {
            TextureSource::File(path) => {
                if let Some(tiles) = TiledPicture::open(files, path, &self.subimage) {
                    return Texture::of_tiles(path, tiles, self.color_space, cache);
                }
                let bytes = files.read(path).map_err(|e| ImageError::from_read(path, e))?;
                decode_picture(path, &bytes, &self.subimage)?
            }
            TextureSource::Memory { bytes, .. } => decode_picture(path, bytes, &self.subimage)?,
        };
        Texture::of_picture(path, picture, self.color_space, Some(cache))
    }
}

/// Treatment of textures that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureNeed {
    /// A texture that cannot be read is an error of the scene.
    Required,
    /// Lookups fail as for a missing file.
    Optional,
}

/// Texture or error of an id.
#[derive(Debug)]
enum Entry {
    Texture(Box<Texture>),
    /// Read error of an optional texture.
    Broken(ImageError),
    Set(TileSet<TextureId>),
}

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
}

impl Requests {
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
        let request = TextureRequest {
            source,
            color_space,
            subimage: Subimage::First,
        };
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

    /// Requires none of the textures requested so far.
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
            Ok(TextureStore {
                entries,
                ids,
                cache,
                late: RwLock::default(),
                files,
            })
        } else {
            Err(errors)
        }
    }
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

    /// Does something with a texture, or with all that a set has.
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
