//! Views of the layers of an image: displayable pictures of light, directions, depths, identifiers and other values.

use renderer_base::color::Rgb;
use renderer_base::math::{exp2, log2};
use renderer_image::{Image, MetaValue, NamedChannels, ToneMap, linear_from_srgb};

/// A layer and how it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerView {
    /// Name of the layer; [`PICTURE`] for the channels without one.
    pub name: String,
    kind: ViewKind,
    /// Channels in the file, in the order of the view.
    channels: Vec<usize>,
}

/// Name of the layer of the picture itself.
pub const PICTURE: &str = "picture";

/// Kind of a layer's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ViewKind {
    /// Radiance, with exposure and tone curve.
    Light,
    /// Colours in `[0,1]`, as they are.
    Color,
    /// Vectors in `[-1,1]`, as colours around grey.
    Direction,
    /// Values without bounds, from the least to the greatest of each channel.
    Range,
    /// Distances, the near ones bright.
    Depth,
    /// One value, grey; above 1 over the greatest.
    Value,
    /// Integers, a colour for each.
    Number,
    /// Pairs of identifier and coverage, a colour for each identifier.
    Identifiers,
}

/// A layer as a display shows it.
pub struct View {
    /// Linear RGB in `[0,1]`.
    pub image: Image,
    /// Exposure that a layer of light has got [stops].
    pub exposure: f32,
}

/// The views of the layers of a file, the picture first, then in the order of the file. Layers of one Cryptomatte share
/// a view.
pub fn views(file: &NamedChannels) -> Vec<LayerView> {
    let cryptomattes = cryptomattes(file);
    let mut layers: Vec<(String, Vec<usize>)> = vec![];
    for (place, (name, _)) in file.planes.iter().enumerate() {
        let layer = name.rsplit_once('.').map_or("", |(layer, _)| layer);
        let stem = layer.trim_end_matches(|c: char| c.is_ascii_digit());
        let layer = match cryptomattes.iter().any(|known| known == stem) {
            // A picture of the identifiers, which some writers add.
            true if stem == layer => continue,
            true => stem,
            false => layer,
        };
        match layers.iter_mut().find(|(known, _)| known == layer) {
            Some((_, channels)) => channels.push(place),
            None => layers.push((layer.to_owned(), vec![place])),
        }
    }
    // Stable: the others stay in their order.
    layers.sort_by_key(|(layer, _)| !layer.is_empty());
    let view = |(layer, channels): (String, Vec<usize>)| match cryptomattes.contains(&layer) {
        true => LayerView {
            channels: in_order(file, channels, &["R", "G", "B", "A"], true),
            kind: ViewKind::Identifiers,
            name: layer,
        },
        false => plain_view(file, layer, channels),
    };
    layers.into_iter().map(view).collect()
}

fn cryptomattes(file: &NamedChannels) -> Vec<String> {
    let names = file.metadata.iter().filter_map(|(key, value)| match value {
        MetaValue::Text(name) if key.starts_with("cryptomatte/") && key.ends_with("/name") => {
            Some(name.clone())
        }
        MetaValue::Text(_) | MetaValue::Int(_) | MetaValue::Float(_) => None,
    });
    names.collect()
}

/// Channels by the order of their names, those of other names last, or layer by layer.
fn in_order(file: &NamedChannels, mut channels: Vec<usize>, order: &[&str], by_layer: bool) -> Vec<usize> {
    channels.sort_by_key(|&channel| {
        let (layer, name) = split(&file.planes[channel].0);
        let rank = order.iter().position(|known| *known == name);
        let layer = if by_layer { layer } else { "" };
        (layer, rank.unwrap_or(order.len()))
    });
    channels
}

fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or(("", name))
}

/// The view of a layer by the names of its channels and its own.
fn plain_view(file: &NamedChannels, layer: String, channels: Vec<usize>) -> LayerView {
    let has = |wanted: &[&str]| {
        let is_there = |name| channels.iter().any(|&c| split(&file.planes[c].0).1 == name);
        wanted.iter().all(|&name| is_there(name))
    };
    let is_unit =
        |channel: &usize| file.planes[*channel].1.iter().all(|v| v.abs() <= 1.001 || !v.is_finite());
    let (kind, order, count): (ViewKind, &[&str], usize) = if has(&["R", "G", "B"]) {
        let kind = match layer.as_str() {
            "albedo" | "first_albedo" | "opacity" => ViewKind::Color,
            _ => ViewKind::Light,
        };
        (kind, &["R", "G", "B", "A"], 3)
    } else if has(&["X", "Y", "Z"]) {
        let kind = match channels.iter().all(is_unit) {
            true => ViewKind::Direction,
            false => ViewKind::Range,
        };
        (kind, &["X", "Y", "Z"], 3)
    } else if has(&["U", "V"]) {
        (ViewKind::Range, &["U", "V"], 2)
    } else if has(&["Z"]) {
        (ViewKind::Depth, &["Z"], 1)
    } else if layer.ends_with("_id") {
        (ViewKind::Number, &["Y"], 1)
    } else {
        (ViewKind::Value, &["Y", "A"], 1)
    };
    let mut channels = in_order(file, channels, order, false);
    channels.truncate(count);
    LayerView {
        name: match layer.as_str() {
            "" => PICTURE.to_owned(),
            _ => layer,
        },
        kind,
        channels,
    }
}

