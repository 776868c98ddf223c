//! KTX2 writer: an image or volume of four floats per pixel, without mipmaps, uncompressed or compressed by Zstandard.
// Khronos Group, "KTX File Format Specification", version 2.0; "Khronos Data Format Specification", version 1.3.

use half::f16;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::Image;

const IDENTIFIER: [u8; 12] = *b"\xabKTX 20\xbb\r\n\x1a\n";

/// Bytes of the header with the index of sections, and of the index of one level.
const HEADER: usize = 80;
const LEVELS: usize = 24;

/// Lossless compression of a KTX2 file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ktx2Compression {
    /// Uncompressed.
    None,
    /// Zstandard, one frame.
    Zstd,
}

impl Ktx2Compression {
    /// Number of the supercompression scheme.
    fn scheme(self) -> u32 {
        match self {
            Ktx2Compression::None => 0,
            Ktx2Compression::Zstd => 2,
        }
    }
}

/// The bytes of a file of an image of four channels, row 0 on top: half floats, or floats of 32 bits.
///
/// # Panics
/// If the image has other than four channels.
pub fn encode_ktx2(image: &Image, is_half: bool, compression: Ktx2Compression) -> Vec<u8> {
    file(image, 0, is_half, compression)
}

/// The bytes of a file of a volume of four channels in half floats: its slices are one below the other in the image.
///
/// # Panics
/// If the image has other than four channels.
pub fn encode_ktx2_volume(slices: &Image, depth: u32, compression: Ktx2Compression) -> Vec<u8> {
    file(slices, depth, true, compression)
}

/// The bytes of a file; the depth of images is zero.
fn file(image: &Image, depth: u32, is_half: bool, compression: Ktx2Compression) -> Vec<u8> {
    assert_eq!(image.channels, 4, "red, green, blue and alpha");
    // Numbers of Vulkan: R16G16B16A16_SFLOAT, R32G32B32A32_SFLOAT.
    let (format, size): (u32, u32) = match is_half {
        true => (97, 2),
        false => (109, 4),
    };
    let pixels = pixels(image, is_half);
    let length = pixels.len();
    // A compressed level may begin anywhere.
    let (level, alignment) = match compression {
        Ktx2Compression::None => (pixels, 4 * size as usize),
        Ktx2Compression::Zstd => (compress_to_vec(&pixels[..], CompressionLevel::Fastest), 1),
    };
    let descriptor = data_format(size);
    let pairs = key_values(depth > 0);
    let descriptor_at = HEADER + LEVELS;
    let pairs_at = descriptor_at + descriptor.len();
    let level_at = (pairs_at + pairs.len()).next_multiple_of(alignment);

    let mut file = IDENTIFIER.to_vec();
    let words = [
        format,
        size,
        image.width as u32,
        image.height as u32 / depth.max(1),
        depth,
        0,
        1,
        1,
        compression.scheme(),
    ];
    let sections = [descriptor_at, descriptor.len(), pairs_at, pairs.len()].map(|n| n as u32);
    for word in words.into_iter().chain(sections) {
        file.extend(word.to_le_bytes());
    }
    // No data that levels share; then the level.
    for long in [0, 0, level_at, level.len(), length] {
        file.extend((long as u64).to_le_bytes());
    }
    file.extend(descriptor);
    file.extend(pairs);
    file.resize(level_at, 0);
    file.extend(level);
    file
}

/// The bytes of all values, row 0 first.
fn pixels(image: &Image, is_half: bool) -> Vec<u8> {
    match is_half {
        true => (image.data.iter())
            .flat_map(|&value| f16::from_f32(value).to_le_bytes())
            .collect(),
        false => image.data.iter().flat_map(|value| value.to_le_bytes()).collect(),
    }
}

