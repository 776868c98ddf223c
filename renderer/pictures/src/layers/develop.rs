//! Development of layers: from the sums of a film to channels with their names.

use std::collections::HashMap;

use renderer_image::film::Film;
use renderer_image::{Image, SampleType};
use renderer_passes::{CryptoKind, NameClash, Pass, PassDesc, PassError, PassSet, ValuePass, crypto_id};

use super::cryptomatte;
use super::layered::{Channels, Layered, mean};
use crate::part::LayerNames;

/// Depth of pixels that no surface covers [m].
const BACKGROUND_DEPTH: f32 = 1e10;

/// Layers that a part names and that this program does not know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayerError {
    /// A pass is unknown.
    #[error(transparent)]
    Pass(#[from] PassError),
    /// Two passes would have equal layer names.
    #[error(transparent)]
    Names(#[from] NameClash),
}

impl LayerNames {
    /// The names of a film's layers.
    pub fn new(set: &PassSet, manifests: &[Vec<String>]) -> LayerNames {
        LayerNames {
            passes: set.passes().iter().map(ToString::to_string).collect(),
            manifests: manifests.to_vec(),
        }
    }

    /// The passes of these names.
    ///
    /// # Errors
    /// If a pass is unknown, or two passes would have equal layer names.
    pub fn set(&self) -> Result<PassSet, LayerError> {
        let mut passes: Vec<PassDesc> = vec![];
        for text in &self.passes {
            passes.extend(PassDesc::parse(text)?);
        }
        Ok(PassSet::new(passes)?)
    }
}

/// Develops the picture of a film and its layers.
///
/// # Errors
/// When the names are those of unknown passes.
pub fn develop(film: &Film, names: &LayerNames) -> Result<Layered, LayerError> {
    let set = names.set()?;
    // A part may name passes that its film has no sums of.
    let is_whole = set.channels() == film.layout().channels && set.kinds().len() == film.layout().identifiers;
    let set = if is_whole { set } else { PassSet::default() };
    let mut all = Layered::of(film.develop());
    if let Some(channel) = set.channel_of(ValuePass::Alpha) {
        let alpha = alpha(film, &set, channel);
        all.picture = all.picture.with_channels(&alpha);
        all.add(Channels {
            image: alpha,
            names: vec!["A".to_owned()],
            samples: SampleType::F32,
        });
    }
    for (desc, channel) in set.placed() {
        match &desc.pass {
            Pass::Crypto(kind) => cryptomatte::add(&mut all, film, &set, names, *kind, &desc.name),
            Pass::Value(ValuePass::Alpha) => {}
            pass => all.add(layer(film, &set, names, desc, pass, channel)),
        }
    }
    Ok(all)
}

fn layer(
    film: &Film,
    set: &PassSet,
    names: &LayerNames,
    desc: &PassDesc,
    pass: &Pass,
    channel: usize,
) -> Channels {
    let channels = pass.channels();
    let image = match pass {
        Pass::Value(ValuePass::Samples) => film.sample_counts(),
        Pass::Value(ValuePass::Variance) => film.variance().unwrap_or_else(|| means(film, channel, 3)),
        Pass::Value(ValuePass::ObjectId) => number(film, set, names, CryptoKind::Object),
        Pass::Value(ValuePass::MaterialId) => number(film, set, names, CryptoKind::Material),
        Pass::Value(ValuePass::Depth) => of_seen(film, set, channel, 1, BACKGROUND_DEPTH),
        Pass::Value(ValuePass::Position) => of_seen(film, set, channel, 3, 0.0),
        _ => means(film, channel, channels.len()),
    };
    let is_half = matches!(
        pass,
        Pass::Value(
            ValuePass::Normal
                | ValuePass::GeometricNormal
                | ValuePass::Albedo
                | ValuePass::FirstAlbedo
                | ValuePass::Roughness
                | ValuePass::Opacity
                | ValuePass::Facing
        )
    );
    Channels {
        image,
        names: channels.iter().map(|channel| format!("{}.{channel}", desc.name)).collect(),
        samples: if is_half { SampleType::F16 } else { SampleType::F32 },
    }
}

/// The means of `count` channels of a film from one on.
fn means(film: &Film, first: usize, count: usize) -> Image {
    film.develop_layer(count, |index, pixel, out| {
        let sums = film
            .sums()
            .layers()
            .map(|layers| &layers.channels_of(index)[first..first + count]);
        for (out, &sum) in out.iter_mut().zip(sums.into_iter().flatten()) {
            *out = mean(sum, pixel);
        }
    })
}

/// The share of each pixel that is not seen through: of shadow catchers the share of their light that is blocked.
fn alpha(film: &Film, set: &PassSet, channel: usize) -> Image {
    film.develop_layer(1, |index, pixel, out| {
        let Some(sums) = film.sums().layers().map(|layers| layers.channels_of(index)) else {
            return;
        };
        let mut alpha = mean(sums[channel], pixel);
        if let Some(first) = set.shadow() {
            let [caught, all, blocked] = [0, 1, 2].map(|offset| sums[first + offset].to_f64());
            if all > 0.0 {
                let share = blocked / all * caught / f64::from(pixel.count.max(1));
                alpha += share as f32;
            }
        }
        out[0] = alpha.clamp(0.0, 1.0);
    })
}

/// Values as means over the covered part of each pixel, and `outside` without coverage.
fn of_seen(film: &Film, set: &PassSet, first: usize, count: usize, outside: f32) -> Image {
    film.develop_layer(count, |index, _, out| {
        let Some(sums) = film.sums().layers().map(|layers| layers.channels_of(index)) else {
            return;
        };
        let weight = set.weight().map_or(0.0, |channel| sums[channel].to_f64());
        for (out, sum) in out.iter_mut().zip(&sums[first..first + count]) {
            *out = match weight > 0.0 {
                true => (sum.to_f64() / weight) as f32,
                false => outside,
            };
        }
    })
}

/// Number of the name with the largest coverage in each pixel: its index in the list of names, from 1; 0 without
/// coverage.
fn number(film: &Film, set: &PassSet, names: &LayerNames, kind: CryptoKind) -> Image {
    let index_of = set.index_of(kind);
    let list = index_of.and_then(|index| names.manifests.get(index));
    // The first of several names with one hash counts.
    let mut places: HashMap<u32, usize> = HashMap::new();
    for (place, name) in list.into_iter().flatten().enumerate() {
        places.entry(crypto_id(name)).or_insert(place);
    }
    film.develop_layer(1, |pixel, _, out| {
        let weights = index_of.and_then(|index| Some(film.sums().layers()?.weights_of(pixel)[index].list()));
        // The first of equal weights counts.
        let most = weights.into_iter().flatten().rev().max_by_key(|(_, weight)| weight.0);
        let place = most.and_then(|(id, _)| places.get(id));
        out[0] = place.map_or(0.0, |&place| place as f32 + 1.0);
    })
}
