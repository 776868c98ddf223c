//! Pictures as textures want them: with the smaller versions that the file holds, and what the file says of itself.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::exr_read;
use super::exr_tiles::ExrTiles;
use super::tiff_read::{self, TiffFile, TiffPage};
use super::{Format, ImageError, MetaValue, Raster, Rect, decode};

/// One of the pictures in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Subimage {
    /// The one that [`decode`] takes.
    #[default]
    First,
    /// By its place in the file.
    Index(usize),
    /// By its name.
    Name(String),
}

/// What a file says of its picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PictureInfo {
    /// Key-value pairs, with OpenImageIO's keys.
    pub attributes: Vec<(String, MetaValue)>,
    /// What lies beyond the picture along s and t, as `maketx` writes it: `black,periodic`.
    pub wrap: Option<String>,
    /// Pictures in the file.
    pub subimages: usize,
    /// Whether it is an environment in longitude and latitude.
    pub is_environment: bool,
}

impl PictureInfo {
    /// The value of a key.
    pub fn attribute(&self, key: &str) -> Option<&MetaValue> {
        let found = self.attributes.iter().find(|(known, _)| known == key);
        found.map(|(_, value)| value)
    }
}

/// A picture of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The picture, then those of its smaller versions that the file holds, each half the size of the one before.
    pub levels: Vec<Raster>,
    /// What the file says of it.
    pub info: PictureInfo,
}

/// Decodes a picture with its smaller versions.
///
/// # Errors
/// As [`decode`]; also when the file has no such picture.
pub fn decode_picture(path: &Path, bytes: &[u8], subimage: &Subimage) -> Result<Picture, ImageError> {
    match Format::detect(path, bytes) {
        Some(Format::Exr) => exr_read::decode_picture(path, bytes, subimage),
        Some(Format::Tiff) => tiff_read::decode_picture(path, bytes, subimage),
        _ if matches!(subimage, Subimage::First | Subimage::Index(0)) => Ok(Picture {
            levels: vec![decode(path, bytes)?],
            info: PictureInfo {
                subimages: 1,
                ..PictureInfo::default()
            },
        }),
        _ => Err(no_such_picture(path, subimage, 1)),
    }
}

/// A picture whose file is made of tiles, open to read some of them.
pub struct TiledPicture {
    file: Mutex<TiledFile>,
    /// Columns, rows and channels of the levels.
    sizes: Vec<[usize; 3]>,
    /// What the file says of it.
    pub info: PictureInfo,
}

enum TiledFile {
    Exr(Box<ExrTiles>),
    Tiff(Box<TiffFile<BufReader<File>>>, Vec<(usize, TiffPage)>),
}

impl TiledPicture {
    /// Opens a picture; `None` where its file is not made of tiles with smaller versions down to one tile, or is better
    /// read as a whole for another reason.
    pub fn open(path: &Path, subimage: &Subimage) -> Option<TiledPicture> {
        let mut start = [0; 4];
        File::open(path).ok()?.read_exact(&mut start).ok()?;
        let (file, sizes, info) = match Format::detect(path, &start)? {
            Format::Exr => {
                let tiles = ExrTiles::open(path, subimage)?;
                let levels = tiles.levels().iter();
                let sizes = levels.map(|level| [level.width, level.height, tiles.channels()]);
                let (sizes, info) = (sizes.collect(), tiles.info.clone());
                (TiledFile::Exr(Box::new(tiles)), sizes, info)
            }
            Format::Tiff => open_tiff(path, subimage)?,
            Format::Hdr
            | Format::Png
            | Format::Jpeg
            | Format::Tga
            | Format::Bmp
            | Format::WebP
            | Format::Netpbm => return None,
        };
        Some(TiledPicture {
            file: Mutex::new(file),
            sizes,
            info,
        })
    }

    /// Columns, rows and channels of the levels.
    pub fn sizes(&self) -> &[[usize; 3]] {
        &self.sizes
    }

    /// A part of a level.
    ///
    /// # Errors
    /// When the file cannot be read, or is damaged.
    pub fn read(&self, level: usize, rect: Rect) -> Result<Raster, ImageError> {
        // A panic elsewhere leaves the file at some place; it is sought again.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let samples = match &mut *file {
            TiledFile::Exr(tiles) => tiles.read(level, rect)?,
            TiledFile::Tiff(file, pages) => {
                let (directory, page) = &pages[level];
                file.seek(*directory);
                file.read(page, rect)?
            }
        };
        Ok(Raster {
            width: rect.width() as usize,
            height: rect.height() as usize,
            channels: self.sizes[level][2],
            samples,
            window: None,
        })
    }
}

type Opened = (TiledFile, Vec<[usize; 3]>, PictureInfo);

fn open_tiff(path: &Path, subimage: &Subimage) -> Option<Opened> {
    let file = File::open(path).ok()?;
    let size = usize::try_from(file.metadata().ok()?.len()).ok()?;
    let mut file = TiffFile::new(path, BufReader::new(file), size).ok()?;
    let directories = file.directories(subimage).ok()?;
    let mut levels = vec![];
    for directory in directories.levels {
        file.seek(directory);
        levels.push((directory, file.page().ok()?));
    }
    let (first, last) = (levels.first()?, levels.last()?);
    let small = last.1.width.max(last.1.height) <= 64;
    let halves = |large: usize, half: usize| half == (large / 2).max(1);
    let halving = levels.windows(2).all(|pair| {
        let (a, b) = (&pair[0].1, &pair[1].1);
        halves(a.width, b.width) && halves(a.height, b.height) && a.channels == b.channels
    });
    if !small || !halving || !levels.iter().all(|(_, page)| page.is_tiled) {
        return None;
    }
    file.seek(first.0);
    let info = file.info(directories.count);
    let sizes = levels
        .iter()
        .map(|(_, page)| [page.width, page.height, page.channels]);
    let sizes = sizes.collect();
    Some((TiledFile::Tiff(Box::new(file), levels), sizes, info))
}

impl fmt::Debug for TiledPicture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TiledPicture")
            .field("sizes", &self.sizes)
            .finish_non_exhaustive()
    }
}

/// The error for a picture that a file does not have.
pub(super) fn no_such_picture(path: &Path, subimage: &Subimage, count: usize) -> ImageError {
    let reason = match subimage {
        Subimage::First => "it has no picture".to_owned(),
        Subimage::Index(index) => format!("it has no picture {index}, only {count}"),
        Subimage::Name(name) => format!("it has no picture '{name}'"),
    };
    ImageError::unsupported(path, reason)
}

/// The levels that are each half the size of the one before, rounded down or up; what follows is dropped.
pub(super) fn halving(levels: Vec<Raster>) -> Vec<Raster> {
    let mut kept: Vec<Raster> = vec![];
    for level in levels {
        if let Some(last) = kept.last() {
            let halves =
                |large: usize, small: usize| small == (large / 2).max(1) || small == large.div_ceil(2);
            let fits = halves(last.width, level.width) && halves(last.height, level.height);
            if !fits || last.channels != level.channels || (last.width, last.height) == (1, 1) {
                break;
            }
        }
        kept.push(level);
    }
    kept
}
