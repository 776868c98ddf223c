//! OpenEXR writer: float or half, ZIP compression, deterministic bytes.

use std::io::Cursor;

use ::exr::image::write::WritableImage;
use ::exr::image::{AnyChannel, AnyChannels, Blocks, Encoding, FlatSamples, Image as ExrImage, Layer};
use ::exr::math::Vec2;
use ::exr::meta::attribute::{AttributeValue, IntegerBounds, LineOrder, Text};
use ::exr::meta::header::{ImageAttributes, LayerAttributes};
use ::exr::prelude::Compression;

use half::f16;

use super::{Image, MetaValue, SampleType, Window, WriteOptions};

/// Encodes an image with these channel names; the error is a message.
pub(super) fn encode(image: &Image, names: &[String], options: &WriteOptions) -> Result<Vec<u8>, String> {
    let channels = names.iter().enumerate().map(|(c, name)| {
        let values = image.data.iter().skip(c).step_by(image.channels).copied();
        let samples = match options.channel_samples.get(c).copied().unwrap_or(options.samples) {
            SampleType::U8 | SampleType::U16 | SampleType::F16 => {
                FlatSamples::F16(values.map(f16::from_f32).collect())
            }
            SampleType::F32 => FlatSamples::F32(values.collect()),
            SampleType::I32 => FlatSamples::U32(values.map(|v| v as i32 as u32).collect()),
        };
        Ok(AnyChannel::new(text(name)?, samples))
    });
    let mut attributes = LayerAttributes::default();
    for (key, value) in &options.metadata {
        let value = match value {
            MetaValue::Text(v) => AttributeValue::Text(text(v)?),
            MetaValue::Int(v) => AttributeValue::I32(*v),
            MetaValue::Float(v) => AttributeValue::F64(*v),
        };
        attributes.other.insert(text(key)?, value);
    }
    let mut display = IntegerBounds::from_dimensions((image.width, image.height));
    if let Some(Window { x, y, full_width, full_height }) = image.window {
        attributes.layer_position = Vec2(x, y);
        display.size = Vec2(full_width as usize, full_height as usize);
    }
    let encoding = Encoding {
        compression: Compression::ZIP16,
        blocks: Blocks::ScanLines,
        // An unspecified order would be the order in which threads finish.
        line_order: LineOrder::Increasing,
    };
    let channels = AnyChannels::sort(channels.collect::<Result<_, String>>()?);
    let layer = Layer::new((image.width, image.height), attributes, encoding, channels);
    let file = ExrImage::new(ImageAttributes::new(display), layer);
    let mut bytes = Cursor::new(Vec::new());
    file.write().non_parallel().to_buffered(&mut bytes).map_err(|e| e.to_string())?;
    let mut bytes = bytes.into_inner();
    sort_attributes(&mut bytes);
    Ok(bytes)
}

/// Puts the header's attributes in the order of their names: the crate keeps some in a hash map and writes them in an
/// order that changes from run to run.
fn sort_attributes(bytes: &mut [u8]) {
    const START: usize = 8;
    let mut at = START;
    let mut attributes: Vec<(&[u8], &[u8])> = Vec::new();
    while let Some(length) = attribute_length(&bytes[at..]) {
        let attribute = &bytes[at..at + length];
        let name = attribute.split(|&b| b == 0).next().unwrap_or_default();
        attributes.push((name, attribute));
        at += length;
    }
    attributes.sort();
    let sorted: Vec<u8> = attributes.iter().flat_map(|(_, attribute)| attribute.iter().copied()).collect();
    bytes[START..START + sorted.len()].copy_from_slice(&sorted);
}

/// The length of the attribute that `bytes` starts with (name, zero, type, zero, 32-bit size, value); `None` at the
/// empty name that ends the header.
pub(super) fn attribute_length(bytes: &[u8]) -> Option<usize> {
    let name = bytes.iter().position(|&b| b == 0).filter(|&n| n > 0)?;
    let kind = bytes[name + 1..].iter().position(|&b| b == 0)?;
    let value = name + 1 + kind + 1;
    let size = u32::from_le_bytes(bytes.get(value..value + 4)?.try_into().ok()?);
    let end = value + 4 + size as usize;
    (end <= bytes.len()).then_some(end)
}

/// Text as UTF-8 bytes, as other programs expect.
fn text(s: &str) -> Result<Text, String> {
    if s.contains('\0') {
        return Err(format!("'{}' cannot be stored in an EXR header", s.escape_debug()));
    }
    Ok(Text::from_slice_unchecked(s.as_bytes()))
}
