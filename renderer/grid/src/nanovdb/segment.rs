//! Segments of a file: a head, descriptions of grids, and the grids.

use std::borrow::Cow;
use std::ops::Range;

use super::layout::grid;
use crate::blosc;
use crate::bytes::Bytes;
use crate::error::GridFault;
use renderer_base::files::Budget;

/// Magic numbers "NanoVDB" and a digit: 0 for old files and grids, 1 for grids, 2 for files.
const MAGIC: &[u8] = b"NanoVDB";
const MAJOR: u32 = 32;
/// Compressed grids consist of parts of this size.
const CHUNK: usize = 1 << 30;

/// Returns whether a file begins as one of NanoVDB.
pub(crate) fn is_nanovdb(data: &[u8]) -> bool {
    data.starts_with(MAGIC)
}

/// Compression of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Codec {
    None,
    Zip,
    Blosc,
}

/// A grid in a file.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) name: String,
    /// Number of the type.
    pub(super) ty: u32,
    /// Number of the class.
    pub(super) class: u32,
    /// Range of bytes in the file.
    stored: Range<usize>,
    /// Size of its memory [bytes].
    size: usize,
    codec: Codec,
}

fn check_version(version: u32) -> Result<(), GridFault> {
    let (major, minor) = (version >> 21, version >> 10 & 0x7ff);
    if major != MAJOR {
        return Err(GridFault::unsupported(format!(
            "it has version {major}.{minor} of NanoVDB's format, and {MAJOR} is read"
        )));
    }
    Ok(())
}

/// The grids of a file.
pub(super) fn list(data: &[u8]) -> Result<Vec<Segment>, GridFault> {
    let mut bytes = Bytes::new(data, "the header");
    // A file says its version here, and a grid its checksum.
    let is_file = data.get(7) == Some(&b'2') || bytes.moved_to(8).u32()? >> 21 == MAJOR;
    let is_grid = data.get(7) == Some(&b'1') || bytes.moved_to(grid::VERSION as u64).u32()? >> 21 == MAJOR;
    if !is_file && is_grid {
        return list_memory(data);
    }
    let mut segments = vec![];
    while bytes.position() < data.len() {
        bytes.enter("the header");
        if bytes.take(MAGIC.len() + 1)?.split_last().map(|(_, magic)| magic) != Some(MAGIC) {
            return Err(GridFault::damaged("a segment does not begin with `NanoVDB`"));
        }
        check_version(bytes.u32()?)?;
        let (grids, _codec) = (bytes.u16()?, bytes.u16()?);
        let first = segments.len();
        for _ in 0..grids {
            bytes.enter("the description of a grid");
            segments.push(describe(&mut bytes)?);
        }
        bytes.enter("a grid");
        for segment in &mut segments[first..] {
            let begin = bytes.position();
            bytes.take(segment.stored.len())?;
            segment.stored = begin..bytes.position();
        }
    }
    Ok(segments)
}

/// Reads the description of a grid, which is stored somewhere behind.
fn describe(bytes: &mut Bytes<'_>) -> Result<Segment, GridFault> {
    let [size, stored, _key, _voxels] = [bytes.u64()?, bytes.u64()?, bytes.u64()?, bytes.u64()?];
    let (ty, class) = (bytes.u32()?, bytes.u32()?);
    // Boxes and the size of voxels, which the grid has, too.
    bytes.take(48 + 24 + 24)?;
    let name_size = bytes.u32()? as usize;
    // Numbers of nodes and tiles.
    bytes.take(16 + 12)?;
    let codec = match bytes.u16()? {
        0 => Codec::None,
        1 => Codec::Zip,
        2 => Codec::Blosc,
        other => return Err(GridFault::damaged(format!("NanoVDB has no codec {other}"))),
    };
    let _padding = bytes.u16()?;
    check_version(bytes.u32()?)?;
    let name = text(bytes.take(name_size)?);
    let too_large = || GridFault::damaged(format!("grid `{name}` is larger than memory"));
    let stored = usize::try_from(stored).map_err(|_| too_large())?;
    let size = usize::try_from(size).map_err(|_| too_large())?;
    Ok(Segment { ty, class, stored: 0..stored, size, codec, name })
}

/// Grids that are stored as in memory, one after the other.
fn list_memory(data: &[u8]) -> Result<Vec<Segment>, GridFault> {
    let mut segments = vec![];
    let mut begin = 0;
    while begin < data.len() {
        let head = Bytes::new(data, "a grid").moved_to(begin as u64);
        let at = |offset: usize| head.moved_to((begin + offset) as u64);
        check_version(at(grid::VERSION).u32()?)?;
        let size = at(grid::BYTES).u64()?;
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        at(0).take(size.max(grid::SIZE))?;
        segments.push(Segment {
            name: text(at(grid::NAME).take(grid::NAME_SIZE)?),
            ty: at(grid::TYPE).u32()?,
            class: at(grid::CLASS).u32()?,
            stored: begin..begin + size,
            size,
            codec: Codec::None,
        });
        begin += size.max(grid::SIZE);
    }
    Ok(segments)
}

/// A text that ends with a zero.
fn text(bytes: &[u8]) -> String {
    let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

/// The memory of a grid.
pub(super) fn unpack<'a>(
    data: &'a [u8],
    segment: &Segment,
    budget: &Budget,
) -> Result<Cow<'a, [u8]>, GridFault> {
    let stored = data.get(segment.stored.clone()).unwrap_or_default();
    if segment.codec == Codec::None {
        return Ok(Cow::Borrowed(stored));
    }
    budget.allocate("decompressed nodes of a grid", segment.size, 1)?;
    let mut memory = vec![0; segment.size];
    let mut bytes = Bytes::new(stored, "a compressed grid");
    let chunk = match segment.codec {
        Codec::Blosc => CHUNK,
        Codec::None | Codec::Zip => memory.len().max(1),
    };
    for out in memory.chunks_mut(chunk) {
        let size = usize::try_from(bytes.u64()?).unwrap_or(usize::MAX);
        let part = bytes.take(size)?;
        match segment.codec {
            Codec::Blosc => blosc::unpack(part, out)?,
            Codec::None | Codec::Zip => blosc::unzip(part, out)?,
        }
    }
    Ok(Cow::Owned(memory))
}
