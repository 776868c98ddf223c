//! TIFF writer: deflated strips, any number of channels, deterministic bytes.

use std::io::Cursor;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use half::f16;
use tiff::encoder::TiffEncoder;
use tiff::tags::{CompressionMethod, PhotometricInterpretation, PlanarConfiguration, Tag};

use super::{Image, MetaValue, SampleType, WriteOptions};

/// Approximate size of a strip before compression [bytes].
const STRIP_BYTES: usize = 1 << 18;

/// TIFF's numbers for the kinds of samples.
const UNSIGNED: u16 = 1;
const SIGNED: u16 = 2;
const FLOATING: u16 = 3;

/// Extra samples that are no alpha, and those that are premultiplied alpha.
const UNSPECIFIED: u16 = 0;
const ASSOCIATED_ALPHA: u16 = 1;

/// Encodes an image without a transfer curve; integers represent `[0,1]`.
pub(super) fn encode(image: &Image, options: &WriteOptions) -> Result<Vec<u8>, String> {
    let mut file = Cursor::new(Vec::new());
    write(image, options, &mut file).map_err(|e| e.to_string())?;
    Ok(file.into_inner())
}

fn write(image: &Image, options: &WriteOptions, file: &mut Cursor<Vec<u8>>) -> tiff::TiffResult<()> {
    let samples = options.samples;
    let (bits, format) = match samples {
        SampleType::U8 => (8u16, UNSIGNED),
        SampleType::U16 => (16, UNSIGNED),
        SampleType::F16 => (16, FLOATING),
        SampleType::F32 => (32, FLOATING),
        SampleType::I32 => (32, SIGNED),
    };
    let row = image.width * image.channels;
    let rows = (STRIP_BYTES * 8 / (row * usize::from(bits)).max(1)).clamp(1, image.height);
    let mut encoder = TiffEncoder::new(file)?;
    let mut directory = encoder.image_directory()?;
    let (mut offsets, mut sizes) = (vec![], vec![]);
    for strip in image.data.chunks(row * rows) {
        let mut deflate = ZlibEncoder::new(Vec::new(), Compression::default());
        deflate.write_all(&bytes(strip, samples))?;
        let strip = deflate.finish()?;
        sizes.push(strip.len() as u32);
        offsets.push(directory.write_data(&strip[..])? as u32);
    }
    // Readers drop channels after RGB, but keep those after grey.
    let (color, photometric) = match image.channels {
        3 | 4 => (3, PhotometricInterpretation::RGB),
        _ => (1, PhotometricInterpretation::BlackIsZero),
    };
    directory.write_tag(Tag::ImageWidth, image.width as u32)?;
    directory.write_tag(Tag::ImageLength, image.height as u32)?;
    directory.write_tag(Tag::BitsPerSample, &vec![bits; image.channels][..])?;
    directory.write_tag(Tag::SampleFormat, &vec![format; image.channels][..])?;
    directory.write_tag(Tag::SamplesPerPixel, image.channels as u16)?;
    directory.write_tag(Tag::Compression, CompressionMethod::Deflate)?;
    directory.write_tag(Tag::PhotometricInterpretation, photometric)?;
    directory.write_tag(Tag::PlanarConfiguration, PlanarConfiguration::Chunky)?;
    directory.write_tag(Tag::RowsPerStrip, rows as u32)?;
    directory.write_tag(Tag::StripOffsets, &offsets[..])?;
    directory.write_tag(Tag::StripByteCounts, &sizes[..])?;
    if image.channels > color {
        let mut extra = vec![UNSPECIFIED; image.channels - color];
        if matches!(image.channels, 2 | 4) {
            extra[0] = ASSOCIATED_ALPHA;
        }
        directory.write_tag(Tag::ExtraSamples, &extra[..])?;
    }
    let software = options.metadata.iter().find(|(key, _)| key == "kiln.version");
    if let Some((_, MetaValue::Text(version))) = software {
        directory.write_tag(Tag::Software, &*format!("Kiln {version}"))?;
    }
    directory.finish()
}

fn bytes(values: &[f32], samples: SampleType) -> Vec<u8> {
    // The conversions saturate, and map NaN to zero.
    let scaled = |v: f32, most: f32| v.clamp(0.0, 1.0) * most + 0.5;
    match samples {
        SampleType::U8 => values.iter().map(|&v| scaled(v, 255.0) as u8).collect(),
        SampleType::U16 => {
            let values = values.iter().map(|&v| scaled(v, 65535.0) as u16);
            values.flat_map(u16::to_ne_bytes).collect()
        }
        SampleType::F16 => {
            let values = values.iter().map(|&v| f16::from_f32(v));
            values.flat_map(f16::to_ne_bytes).collect()
        }
        SampleType::F32 => values.iter().flat_map(|v| v.to_ne_bytes()).collect(),
        SampleType::I32 => values.iter().flat_map(|&v| (v as i32).to_ne_bytes()).collect(),
    }
}
