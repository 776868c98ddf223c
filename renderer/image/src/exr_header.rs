//! OpenEXR headers: validation, metadata, descriptions of pictures; bounds of DWA chunks.

use std::io::Cursor;
use std::path::Path;

use ::exr::block::chunk::CompressedBlock;
use ::exr::compression::Compression;
use ::exr::error::Error as ExrError;
use ::exr::meta::MetaData;
use ::exr::meta::attribute::{AttributeValue, Text};
use ::exr::meta::header::{Header, ImageAttributes};

use super::exr_channels::{ChannelOrder, groups, pick_color};
use super::exr_write::attribute_length;
use super::limit::check_size;
use super::{ImageError, MetaValue, PictureInfo, Subimage, Window};

pub(super) fn headers(path: &Path, bytes: &[u8]) -> Result<Vec<Header>, ImageError> {
    let meta = MetaData::read_from_buffered(Cursor::new(bytes), false).map_err(|e| convert_error(path, e))?;
    Ok(meta.headers.into_iter().collect())
}

pub(super) fn check_header(path: &Path, header: &Header, file_size: usize) -> Result<(), ImageError> {
    if header.deep {
        return Err(ImageError::unsupported(path, "it holds deep data"));
    }
    let channels = &header.channels.list;
    let has = |name: &str| channels.iter().any(|channel| channel.name.eq(name));
    if has("RY") && has("BY") {
        return Err(ImageError::unsupported(
            path,
            "its colours are luminance and chroma (Y, RY, BY); write it with R, G and B",
        ));
    }
    if let Some(channel) = channels.iter().find(|c| (c.sampling.x(), c.sampling.y()) != (1, 1)) {
        return Err(ImageError::unsupported(path, format!("channel {} is subsampled", channel.name)));
    }
    let size = [header.layer_size.width(), header.layer_size.height(), channels.len().max(1)];
    check_size(path, size, file_size)?;
    // Each chunk has an 8-byte entry in the offset table, so that more of them than that cannot be there.
    if header.chunk_count > file_size / 8 {
        return Err(ImageError::damaged(path, "EXR", "it is shorter than its table of contents"));
    }
    Ok(())
}

pub(super) fn is_dwa(header: &Header) -> bool {
    matches!(header.compression, Compression::DWAA(_) | Compression::DWAB(_))
}

/// Refuses DWA chunks whose counters ask for more memory than the chunk's pixels need. The crate allocates without a
/// check, and a damaged counter aborts the process (exr 1.74.2).
pub(super) fn check_dwa_chunks(path: &Path, bytes: &[u8]) -> Result<(), ImageError> {
    let failed = |e| convert_error(path, e);
    let reader = ::exr::block::read(Cursor::new(bytes), false).map_err(failed)?;
    let headers = reader.headers().to_vec();
    for chunk in reader.filter_chunks(false, |_, _, _| true).map_err(failed)? {
        let chunk = chunk.map_err(failed)?;
        let Some(header) = headers.get(chunk.layer_index).filter(|h| is_dwa(h)) else {
            continue;
        };
        let data = match &chunk.compressed_block {
            CompressedBlock::ScanLine(block) => &block.compressed_pixels_le,
            CompressedBlock::Tile(block) => &block.compressed_pixels_le,
            CompressedBlock::DeepScanLine(_) | CompressedBlock::DeepTile(_) => continue,
        };
        let place = header.get_block_data_indices(&chunk.compressed_block).map_err(failed)?;
        let size = header.get_absolute_block_pixel_coordinates(place).map_err(failed)?.size;
        let value_bytes = header.channels.bytes_per_pixel;
        if data.len() == size.area() * value_bytes {
            // Uncompressed chunks have no counters.
            continue;
        }
        // Lossy channels are padded to blocks of 8 × 8; twice that leaves room for run lengths that do not pay off.
        let padded = size.width().next_multiple_of(8) * size.height().next_multiple_of(8);
        let most = (2 * padded * value_bytes + 4096) as u64;
        // Version, nine sizes, and the kind of the last coder.
        let counters = data.chunks_exact(8).skip(1).take(9);
        let mut counters = counters.map(|c| c.iter().rev().fold(0u64, |v, &byte| v << 8 | u64::from(byte)));
        if counters.any(|c| c > most) {
            return Err(ImageError::damaged(
                path,
                "EXR",
                "a chunk claims more data than it has pixels for",
            ));
        }
    }
    Ok(())
}

