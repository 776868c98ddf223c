//! Values of a node: those of active voxels, and at most two values for the others.

use super::value_type::ValueType;
use crate::blosc;
use crate::bytes::Bytes;
use crate::error::GridFault;
use crate::mask;

/// Flags of a grid's compression.
const ZIP: u32 = 1;
const ACTIVE_MASK: u32 = 2;
const BLOSC: u32 = 4;

/// Format of a grid's values.
#[derive(Clone, Debug)]
pub(super) struct ValueFormat {
    pub(super) ty: ValueType,
    compression: u32,
    pub(super) background: [f32; 4],
}

/// Which values of inactive voxels a node has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inactive {
    Background,
    MinusBackground,
    One,
    BackgroundOrMinus,
    BackgroundOrOne,
    Two,
    All,
}

impl Inactive {
    fn of(code: u8) -> Result<Inactive, GridFault> {
        Ok(match code {
            0 => Inactive::Background,
            1 => Inactive::MinusBackground,
            2 => Inactive::One,
            3 => Inactive::BackgroundOrMinus,
            4 => Inactive::BackgroundOrOne,
            5 => Inactive::Two,
            6 => Inactive::All,
            other => return Err(GridFault::damaged(format!("a node has values of kind {other}"))),
        })
    }
}

/// Stored values of a node.
#[derive(Debug)]
pub(super) struct NodeValues<'a> {
    /// Values of inactive voxels: those that are not selected, and the others.
    inactive: [[f32; 4]; 2],
    selected: Option<Box<[u64]>>,
    /// True if only active voxels are stored.
    is_masked: bool,
    /// Number of stored voxels.
    count: usize,
    stored: Stored<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Stored<'a> {
    Plain(&'a [u8]),
    Zip(&'a [u8]),
    Blosc(&'a [u8]),
}

impl ValueFormat {
    pub(super) fn new(ty: ValueType, compression: u32) -> ValueFormat {
        ValueFormat { ty, compression, background: [0.0; 4] }
    }

    /// Reads a value in full precision.
    pub(super) fn value(&self, bytes: &mut Bytes<'_>) -> Result<[f32; 4], GridFault> {
        let mut value = [0.0; 4];
        let stored = bytes.take(self.ty.full.size() * self.ty.channels)?;
        self.ty.full.decode(stored, &mut value[..self.ty.channels])?;
        Ok(value)
    }
}

impl<'a> NodeValues<'a> {
    /// Reads the values of a node without decoding them. `active` is its mask of values.
    pub(super) fn read(
        bytes: &mut Bytes<'a>,
        format: &ValueFormat,
        active: &[u64],
    ) -> Result<NodeValues<'a>, GridFault> {
        let voxels = active.len() * 64;
        let kind = Inactive::of(bytes.u8()?)?;
        let background = format.background;
        let minus = background.map(|v| -v);
        let first = match kind {
            Inactive::Background => background,
            Inactive::MinusBackground | Inactive::BackgroundOrMinus | Inactive::All => minus,
            Inactive::One | Inactive::BackgroundOrOne | Inactive::Two => format.value(bytes)?,
        };
        let second = match kind {
            Inactive::Two => format.value(bytes)?,
            _ => background,
        };
        let selected = match kind {
            Inactive::BackgroundOrMinus | Inactive::BackgroundOrOne | Inactive::Two => {
                Some(bytes.mask(voxels)?.into_boxed_slice())
            }
            Inactive::Background | Inactive::MinusBackground | Inactive::One | Inactive::All => None,
        };
        let is_masked = format.compression & ACTIVE_MASK != 0 && kind != Inactive::All;
        let count = if is_masked { mask::count(active) } else { voxels };
        Ok(NodeValues {
            inactive: [first, second],
            selected,
            is_masked,
            count,
            stored: stored(bytes, format, count)?,
        })
    }

    /// Decodes the values of all voxels.
    pub(super) fn decode(
        &self,
        format: &ValueFormat,
        active: &[u64],
        out: &mut [f32],
    ) -> Result<(), GridFault> {
        let (channels, element) = (format.ty.channels, format.ty.element());
        let mut plain = vec![];
        let size = self.count * channels * element.size();
        let bytes = match self.stored {
            Stored::Plain(bytes) => bytes,
            Stored::Zip(bytes) => {
                plain.resize(size, 0);
                blosc::unzip(bytes, &mut plain)?;
                &plain
            }
            Stored::Blosc(bytes) => {
                plain.resize(size, 0);
                blosc::unpack(bytes, &mut plain)?;
                &plain
            }
        };
        if !self.is_masked {
            return element.decode(bytes, out);
        }
        let mut values = vec![0.0; self.count * channels];
        element.decode(bytes, &mut values)?;
        let mut values = values.chunks_exact(channels);
        for (index, out) in out.chunks_exact_mut(channels).enumerate() {
            if mask::is_on(active, index) {
                out.copy_from_slice(values.next().unwrap_or(&self.inactive[0][..channels]));
            } else {
                let is_selected = self.selected.as_ref().is_some_and(|mask| mask::is_on(mask, index));
                out.copy_from_slice(&self.inactive[usize::from(is_selected)][..channels]);
            }
        }
        Ok(())
    }
}

/// Size of a number of voxels [bytes].
fn stored<'a>(bytes: &mut Bytes<'a>, format: &ValueFormat, count: usize) -> Result<Stored<'a>, GridFault> {
    let size = count * format.ty.channels * format.ty.element().size();
    // Halves are not written where there are none, not even their size.
    if format.ty.is_halved && count == 0 {
        return Ok(Stored::Plain(&[]));
    }
    if format.compression & (ZIP | BLOSC) == 0 {
        return Ok(Stored::Plain(bytes.take(size)?));
    }
    // Not positive where compression does not help.
    let packed = bytes.i64()?;
    match usize::try_from(packed) {
        Ok(packed) if packed > 0 => {
            let packed = bytes.take(packed)?;
            Ok(match format.compression & BLOSC {
                0 => Stored::Zip(packed),
                _ => Stored::Blosc(packed),
            })
        }
        _ if packed.unsigned_abs() != size as u64 => {
            Err(GridFault::damaged("a node has another number of values than voxels"))
        }
        _ => Ok(Stored::Plain(bytes.take(size)?)),
    }
}
