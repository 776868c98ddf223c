//! Encoding of film sums in bands of rows: integers truncated to the bytes that a band needs.

use std::hash::Hasher;
use std::ops::Range;

use rustc_hash::FxHasher;

use renderer_image::Rect;
use renderer_image::film::{FilmCounts, FilmLayout, FilmTile, Fixed, FixedSquare, Layers, PixelSum, Weights};

/// Rows of a band.
const ROWS: u32 = 16;

/// Bands in memory at once while reading or writing a file.
pub(super) const AT_ONCE: usize = 32;

/// Bytes of the longest integer.
const MAX_BYTES: usize = 16;

/// The bands of a film's part, from the top.
pub(super) fn bands(crop: Rect) -> impl Iterator<Item = Rect> {
    (crop.y0..crop.y1).step_by(ROWS as usize).map(move |y0| Rect {
        y0,
        y1: y0.saturating_add(ROWS).min(crop.y1),
        ..crop
    })
}

/// The sums of a band's pixels, which are those of `sums` from its first row on, as bytes.
pub(super) fn encode(band: Rect, sums: &FilmTile) -> Vec<u8> {
    let width = sums.rect().width() as usize;
    let first = (band.y0 - sums.rect().y0) as usize * width;
    let pixels = first..first + band.area();
    let of_band = &sums.sums()[pixels.clone()];
    let mut bytes = vec![];
    pack(of_band.iter().map(|sum| i128::from(sum.count)), &mut bytes);
    for c in 0..3 {
        pack(of_band.iter().map(|sum| sum.rgb[c].0), &mut bytes);
    }
    if let Some(squares) = sums.squares() {
        for c in 0..3 {
            pack(squares[pixels.clone()].iter().map(|sum| sum[c].0), &mut bytes);
        }
    }
    if let Some(layers) = sums.layers() {
        encode_layers(layers, &sums.layout(), pixels, &mut bytes);
    }
    bytes
}

/// Channels as planes; for each kind of identifiers the counts of all pixels, then the identifiers, then their weights.
fn encode_layers(layers: &Layers, layout: &FilmLayout, pixels: Range<usize>, bytes: &mut Vec<u8>) {
    for c in 0..layout.channels {
        pack(pixels.clone().map(|pixel| layers.channels_of(pixel)[c].0), bytes);
    }
    for kind in 0..layout.identifiers {
        let lists = pixels.clone().map(|pixel| layers.weights_of(pixel)[kind].list());
        pack(lists.clone().map(|list| list.len() as i128), bytes);
        pack(lists.clone().flatten().map(|&(identifier, _)| i128::from(identifier)), bytes);
        pack(lists.flatten().map(|(_, weight)| weight.0), bytes);
    }
}

/// Decodes the layers of `area` pixels from the beginning of `bytes` and advances it.
fn decode_layers(
    area: usize,
    layout: &FilmLayout,
    limit: impl Fn(usize) -> u128,
    bytes: &mut &[u8],
) -> Option<Layers> {
    let mut sums = vec![Fixed::default(); area * layout.channels];
    for c in 0..layout.channels {
        for (pixel, sum) in unpack(area, bytes)?.into_iter().enumerate() {
            sums[pixel * layout.channels + c] = (sum.unsigned_abs() <= limit(pixel)).then_some(Fixed(sum))?;
        }
    }
    let mut weights = vec![Weights::default(); area * layout.identifiers];
    for kind in 0..layout.identifiers {
        let counts: Vec<usize> = unpack(area, bytes)?
            .into_iter()
            .map(|count| usize::try_from(count).ok())
            .collect::<Option<_>>()?;
        let total = counts.iter().try_fold(0usize, |sum, &count| sum.checked_add(count))?;
        // The identifiers of a pixel differ: each has at least a byte, except in a plane of zeros.
        if total > area.max(bytes.len()) {
            return None;
        }
        let (identifiers, sums) = (unpack(total, bytes)?, unpack(total, bytes)?);
        let mut pairs = identifiers.into_iter().zip(sums);
        for (pixel, count) in counts.into_iter().enumerate() {
            let pair = |(identifier, sum): (i128, i128)| {
                let fits = sum.unsigned_abs() <= limit(pixel);
                Some((u32::try_from(identifier).ok()?, fits.then_some(Fixed(sum))?))
            };
            let list = pairs.by_ref().take(count).map(pair).collect::<Option<_>>()?;
            weights[pixel * layout.identifiers + kind] = Weights::from_list(list)?;
        }
    }
    Layers::from_parts(area, layout, sums, weights)
}

