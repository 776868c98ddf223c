//! Encoding of the adaptive sampling statistics in part files.

use renderer_image::film::{BlockNoise, Film, NoiseGoal, NoiseMap, NoiseTile, PixelNoise};
use renderer_transport::render::TILE;

/// Tiles of a record.
const TILES: usize = 256;

/// Maximum size of a record [bytes]: a tile has this many pixels, and a quarter of a tile is a block.
pub(super) const MAX_RECORD: u64 =
    TILES as u64 * (TILE as u64 * TILE as u64 * PIXEL as u64 + 4 * BLOCK as u64);

/// Bytes of a pixel and of a block.
const PIXEL: usize = 5 * 4;
const BLOCK: usize = 2 * 4 + 2 * 8;

/// Encodes the values common to all tiles.
pub(super) fn encode_goal(noise: &NoiseMap) -> Vec<u8> {
    let NoiseGoal { error, min_samples, max_samples } = noise.goal;
    let [a, b] = noise.brightness.map(f64::to_bits);
    [error.to_bits(), min_samples, max_samples, a, b]
        .into_iter()
        .flat_map(u64::to_le_bytes)
        .collect()
}

/// The tiles, in records.
pub(super) fn encode_tiles(noise: &NoiseMap) -> impl Iterator<Item = Vec<u8>> {
    noise
        .tiles
        .chunks(TILES)
        .map(|tiles| tiles.iter().flat_map(encode_tile).collect())
}

fn encode_tile(tile: &NoiseTile) -> Vec<u8> {
    let mut bytes = vec![];
    for pixel in &tile.pixels {
        let [peak, of] = pixel.peak;
        let numbers = [pixel.batch, pixel.sum, pixel.squares, peak, of];
        bytes.extend(numbers.into_iter().flat_map(f32::to_le_bytes));
    }
    for block in &tile.blocks {
        let (stops, sigmas) = block.parts();
        bytes.extend(stops.into_iter().flat_map(u32::to_le_bytes));
        bytes.extend(sigmas.into_iter().flat_map(f64::to_le_bytes));
    }
    bytes
}

/// Decodes the common values: empty statistics for a film, and the number of tile records that follow; `None` if
/// invalid.
pub(super) fn decode_goal(film: &Film, bytes: &[u8]) -> Option<(NoiseMap, usize)> {
    let numbers = bytes.as_chunks::<8>().0.iter().map(|&bytes| u64::from_le_bytes(bytes));
    let [error, min_samples, max_samples, a, b]: [u64; 5] = numbers.collect::<Vec<_>>().try_into().ok()?;
    let goal = NoiseGoal { error: f64::from_bits(error), min_samples, max_samples };
    let is_sound = goal.error > 0.0 && goal.error.is_finite() && (4..=1 << 31).contains(&goal.min_samples);
    if !is_sound || !(1..=1 << 31).contains(&goal.max_samples) {
        return None;
    }
    let mut noise = NoiseMap::new(goal, film, TILE);
    noise.brightness = [a, b].map(f64::from_bits);
    let records = noise.tiles.len().div_ceil(TILES);
    Some((noise, records))
}

/// Fills the tiles of a record, by its number; `None` when it is not of such tiles.
pub(super) fn decode_tiles(noise: &mut NoiseMap, record: usize, bytes: &[u8]) -> Option<()> {
    let mut rest = bytes;
    for tile in noise.tiles.chunks_mut(TILES).nth(record)? {
        for pixel in &mut tile.pixels {
            let [batch, sum, squares, peak, of] = take(&mut rest)?.map(f32::from_bits);
            *pixel = PixelNoise { batch, sum, squares, peak: [peak, of] };
        }
        for block in &mut tile.blocks {
            let stops = take(&mut rest)?;
            let [a, b, c, d] = take(&mut rest)?.map(u64::from);
            let sigmas = [a | b << 32, c | d << 32].map(f64::from_bits);
            *block = BlockNoise::from_parts(stops, sigmas);
        }
    }
    rest.is_empty().then_some(())
}

/// Numbers of four bytes, taken off the beginning.
fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u32; N]> {
    let (head, rest) = bytes.split_at_checked(4 * N)?;
    *bytes = rest;
    Some(std::array::from_fn(|i| {
        u32::from_le_bytes(std::array::from_fn(|j| head[4 * i + j]))
    }))
}
