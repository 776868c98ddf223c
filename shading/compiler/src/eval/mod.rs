//! Semantics of all operations as plain Rust functions, shared by interpreter, constant folder and compiled code.
//!
//! Interpreter, constant folder and the runtime functions of compiled code call these, so that all results are
//! bit-identical. Inline code performs exactly the operations written here, which is why all are defined by single
//! IEEE-754 operations:
//!
//! - no fused multiply-add anywhere; sums associate from the left: `(x·x' + y·y') + z·z'`;
//! - `min(a, b)` is `b < a ? b : a` and `max(a, b)` is `a < b ? b : a`, as in OSL, so that a NaN in `a` stays and one in
//!   `b` is dropped, and `min(0, -0)` is `a`;
//! - a comparison with a NaN is false, `!=` with one is true, and a NaN counts as true;
//! - `a / b` is 0 where `b` is 0 (of either sign), else the IEEE quotient: a divisor known not to be zero needs no test;
//! - integers wrap; `a / 0` and `a % 0` are 0;
//! - null + closure and closure + null are the closure, null × anything is null, and a closure counts as true unless it
//!   is null.

pub mod color;
pub mod color_system;
pub mod dictionary;
pub mod dual;
pub mod fingerprint;
pub mod library;
pub mod math;
pub mod matrix;
pub mod noise;
pub mod operation;
pub mod packet;
pub mod search;
pub mod spline;
pub mod text;
mod xpath;

/// Distance of a traced ray without `maxdist`, as in OSL.
pub const FAR: f32 = 1e30;

/// Default fuel of a run: 262,144 iterations of nearly empty loops, or the same work in fewer iterations
/// ([`crate::hir::fuel`]).
pub const DEFAULT_FUEL: u32 = 1 << 18;

/// Maximum depth of recursive calls. Deeper recursion aborts the run, as exhausted fuel does.
pub const MAX_DEPTH: u32 = 256;

/// int / int: toward zero, wrapping, 0 for a zero divisor.
#[inline]
pub fn div_int(a: i32, b: i32) -> i32 {
    if b == 0 { 0 } else { a.wrapping_div(b) }
}

/// int % int: the sign of `a`, 0 for a zero divisor.
#[inline]
pub fn rem_int(a: i32, b: i32) -> i32 {
    if b == 0 { 0 } else { a.wrapping_rem(b) }
}

/// float / float, 0 for a zero divisor.
#[inline]
pub fn div_float(a: f32, b: f32) -> f32 {
    if b == 0.0 { 0.0 } else { a / b }
}

/// Exclusive upper bound of floats that can be converted to int.
pub const INT_LIMIT: f32 = 2147483648.0;

/// float → int: truncates. Out-of-range values and NaN give the minimum int, as in OSL on x86.
#[inline]
pub fn float_to_int(a: f32) -> i32 {
    if a < INT_LIMIT { a as i32 } else { i32::MIN }
}

/// Returns the message for an index out of range, in OSL's wording.
pub fn index_message(index: i32, variable: &str, length: u32) -> String {
    format!("Index [{index}] out of range {variable}[0..{}]", i64::from(length) - 1)
}

/// Clamps an index to `0..length`; returns whether it was out of range.
#[inline]
pub fn clamp_index(index: i32, length: usize) -> (usize, bool) {
    let last = length.saturating_sub(1);
    match usize::try_from(index) {
        Ok(i) if i <= last => (i, false),
        Ok(_) => (last, true),
        Err(_) => (0, true),
    }
}

/// Applies a function component by component.
#[inline]
pub fn lanes(f: impl Fn(f32) -> f32, [x, y, z]: [f32; 3]) -> [f32; 3] {
    [f(x), f(y), f(z)]
}

/// Applies a function of two numbers component by component.
#[inline]
pub fn lanes2(f: impl Fn(f32, f32) -> f32, a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_is_total() {
        assert_eq!(div_int(7, 0), 0);
        assert_eq!(div_int(i32::MIN, -1), i32::MIN);
        assert_eq!(rem_int(-7, 3), -1);
        assert_eq!(rem_int(i32::MIN, -1), 0);
        assert_eq!(div_float(1.0, -0.0).to_bits(), 0);
        assert!(div_float(f32::NAN, 2.0).is_nan());
    }

    #[test]
    fn what_no_int_holds_is_the_least() {
        assert_eq!(float_to_int(-1.9), -1);
        assert_eq!(float_to_int(2147483520.0), 2147483520);
        for x in [INT_LIMIT, 1e20, -1e20, f32::INFINITY, f32::NAN] {
            assert_eq!(float_to_int(x), i32::MIN);
        }
    }

    #[test]
    fn indices_are_clamped() {
        assert_eq!(clamp_index(-1, 3), (0, true));
        assert_eq!(clamp_index(2, 3), (2, false));
        assert_eq!(clamp_index(3, 3), (2, true));
    }
}
