//! Tiled texture files (EXR and TIFF), read by tile.

use std::fmt;
use std::io::{BufReader, Read as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::exr_tiles::ExrTiles;
use super::tiff_read::{TiffFile, TiffPage};
use super::{Format, ImageError, PictureInfo, Raster, Rect, Subimage};
use renderer_base::files::{FileReader, Files};

/// An open picture of a tiled file.
pub struct TiledPicture {
    file: Mutex<TiledFile>,
    /// Columns, rows and channels of the levels.
    sizes: Vec<[usize; 3]>,
    /// Description of the file.
    pub info: PictureInfo,
}

enum TiledFile {
    Exr(Box<ExrTiles>),
    Tiff(Box<TiffFile<BufReader<FileReader>>>, Vec<(usize, TiffPage)>),
}

impl TiledPicture {
    /// Opens a picture; `None` if the file has no tiled mip levels down to one tile, or should be read as a whole.
    pub fn open(files: &dyn Files, path: &Path, subimage: &Subimage) -> Option<TiledPicture> {
        let mut start = [0; 4];
        files.open(path).ok()?.read_exact(&mut start).ok()?;
        let (file, sizes, info) = match Format::detect(path, &start)? {
            Format::Exr => {
                let tiles = ExrTiles::open(files, path, subimage)?;
                let levels = tiles.levels().iter();
                let sizes = levels.map(|level| [level.width, level.height, tiles.channels()]);
                let (sizes, info) = (sizes.collect(), tiles.info.clone());
                (TiledFile::Exr(Box::new(tiles)), sizes, info)
            }
            Format::Tiff => open_tiff(files, path, subimage)?,
            Format::Hdr
            | Format::Png
            | Format::Jpeg
            | Format::Tga
            | Format::Bmp
            | Format::WebP
            | Format::Netpbm => return None,
        };
        Some(TiledPicture { file: Mutex::new(file), sizes, info })
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
        // A panic elsewhere leaves the file at an arbitrary position, which each read sets anyway.
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

fn open_tiff(files: &dyn Files, path: &Path, subimage: &Subimage) -> Option<Opened> {
    let file = files.open(path).ok()?;
    let size = usize::try_from(file.len()).ok()?;
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
    let sizes = levels.iter().map(|(_, page)| [page.width, page.height, page.channels]);
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
