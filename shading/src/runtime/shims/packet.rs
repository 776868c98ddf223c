//! Shims for packets: functions on four points, `(out, arguments)`. Each argument is a record with one row per number.
//!
//! Arguments are in the order of the operation's operands, and results are stored after all arguments are read.

use super::math::MatrixFunction;
use super::{Shim, math};
use shading_compiler::builtins::Builtin;
use shading_compiler::eval::matrix;
use shading_compiler::eval::noise::packet as noise;
use shading_compiler::eval::packet::{self as eval, Matrices, Row};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoiseResult {
    /// True for a triple, false for a float.
    pub(crate) is_triple: bool,
    /// True if it includes derivatives in x and in y.
    pub(crate) is_dual: bool,
}

/// Reads the rows of an argument.
///
/// # Safety
/// The pointer is valid for reads of `N` rows.
unsafe fn read<const N: usize>(at: *const Row) -> [Row; N] {
    // SAFETY: guaranteed by the caller.
    unsafe { at.cast::<[Row; N]>().read() }
}

/// Borrows the rows of matrices, which are not copied.
///
/// # Safety
/// The pointer is valid for reads of 16 rows, which do not change while the reference is used.
unsafe fn matrices<'a>(at: *const Row) -> &'a Matrices {
    // SAFETY: guaranteed by the caller.
    unsafe { &*at.cast::<Matrices>() }
}

/// Stores the rows of a result.
///
/// # Safety
/// The pointer is valid for writes of `N` rows.
unsafe fn write<const N: usize>(at: *mut Row, rows: [Row; N]) {
    // SAFETY: guaranteed by the caller.
    unsafe { at.cast::<[Row; N]>().write(rows) }
}

/// Defines the shim of a function on records of the given number of rows.
macro_rules! shim {
    ($rows:literal, $f:expr) => {{
        unsafe extern "C" fn run(out: *mut Row, args: *const Row) {
            // SAFETY: compiled code passes records with the numbers of rows of the operation's operands and result.
            unsafe { write(out, $f(read::<$rows>(args))) }
        }
        Shim::of2(run)
    }};
}

/// Returns the shim of a built-in of one number, for `rows` rows. `None` for functions with their own packet code.
pub(crate) fn unary(builtin: Builtin, rows: usize) -> Option<Shim> {
    macro_rules! table {
        ($($name:ident => $f:path,)*) => {
            match (builtin, rows) {
                $(
                    (Builtin::$name, 1) => shim!(1, |[x]: [Row; 1]| [eval::each($f, x)]),
                    (Builtin::$name, _) => shim!(3, |[x, y, z]: [Row; 3]| {
                        [eval::each($f, x), eval::each($f, y), eval::each($f, z)]
                    }),
                )*
                _ => return None,
            }
        };
    }
    Some(math::unary_table!(table))
}

/// Returns the shim of a built-in of two numbers, for `rows` rows of each.
pub(crate) fn binary(builtin: Builtin, rows: usize) -> Option<Shim> {
    macro_rules! table {
        ($($name:ident => $f:path,)*) => {
            match (builtin, rows) {
                $(
                    (Builtin::$name, 1) => shim!(2, |[a, b]: [Row; 2]| [eval::each2($f, a, b)]),
                    (Builtin::$name, _) => shim!(6, |x: [Row; 6]| {
                        let lane = |i: usize| eval::each2($f, x[i], x[i + 3]);
                        [lane(0), lane(1), lane(2)]
                    }),
                )*
                _ => return None,
            }
        };
    }
    Some(math::binary_table!(table))
}

/// Returns the shim of a noise of the given number of coordinates.
pub(crate) fn noise(builtin: Builtin, numbers: usize, result: NoiseResult) -> Option<Shim> {
    match numbers {
        1 => noise_of::<1, 2>(builtin, result),
        2 => noise_of::<2, 3>(builtin, result),
        3 => noise_of::<3, 4>(builtin, result),
        _ => noise_of::<4, 5>(builtin, result),
    }
}

/// A noise of `D` coordinates; `K` is `D` + 1.
fn noise_of<const D: usize, const K: usize>(builtin: Builtin, result: NoiseResult) -> Option<Shim> {
    let NoiseResult { is_triple, is_dual } = result;
    Some(match (builtin, is_triple, is_dual) {
        (Builtin::Perlin, false, false) => Shim::of2(perlin::<D>),
        (Builtin::Perlin, true, false) => Shim::of2(perlin_triple::<D>),
        (Builtin::Perlin, false, true) => Shim::of2(perlin_dual::<D>),
        (Builtin::Perlin, true, true) => Shim::of2(perlin_triple_dual::<D>),
        (Builtin::UPerlin, false, false) => Shim::of2(uperlin::<D>),
        (Builtin::UPerlin, true, false) => Shim::of2(uperlin_triple::<D>),
        (Builtin::UPerlin, false, true) => Shim::of2(uperlin_dual::<D>),
        (Builtin::UPerlin, true, true) => Shim::of2(uperlin_triple_dual::<D>),
        (Builtin::Cell, false, false) => Shim::of2(cell::<D>),
        (Builtin::Cell, true, false) => Shim::of2(cell_triple::<D, K>),
        (Builtin::HashNoise, false, false) => Shim::of2(hash::<D>),
        (Builtin::HashNoise, true, false) => Shim::of2(hash_triple::<D, K>),
        _ => return None,
    })
}

