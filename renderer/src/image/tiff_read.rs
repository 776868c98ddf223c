//! TIFF files to samples: strips and tiles of 8, 16 and 32 bits, integers and floats, grey, RGB and any number of
//! channels, the first directory of a file.

use std::io::{Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use half::f16;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::{PlanarConfiguration, Tag};
use tiff::{ColorType, TiffError};

use super::read::{MAX_BYTES, check_size};
use super::{ImageError, Raster, Rect, Samples};

/// An open file, at one of its directories.
pub(super) struct TiffFile<R: Read + Seek> {
    path: PathBuf,
    decoder: Decoder<R>,
    file_size: usize,
}

/// What a directory says of its picture.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TiffPage {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) channels: usize,
    /// Size of tiles, or of strips.
    pub(super) chunk: [usize; 2],
    /// Whether the channels are in planes of their own.
    planar: bool,
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
        let decoder = Decoder::new(from).map_err(|e| convert(path, e))?;
        Ok(TiffFile {
            path: path.to_owned(),
            decoder: decoder.with_limits(limits),
            file_size,
        })
    }

    /// What the directory says.
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
        // Of colours with further channels that are no alpha, the decoder gives the colours.
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
                    let fits = if page.planar {
                        count == 1
                    } else {
                        count == page.channels
                    };
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
        let decoded = self
            .decoder
            .read_chunk(index)
            .map_err(|e| convert(&self.path, e))?;
        Ok(match decoded {
            DecodingResult::U8(v) => Samples::U8(v),
            DecodingResult::U16(v) => Samples::U16(v),
            DecodingResult::U32(v) => Samples::U16(v.into_iter().map(|v| (v >> 16) as u16).collect()),
            DecodingResult::F16(v) => {
                Samples::F16(v.into_iter().map(|v| f16::from_bits(v.to_bits())).collect())
            }
            DecodingResult::F32(v) => Samples::F32(v),
            DecodingResult::F64(v) => Samples::F32(v.into_iter().map(|v| v as f32).collect()),
            DecodingResult::U64(_)
            | DecodingResult::I8(_)
            | DecodingResult::I16(_)
            | DecodingResult::I32(_)
            | DecodingResult::I64(_) => {
                let reason = "its samples are signed integers, or of 64 bits";
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