/// The description of pixels of four floats of this size.
fn data_format(size: u32) -> Vec<u8> {
    /// Red, green, blue, alpha.
    const CHANNELS: [u32; 4] = [0, 1, 2, 15];
    /// Signed floats.
    const FLOAT: u32 = 0xc0;
    let block = 24 + 16 * CHANNELS.len() as u32;
    // Total size; Khronos's basic description; version 2 and its size; RGB, primaries of Rec.709, linear; one pixel.
    let mut words = vec![4 + block, 0, 2 | (block << 16), 0x0001_0101, 0, 4 * size, 0];
    for (number, channel) in CHANNELS.into_iter().enumerate() {
        let bits = 8 * size;
        words.push((bits * number as u32) | ((bits - 1) << 16) | ((channel | FLOAT) << 24));
        words.extend([0, (-1.0f32).to_bits(), 1.0f32.to_bits()]);
    }
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Orientation of columns, rows and slices, and the name of the writer.
fn key_values(is_volume: bool) -> Vec<u8> {
    let mut bytes: Vec<u8> = vec![];
    let orientation: &[u8] = match is_volume {
        true => b"KTXorientation\0rdi\0",
        false => b"KTXorientation\0rd\0",
    };
    for pair in [orientation, b"KTXwriter\0Kiln\0"] {
        bytes.extend((pair.len() as u32).to_le_bytes());
        bytes.extend(pair);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_lie_where_the_header_says() {
        for (is_half, size) in [(true, 2), (false, 4)] {
            let mut image = Image::new(3, 2, 4);
            image.pixel_mut(2, 1).copy_from_slice(&[0.5, -1.0, 2.0, 1.0]);
            let file = encode_ktx2(&image, is_half, Ktx2Compression::None);
            let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
            assert_eq!((word(20), word(24), word(28)), (3, 2, 0));
            let (descriptor, pairs, level) = (word(48), word(56), word(80));
            assert_eq!(word(descriptor), word(52));
            assert_eq!(pairs, descriptor + word(52));
            assert!(level >= pairs + word(60) && level.is_multiple_of(4 * size));
            assert_eq!(level + word(88), file.len());
            assert_eq!(word(88), 3 * 2 * 4 * size);
            let last = match is_half {
                true => f16::from_le_bytes(file[file.len() - 6..][..2].try_into().unwrap()).to_f32(),
                false => f32::from_le_bytes(file[file.len() - 12..][..4].try_into().unwrap()),
            };
            assert!((last + 1.0).abs() < 1e-6, "{last}");
        }
    }

    #[test]
    fn a_compressed_level_holds_the_same_bytes() {
        let mut image = Image::new(64, 48, 4);
        for (index, value) in image.data.iter_mut().enumerate() {
            *value = (index / 40) as f32 * 0.37 - 3.0;
        }
        for (is_half, size) in [(true, 2), (false, 4)] {
            let plain = encode_ktx2(&image, is_half, Ktx2Compression::None);
            let small = encode_ktx2(&image, is_half, Ktx2Compression::Zstd);
            let word = |at: usize| u32::from_le_bytes(small[at..at + 4].try_into().unwrap()) as usize;
            assert_eq!((word(44), word(96)), (2, 64 * 48 * 4 * size));
            assert!(small.len() < plain.len() / 4, "{}", small.len());
            let level = &small[word(80)..];
            assert_eq!(level.len(), word(88));
            let mut found = vec![];
            let mut frame = ruzstd::decoding::StreamingDecoder::new(level).unwrap();
            std::io::Read::read_to_end(&mut frame, &mut found).unwrap();
            assert_eq!(found, plain[plain.len() - found.len()..]);
        }
    }

    #[test]
    fn a_volume_has_its_slices_in_order() {
        let mut slices = Image::new(2, 3 * 4, 4);
        slices.pixel_mut(1, 3 * 2)[0] = 8.0;
        let file = encode_ktx2_volume(&slices, 4, Ktx2Compression::None);
        let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((word(20), word(24), word(28)), (2, 3, 4));
        let level = &file[word(80)..];
        let (slice, pixel) = (2 * 3 * 8, 8);
        let value = [level[2 * slice + pixel], level[2 * slice + pixel + 1]];
        assert_eq!(f16::from_le_bytes(value).to_f32(), 8.0);
    }
}
