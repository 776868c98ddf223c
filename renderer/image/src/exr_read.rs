//! OpenEXR reader: channels, layers and mip levels; no deep data, no subsampled channels.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use ::exr::image::read::read as exr_reader;
use ::exr::image::{FlatImage, FlatSamples, Levels};
use ::exr::meta::attribute::{LevelMode, SampleType as ExrSampleType};
use ::exr::meta::header::Header;
use ::exr::meta::{BlockDescription, compute_level_size};
use ::exr::prelude::{ReadChannels, ReadLayers};
use half::f16;

use super::exr_channels::{ChannelOrder, groups, lone_missing, pick_color, rank_of};
use super::exr_header::{
    check_dwa_chunks, check_header, convert_error, headers, is_dwa, metadata, picture_info, text, window,
};
use super::picture::{halving, no_such_picture};
use super::{
    Format, ImageError, ImageInfo, MetaValue, NamedChannels, Picture, PictureInfo, Raster, SampleType,
    Samples, Subimage, Window,
};
use renderer_base::memory;

/// A decoded file.
pub(super) struct ExrFile {
    layers: Vec<Layer>,
    metadata: Vec<(String, MetaValue)>,
}

#[derive(Default)]
struct Layer {
    name: String,
    width: usize,
    height: usize,
    window: Option<Window>,
    channels: Vec<Channel>,
    /// Mip levels with the same channels, if requested.
    smaller: Vec<Layer>,
}

impl Layer {
    fn push_zeros(&mut self, name: &str) {
        self.channels.push(Channel {
            name: name.to_owned(),
            samples: FlatSamples::F16(vec![f16::ZERO; self.width * self.height]),
        });
    }
}

struct Channel {
    /// Full name: layers and channel, separated by dots.
    name: String,
    samples: FlatSamples,
}

/// Decodes the bytes of an EXR file.
pub(super) fn decode(path: &Path, bytes: &[u8]) -> Result<ExrFile, ImageError> {
    // Reads the header first, so that unsupported or too large files are refused before decoding.
    let headers = headers(path, bytes)?;
    for header in &headers {
        check_header(path, header, bytes.len())?;
    }
    let bytes_of = |header: &Header| (header.layer_size.area() * header.channels.list.len() * 4) as u64;
    memory::check("the layers", headers.iter().map(bytes_of).sum())
        .map_err(|error| ImageError::unsupported(path, error))?;
    if headers.iter().any(is_dwa) {
        check_dwa_chunks(path, bytes)?;
    }
    let metadata = metadata(&headers);
    // One thread: many textures load in parallel, and the crate would start a pool for each.
    let reader = exr_reader()
        .no_deep_data()
        .largest_resolution_level()
        .all_channels()
        .all_layers();
    let decode = || reader.all_attributes().non_parallel().from_buffered(Cursor::new(bytes));
    // The crate's B44 decoder overflows on damaged blocks (exr 1.74.2, b44/mod.rs, `unpack14`): a panic where overflow
    // is checked, wrong pixels where it is not. The closure has no state that a panic could leave inconsistent.
    let image = catch_unwind(AssertUnwindSafe(decode))
        .map_err(|_| ImageError::damaged(path, "EXR", "its compressed data make no sense"))?;
    let FlatImage { attributes, layer_data } = image.map_err(|e| convert_error(path, e))?;
    let layers = layer_data.into_iter().map(|layer| {
        let prefix = layer.attributes.layer_name.as_ref().map(text);
        let channels = layer.channel_data.list.into_iter().map(|channel| Channel {
            name: full_name(prefix.as_deref(), text(&channel.name)),
            samples: channel.sample_data,
        });
        Layer {
            name: prefix.clone().unwrap_or_default(),
            width: layer.size.width(),
            height: layer.size.height(),
            window: window(&attributes, layer.attributes.layer_position.into(), layer.size.into()),
            channels: channels.collect(),
            smaller: vec![],
        }
    });
    Ok(ExrFile { layers: layers.collect(), metadata })
}

