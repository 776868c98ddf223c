//! Random access to tiles of OpenEXR files.

use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use ::exr::block::UncompressedBlock;
use ::exr::block::chunk::Chunk;
use ::exr::meta::attribute::{LevelMode, SampleType as ExrSamples};
use ::exr::meta::{BlockDescription, MetaData, compute_level_size};
use half::f16;

use super::exr_channels::ChannelOrder;
use super::exr_header::{convert_error, header_length, picture_channels, picture_info};
use super::{ImageError, PictureInfo, Rect, Samples, Subimage};
use renderer_base::files::{FileReader, Files};

/// Maximum size of a header [bytes].
const MAX_HEADER: usize = 1 << 20;

/// An open tiled file with mip levels.
pub(super) struct ExrTiles {
    path: PathBuf,
    file: BufReader<FileReader>,
    meta: MetaData,
    levels: Vec<ExrLevel>,
    /// Columns and rows of a tile.
    tile: [usize; 2],
    /// For each channel, the offset of its values in a row of a tile, per column of the tile [bytes], and their sample
    /// type.
    channels: Vec<(usize, ExrSamples)>,
    /// Bytes of all channels of a pixel.
    pixel_bytes: usize,
    pub(super) info: PictureInfo,
}

/// A level and the file offsets of its tiles.
pub(super) struct ExrLevel {
    pub(super) width: usize,
    pub(super) height: usize,
    offsets: Vec<u64>,
}

impl ExrTiles {
    /// Opens a file; `None` if it has no such tiles, or should be read as a whole.
    pub(super) fn open(files: &dyn Files, path: &Path, subimage: &Subimage) -> Option<ExrTiles> {
        let mut file = BufReader::new(files.open(path).ok()?);
        let mut start = vec![];
        (&mut file).take(MAX_HEADER as u64).read_to_end(&mut start).ok()?;
        let table = header_length(&start)?;
        let meta = MetaData::read_from_buffered(Cursor::new(&start), false).ok()?;
        // Files with several parts, whose tables follow each other, are rare.
        let [header] = meta.headers.as_slice() else {
            return None;
        };
        let BlockDescription::Tiles(tiles) = header.blocks else {
            return None;
        };
        let (width, height) = (header.layer_size.width(), header.layer_size.height());
        let whole = header.own_attributes.layer_position == header.shared_attributes.display_window.position
            && header.layer_size == header.shared_attributes.display_window.size;
        if tiles.level_mode != LevelMode::MipMap || header.deep || !whole {
            return None;
        }
        let tile = [tiles.tile_size.width(), tiles.tile_size.height()];
        let ChannelOrder { list, colors } = picture_channels(header, subimage)?;
        let mut before = 0;
        let mut places = vec![];
        for channel in &header.channels.list {
            if (channel.sampling.x(), channel.sampling.y()) != (1, 1) {
                return None;
            }
            places.push((before, channel.sample_type));
            before += channel.sample_type.bytes_per_sample();
        }
        let channels = list.iter().map(|&c| places[c]).collect();
        file.seek(SeekFrom::Start(table as u64)).ok()?;
        let mut levels: Vec<ExrLevel> = vec![];
        while levels.last().is_none_or(|last| last.width > 1 || last.height > 1) {
            let size = |full| compute_level_size(tiles.rounding_mode, full, levels.len());
            let (width, height) = (size(width), size(height));
            let count = width.div_ceil(tile[0]).checked_mul(height.div_ceil(tile[1]))?;
            if count > header.chunk_count {
                return None;
            }
            let mut bytes = vec![0; count * 8];
            file.read_exact(&mut bytes).ok()?;
            let offsets = bytes.as_chunks::<8>().0.iter();
            levels.push(ExrLevel {
                width,
                height,
                offsets: offsets.map(|&bytes| u64::from_le_bytes(bytes)).collect(),
            });
        }
        let info = PictureInfo { colors: Some(colors), ..picture_info(&meta.headers, 1) };
        Some(ExrTiles {
            path: path.to_owned(),
            file,
            levels,
            tile,
            channels,
            pixel_bytes: before,
            info,
            meta,
        })
    }

