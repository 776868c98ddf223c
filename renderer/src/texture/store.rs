//! Textures by name: requested while a scene is built, loaded together, then frozen.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use glam::Vec2;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{Lookup, Texture, TextureColorSpace};
use crate::image::{ImageError, decode};

/// Index of a texture in its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextureId(pub u32);

/// Where a texture's bytes come from.
#[derive(Clone, Debug)]
pub enum TextureSource {
    /// A file.
    File(PathBuf),
    /// A file within a file (an image in a GLB). The name tells it from others and stands in errors.
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
}

/// Collects the textures that a scene needs; each is given its id at once and read later, once.
#[derive(Debug, Default)]
pub struct TextureLoader {
    requests: Mutex<Requests>,
}

#[derive(Debug, Default)]
struct Requests {
    ids: FxHashMap<(PathBuf, TextureColorSpace), TextureId>,
    sources: Vec<(TextureSource, TextureColorSpace)>,
}

impl TextureLoader {
    /// A loader without requests.
    pub fn new() -> TextureLoader {
        TextureLoader::default()
    }

    /// The id that the texture will have in the store; the same for the same file and colour space. Nothing is read
    /// yet, so that many threads can ask. A [`TextureSource::Memory`] is told from others by its name.
    pub fn request(&self, source: TextureSource, color_space: TextureColorSpace) -> TextureId {
        let key = (key_of(source.path()), color_space);
        // A panic elsewhere leaves the table whole: entries are added in one step.
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let Requests { ids, sources } = &mut *requests;
        *ids.entry(key).or_insert_with(|| {
            sources.push((source, color_space));
            TextureId(u32::try_from(sources.len() - 1).expect("more textures than memory holds"))
        })
    }

    /// Reads everything that was requested, in parallel.
    ///
    /// # Errors
    /// All files that could not be read, in the order of their requests.
    pub fn load(self) -> Result<TextureStore, Vec<ImageError>> {
        let Requests { ids, sources } = self.requests.into_inner().unwrap_or_else(PoisonError::into_inner);
        let loaded: Vec<Result<Texture, ImageError>> = sources
            .par_iter()
            .map(|(source, color_space)| load(source, *color_space))
            .collect();
        let mut textures = Vec::with_capacity(loaded.len());
        let mut errors = Vec::new();
        for result in loaded {
            match result {
                Ok(texture) => textures.push(texture),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            Ok(TextureStore { textures, ids })
        } else {
            Err(errors)
        }
    }
}

/// The textures of a scene, frozen: shared by all threads, looked up without lock or allocation.
#[derive(Debug, Default)]
pub struct TextureStore {
    textures: Vec<Texture>,
    ids: FxHashMap<(PathBuf, TextureColorSpace), TextureId>,
}

impl TextureStore {
    /// The linear value `[r, g, b, alpha]` of a texture; see [`Texture::sample`]. Zero when the store has no such texture.
    #[inline]
    pub fn sample(&self, id: TextureId, st: Vec2, footprint: Vec2, lookup: Lookup) -> [f32; 4] {
        // A panic here would go through compiled code, which ends the process.
        match self.textures.get(id.0 as usize) {
            Some(texture) => texture.sample(st, footprint, lookup),
            None => [0.0; 4],
        }
    }

    /// A texture.
    ///
    /// # Panics
    /// When the id is of another store.
    #[inline]
    pub fn get(&self, id: TextureId) -> &Texture {
        &self.textures[id.0 as usize]
    }

    /// The texture of that file or name, if it was requested with that colour space: for names that a shader makes at
    /// run time.
    pub fn find(&self, path: &Path, color_space: TextureColorSpace) -> Option<TextureId> {
        self.ids.get(&(key_of(path), color_space)).copied()
    }

    /// All textures, by id.
    pub fn textures(&self) -> &[Texture] {
        &self.textures
    }

    /// Memory of all texels [bytes].
    pub fn bytes(&self) -> usize {
        self.textures.iter().map(Texture::bytes).sum()
    }
}

/// One name for one file, however it is reached; what does not exist keeps its name and fails when it is loaded.
fn key_of(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn load(source: &TextureSource, color_space: TextureColorSpace) -> Result<Texture, ImageError> {
    let path = source.path();
    let raster = match source {
        TextureSource::File(path) => {
            let bytes = fs::read(path).map_err(|e| ImageError::from_read(path, e))?;
            decode(path, &bytes)?
        }
        TextureSource::Memory { bytes, .. } => decode(path, bytes)?,
    };
    Texture::new(path, raster, color_space)
}
