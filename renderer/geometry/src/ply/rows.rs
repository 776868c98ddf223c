//! Parallel decoder of fixed-size elements of binary PLY files.

use ply_rs_bw::ply::{ElementDef, Encoding, PropertyType, ScalarType};
use rayon::prelude::*;

/// Fixed-size elements of a binary file.
#[derive(Debug)]
pub struct Rows<'a> {
    bytes: &'a [u8],
    stride: usize,
    /// Number of elements.
    pub count: usize,
    big_endian: bool,
    scalars: Vec<(&'a str, RowField)>,
    /// List property: name, first item, number of items.
    list: Option<(&'a str, RowField, usize)>,
}

/// A number in a row.
#[derive(Clone, Copy, Debug)]
pub struct RowField {
    offset: usize,
    kind: NumberKind,
}

/// Scalar type of a number: a `ScalarType` that can be copied.
#[derive(Clone, Copy, Debug)]
enum NumberKind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl<'a> Rows<'a> {
    /// Interprets the start of `bytes` as rows; `None` if rows differ in length, have several lists, or are truncated.
    pub fn of(element: &'a ElementDef, encoding: Encoding, bytes: &'a [u8]) -> Option<Rows<'a>> {
        let big_endian = match encoding {
            Encoding::Ascii => return None,
            Encoding::BinaryBigEndian => true,
            Encoding::BinaryLittleEndian => false,
        };
        let mut stride = 0;
        let (mut scalars, mut list, mut length) = (vec![], None, None);
        for (name, property) in &element.properties {
            let offset = stride;
            match &property.data_type {
                PropertyType::Scalar(kind) => {
                    let kind = NumberKind::of(kind);
                    scalars.push((name.as_str(), RowField { offset, kind }));
                    stride += kind.size();
                }
                PropertyType::List(count_kind, kind) => {
                    let [count_kind, kind] = [count_kind, kind].map(NumberKind::of);
                    let field = RowField { offset, kind: count_kind };
                    let first = bytes.get(offset..offset + count_kind.size())?;
                    let count = usize::try_from(whole(first, count_kind, big_endian)?).ok()?;
                    if length.replace((field, count)).is_some() {
                        return None;
                    }
                    let offset = offset + count_kind.size();
                    list = Some((name.as_str(), RowField { offset, kind }, count));
                    stride = offset.checked_add(count.checked_mul(kind.size())?)?;
                }
            }
        }
        if stride == 0 || element.count == 0 {
            return None;
        }
        let bytes = bytes.get(..element.count.checked_mul(stride)?)?;
        let rows = Rows {
            bytes,
            stride,
            count: element.count,
            big_endian,
            scalars,
            list,
        };
        let is_like_first = |row: usize| match length {
            None => true,
            Some((field, count)) => rows.whole(row, field) == i64::try_from(count).ok(),
        };
        let all_alike = list.is_none() || (0..rows.count).into_par_iter().all(is_like_first);
        all_alike.then_some(rows)
    }

    /// Length of all elements [bytes].
    pub fn length(&self) -> usize {
        self.bytes.len()
    }

    /// The scalars by name, in the order of the file.
    pub fn scalars(&self) -> &[(&'a str, RowField)] {
        &self.scalars
    }

    /// The name and the items of the list, if there is one.
    pub fn list(&self) -> Option<(&'a str, Vec<RowField>)> {
        let (name, first, count) = self.list?;
        let item = |index| RowField { offset: first.offset + index * first.kind.size(), ..first };
        Some((name, (0..count).map(item).collect()))
    }

    /// The last scalar that has one of these names.
    pub fn last(&self, names: &[&str]) -> Option<RowField> {
        let scalar = self.scalars.iter().rfind(|(name, _)| names.contains(name));
        scalar.map(|(_, field)| *field)
    }

    /// Numbers of each row; `default` where there is no such number.
    pub fn numbers<const N: usize>(
        &self,
        fields: [Option<RowField>; N],
        default: f32,
    ) -> impl IndexedParallelIterator<Item = [f32; N]> {
        (0..self.count)
            .into_par_iter()
            .map(move |row| fields.map(|field| field.map_or(default, |field| self.number(row, field))))
    }

    /// A number of a row as the file has it.
    #[inline]
    pub fn exact(&self, row: usize, field: RowField) -> f64 {
        let bytes = self.field(row, field);
        match (field.kind, self.big_endian) {
            (NumberKind::F32, false) => f64::from(f32::from_le_bytes(first(bytes))),
            (NumberKind::F32, true) => f64::from(f32::from_be_bytes(first(bytes))),
            (NumberKind::F64, false) => f64::from_le_bytes(first(bytes)),
            (NumberKind::F64, true) => f64::from_be_bytes(first(bytes)),
            (kind, big_endian) => whole(bytes, kind, big_endian).unwrap_or_default() as f64,
        }
    }

    /// A number of a row.
    #[inline]
    pub fn number(&self, row: usize, field: RowField) -> f32 {
        self.exact(row, field) as f32
    }

    /// An integer of a row; `None` for a floating-point property.
    #[inline]
    pub fn whole(&self, row: usize, field: RowField) -> Option<i64> {
        whole(self.field(row, field), field.kind, self.big_endian)
    }

    #[inline]
    fn field(&self, row: usize, field: RowField) -> &[u8] {
        let start = row * self.stride + field.offset;
        &self.bytes[start..start + field.kind.size()]
    }
}

/// The number that `bytes` begin with, if it is of a whole kind.
#[inline]
fn whole(bytes: &[u8], kind: NumberKind, big_endian: bool) -> Option<i64> {
    Some(match (kind, big_endian) {
        (NumberKind::I8, _) => i64::from(bytes[0].cast_signed()),
        (NumberKind::U8, _) => i64::from(bytes[0]),
        (NumberKind::I16, false) => i64::from(i16::from_le_bytes(first(bytes))),
        (NumberKind::I16, true) => i64::from(i16::from_be_bytes(first(bytes))),
        (NumberKind::U16, false) => i64::from(u16::from_le_bytes(first(bytes))),
        (NumberKind::U16, true) => i64::from(u16::from_be_bytes(first(bytes))),
        (NumberKind::I32, false) => i64::from(i32::from_le_bytes(first(bytes))),
        (NumberKind::I32, true) => i64::from(i32::from_be_bytes(first(bytes))),
        (NumberKind::U32, false) => i64::from(u32::from_le_bytes(first(bytes))),
        (NumberKind::U32, true) => i64::from(u32::from_be_bytes(first(bytes))),
        (NumberKind::F32 | NumberKind::F64, _) => return None,
    })
}

#[inline]
fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    std::array::from_fn(|i| bytes[i])
}

impl NumberKind {
    fn of(kind: &ScalarType) -> NumberKind {
        match kind {
            ScalarType::Char => NumberKind::I8,
            ScalarType::UChar => NumberKind::U8,
            ScalarType::Short => NumberKind::I16,
            ScalarType::UShort => NumberKind::U16,
            ScalarType::Int => NumberKind::I32,
            ScalarType::UInt => NumberKind::U32,
            ScalarType::Float => NumberKind::F32,
            ScalarType::Double => NumberKind::F64,
        }
    }

    /// Size of a number [bytes].
    fn size(self) -> usize {
        match self {
            NumberKind::I8 | NumberKind::U8 => 1,
            NumberKind::I16 | NumberKind::U16 => 2,
            NumberKind::I32 | NumberKind::U32 | NumberKind::F32 => 4,
            NumberKind::F64 => 8,
        }
    }
}
