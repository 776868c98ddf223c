//! Netpbm reader: PGM and PPM, binary (8 or 16 bits) or as text, and PFM (floats).

use std::path::Path;

use super::{ImageError, Raster, Samples};

/// Magic numbers of the formats.
pub(super) const MAGIC: [&[u8]; 6] = [b"P2", b"P3", b"P5", b"P6", b"Pf", b"PF"];

const NAME: &str = "Netpbm";

/// Decodes a file's bytes.
///
/// # Errors
/// When they are damaged.
pub(super) fn decode(path: &Path, bytes: &[u8]) -> Result<Raster, ImageError> {
    decode_bytes(bytes).map_err(|reason| ImageError::damaged(path, NAME, reason))
}

fn decode_bytes(bytes: &[u8]) -> Result<Raster, &'static str> {
    let (magic, mut rest) = bytes.split_at_checked(2).ok_or("it is cut short")?;
    if !MAGIC.contains(&magic) {
        return Err("it does not begin as PGM, PPM or PFM files do");
    }
    let channels = if matches!(magic, b"P3" | b"P6" | b"PF") { 3 } else { 1 };
    let is_float = matches!(magic, b"Pf" | b"PF");
    let width = size(word(&mut rest)?)?;
    let height = size(word(&mut rest)?)?;
    let scale: f32 = word(&mut rest)?.parse().map_err(|_| "its range is not a number")?;
    let count = width
        .checked_mul(height)
        .and_then(|pixels| pixels.checked_mul(channels))
        .ok_or("it is too large")?;
    let samples = if is_float {
        floats(rest, count, scale, width * channels)?
    } else if matches!(magic, b"P2" | b"P3") {
        integers(&binary(rest, count, scale)?, count, scale)?
    } else {
        integers(rest, count, scale)?
    };
    Ok(Raster { width, height, channels, samples, window: None })
}

/// Converts the numbers of a text file to the binary form.
fn binary(text: &[u8], count: usize, range: f32) -> Result<Vec<u8>, &'static str> {
    // The last number may end the file.
    let ended = [text, b"\n"].concat();
    let mut text = ended.as_slice();
    let mut bytes = vec![];
    for _ in 0..count {
        let number: u16 = word(&mut text)
            .ok()
            .filter(|word| !word.is_empty())
            .ok_or("it is cut short")?
            .parse()
            .map_err(|_| "a number of its pixels is none, or too large")?;
        if range < 256.0 {
            bytes.push(u8::try_from(number).unwrap_or(u8::MAX));
        } else {
            bytes.extend(number.to_be_bytes());
        }
    }
    Ok(bytes)
}

/// The next word of the header, with the blank after it. A comment extends from `#` to the end of the line.
fn word<'a>(rest: &mut &'a [u8]) -> Result<&'a str, &'static str> {
    loop {
        let blanks = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        *rest = &rest[blanks..];
        if rest.first() != Some(&b'#') {
            break;
        }
        let remark = rest.iter().take_while(|&&b| b != b'\n').count();
        *rest = &rest[remark..];
    }
    let length = rest.iter().take_while(|b| !b.is_ascii_whitespace()).count();
    let (word, after) = rest.split_at(length);
    *rest = after.get(1..).ok_or("it ends in its header")?;
    std::str::from_utf8(word).map_err(|_| "its header is not text")
}

fn size(word: &str) -> Result<usize, &'static str> {
    let size: u32 = word.parse().map_err(|_| "its size is not a number")?;
    if size == 0 { Err("it has no pixels") } else { Ok(size as usize) }
}

/// Values up to `range`; two-byte values are big-endian.
fn integers(bytes: &[u8], count: usize, range: f32) -> Result<Samples, &'static str> {
    if !(1.0..=65535.0).contains(&range) {
        return Err("its range is not from 1 to 65535");
    }
    let cut = "it is cut short";
    if range < 256.0 {
        let values = bytes.get(..count).ok_or(cut)?.iter();
        let scaled = values.map(|&value| (f32::from(value) * 255.0 / range).round() as u8);
        return Ok(Samples::U8(scaled.collect()));
    }
    let length = count.checked_mul(2).ok_or(cut)?;
    let values = bytes.get(..length).ok_or(cut)?.chunks_exact(2);
    let scaled = values.map(|pair| {
        let value = f32::from(u16::from_be_bytes([pair[0], pair[1]]));
        (value * 65535.0 / range).round() as u16
    });
    Ok(Samples::U16(scaled.collect()))
}

