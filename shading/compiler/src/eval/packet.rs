//! Packet versions of matrix and elementary functions (four points), with the same bits as scalar code.
//!
//! A value of a packet is stored as structure of arrays: a row for each of its numbers, with one element per point.

use wide::{f32x4, f64x4};

use super::matrix;

/// Number of points in a packet.
pub const POINTS: usize = 4;

/// A number at each point.
pub type Row = f32x4;

/// A matrix at each point.
pub type Matrices = [Row; 16];

/// Applies a function to the number at each point.
#[inline(always)]
pub fn each(f: impl Fn(f32) -> f32, x: Row) -> Row {
    let [a, b, c, d] = x.to_array();
    f32x4::new([f(a), f(b), f(c), f(d)])
}

/// Applies a function of two numbers at each point.
#[inline(always)]
pub fn each2(f: impl Fn(f32, f32) -> f32, x: Row, y: Row) -> Row {
    let (x, y) = (x.to_array(), y.to_array());
    f32x4::new([f(x[0], y[0]), f(x[1], y[1]), f(x[2], y[2]), f(x[3], y[3])])
}

fn at(m: &Matrices, point: usize) -> [f32; 16] {
    m.map(|row| row.to_array()[point])
}

/// Evaluates a function at each point, and transposes the results to rows.
fn gather<const N: usize>(f: impl Fn(usize) -> [f32; N]) -> [Row; N] {
    let points: [[f32; N]; POINTS] = std::array::from_fn(f);
    std::array::from_fn(|i| f32x4::new(points.map(|numbers| numbers[i])))
}

#[inline(always)]
fn widen(m: &Matrices) -> [f64x4; 16] {
    let mut wide = [f64x4::splat(0.0); 16];
    for (wide, row) in wide.iter_mut().zip(m) {
        let [a, b, c, d] = row.to_array();
        *wide = f64x4::new([f64::from(a), f64::from(b), f64::from(c), f64::from(d)]);
    }
    wide
}

#[inline(always)]
fn narrow(x: f64x4) -> Row {
    let [a, b, c, d] = x.to_array();
    f32x4::new([a as f32, b as f32, c as f32, d as f32])
}

/// Extent of a property within a packet: all points, none, or some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    All,
    None,
    Some,
}

/// Compares rows with the given numbers at all points.
#[inline(always)]
fn extent<const N: usize>(rows: [Row; N], numbers: [f32; N]) -> Extent {
    let mut equal = f32x4::splat(f32::from_bits(u32::MAX));
    for (row, number) in rows.into_iter().zip(numbers) {
        equal &= row.simd_eq(f32x4::splat(number));
    }
    match (equal.all(), equal.any()) {
        (true, _) => Extent::All,
        (_, false) => Extent::None,
        (_, true) => Extent::Some,
    }
}

/// Tests at how many points the last column is that of the identity.
#[inline(always)]
fn affine_extent(m: &Matrices) -> Extent {
    extent([m[3], m[7], m[11], m[15]], [0.0, 0.0, 0.0, 1.0])
}

/// See [`matrix::mul`].
#[inline(always)]
pub fn mul(a: &Matrices, b: &Matrices) -> Matrices {
    let mut product = *a;
    for (i, element) in product.iter_mut().enumerate() {
        let (row, column) = (i & !3, i & 3);
        *element = a[row] * b[column]
            + a[row + 1] * b[column + 4]
            + a[row + 2] * b[column + 8]
            + a[row + 3] * b[column + 12];
    }
    product
}

