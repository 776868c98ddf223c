//! TIFF reader: strips and tiles, 8 to 32 bits, integer and float, any number of channels, mip levels.

use std::io::{Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use half::f16;
use tiff::decoder::{ChunkType, Decoder, DecodingResult, Limits};
use tiff::tags::{PlanarConfiguration, Tag};
use tiff::{ColorType, TiffError};

use super::limit::{MAX_BYTES, check_size};
use super::picture::{halving, no_such_picture};
use super::tiff_bands::TiffBands;
use super::{ImageError, MetaValue, Picture, PictureInfo, Raster, Rect, Samples, Subimage};
use renderer_base::files::{Budget, BudgetKind};

/// An open file, at one of its directories.
pub(super) struct TiffFile<R: Read + Seek> {
    path: PathBuf,
    decoder: Decoder<TiffBands<R>>,
    file_size: usize,
    /// The directory that it is at.
    directory: usize,
    /// Number of directories that do not overlap.
    directories: usize,
    /// Bounds of the memory of all levels.
    budget: Budget,
}

/// Description of the image of a TIFF directory.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TiffPage {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) channels: usize,
    /// Size of tiles, or of strips.
    pub(super) chunk: [usize; 2],
    pub(super) is_tiled: bool,
    /// True if each channel is stored in a separate plane.
    planar: bool,
}

/// Tags of textures.
const TEXTURE_FORMAT: Tag = Tag::Unknown(33302);
const WRAP_MODES: Tag = Tag::Unknown(33303);
const PAGE_NAME: Tag = Tag::Unknown(285);

/// Texts of a directory, with OpenImageIO's names.
const TEXTS: [(Tag, &str); 10] = [
    (Tag::DateTime, "DateTime"),
    (Tag::Software, "Software"),
    (Tag::Artist, "Artist"),
    (Tag::Copyright, "Copyright"),
    (Tag::HostComputer, "HostComputer"),
    (Tag::Unknown(269), "DocumentName"),
    (Tag::ImageDescription, "ImageDescription"),
    (PAGE_NAME, "oiio:subimagename"),
    (TEXTURE_FORMAT, "textureformat"),
    (WRAP_MODES, "wrapmodes"),
];

/// The directories of a picture.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Directories {
    /// Directories of the picture and its mip levels.
    pub(super) levels: Vec<usize>,
    /// Pictures in the file.
    pub(super) count: usize,
}

/// Decodes a picture with its mip levels.
pub(super) fn decode_picture(path: &Path, bytes: &[u8], subimage: &Subimage) -> Result<Picture, ImageError> {
    let mut file = TiffFile::new(path, Cursor::new(bytes), bytes.len())?;
    let directories = file.directories(subimage)?;
    let mut levels: Vec<Raster> = vec![];
    let mut info = PictureInfo::default();
    for &directory in &directories.levels {
        file.seek(directory);
        let page = file.page()?;
        let halves = |last: &Raster| {
            [last.width, last.height].map(|side| (side / 2).max(1)) == [page.width, page.height]
        };
        match levels.last() {
            None => info = file.info(directories.count),
            // Further levels are of no use.
            Some(last) if !halves(last) => break,
            Some(_) => {}
        }
        let values = page.width * page.height * page.channels;
        let allocated = file.budget.allocate("levels", values, size_of::<f32>());
        allocated.map_err(|excess| ImageError::unsupported(path, excess))?;
        let rect = Rect::of_size(page.width as u32, page.height as u32);
        levels.push(Raster {
            width: page.width,
            height: page.height,
            channels: page.channels,
            samples: file.read(&page, rect)?,
            window: None,
        });
    }
    let levels = halving(levels);
    Ok(Picture { levels, info })
}

/// The pairs `key=value` of a description, where OpenImageIO stores attributes without a TIFF tag.
fn pairs(text: &str) -> Vec<(String, MetaValue)> {
    let words = text.split_whitespace().filter_map(|word| word.split_once('='));
    let keyed = words.filter(|(key, _)| key.contains(':'));
    keyed
        .map(|(key, value)| (key.to_owned(), MetaValue::Text(value.trim_matches('"').to_owned())))
        .collect()
}

/// The first picture of a file in memory.
pub(super) fn decode(path: &Path, bytes: &[u8]) -> Result<Raster, ImageError> {
    let mut file = TiffFile::new(path, Cursor::new(bytes), bytes.len())?;
    let page = file.page()?;
    let rect = Rect::of_size(page.width as u32, page.height as u32);
    let samples = file.read(&page, rect)?;
    Ok(Raster {
        width: page.width,
        height: page.height,
        channels: page.channels,
        samples,
        window: None,
    })
}