/// Decodes a picture with its mip levels.
pub(super) fn decode_picture(path: &Path, bytes: &[u8], subimage: &Subimage) -> Result<Picture, ImageError> {
    let headers = headers(path, bytes)?;
    let mut file = decode(path, bytes)?;
    let count = file.layers.len();
    if headers
        .iter()
        .any(|header| matches!(header.blocks, BlockDescription::Tiles(tiles) if tiles.level_mode == LevelMode::MipMap))
    {
        file.add_levels(path, bytes)?;
    }
    match subimage {
        Subimage::First => {}
        Subimage::Index(index) if *index < count => file.layers = vec![file.layers.swap_remove(*index)],
        Subimage::Name(name) if file.layers.iter().any(|layer| layer.name == *name) => {
            file.layers.retain(|layer| layer.name == *name);
        }
        Subimage::Index(_) | Subimage::Name(_) => return Err(no_such_picture(path, subimage, count)),
    }
    file.complete();
    let Some((layer, _)) = file.color(true) else {
        return Err(file.no_color(path));
    };
    let names: Vec<String> = layer.channels.iter().map(|c| c.name.clone()).collect();
    let ChannelOrder { list: channels, colors } = ChannelOrder::new(&names);
    let raster = |layer: &Layer| Raster {
        width: layer.width,
        height: layer.height,
        channels: channels.len(),
        samples: interleave(channels.iter().map(|&c| &layer.channels[c].samples).collect()),
        window: layer.window,
    };
    let levels = std::iter::once(layer).chain(&layer.smaller).map(raster);
    Ok(Picture {
        levels: halving(levels.collect()),
        info: PictureInfo { colors: Some(colors), ..picture_info(&headers, count) },
    })
}

impl ExrFile {
    /// The key-value pairs in the header alone.
    pub(super) fn metadata_of(path: &Path, bytes: &[u8]) -> Result<Vec<(String, MetaValue)>, ImageError> {
        Ok(metadata(&headers(path, bytes)?))
    }

    /// Reads the description of a file from its header alone.
    pub(super) fn info_of(path: &Path, bytes: &[u8]) -> Result<ImageInfo, ImageError> {
        let headers = headers(path, bytes)?;
        let Some(first) = headers.first() else {
            return Err(ImageError::damaged(path, "EXR", "it has no layer"));
        };
        let (size, position) = (first.layer_size, first.own_attributes.layer_position);
        let channels = headers.iter().flat_map(|header| {
            let layer = header.own_attributes.layer_name.as_ref().map(text);
            let list = header.channels.list.iter();
            list.map(move |channel| {
                let samples = match channel.sample_type {
                    ExrSampleType::U32 => SampleType::I32,
                    ExrSampleType::F16 => SampleType::F16,
                    ExrSampleType::F32 => SampleType::F32,
                };
                (full_name(layer.as_deref(), text(&channel.name)), samples)
            })
        });
        Ok(ImageInfo {
            format: Format::Exr,
            size: [size.width(), size.height()],
            window: window(&first.shared_attributes, position.into(), size.into()),
            channels: channels.collect(),
            metadata: picture_info(&headers, headers.len()).attributes,
        })
    }

    /// Reads the smaller versions of all layers. The crate reads all levels or one, and the first is at hand.
    fn add_levels(&mut self, path: &Path, bytes: &[u8]) -> Result<(), ImageError> {
        let reader = exr_reader().no_deep_data().all_resolution_levels().all_channels().all_layers();
        let decode = || reader.all_attributes().non_parallel().from_buffered(Cursor::new(bytes));
        let image = catch_unwind(AssertUnwindSafe(decode))
            .map_err(|_| ImageError::damaged(path, "EXR", "its compressed data make no sense"))?
            .map_err(|e| convert_error(path, e))?;
        for (layer, read) in self.layers.iter_mut().zip(image.layer_data) {
            for channel in read.channel_data.list {
                let Levels::Mip { rounding_mode, level_data } = channel.sample_data else {
                    continue;
                };
                for (i, samples) in level_data.into_iter().enumerate().skip(1) {
                    if layer.smaller.len() < i {
                        layer.smaller.push(Layer {
                            width: compute_level_size(rounding_mode, layer.width, i),
                            height: compute_level_size(rounding_mode, layer.height, i),
                            ..Layer::default()
                        });
                    }
                    layer.smaller[i - 1]
                        .channels
                        .push(Channel { name: text(&channel.name), samples });
                }
            }
        }
        Ok(())
    }

