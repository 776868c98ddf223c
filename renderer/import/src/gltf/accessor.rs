//! glTF accessors: decoding of numbers, with bounds checks of all offsets and counts.

use gltf::Accessor;
use gltf::accessor::sparse::IndexType;
use gltf::accessor::{DataType, Dimensions};
use gltf::buffer::View;

use super::GltfError;
use super::buffers::Buffers;
use renderer_base::files::OverBudget;

/// Reads vectors of at least `N` components and drops further ones. Normalized integers become the fractions that they
/// encode, other integers floats.
pub(super) fn vectors<const N: usize>(
    accessor: &Accessor<'_>,
    buffers: &Buffers,
) -> Result<Vec<[f32; N]>, GltfError> {
    vectors_at(accessor, buffers, None)
}

/// Like [`vectors`], for the elements at some indices in ascending order.
pub(super) fn vectors_at<const N: usize>(
    accessor: &Accessor<'_>,
    buffers: &Buffers,
    picked: Option<&[u32]>,
) -> Result<Vec<[f32; N]>, GltfError> {
    if components(accessor.dimensions()) < N {
        return Err(format!("accessor {} has fewer than {N} components", accessor.index()));
    }
    let number = decoder(accessor.data_type(), accessor.normalized());
    let width = accessor.data_type().size();
    read(accessor, buffers, picked, [0.0; N], |bytes| {
        std::array::from_fn(|i| number(&bytes[i * width..]))
    })
}

/// Number of components of an accessor's elements.
pub(super) fn components(dimensions: Dimensions) -> usize {
    match dimensions {
        Dimensions::Scalar => 1,
        Dimensions::Vec2 => 2,
        Dimensions::Vec3 => 3,
        Dimensions::Vec4 | Dimensions::Mat2 => 4,
        Dimensions::Mat3 => 9,
        Dimensions::Mat4 => 16,
    }
}

/// Reads unsigned integers of any width.
pub(super) fn indices(accessor: &Accessor<'_>, buffers: &Buffers) -> Result<Vec<u32>, GltfError> {
    let index: fn(&[u8]) -> u32 = match accessor.data_type() {
        DataType::U8 => |bytes| u32::from(bytes[0]),
        DataType::U16 => |bytes| u32::from(u16::from_le_bytes(first(bytes))),
        DataType::U32 => |bytes| u32::from_le_bytes(first(bytes)),
        DataType::I8 | DataType::I16 | DataType::F32 => {
            return Err(format!(
                "accessor {} is used as indices, but is not of unsigned integers",
                accessor.index()
            ));
        }
    };
    read(accessor, buffers, None, 0, index)
}

fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    std::array::from_fn(|i| bytes[i])
}

/// Returns the conversion of a component to a float. glTF 2.0, section 3.6.2.2.
fn decoder(data_type: DataType, normalized: bool) -> fn(&[u8]) -> f32 {
    match (data_type, normalized) {
        (DataType::F32, _) => |bytes| f32::from_le_bytes(first(bytes)),
        (DataType::U8, true) => |bytes| f32::from(bytes[0]) / 255.0,
        (DataType::U8, false) => |bytes| f32::from(bytes[0]),
        (DataType::U16, true) => |bytes| f32::from(u16::from_le_bytes(first(bytes))) / 65535.0,
        (DataType::U16, false) => |bytes| f32::from(u16::from_le_bytes(first(bytes))),
        (DataType::I8, true) => |bytes| (f32::from(bytes[0].cast_signed()) / 127.0).max(-1.0),
        (DataType::I8, false) => |bytes| f32::from(bytes[0].cast_signed()),
        (DataType::I16, true) => |bytes| (f32::from(i16::from_le_bytes(first(bytes))) / 32767.0).max(-1.0),
        (DataType::I16, false) => |bytes| f32::from(i16::from_le_bytes(first(bytes))),
        (DataType::U32, _) => |bytes| u32::from_le_bytes(first(bytes)) as f32,
    }
}

/// Reads the bytes of an accessor's elements, without gaps; returns them and the bytes of an element.
pub(super) fn packed(accessor: &Accessor<'_>, buffers: &Buffers) -> Result<(Vec<u8>, usize), GltfError> {
    /// Bytes of the largest vector.
    const MAX_VECTOR_BYTES: usize = 16;
    let size = accessor.size();
    if size > MAX_VECTOR_BYTES {
        return Err(format!("accessor {} is of matrices", accessor.index()));
    }
    let elements = read(accessor, buffers, None, [0u8; MAX_VECTOR_BYTES], |bytes| {
        std::array::from_fn(|i| bytes.get(i).copied().unwrap_or(0))
    })?;
    Ok((elements.iter().flat_map(|bytes| &bytes[..size]).copied().collect(), size))
}

