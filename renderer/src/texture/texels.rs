//! Stored texels and their way to linear values.

use std::hash::{Hash, Hasher};

use half::f16;

use super::TextureColorSpace;
use crate::image::{Raster, Samples, linear_from_srgb, linear_from_srgb8, srgb8_from_linear};

/// What has to be done to an 8-bit colour to make it linear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// Nothing but scaling to `[0,1]`.
    Linear,
    /// Decoding the sRGB curve.
    Srgb,
}

/// Texels of one level, row-major, channels interleaved.
#[derive(Clone, Debug)]
pub enum Texels {
    /// Eight bits a value, 255 is 1.
    U8(Vec<u8>, Transfer),
    /// Half floats, linear.
    F16(Vec<f16>),
    /// Floats, linear.
    F32(Vec<f32>),
}

impl Texels {
    /// Adds them to a hash, bit by bit.
    pub(super) fn hash_bits(&self, hasher: &mut impl Hasher) {
        match self {
            Texels::U8(v, transfer) => (v, *transfer == Transfer::Srgb).hash(hasher),
            Texels::F16(v) => v.iter().for_each(|x| x.to_bits().hash(hasher)),
            Texels::F32(v) => v.iter().for_each(|x| x.to_bits().hash(hasher)),
        }
    }

    /// The texels of a raster, and how many of its values were not finite and became zero.
    pub(super) fn from_raster(raster: Raster, color_space: TextureColorSpace) -> (Texels, usize) {
        let encoded = match color_space {
            TextureColorSpace::Auto => matches!(raster.samples, Samples::U8(_) | Samples::U16(_)),
            TextureColorSpace::Srgb => true,
            TextureColorSpace::Linear | TextureColorSpace::Raw => false,
        };
        let channels = raster.channels;
        match raster.samples {
            Samples::U8(v) => (
                Texels::U8(v, if encoded { Transfer::Srgb } else { Transfer::Linear }),
                0,
            ),
            Samples::U16(v) => {
                // Sixteen bits are more than half floats hold.
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

    /// Values as narrow as these: the linear `data` of a smaller level.
    pub(super) fn like(&self, data: Vec<f32>, channels: usize) -> Texels {
        match self {
            Texels::U8(_, transfer) => {
                let encode = |(i, v): (usize, f32)| match transfer {
                    Transfer::Srgb if is_color(i % channels, channels) => srgb8_from_linear(v),
                    Transfer::Srgb | Transfer::Linear => (v * 255.0 + 0.5) as u8,
                };
                Texels::U8(data.into_iter().enumerate().map(encode).collect(), *transfer)
            }
            Texels::F16(_) => Texels::F16(data.into_iter().map(f16::from_f32).collect()),
            Texels::F32(_) => Texels::F32(data),
        }
    }

    /// The linear value at `index`, which belongs to the given channel of so many.
    pub(super) fn linear(&self, index: usize, channel: usize, channels: usize) -> f32 {
        match self {
            Texels::U8(v, Transfer::Srgb) if is_color(channel, channels) => linear_from_srgb8(v[index]),
            Texels::U8(v, Transfer::Srgb | Transfer::Linear) => unit_from_u8(v[index]),
            Texels::F16(v) => v[index].to_f32(),
            Texels::F32(v) => v[index],
        }
    }

    /// The linear texel whose first value is at `start`: grey is repeated, missing alpha is 1.
    #[inline]
    pub(super) fn fetch(&self, start: usize, channels: usize) -> [f32; 4] {
        match self {
            Texels::U8(v, Transfer::Srgb) => {
                expand(&v[start..start + channels], linear_from_srgb8, unit_from_u8)
            }
            Texels::U8(v, Transfer::Linear) => {
                expand(&v[start..start + channels], unit_from_u8, unit_from_u8)
            }
            Texels::F16(v) => expand(&v[start..start + channels], f16::to_f32, f16::to_f32),
            Texels::F32(v) => expand(&v[start..start + channels], |v| v, |v| v),
        }
    }

    /// Memory [bytes].
    pub(super) fn bytes(&self) -> usize {
        match self {
            Texels::U8(v, _) => v.len(),
            Texels::F16(v) => v.len() * 2,
            Texels::F32(v) => v.len() * 4,
        }
    }
}

fn expand<T: Copy>(texel: &[T], color: impl Fn(T) -> f32, alpha: impl Fn(T) -> f32) -> [f32; 4] {
    match *texel {
        [grey] => {
            let grey = color(grey);
            [grey, grey, grey, 1.0]
        }
        [grey, a] => {
            let grey = color(grey);
            [grey, grey, grey, alpha(a)]
        }
        [r, g, b] => [color(r), color(g), color(b), 1.0],
        [r, g, b, a] => [color(r), color(g), color(b), alpha(a)],
        _ => unreachable!("a texture has 1 to 4 channels"),
    }
}

/// Whether a channel is colour rather than alpha.
fn is_color(channel: usize, channels: usize) -> bool {
    channel < 3 && !(channels == 2 && channel == 1)
}

fn unit_from_u8(v: u8) -> f32 {
    f32::from(v) * (1.0 / 255.0)
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
    let dropped = values
        .iter_mut()
        .filter(|v| !v.is_finite())
        .map(|v| *v = 0.0)
        .count();
    (values, dropped)
}
