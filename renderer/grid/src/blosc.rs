//! Decoder of Blosc's container, version 1: a header, blocks that are compressed one by one, bytes shuffled by their
//! significance.

use std::io::Read as _;

use super::bytes::Bytes;
use super::error::GridFault;

const HEADER: usize = 16;
/// Flags of the header.
const SHUFFLED: u8 = 1;
const COPIED: u8 = 2;
const BIT_SHUFFLED: u8 = 4;
const WHOLE_BLOCKS: u8 = 0x10;
/// Maximum element size and minimum stream size for which a block has one stream for each byte of an element [bytes].
const MAX_STREAMS: usize = 16;
const MIN_STREAM: usize = 128;

/// Compressor of the streams.
#[derive(Clone, Copy, Debug)]
enum Codec {
    Lz4,
    Zlib,
    Zstd,
}

impl Codec {
    fn of(flags: u8) -> Result<Codec, GridFault> {
        match flags >> 5 {
            1 => Ok(Codec::Lz4),
            3 => Ok(Codec::Zlib),
            4 => Ok(Codec::Zstd),
            0 => Err(GridFault::unsupported("values compressed by BloscLZ")),
            2 => Err(GridFault::unsupported("values compressed by Snappy")),
            other => Err(GridFault::damaged(format!("Blosc has no compressor {other}"))),
        }
    }

    fn decode(self, stored: &[u8], out: &mut [u8]) -> Result<(), GridFault> {
        let is_whole = match self {
            Codec::Lz4 => lz4_flex::block::decompress_into(stored, out).is_ok_and(|size| size == out.len()),
            Codec::Zlib => return unzip(stored, out),
            Codec::Zstd => {
                let reader = ruzstd::decoding::StreamingDecoder::new(stored);
                reader.is_ok_and(|mut reader| reader.read_exact(out).is_ok())
            }
        };
        is_whole.then_some(()).ok_or_else(broken)
    }
}

fn broken() -> GridFault {
    GridFault::damaged("compressed values are broken")
}

/// Decodes a stream of zlib, which fills `out`.
pub(crate) fn unzip(stored: &[u8], out: &mut [u8]) -> Result<(), GridFault> {
    flate2::read::ZlibDecoder::new(stored).read_exact(out).map_err(|_| broken())
}

/// Decodes a container, which fills `out`.
pub(crate) fn unpack(stored: &[u8], out: &mut [u8]) -> Result<(), GridFault> {
    let mut header = Bytes::new(stored, "compressed values");
    let [_version, _codec_version, flags, width] = header.array()?;
    let (size, block, _stored_size) = (header.u32()? as usize, header.u32()? as usize, header.u32()?);
    if size != out.len() {
        return Err(broken());
    }
    if flags & COPIED != 0 {
        out.copy_from_slice(header.take(size)?);
        return Ok(());
    }
    if flags & BIT_SHUFFLED != 0 {
        return Err(GridFault::unsupported("values whose bits are shuffled"));
    }
    let codec = Codec::of(flags)?;
    // Short streams cost as much time as long ones.
    if width == 0 || block < MIN_STREAM.min(out.len()) || block == 0 {
        return Err(broken());
    }
    let width = usize::from(width);
    let mut scratch = vec![];
    for (index, out) in out.chunks_mut(block).enumerate() {
        let start = header.moved_to((HEADER + 4 * index) as u64).u32()?;
        let is_split = flags & WHOLE_BLOCKS == 0
            && width <= MAX_STREAMS
            && block / width >= MIN_STREAM
            && out.len() == block;
        let streams = if is_split { width } else { 1 };
        let mut block = header.moved_to(u64::from(start));
        if flags & SHUFFLED != 0 && width > 1 {
            scratch.resize(out.len(), 0);
            unpack_block(&mut block, codec, streams, &mut scratch)?;
            unshuffle(&scratch, width, out);
        } else {
            unpack_block(&mut block, codec, streams, out)?;
        }
    }
    Ok(())
}

/// Decodes a block of several streams.
fn unpack_block(
    stored: &mut Bytes<'_>,
    codec: Codec,
    streams: usize,
    out: &mut [u8],
) -> Result<(), GridFault> {
    if !out.len().is_multiple_of(streams) {
        return Err(broken());
    }
    for out in out.chunks_exact_mut(out.len() / streams) {
        let size = stored.u32()? as usize;
        let stream = stored.take(size)?;
        if size == out.len() {
            out.copy_from_slice(stream);
        } else {
            codec.decode(stream, out)?;
        }
    }
    Ok(())
}

/// Unshuffles: joins the bytes of each element.
fn unshuffle(planes: &[u8], width: usize, out: &mut [u8]) {
    let count = planes.len() / width;
    for (byte, plane) in planes.chunks_exact(count.max(1)).take(width).enumerate() {
        for (number, &value) in plane.iter().enumerate() {
            out[number * width + byte] = value;
        }
    }
    // A remainder shorter than an element is not shuffled.
    out[count * width..].copy_from_slice(&planes[count * width..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A container of one block, split into a stream for each byte.
    fn container(planes: [&[u8]; 4], block: usize) -> Vec<u8> {
        let mut bytes = vec![2, 1, SHUFFLED | 1 << 5, 4];
        let streams = planes.map(lz4_flex::block::compress);
        let stored: usize = streams.iter().map(|stream| stream.len() + 4).sum();
        for number in [block, block, HEADER + 4 + stored, HEADER + 4] {
            bytes.extend((number as u32).to_le_bytes());
        }
        for stream in streams {
            bytes.extend((stream.len() as u32).to_le_bytes());
            bytes.extend(stream);
        }
        bytes
    }

    #[test]
    fn streams_are_the_bytes_of_numbers() {
        let planes = [[1_u8; 128], [2; 128], [3; 128], [4; 128]];
        let bytes = container(planes.each_ref().map(|plane| &plane[..]), 512);
        let mut out = [0; 512];
        unpack(&bytes, &mut out).unwrap();
        assert!(out.chunks(4).all(|number| number == [1, 2, 3, 4]));
        for end in 0..bytes.len() {
            assert!(unpack(&bytes[..end], &mut out).is_err());
        }
    }
}
