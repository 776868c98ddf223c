//! Image layouts of lightmaps: which images there are, and the value of each channel.

use std::ops::RangeInclusive;

use half::f16;

use renderer_bake::Lightmap;
use renderer_bake::sh::{BANDS, MAX_COEFFICIENTS, ShOrder, band_scale, dominant_color, dominant_direction};
use renderer_base::color::Rgb;
use renderer_inputs::bake_request::Layout;

/// A colour of light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Red,
    Green,
    Blue,
    Luminance,
}

const RGB: [Tone; 3] = [Tone::Red, Tone::Green, Tone::Blue];

impl Tone {
    fn of(self, color: Rgb) -> f32 {
        match self {
            Tone::Red => color.r,
            Tone::Green => color.g,
            Tone::Blue => color.b,
            Tone::Luminance => color.luminance(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Tone::Red => "r",
            Tone::Green => "g",
            Tone::Blue => "b",
            Tone::Luminance => "luminance",
        }
    }
}

/// Quantity in a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// A coefficient, by its number in [`ShOrder::names`].
    Coefficient(usize, Tone),
    Irradiance(Tone),
    /// A component of the direction that most light comes from.
    Direction(usize),
    /// Share of the light that comes from that direction.
    Share,
    /// Irradiance of the light from that direction.
    Color(Tone),
    /// 1 for texels with light, including light copied from a neighbour; else 0.
    Used,
    /// Zero, in images that have a channel more than is needed.
    Nothing,
}

impl Quantity {
    /// Name in files; `None` if empty.
    pub(super) fn name(self) -> Option<String> {
        Some(match self {
            Quantity::Coefficient(index, tone) => format!("{}.{}", ShOrder::Two.names()[index], tone.name()),
            Quantity::Irradiance(tone) => format!("irradiance.{}", tone.name()),
            Quantity::Direction(axis) => format!("direction.{}", ["x", "y", "z"][axis]),
            Quantity::Share => "share".to_owned(),
            Quantity::Color(tone) => format!("color.{}", tone.name()),
            Quantity::Used => "used".to_owned(),
            Quantity::Nothing => return None,
        })
    }
}

/// An image: a file and its channels.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub(super) file: String,
    /// Names of the channels in the file, and their quantities.
    pub(super) channels: Vec<(&'static str, Quantity)>,
}

impl Picture {
    /// Channels named R, G, B and A, which engines and three.js read.
    fn rgba(name: &str, quantities: impl IntoIterator<Item = Quantity>) -> Picture {
        Picture {
            file: format!("{name}.exr"),
            channels: ["R", "G", "B", "A"].into_iter().zip(quantities).collect(),
        }
    }
}

/// The float images of a layout.
pub(super) fn pictures(layout: Layout, order: ShOrder) -> Vec<Picture> {
    let count = order.coefficients();
    let coefficient = |index: usize, tone| match index < count {
        true => Quantity::Coefficient(index, tone),
        false => Quantity::Nothing,
    };
    let mut pictures: Vec<Picture> = match layout {
        Layout::Rgba => RGB
            .iter()
            .flat_map(|&tone| {
                (0..count.div_ceil(4)).map(move |number| {
                    let name = match number {
                        0 => format!("sh_{}", tone.name()),
                        _ => format!("sh_{}_{}", tone.name(), number + 1),
                    };
                    Picture::rgba(&name, (0..4).map(|lane| coefficient(4 * number + lane, tone)))
                })
            })
            .collect(),
        Layout::Channels => RGB
            .iter()
            .map(|&tone| Picture {
                file: format!("sh_{}.exr", tone.name()),
                channels: (order.names().iter().enumerate())
                    .map(|(index, &name)| (name, Quantity::Coefficient(index, tone)))
                    .collect(),
            })
            .collect(),
        Layout::Coefficients => (order.names().iter().enumerate())
            .map(|(index, name)| {
                Picture::rgba(&format!("sh_{name}"), RGB.map(|tone| Quantity::Coefficient(index, tone)))
            })
            .collect(),
        // The constant coefficient in colour, the others four to a file.
        Layout::Packed => {
            let constant = RGB.map(|tone| Quantity::Coefficient(0, tone));
            let first = Picture::rgba("sh_0", constant.into_iter().chain([Quantity::Used]));
            let others = (0..(count - 1).div_ceil(4)).map(|number| {
                let lanes = (0..4).map(|lane| coefficient(1 + 4 * number + lane, Tone::Luminance));
                Picture::rgba(&format!("sh_{}", number + 1), lanes)
            });
            [first].into_iter().chain(others).collect()
        }
    };
    let direction = [0, 1, 2].map(Quantity::Direction).into_iter();
    pictures.push(Picture::rgba("irradiance", RGB.map(Quantity::Irradiance)));
    pictures.push(Picture::rgba("direction", direction.chain([Quantity::Share])));
    pictures.push(Picture::rgba("color", RGB.map(Quantity::Color)));
    pictures
}

/// Number format of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    /// Half floats.
    Half,
    /// Floats of 32 bits.
    Float,
}

