//! Image reader: EXR, TIFF, Radiance HDR, PNG, JPEG, TGA, BMP, WebP, PGM, PPM and PFM.

use std::io::Cursor;
use std::path::Path;

use image::{DynamicImage, ImageFormat, ImageReader, Limits};

use super::exr_read::{self, ExrFile};
use super::hdr_orientation::HdrOrientation;
use super::limit::{MAX_BYTES, check_size};
use super::{Format, Image, ImageError, MetaValue, NamedChannels, Raster, Samples};
use super::{netpbm, tiff_read};
use renderer_base::files::{DiskFiles, Files};

/// Reads an image: grey, grey with alpha, RGB or RGBA (of a TIFF all channels), values in the file's own colour space (see
/// [`Image::into_linear`]).
///
/// If an EXR has several layers, reads the unnamed one, else the first with colour.
///
/// # Errors
/// When the file is missing, damaged, empty or of an unsupported kind.
pub fn read(path: &Path) -> Result<Image, ImageError> {
    read_from(&DiskFiles, path)
}

/// Like [`read`], but reads from `files` instead of the disk.
///
/// # Errors
/// As [`read`].
pub fn read_from(files: &dyn Files, path: &Path) -> Result<Image, ImageError> {
    let bytes = files.read(path).map_err(|e| ImageError::from_read(path, e))?;
    Ok(decode(path, &bytes)?.into_image())
}

/// Decodes a file's bytes. `path` identifies the image in errors and gives the extension for formats without magic
/// bytes; it need not exist.
///
/// # Errors
/// When the bytes are damaged, empty or of an unsupported kind.
pub fn decode(path: &Path, bytes: &[u8]) -> Result<Raster, ImageError> {
    match Format::detect(path, bytes) {
        Some(Format::Exr) => exr_read::decode(path, bytes)?.into_raster(path),
        Some(Format::Tiff) => tiff_read::decode(path, bytes),
        Some(Format::Netpbm) => netpbm::decode(path, bytes),
        Some(format) => decode_other(path, bytes, format),
        None => Err(ImageError::unknown_format(path)),
    }
}

/// Reads all channels of a file by name. Files other than EXR have `R`, `G`, `B` or `Y`, and `A`.
///
/// # Errors
/// As [`read`]; also when an EXR's layers differ in size.
pub fn read_channels(path: &Path) -> Result<NamedChannels, ImageError> {
    let bytes = DiskFiles.read(path).map_err(|e| ImageError::from_read(path, e))?;
    if Format::detect(path, &bytes) == Some(Format::Exr) {
        return exr_read::decode(path, &bytes)?.into_named_channels(path);
    }
    let image = decode(path, &bytes)?.into_image();
    let plane = |c: usize| image.data.iter().skip(c).step_by(image.channels).copied().collect();
    let names = usual_names(image.channels).into_iter();
    let planes = names.enumerate().map(|(c, name)| (name, plane(c))).collect();
    let Image { width, height, window, .. } = image;
    Ok(NamedChannels { width, height, planes, window, metadata: Vec::new() })
}

/// Default names of `count` channels, for files that do not name them.
pub(super) fn usual_names(count: usize) -> Vec<String> {
    let usual: &[&str] = match count {
        1 => &["Y"],
        2 => &["Y", "A"],
        _ => &["R", "G", "B", "A"],
    };
    let name = |c: usize| usual.get(c).map_or_else(|| format!("channel{c}"), |&name| name.to_owned());
    (0..count).map(name).collect()
}

/// Reads the key-value pairs that an EXR carries, sorted by key; none for other formats.
///
/// # Errors
/// When the file is missing or its header damaged.
pub fn read_metadata(path: &Path) -> Result<Vec<(String, MetaValue)>, ImageError> {
    let bytes = DiskFiles.read(path).map_err(|e| ImageError::from_read(path, e))?;
    match Format::detect(path, &bytes) {
        Some(Format::Exr) => ExrFile::metadata_of(path, &bytes),
        _ => Ok(Vec::new()),
    }
}

