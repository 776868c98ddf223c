//! Header of a file, and descriptors of its grids.

use super::metadata::Metadata;
use crate::bytes::Bytes;
use crate::error::GridFault;

const MAGIC: u64 = 0x5644_4220;
/// Oldest version that is read: the first one with compression by masks for each node.
const MIN_VERSION: u32 = 222;
const MAX_VERSION: u32 = 225;
/// Most grids of a file.
const MAX_GRIDS: i32 = 1 << 16;

/// Returns whether a file begins as one of OpenVDB.
pub(crate) fn is_vdb(data: &[u8]) -> bool {
    data.starts_with(&MAGIC.to_le_bytes())
}

/// Header of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// True if descriptors have the positions of their grids.
    pub(super) has_offsets: bool,
    /// Number of grids.
    pub(super) grids: i32,
}

impl Header {
    pub(super) fn read(bytes: &mut Bytes<'_>) -> Result<Header, GridFault> {
        const UUID: usize = 36;
        let _magic = bytes.u64()?;
        let version = bytes.u32()?;
        if !(MIN_VERSION..=MAX_VERSION).contains(&version) {
            return Err(GridFault::unsupported(format!(
                "it has version {version} of OpenVDB's format, and {MIN_VERSION} to {MAX_VERSION} are read; OpenVDB's \
                 `vdb_print` and Houdini can read and write it anew"
            )));
        }
        let _library = (bytes.u32()?, bytes.u32()?);
        let has_offsets = bytes.u8()? != 0;
        bytes.take(UUID)?;
        Metadata::read(bytes)?;
        let grids = bytes.i32()?;
        if !(0..=MAX_GRIDS).contains(&grids) {
            return Err(GridFault::damaged(format!("it has {grids} grids")));
        }
        Ok(Header { has_offsets, grids })
    }
}

/// Descriptor of a grid.
#[derive(Clone, Debug)]
pub(super) struct Descriptor {
    /// Name, unique in the file.
    pub(super) unique_name: String,
    /// Name for people.
    pub(super) name: String,
    /// Name of the type.
    pub(super) ty: String,
    /// Unique name of the grid whose tree it shares; else empty.
    pub(super) parent: String,
    /// Position of the grid.
    pub(super) begin: u64,
    /// Position after it, if the file has positions.
    pub(super) end: u64,
}

impl Descriptor {
    /// The bytes from the begin of the grid to its end; without an end to the end of the file.
    pub(super) fn bytes<'a>(&self, data: &'a [u8], bytes: Bytes<'a>, header: &Header) -> Bytes<'a> {
        let end = usize::try_from(self.end).unwrap_or(usize::MAX).min(data.len());
        match header.has_offsets {
            true if self.end > self.begin => bytes.moved_to(self.begin).up_to(end),
            _ => bytes.moved_to(self.begin),
        }
    }

    pub(super) fn read(bytes: &mut Bytes<'_>, header: &Header) -> Result<Descriptor, GridFault> {
        /// Separates a name from the number that makes it unique.
        const SEPARATOR: char = '\x1e';
        let unique_name = bytes.text()?;
        let name = unique_name.split(SEPARATOR).next().unwrap_or_default().to_owned();
        let (ty, parent) = (bytes.text()?, bytes.text()?);
        let [begin, _blocks, end] = [bytes.i64()?, bytes.i64()?, bytes.i64()?];
        let here = bytes.position() as u64;
        let position = |at: i64| u64::try_from(at).unwrap_or(u64::MAX);
        let (begin, end) = match header.has_offsets {
            true => (position(begin), position(end)),
            false => (here, here),
        };
        if begin < here || end < begin {
            return Err(GridFault::damaged(format!("grid `{name}` begins before its description")));
        }
        Ok(Descriptor { unique_name, name, ty, parent, begin, end })
    }
}