    pub(super) fn levels(&self) -> &[ExrLevel] {
        &self.levels
    }

    pub(super) fn channels(&self) -> usize {
        self.channels.len()
    }

    /// The samples of a part of a level.
    pub(super) fn read(&mut self, level: usize, rect: Rect) -> Result<Samples, ImageError> {
        let [tw, th] = self.tile;
        let (width, height) = (self.levels[level].width, self.levels[level].height);
        let across = width.div_ceil(tw);
        let count = rect.area() * self.channels.len();
        let halves = self.channels.iter().all(|(_, kind)| *kind == ExrSamples::F16);
        let mut whole = if halves {
            Samples::F16(vec![f16::ZERO; count])
        } else {
            Samples::F32(vec![0.0; count])
        };
        for ty in rect.y0 as usize / th..(rect.y1 as usize).div_ceil(th) {
            for tx in rect.x0 as usize / tw..(rect.x1 as usize).div_ceil(tw) {
                let place = Rect {
                    x0: (tx * tw) as u32,
                    y0: (ty * th) as u32,
                    x1: ((tx + 1) * tw).min(width) as u32,
                    y1: ((ty + 1) * th).min(height) as u32,
                };
                let offset = self.levels[level].offsets[ty * across + tx];
                let block = self.block(offset)?;
                let samples = self.samples(&block, place, halves);
                let fits = samples.is_some_and(|samples| {
                    let channels = self.channels.len();
                    samples.copy_into((place, channels), &mut whole, (rect, channels), 0)
                });
                if !fits {
                    return Err(ImageError::damaged(&self.path, "EXR", "a tile has another size"));
                }
            }
        }
        Ok(whole)
    }

    fn block(&mut self, offset: u64) -> Result<Vec<u8>, ImageError> {
        let failed = |e: &dyn ToString| ImageError::damaged(&self.path, "EXR", e.to_string());
        self.file.seek(SeekFrom::Start(offset)).map_err(|e| failed(&e))?;
        let chunk = Chunk::read(&mut self.file, &self.meta).map_err(|e| convert_error(&self.path, e))?;
        // The crate's B44 decoder may panic on damaged blocks: see `exr_read`.
        let decode = || UncompressedBlock::decompress_chunk(chunk, &self.meta, false);
        let block = catch_unwind(AssertUnwindSafe(decode))
            .map_err(|_| ImageError::damaged(&self.path, "EXR", "its compressed data make no sense"))?;
        Ok(block.map_err(|e| convert_error(&self.path, e))?.data)
    }

    /// The channels of a tile: each row holds all values of the first, then of the second, and so on.
    fn samples(&self, block: &[u8], place: Rect, halves: bool) -> Option<Samples> {
        let (width, height) = (place.width() as usize, place.height() as usize);
        if block.len() != width * height * self.pixel_bytes {
            return None;
        }
        let value = |x: usize, y: usize, (before, kind): (usize, ExrSamples)| {
            let row = y * width * self.pixel_bytes;
            let at = row + before * width + x * kind.bytes_per_sample();
            &block[at..at + kind.bytes_per_sample()]
        };
        let pixels = || (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)));
        let half = |bytes: &[u8]| f16::from_ne_bytes([bytes[0], bytes[1]]);
        let word = |bytes: &[u8]| [bytes[0], bytes[1], bytes[2], bytes[3]];
        let each = self.channels.as_slice();
        Some(if halves {
            let values =
                pixels().flat_map(|(x, y)| each.iter().map(move |&channel| half(value(x, y, channel))));
            Samples::F16(values.collect())
        } else {
            let float = |x, y, channel: (usize, ExrSamples)| {
                let bytes = value(x, y, channel);
                match channel.1 {
                    ExrSamples::F16 => half(bytes).to_f32(),
                    ExrSamples::F32 => f32::from_ne_bytes(word(bytes)),
                    ExrSamples::U32 => u32::from_ne_bytes(word(bytes)) as f32,
                }
            };
            let values = pixels().flat_map(|(x, y)| each.iter().map(move |&channel| float(x, y, channel)));
            Samples::F32(values.collect())
        })
    }
}
