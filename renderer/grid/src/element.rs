//! Number types of grid files.

use half::f16;

use super::error::GridFault;

/// Type of a stored number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// IEEE 754 binary16.
    F16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// Signed, 16 bits.
    I16,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits.
    I64,
    /// A byte for `[0,1]`.
    Unorm8,
    /// Code with this number of bits, within the range of its block.
    Code(u8),
    /// Code of 1 to 16 bits; the block defines the number.
    AnyCode,
}

impl Element {
    /// Size of a number [bytes]; 0 if numbers are not made of whole bytes.
    pub(crate) const fn size(self) -> usize {
        match self {
            Element::Unorm8 => 1,
            Element::F16 | Element::I16 => 2,
            Element::F32 | Element::I32 => 4,
            Element::F64 | Element::I64 => 8,
            Element::Code(_) | Element::AnyCode => 0,
        }
    }

    /// Name of the type.
    pub fn name(self) -> String {
        match self {
            Element::F16 => "half".to_owned(),
            Element::F32 => "float".to_owned(),
            Element::F64 => "double".to_owned(),
            Element::I16 => "int16".to_owned(),
            Element::I32 => "int32".to_owned(),
            Element::I64 => "int64".to_owned(),
            Element::Unorm8 => "uint8".to_owned(),
            Element::Code(bits) => format!("float in {bits} bits"),
            Element::AnyCode => "float in 1 to 16 bits".to_owned(),
        }
    }

    /// Converts `out.len()` stored numbers.
    pub(crate) fn decode(self, stored: &[u8], out: &mut [f32]) -> Result<(), GridFault> {
        if stored.len() != out.len() * self.size() {
            return Err(GridFault::damaged("values have another size than their type"));
        }
        match self {
            Element::F16 => each(stored, out, |b| f16::from_le_bytes(b).to_f32()),
            Element::F32 => each(stored, out, f32::from_le_bytes),
            Element::F64 => each(stored, out, |b| f64::from_le_bytes(b) as f32),
            Element::I16 => each(stored, out, |b| f32::from(i16::from_le_bytes(b))),
            Element::I32 => each(stored, out, |b| i32::from_le_bytes(b) as f32),
            Element::I64 => each(stored, out, |b| i64::from_le_bytes(b) as f32),
            Element::Unorm8 => each(stored, out, |[b]: [u8; 1]| f32::from(b) / 255.0),
            Element::Code(_) | Element::AnyCode => {
                return Err(GridFault::damaged("codes outside of a block"));
            }
        }
        Ok(())
    }
}

fn each<const N: usize>(stored: &[u8], out: &mut [f32], convert: impl Fn([u8; N]) -> f32) {
    for (out, bytes) in out.iter_mut().zip(stored.as_chunks::<N>().0) {
        *out = convert(*bytes);
    }
}
