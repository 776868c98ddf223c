//! Cells of the lattice.

use wide::bytemuck::cast;
use wide::{f32x4, i32x4, u32x4};

use crate::eval::INT_LIMIT;
use crate::eval::dual::Real;
use crate::eval::packet::Row;

/// Splits coordinates into cell indices and their floors.
///
/// Numbers beyond the range of int are their own floors. The floor has the sign of the number, so that of -0 is -0.
#[inline(always)]
pub(super) fn cell(x: Row) -> (u32x4, Row) {
    let sign: Row = cast(u32x4::splat(1 << 31));
    let is_int = x.abs().simd_lt(f32x4::splat(INT_LIMIT));
    let toward_zero = x.fast_trunc_int();
    let truncated = toward_zero.round_float();
    let is_above = truncated.simd_gt(x);
    let key = toward_zero + cast::<Row, i32x4>(is_above);
    let floor = (truncated - (is_above & f32x4::splat(1.0))) | (x & sign);
    let beyond: Row = cast(i32x4::splat(i32::MIN));
    (cast(is_int.bitselect(cast(key), beyond)), is_int.bitselect(floor, x))
}

/// Splits coordinates into cell indices and positions in the cells. Coordinates beyond the range of int share one cell, as
/// in OSL on x86.
#[inline(always)]
pub(super) fn cells<T: Real, const D: usize>(p: [T; D]) -> ([u32; D], [T; D]) {
    let mut values = [0.0; 4];
    for axis in 0..D {
        values[axis] = p[axis].value();
    }
    let (keys, floors) = cell(f32x4::new(values));
    let (keys, floors) = (keys.to_array(), floors.to_array());
    (
        std::array::from_fn(|axis| keys[axis]),
        std::array::from_fn(|axis| p[axis] - floors[axis]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::float_to_int;

    #[test]
    fn cells_are_floors() {
        let limit = INT_LIMIT;
        let numbers = [
            0.0,
            0.3,
            0.999_999_94,
            1.0,
            7.5,
            1e-40,
            8_388_607.5,
            limit - 128.0,
            limit,
            1e30,
            f32::INFINITY,
        ];
        for x in numbers.into_iter().flat_map(|x| [x, -x]).chain([f32::NAN]) {
            let (key, floor) = cell(f32x4::splat(x));
            let (key, floor) = (key.to_array()[3], floor.to_array()[3]);
            assert_eq!(key as i32, float_to_int(x.floor()), "{x}");
            assert!(
                floor.to_bits() == x.floor().to_bits() || x.is_nan() && floor.is_nan(),
                "{x}: {floor}"
            );
        }
    }
}