    /// Gives colours that lack one of red, green and blue a channel of zeros for it, if there is no other colour: images
    /// of two numbers a pixel, such as directions, are written so.
    fn complete(&mut self) {
        if self.color(false).is_some() {
            return;
        }
        for layer in &mut self.layers {
            let names: Vec<String> = layer.channels.iter().map(|c| c.name.clone()).collect();
            let missing: Vec<String> = groups(&names)
                .into_iter()
                .filter_map(|(group, members)| {
                    let missing = lone_missing(&names, &members)?;
                    Some(if group.is_empty() {
                        missing.to_owned()
                    } else {
                        format!("{group}.{missing}")
                    })
                })
                .collect();
            for name in missing {
                layer.push_zeros(&name);
                layer.smaller.iter_mut().for_each(|level| level.push_zeros(&name));
            }
        }
    }

    /// The first layer with colour, and its colour channels; all channels if colour is not required.
    fn color(&self, any: bool) -> Option<(&Layer, Vec<usize>)> {
        let picks = self.layers.iter().flat_map(|layer| {
            let names: Vec<String> = layer.channels.iter().map(|c| c.name.clone()).collect();
            let pick = |(group, members): (&str, Vec<usize>)| {
                let (rank, picked) = pick_color(&names, &members)?;
                Some(((rank, rank_of(group)), layer, picked))
            };
            groups(&names).into_iter().filter_map(pick).collect::<Vec<_>>()
        });
        let best = picks.min_by_key(|(order, ..)| *order);
        let best = best.map(|(_, layer, picked)| (layer, picked));
        best.or_else(|| {
            let layer = self.layers.first().filter(|_| any)?;
            Some((layer, (0..layer.channels.len()).collect()))
        })
    }

    fn no_color(&self, path: &Path) -> ImageError {
        let channels = self.layers.iter().flat_map(|l| &l.channels);
        let names: Vec<&str> = channels.map(|c| c.name.as_str()).collect();
        let reason = format!("it has no colour channels, only {}", names.join(", "));
        ImageError::unsupported(path, reason)
    }

    /// The colour of the first layer that has one.
    pub(super) fn into_raster(mut self, path: &Path) -> Result<Raster, ImageError> {
        self.complete();
        let (layer, picked) = self.color(false).ok_or_else(|| self.no_color(path))?;
        Ok(Raster {
            width: layer.width,
            height: layer.height,
            channels: picked.len(),
            samples: interleave(picked.iter().map(|&c| &layer.channels[c].samples).collect()),
            window: layer.window,
        })
    }

    /// The channels.
    pub(super) fn into_named_channels(self, path: &Path) -> Result<NamedChannels, ImageError> {
        let Some(first) = self.layers.first() else {
            return Err(ImageError::damaged(path, "EXR", "it has no layer"));
        };
        let (width, height, window) = (first.width, first.height, first.window);
        if self
            .layers
            .iter()
            .any(|l| (l.width, l.height, l.window) != (width, height, window))
        {
            return Err(ImageError::unsupported(path, "its layers differ in size or place"));
        }
        let planes = self.layers.into_iter().flat_map(|l| l.channels);
        let planes = planes.map(|c| (c.name, c.samples.values_as_f32().collect())).collect();
        Ok(NamedChannels { width, height, planes, window, metadata: self.metadata })
    }
}

/// The name of a channel with that of its layer before it, which many writers put into the channel's name as well.
fn full_name(layer: Option<&str>, channel: String) -> String {
    match layer {
        Some(layer) if !layer.is_empty() && !channel.contains('.') => format!("{layer}.{channel}"),
        _ => channel,
    }
}

/// One buffer of interleaved values, as narrow as all channels allow.
fn interleave(channels: Vec<&FlatSamples>) -> Samples {
    let halves: Option<Vec<&Vec<f16>>> = channels
        .iter()
        .map(|c| match c {
            FlatSamples::F16(v) => Some(v),
            FlatSamples::F32(_) | FlatSamples::U32(_) => None,
        })
        .collect();
    let pixels = channels.iter().map(|c| c.len()).min().unwrap_or(0);
    match halves {
        Some(halves) => Samples::F16((0..pixels).flat_map(|i| halves.iter().map(move |c| c[i])).collect()),
        None => {
            let planes: Vec<Vec<f32>> = channels.iter().map(|c| c.values_as_f32().collect()).collect();
            let planes = &planes;
            Samples::F32((0..pixels).flat_map(|i| planes.iter().map(move |c| c[i])).collect())
        }
    }
}