/// Reads the elements of an accessor, or those at the `picked` indices: those of its buffer view or zeros, with sparse
/// elements replaced.
fn read<T: Copy>(
    accessor: &Accessor<'_>,
    buffers: &Buffers,
    picked: Option<&[u32]>,
    zero: T,
    element: impl Fn(&[u8]) -> T,
) -> Result<Vec<T>, GltfError> {
    let index = accessor.index();
    let count = accessor.count();
    let size = accessor.size();
    let wanted = picked.map_or(count, <[u32]>::len);
    let excess = |excess: OverBudget| format!("accessor {index}: {excess}");
    buffers.budget.decode("elements", wanted, size_of::<T>()).map_err(excess)?;
    let stored = match accessor.view() {
        // The number of decompressed elements can differ from the accessor's count.
        None if let Some(bytes) = buffers.decoded(accessor) => {
            Some(Elements { bytes, stride: size, size, count: bytes.len() / size.max(1) })
        }
        Some(view) => {
            let place = format!("accessor {index}");
            Some(elements(&place, &view, buffers, accessor.offset(), count, size)?)
        }
        None => None,
    };
    let missing = |place: u32| format!("accessor {index} has no element {place}");
    let mut values: Vec<T> = match (stored, picked) {
        (Some(stored), None) => stored.iter().map(&element).collect(),
        (Some(stored), Some(picked)) => (picked.iter())
            .map(|&place| stored.get(place as usize).map(&element).ok_or_else(|| missing(place)))
            .collect::<Result<_, GltfError>>()?,
        (None, _) => {
            if let Some(&last) = picked.and_then(<[u32]>::last).filter(|&&last| last as usize >= count) {
                return Err(missing(last));
            }
            // Their number has no bound in the file.
            let bytes = size_of::<T>();
            buffers.budget.allocate("elements", wanted, bytes).map_err(excess)?;
            vec![zero; wanted]
        }
    };
    let Some(sparse) = accessor.sparse() else {
        return Ok(values);
    };
    let (places, replacements) = (sparse.indices(), sparse.values());
    let width = match places.index_type() {
        IndexType::U8 => 1,
        IndexType::U16 => 2,
        IndexType::U32 => 4,
    };
    let place = format!("the sparse indices of accessor {index}");
    let view = places.view();
    let places = elements(&place, &view, buffers, places.offset(), sparse.count(), width)?;
    let place = format!("the sparse values of accessor {index}");
    let view = replacements.view();
    let replacements = elements(&place, &view, buffers, replacements.offset(), sparse.count(), size)?;
    buffers.budget.decode("sparse elements", sparse.count(), size).map_err(excess)?;
    for (place, replacement) in places.iter().zip(replacements.iter()) {
        let place = place.iter().rev().fold(0usize, |value, byte| value << 8 | usize::from(*byte));
        if place >= count {
            return Err(format!("accessor {index} has no element {place} to replace"));
        }
        let at = match picked {
            None => Some(place),
            Some(picked) => picked.binary_search(&(place as u32)).ok(),
        };
        if let Some(value) = at.and_then(|at| values.get_mut(at)) {
            *value = element(replacement);
        }
    }
    Ok(values)
}

/// Elements of the same size in the bytes of a buffer view.
#[derive(Clone, Copy)]
struct Elements<'a> {
    bytes: &'a [u8],
    /// Bytes from one element to the next.
    stride: usize,
    /// Bytes of an element.
    size: usize,
    count: usize,
}

impl<'a> Elements<'a> {
    fn get(&self, index: usize) -> Option<&'a [u8]> {
        let first = (index < self.count).then_some(index * self.stride)?;
        self.bytes.get(first..first + self.size)
    }

    fn iter(self) -> impl Iterator<Item = &'a [u8]> {
        (0..self.count).filter_map(move |index| self.get(index))
    }
}

/// Returns `count` elements of `size` bytes of a buffer view.
fn elements<'a>(
    place: &str,
    view: &View<'_>,
    buffers: &'a Buffers,
    offset: usize,
    count: usize,
    size: usize,
) -> Result<Elements<'a>, GltfError> {
    let bytes = buffers.view(view)?;
    let stride = view.stride().unwrap_or(size).max(1);
    // The last element may be shorter than the stride.
    let length = match count {
        0 => Some(0),
        _ => (count - 1).checked_mul(stride).and_then(|length| length.checked_add(size)),
    };
    let end = length.and_then(|length| offset.checked_add(length));
    let bytes = end.and_then(|end| bytes.get(offset..end)).ok_or_else(|| {
        let view = view.index();
        format!("{place}: {count} elements of {size} bytes from {offset} on reach beyond buffer view {view}")
    })?;
    Ok(Elements { bytes, stride, size, count })
}