impl Precision {
    /// Name in files.
    pub(super) fn name(self) -> &'static str {
        match self {
            Precision::Half => "half",
            Precision::Float => "float",
        }
    }

    /// Half floats if the maximum of a map, values derived from it, and a thousandth of it are in their range.
    pub(super) fn of(map: &Lightmap) -> Precision {
        const HELD: RangeInclusive<f32> = 0.1..=8000.0;
        let greatest = texels(map)
            .flat_map(|(x, y)| map.coefficients(x, y).iter().copied().chain([map.irradiance(x, y)]))
            .map(|color| color.map(f32::abs).max_component())
            .fold(0.0, f32::max);
        match greatest == 0.0 || HELD.contains(&greatest) {
            true => Precision::Half,
            false => Precision::Float,
        }
    }
}

/// Columns and rows of all texels.
pub(super) fn texels(map: &Lightmap) -> impl Iterator<Item = (u32, u32)> + use<> {
    let (width, height) = (map.width, map.height);
    (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)))
}

/// The value of a channel at a texel.
pub(super) fn value(map: &Lightmap, precision: Precision, (x, y): (u32, u32), quantity: Quantity) -> f32 {
    let dominant = || dominant_direction(map.coefficients(x, y));
    match quantity {
        Quantity::Coefficient(index, tone) => stored(map.coefficients(x, y), precision, tone)[index],
        Quantity::Irradiance(tone) => tone.of(map.irradiance(x, y)),
        Quantity::Direction(axis) => dominant().map_or(0.0, |(direction, _)| direction[axis]),
        Quantity::Share => dominant().map_or(0.0, |(_, share)| share),
        Quantity::Color(tone) => dominant()
            .map_or(0.0, |(direction, _)| tone.of(dominant_color(map.coefficients(x, y), direction))),
        Quantity::Used => f32::from(u8::from(map.is_used(x, y))),
        Quantity::Nothing => 0.0,
    }
}

/// Coefficients of a tone, as stored. Rounding must not enlarge a band beyond the maximum of nonnegative light, because
/// engines divide by the constant coefficient and take square roots.
fn stored(coefficients: &[Rgb], precision: Precision, tone: Tone) -> [f32; MAX_COEFFICIENTS] {
    let mut values = [0.0; MAX_COEFFICIENTS];
    if precision == Precision::Float {
        for (value, &color) in values.iter_mut().zip(coefficients) {
            *value = tone.of(color);
        }
        return values;
    }
    if tone == Tone::Luminance {
        // The luminance of the rounded RGB values, so that it matches the stored constant coefficient.
        let [r, g, b] = RGB.map(|tone| stored(coefficients, precision, tone));
        for (index, value) in values.iter_mut().enumerate() {
            *value = toward_zero(Rgb::new(r[index], g[index], b[index]).luminance());
        }
        return values;
    }
    for (value, &color) in values.iter_mut().zip(coefficients) {
        *value = f16::from_f32(tone.of(color)).to_f32();
    }
    for band in &BANDS {
        let scale = band_scale(&values, band);
        if scale < 1.0 {
            for value in &mut values[band.0.clone()] {
                *value = toward_zero((f64::from(*value) * scale) as f32);
            }
        }
    }
    values
}

/// The half float that is nearest to a number among those that are not longer.
fn toward_zero(v: f32) -> f32 {
    let rounded = f16::from_f32(v);
    if rounded.to_f32().abs() > v.abs() {
        f16::from_bits(rounded.to_bits() - 1).to_f32()
    } else {
        rounded.to_f32()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_some_radiance() {
        use glam::Vec3;
        use renderer_bake::sh::basis;
        let random = |n: u32| ((n as f32 * 0.618_034 + 0.1).fract() * 9_973.7).fract();
        for n in 0..5_000 {
            // Single directions, with magnitudes inside and below the range of half floats.
            let w =
                Vec3::new(random(5 * n) - 0.5, random(3 * n + 1) - 0.5, random(7 * n + 2) - 0.5).normalize();
            let light = Rgb::new(1.0, 0.3, 0.01) * (-20.0 * random(n)).exp();
            let colors: Vec<Rgb> = basis(w).iter().map(|&y| light * y).collect();
            for tone in [Tone::Red, Tone::Green, Tone::Blue, Tone::Luminance] {
                let values = stored(&colors, Precision::Half, tone);
                let constant = match tone {
                    Tone::Luminance => {
                        let [r, g, b] = RGB.map(|tone| stored(&colors, Precision::Half, tone)[0]);
                        Rgb::new(r, g, b).luminance()
                    }
                    _ => values[0],
                };
                for (range, most) in BANDS {
                    let length = values[range].iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt();
                    assert!(length <= most * f64::from(constant) * (1.0 + 1e-7), "{n} {tone:?}: {values:?}");
                }
                let error = (constant - tone.of(colors[0])).abs();
                assert!(error <= 5e-4 * tone.of(colors[0]) + 3e-8, "{n} {tone:?}");
            }
        }
    }

    #[test]
    fn toward_zero_never_lengthens() {
        for n in 0..10_000 {
            let v = (n as f32 - 5_000.0) * 1.234_567e-4;
            let rounded = toward_zero(v);
            assert!(
                rounded.abs() <= v.abs() && (v - rounded).abs() <= 1e-3 * v.abs() + 6e-8,
                "{v} {rounded}"
            );
        }
    }
}
