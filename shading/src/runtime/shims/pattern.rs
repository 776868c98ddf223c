//! Shims for noises.

use super::{Lanes, Shim, put, triple};
use shading_compiler::builtins::Builtin;
use shading_compiler::eval::dual::Dual;
use shading_compiler::eval::noise as eval;

/// Domain of a noise: the types of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dimensions {
    /// `(float)`.
    One,
    /// `(float, float)`.
    Two,
    /// `(triple)`.
    Three,
    /// `(triple, float)`.
    Four,
}

/// A noise with a float result, `(arguments) → float`, or a triple result, `(out, arguments)`. `None` if the function
/// is not a noise.
pub(crate) fn noise(builtin: Builtin, dimensions: Dimensions, gives_triple: bool) -> Option<Shim> {
    macro_rules! table {
        ($($name:ident: $one:ident $two:ident $three:ident $four:ident
            $one3:ident $two3:ident $three3:ident $four3:ident;)*) => {
            match (builtin, dimensions, gives_triple) {
                $(
                    (Builtin::$name, Dimensions::One, false) => Shim::of1($one),
                    (Builtin::$name, Dimensions::Two, false) => Shim::of2($two),
                    (Builtin::$name, Dimensions::Three, false) => Shim::of1($three),
                    (Builtin::$name, Dimensions::Four, false) => Shim::of2($four),
                    (Builtin::$name, Dimensions::One, true) => Shim::of2($one3),
                    (Builtin::$name, Dimensions::Two, true) => Shim::of3($two3),
                    (Builtin::$name, Dimensions::Three, true) => Shim::of2($three3),
                    (Builtin::$name, Dimensions::Four, true) => Shim::of3($four3),
                )*
                _ => return None,
            }
        };
    }
    Some(table! {
        Perlin: perlin1 perlin2 perlin3 perlin4 perlin1_triple perlin2_triple perlin3_triple perlin4_triple;
        UPerlin: uperlin1 uperlin2 uperlin3 uperlin4 uperlin1_triple uperlin2_triple uperlin3_triple uperlin4_triple;
        Cell: cell1 cell2 cell3 cell4 cell1_triple cell2_triple cell3_triple cell4_triple;
        HashNoise: hash1 hash2 hash3 hash4 hash1_triple hash2_triple hash3_triple hash4_triple;
    })
}

/// Returns the shim of a noise with derivatives: `(out, arguments)`. An argument is three times 16 bytes: its value and its
/// derivatives along x and y; the result is an array of these three. `None` for noises without derivatives.
pub(crate) fn noise_dual(builtin: Builtin, dimensions: Dimensions, gives_triple: bool) -> Option<Shim> {
    Some(match builtin {
        Builtin::Perlin => perlin_dual(dimensions, gives_triple),
        Builtin::UPerlin => uperlin_dual(dimensions, gives_triple),
        _ => return None,
    })
}

/// Reads a number with derivatives.
///
/// # Safety
/// The pointer is valid for reads of 48 bytes.
unsafe fn dual(at: *const [Lanes; 3]) -> Dual {
    // SAFETY: guaranteed by the caller.
    let [value, dx, dy] = unsafe { at.read() };
    Dual::new(value[0], dx[0], dy[0])
}

/// Reads a triple with derivatives.
///
/// # Safety
/// The pointer is valid for reads of 48 bytes.
unsafe fn triple_dual(at: *const [Lanes; 3]) -> [Dual; 3] {
    // SAFETY: guaranteed by the caller.
    let parts = unsafe { at.read() };
    Dual::triple(parts.map(|[x, y, z, _]| [x, y, z]))
}

/// Stores a number with derivatives.
///
/// # Safety
/// The pointer is valid for writes of three floats.
unsafe fn put_dual(at: *mut [f32; 3], d: Dual) {
    // SAFETY: guaranteed by the caller.
    unsafe { at.write([d.value, d.dx, d.dy]) }
}

/// Stores a triple with derivatives.
///
/// # Safety
/// The pointer is valid for writes of 48 bytes.
unsafe fn put_triple_dual(at: *mut [Lanes; 3], d: [Dual; 3]) {
    // SAFETY: guaranteed by the caller.
    unsafe { at.write(Dual::parts(d).map(|[x, y, z]| [x, y, z, 0.0])) }
}