/// Defines one shim per noise: compiled code passes a record of `D` rows (`3 * D` with derivatives), and a record for the
/// rows of the result.
macro_rules! noise_shims {
    ($($name:ident<$($n:ident),*>: $f:expr;)*) => {
        $(unsafe extern "C" fn $name<$(const $n: usize),*>(out: *mut Row, args: *const Row) {
            // SAFETY: see above.
            unsafe { $f(out, args) }
        })*
    };
}

/// Reads the coordinates of a noise with their derivatives in x and in y.
///
/// # Safety
/// The pointer is valid for reads of `3 * D` rows.
unsafe fn read_duals<const D: usize>(at: *const Row) -> [[Row; D]; 3] {
    // SAFETY: guaranteed by the caller.
    unsafe { at.cast::<[[Row; D]; 3]>().read() }
}

noise_shims! {
    perlin<D>: |out, args| write(out, [noise::perlin::<D>(read(args))]);
    perlin_triple<D>: |out, args| write(out, noise::perlin_triple::<D>(read(args)));
    perlin_dual<D>: |out, args| write(out, noise::perlin_dual::<D>(read_duals(args)));
    perlin_triple_dual<D>: |out: *mut Row, args| {
        out.cast::<[[Row; 3]; 3]>().write(noise::perlin_triple_dual::<D>(read_duals(args)));
    };
    uperlin<D>: |out, args| write(out, [noise::unsigned(noise::perlin::<D>(read(args)))]);
    uperlin_triple<D>: |out, args| write(out, noise::unsigned_triple(noise::perlin_triple::<D>(read(args))));
    uperlin_dual<D>: |out, args| {
        write(out, noise::unsigned_dual(noise::perlin_dual::<D>(read_duals(args))));
    };
    uperlin_triple_dual<D>: |out: *mut Row, args| {
        let duals = noise::perlin_triple_dual::<D>(read_duals(args));
        out.cast::<[[Row; 3]; 3]>().write(noise::unsigned_triple_dual(duals));
    };
    cell<D>: |out, args| write(out, [noise::hashed(noise::cell_keys::<D>(read(args)))]);
    cell_triple<D, K>: |out, args| {
        write(out, noise::hashed_triple::<D, K>(noise::cell_keys(read(args))));
    };
    hash<D>: |out, args| write(out, [noise::hashed(noise::bits_keys::<D>(read(args)))]);
    hash_triple<D, K>: |out, args| {
        write(out, noise::hashed_triple::<D, K>(noise::bits_keys(read(args))));
    };
}

/// Returns the shim of a matrix function: `(out, matrices)`, `(out, matrices, matrices)` or `(out, matrices, triples)`.
pub(crate) fn matrix_function(function: MatrixFunction) -> Shim {
    match function {
        MatrixFunction::Mul => Shim::of3(mul),
        MatrixFunction::Div => Shim::of3(div),
        MatrixFunction::Transpose => shim!(16, |m: [Row; 16]| matrix::transpose(&m)),
        MatrixFunction::Determinant => Shim::of2(determinant),
        MatrixFunction::Point => Shim::of3(point),
        MatrixFunction::Vector => Shim::of3(vector),
        MatrixFunction::Normal => Shim::of3(normal),
    }
}

unsafe extern "C" fn mul(out: *mut Row, a: *const Row, b: *const Row) {
    // SAFETY: compiled code passes records of 16 rows each; the result is stored after both are read.
    unsafe { write(out, eval::mul(matrices(a), matrices(b))) }
}

unsafe extern "C" fn div(out: *mut Row, a: *const Row, b: *const Row) {
    // SAFETY: as for `mul`.
    unsafe { write(out, eval::div(matrices(a), matrices(b))) }
}

unsafe extern "C" fn determinant(out: *mut Row, m: *const Row) {
    // SAFETY: compiled code passes records of one row and 16 rows.
    unsafe { write(out, [eval::determinant(matrices(m))]) }
}

unsafe extern "C" fn point(out: *mut Row, m: *const Row, p: *const Row) {
    // SAFETY: compiled code passes records of 3, 16 and 3 rows.
    unsafe { write(out, eval::transform_point(matrices(m), read(p))) }
}

unsafe extern "C" fn vector(out: *mut Row, m: *const Row, v: *const Row) {
    // SAFETY: as for `point`.
    unsafe { write(out, matrix::transform_vector(matrices(m), read(v))) }
}

unsafe extern "C" fn normal(out: *mut Row, m: *const Row, n: *const Row) {
    // SAFETY: as for `point`.
    unsafe { write(out, eval::transform_normal(matrices(m), read(n))) }
}
