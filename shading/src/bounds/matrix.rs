//! Rules of matrices: transformations by matrices of intervals. Inverses of matrices that are not constant are unknown.

use shading_compiler::eval::matrix;

use super::range::{self, Range};

/// Product of two matrices.
pub(super) fn mul(a: &[Range; 16], b: &[Range; 16]) -> [Range; 16] {
    std::array::from_fn(|i| {
        let (row, column) = (i & !3, i & 3);
        sum([0, 1, 2, 3].map(|k| range::mul(a[row + k], b[column + 4 * k])))
    })
}

/// A transformed position.
pub(super) fn transform_point(m: &[Range; 16], p: [Range; 3]) -> [Range; 3] {
    let column = |j: usize| {
        let [x, y, z] = [0, 1, 2].map(|i| range::mul(p[i], m[4 * i + j]));
        sum([x, y, z, m[12 + j]])
    };
    let w = column(3);
    [0, 1, 2].map(|j| range::div(column(j), w))
}

/// A transformed direction.
pub(super) fn transform_vector(m: &[Range; 16], v: [Range; 3]) -> [Range; 3] {
    [0, 1, 2].map(|j| {
        let [x, y, z] = [0, 1, 2].map(|i| range::mul(v[i], m[4 * i + j]));
        range::add(range::add(x, y), z)
    })
}

/// A transformed normal; `None` if the matrix is not constant.
pub(super) fn transform_normal(m: &[Range; 16], n: [Range; 3]) -> Option<[Range; 3]> {
    let mut values = [0.0; 16];
    for (value, range) in values.iter_mut().zip(m) {
        *value = range.value()?;
    }
    match matrix::inverse(&values) {
        Some(inverse) => Some(transform_vector(&matrix::transpose(&inverse).map(Range::point), n)),
        None => Some(n),
    }
}

/// Sum from the left.
fn sum([a, b, c, d]: [Range; 4]) -> Range {
    range::add(range::add(range::add(a, b), c), d)
}