impl LayerView {
    /// The values of the layer, at most four channels of it, with the names of the channels in the layer.
    pub fn values(&self, file: &NamedChannels) -> (Image, Vec<String>) {
        let channels = &self.channels[..self.channels.len().min(4)];
        let mut image = Image {
            window: file.window,
            ..Image::new(file.width, file.height, channels.len())
        };
        for (place, &channel) in channels.iter().enumerate() {
            let pixels = image.data.chunks_exact_mut(channels.len());
            for (pixel, &value) in pixels.zip(&file.planes[channel].1) {
                pixel[place] = value;
            }
        }
        let names = channels.iter().map(|&c| split(&file.planes[c].0).1.to_owned());
        (image, names.collect())
    }

    /// The layer as a display shows it. Without an exposure, dark layers of light get an automatic one.
    pub fn show(&self, file: &NamedChannels, exposure: Option<f32>, tone_map: ToneMap) -> View {
        let planes: Vec<&[f32]> =
            self.channels.iter().map(|&channel| file.planes[channel].1.as_slice()).collect();
        let exposure = match self.kind {
            ViewKind::Light => exposure.unwrap_or_else(|| own_exposure(&planes)),
            _ => 0.0,
        };
        let shown = self.shown(&planes, exposure, tone_map);
        let image = Image::from_fn(file.width, file.height, |x, y| shown(y * file.width + x));
        View { image, exposure }
    }

    /// The colour that is shown of each pixel.
    fn shown<'a>(
        &self,
        planes: &'a [&'a [f32]],
        exposure: f32,
        tone_map: ToneMap,
    ) -> Box<dyn Fn(usize) -> Rgb + 'a> {
        let scale = exp2(exposure);
        let triple = move |pixel: usize| [0, 1, 2].map(|c| planes.get(c).map_or(0.0, |plane| plane[pixel]));
        match self.kind {
            ViewKind::Light => Box::new(move |pixel| {
                let [r, g, b] = tone_map.apply(triple(pixel).map(|v| v * scale));
                Rgb::new(r, g, b)
            }),
            ViewKind::Color => Box::new(move |pixel| rgb(triple(pixel))),
            ViewKind::Direction => Box::new(move |pixel| encoded(triple(pixel).map(|v| 0.5 + 0.5 * v))),
            ViewKind::Range => {
                let ranges: Vec<[f32; 2]> = planes.iter().map(|plane| range(plane)).collect();
                Box::new(move |pixel| {
                    let values = triple(pixel);
                    encoded([0, 1, 2].map(|c| ranges.get(c).map_or(0.0, |&range| within(values[c], range))))
                })
            }
            ViewKind::Depth => {
                let range = range(planes[0]);
                Box::new(move |pixel| encoded([0.9 * (1.0 - within(planes[0][pixel], range)) + 0.05; 3]))
            }
            ViewKind::Value => {
                let [_, most] = range(planes[0]);
                let most = most.max(1.0);
                Box::new(move |pixel| encoded([planes[0][pixel] / most; 3]))
            }
            ViewKind::Number => Box::new(move |pixel| match planes[0][pixel] as u32 {
                0 => Rgb::BLACK,
                number => random_color(number),
            }),
            ViewKind::Identifiers => Box::new(move |pixel| {
                let pairs = planes.chunks_exact(2);
                let covered = pairs.map(|pair| random_color(pair[0][pixel].to_bits()) * pair[1][pixel]);
                covered.fold(Rgb::BLACK, |sum, color| sum + color)
            }),
        }
    }
}

/// Stops that bring the bright parts of dark light near to white; none for light that is bright enough.
fn own_exposure(planes: &[&[f32]]) -> f32 {
    let brightest = |pixel: usize| planes.iter().map(|plane| plane[pixel]).fold(0.0, f32::max);
    let count = planes.first().map_or(0, |plane| plane.len());
    let mut values: Vec<f32> = (0..count).map(brightest).filter(|v| *v > 0.0 && v.is_finite()).collect();
    match values.len() {
        0 => 0.0,
        count => {
            let (_, bright, _) = values.select_nth_unstable_by(count * 98 / 100, f32::total_cmp);
            (-log2(*bright)).floor().clamp(0.0, 20.0)
        }
    }
}

/// Depth beyond which there is nothing [m].
const NOTHING: f32 = 1e9;

/// Least and greatest of the values that are finite and no depth of nothing.
fn range(plane: &[f32]) -> [f32; 2] {
    let known = plane.iter().filter(|v| v.abs() < NOTHING);
    known.fold([f32::INFINITY, f32::NEG_INFINITY], |[least, most], &v| {
        [least.min(v), most.max(v)]
    })
}

/// Place of a value in a range, in `[0,1]`.
fn within(value: f32, [least, most]: [f32; 2]) -> f32 {
    match most > least {
        true => ((value - least) / (most - least)).clamp(0.0, 1.0),
        false => f32::from(u8::from(value >= most)),
    }
}

fn rgb([r, g, b]: [f32; 3]) -> Rgb {
    Rgb::new(r, g, b)
}

/// The light of values that are shown in equal steps.
fn encoded(values: [f32; 3]) -> Rgb {
    rgb(values.map(|v| linear_from_srgb(v.clamp(0.0, 1.0))))
}

/// Colour of an identifier, a function of it, bright enough to be visible.
fn random_color(id: u32) -> Rgb {
    // The finaliser of MurmurHash3 (Appleby 2011): similar numbers get different colours.
    let mut bits = id ^ (id >> 16);
    bits = bits.wrapping_mul(0x85eb_ca6b);
    bits ^= bits >> 13;
    bits = bits.wrapping_mul(0xc2b2_ae35);
    bits ^= bits >> 16;
    encoded([0, 8, 16].map(|shift| 0.15 + 0.85 * f32::from((bits >> shift) as u8) / 255.0))
}
