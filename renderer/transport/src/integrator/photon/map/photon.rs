//! Compact photon record (28 bytes): position, packed direction and normal, half-float power; path length, class, layer
//! and light tag.

use glam::Vec3;
use half::f16;

use super::layer::Layer;
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
    wi: OctVector,
    /// Geometric normal on the side of incidence.
    n: OctVector,
    /// Power in units of its map, as bits of `f16`.
    power: [u16; 3],
    /// OctVector fields from the low bits on: [`PathKind`], number of path segments from the light, [`Layer`], light
    /// tag.
    fields: u16,
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
    /// In a medium; see [`MediumLight`].
    InMedium,
}

/// Path of the light that a medium scatters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MediumLight {
    /// Caustic light: scattered by narrow lobes only, at least once.
    Caustic,
    /// Caustic light that no camera path can find.
    Hidden,
    /// Direct light, or light scattered by other lobes or media.
    Indirect,
}

/// Widths of the packed fields, in their order [bits].
const KIND_BITS: u32 = 2;
const SEGMENT_BITS: u32 = 5;
const LAYER_BITS: u32 = 4;
const TAG_BITS: u32 = 5;
const _: () = assert!(KIND_BITS + SEGMENT_BITS + LAYER_BITS + TAG_BITS == u16::BITS);
const _: () = assert!(Layer::COUNT as u32 == 1 << LAYER_BITS && MAX_LIGHT_TAGS == 1 << TAG_BITS);

/// Maximum number of stored segments; longer paths are clamped.
const MAX_STORED_SEGMENTS: u32 = (1 << SEGMENT_BITS) - 1;

impl PathKind {
    const ALL: [PathKind; 4] = [PathKind::Wide, PathKind::Caustic, PathKind::Hidden, PathKind::InMedium];
}

/// A unit vector packed into 32 bits, with an error below 0.1 mrad.
// Cigolle et al. 2014, "A Survey of Efficient Representations for Independent Unit Vectors", section 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OctVector(u32);

impl OctVector {
    /// Packs a unit vector.
    pub fn new(v: Vec3) -> OctVector {
        let v = v / (v.x.abs() + v.y.abs() + v.z.abs());
        let sign = |x: f32| 1f32.copysign(x);
        let (x, y) = if v.z >= 0.0 {
            (v.x, v.y)
        } else {
            ((1.0 - v.y.abs()) * sign(v.x), (1.0 - v.x.abs()) * sign(v.y))
        };
        let quantize = |x: f32| u32::from((x.clamp(-1.0, 1.0) * 32767.0).round() as i16 as u16);
        OctVector(quantize(x) | quantize(y) << 16)
    }

    /// Returns the unit vector.
    #[inline]
    pub fn unpack(self) -> Vec3 {
        self.direction().normalize()
    }

    /// Returns a vector in this direction, of a length between 0.5 and 1; cheaper than [`OctVector::unpack`].
    #[inline]
    pub(crate) fn direction(self) -> Vec3 {
        let number = |bits: u32| f32::from(bits as u16 as i16) * (1.0 / 32767.0);
        let (x, y) = (number(self.0), number(self.0 >> 16));
        let z = 1.0 - x.abs() - y.abs();
        let fold = (-z).max(0.0);
        Vec3::new(x - fold.copysign(x), y - fold.copysign(y), z)
    }
}

impl Photon {
    /// Creates a photon; `power` is in units of its map.
    pub(crate) fn new(
        p: Vec3,
        wi: Vec3,
        n: Vec3,
        power: Rgb,
        segments: u32,
        kind: PathKind,
        layer: Layer,
    ) -> Photon {
        let segments = segments.min(MAX_STORED_SEGMENTS) as u16;
        let layer = u16::from(layer.number()) << (KIND_BITS + SEGMENT_BITS);
        Photon {
            p: p.to_array().map(f32::to_bits),
            wi: OctVector::new(wi),
            n: OctVector::new(n),
            power: power.to_array().map(half_bits),
            fields: kind as u16 | segments << KIND_BITS | layer,
        }
    }

    /// Creates a photon in a medium; `power` is the scattered power in units of its map.
    pub(crate) fn in_medium(p: Vec3, wi: Vec3, power: Rgb, segments: u32, light: MediumLight) -> Photon {
        // Media have no layers.
        let layer = Layer::numbered(light as u8);
        Photon::new(p, wi, wi, power, segments, PathKind::InMedium, layer)
    }

    /// Returns whether the photon is in a medium.
    #[inline]
    pub(crate) fn is_in_medium(&self) -> bool {
        self.kind() == PathKind::InMedium as u16
    }

