//! Denoising of a picture with its layers, for `denoise`, `render` and `merge`.
//!
//! The components and the light groups of a picture add up to it. Each layer is denoised separately with the features
//! of the picture; then the layers are corrected, value by value, so that their sum is the denoised picture to rounding
//! (see [`fit_sum`]). Scaling the noisy layers to the denoised picture would also keep the sum, but would keep the
//! noise of their differences, and is undefined where the noisy picture is black.
//!
//! Alpha is denoised as well, because shadow catchers make it as noisy as the picture.
//!
//! Directly visible emission has noise only at edges, and filtering gives small bright lights a halo. If the layer
//! `emission` exists, it is subtracted before denoising and added afterwards.

use half::f16;
use shading::Diagnostic;

use crate::layers::Layered;
use renderer_denoise::{DenoiseError, Denoiser, Quality, fit_sum};
use renderer_image::{Image, SampleType};
use renderer_passes::{COMPONENTS, PassDesc};
use renderer_scene::SceneDesc;

/// The features, with the names of their channels: those of the passes `albedo` and `N`.
pub const FEATURES: [(&str, [&str; 3]); 2] = [("albedo", RGB), ("N", ["X", "Y", "Z"])];

/// Layer of the emission that is seen directly.
const EMISSION: &str = "emission";

const RGB: [&str; 3] = ["R", "G", "B"];

const ALPHA: &str = "A";

/// Layer of the picture before denoising.
const NOISY: &str = "noisy";

/// Relative difference up to which layers count as adding up to the picture: all values are rounded.
const ROUNDING: f64 = 1e-3;

/// The features that are not among the passes of a scene and of the command line.
pub fn missing_features(desc: &SceneDesc, aov: &[String]) -> Vec<String> {
    let scene = desc.film.passes.iter().map(|pass| pass.value.clone());
    // Errors are reported where the passes are read.
    let asked = aov.iter().flat_map(|text| PassDesc::parse(text).unwrap_or_default());
    let known: Vec<PassDesc> = scene.chain(asked).collect();
    let features = FEATURES.iter().map(|(name, _)| *name).chain([EMISSION]);
    features
        .map(str::to_owned)
        .filter(|name| known.iter().all(|desc| desc.name != *name || desc.what != *name))
        .collect()
}

/// The warning about parts of these passes, which lack features.
pub fn without_features(passes: &[String]) -> Option<Diagnostic> {
    let has = |name: &str| passes.contains(&format!("{name}={name}"));
    let lacks = FEATURES.iter().any(|(name, _)| !has(name));
    let message =
        "the parts have no albedo and N, which keep textures and edges sharp when the picture is denoised";
    lacks.then(|| Diagnostic::warning(message).hint("`kiln render --denoise` puts them into a part"))
}

/// Denoising of the picture of a render or merge.
#[derive(Clone, Debug)]
pub struct Denoising {
    quality: Quality,
    threads: usize,
    /// Layers that were rendered as features only.
    pub hidden: Vec<String>,
}

impl Denoising {
    /// Denoising of a quality with a number of threads (0: one per core).
    pub fn new(quality: Quality, threads: usize) -> Denoising {
        Denoising { quality, threads, hidden: vec![] }
    }

    /// The denoised picture without the hidden layers; if that fails, the noisy picture and the error.
    pub fn apply(&self, layered: Layered) -> (Layered, Option<DenoiseError>) {
        let denoised = Denoiser::open(self.threads).and_then(|denoiser| {
            let denoised = denoise(&layered, &denoiser, self.quality)?;
            denoised.ok_or(DenoiseError::Image("color"))
        });
        match denoised {
            Ok(denoised) => (self.without_hidden(denoised), None),
            Err(error) => (self.without_hidden(layered), Some(error)),
        }
    }

    /// The picture only, for a viewer during the render, always with the small network.
    pub fn preview(&self, layered: &Layered) -> Result<Image, DenoiseError> {
        let denoiser = Denoiser::open(self.threads)?;
        let denoised = denoise(&without_light(layered), &denoiser, Quality::Fast)?;
        Ok(denoised.ok_or(DenoiseError::Image("color"))?.picture)
    }

