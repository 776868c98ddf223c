//! Matrix operations: row-major, row vectors (v·M), translation in the last row.
//!
//! Branch-free functions are generic over [`Number`], so that [`crate::eval::packet`] computes the same for four
//! points. They use loops, because `map` closures that are not inlined pass vectors through memory.

use std::ops::{Add, Div, Mul, Neg, Sub};

use wide::bytemuck::cast;
use wide::f32x4;

/// A scalar, or a vector with a number for each of several points.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
}

impl<T> Number for T where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Div<Output = T> + Neg<Output = T>
{
}

/// Identity matrix.
pub const IDENTITY: [f32; 16] = diagonal(1.0);

/// Diagonal matrix.
pub const fn diagonal(x: f32) -> [f32; 16] {
    let mut m = [0.0; 16];
    m[0] = x;
    m[5] = x;
    m[10] = x;
    m[15] = x;
    m
}

/// Matrix product.
#[inline]
pub fn mul(a: &[f32; 16], b: &[f32; 16]) -> [f32; 16] {
    let [b0, b1, b2, b3]: [f32x4; 4] = cast(*b);
    let row = |i: usize| {
        let [x, y, z, w] = [0, 1, 2, 3].map(|column| f32x4::splat(a[4 * i + column]));
        x * b0 + y * b1 + z * b2 + w * b3
    };
    cast([row(0), row(1), row(2), row(3)])
}

/// `a` times the inverse of `b`; a singular `b` is replaced by the identity.
#[inline]
pub fn div(a: &[f32; 16], b: &[f32; 16]) -> [f32; 16] {
    match inverse(b) {
        Some(b) if *a == IDENTITY => b,
        Some(b) => mul(a, &b),
        None => *a,
    }
}

/// Transpose.
#[inline(always)]
pub fn transpose<T: Copy>(m: &[T; 16]) -> [T; 16] {
    let mut columns = *m;
    for (i, element) in columns.iter_mut().enumerate() {
        *element = m[(i & 3) * 4 + (i >> 2)];
    }
    columns
}

/// Returns whether the last column is that of the identity, so that positions need no division.
#[inline]
fn is_affine(m: &[f32; 16]) -> bool {
    [m[3], m[7], m[11], m[15]] == [0.0, 0.0, 0.0, 1.0]
}

/// The determinant, computed in `f64`.
#[inline]
pub fn determinant(m: &[f32; 16]) -> f32 {
    let wide = m.map(f64::from);
    if is_affine(m) {
        affine_determinant(&wide) as f32
    } else {
        general_determinant(&wide) as f32
    }
}

/// The inverse, computed in `f64`; `None` if the matrix is singular or the result is not finite.
#[inline]
pub fn inverse(m: &[f32; 16]) -> Option<[f32; 16]> {
    let wide = m.map(f64::from);
    let (determinant, inverse) = if is_affine(m) {
        affine_inverse(&wide, [0.0, 1.0])
    } else {
        general_inverse(&wide, 1.0)
    };
    let inverse = inverse.map(|x| x as f32);
    (determinant != 0.0 && inverse.iter().all(|x| x.is_finite())).then_some(inverse)
}

/// The determinant of an affine matrix (last column that of the identity).
#[inline(always)]
pub(super) fn affine_determinant<T: Number>(m: &[T; 16]) -> T {
    expand3(m, &cofactors(m))
}

/// The determinant and the inverse of an affine matrix (last column that of the identity).
#[inline(always)]
pub(super) fn affine_inverse<T: Number>(m: &[T; 16], [zero, one]: [T; 2]) -> (T, [T; 16]) {
    let cofactors = cofactors(m);
    let determinant = expand3(m, &cofactors);
    let scale = one / determinant;
    let mut inverse = [zero; 16];
    for (column, [a, b, c]) in cofactors.into_iter().enumerate() {
        let [a, b, c] = [a * scale, b * scale, c * scale];
        inverse[column] = a;
        inverse[column + 4] = b;
        inverse[column + 8] = c;
        inverse[column + 12] = -(m[12] * a + m[13] * b + m[14] * c);
    }
    inverse[15] = one;
    (determinant, inverse)
}

/// The cofactors of the upper 3×3 part, row by row: the columns of its adjugate.
#[inline(always)]
fn cofactors<T: Number>(m: &[T; 16]) -> [[T; 3]; 3] {
    let column = |a: usize, b: usize| {
        let minor = |i: usize, j: usize| m[a + i] * m[b + j] - m[a + j] * m[b + i];
        [minor(1, 2), minor(2, 0), minor(0, 1)]
    };
    [column(4, 8), column(8, 0), column(0, 4)]
}

/// The determinant of the upper 3×3 part.
#[inline(always)]
fn expand3<T: Number>(m: &[T; 16], [x, _, _]: &[[T; 3]; 3]) -> T {
    m[0] * x[0] + m[1] * x[1] + m[2] * x[2]
}

#[inline(always)]
pub(super) fn general_determinant<T: Number>(m: &[T; 16]) -> T {
    let (s, c) = minors(m);
    expand(&s, &c)
}