impl<R: Read + Seek> TiffFile<R> {
    pub(super) fn new(path: &Path, from: R, file_size: usize) -> Result<TiffFile<R>, ImageError> {
        let mut limits = Limits::default();
        limits.decoding_buffer_size = MAX_BYTES as usize;
        limits.intermediate_buffer_size = MAX_BYTES as usize;
        let bands = TiffBands::new(from).map_err(|e| convert(path, TiffError::IoError(e)))?;
        let directories = bands.directories;
        let decoder = Decoder::new(bands).map_err(|e| convert(path, e))?;
        Ok(TiffFile {
            path: path.to_owned(),
            decoder: decoder.with_limits(limits),
            file_size,
            directory: 0,
            directories,
            budget: Budget::of(BudgetKind::Picture, file_size as u64),
        })
    }

    /// Moves to a directory by number; `false` if it does not exist.
    pub(super) fn seek(&mut self, index: usize) -> bool {
        if index == self.directory {
            return true;
        }
        let found = self.decoder.seek_to_image(index).is_ok();
        // After an error the position of the decoder is undefined.
        self.directory = if found { index } else { usize::MAX };
        found
    }

    /// The directories of a picture and its mip levels.
    pub(super) fn directories(&mut self, subimage: &Subimage) -> Result<Directories, ImageError> {
        let mut pictures: Vec<Vec<usize>> = vec![];
        let mut names = vec![];
        let mut is_texture = false;
        let mut last = (0, 0);
        let mut index = 0;
        // The first directory is the decoder's, even if it is malformed.
        while index < self.directories.max(1) && self.seek(index) {
            let kind = self.decoder.find_tag_unsigned::<u32>(Tag::NewSubfileType);
            let is_reduced = kind.ok().flatten().is_some_and(|kind| kind & 1 != 0);
            let size = self.decoder.dimensions().map_err(|e| convert(&self.path, e))?;
            // `maketx` marks the first directory as a texture; the mip levels follow.
            let halves = size == ((last.0 / 2).max(1), (last.1 / 2).max(1)) && size != last;
            match pictures.last_mut() {
                Some(picture) if is_reduced || (is_texture && halves) => picture.push(index),
                _ => {
                    pictures.push(vec![index]);
                    names.push(self.text(PAGE_NAME).unwrap_or_default());
                    is_texture = self.text(TEXTURE_FORMAT).is_some();
                }
            }
            last = size;
            index += 1;
        }
        let count = pictures.len();
        let chosen = match subimage {
            Subimage::First => Some(0),
            Subimage::Index(index) => Some(*index),
            Subimage::Name(name) => names.iter().position(|known| known == name),
        };
        match chosen.filter(|&i| i < count) {
            Some(i) => Ok(Directories { levels: pictures.swap_remove(i), count }),
            None => Err(no_such_picture(&self.path, subimage, count)),
        }
    }

    /// Returns the metadata of the directory.
    pub(super) fn info(&mut self, subimages: usize) -> PictureInfo {
        let mut info = PictureInfo {
            subimages,
            wrap: self.text(WRAP_MODES),
            is_environment: self.text(TEXTURE_FORMAT).is_some_and(|kind| kind.contains("LatLong")),
            ..PictureInfo::default()
        };
        for (tag, key) in TEXTS {
            if let Some(text) = self.text(tag) {
                if key == "ImageDescription" {
                    info.attributes.extend(pairs(&text));
                }
                info.attributes.push((key.to_owned(), MetaValue::Text(text)));
            }
        }
        info
    }

    fn text(&mut self, tag: Tag) -> Option<String> {
        self.decoder.get_tag_ascii_string(tag).ok()
    }

