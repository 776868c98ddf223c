//! Simplex noise with OSL's hash, gradients and scales.
//!
//! Stefan Gustavson, "Simplex noise demystified", 2005. Space is divided into simplices; each corner of the simplex
//! that contains the point contributes a gradient that falls off with the distance.

use std::num::Wrapping;

use super::hash::finish;
use crate::eval::dual::Real;

/// Hash of three numbers.
fn scramble(a: u32, b: u32, c: u32) -> u32 {
    finish(Wrapping(a), Wrapping(b), Wrapping(c ^ 0xdead_beef)).0
}

/// Gradients in 2D.
const PLANE: [[i8; 2]; 8] = [[-1, -1], [1, 0], [-1, 0], [1, 1], [-1, 1], [0, -1], [0, 1], [1, -1]];

/// Gradients in 3D: the midpoints of a cube's edges, four of them twice.
const SPACE: [[i8; 3]; 16] = [
    [1, 0, 1],
    [0, 1, 1],
    [-1, 0, 1],
    [0, -1, 1],
    [1, 0, -1],
    [0, 1, -1],
    [-1, 0, -1],
    [0, -1, -1],
    [1, -1, 0],
    [1, 1, 0],
    [-1, 1, 0],
    [-1, -1, 0],
    [1, 0, 1],
    [-1, 0, 1],
    [0, 1, -1],
    [0, -1, -1],
];

/// Gradients in 4D: the midpoints of a tesseract's edges. Bits 3 and 4 select the component that is zero; the other
/// bits are the signs of the others, the last component's in the lowest bit.
fn tesseract(h: u32) -> [f32; 4] {
    let zero = (h >> 3 & 3) as usize;
    let mut bit = 3;
    std::array::from_fn(|lane| {
        if lane == zero {
            return 0.0;
        }
        bit -= 1;
        if h >> bit & 1 == 0 { 1.0 } else { -1.0 }
    })
}

/// Constants of simplex noise in a number of dimensions.
struct Grid {
    /// Factors that skew space so that simplices become parts of unit cubes, and back.
    skew: f32,
    unskew: f32,
    /// Scale factor that brings the range to about `[-1,1]`.
    scale: f32,
    /// True if the first of two equal coordinates counts as the larger.
    first_of_equal: bool,
}

const GRIDS: [Grid; 3] = [
    Grid {
        skew: 0.366_025_4,
        unskew: 0.211_324_87,
        scale: 64.0,
        first_of_equal: false,
    },
    Grid {
        skew: 0.333_333_33,
        unskew: 0.166_666_67,
        scale: 68.0,
        first_of_equal: true,
    },
    Grid {
        skew: 0.309_017,
        unskew: 0.138_196_6,
        scale: 54.0,
        first_of_equal: false,
    },
];

/// Noise in 1D, about `[-1,1]`.
pub(super) fn simplex1<T: Real>(x: T, seed: u32) -> T {
    let floor = x.value().floor();
    let cell = floor as i32 as u32;
    let corner = |offset: u32| {
        let at = x - (floor + offset as f32);
        let h = scramble(cell.wrapping_add(offset), seed, 0);
        let gradient = 1.0 + (h & 7) as f32;
        let gradient = if h & 8 == 0 { gradient } else { -gradient };
        let t = -(at * at) + 1.0;
        let t2 = t * t;
        t2 * t2 * gradient * at
    };
    (corner(0) + corner(1)) * 0.36
}

/// Noise in two, three or four dimensions, about `[-1,1]`.
pub(super) fn simplex<T: Real, const D: usize>(p: [T; D], seed: u32) -> T {
    let grid = &GRIDS[D - 2];
    let sum = p[1..].iter().fold(p[0].value(), |sum, x| sum + x.value());
    let skew = sum * grid.skew;
    let cells = p.map(|x| (x.value() + skew).floor());
    let keys = cells.map(|c| c as i32 as u32);
    let unskew = keys.iter().fold(0u32, |sum, k| sum.wrapping_add(*k)) as i32 as f32 * grid.unskew;
    let at: [T; D] = std::array::from_fn(|i| p[i] - (cells[i] - unskew));

    // Rank of each coordinate: the number of others that it exceeds, which determines the order of the corners.
    let mut ranks = [0; D];
    for i in 0..D {
        for j in i + 1..D {
            let (a, b) = (at[i].value(), at[j].value());
            let first = a > b || (grid.first_of_equal && a == b);
            ranks[if first { i } else { j }] += 1;
        }
    }
    let mut total = T::from(0.0);
    for corner in 0..=D {
        let offset = |i: usize| u32::from(ranks[i] + corner >= D);
        let x: [T; D] = std::array::from_fn(|i| at[i] - offset(i) as f32 + corner as f32 * grid.unskew);
        let t = x.iter().fold(T::from(0.5), |t, &x| t - x * x);
        if t.value() < 0.0 {
            continue;
        }
        let keys: [u32; D] = std::array::from_fn(|i| keys[i].wrapping_add(offset(i)));
        let gradient = gradient(keys, seed);
        let along = (1..D).fold(x[0] * gradient[0], |sum, i| sum + x[i] * gradient[i]);
        let t2 = t * t;
        total = total + t2 * t2 * along;
    }
    total * grid.scale
}

fn gradient<const D: usize>(keys: [u32; D], seed: u32) -> [f32; 4] {
    match keys[..] {
        [i, j] => {
            let [x, y] = PLANE[(scramble(i, j, seed) & 7) as usize].map(f32::from);
            [x, y, 0.0, 0.0]
        }
        [i, j, k] => {
            let h = scramble(i, j, scramble(k, seed, 0));
            let [x, y, z] = SPACE[(h & 15) as usize].map(f32::from);
            [x, y, z, 0.0]
        }
        [i, j, k, l] => tesseract(scramble(i, j, scramble(k, l, seed))),
        _ => [0.0; 4],
    }
}