pub(super) fn metadata(headers: &[Header]) -> Vec<(String, MetaValue)> {
    let attributes = headers
        .iter()
        .flat_map(|h| h.shared_attributes.other.iter().chain(&h.own_attributes.other));
    let mut pairs: Vec<(String, MetaValue)> = attributes
        .filter_map(|(key, value)| {
            let value = match value {
                AttributeValue::Text(v) => MetaValue::Text(text(v)),
                AttributeValue::I32(v) => MetaValue::Int(*v),
                AttributeValue::F32(v) => MetaValue::Float(f64::from(*v)),
                AttributeValue::F64(v) => MetaValue::Float(*v),
                _ => return None,
            };
            Some((text(key), value))
        })
        .collect();
    pairs.sort_by(|a, b| a.0.cmp(&b.0));
    pairs.dedup_by(|a, b| a.0 == b.0);
    pairs
}

pub(super) fn convert_error(path: &Path, error: ExrError) -> ImageError {
    match error {
        ExrError::NotSupported(reason) => ImageError::unsupported(path, reason),
        ExrError::Invalid(reason) => ImageError::damaged(path, "EXR", reason),
        ExrError::Io(source) => ImageError::damaged(path, "EXR", source),
        ExrError::Aborted => ImageError::damaged(path, "EXR", "reading was aborted"),
    }
}

/// Names are bytes in the file; today's writers mean UTF-8.
pub(super) fn text(text: &Text) -> String {
    String::from_utf8_lossy(text.as_slice()).into_owned()
}

/// Position of the data window in the display window; `None` when they are the same.
pub(super) fn window(image: &ImageAttributes, position: (i32, i32), size: (usize, usize)) -> Option<Window> {
    let display = image.display_window;
    let (x, y) = (
        position.0.wrapping_sub(display.position.x()),
        position.1.wrapping_sub(display.position.y()),
    );
    let full = (display.size.width(), display.size.height());
    let window = Window { x, y, full_width: full.0 as u32, full_height: full.1 as u32 };
    ((x, y) != (0, 0) || full != size).then_some(window)
}

/// Returns the description in the header of a file with `subimages` images.
pub(super) fn picture_info(headers: &[Header], subimages: usize) -> PictureInfo {
    let own = headers.first().map(|header| &header.own_attributes);
    let texts = own.map(|own| {
        [
            ("DateTime", &own.capture_date),
            ("Software", &own.software_name),
            ("ImageDescription", &own.comments),
            ("wrapmodes", &own.wrap_mode_name),
        ]
    });
    let mut attributes = metadata(headers);
    for (key, value) in texts.into_iter().flatten() {
        if let Some(value) = value {
            attributes.push((key.to_owned(), MetaValue::Text(text(value))));
        }
    }
    PictureInfo {
        attributes,
        colors: None,
        wrap: own.and_then(|own| own.wrap_mode_name.as_ref()).map(text),
        subimages,
        is_environment: own.is_some_and(|own| own.environment_map.is_some()),
        has_border_texels: own.is_some_and(|own| own.environment_map.is_some()),
    }
}

/// The channels of a file of one part, if it has colour.
pub(super) fn picture_channels(header: &Header, subimage: &Subimage) -> Option<ChannelOrder> {
    let is_only = match subimage {
        Subimage::First | Subimage::Index(0) => true,
        Subimage::Index(_) | Subimage::Name(_) => false,
    };
    let channels = header.channels.list.iter();
    let names: Vec<String> = channels.map(|channel| text(&channel.name)).collect();
    let mut members = groups(&names).into_iter().map(|(_, members)| members);
    let has_color = members.any(|members| pick_color(&names, &members).is_some());
    (is_only && has_color && !is_dwa(header)).then(|| ChannelOrder::new(&names))
}

/// The length of the header of a file of one part [bytes].
pub(super) fn header_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 8;
    while let Some(length) = bytes.get(at..).and_then(attribute_length) {
        at += length;
    }
    (bytes.get(at) == Some(&0)).then_some(at + 1)
}