    /// Returns the description of the directory's image.
    pub(super) fn page(&mut self) -> Result<TiffPage, ImageError> {
        let path = &self.path.clone();
        let (width, height) = self.decoder.dimensions().map_err(|e| convert(path, e))?;
        let color = self.decoder.colortype().map_err(|e| convert(path, e))?;
        let depth = color.bit_depth();
        if matches!(
            color,
            ColorType::Palette(_) | ColorType::CMYK(_) | ColorType::CMYKA(_) | ColorType::Lab(_)
        ) {
            let reason = format!("its colours are {color:?}; grey and RGB are read");
            return Err(ImageError::unsupported(path, reason));
        }
        if !matches!(depth, 8 | 16 | 32 | 64) {
            return Err(ImageError::unsupported(path, format!("{depth} bits a sample")));
        }
        let chunk = self.decoder.chunk_dimensions();
        let mut unsigned = |tag| self.decoder.find_tag_unsigned::<u32>(tag).ok().flatten();
        let planar =
            unsigned(Tag::PlanarConfiguration) == Some(u32::from(PlanarConfiguration::Planar.to_u16()));
        let channels = if planar {
            usize::from(self.samples_per_pixel().max(1))
        } else {
            usize::from(color.num_samples())
        };
        let size = [width as usize, height as usize, channels];
        check_size(path, size, self.file_size)?;
        Ok(TiffPage {
            width: width as usize,
            height: height as usize,
            channels,
            chunk: [chunk.0 as usize, chunk.1 as usize],
            is_tiled: self.decoder.get_chunk_type() == ChunkType::Tile,
            planar,
        })
    }

    fn samples_per_pixel(&mut self) -> u16 {
        let given = self.decoder.find_tag_unsigned::<u16>(Tag::SamplesPerPixel);
        given.ok().flatten().unwrap_or(1)
    }

    /// The samples of a part of the page, row by row.
    pub(super) fn read(&mut self, page: &TiffPage, rect: Rect) -> Result<Samples, ImageError> {
        let [cw, ch] = page.chunk;
        let across = page.width.div_ceil(cw);
        let down = page.height.div_ceil(ch);
        let planes = if page.planar { page.channels } else { 1 };
        let mut whole: Option<Samples> = None;
        for plane in 0..planes {
            for cy in rect.y0 as usize / ch..(rect.y1 as usize).div_ceil(ch) {
                for cx in rect.x0 as usize / cw..(rect.x1 as usize).div_ceil(cw) {
                    let index = (plane * across * down + cy * across + cx) as u32;
                    let (width, height) = self.decoder.chunk_data_dimensions(index);
                    let part = self.chunk(index)?;
                    let count = part.len() / (width as usize * height as usize).max(1);
                    let place = Rect {
                        x0: (cx * cw) as u32,
                        y0: (cy * ch) as u32,
                        x1: (cx * cw) as u32 + width,
                        y1: (cy * ch) as u32 + height,
                    };
                    let whole = whole.get_or_insert_with(|| part.zeros(rect.area() * page.channels));
                    let fits = if page.planar { count == 1 } else { count == page.channels };
                    if !fits || !part.copy_into((place, count), whole, (rect, page.channels), plane) {
                        let reason = format!("chunk {index} has {count} samples a pixel");
                        return Err(ImageError::damaged(&self.path, "TIFF", reason));
                    }
                }
            }
        }
        whole.ok_or_else(|| ImageError::damaged(&self.path, "TIFF", "it has no data"))
    }

    fn chunk(&mut self, index: u32) -> Result<Samples, ImageError> {
        let decoded = self.decoder.read_chunk(index).map_err(|e| convert(&self.path, e))?;
        Ok(match decoded {
            DecodingResult::U8(v) => Samples::U8(v),
            DecodingResult::U16(v) => Samples::U16(v),
            DecodingResult::U32(v) => Samples::U16(v.into_iter().map(|v| (v >> 16) as u16).collect()),
            DecodingResult::F16(v) => {
                Samples::F16(v.into_iter().map(|v| f16::from_bits(v.to_bits())).collect())
            }
            DecodingResult::F32(v) => Samples::F32(v),
            DecodingResult::F64(v) => Samples::F32(v.into_iter().map(|v| v as f32).collect()),
            DecodingResult::I32(v) => Samples::F32(v.into_iter().map(|v| v as f32).collect()),
            DecodingResult::U64(_)
            | DecodingResult::I8(_)
            | DecodingResult::I16(_)
            | DecodingResult::I64(_) => {
                let reason = "its samples are short signed integers, or of 64 bits";
                return Err(ImageError::unsupported(&self.path, reason));
            }
        })
    }
}

fn convert(path: &Path, error: TiffError) -> ImageError {
    match error {
        TiffError::UnsupportedError(reason) => ImageError::unsupported(path, reason),
        TiffError::LimitsExceeded => ImageError::unsupported(path, "it needs too much memory"),
        error => ImageError::damaged(path, "TIFF", error),
    }
}