    /// The picture without the hidden layers.
    pub fn without_hidden(&self, layered: Layered) -> Layered {
        let is_kept = |name: &String| {
            let layer = name.rsplit_once('.').map_or("", |(layer, _)| layer);
            !self.hidden.iter().any(|hidden| hidden == layer)
        };
        let kept: Vec<usize> = (0..layered.names.len())
            .filter(|&channel| is_kept(&layered.names[channel]))
            .collect();
        if kept.len() == layered.names.len() {
            return layered;
        }
        with_channels(&layered, &kept)
    }
}

/// A picture with only these channels in its layers.
fn with_channels(layered: &Layered, kept: &[usize]) -> Layered {
    let names = kept.iter().map(|&channel| layered.names[channel].clone());
    Layered {
        image: channels_of(&layered.image, kept),
        names: names.collect(),
        samples: kept.iter().map(|&channel| layered.samples[channel]).collect(),
        picture: layered.picture.clone(),
        metadata: layered.metadata.clone(),
    }
}

/// A picture with only those of its layers that the filter reads.
fn without_light(layered: &Layered) -> Layered {
    let [albedo, normal] = FEATURES.map(|(layer, names)| channels(layered, layer, names));
    let read = [channels(layered, "", RGB), albedo, normal, channels(layered, EMISSION, RGB)];
    let kept: Vec<usize> = read.into_iter().flatten().flatten().chain(alpha(layered)).collect();
    with_channels(layered, &kept)
}

/// A picture denoised with its layers of light; the noisy one becomes the layer `noisy`. `None` if there are no channels
/// R, G and B.
pub fn denoise(
    layered: &Layered,
    denoiser: &Denoiser,
    quality: Quality,
) -> Result<Option<Layered>, DenoiseError> {
    let Some(places) = channels(layered, "", RGB) else {
        return Ok(None);
    };
    let noisy = channels_of(&layered.image, &places);
    let [albedo, normal] = FEATURES.map(|(layer, names)| {
        let places = channels(layered, layer, names)?;
        let mut feature = channels_of(&layered.image, &places);
        // Rounded as in the file, so that `kiln denoise` of the file gives equal results.
        if layered.samples[places[0]] == SampleType::F16 {
            (feature.data.iter_mut()).for_each(|v| *v = f16::from_f32(*v).to_f32());
        }
        Some(feature)
    });
    let size = (noisy.width, noisy.height);
    let features = denoiser.features(size, albedo.as_ref(), normal.as_ref(), quality)?;
    let emission = channels(layered, EMISSION, RGB).map(|places| channels_of(&layered.image, &places));
    let reflected = match &emission {
        Some(emission) => combined(&noisy, emission, |noisy, emission| noisy - emission),
        None => noisy.clone(),
    };
    let clean_reflected = denoiser.denoise_with(&reflected, &features, quality)?;
    let clean = match &emission {
        Some(emission) => combined(&clean_reflected, emission, |clean, emission| clean + emission),
        None => clean_reflected.clone(),
    };
    let mut denoised = layered.clone();
    set_channels(&mut denoised.image, &places, &clean);
    set_channels(&mut denoised.picture, &[0, 1, 2], &clean);
    if let Some(alpha) = alpha(layered) {
        let noisy = channels_of(&layered.image, &[alpha]);
        let clean = denoiser.denoise_alpha(&noisy, &features, quality)?;
        set_channels(&mut denoised.image, &[alpha], &clean);
        if denoised.picture.channels == 4 {
            set_channels(&mut denoised.picture, &[3], &clean);
        }
    }
    let [components, groups] = families(layered);
    let sums = [(components, &reflected, &clean_reflected), (groups, &noisy, &clean)];
    for (family, noisy, clean) in sums {
        let layers = denoise_family(&layered.image, &family, (noisy, clean), |layer| {
            denoiser.denoise_with(layer, &features, quality)
        })?;
        for (places, layer) in family.iter().zip(&layers) {
            set_channels(&mut denoised.image, places, layer);
        }
    }
    let kept: Vec<usize> = places.into_iter().chain(alpha(layered)).collect();
    denoised.image = denoised.image.with_channels(&channels_of(&layered.image, &kept));
    for &channel in &kept {
        denoised.names.push(format!("{NOISY}.{}", layered.names[channel]));
        denoised.samples.push(SampleType::F32);
    }
    let text = match quality {
        Quality::Fast => "fast",
        Quality::High => "high",
    };
    denoised.metadata.push(("kiln.denoise".to_owned(), text.into()));
    Ok(Some(denoised))
}

