//! Texture requests: sources, ids, and loading of one texture.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Texture, TextureColorSpace, TileCache};
use crate::{Format, ImageError, Subimage, TiledPicture, decode_picture};
use renderer_base::files::Files;

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
    pub(super) fn check_format(&self, files: &dyn Files) -> Result<(), ImageError> {
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

pub(super) type Key = (PathBuf, TextureColorSpace, Subimage);

impl TextureRequest {
    /// Canonical name of a file. The name of a missing file is unchanged, and its load fails.
    pub(super) fn key(&self, files: &dyn Files) -> Key {
        let path = files.identity(self.source.path());
        (path, self.color_space, self.subimage.clone())
    }

    pub(super) fn load(&self, files: &dyn Files, cache: &Arc<TileCache>) -> Result<Texture, ImageError> {
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