    /// Returns whether the photon is in a medium and its light has this path.
    #[inline]
    pub(crate) fn is_light(&self, light: MediumLight) -> bool {
        self.is_in_medium() && self.layer() == Layer::numbered(light as u8)
    }

    /// Returns a copy of an untagged photon with this light tag.
    pub(crate) fn tagged(self, tag: u8) -> Photon {
        Photon {
            fields: self.fields | u16::from(tag) << (u16::BITS - TAG_BITS),
            ..self
        }
    }

    /// Light tag.
    #[inline]
    pub(crate) fn tag(&self) -> u8 {
        (self.fields >> (u16::BITS - TAG_BITS)) as u8
    }

    /// Layer of the surface.
    #[inline]
    pub(crate) fn layer(&self) -> Layer {
        let number = self.fields >> (KIND_BITS + SEGMENT_BITS) & ((1 << LAYER_BITS) - 1);
        Layer::numbered(number as u8)
    }

    /// [`PathKind`] as a number.
    #[inline]
    fn kind(&self) -> u16 {
        self.fields & ((1 << KIND_BITS) - 1)
    }

    /// Returns a copy with its power multiplied by `factor`.
    pub(crate) fn scaled(self, factor: f32) -> Photon {
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
    pub(crate) fn packed_n(&self) -> OctVector {
        self.n
    }

    /// Power in units of its map.
    #[inline]
    pub fn power(&self) -> Rgb {
        Rgb::from(self.power.map(|bits| f16::from_bits(bits).to_f32()))
    }

    /// Number of path segments from the light, 31 at most.
    #[inline]
    pub fn segments(&self) -> u32 {
        u32::from(self.fields >> KIND_BITS) & MAX_STORED_SEGMENTS
    }

    /// Returns whether only narrow lobes have scattered the photon, at least once.
    #[inline]
    pub fn is_caustic(&self) -> bool {
        self.kind() != PathKind::Wide as u16 && !self.is_light(MediumLight::Indirect)
    }

    /// Returns whether no camera path can find this light.
    #[inline]
    pub fn is_hidden(&self) -> bool {
        self.kind() == PathKind::Hidden as u16 || self.is_light(MediumLight::Hidden)
    }

    /// Size of a serialised photon [bytes].
    pub(crate) const BYTES: usize = 28;

    /// Serialises the photon; the bytes are the same on every platform.
    pub(crate) fn to_bytes(self) -> [u8; Photon::BYTES] {
        let mut bytes = [0; Photon::BYTES];
        let words = [self.p[0], self.p[1], self.p[2], self.wi.0, self.n.0];
        for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        for (place, half) in bytes[20..26].chunks_exact_mut(2).zip(self.power) {
            place.copy_from_slice(&half.to_le_bytes());
        }
        bytes[26..].copy_from_slice(&self.fields.to_le_bytes());
        bytes
    }

    /// Deserialises a photon; `None` if the bytes are invalid.
    pub(crate) fn from_bytes(bytes: &[u8; Photon::BYTES]) -> Option<Photon> {
        let word = |i: usize| u32::from_le_bytes(std::array::from_fn(|j| bytes[4 * i + j]));
        let half = |i: usize| u16::from_le_bytes([bytes[20 + 2 * i], bytes[21 + 2 * i]]);
        let photon = Photon {
            p: [word(0), word(1), word(2)],
            wi: OctVector(word(3)),
            n: OctVector(word(4)),
            power: [half(0), half(1), half(2)],
            fields: u16::from_le_bytes([bytes[26], bytes[27]]),
        };
        let known = PathKind::ALL.iter().any(|&kind| kind as u16 == photon.kind());
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
            assert!((OctVector::new(v).unpack() - v).length() < 1e-4);
            let photon = Photon::new(
                v,
                v,
                -v,
                Rgb::new(0.1, 2.0, z.abs()),
                i,
                PathKind::ALL[i as usize % 4],
                Layer::numbered(i as u8 % Layer::COUNT),
            )
            .tagged((i % MAX_LIGHT_TAGS as u32) as u8);
            assert_eq!(photon.layer(), Layer::numbered(i as u8 % Layer::COUNT));
            assert_eq!(
                (photon.segments(), u32::from(photon.tag())),
                (i.min(31), i % MAX_LIGHT_TAGS as u32)
            );
            let layer = i as u8 % Layer::COUNT;
            assert_eq!(photon.is_hidden(), i % 4 == 2 || i % 4 == 3 && layer == 1);
            assert_eq!(Photon::from_bytes(&photon.to_bytes()), Some(photon));
        }
    }
}