/// Defines the shims of a noise with derivatives, as a function that returns them.
macro_rules! dual_shims {
    ($($name:ident: $one:ident $two:ident $three:ident $four:ident
        $one3:ident $two3:ident $three3:ident $four3:ident;)*) => {
        $(fn $name(dimensions: Dimensions, gives_triple: bool) -> Shim {
            // For these functions, compiled code passes the addresses of the result and of the noise's arguments.
            unsafe extern "C" fn one(out: *mut [f32; 3], args: *const [Lanes; 3]) {
                // SAFETY: see above.
                unsafe { put_dual(out, eval::$one(dual(args))) }
            }
            unsafe extern "C" fn two(out: *mut [f32; 3], args: *const [Lanes; 3]) {
                // SAFETY: see above.
                unsafe { put_dual(out, eval::$two(dual(args), dual(args.add(1)))) }
            }
            unsafe extern "C" fn three(out: *mut [f32; 3], args: *const [Lanes; 3]) {
                // SAFETY: see above.
                unsafe { put_dual(out, eval::$three(triple_dual(args))) }
            }
            unsafe extern "C" fn four(out: *mut [f32; 3], args: *const [Lanes; 3]) {
                // SAFETY: see above.
                unsafe { put_dual(out, eval::$four(triple_dual(args), dual(args.add(1)))) }
            }
            unsafe extern "C" fn one3(out: *mut [Lanes; 3], args: *const [Lanes; 3]) {
                // SAFETY: see above.
                unsafe { put_triple_dual(out, eval::$one3(dual(args))) }
            }
            unsafe extern "C" fn two3(out: *mut [Lanes; 3], args: *const [Lanes; 3]) {
                // SAFETY: see above.
                unsafe { put_triple_dual(out, eval::$two3(dual(args), dual(args.add(1)))) }
            }
            unsafe extern "C" fn three3(out: *mut [Lanes; 3], args: *const [Lanes; 3]) {
                // SAFETY: see above.
                unsafe { put_triple_dual(out, eval::$three3(triple_dual(args))) }
            }
            unsafe extern "C" fn four3(out: *mut [Lanes; 3], args: *const [Lanes; 3]) {
                // SAFETY: see above.
                unsafe { put_triple_dual(out, eval::$four3(triple_dual(args), dual(args.add(1)))) }
            }
            match (dimensions, gives_triple) {
                (Dimensions::One, false) => Shim::of2(one),
                (Dimensions::Two, false) => Shim::of2(two),
                (Dimensions::Three, false) => Shim::of2(three),
                (Dimensions::Four, false) => Shim::of2(four),
                (Dimensions::One, true) => Shim::of2(one3),
                (Dimensions::Two, true) => Shim::of2(two3),
                (Dimensions::Three, true) => Shim::of2(three3),
                (Dimensions::Four, true) => Shim::of2(four3),
            }
        })*
    };
}

dual_shims! {
    perlin_dual: perlin1 perlin2 perlin3 perlin4 perlin1_triple perlin2_triple perlin3_triple perlin4_triple;
    uperlin_dual: uperlin1 uperlin2 uperlin3 uperlin4 uperlin1_triple uperlin2_triple uperlin3_triple uperlin4_triple;
}

/// Defines one shim for each noise function, of the same name.
macro_rules! shims {
    ($($one:ident $two:ident $three:ident $four:ident;)*) => {
        $(
            unsafe extern "C" fn $one(x: f32) -> f32 {
                eval::$one(x)
            }
            unsafe extern "C" fn $two(x: f32, y: f32) -> f32 {
                eval::$two(x, y)
            }
            unsafe extern "C" fn $three(p: *const Lanes) -> f32 {
                // SAFETY: compiled code passes the address of a triple.
                eval::$three(unsafe { triple(p) })
            }
            unsafe extern "C" fn $four(p: *const Lanes, w: f32) -> f32 {
                // SAFETY: as above.
                eval::$four(unsafe { triple(p) }, w)
            }
        )*
    };
}

/// Defines one shim for each noise function with a triple result.
macro_rules! triple_shims {
    ($($one:ident $two:ident $three:ident $four:ident;)*) => {
        $(
            unsafe extern "C" fn $one(out: *mut Lanes, x: f32) {
                // SAFETY: compiled code passes the address of a triple.
                unsafe { put(out, eval::$one(x)) }
            }
            unsafe extern "C" fn $two(out: *mut Lanes, x: f32, y: f32) {
                // SAFETY: as above.
                unsafe { put(out, eval::$two(x, y)) }
            }
            unsafe extern "C" fn $three(out: *mut Lanes, p: *const Lanes) {
                // SAFETY: as above, of two.
                unsafe { put(out, eval::$three(triple(p))) }
            }
            unsafe extern "C" fn $four(out: *mut Lanes, p: *const Lanes, w: f32) {
                // SAFETY: as above, of two.
                unsafe { put(out, eval::$four(triple(p), w)) }
            }
        )*
    };
}

shims! {
    perlin1 perlin2 perlin3 perlin4;
    uperlin1 uperlin2 uperlin3 uperlin4;
    cell1 cell2 cell3 cell4;
    hash1 hash2 hash3 hash4;
}

triple_shims! {
    perlin1_triple perlin2_triple perlin3_triple perlin4_triple;
    uperlin1_triple uperlin2_triple uperlin3_triple uperlin4_triple;
    cell1_triple cell2_triple cell3_triple cell4_triple;
    hash1_triple hash2_triple hash3_triple hash4_triple;
}
