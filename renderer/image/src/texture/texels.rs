//! Texel storage (8 and 16 bits, half, float) and conversion to linear values.

use std::ops::Range;

use half::f16;

use super::TextureColorSpace;
use crate::transfer::linear_of_srgb8;
use crate::{Raster, Samples, linear_from_srgb, linear_from_srgb8, srgb8_from_linear};

/// Conversion of 8-bit colours to linear values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// Scaling to `[0,1]` only.
    Linear,
    /// Decoding the sRGB curve.
    Srgb,
}

/// Texels of one level, row-major, channels interleaved.
#[derive(Clone, Debug)]
pub enum Texels {
    /// Eight bits a value, 255 is 1.
    U8(Vec<u8>, Transfer),
    /// Sixteen bits a value, 65535 is 1, linear.
    U16(Vec<u16>),
    /// Half floats, linear.
    F16(Vec<f16>),
    /// Floats, linear.
    F32(Vec<f32>),
}

impl Texels {
    /// The texels of a raster, and the number of non-finite values, which become zero.
    pub(super) fn from_raster(raster: Raster, color_space: TextureColorSpace) -> (Texels, usize) {
        let encoded = match color_space {
            TextureColorSpace::Auto => matches!(raster.samples, Samples::U8(_) | Samples::U16(_)),
            TextureColorSpace::Srgb => true,
            TextureColorSpace::Linear | TextureColorSpace::Raw => false,
        };
        let channels = raster.channels;
        match raster.samples {
            Samples::U8(v) => (Texels::U8(v, if encoded { Transfer::Srgb } else { Transfer::Linear }), 0),
            Samples::U16(v) if !encoded => (Texels::U16(v), 0),
            Samples::U16(v) => {
                // Sixteen bits are more than half floats hold, and decoding them is slow.
                let v = v.into_iter().map(|v| f32::from(v) / 65535.0).collect();
                (Texels::F32(decode(v, channels, encoded)), 0)
            }
            Samples::F16(v) if encoded => {
                let (v, dropped) = drop_non_finite(v.into_iter().map(f16::to_f32).collect());
                (Texels::F32(decode(v, channels, true)), dropped)
            }
            Samples::F16(mut v) => {
                let bad = v.iter_mut().filter(|v| !v.is_finite());
                let dropped = bad.map(|v| *v = f16::ZERO).count();
                (Texels::F16(v), dropped)
            }
            Samples::F32(v) => {
                let (v, dropped) = drop_non_finite(v);
                (Texels::F32(decode(v, channels, encoded)), dropped)
            }
        }
    }

    /// Converts the linear `data` of a smaller level to this type.
    pub(super) fn like(&self, data: &[f32], channels: usize) -> Texels {
        let values = data.iter().copied();
        match self {
            Texels::U8(_, Transfer::Srgb) => {
                let encode = |(c, &v): (usize, &f32)| match is_color(c, channels) {
                    true => srgb8_from_linear(v),
                    false => u8_from_unit(v),
                };
                let texels = data.chunks_exact(channels);
                let encoded = texels.flat_map(|texel| texel.iter().enumerate().map(encode));
                Texels::U8(encoded.collect(), Transfer::Srgb)
            }
            Texels::U8(_, Transfer::Linear) => {
                Texels::U8(values.map(u8_from_unit).collect(), Transfer::Linear)
            }
            Texels::U16(_) => Texels::U16(values.map(|v| (v * 65535.0 + 0.5) as u16).collect()),
            Texels::F16(_) => Texels::F16(values.map(f16::from_f32).collect()),
            Texels::F32(_) => Texels::F32(data.to_vec()),
        }
    }