/// See [`matrix::div`].
#[inline]
pub fn div(a: &Matrices, b: &Matrices) -> Matrices {
    let one = f64x4::splat(1.0);
    let (determinant, inverse) = match affine_extent(b) {
        Extent::All => matrix::affine_inverse(&widen(b), [f64x4::splat(0.0), one]),
        Extent::None => matrix::general_inverse(&widen(b), one),
        Extent::Some => return gather(|point| matrix::div(&at(a, point), &at(b, point))),
    };
    let mut narrowed = *b;
    for (row, wide) in narrowed.iter_mut().zip(inverse) {
        *row = narrow(wide);
    }
    let inverse = narrowed;
    let quotient = match extent(*a, matrix::IDENTITY) {
        Extent::All => inverse,
        Extent::None => mul(a, &inverse),
        Extent::Some => return gather(|point| matrix::div(&at(a, point), &at(b, point))),
    };
    let [d0, d1, d2, d3] = determinant.to_array();
    let singular = [d0 == 0.0, d1 == 0.0, d2 == 0.0, d3 == 0.0];
    let mut regular = f32x4::new(singular.map(f32::from)).simd_eq(f32x4::splat(0.0));
    for row in &inverse {
        regular &= row.abs().simd_lt(f32x4::splat(f32::INFINITY));
    }
    let mut chosen = quotient;
    for (row, dividend) in chosen.iter_mut().zip(a) {
        *row = regular.bitselect(*row, *dividend);
    }
    chosen
}

/// See [`matrix::determinant`].
#[inline]
pub fn determinant(m: &Matrices) -> Row {
    match affine_extent(m) {
        Extent::All => narrow(matrix::affine_determinant(&widen(m))),
        Extent::None => narrow(matrix::general_determinant(&widen(m))),
        Extent::Some => gather(|point| [matrix::determinant(&at(m, point))])[0],
    }
}

/// See [`matrix::transform_point`].
#[inline(always)]
pub fn transform_point(m: &Matrices, [x, y, z]: [Row; 3]) -> [Row; 3] {
    let column = |j: usize| x * m[j] + y * m[j + 4] + z * m[j + 8] + m[j + 12];
    let zero = f32x4::splat(0.0);
    let w = column(3);
    let is_zero = w.simd_eq(zero);
    let divided = |j: usize| is_zero.bitselect(zero, column(j) / w);
    [divided(0), divided(1), divided(2)]
}

/// See [`matrix::transform_normal`].
pub fn transform_normal(m: &Matrices, n: [Row; 3]) -> [Row; 3] {
    gather(|point| matrix::transform_normal(&at(m, point), n.map(|row| row.to_array()[point])))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rotation with translation at some points, a projection, a singular matrix, the identity.
    const SAMPLES: [[f32; 16]; 5] = [
        [0.0, 2.0, 0.0, 0.0, -3.0, 0.0, 0.5, 0.0, 0.0, 0.25, 4.0, 0.0, 7.0, -8.0, 9.0, 1.0],
        [1.5, 2.0, 0.3, 0.0, -3.0, 1.0, 0.5, 0.0, 0.1, 0.25, 4.0, 0.0, 2.0, 1.0, 9.0, 1.0],
        [2.0, 0.0, 1.0, 0.0, 0.0, 3.0, 0.0, 0.5, 1.0, 0.0, 1.0, 0.0, 4.0, 5.0, 6.0, 1.0],
        [0.0; 16],
        matrix::IDENTITY,
    ];

    #[test]
    fn matrices_are_as_at_single_points() {
        let count = SAMPLES.len();
        for mix in 0..count.pow(4) {
            let pick = |point: usize| SAMPLES[mix / count.pow(point as u32) % count];
            let m = gather(pick);
            let other = gather(|point| pick((point + 1) % POINTS));
            let v = [0.3, -2.0, 0.7].map(f32x4::splat);
            let (quotient, reciprocal) = (div(&other, &m), div(&gather(|_| matrix::IDENTITY), &m));
            let product = mul(&other, &m);
            let determinants = determinant(&m).to_array();
            let (position, normal) = (transform_point(&m, v), transform_normal(&m, v));
            for (point, determinant) in determinants.into_iter().enumerate() {
                let one = pick(point);
                let v = [0.3, -2.0, 0.7];
                let expected = matrix::div(&pick((point + 1) % POINTS), &one);
                assert_eq!(at(&quotient, point), expected);
                assert_eq!(at(&product, point), matrix::mul(&pick((point + 1) % POINTS), &one));
                assert_eq!(at(&reciprocal, point), matrix::div(&matrix::IDENTITY, &one));
                assert_eq!(determinant, matrix::determinant(&one));
                let at = |rows: [Row; 3]| rows.map(|row| row.to_array()[point]);
                assert_eq!(at(position), matrix::transform_point(&one, v));
                assert_eq!(at(normal), matrix::transform_normal(&one, v));
            }
        }
    }
}
