//! The optimiser: passes over HIR that preserve results.
//!
//! The optimised unit has the same outputs and prints the same text, bit for bit, if the original ends within its fuel; all
//! NaNs count as equal. At [`OptLevel::Full`] this requires that all numbers are finite, and excludes the sign of zeros in
//! closures. The optimised unit may use less fuel. Removed computations report no errors, except for stores out of range
//! into variables that are read ([`dead`]). Defaults of parameters become part of the code, so values must be bound before
//! optimisation.
//!
//! Passes over structured control flow, each in nearly linear time:
//!
//! 1. [`forward`]: value numbering in one walk: constant and copy propagation, constant folding, algebraic
//!    simplification (exact in [`algebra`], exact for finite numbers in [`finite`]), common subexpression elimination,
//!    branches on constants, unrolling of short loops, evaluation of loops over constants ([`evaluate`]).
//! 2. [`dead`]: dead code elimination by liveness.
//! 3. [`shape`]: control flow simplification.
//! 4. [`hoist`]: loop-invariant code motion.
//! 5. [`sink`]: code sinking into the only branch that uses the result.
//! 6. [`coalesce`]: copy coalescing.
//! 7. [`compact`]: removal of unused variables, constants, scopes, parameters and functions.

mod algebra;
mod attributes;
mod closures;
mod coalesce;
mod compact;
mod context;
mod dead;
mod evaluate;
mod finite;
mod forward;
mod hoist;
mod set;
mod shape;
mod sign;
mod sink;
mod value;

use std::cell::Cell;

use cranelift_entity::SecondaryMap;

use crate::builtins::Builtin;
use crate::hir::verify::debug_verify;
use crate::hir::walk;
use crate::hir::{Code, FunctionId, Kind, LocalId, Op, Operand, Unit};
use context::{PassContext, codes};

pub use attributes::KnownAttributes;
pub use closures::UsedClosures;
pub use context::Facts;

/// Optimisation level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum OptLevel {
    /// No optimisation.
    None,
    /// Optimisations that preserve every bit.
    Exact,
    /// In addition, assumes that numbers are finite: `x·0` is 0, and `x + 0` is x where the sign of a zero has no effect.
    /// This removes features that a material disables by a zero weight.
    #[default]
    Full,
}

/// Options of the optimiser.
#[derive(Clone, Copy, Debug)]
pub struct OptOptions<'a> {
    /// Names of the required outputs; `None` for all.
    pub outputs: Option<&'a [&'a str]>,
    /// Optimisation level.
    pub level: OptLevel,
    /// Facts about the use of the unit.
    pub facts: &'a Facts,
    /// The closures that the caller uses; others are removed. `None` for all.
    pub closures: Option<&'a UsedClosures>,
}

impl Default for OptOptions<'_> {
    fn default() -> Self {
        const NOTHING: &Facts = &Facts { ray_kind: None, attributes: None };
        OptOptions {
            outputs: None,
            level: OptLevel::Full,
            facts: NOTHING,
            closures: None,
        }
    }
}

/// Statistics of the optimiser. Operations are statements other than scopes; symbols are variables and constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OptStats {
    /// Number of operations before.
    pub ops_before: usize,
    /// Number of operations after.
    pub ops_after: usize,
    /// Number of symbols before.
    pub symbols_before: usize,
    /// Number of symbols after.
    pub symbols_after: usize,
}

/// Maximum number of rounds of the first three passes. More than one are rarely needed; [`forward`] returns whether another
/// round may improve the code.
const MAX_ROUNDS: usize = 4;

/// Optimises a unit in place.
pub fn optimize(unit: &mut Unit, options: &OptOptions<'_>) -> OptStats {
    let mut stats = OptStats {
        ops_before: count_ops(unit),
        symbols_before: count_symbols(unit),
        ..OptStats::default()
    };
    if options.level > OptLevel::None {
        gather(unit, options.outputs);
        let context = PassContext {
            facts: options.facts,
            finite: options.level >= OptLevel::Full,
            prints: functions_that_print(unit),
            evaluations: Cell::new(evaluate::MAX_EVALUATED),
            reads_messages: unit.calls(Builtin::HasMessage),
            observes_closures: observes_closures(unit),
        };
        every_code(unit, &context);
        // Closures inside a layer can be removed once the layer is removed.
        if let Some(used) = options.closures
            && !context.observes_closures
            && closures::keep_only(unit, used)
        {
            every_code(unit, &context);
        }
        debug_verify(unit, "optimisation");
        compact::run(unit);
        debug_verify(unit, "compaction");
    }
    stats.ops_after = count_ops(unit);
    stats.symbols_after = count_symbols(unit);
    stats
}

/// Makes the defaults part of the body, and removes parameters except for the required outputs.
fn gather(unit: &mut Unit, outputs: Option<&[&str]>) {
    let mut body = vec![];
    for param in &mut unit.params {
        body.append(&mut param.init);
    }
    body.append(&mut unit.code.body);
    unit.code.body = body;
    unit.params
        .retain(|p| p.output && outputs.is_none_or(|names| names.contains(&p.name.as_str())));
}

/// Runs all passes on a unit and its functions.
fn every_code(unit: &mut Unit, context: &PassContext<'_>) {
    let outputs: Vec<LocalId> = unit.params.iter().map(|p| p.local).collect();
    code(&mut unit.code, &[], &outputs, context);
    for function in unit.functions.values_mut() {
        code(&mut function.code, &function.params, &function.outputs, context);
    }
}

/// Runs all passes on one function.
fn code(code: &mut Code, params: &[LocalId], outputs: &[LocalId], context: &PassContext<'_>) {
    for _ in 0..MAX_ROUNDS {
        let more = forward::run(code, params, outputs, context);
        shape::run(code);
        dead::run(code, outputs, context);
        shape::run(code);
        if !more {
            break;
        }
    }
    hoist::run(code, outputs);
    sink::run(code, outputs);
    coalesce::run(code, params, outputs);
    dead::run(code, outputs, context);
    shape::run(code);
}

fn count_ops(unit: &Unit) -> usize {
    let defaults: usize = unit.params.iter().map(|p| walk::count_ops(&p.init)).sum();
    defaults + codes(unit).map(|c| walk::count_ops(&c.body)).sum::<usize>()
}

fn count_symbols(unit: &Unit) -> usize {
    codes(unit).map(|c| c.locals.len() + c.consts.len()).sum()
}

fn functions_that_print(unit: &Unit) -> SecondaryMap<FunctionId, bool> {
    let mut prints: SecondaryMap<FunctionId, bool> = SecondaryMap::new();
    loop {
        let mut changed = false;
        for (id, function) in &unit.functions {
            if !prints[id] && walk::has_effect(&function.code.body, &prints) {
                prints[id] = true;
                changed = true;
            }
        }
        if !changed {
            return prints;
        }
    }
}

fn observes_closures(unit: &Unit) -> bool {
    let is_closure = |code: &Code, arg: &Operand| {
        let kind = match *arg {
            Operand::Local(id) => Kind::of(code.locals[id].ty),
            Operand::Const(id) => Kind::of_const(&code.consts[id]),
        };
        kind.is_some_and(|k| k.element() == Kind::CLOSURE)
    };
    codes(unit).any(|code| {
        let mut found = false;
        walk::ops(&code.body, &mut |op, args| {
            use Builtin as B;
            let observes = matches!(
                op,
                Op::Truth
                    | Op::Builtin(B::Format | B::Printf | B::Warning | B::Error | B::Fprintf | B::SetMessage)
            );
            found |= observes && args.iter().any(|a| is_closure(code, a));
        });
        found
    })
}