/// The determinant and the inverse of a general matrix.
#[inline(always)]
pub(super) fn general_inverse<T: Number>(m: &[T; 16], one: T) -> (T, [T; 16]) {
    let (s, c) = minors(m);
    let determinant = expand(&s, &c);
    let adjugate = [
        m[5] * c[5] - m[6] * c[4] + m[7] * c[3],
        -m[1] * c[5] + m[2] * c[4] - m[3] * c[3],
        m[13] * s[5] - m[14] * s[4] + m[15] * s[3],
        -m[9] * s[5] + m[10] * s[4] - m[11] * s[3],
        -m[4] * c[5] + m[6] * c[2] - m[7] * c[1],
        m[0] * c[5] - m[2] * c[2] + m[3] * c[1],
        -m[12] * s[5] + m[14] * s[2] - m[15] * s[1],
        m[8] * s[5] - m[10] * s[2] + m[11] * s[1],
        m[4] * c[4] - m[5] * c[2] + m[7] * c[0],
        -m[0] * c[4] + m[1] * c[2] - m[3] * c[0],
        m[12] * s[4] - m[13] * s[2] + m[15] * s[0],
        -m[8] * s[4] + m[9] * s[2] - m[11] * s[0],
        -m[4] * c[3] + m[5] * c[1] - m[6] * c[0],
        m[0] * c[3] - m[1] * c[1] + m[2] * c[0],
        -m[12] * s[3] + m[13] * s[1] - m[14] * s[0],
        m[8] * s[3] - m[9] * s[1] + m[10] * s[0],
    ];
    let scale = one / determinant;
    let mut inverse = adjugate;
    for x in &mut inverse {
        *x = *x * scale;
    }
    (determinant, inverse)
}

/// The 2×2 minors of the upper and of the lower two rows (Laplace expansion along them), columns 01 02 03 12 13 23.
#[inline(always)]
fn minors<T: Number>(m: &[T; 16]) -> ([T; 6], [T; 6]) {
    const COLUMNS: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let (mut upper, mut lower) = ([m[0]; 6], [m[0]; 6]);
    for (n, (i, j)) in COLUMNS.into_iter().enumerate() {
        upper[n] = m[i] * m[4 + j] - m[j] * m[4 + i];
        lower[n] = m[8 + i] * m[12 + j] - m[8 + j] * m[12 + i];
    }
    (upper, lower)
}

#[inline(always)]
fn expand<T: Number>(s: &[T; 6], c: &[T; 6]) -> T {
    s[0] * c[5] - s[1] * c[4] + s[2] * c[3] + s[3] * c[2] - s[4] * c[1] + s[5] * c[0]
}

/// Transforms a position and divides it by w; zero if w is zero.
#[inline]
pub fn transform_point(m: &[f32; 16], [x, y, z]: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = [x, y, z].map(f32x4::splat);
    let [a, b, c, d]: [f32x4; 4] = cast(*m);
    let sum = x * a + y * b + z * c + d;
    let [_, _, _, w] = sum.to_array();
    if w == 0.0 {
        return [0.0; 3];
    }
    let [x, y, z, _] = (sum / f32x4::splat(w)).to_array();
    [x, y, z]
}

/// Transforms a direction by the upper 3×3 part of a matrix.
#[inline(always)]
pub fn transform_vector<T: Number>(m: &[T; 16], [x, y, z]: [T; 3]) -> [T; 3] {
    let column = |j: usize| x * m[j] + y * m[j + 4] + z * m[j + 8];
    [column(0), column(1), column(2)]
}

/// Transforms a normal by the inverse transpose of a matrix; a singular matrix is replaced by the identity.
#[inline]
pub fn transform_normal(m: &[f32; 16], n: [f32; 3]) -> [f32; 3] {
    match inverse(m) {
        Some(m) => transform_vector(&transpose(&m), n),
        None => n,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: [f32; 16] = [
        2.0, 0.0, 1.0, 0.0, //
        0.0, 3.0, 0.0, 0.5, //
        1.0, 0.0, 1.0, 0.0, //
        4.0, 5.0, 6.0, 1.0,
    ];

    #[test]
    fn inverse_undoes_a_matrix() {
        // An affine matrix: a rotation about z, nonuniform scales and a translation.
        let affine: [f32; 16] = [
            0.0, 2.0, 0.0, 0.0, //
            -3.0, 0.0, 0.5, 0.0, //
            0.0, 0.25, 4.0, 0.0, //
            7.0, -8.0, 9.0, 1.0,
        ];
        for m in [SAMPLE, affine] {
            let (_, general) = general_inverse(&m.map(f64::from), 1.0);
            let general = general.map(|x| x as f32);
            let inverse = inverse(&m).expect("regular");
            let product = mul(&m, &inverse);
            let close = |a: &[f32; 16], b: &[f32; 16]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
            assert!(close(&product, &IDENTITY), "{product:?}");
            assert!(close(&inverse, &general), "{inverse:?} {general:?}");
        }
        assert_eq!(determinant(&affine), 24.0);
        assert_eq!(inverse(&[0.0; 16]), None);
        assert_eq!(div(&SAMPLE, &[0.0; 16]), SAMPLE);
        // det of a block: (2·1−1·1)·(3·1−0.5·5) = 0.5.
        assert_eq!(determinant(&SAMPLE), 0.5);
    }

    #[test]
    fn points_move_and_vectors_do_not() {
        let mut m = IDENTITY;
        m[12..15].copy_from_slice(&[1.0, 2.0, 3.0]);
        assert_eq!(transform_point(&m, [1.0; 3]), [2.0, 3.0, 4.0]);
        assert_eq!(transform_vector(&m, [1.0; 3]), [1.0; 3]);
        m[15] = 2.0;
        assert_eq!(transform_point(&m, [1.0; 3]), [1.0, 1.5, 2.0]);
        assert_eq!(transform_point(&[0.0; 16], [1.0; 3]), [0.0; 3]);
    }

    #[test]
    fn normals_scale_inversely() {
        let mut m = IDENTITY;
        m[0] = 2.0;
        assert_eq!(transform_normal(&m, [1.0, 1.0, 0.0]), [0.5, 1.0, 0.0]);
    }

    #[test]
    fn transposition_swaps() {
        assert_eq!(transpose(&transpose(&SAMPLE)), SAMPLE);
        assert_eq!(transpose(&SAMPLE)[1], SAMPLE[4]);
    }
}
