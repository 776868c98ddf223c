//! Pictures as textures want them: with the smaller versions that the file holds, and what the file says of itself.

use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::exr_read;
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
    file: Mutex<TiffFile<BufReader<File>>>,
    levels: Vec<(usize, TiffPage)>,
    /// What the file says of it.
    pub info: PictureInfo,
}

impl TiledPicture {
    /// Opens a picture; `None` where its file is not made of tiles with smaller versions down to one tile, or is better
    /// read as a whole for another reason.
    pub fn open(path: &Path, subimage: &Subimage) -> Option<TiledPicture> {
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
        let file = Mutex::new(file);
        Some(TiledPicture { file, levels, info })
    }

    /// Columns, rows and channels of the levels.
    pub fn sizes(&self) -> impl Iterator<Item = [usize; 3]> + '_ {
        let pages = self.levels.iter();
        pages.map(|(_, page)| [page.width, page.height, page.channels])
    }

    /// A part of a level.
    ///
    /// # Errors
    /// When the file cannot be read, or is damaged.
    pub fn read(&self, level: usize, rect: Rect) -> Result<Raster, ImageError> {
        let (directory, page) = &self.levels[level];
        // A panic elsewhere leaves the file at some directory; it is sought again.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(*directory);
        Ok(Raster {
            width: rect.width() as usize,
            height: rect.height() as usize,
            channels: page.channels,
            samples: file.read(page, rect)?,
            window: None,
        })
    }
}

impl fmt::Debug for TiledPicture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TiledPicture")
            .field("levels", &self.levels)
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