/// Place of the picture's alpha.
fn alpha(layered: &Layered) -> Option<usize> {
    layered.names.iter().position(|name| name == ALPHA)
}

/// Returns whether a picture was denoised.
pub fn is_denoised(layered: &Layered) -> bool {
    channels(layered, NOISY, RGB).is_some()
}

/// Channels of a layer of light.
type Places = [usize; 3];

/// The layers of light, in sets that may add up: components but emission to the picture without it, and light groups to
/// the picture.
fn families(layered: &Layered) -> [Vec<Places>; 2] {
    let components = COMPONENTS.iter().map(|(name, _)| (*name).to_owned());
    let components = components.filter(|name| name != EMISSION);
    let groups = layered.names.iter().filter_map(|name| {
        let layer = name.strip_suffix(".R")?;
        layer.starts_with("light_").then(|| layer.to_owned())
    });
    [components.collect::<Vec<_>>(), groups.collect()].map(|layers| {
        let places = layers.iter().filter_map(|layer| channels(layered, layer, RGB));
        places.collect()
    })
}

/// Denoises layers; those that add up to the noisy picture add up to the clean one afterwards.
fn denoise_family(
    image: &Image,
    family: &[Places],
    (noisy, clean): (&Image, &Image),
    denoise: impl Fn(&Image) -> Result<Image, DenoiseError>,
) -> Result<Vec<Image>, DenoiseError> {
    let layers: Vec<Image> = family.iter().map(|places| channels_of(image, places)).collect();
    let mut denoised: Vec<Image> = layers.iter().map(denoise).collect::<Result<_, _>>()?;
    let light = |layer: &Image| -> f64 { layer.data.iter().map(|&v| f64::from(v)).sum() };
    let brightest = (0..layers.len()).max_by(|&a, &b| light(&layers[a]).total_cmp(&light(&layers[b])));
    if let Some(brightest) = brightest.filter(|_| add_up(&layers, noisy)) {
        fit_sum(&mut denoised, clean, brightest);
    }
    Ok(denoised)
}

/// Returns whether the sum of layers is the picture.
fn add_up(layers: &[Image], picture: &Image) -> bool {
    let (mut difference, mut total) = (0.0, 0.0);
    for (index, &value) in picture.data.iter().enumerate() {
        let sum: f64 = layers.iter().map(|layer| f64::from(layer.data[index])).sum();
        let value = f64::from(value);
        difference += (sum - value).abs();
        total += value.abs();
    }
    // Not-a-number is no sum.
    difference <= ROUNDING * total
}

/// Places of the channels of a layer; of the picture if its name is empty.
fn channels(layered: &Layered, layer: &str, names: [&str; 3]) -> Option<Places> {
    let place = |channel: &str| {
        let matches = |name: &String| match name.rsplit_once('.') {
            Some((of, rest)) => of == layer && rest == channel,
            None => layer.is_empty() && name == channel,
        };
        layered.names.iter().position(matches)
    };
    let [a, b, c] = names.map(place);
    Some([a?, b?, c?])
}

/// An image of some channels of another one.
fn channels_of(image: &Image, places: &[usize]) -> Image {
    let pixels = image.data.chunks_exact(image.channels);
    Image {
        channels: places.len(),
        data: pixels.flat_map(|pixel| places.iter().map(|&place| pixel[place])).collect(),
        window: image.window,
        ..Image::new(image.width, image.height, 0)
    }
}

/// The image of a function of the values of two images.
fn combined(a: &Image, b: &Image, f: impl Fn(f32, f32) -> f32) -> Image {
    let values = a.data.iter().zip(&b.data);
    Image {
        data: values.map(|(&a, &b)| f(a, b)).collect(),
        window: a.window,
        ..Image::new(a.width, a.height, a.channels)
    }
}

/// Sets some channels of an image.
fn set_channels(image: &mut Image, places: &[usize], values: &Image) {
    let pixels = image.data.chunks_exact_mut(image.channels);
    for (pixel, values) in pixels.zip(values.data.chunks_exact(places.len())) {
        for (&place, &value) in places.iter().zip(values) {
            pixel[place] = value;
        }
    }
}
