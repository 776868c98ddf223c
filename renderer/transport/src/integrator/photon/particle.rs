//! Compact photon record (28 bytes): position, packed direction and normal, half-float power, path length and class.

use glam::Vec3;
use half::f16;

use crate::radiance::MAX_LIGHT_TAGS;
use renderer_base::color::Rgb;
use renderer_base::math::Located;

/// A stored photon.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Photon {
    /// Position, as bits of `f32`.
    p: [u32; 3],
    /// Incident direction: unit vector towards the previous vertex.
    wi: Packed,
    /// Geometric normal on the side of incidence.
    n: Packed,
    /// Power in units of its map, as bits of `f16`.
    power: [u16; 3],
    /// Number of path segments from the light.
    segments: u8,
    /// [`PathKind`] as a number, and the tag of the light in the bits above [`TAG_SHIFT`].
    way: u8,
}

/// Class of a photon's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathKind {
    /// Direct light, or scattered by a diffuse or rough lobe at least once.
    Wide,
    /// Scattered by narrow lobes only, at least once (caustic).
    Caustic,
    /// Scattered by delta lobes only, from a delta light: no camera path can find this light.
    Hidden,
}

/// Position of a light's tag in a photon.
const TAG_SHIFT: u32 = 2;

const _: () = assert!(MAX_LIGHT_TAGS == 1 << (u8::BITS - TAG_SHIFT));

impl PathKind {
    const ALL: [PathKind; 3] = [PathKind::Wide, PathKind::Caustic, PathKind::Hidden];
}

/// A unit vector packed into 32 bits, with an error below 0.1 mrad.
// Cigolle et al. 2014, "A Survey of Efficient Representations for Independent Unit Vectors", section 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Packed(u32);

impl Packed {
    /// Packs a unit vector.
    pub fn new(v: Vec3) -> Packed {
        let v = v / (v.x.abs() + v.y.abs() + v.z.abs());
        let sign = |x: f32| 1f32.copysign(x);
        let (x, y) = if v.z >= 0.0 {
            (v.x, v.y)
        } else {
            ((1.0 - v.y.abs()) * sign(v.x), (1.0 - v.x.abs()) * sign(v.y))
        };
        let quantize = |x: f32| u32::from((x.clamp(-1.0, 1.0) * 32767.0).round() as i16 as u16);
        Packed(quantize(x) | quantize(y) << 16)
    }

    /// Returns the unit vector.
    #[inline]
    pub fn unpack(self) -> Vec3 {
        self.direction().normalize()
    }

    /// Returns a vector in this direction, of a length between 0.5 and 1; cheaper than [`Packed::unpack`].
    #[inline]
    pub(super) fn direction(self) -> Vec3 {
        let number = |bits: u32| f32::from(bits as u16 as i16) * (1.0 / 32767.0);
        let (x, y) = (number(self.0), number(self.0 >> 16));
        let z = 1.0 - x.abs() - y.abs();
        let fold = (-z).max(0.0);
        Vec3::new(x - fold.copysign(x), y - fold.copysign(y), z)
    }
}

impl Photon {
    /// Creates a photon; `power` is in units of its map.
    pub(super) fn new(p: Vec3, wi: Vec3, n: Vec3, power: Rgb, segments: u32, way: PathKind) -> Photon {
        Photon {
            p: p.to_array().map(f32::to_bits),
            wi: Packed::new(wi),
            n: Packed::new(n),
            power: power.to_array().map(half_bits),
            segments: segments.min(255) as u8,
            way: way as u8,
        }
    }

    /// Returns a copy with the tag of its light.
    pub(super) fn tagged(self, tag: u8) -> Photon {
        Photon {
            way: self.kind() | tag << TAG_SHIFT,
            ..self
        }
    }

    /// Tag of its light.
    #[inline]
    pub(super) fn tag(&self) -> u8 {
        self.way >> TAG_SHIFT
    }

    /// [`PathKind`] as a number.
    #[inline]
    fn kind(&self) -> u8 {
        self.way & ((1 << TAG_SHIFT) - 1)
    }