    /// Writes the linear values of whole texels, from the value at `start` on.
    pub(super) fn linear(&self, start: usize, channels: usize, out: &mut [f32]) {
        let range = start..start + out.len();
        match self {
            Texels::U8(v, Transfer::Linear) => write(out, &v[range], unit_from_u8),
            Texels::U8(v, Transfer::Srgb) => {
                let texels = v[range].chunks_exact(channels);
                for (out, texel) in out.chunks_exact_mut(channels).zip(texels) {
                    for (c, (out, &v)) in out.iter_mut().zip(texel).enumerate() {
                        *out = if is_color(c, channels) {
                            linear_from_srgb8(v)
                        } else {
                            unit_from_u8(v)
                        };
                    }
                }
            }
            Texels::U16(v) => write(out, &v[range], unit_from_u16),
            Texels::F16(v) => write(out, &v[range], f16::to_f32),
            Texels::F32(v) => out.copy_from_slice(&v[range]),
        }
    }

    /// Returns four linear values: channels `first..` of the texel at `start`, which has `channels`; zero where there are
    /// fewer.
    #[inline]
    pub(super) fn fetch(&self, start: usize, first: usize, channels: usize) -> [f32; 4] {
        let count = channels.saturating_sub(first).min(4);
        let range = start + first.min(channels)..start + first.min(channels) + count;
        match self {
            Texels::U8(v, Transfer::Srgb) if first == 0 && channels != 2 => {
                let mut values = spread(&v[range], linear_from_srgb8);
                if count == 4 {
                    values[3] = unit_from_u8(v[start + 3]);
                }
                values
            }
            Texels::U8(v, Transfer::Srgb) => {
                let mut channel = first;
                spread(&v[range], |v| {
                    channel += 1;
                    if is_color(channel - 1, channels) {
                        linear_from_srgb8(v)
                    } else {
                        unit_from_u8(v)
                    }
                })
            }
            Texels::U8(v, Transfer::Linear) => spread(&v[range], unit_from_u8),
            Texels::U16(v) => spread(&v[range], unit_from_u16),
            Texels::F16(v) => spread(&v[range], f16::to_f32),
            Texels::F32(v) => spread(&v[range], |v| v),
        }
    }

    /// Like [`Texels::fetch`], for the texels at four places.
    #[inline]
    pub(super) fn fetch_four(&self, places: [usize; 4], first: usize, channels: usize) -> [[f32; 4]; 4] {
        match (self, channels, first) {
            (Texels::U8(v, Transfer::Srgb), 3, 0) => {
                let (texels, linear) = (v.as_chunks::<3>().0, linear_of_srgb8());
                let value = |v: u8| linear[usize::from(v)];
                each_of(places, |place| {
                    let [r, g, b] = texels[place];
                    [value(r), value(g), value(b), 0.0]
                })
            }
            (Texels::U8(v, Transfer::Srgb), 4, 0) => {
                let (texels, linear) = (v.as_chunks::<4>().0, linear_of_srgb8());
                let value = |v: u8| linear[usize::from(v)];
                each_of(places, |place| {
                    let [r, g, b, a] = texels[place];
                    [value(r), value(g), value(b), unit_from_u8(a)]
                })
            }
            (Texels::U8(v, Transfer::Linear), 3, 0) => {
                let texels = v.as_chunks::<3>().0;
                each_of(places, |place| {
                    let [r, g, b] = texels[place];
                    [unit_from_u8(r), unit_from_u8(g), unit_from_u8(b), 0.0]
                })
            }
            (Texels::F32(v), 3, 0) => {
                let texels = v.as_chunks::<3>().0;
                each_of(places, |place| {
                    let [r, g, b] = texels[place];
                    [r, g, b, 0.0]
                })
            }
            (Texels::F32(v), 4, 0) => {
                let texels = v.as_chunks::<4>().0;
                each_of(places, |place| texels[place])
            }
            _ => each_of(places, |place| self.fetch(place * channels, first, channels)),
        }
    }

    /// Bytes of a value.
    pub(super) fn value_bytes(&self) -> usize {
        match self {
            Texels::U8(..) => 1,
            Texels::U16(_) | Texels::F16(_) => 2,
            Texels::F32(_) => 4,
        }
    }

