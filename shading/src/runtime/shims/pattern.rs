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
    Some(match builtin {
        Builtin::Perlin => perlin(dimensions, gives_triple),
        Builtin::UPerlin => uperlin(dimensions, gives_triple),
        Builtin::Cell => cell(dimensions, gives_triple),
        Builtin::HashNoise => hash(dimensions, gives_triple),
        _ => return None,
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

/// Returns the position and the time that are the arguments of a noise with derivatives.
///
/// # Safety
/// The pointer is valid for reads of 96 bytes.
unsafe fn space_time_dual(at: *const [Lanes; 3]) -> [Dual; 4] {
    // SAFETY: guaranteed by the caller.
    let ([x, y, z], w) = unsafe { (triple_dual(at), dual(at.add(1))) };
    [x, y, z, w]
}

/// Defines the shims of a noise with derivatives, as a function that returns them.
macro_rules! dual_shims {
    ($($name:ident: $noise:ident $triple:ident;)*) => {
        $(fn $name(dimensions: Dimensions, gives_triple: bool) -> Shim {
            // For these functions, compiled code passes the addresses of the result and of the noise's arguments.
            unsafe extern "C" fn one(out: *mut [f32; 3], args: *const [Lanes; 3]) {
                // SAFETY: see above.
                unsafe { put_dual(out, eval::$noise([dual(args)])) }
            }
            unsafe extern "C" fn two(out: *mut [f32; 3], args: *const [Lanes; 3]) {
                // SAFETY: see above.
                unsafe { put_dual(out, eval::$noise([dual(args), dual(args.add(1))])) }
            }
            unsafe extern "C" fn three(out: *mut [f32; 3], args: *const [Lanes; 3]) {
                // SAFETY: see above.
                unsafe { put_dual(out, eval::$noise(triple_dual(args))) }
            }
            unsafe extern "C" fn four(out: *mut [f32; 3], args: *const [Lanes; 3]) {
                // SAFETY: see above.
                unsafe { put_dual(out, eval::$noise(space_time_dual(args))) }
            }
            unsafe extern "C" fn one3(out: *mut [Lanes; 3], args: *const [Lanes; 3]) {
                // SAFETY: see above.
                unsafe { put_triple_dual(out, eval::$triple([dual(args)])) }
            }
            unsafe extern "C" fn two3(out: *mut [Lanes; 3], args: *const [Lanes; 3]) {
                // SAFETY: see above.
                unsafe { put_triple_dual(out, eval::$triple([dual(args), dual(args.add(1))])) }
            }
            unsafe extern "C" fn three3(out: *mut [Lanes; 3], args: *const [Lanes; 3]) {
                // SAFETY: see above.
                unsafe { put_triple_dual(out, eval::$triple(triple_dual(args))) }
            }
            unsafe extern "C" fn four3(out: *mut [Lanes; 3], args: *const [Lanes; 3]) {
                // SAFETY: see above.
                unsafe { put_triple_dual(out, eval::$triple(space_time_dual(args))) }
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
    perlin_dual: perlin perlin_triple;
    uperlin_dual: uperlin uperlin_triple;
}

/// Returns the position and the time that are the arguments of a noise.
///
/// # Safety
/// The pointer is that of a triple.
unsafe fn space_time(p: *const Lanes, w: f32) -> [f32; 4] {
    // SAFETY: guaranteed by the caller.
    let [x, y, z] = unsafe { triple(p) };
    [x, y, z, w]
}

/// Defines the shims of a noise, as a function that returns them.
macro_rules! shims {
    ($($name:ident: $noise:ident $triple:ident;)*) => {
        $(fn $name(dimensions: Dimensions, gives_triple: bool) -> Shim {
            unsafe extern "C" fn one(x: f32) -> f32 {
                eval::$noise([x])
            }
            unsafe extern "C" fn two(x: f32, y: f32) -> f32 {
                eval::$noise([x, y])
            }
            unsafe extern "C" fn three(p: *const Lanes) -> f32 {
                // SAFETY: compiled code passes the address of a triple.
                eval::$noise(unsafe { triple(p) })
            }
            unsafe extern "C" fn four(p: *const Lanes, w: f32) -> f32 {
                // SAFETY: as above.
                eval::$noise(unsafe { space_time(p, w) })
            }
            unsafe extern "C" fn one3(out: *mut Lanes, x: f32) {
                // SAFETY: compiled code passes the address of a triple.
                unsafe { put(out, eval::$triple([x])) }
            }
            unsafe extern "C" fn two3(out: *mut Lanes, x: f32, y: f32) {
                // SAFETY: as above.
                unsafe { put(out, eval::$triple([x, y])) }
            }
            unsafe extern "C" fn three3(out: *mut Lanes, p: *const Lanes) {
                // SAFETY: as above, of two.
                unsafe { put(out, eval::$triple(triple(p))) }
            }
            unsafe extern "C" fn four3(out: *mut Lanes, p: *const Lanes, w: f32) {
                // SAFETY: as above, of two.
                unsafe { put(out, eval::$triple(space_time(p, w))) }
            }
            match (dimensions, gives_triple) {
                (Dimensions::One, false) => Shim::of1(one),
                (Dimensions::Two, false) => Shim::of2(two),
                (Dimensions::Three, false) => Shim::of1(three),
                (Dimensions::Four, false) => Shim::of2(four),
                (Dimensions::One, true) => Shim::of2(one3),
                (Dimensions::Two, true) => Shim::of3(two3),
                (Dimensions::Three, true) => Shim::of2(three3),
                (Dimensions::Four, true) => Shim::of3(four3),
            }
        })*
    };
}

shims! {
    perlin: perlin perlin_triple;
    uperlin: uperlin uperlin_triple;
    cell: cell_noise cell_triple;
    hash: hash_noise hash_triple;
}