/// Floats, from the bottom row up. The sign of `scale` is the byte order; its magnitude has no agreed meaning.
fn floats(bytes: &[u8], count: usize, scale: f32, row: usize) -> Result<Samples, &'static str> {
    let length = count.checked_mul(4).ok_or("it is too large")?;
    let bytes = bytes.get(..length).ok_or("it is cut short")?;
    let value = |b: &[u8]| {
        let bytes = [b[0], b[1], b[2], b[3]];
        if scale < 0.0 {
            f32::from_le_bytes(bytes)
        } else {
            f32::from_be_bytes(bytes)
        }
    };
    let rows = bytes.chunks_exact(4 * row).rev();
    Ok(Samples::F32(rows.flat_map(|row| row.chunks_exact(4)).map(value).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        let raster =
            decode_bytes(b"P6\n# a remark\n1 2\n255\n\x01\x02\x03\x0a\x0b\x0c").expect("it is right");
        assert_eq!((raster.width, raster.height, raster.channels), (1, 2, 3));
        assert_eq!(raster.samples, Samples::U8(vec![1, 2, 3, 10, 11, 12]));
        let raster = decode_bytes(b"P5 2 1 15 \x00\x0f").expect("it is right");
        assert_eq!(raster.samples, Samples::U8(vec![0, 255]));
        let raster = decode_bytes(b"P5 2 1 65535 \x00\x01\xff\xfe").expect("it is right");
        assert_eq!(raster.samples, Samples::U16(vec![1, 65534]));
        let raster =
            decode_bytes(b"P3\n# a remark\n1 2 255\n1 2 3 # another\n10 11 12").expect("it is right");
        assert_eq!(raster.samples, Samples::U8(vec![1, 2, 3, 10, 11, 12]));
        let raster = decode_bytes(b"P2 2 1 1000 0 1000\n").expect("it is right");
        assert_eq!(raster.samples, Samples::U16(vec![0, 65535]));
        for (scale, big) in [("-1.0", false), ("1.0", true)] {
            let mut bytes = format!("Pf\n1 2\n{scale}\n").into_bytes();
            for value in [0.5f32, 8.0] {
                bytes.extend(if big { value.to_be_bytes() } else { value.to_le_bytes() });
            }
            let raster = decode_bytes(&bytes).expect("it is right");
            // The last row of the file is the top one.
            assert_eq!(raster.samples, Samples::F32(vec![8.0, 0.5]));
        }
    }

    #[test]
    fn broken_bytes_are_errors_at_worst() {
        for good in [
            &b"P6\n2 1\n255\n123456"[..],
            b"PF 1 1 -1\n123456789abc",
            b"P5 3 1 300 123456",
            b"P2 3 1 9 1 2 3",
        ] {
            for length in 0..good.len() {
                assert!(decode_bytes(&good[..length]).is_err(), "{length}");
                for bit in 0..8 {
                    let mut broken = good.to_vec();
                    broken[length] ^= 1 << bit;
                    let _ = decode_bytes(&broken);
                }
            }
        }
        for text in [
            "P6 4294967295 4294967295 255 ",
            "PF 4294967295 4294967295 1 ",
            "P5 0 1 255 ",
            "P5 1 1 0 1",
            "P2 1 1 255 x",
            "P2 1 1 255 70000",
            "P2 4294967295 4294967295 255 1",
            // A bitmap, and invalid images.
            "P1 1 1 1 ",
            "<html> 1 1 255 aaa",
        ] {
            assert!(decode_bytes(text.as_bytes()).is_err(), "{text}");
        }
    }
}