fn decode_other(path: &Path, bytes: &[u8], format: Format) -> Result<Raster, ImageError> {
    let file_format = match format {
        Format::Exr | Format::Tiff | Format::Netpbm => unreachable!("they have readers of their own"),
        Format::Hdr => ImageFormat::Hdr,
        Format::Png => ImageFormat::Png,
        Format::Jpeg => ImageFormat::Jpeg,
        Format::Tga => ImageFormat::Tga,
        Format::Bmp => ImageFormat::Bmp,
        Format::WebP => ImageFormat::WebP,
    };
    // The decoder supports one of the two signatures.
    let renamed = bytes.strip_prefix(b"#?RGBE").map(|rest| [b"#?RADIANCE", rest].concat());
    let bytes = renamed.as_deref().unwrap_or(bytes);
    let turned = (format == Format::Hdr).then(|| HdrOrientation::unusual(bytes)).flatten();
    let (orientation, bytes) = match &turned {
        Some((orientation, bytes)) => (Some(*orientation), bytes.as_slice()),
        None => (None, bytes),
    };
    let convert = |e| match e {
        image::ImageError::Unsupported(e) => ImageError::unsupported(path, e),
        e => ImageError::damaged(path, format.name(), e),
    };
    let open = || {
        let mut reader = ImageReader::with_format(Cursor::new(bytes), file_format);
        let mut limits = Limits::default();
        limits.max_alloc = Some(MAX_BYTES);
        reader.limits(limits);
        reader
    };
    if format == Format::Jpeg && !jpeg_has_end(bytes) {
        return Err(ImageError::damaged(path, format.name(), "it stops before its end marker"));
    }
    let (width, height) = open().into_dimensions().map_err(convert)?;
    let (mut width, mut height) = (width as usize, height as usize);
    check_size(path, [width, height, 4], bytes.len())?;
    let decoded = open().decode().map_err(convert)?;
    let (channels, mut samples) = samples_of(decoded);
    if let (Some(orientation), Samples::F32(read)) = (orientation, &mut samples) {
        let ([w, h], placed) = orientation.place([width, height], read);
        (width, height, *read) = (w, h, placed);
    }
    Ok(Raster { width, height, channels, samples, window: None })
}

/// Returns whether an end marker follows the last scan. The decoder fills the missing part of a truncated file with
/// grey.
fn jpeg_has_end(bytes: &[u8]) -> bool {
    // Within a scan 0xff is followed by zero, so that neither marker can occur by coincidence; the markers of a
    // thumbnail come before the picture's first scan.
    let last = |marker: u8| bytes.windows(2).rposition(|pair| pair == [0xff, marker]);
    last(0xda).is_some_and(|scan| last(0xd9).is_some_and(|end| end > scan))
}

fn samples_of(image: DynamicImage) -> (usize, Samples) {
    let channels = usize::from(image.color().channel_count());
    let samples = match image {
        DynamicImage::ImageLuma8(i) => Samples::U8(i.into_raw()),
        DynamicImage::ImageLumaA8(i) => Samples::U8(i.into_raw()),
        DynamicImage::ImageRgb8(i) => Samples::U8(i.into_raw()),
        DynamicImage::ImageRgba8(i) => Samples::U8(i.into_raw()),
        DynamicImage::ImageLuma16(i) => Samples::U16(i.into_raw()),
        DynamicImage::ImageLumaA16(i) => Samples::U16(i.into_raw()),
        DynamicImage::ImageRgb16(i) => Samples::U16(i.into_raw()),
        DynamicImage::ImageRgba16(i) => Samples::U16(i.into_raw()),
        DynamicImage::ImageRgb32F(i) => Samples::F32(i.into_raw()),
        DynamicImage::ImageRgba32F(i) => Samples::F32(i.into_raw()),
        // The enum is non-exhaustive: types of later versions are converted.
        other => return (4, Samples::F32(other.into_rgba32f().into_raw())),
    };
    (channels, samples)
}