    /// Returns a copy with its power multiplied by `factor`.
    pub(super) fn scaled(self, factor: f32) -> Photon {
        Photon {
            power: (self.power() * factor).to_array().map(half_bits),
            ..self
        }
    }

    /// Incident direction: unit vector towards the previous vertex.
    #[inline]
    pub fn wi(&self) -> Vec3 {
        self.wi.unpack()
    }

    /// Geometric normal on the side of incidence.
    #[inline]
    pub fn n(&self) -> Vec3 {
        self.n.unpack()
    }

    /// Geometric normal on the side of incidence, packed.
    #[inline]
    pub(super) fn packed_n(&self) -> Packed {
        self.n
    }

    /// Power in units of its map.
    #[inline]
    pub fn power(&self) -> Rgb {
        Rgb::from(self.power.map(|bits| f16::from_bits(bits).to_f32()))
    }

    /// Number of path segments from the light.
    #[inline]
    pub fn segments(&self) -> u32 {
        u32::from(self.segments)
    }

    /// Returns whether narrow lobes only have scattered it, at least once.
    #[inline]
    pub fn is_caustic(&self) -> bool {
        self.kind() != PathKind::Wide as u8
    }

    /// Returns whether no camera path can find its light.
    #[inline]
    pub fn is_hidden(&self) -> bool {
        self.kind() == PathKind::Hidden as u8
    }

    /// Size of a serialised photon [bytes].
    pub(super) const BYTES: usize = 28;

    /// Serialises the photon; the bytes are the same on every platform.
    pub(super) fn to_bytes(self) -> [u8; Photon::BYTES] {
        let mut bytes = [0; Photon::BYTES];
        let words = [self.p[0], self.p[1], self.p[2], self.wi.0, self.n.0];
        for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        for (place, half) in bytes[20..26].chunks_exact_mut(2).zip(self.power) {
            place.copy_from_slice(&half.to_le_bytes());
        }
        (bytes[26], bytes[27]) = (self.segments, self.way);
        bytes
    }

    /// Deserialises a photon; `None` if the bytes are invalid.
    pub(super) fn from_bytes(bytes: &[u8; Photon::BYTES]) -> Option<Photon> {
        let word = |i: usize| u32::from_le_bytes(std::array::from_fn(|j| bytes[4 * i + j]));
        let half = |i: usize| u16::from_le_bytes([bytes[20 + 2 * i], bytes[21 + 2 * i]]);
        let photon = Photon {
            p: [word(0), word(1), word(2)],
            wi: Packed(word(3)),
            n: Packed(word(4)),
            power: [half(0), half(1), half(2)],
            segments: bytes[26],
            way: bytes[27],
        };
        let known = PathKind::ALL.iter().any(|&way| way as u8 == photon.kind());
        (known && photon.p().is_finite() && photon.power().is_finite()).then_some(photon)
    }
}

/// Bits of the nearest `f16`, clamped to the largest finite value.
fn half_bits(x: f32) -> u16 {
    f16::from_f32(x.min(f16::MAX.to_f32())).to_bits()
}

impl Located for Photon {
    #[inline]
    fn p(&self) -> Vec3 {
        Vec3::from_array(self.p.map(f32::from_bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_keeps_directions_and_bytes() {
        for i in 0..2000u32 {
            let z = 1.0 - (i as f32 + 0.5) / 1000.0;
            let (sin, cos) = (i as f32 * 2.4).sin_cos();
            let r = (1.0 - z * z).sqrt();
            let v = Vec3::new(r * cos, r * sin, z);
            assert!((Packed::new(v).unpack() - v).length() < 1e-4);
            let photon = Photon::new(
                v,
                v,
                -v,
                Rgb::new(0.1, 2.0, z.abs()),
                i,
                PathKind::ALL[i as usize % 3],
            );
            assert_eq!(Photon::from_bytes(&photon.to_bytes()), Some(photon));
        }
    }
}