    /// Appends values as bytes, in the machine's order.
    pub(super) fn write(&self, range: Range<usize>, bytes: &mut Vec<u8>) {
        match self {
            Texels::U8(v, _) => bytes.extend_from_slice(&v[range]),
            Texels::U16(v) => bytes.extend(v[range].iter().flat_map(|v| v.to_ne_bytes())),
            Texels::F16(v) => bytes.extend(v[range].iter().flat_map(|v| v.to_ne_bytes())),
            Texels::F32(v) => bytes.extend(v[range].iter().flat_map(|v| v.to_ne_bytes())),
        }
    }

    /// The texels that [`Texels::write`] wrote, of the type of these.
    pub(super) fn read_like(&self, bytes: Vec<u8>) -> Texels {
        let pairs = |bytes: &[u8]| -> Vec<u16> {
            let pairs = bytes.as_chunks::<2>().0;
            pairs.iter().map(|&pair| u16::from_ne_bytes(pair)).collect()
        };
        match self {
            Texels::U8(_, transfer) => Texels::U8(bytes, *transfer),
            Texels::U16(_) => Texels::U16(pairs(&bytes)),
            Texels::F16(_) => Texels::F16(pairs(&bytes).into_iter().map(f16::from_bits).collect()),
            Texels::F32(_) => {
                let words = bytes.as_chunks::<4>().0;
                Texels::F32(words.iter().map(|&word| f32::from_ne_bytes(word)).collect())
            }
        }
    }

    /// Empty texels of this type.
    pub(super) fn none_like(&self) -> Texels {
        self.read_like(vec![])
    }

    /// Memory [bytes].
    pub(super) fn bytes(&self) -> usize {
        match self {
            Texels::U8(v, _) => v.len(),
            Texels::U16(v) => v.len() * 2,
            Texels::F16(v) => v.len() * 2,
            Texels::F32(v) => v.len() * 4,
        }
    }
}

fn write<T: Copy>(out: &mut [f32], values: &[T], linear: impl Fn(T) -> f32) {
    for (out, &v) in out.iter_mut().zip(values) {
        *out = linear(v);
    }
}

/// The values of `fetch` at four places. Written out: `array::map` is a call for each element.
#[inline(always)]
fn each_of(places: [usize; 4], fetch: impl Fn(usize) -> [f32; 4]) -> [[f32; 4]; 4] {
    let [a, b, c, d] = places;
    [fetch(a), fetch(b), fetch(c), fetch(d)]
}

#[inline]
fn spread<T: Copy>(values: &[T], mut linear: impl FnMut(T) -> f32) -> [f32; 4] {
    match *values {
        [a] => [linear(a), 0.0, 0.0, 0.0],
        [a, b] => [linear(a), linear(b), 0.0, 0.0],
        [a, b, c] => [linear(a), linear(b), linear(c), 0.0],
        [a, b, c, d] => [linear(a), linear(b), linear(c), linear(d)],
        _ => [0.0; 4],
    }
}

/// Returns whether a channel is colour rather than alpha.
fn is_color(channel: usize, channels: usize) -> bool {
    channel < 3 && !(channels == 2 && channel == 1)
}

fn unit_from_u8(v: u8) -> f32 {
    f32::from(v) * (1.0 / 255.0)
}

fn u8_from_unit(v: f32) -> u8 {
    (v * 255.0 + 0.5) as u8
}

fn unit_from_u16(v: u16) -> f32 {
    f32::from(v) * (1.0 / 65535.0)
}

fn decode(mut values: Vec<f32>, channels: usize, encoded: bool) -> Vec<f32> {
    if encoded {
        for texel in values.chunks_exact_mut(channels) {
            for (c, v) in texel.iter_mut().enumerate() {
                if is_color(c, channels) {
                    *v = linear_from_srgb(*v);
                }
            }
        }
    }
    values
}

fn drop_non_finite(mut values: Vec<f32>) -> (Vec<f32>, usize) {
    let dropped = values.iter_mut().filter(|v| !v.is_finite()).map(|v| *v = 0.0).count();
    (values, dropped)
}