/// Decodes a band; `None` unless the bytes are of such a band with at most `most` samples per pixel.
pub(super) fn decode(band: Rect, layout: &FilmLayout, most: u64, bytes: &[u8]) -> Option<FilmTile> {
    let area = band.area();
    let mut rest = bytes;
    let mut plane = || unpack(area, &mut rest);
    let counts = plane()?;
    let colors = [plane()?, plane()?, plane()?];
    let squares = if layout.variance {
        Some([plane()?, plane()?, plane()?])
    } else {
        None
    };
    let limit = Fixed::from_f32(Fixed::LIMIT).0;
    let layers = if layout.has_layers() {
        let most = |pixel: usize| counts[pixel].unsigned_abs().saturating_mul(limit.unsigned_abs());
        Some(decode_layers(area, layout, most, &mut rest)?)
    } else {
        None
    };
    if !rest.is_empty() {
        return None;
    }
    let square_limit = FixedSquare::of_f32(FixedSquare::LIMIT).0;
    let sums = (0..area).map(|i| {
        let rgb = colors.each_ref().map(|plane| plane[i]);
        let count = u32::try_from(counts[i]).ok().filter(|&n| u64::from(n) <= most)?;
        let fits = rgb
            .iter()
            .all(|v| v.unsigned_abs() <= (i128::from(count) * limit).unsigned_abs());
        fits.then_some(PixelSum { rgb: rgb.map(Fixed), count })
    });
    let sums: Vec<PixelSum> = sums.collect::<Option<_>>()?;
    let squares = match squares {
        Some(planes) => Some(
            (0..area)
                .map(|i| {
                    let rgb = planes.each_ref().map(|plane| plane[i]);
                    let most = i128::from(sums[i].count) * square_limit;
                    rgb.iter().all(|v| (0..=most).contains(v)).then_some(rgb.map(FixedSquare))
                })
                .collect::<Option<Vec<_>>>()?,
        ),
        None => None,
    };
    FilmTile::from_parts(band, sums, squares, layers, FilmCounts::default())
}

/// Hash of bytes, equal on every machine.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// Packs integers: the number of low zero bytes common to all, the number of significant bytes, and these bytes of
/// each.
fn pack(values: impl Iterator<Item = i128> + Clone, bytes: &mut Vec<u8>) {
    let (mut ones, mut significant) = (0, 0);
    for v in values.clone() {
        ones |= v;
        // One more bit for the sign.
        significant = significant.max(128 - (v ^ (v >> 127)).leading_zeros() + 1);
    }
    if ones == 0 {
        bytes.extend([0, 0]);
        return;
    }
    let skipped = (ones.trailing_zeros() / 8) as usize;
    let end = (significant as usize).div_ceil(8);
    bytes.extend([skipped as u8, (end - skipped) as u8]);
    for v in values {
        bytes.extend_from_slice(&v.to_le_bytes()[skipped..end]);
    }
}

/// Unpacks `count` integers from the beginning of `bytes` and advances it.
fn unpack(count: usize, bytes: &mut &[u8]) -> Option<Vec<i128>> {
    let (head, rest) = bytes.split_at_checked(2)?;
    let [skipped, width] = [usize::from(head[0]), usize::from(head[1])];
    if skipped + width > MAX_BYTES {
        return None;
    }
    let (body, rest) = rest.split_at_checked(width * count)?;
    *bytes = rest;
    if width == 0 {
        return Some(vec![0; count]);
    }
    let values = body.chunks_exact(width).map(|chunk| {
        let sign = if chunk[width - 1] >= 0x80 { 0xff } else { 0 };
        let mut v = [sign; MAX_BYTES];
        v[..skipped].fill(0);
        v[skipped..skipped + width].copy_from_slice(chunk);
        i128::from_le_bytes(v)
    });
    Some(values.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_keep_their_values() {
        let lists: [&[i128]; 6] = [
            &[0, 0],
            &[1, -1, 127, -128],
            &[128, 255, 256],
            &[i128::MAX, i128::MIN, 0],
            &[-256 << 40, 3 << 60, 0],
            &[1 << 100],
        ];
        for list in lists {
            let mut bytes = vec![];
            pack(list.iter().copied(), &mut bytes);
            let mut rest = bytes.as_slice();
            assert_eq!(unpack(list.len(), &mut rest).as_deref(), Some(list));
            assert!(rest.is_empty());
            for cut in 0..bytes.len() {
                assert!(unpack(list.len(), &mut &bytes[..cut]).is_none());
            }
        }
    }

    #[test]
    fn integers_are_short() {
        let mut bytes = vec![];
        pack([3 << 40, -5 << 40].into_iter(), &mut bytes);
        assert_eq!(bytes, [5, 1, 3, 0xfb]);
    }
}
