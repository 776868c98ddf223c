//! Decoders of meshopt bitstreams: attributes (versions 0 and 1), triangle lists and index sequences. See appendix A of
//! the glTF extension EXT_meshopt_compression.

use super::GltfError;

/// Decodes an attribute of `count` elements of `stride` bytes.
pub(super) fn attributes(bytes: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, GltfError> {
    let (version, bytes) = header(bytes, 0xa0)?;
    let tail = if version == 0 { stride } else { stride + stride / 4 };
    let padded = tail.max(if version == 0 { 32 } else { 24 });
    let at = bytes.len().checked_sub(padded).ok_or_else(truncated)?;
    let mut last = bytes[bytes.len() - tail..][..stride].to_vec();
    let channels = &bytes[bytes.len() - tail + stride..];
    let mut input = Input(&bytes[..at]);
    let block = ((8192 / stride) & !15).min(256);
    // Memory is bounded by the input, so that a wrong count cannot exhaust it.
    let mut elements = vec![];
    while elements.len() < count * stride {
        let vertices = block.min(count - elements.len() / stride);
        let controls = input.take(if version == 0 { 0 } else { stride / 4 })?;
        let first = elements.len();
        elements.resize(first + vertices * stride, 0);
        for word in 0..stride / 4 {
            let control = controls.get(word).copied().unwrap_or(0);
            let mut planes = [[0; 256]; 4];
            for (byte, plane) in planes.iter_mut().enumerate() {
                let plane = &mut plane[..vertices];
                match (control >> (2 * byte) & 3, version) {
                    (3, _) => plane.copy_from_slice(input.take(vertices)?),
                    (2, _) => {}
                    (_, 0) => groups(&mut input, plane, [0, 2, 4, 8])?,
                    (0, _) => groups(&mut input, plane, [0, 1, 2, 4])?,
                    _ => groups(&mut input, plane, [1, 2, 4, 8])?,
                }
            }
            let place = 4 * word;
            let mut value: [u8; 4] = std::array::from_fn(|i| last[place + i]);
            let channel = channels.get(word).copied().unwrap_or(0);
            for i in 0..vertices {
                value = next(value, std::array::from_fn(|byte| planes[byte][i]), channel)?;
                elements[first + i * stride + place..][..4].copy_from_slice(&value);
            }
        }
        last.copy_from_slice(&elements[elements.len() - stride..]);
    }
    Ok(elements)
}

/// Returns the next four bytes of an element, from those of the previous element and the difference.
fn next(last: [u8; 4], delta: [u8; 4], channel: u8) -> Result<[u8; 4], GltfError> {
    let pair = |bytes: [u8; 4], i: usize| u16::from_le_bytes([bytes[i], bytes[i + 1]]);
    match channel & 3 {
        0 => Ok(std::array::from_fn(|i| {
            let sign = (delta[i] & 1).wrapping_neg();
            last[i].wrapping_add(delta[i] >> 1 ^ sign)
        })),
        1 => {
            let words = [0, 2].map(|i| {
                let delta = pair(delta, i);
                pair(last, i).wrapping_add(delta >> 1 ^ (delta & 1).wrapping_neg())
            });
            let [[a, b], [c, d]] = words.map(u16::to_le_bytes);
            Ok([a, b, c, d])
        }
        2 => {
            let turned = u32::from_le_bytes(delta).rotate_right(u32::from(channel >> 4));
            Ok((u32::from_le_bytes(last) ^ turned).to_le_bytes())
        }
        _ => Err("a channel of an unknown kind".to_owned()),
    }
}

/// Decodes bytes in groups of 16; two bits of the header give the number of bits of each group. The largest code is an
/// escape: the value is a byte that follows.
fn groups(input: &mut Input<'_>, plane: &mut [u8], widths: [u32; 4]) -> Result<(), GltfError> {
    let header = input.take(plane.len().div_ceil(16).div_ceil(4))?;
    for (group, bytes) in plane.chunks_mut(16).enumerate() {
        let width = widths[usize::from(header[group / 4] >> (2 * (group % 4)) & 3)];
        if width == 8 {
            bytes.copy_from_slice(&input.take(16)?[..bytes.len()]);
            continue;
        }
        let packed = input.take(2 * width as usize)?;
        let escape = (1u8 << width) - 1;
        for i in 0..16 {
            if width == 0 {
                break;
            }
            let bit = i * width;
            // Single bits are ordered from the lowest, pairs and nibbles from the highest.
            let shift = if width == 1 { bit % 8 } else { 8 - width - bit % 8 };
            let code = packed[(bit / 8) as usize] >> shift & escape;
            let value = if code == escape { input.byte()? } else { code };
            if let Some(byte) = bytes.get_mut(i as usize) {
                *byte = value;
            }
        }
    }
    Ok(())
}

/// Decodes the corners of triangles, `count` in total.
pub(super) fn triangles(bytes: &[u8], count: usize) -> Result<Vec<u32>, GltfError> {
    if !count.is_multiple_of(3) {
        return Err(format!("{count} corners are no triangles"));
    }
    let (version, bytes) = header(bytes, 0xe0)?;
    let at = bytes.len().checked_sub(16).ok_or_else(truncated)?;
    let (bytes, table) = bytes.split_at(at);
    let (codes, free) = bytes.split_at_checked(count / 3).ok_or_else(truncated)?;
    let mut free = Input(free);
    let (mut edges, mut vertices) = (Recent::new([u32::MAX; 2]), Recent::new(u32::MAX));
    let (mut fresh, mut last) = (0u32, 0u32);
    let first_free = if version == 0 { 15 } else { 13 };
    let mut corners = Vec::with_capacity(count);
    for &code in codes {
        let (high, low) = (code >> 4, code & 15);
        if high < 15 {
            let [a, b] = edges.get(high);
            let c = match low {
                0 => increment(&mut fresh),
                _ if low < first_free => vertices.get(low),
                13 => last.wrapping_sub(1),
                14 => last.wrapping_add(1),
                _ => free.index(last)?,
            };
            if low == 0 || low >= first_free {
                vertices.push(c);
            }
            if low >= first_free {
                last = c;
            }
            edges.push([c, b]);
            edges.push([a, c]);
            corners.extend([a, b, c]);
            continue;
        }
        let (is_first_free, pair) = match low {
            14 | 15 => {
                let pair = free.byte()?;
                if pair == 0 {
                    fresh = 0;
                }
                (low == 15, pair)
            }
            _ => (false, table[usize::from(low)]),
        };
        let places = [if is_first_free { 15 } else { 0 }, pair >> 4, pair & 15];
        let mut triangle = [0; 3];
        // New vertices are counted and recent ones are looked up before indices are read.
        for (corner, place) in triangle.iter_mut().zip(places) {
            *corner = match place {
                0 => increment(&mut fresh),
                15 => 0,
                _ => vertices.get(place - 1),
            };
        }
        for (corner, _) in triangle.iter_mut().zip(places).filter(|&(_, place)| place == 15) {
            last = free.index(last)?;
            *corner = last;
        }
        for (&corner, _) in triangle.iter().zip(places).filter(|&(_, place)| matches!(place, 0 | 15)) {
            vertices.push(corner);
        }
        let [a, b, c] = triangle;
        for edge in [[b, a], [c, b], [a, c]] {
            edges.push(edge);
        }
        corners.extend(triangle);
    }
    Ok(corners)
}

/// Decodes a list of indices, stored as differences from one of two previous ones.
pub(super) fn indices(bytes: &[u8], count: usize) -> Result<Vec<u32>, GltfError> {
    let (_, bytes) = header(bytes, 0xd0)?;
    let mut input = Input(bytes);
    let mut last = [0u32; 2];
    let mut list = vec![];
    for _ in 0..count {
        let value = input.variable()?;
        let last = &mut last[(value & 1) as usize];
        *last = last.wrapping_add(signed(value >> 1));
        list.push(*last);
    }
    Ok(list)
}

/// Returns the version of a stream and the bytes after the header byte.
fn header(bytes: &[u8], kind: u8) -> Result<(u8, &[u8]), GltfError> {
    let (&first, rest) = bytes.split_first().ok_or_else(truncated)?;
    match first & 15 {
        version @ (0 | 1) if first & 0xf0 == kind => Ok((version, rest)),
        _ => Err(format!("data of an unknown kind or version ({first:#x})")),
    }
}

fn increment(number: &mut u32) -> u32 {
    let before = *number;
    *number = before.wrapping_add(1);
    before
}

/// Decodes a zigzag-coded signed difference: the lowest bit is the sign.
fn signed(value: u32) -> u32 {
    value >> 1 ^ (value & 1).wrapping_neg()
}

/// Ring buffer of the last 16 values.
struct Recent<T> {
    values: [T; 16],
    count: usize,
}

impl<T: Copy> Recent<T> {
    fn new(none: T) -> Recent<T> {
        Recent { values: [none; 16], count: 0 }
    }

    fn push(&mut self, value: T) {
        self.values[self.count % 16] = value;
        self.count += 1;
    }

    /// Returns the value that was pushed `back` values before the last one.
    fn get(&self, back: u8) -> T {
        self.values[(self.count + 15 - usize::from(back)) % 16]
    }
}

/// Remaining input bytes.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], GltfError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, GltfError> {
        self.take(1).map(|byte| byte[0])
    }

    /// Reads a variable-length integer of up to five bytes: seven bits each, lowest first.
    fn variable(&mut self) -> Result<u32, GltfError> {
        let mut value = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            value |= u32::from(byte & 127) << shift;
            if byte < 128 {
                break;
            }
        }
        Ok(value)
    }

    fn index(&mut self, last: u32) -> Result<u32, GltfError> {
        Ok(last.wrapping_add(signed(self.variable()?)))
    }
}

fn truncated() -> GltfError {
    "cut short".to_owned()
}
