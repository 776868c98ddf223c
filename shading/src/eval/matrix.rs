//! Matrices: row-major, and row vectors multiply from the left, so that a translation stands in the last row.

/// The identity.
pub const IDENTITY: [f32; 16] = diagonal(1.0);

/// A number on the diagonal.
pub const fn diagonal(x: f32) -> [f32; 16] {
    let mut m = [0.0; 16];
    m[0] = x;
    m[5] = x;
    m[10] = x;
    m[15] = x;
    m
}

/// The matrix product.
pub fn mul(a: &[f32; 16], b: &[f32; 16]) -> [f32; 16] {
    std::array::from_fn(|i| {
        let (row, column) = (i & !3, i & 3);
        a[row] * b[column]
            + a[row + 1] * b[column + 4]
            + a[row + 2] * b[column + 8]
            + a[row + 3] * b[column + 12]
    })
}

/// `a` times the inverse of `b`; a singular `b` counts as the identity.
pub fn div(a: &[f32; 16], b: &[f32; 16]) -> [f32; 16] {
    match inverse(b) {
        Some(b) if *a == IDENTITY => b,
        Some(b) => mul(a, &b),
        None => *a,
    }
}

/// Rows become columns.
pub fn transpose(m: &[f32; 16]) -> [f32; 16] {
    std::array::from_fn(|i| m[(i & 3) * 4 + (i >> 2)])
}

/// Whether the last column is that of the identity, so that positions need no division.
fn is_affine(m: &[f32; 16]) -> bool {
    [m[3], m[7], m[11], m[15]] == [0.0, 0.0, 0.0, 1.0]
}

/// The determinant, computed in `f64`.
pub fn determinant(m: &[f32; 16]) -> f32 {
    let wide = m.map(f64::from);
    if is_affine(m) {
        return expand3(&wide, &cofactors(&wide)) as f32;
    }
    let (s, c) = minors(&wide);
    expand(&s, &c) as f32
}

/// The inverse, computed in `f64`; `None` when the matrix is singular or the result is not finite.
pub fn inverse(m: &[f32; 16]) -> Option<[f32; 16]> {
    let wide = m.map(f64::from);
    let inverse = if is_affine(m) {
        affine_inverse(&wide)
    } else {
        general_inverse(&wide)
    }?;
    inverse.iter().all(|x| x.is_finite()).then_some(inverse)
}

/// The inverse of a matrix whose last column is that of the identity.
fn affine_inverse(m: &[f64; 16]) -> Option<[f32; 16]> {
    let cofactors = cofactors(m);
    let determinant = expand3(m, &cofactors);
    if determinant == 0.0 {
        return None;
    }
    let scale = 1.0 / determinant;
    let column = |c: [f64; 3]| {
        let [a, b, c] = c.map(|value| value * scale);
        [a, b, c, -(m[12] * a + m[13] * b + m[14] * c)]
    };
    let [x, y, z] = cofactors.map(column);
    let mut inverse = [0.0; 16];
    for row in 0..4 {
        let elements = [x[row], y[row], z[row], f64::from(u8::from(row == 3))];
        inverse[4 * row..4 * row + 4].copy_from_slice(&elements.map(|value| value as f32));
    }
    Some(inverse)
}

/// The cofactors of the upper 3×3 part, row by row: the columns of its adjugate.
fn cofactors(m: &[f64; 16]) -> [[f64; 3]; 3] {
    let column = |a: usize, b: usize| {
        let minor = |i: usize, j: usize| m[a + i] * m[b + j] - m[a + j] * m[b + i];
        [minor(1, 2), minor(2, 0), minor(0, 1)]
    };
    [column(4, 8), column(8, 0), column(0, 4)]
}

/// The determinant of the upper 3×3 part.
fn expand3(m: &[f64; 16], [x, _, _]: &[[f64; 3]; 3]) -> f64 {
    m[0] * x[0] + m[1] * x[1] + m[2] * x[2]
}

fn general_inverse(m: &[f64; 16]) -> Option<[f32; 16]> {
    let (s, c) = minors(m);
    let determinant = expand(&s, &c);
    if determinant == 0.0 {
        return None;
    }
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
    let scale = 1.0 / determinant;
    Some(adjugate.map(|x| (x * scale) as f32))
}

/// The 2×2 minors of the upper and of the lower two rows (Laplace expansion along them), columns 01 02 03 12 13 23.
fn minors(m: &[f64; 16]) -> ([f64; 6], [f64; 6]) {
    const COLUMNS: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let of_rows =
        |row: usize| COLUMNS.map(|(i, j)| m[row + i] * m[row + 4 + j] - m[row + j] * m[row + 4 + i]);
    (of_rows(0), of_rows(8))
}

fn expand(s: &[f64; 6], c: &[f64; 6]) -> f64 {
    s[0] * c[5] - s[1] * c[4] + s[2] * c[3] + s[3] * c[2] - s[4] * c[1] + s[5] * c[0]
}

/// A position through a matrix, divided by w; zero where w is zero.
pub fn transform_point(m: &[f32; 16], [x, y, z]: [f32; 3]) -> [f32; 3] {
    let column = |j: usize| x * m[j] + y * m[j + 4] + z * m[j + 8] + m[j + 12];
    let w = column(3);
    if w == 0.0 {
        [0.0; 3]
    } else {
        [column(0) / w, column(1) / w, column(2) / w]
    }
}

/// A direction through the upper 3×3 part of a matrix.
pub fn transform_vector(m: &[f32; 16], [x, y, z]: [f32; 3]) -> [f32; 3] {
    let column = |j: usize| x * m[j] + y * m[j + 4] + z * m[j + 8];
    [column(0), column(1), column(2)]
}

/// A normal through the inverse transpose of a matrix; a singular matrix counts as the identity.
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
        // One that positions pass without a division: a rotation about z, uneven scales and a shift.
        let affine: [f32; 16] = [
            0.0, 2.0, 0.0, 0.0, //
            -3.0, 0.0, 0.5, 0.0, //
            0.0, 0.25, 4.0, 0.0, //
            7.0, -8.0, 9.0, 1.0,
        ];
        for m in [SAMPLE, affine] {
            let general = general_inverse(&m.map(f64::from)).expect("regular");
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
