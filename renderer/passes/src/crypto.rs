//! Identifiers of Cryptomatte: hashes of names.
// Friedman & Jones 2015, "Fully Automatic ID Mattes with Support for Motion Blur and Transparency"; specification 1.2.0.

/// Kind of identifiers of a Cryptomatte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CryptoKind {
    /// Objects.
    Object,
    /// Materials.
    Material,
    /// Assets: imported models.
    Asset,
}

impl CryptoKind {
    /// The kinds.
    pub const ALL: [CryptoKind; 3] = [CryptoKind::Object, CryptoKind::Material, CryptoKind::Asset];

    /// Name of its layers.
    pub fn name(self) -> &'static str {
        match self {
            CryptoKind::Object => "crypto_object",
            CryptoKind::Material => "crypto_material",
            CryptoKind::Asset => "crypto_asset",
        }
    }
}

/// Layers of a Cryptomatte: each has two identifiers with their coverage.
pub const CRYPTO_LAYERS: usize = 3;

/// The names of the layers of a Cryptomatte.
pub fn crypto_layers(name: &str) -> impl Iterator<Item = String> {
    (0..CRYPTO_LAYERS).map(move |layer| format!("{name}{layer:02}"))
}

/// Identifier of a name: its hash, with one bit changed if the hash as `f32` bits is not a normal number.
pub fn crypto_id(name: &str) -> u32 {
    let hash = murmur3_32(name.as_bytes());
    match hash >> 23 & 0xff {
        0 | 0xff => hash ^ 1 << 23,
        _ => hash,
    }
}

/// Identifier as the bits of a channel's `f32`.
pub fn id_as_float(id: u32) -> f32 {
    f32::from_bits(id)
}

/// MurmurHash3 (x86, 32 bits) with the seed 0.
// Appleby 2011, public domain.
pub(super) fn murmur3_32(bytes: &[u8]) -> u32 {
    let scramble = |k: u32| k.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    let mut hash = 0u32;
    let (blocks, tail) = bytes.as_chunks::<4>();
    for &block in blocks {
        hash ^= scramble(u32::from_le_bytes(block));
        hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    let mut last = [0; 4];
    last[..tail.len()].copy_from_slice(tail);
    hash ^= scramble(u32::from_le_bytes(last));
    hash ^= bytes.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_those_of_the_specification() {
        for (name, id, float) in
            [("torus", 4_053_562_365, -1.549_437e30), ("равнина", 2_518_896_926, -1.319_262_9e-25)]
        {
            assert_eq!(crypto_id(name), id, "{name}");
            let ratio = id_as_float(id) / float;
            assert!((ratio - 1.0).abs() < 1e-5, "{name}: {} {float}", id_as_float(id));
        }
    }

    #[test]
    fn identifiers_are_normal_numbers() {
        for i in 0..20_000 {
            assert!(id_as_float(crypto_id(&format!("object {i}"))).is_normal());
        }
    }
}
