//! Fuel: the bound on the work of a run. Each loop iteration and each call costs one unit, and operations that take
//! longer than a few dozen simple ones cost more.

use super::{Code, Kind, LocalId, Op, Operand};
use crate::builtins::Builtin;

/// Number of array elements that are read or written for one unit.
const ELEMENTS: u32 = 64;

/// Fuel of a Gabor noise, which sums hundreds of kernels.
const GABOR: u32 = 32;

/// Fuel of a regular expression, which may backtrack.
const PATTERN: u32 = 256;

/// Fuel of a query of the scene: a traced ray, a search in a point cloud.
const SCENE: u32 = 8;

/// Fuel of a texture lookup, and of making a text, which may be long.
const TEXT: u32 = 4;

/// Returns the fuel of an operation; zero for most.
pub fn of_op(code: &Code, dst: Option<LocalId>, op: Op, args: &[Operand]) -> u32 {
    match op {
        // In place.
        Op::ArraySet | Op::ArrayGet => 0,
        Op::Texture(_) | Op::TextureError(_) => TEXT,
        Op::Builtin(builtin) => of_builtin(builtin, args.len()) + of_arrays(code, dst, args),
        // The operands are followed by their differentials along both axes.
        Op::BuiltinDual(builtin) => 3 * of_builtin(builtin, args.len() / 3) + of_arrays(code, dst, args),
        _ => of_arrays(code, dst, &[]),
    }
}

/// Returns the fuel of a call.
pub fn of_call(code: &Code, args: &[Operand], results: &[LocalId]) -> u32 {
    let results = results.iter().map(|&result| of_arrays(code, Some(result), &[]));
    1 + of_arrays(code, None, args) + results.sum::<u32>()
}

fn of_builtin(builtin: Builtin, args: usize) -> u32 {
    use Builtin as B;
    match builtin {
        // Kind, two coordinates and their periods; the options follow only for Gabor noise.
        B::Noise | B::PNoise if args > 5 => GABOR,
        B::RegexMatch | B::RegexSearch | B::RegexMatchPlaces | B::RegexSearchPlaces => PATTERN,
        B::Trace | B::CloudSearch => SCENE,
        B::Format
        | B::Printf
        | B::Warning
        | B::Error
        | B::Fprintf
        | B::Concat
        | B::Substr
        | B::Split
        | B::SplitCount
        | B::SetMessage
        | B::DictFind
        | B::DictFindBelow
        | B::CloudWrite => TEXT,
        _ => 0,
    }
}

/// Returns the fuel for the elements of the arrays that an operation reads or writes.
fn of_arrays(code: &Code, dst: Option<LocalId>, args: &[Operand]) -> u32 {
    let of_local = |local: LocalId| Kind::of(code.locals[local].ty);
    let operands = args.iter().map(|arg| match *arg {
        Operand::Local(local) => of_local(local),
        Operand::Const(id) => Kind::of_const(&code.consts[id]),
    });
    let kinds = operands.chain([dst.and_then(of_local)]).flatten();
    kinds.map(|kind| kind.count() / ELEMENTS).sum()
}
