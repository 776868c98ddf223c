//! Fuel: limit of the work of a run. One unit of fuel pays for eight simple operations.
//!
//! An iteration or a call costs fuel in proportion to the operations in its body ([`assign`]). The optimiser does not change
//! this number, so an endless loop ends after the same iteration in all execution modes. Expensive operations (strings,
//! regular expressions, rays, Gabor noise) cost fuel when they are executed ([`of_op`]). Loops that the optimiser removes or
//! unrolls are free.

use super::{Block, Code, Function, Kind, LocalId, Op, Operand, Stmt, Unit, work};
use crate::builtins::Builtin;

/// Simple operations per unit of fuel.
const WORK: u32 = 8;

/// Simple operations that a closure component costs, and a sum or product of closures. The cost bounds the memory of a run.
const CLOSURES: [u32; 2] = [16, 8];

/// Array elements read or written per unit of fuel.
const ELEMENTS: u32 = 16;

/// Fuel of a Gabor noise, which sums hundreds of kernels.
const GABOR: u32 = 128;

/// Fuel of a regular expression, which may backtrack.
const PATTERN: u32 = 1024;

/// Fuel of a scene query: a traced ray, a search in a point cloud.
const SCENE: u32 = 32;

/// Fuel of creating a string, which may be long.
const TEXT: u32 = 16;

/// Sets the fuel of the loops and functions of a unit.
pub fn assign(unit: &mut Unit) {
    for function in unit.functions.values_mut() {
        let code = &mut function.code;
        let mut body = std::mem::take(&mut code.body);
        function.fuel = of_work(assign_block(code, &mut body));
        code.body = body;
    }
    let mut body = std::mem::take(&mut unit.code.body);
    assign_block(&unit.code, &mut body);
    unit.code.body = body;
    for param in &mut unit.params {
        assign_block(&unit.code, &mut param.init);
    }
}

/// Returns the fuel of an iteration or call with this number of simple operations.
fn of_work(work: u32) -> u32 {
    1 + work / WORK
}

/// Sets the fuel of the loops in a block. Returns the work of the other operations; of two branches, the greater work
/// counts.
fn assign_block(code: &Code, block: &mut Block) -> u32 {
    let works = block.iter_mut().map(|stmt| match stmt {
        Stmt::Op { dst, op, args, .. } => match of_op(code, *dst, *op, args) {
            0 => match op {
                Op::MakeClosure(_) => CLOSURES[0],
                Op::ClosureAdd | Op::ClosureMul => CLOSURES[1],
                _ => work::of_op(*op, args.len()),
            },
            _ => 0,
        },
        Stmt::If { then, otherwise, .. } => 1 + assign_block(code, then).max(assign_block(code, otherwise)),
        Stmt::Loop { body, fuel, .. } => {
            *fuel = of_work(assign_block(code, body));
            0
        }
        Stmt::Scope { body, .. } => assign_block(code, body),
        Stmt::Call { .. } | Stmt::Leave(_) => 0,
    });
    // The limit is far below the range of `i32`, in which compiled code counts.
    works.fold(0, u32::saturating_add).min(1 << 24)
}

/// Returns the fuel of an operation; zero for most.
pub fn of_op(code: &Code, dst: Option<LocalId>, op: Op, args: &[Operand]) -> u32 {
    match op {
        // In place.
        Op::ArraySet | Op::ArrayGet => 0,
        Op::Builtin(builtin) => of_builtin(builtin, args.len()) + of_arrays(code, dst, args),
        // The operands are followed by their derivatives along both axes.
        Op::BuiltinDual(builtin) => 3 * of_builtin(builtin, args.len() / 3) + of_arrays(code, dst, args),
        _ => of_arrays(code, dst, &[]),
    }
}

/// Returns the fuel of a call.
pub fn of_call(code: &Code, callee: &Function, args: &[Operand], results: &[LocalId]) -> u32 {
    let results = results.iter().map(|&result| of_arrays(code, Some(result), &[]));
    callee.fuel + of_arrays(code, None, args) + results.sum::<u32>()
}

fn of_builtin(builtin: Builtin, args: usize) -> u32 {
    use Builtin as B;
    match builtin {
        // The kind, two coordinates and their periods; only Gabor noise has options after these.
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
